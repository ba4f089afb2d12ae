"""`feltwire journal show`, `recall` and `export`: reading a journal, also while the service writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

import click
import msgspec

from controller.cli.event_lines import painted
from controller.cli.journal_view import progress_bar, show_record, show_record_whole, telling_errors
from controller.journal.errors import JournalError
from controller.journal.export import csv_heading, csv_line, json_line
from controller.journal.queries import (
    ROUNDS,
    RecalledTable,
    Selection,
    find,
    last_of,
    last_written,
    parse_moment,
    recall,
    select,
    span_of,
    tables,
)
from controller.journal.records import COMMANDS
from feed.events import Outcome, Unresolved, Void
from feed.evidence import CaptureFile

_JOURNAL = click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
_JSON = click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
_LAST = 20
_TELL_EVERY = 1000


class Span(NamedTuple):
    """Numbers of events, both ends included; None where it is open."""

    first: int | None
    last: int | None


def _span(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Span | None:
    """Reads `17`, `17-40`, `17-` or `-40`."""
    if value is None:
        return None
    first, dash, last = value.partition("-")
    ends = [int(one) if one.isascii() and one.isdigit() and len(one) < 19 else None for one in (first, last)]
    wrong = [one for one, end in zip((first, last), ends, strict=True) if one and end is None]
    if wrong or not (first or last):
        raise click.BadParameter(f"{value!r} is no number of an event; expected 17, 17-40, 17- or -40")
    return Span(ends[0], ends[1] if dash else ends[0])


def moment(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime | None:
    """Reads a day or a time, as an option's callback."""
    try:
        return None if value is None else parse_moment(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("show")
@_JOURNAL
@click.argument("table", required=False)
@click.argument("span", required=False, callback=_span)
@_JSON
def show_command(path: Path, table: str | None, span: Span | None, as_json: bool) -> None:
    """Show events of a table, a line each; one alone with all that is kept of it.

    SPAN is the number of an event (its seq), or a span: 17-40, 17-, -40. Without it, the last 20 are shown. TABLE can
    be the id of an event instead, as in wheel-1.9f3c04d1a2b36e57.17; without it, the last 20 of all tables are shown
    in the order in which they were written. The commands that people sent are in @commands.

    \b
    Examples:
        feltwire journal show journal.sqlite
        feltwire journal show journal.sqlite roulette-1
        feltwire journal show journal.sqlite roulette-1 17-40
        feltwire journal show journal.sqlite roulette-1.9f3c04d1a2b36e57.17 --json
        feltwire journal show journal.sqlite @commands

    Exit codes: 0; 2 for a file that cannot be used, or where there is no such event.
    """
    with telling_errors():
        if table is None:
            records = last_written(path, _LAST)
            whole = False
        elif span is None and (one := find(path, table)) is not None:
            records = iter([one])
            whole = True
        else:
            _known(path, [table])
            records = last_of(path, table, _LAST) if span is None else span_of(path, table, span.first, span.last)
            whole = span is not None and span.first == span.last
        shown = 0
        for record in records:
            shown += 1
            if as_json:
                click.echo(record.body)
            elif whole:
                show_record_whole(record)
            else:
                show_record(record)
        if not shown:
            what = "it has no event yet" if table is None else f"{table} has no such event here"
            raise JournalError(path, what, "an older one may be in an archive")


@click.command("recall")
@_JOURNAL
@click.argument("table", required=False)
@click.option(
    "--rounds", type=click.IntRange(1, 10_000), default=ROUNDS, show_default=True, help="How many, of each table."
)
@click.option("--json", "as_json", is_flag=True, help='One a line: {"recall": true, "table", "round", "events"}.')
def recall_command(path: Path, table: str | None, rounds: int, as_json: bool) -> None:
    """Recall the last rounds of a table with their evidence, the newest last; without TABLE, of one after the other.

    It shows what was, and says so: every screen of it is marked RECALL, so that nobody takes it for a live result.
    Corrections are shown under the verdict that they correct, which stays. The service may run meanwhile.

    \b
    Examples:
        feltwire journal recall journal.sqlite roulette-1
        feltwire journal recall journal.sqlite roulette-1 --rounds 3 --json

    Exit codes: 0; 2 for a file that cannot be used, or a table that it does not have.
    """
    with telling_errors():
        chosen = [table] if table is not None else [one for one in tables(path) if one != COMMANDS]
        if not chosen:
            raise JournalError(path, "it has no table yet", "there is nothing to recall before the first round")
        for one in chosen:
            recalled = recall(path, one, rounds)
            if as_json:
                _print_recall(recalled)
            else:
                _show_recall(recalled, rounds)


@click.command("export")
@_JOURNAL
@click.option("--format", "kind", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("--table", "chosen", metavar="TABLE", multiple=True, help="Only of this table; repeat for more.")
@click.option("--kind", "kinds", metavar="KIND", multiple=True, help="Only of this kind, as round.outcome; repeat.")
@click.option("--since", callback=moment, metavar="TIME", help="Not before this day or time (UTC).")
@click.option("--until", callback=moment, metavar="TIME", help="Before this day or time (UTC).")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="To a new file.")
def export_command(
    path: Path,
    kind: str,
    chosen: tuple[str, ...],
    kinds: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    output: Path | None,
) -> None:
    """Write events out: JSON lines that are the bodies of the feed byte for byte, or CSV for a spreadsheet.

    Events come in the order in which they were written, up to the last at the beginning of the export. The commands
    that people sent are no events of the feed; --table @commands has them. The columns of the CSV are explained in
    docs/audit.md.

    \b
    Examples:
        feltwire journal export journal.sqlite > events.jsonl
        feltwire journal export journal.sqlite --format csv --kind round.outcome -o results.csv
        feltwire journal export journal.sqlite --since 2026-07-04 --until 2026-07-05 --table roulette-1

    Exit codes: 0; 2 for a file or an option that cannot be used.
    """
    with telling_errors():
        _known(path, chosen)
        selection = Selection(tables=chosen, kinds=kinds, since=since, until=until)
        line = csv_line if kind == "csv" else json_line
        with _writing(output) as out, progress_bar("exporting") as bar:
            if kind == "csv":
                out.write(csv_heading())
            for number, one in enumerate(select(path, selection)):
                out.write(line(one.record))
                if bar is not None and number % _TELL_EVERY == 0:
                    bar.progress(one.done, one.total)


def _known(path: Path, chosen: tuple[str, ...] | list[str]) -> None:
    there = tables(path)
    for table in chosen:
        if table not in there:
            raise JournalError(path, f"it has no table {table}", f"give one that it has: {', '.join(there) or 'none'}")


@contextmanager
def _writing(output: Path | None) -> Iterator[BinaryIO]:
    """Standard output; or a file that has its name only when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if output.exists():
        raise JournalError(output, "it is there already", "name a new file")
    part = output.with_name(output.name + ".part")
    try:
        with part.open("wb") as file:
            yield file
        part.rename(output)
    except OSError as error:
        raise JournalError(output, f"it cannot be written ({error.strerror})", "name another file") from error


def _print_recall(recalled: RecalledTable) -> None:
    """A round a line, with the bodies as they were published."""
    for one in recalled.rounds:
        head = msgspec.json.encode({"recall": True, "table": recalled.table, "round": one.number})
        click.echo(head[:-1] + b',"events":[' + b",".join(one.bodies) + b"]}")


def _show_recall(recalled: RecalledTable, rounds: int) -> None:
    mark = f"RECALL of {recalled.table}: what was, not what is"
    click.echo(click.style(f"--- {mark} ---", bold=True))
    for one in recalled.rounds:
        for event in one.events:
            click.echo(painted(event))
            if isinstance(event.data, Outcome | Void | Unresolved):
                click.echo(f"{'':14}rule {event.data.rule}, event {event.id}")
                for name, value in msgspec.structs.asdict(event.data.evidence).items():
                    if value not in (None, ""):
                        click.echo(f"{'':14}{name:<22}{_evidence(value)}")
    if len(recalled.rounds) < rounds:
        more = "; older ones are in an archive" if recalled.archived else ""
        click.echo(f"{len(recalled.rounds)} rounds have a verdict here{more}")
    click.echo(click.style(f"--- end of the {mark} ---", bold=True))


def _evidence(value: object) -> str:
    """A measure as it is; a capture as what its file is compared with."""
    if isinstance(value, CaptureFile):
        return f"{value.file} sha256 {value.sha256}" + ("" if value.complete else " (not complete)")
    return str(value)
