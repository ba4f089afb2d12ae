"""Loads the tables of a command, and prints problems and events."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click

from command_line.exit_codes import BAD_CONFIGURATION
from controller.configuration.problems import Problem
from controller.configuration.values import TableConfig
from controller.games.load import check
from controller.service.event_lines import colored_line_of
from feed.events import Event, encode
from hal.plain_text import plain

_REPEATED: Final = 60
"""A sentence of more characters is not printed again in the same file (ours)."""


def show_problems(problems: Iterable[Problem]) -> None:
    """Prints each problem on a line of standard error, coloured only on a terminal. A long sentence comes once."""
    at: dict[tuple[str, str, str], int] = {}
    for problem in problems:
        color = "yellow" if problem.severity == "warning" else "red"
        first = at.setdefault((problem.file, problem.wrong, problem.fix), problem.line)
        place, _, rest = str(problem).partition(f":{problem.line}: ")
        if first != problem.line and len(problem.wrong) + len(problem.fix) > _REPEATED:
            rest = plain(f"{problem.key}: {'warning: ' if problem.severity == 'warning' else ''}as in line {first}")
        click.echo(click.style(f"{place}:{problem.line}: ", fg=color) + rest, err=True)


def load_all(paths: Sequence[Path]) -> list[TableConfig]:
    """The tables of several files. Prints all problems, and exits with code 2 if one is an error."""
    report = check(paths)
    show_problems(report.problems)
    if report.errors:
        sys.exit(BAD_CONFIGURATION)
    return list(report.tables)


def load_one(path: Path) -> TableConfig:
    """The table of one file, as `load_all`."""
    return load_all([path])[0]


def print_events(events: Iterable[Event], *, as_json: bool) -> None:
    """Prints one event a line, as JSON or for people; coloured only on a terminal."""
    for event in events:
        if as_json:
            click.echo(encode(event))
        else:
            width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
            click.echo(colored_line_of(event, width=width))
