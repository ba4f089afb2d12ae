"""`feltwire journal archive` and `retire`: the only ones that change files. The service must not run."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from controller.cli import BAD_CONFIGURATION
from controller.cli.journal_read import moment
from controller.cli.journal_view import telling_errors
from controller.cli.key_options import public_keys
from controller.journal.archive import archive
from controller.journal.files import retire
from hal.clock import NS_PER_S, SystemClock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@click.command("archive")
@click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.argument("out", metavar="ARCHIVE", type=click.Path(path_type=Path))
@click.option("--before", callback=moment, metavar="TIME", help="What was sealed before this day or time (UTC).")
@click.option("--keep-days", type=click.IntRange(min=0), metavar="N", help="What was sealed more than N days ago.")
@click.option(
    "--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Public key of the seals; repeat."
)
def archive_command(
    path: Path, out: Path, before: datetime | None, keep_days: int | None, keys: tuple[bytes, ...]
) -> None:
    """Move sealed history out of a journal into a file that verifies by itself.

    History goes up to the last seal that is old enough. The archive is written, made durable, verified and compared
    byte by byte before the journal gives anything up; then the journal keeps the heads with which it begins, and
    where each table stood. Cut off at any moment nothing is lost: the same command goes on. Stop the service first:
    a deletion this large would keep it from writing, and it would stop play.

    The journal's file keeps its size; the room is used for what comes.

    \b
    Examples:
        feltwire journal archive journal.sqlite 2026.sqlite --before 2027-01-01
        feltwire journal archive journal.sqlite /mnt/stick/old.sqlite --keep-days 90
        feltwire journal verify 2026.sqlite journal.sqlite

    Exit codes: 0; 2 for a file that cannot be used, a journal that does not verify, or while the service runs.
    """
    if (before is None) == (keep_days is None):
        raise click.UsageError("say up to when: give either --before TIME or --keep-days N")
    clock = SystemClock()
    if before is None:
        before = _EPOCH + timedelta(seconds=clock.wall_time_ns() // NS_PER_S) - timedelta(days=keep_days or 0)
    with telling_errors():
        done = archive(path, out, before, keys=keys, progress=lambda what: click.echo(what, err=True))
    if done is None:
        click.echo(f"nothing to archive: {path} holds nothing that was sealed before {before:%Y-%m-%d %H:%M:%S} UTC")
        return
    click.echo(
        f"{done.records} records up to the seal of {done.until} are in {done.archive}; {done.left} stay in {path}"
    )


@click.command("retire")
@click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
def retire_command(path: Path, yes: bool) -> None:
    """Set a damaged journal aside, as it is, under a name with its date.

    Nothing in it is changed, and nothing else is written. The next start of the service begins a new journal: tables
    count from 1 again, faults that stood are forgotten, and subscribers are told that the history is another one.
    Verify it first, and keep the file: it is evidence.

    \b
    Examples:
        feltwire journal verify journal.sqlite
        feltwire journal retire journal.sqlite

    Exit codes: 0; 2 for a file that cannot be used, or while the service runs.
    """
    if not yes:
        if not sys.stdin.isatty():
            click.echo(f"{path}: nobody is there to be asked; give --yes if it is meant", err=True)
            sys.exit(BAD_CONFIGURATION)
        click.confirm(f"set {path} aside, so that the next start begins a new journal?", abort=True)
    with telling_errors():
        aside = retire(path, SystemClock())
    click.echo(f"it is now {aside}; the next start begins a new journal")
