"""What every command that reads journals has: its errors and exit codes, and a progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import click

from audit.errors import JournalError
from audit.verify import Progress, Step
from command_line.exit_codes import BAD_CONFIGURATION
from command_line.plain_output import show


@contextmanager
def exit_on_journal_error(closed: int = 0) -> Iterator[None]:
    """Prints a `JournalError` in red and exits with code 2.

    `closed` is the exit code when the reader of the output closed it: 0 for a command that only prints, since the
    reader has enough; `NOT_READ` for one whose exit code is an answer.
    """
    try:
        yield
    except JournalError as error:
        show(error, fg="red", err=True)
        sys.exit(BAD_CONFIGURATION)
    except BrokenPipeError:
        # Python would write what is left as it ends, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(closed)


class ProgressCallbacks(NamedTuple):
    """The callbacks that update a progress bar."""

    progress: Progress
    step: Step


@contextmanager
def progress_bar(label: str) -> Iterator[ProgressCallbacks | None]:
    """A progress bar on standard error; None where that is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=0, label=label, file=sys.stderr) as bar:

        def advance(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        def relabel(what: str) -> None:
            bar.label = f"{label}: {what}"
            bar.render_progress()

        yield ProgressCallbacks(advance, relabel)
