"""Lines for a terminal, in which nothing that was read can write a line of its own or move the cursor."""

from __future__ import annotations

import logging
from typing import Any

import click

from hal.plain_text import plain


def show(text: object, *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """Prints a text as one line of printable characters, in a style of `click.style`."""
    line = plain(str(text))
    click.echo(click.style(line, **style) if style else line, err=err, nl=nl)


def log_lines(level: int, leave_out: str = "") -> None:
    """Logs to standard error from this level on, each record as one such line; nothing of the logger `leave_out`."""
    handler = logging.StreamHandler()
    handler.addFilter(lambda record: record.name != leave_out)
    handler.setFormatter(_Lines("%(levelname)s %(message)s"))
    logging.basicConfig(handlers=[handler], level=level)


class _Lines(logging.Formatter):
    """A traceback has more lines, and those are indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (the name that logging calls)
        """The message of a record, as one line."""
        return plain(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """The whole record."""
        first, *traceback = super().format(record).split("\n")
        return "\n".join([first, *(f"  {plain(line)}" for line in traceback)])
