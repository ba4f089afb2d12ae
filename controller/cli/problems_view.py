"""Shows what is wrong with configuration files."""

from __future__ import annotations

from collections.abc import Iterable

import click

from controller.configuration.problems import Problem


def show_problems(problems: Iterable[Problem]) -> None:
    """Prints each problem on a line of standard error, coloured only on a terminal."""
    for problem in problems:
        color = "yellow" if problem.severity == "warning" else "red"
        place, _, rest = str(problem).partition(f":{problem.line}: ")
        click.echo(click.style(f"{place}:{problem.line}: ", fg=color) + rest, err=True)
