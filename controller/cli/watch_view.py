"""How `feltwire watch` shows what comes: lines for people, or bodies for programs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Final

import click

from controller.events_view import color_of, line_of, painted
from feed.events import RoundProgress
from feed.subscriber import (
    CaughtUp,
    Fact,
    Filled,
    Fresh,
    Gap,
    Halted,
    Item,
    Missing,
    Notice,
    NotShown,
    Restarted,
    Rewritten,
    Stale,
    Trouble,
    Waiting,
)

_COLORS: Final[dict[type[Notice], str]] = {
    CaughtUp: "bright_black",
    Gap: "yellow",
    Filled: "yellow",
    Missing: "red",
    Restarted: "cyan",
    Rewritten: "red",
    Stale: "red",
    Halted: "red",
    Fresh: "green",
    Trouble: "yellow",
    NotShown: "yellow",
    Waiting: "yellow",
}
_CLEAR_LINE: Final = "\r\x1b[2K"


class JsonView:
    """Bodies on stdout, one a line, byte for byte; all else on stderr."""

    def begin(self, endpoint: str, tables: Sequence[str]) -> None:
        """Says what is watched."""
        click.echo(_greeting(endpoint, tables), err=True)

    def show(self, item: Item) -> None:
        """Shows an item."""
        if isinstance(item, Fact):
            click.echo(item.body)
        else:
            click.echo(_styled(item), err=True)

    def end(self) -> None:
        """Nothing more comes."""


class PeopleView:
    """A line a fact. On a terminal, live measures of a spin stay on one line and are gone when something is said."""

    def __init__(self, *, tell_joined: bool) -> None:
        """`tell_joined` is false where all that was said is shown, so that reaching its end is worth a line."""
        self._in_place = sys.stdout.isatty()
        self._progress_shown = False
        self._quiet_about = (CaughtUp,) if tell_joined else ()

    def begin(self, endpoint: str, tables: Sequence[str]) -> None:
        """Says what is watched."""
        click.echo(click.style(_greeting(endpoint, tables), fg="bright_black"))

    def show(self, item: Item) -> None:
        """Shows an item."""
        match item:
            case Fact(event=event) if self._in_place and isinstance(event.data, RoundProgress):
                width = shutil.get_terminal_size().columns
                click.echo(_CLEAR_LINE + click.style(line_of(event)[: width - 1], fg=color_of(event)), nl=False)
                self._progress_shown = True
            case Fact(event=event):
                self._line(painted(event))
            case notice if not isinstance(notice, self._quiet_about):
                self._line(_styled(notice))

    def end(self) -> None:
        """Nothing more comes."""
        self._line("")

    def _line(self, text: str) -> None:
        cleared = _CLEAR_LINE if self._progress_shown else ""
        self._progress_shown = False
        click.echo(cleared + text)


def _greeting(endpoint: str, tables: Sequence[str]) -> str:
    return f"watching {', '.join(tables) or 'all tables'} at {endpoint}; Ctrl-C ends it"


def _styled(notice: Notice) -> str:
    loud = isinstance(notice, Rewritten | Stale | Halted)
    return click.style(f"-- {notice}", fg=_COLORS.get(type(notice)), bold=loud)
