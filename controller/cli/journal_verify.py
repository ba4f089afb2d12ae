"""`feltwire journal verify`: is it as it was written?"""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from controller.cli import NOT_VERIFIED
from controller.cli.journal_view import progress_bar, show_report, telling_errors
from controller.cli.key_options import public_keys
from controller.journal.verify import KnownHead, breaks_between, verify


def _heads(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[KnownHead, ...]:
    try:
        return tuple(KnownHead.parse(value) for value in values)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("verify")
@click.argument("paths", metavar="[ARCHIVE...] JOURNAL", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Public key of the seals.")
@click.option("--head", "heads", metavar="TABLE:SEQ:HASH", multiple=True, callback=_heads, help="A head that you kept.")
@click.option("--json", "as_json", is_flag=True, help="One report a line, for a program.")
def verify_command(
    paths: tuple[Path, ...], keys: tuple[bytes, ...], heads: tuple[KnownHead, ...], as_json: bool
) -> None:
    """Say whether a journal is as it was written, and if not, what was done to which record.

    Everything is read: the pages of the file, every record's hash and columns, every seal, the witness file beside
    it. With archives, oldest first and the journal last, each must go on from the one before.

    Seals are checked with the public key that you give. Without one, that in the file is taken: who could replace
    the whole file could replace that too. Every heartbeat of the feed carries a table's head; any that somebody kept
    finds a history that was cut or rewritten since. Heads belong to the last file that is given.

    \b
    Examples:
        feltwire journal verify journal.sqlite
        feltwire journal verify journal.sqlite --key signing.pub --head roulette-1:1042:61ab...
        feltwire journal verify 2025.sqlite 2026.sqlite journal.sqlite

    Exit codes: 0; 2 for a file that cannot be used; 3 if one does not verify.
    """
    reports = []
    with telling_errors():
        for path in paths:
            last = path is paths[-1]
            with progress_bar(f"verifying {path.name}") as bar:
                shown = {} if bar is None else bar._asdict()
                report = verify(path, heads=heads if last else (), keys=keys, **shown)
            reports.append(report)
            if as_json:
                click.echo(msgspec.json.encode(report))
            else:
                show_report(report)
    wrong = breaks_between(reports)
    for one in wrong:
        click.echo(click.style(f"these files do not go on from each other: {one}", fg="red"), err=True)
    if wrong or not all(report.ok for report in reports):
        sys.exit(NOT_VERIFIED)
