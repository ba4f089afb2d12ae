"""`feltwire journal`: what an auditor does with a journal."""

from __future__ import annotations

import click

from controller.cli.journal_keep import archive_command, retire_command
from controller.cli.journal_read import export_command, recall_command, show_command
from controller.cli.journal_verify import verify_command


@click.group("journal")
def command() -> None:
    """Verify, read, export and archive a journal.

    A journal keeps every event of every table, and every command with its sender, each bound to the one before it by
    a hash. It is journal.sqlite in the service's state folder. All but archive and retire only read it, also while
    the service writes.

    \b
    Start with:
        feltwire journal verify journal.sqlite                is it as it was written?
        feltwire journal recall journal.sqlite roulette-1     the last ten rounds, with their evidence
        feltwire journal show journal.sqlite roulette-1       the last events, a line each
        feltwire journal export journal.sqlite > events.jsonl

    Exit codes: 0 for success, 2 for a file or an option that cannot be used, 3 for a journal that does not verify.
    """


for _one in (verify_command, show_command, recall_command, export_command, archive_command, retire_command):
    command.add_command(_one)
