"""Journals as a person reads them on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import click
import msgspec

from controller.cli import BAD_CONFIGURATION
from controller.cli.event_lines import painted
from controller.journal.audit.findings import AuditReport, ChainSummary
from controller.journal.errors import JournalError
from controller.journal.records import COMMANDS, Record
from controller.journal.verify import Progress, Step
from feed.events import EventError, decode


@contextmanager
def telling_errors() -> Iterator[None]:
    """A file that cannot be used is told in red, and the command ends with exit code 2."""
    try:
        yield
    except JournalError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    except BrokenPipeError:
        # Who read the output (`head`) has enough.
        sys.stderr.close()
        sys.exit(0)


class Bar(NamedTuple):
    """What a bar on a terminal is told."""

    progress: Progress
    step: Step


@contextmanager
def progress_bar(label: str) -> Iterator[Bar | None]:
    """A bar on standard error, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=0, label=label, file=sys.stderr) as bar:

        def tell(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        def name(what: str) -> None:
            bar.label = f"{label}: {what}"
            bar.render_progress()

        yield Bar(tell, name)


def show_report(report: AuditReport) -> None:
    """A report: what there is, what was found, and what it rests on."""
    there = (
        f"{_count(report.records, 'record')} in {_count(len(report.chains), 'chain')}, {_count(report.seals, 'seal')}"
    )
    click.echo(f"{report.path}: {there}")
    for chain in report.chains:
        click.echo(f"  {chain.chain:<16} {_span(chain):<22} head {chain.head}")
    for note in report.notes:
        click.echo(f"  note: {note}")
    if report.public_keys and not report.keys_given:
        click.echo(f"  note: the seals were checked with the key in the file, {report.public_keys[0]}:")
        click.echo("        compare it with the one that you keep, or give that with --key")
    if report.first is None:
        click.echo(click.style("verified: nothing was changed, removed or put in", fg="green"))
        return
    click.echo(click.style("DOES NOT VERIFY", fg="red", bold=True) + f": {_count(len(report.findings), 'finding')}")
    for number, finding in enumerate(report.findings):
        click.echo(f"  then: {finding}" if number else click.style(f"  first: {finding}", fg="red"))


def _span(chain: ChainSummary) -> str:
    if chain.last < chain.first:
        return "no records"
    return f"records {chain.first} to {chain.last}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def show_record(record: Record) -> None:
    """A record as one line."""
    if record.chain == COMMANDS:
        click.echo(_command_line(record))
        return
    try:
        event = decode(record.body)
    except EventError as error:
        click.echo(click.style(f"{record.time[11:23]:>12}  {record.chain} {record.seq}: {error}", fg="red"))
        return
    click.echo(painted(event))


def show_record_whole(record: Record) -> None:
    """A record as one line, and under it all that the journal holds of it."""
    show_record(record)
    for name, value in (("id", record.id), ("written as", f"row {record.n}"), ("hash", record.hash.hex())):
        click.echo(f"    {name:<12}{value}")
    try:
        text = msgspec.json.format(record.body, indent=2).decode()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        text = repr(record.body)
    for line in text.splitlines():
        click.echo(f"    {line}")


def _command_line(record: Record) -> str:
    try:
        said = msgspec.json.decode(record.body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return click.style(f"{record.time[11:23]:>12}  {COMMANDS} {record.seq}: {error}", fg="red")
    given = "".join(f" {key}={value}" for key, value in dict(said.get("given") or {}).items())
    refused = "" if said.get("accepted", True) else f": REFUSED: {said.get('reason', '')}"
    line = f"{said.get('sender', '?')} ({said.get('role', '?')}): {said.get('command', '?')}{given}{refused}"
    return click.style(f"{record.time[11:23]:>12}  {said.get('table', ''):<16}  {line}", fg="cyan")
