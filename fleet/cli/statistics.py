"""`feltwire fleet statistics`: events of a fleet into Parquet, what is counted over them, and the printed report."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import tzinfo
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
import msgspec

from audit.queries import parse_moment
from command_line.exit_codes import BAD_CONFIGURATION, NOT_VERIFIED
from command_line.options import zone_option
from command_line.plain_output import show
from command_line.reading_journals import exit_on_journal_error, progress_bar
from command_line.report_file import ReportFile
from fleet.cli.games_here import GamesHere
from fleet.cli.nats_options import NatsLogin, exit_on_nats_error, nats_address, nats_options
from fleet.connection import connect
from fleet.streams import JetStream
from fleet.subjects import VenueError, parse_venue
from hal.clock import NS_PER_S, SystemClock
from hal.install_words import how_to_install
from hal.plain_text import plain
from hal.version import SOFTWARE
from hal.wording import counted

if TYPE_CHECKING:
    from fleet.connection import NatsAddress
    from fleet.statistics.dataset import Choice, Collector
    from fleet.statistics.summary import Summary

_SQLITE: Final = b"SQLite format 3\0"
_FOLDER: Final = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))


class EventSource(NamedTuple):
    """Where events come from: a server, or a file of one venue."""

    server: str
    venue: str
    path: Path | None


def _sources(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[EventSource]:
    """Parses `NATS[/VENUE]` and `VENUE=FILE`."""
    found = []
    for value in values:
        if "://" in value:
            found.append(EventSource(value, "", None))
            continue
        venue, equals, path = value.partition("=")
        if not equals or not path:
            fix = "write nats://HOST:PORT for a server, or VENUE=FILE for a journal or an export"
            raise click.BadParameter(f"{value!r}: {fix}")
        try:
            found.append(EventSource("", parse_venue(venue), Path(path)))
        except VenueError as error:
            raise click.BadParameter(str(error)) from error
    return found


def _need_duckdb() -> None:
    """Ends the command where DuckDB is not installed: a table's computer has no use for it."""
    if find_spec("duckdb") is None:
        raise click.UsageError(f"this needs DuckDB: {how_to_install('statistics')}")


@contextmanager
def _exit_on_error() -> Iterator[None]:
    """Prints what cannot be used in red and exits: 2, or 3 for a history that is another one."""
    from fleet.statistics.dataset import DatasetError, HistoryChangedError
    from fleet.statistics.sources import SourceError

    try:
        yield
    except (DatasetError, SourceError, HistoryChangedError) as error:
        show(error, fg="red", err=True)
        sys.exit(NOT_VERIFIED if isinstance(error, HistoryChangedError) else BAD_CONFIGURATION)


@click.command("collect")
@_FOLDER
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, callback=_sources)
@nats_options
def collect_command(
    folder: Path,
    sources: list[EventSource],
    login: NatsLogin,
) -> None:
    """Collect events into a folder of Parquet files; a second time it adds what is new.

    A SOURCE is the address of a NATS server, of all its venues or with a path of one; or VENUE=FILE, a journal, or JSON
    lines that fleet export or journal export wrote. Several sources may have the same events: each is taken once, by
    its table and number. What is missing in one is filled from another.

    Interrupted, it keeps what it has, and continues from there. The columns are explained in docs/fleet.md; every
    program that reads Parquet can read them.

    \b
    Examples:
        feltwire fleet statistics collect weekend nats://127.0.0.1:4222
        feltwire fleet statistics collect weekend atlantic-hall=journal.sqlite
        feltwire fleet statistics collect weekend atlantic-hall=export.jsonl bally-room=other.jsonl

    Exit codes: 0; 1 if no server answers; 2 for what cannot be used; 3 if the events of a table are not those that were
    collected before.
    """
    _need_duckdb()
    addresses = {source.server: nats_address(source.server, login) for source in sources if source.server}
    from fleet.statistics.dataset import collecting

    with _exit_on_error(), exit_on_journal_error(), exit_on_nats_error(), collecting(folder) as collector:
        before = {one.name: sum(last - first + 1 for first, last in one.held) for one in collector.contents.tables}
        for source in sources:
            _collect(source, collector, addresses.get(source.server))
        collector.flush()
        _show_collected(collector, before)


def _collect(source: EventSource, collector: Collector, address: NatsAddress | None) -> None:
    from fleet.statistics.sources import collect_export, collect_journal, collect_streams

    refused = collector.refused
    with progress_bar(f"collecting {source.server or source.path}") as bar:
        progress = None if bar is None else bar.progress
        if address is not None:
            asyncio.run(_collect_server(collect_streams, collector, address, progress))
        elif source.path is not None and _is_journal(source.path):
            collect_journal(source.path, source.venue, collector, progress)
        elif source.path is not None:
            collect_export(source.path, source.venue, collector, progress)
    if collector.refused > refused:
        stated = f"{counted(collector.refused - refused, 'message')} left out: not an event of a table"
        where, why = next(reversed(collector.contents.unreadable.items()))
        show(f"{stated}; the last one: {where}: {why}", fg="yellow", err=True)


async def _collect_server(
    collect: Callable[..., Any], collector: Collector, address: NatsAddress, progress: Callable[[int, int], None] | None
) -> None:
    client = await connect(address, name="feltwire-statistics")
    try:
        await collect(JetStream(client), collector, venue=address.venue, progress=progress)
    finally:
        await client.close()


def _is_journal(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise click.UsageError(f"{path}: it cannot be read ({error.strerror})") from error


def _show_collected(collector: Collector, before: dict[Any, int]) -> None:
    from fleet.statistics.spans import missing

    for one in sorted(collector.contents.tables, key=lambda table: table.name):
        held = sum(last - first + 1 for first, last in one.held)
        last = one.held[-1][1] if one.held else 0
        lack = sum(end - start + 1 for start, end in missing(one.held))
        show(f"{one.name!s:<32} events up to {last}, {held - before.get(one.name, 0)} new", nl=False)
        show(f", {lack} missing" if lack else "", fg="yellow")
    show(f"{collector.added} new events, {collector.known} that were here")


# feltwire fleet statistics show and report


class ChosenHistory(NamedTuple):
    """Of what a summary is, as the options have it."""

    venues: tuple[str, ...]
    tables: tuple[str, ...]
    since: str | None
    until: str | None
    zone: tzinfo
    simulated: bool


_CHOICES: Final = (
    click.option("--venue", "venues", metavar="VENUE", multiple=True, help="Only of this venue; repeat for more."),
    click.option("--table", "tables", metavar="TABLE", multiple=True, help="Only of this table; repeat for more."),
    click.option("--since", metavar="TIME", help="Not before this day or time, in the zone."),
    click.option("--until", metavar="TIME", help="Before this day or time, in the zone."),
    zone_option("UTC"),
    click.option("--simulated", is_flag=True, help="Simulated tables in place of real ones; never both."),
)


def _choices(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options; the command gets them as `chosen`."""

    @wraps(command)
    def run(*given: Any, **options: Any) -> None:
        chosen = ChosenHistory(**{name: options.pop(name) for name in ChosenHistory._fields})
        command(*given, chosen=chosen, **options)

    made: Callable[..., None] = run
    for option in reversed(_CHOICES):
        made = option(made)
    return made


def _summary(folder: Path, chosen: ChosenHistory, games: GamesHere) -> Summary:
    """Computes the summary; ends the command where what is chosen is not there."""
    _need_duckdb()
    from fleet.statistics.dataset import Choice, Dataset
    from fleet.statistics.summary import summarize

    since_ns = _moment_ns(chosen.since, chosen.zone, "--since")
    until_ns = _moment_ns(chosen.until, chosen.zone, "--until")
    if since_ns is not None and until_ns is not None and since_ns >= until_ns:
        raise click.UsageError(f"--since {chosen.since} is not before --until {chosen.until}")
    choice = Choice(chosen.venues, chosen.tables, chosen.simulated, since_ns, until_ns)
    with _exit_on_error():
        dataset = Dataset(folder)
        _check_choice(dataset.contents.tables, choice)
        return summarize(dataset, choice, games.counted, chosen.zone)


def _moment_ns(text: str | None, zone: tzinfo, option: str) -> int | None:
    if text is None:
        return None
    try:
        return round(parse_moment(text, zone).timestamp()) * NS_PER_S
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(str(error), param_hint=option) from error


def _check_choice(held: Any, choice: Choice) -> None:
    """A misspelt name would give an empty report, as of tables that never played."""
    for option, wanted, there in (
        ("--venue", choice.venues, {one.venue for one in held}),
        ("--table", choice.tables, {one.table for one in held}),
    ):
        for name in wanted:
            if name not in there:
                known = plain(", ".join(sorted(there))) or "nothing"
                raise click.BadParameter(f"{name!r} is not here; there is {known}", param_hint=option)
    if not any(choice.has(one.name) for one in held):
        other = [one for one in held if choice._replace(simulated=not choice.simulated).has(one.name)]
        hint = ""
        if other:
            kind, fix = ("real", "leave out --simulated") if choice.simulated else ("simulated", "add --simulated")
            hint = f": those that are here are {kind}; {fix}"
        raise click.UsageError(f"no such table is here{hint}")


@click.command("show")
@_FOLDER
@_choices
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object, for a program.")
@click.pass_obj
def show_command(
    games: GamesHere,
    folder: Path,
    chosen: ChosenHistory,
    as_json: bool,
) -> None:
    """Show what was collected in numbers: games an hour, refusals, faults, bias, and what is missing.

    \b
    Examples:
        feltwire fleet statistics show weekend
        feltwire fleet statistics show weekend --venue atlantic-hall --since 2026-07-04 --zone America/New_York

    Exit codes: 0; 2 for what cannot be used.
    """
    summary = _summary(folder, chosen, games)
    if as_json:
        click.echo(msgspec.json.encode(summary))
        return
    from fleet.cli.numbers import show_summary

    show_summary(summary, chosen.zone, games.house_words)


@click.command("report")
@_FOLDER
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="FILE.html or .pdf."
)
@_choices
@click.option("--title", default="Report on the event", show_default=True, help="What is at the top.")
@click.pass_obj
def report_command(
    games: GamesHere,
    folder: Path,
    output: Path,
    chosen: ChosenHistory,
    title: str,
) -> None:
    """Write a report to print on A4: tables, refusals, faults, wear and bias, what to look at, and what is not known.

    The HTML is one file that loads nothing: open it in a browser and print it. For FILE.pdf Chromium prints it, where
    it is installed (apt install chromium).

    \b
    Examples:
        feltwire fleet statistics report weekend -o weekend.html --zone America/New_York
        feltwire fleet statistics report weekend -o hall.pdf --venue atlantic-hall --title "Atlantic Hall, July 4"

    Exit codes: 0; 1 if Chromium prints nothing; 2 for what cannot be used.
    """
    printed = ReportFile(output)
    summary = _summary(folder, chosen, games)
    from fleet.cli.report import FleetHeading, report_page

    heading = FleetHeading(title, SystemClock().wall_time_ns(), chosen.zone, SOFTWARE)
    page = report_page(summary, heading, games.house_words)
    printed.write(page)
    show(f"{output}: {counted(summary.table_count, 'table')}")


@click.group("statistics")
def statistics_group() -> None:
    """Statistics over the tables of all venues, and the report that is printed after an event.

    Events are collected into a folder of Parquet files; what is counted comes from there.

    \b
    Start with:
        feltwire fleet statistics collect FOLDER NATS          the events, or what is new of them
        feltwire fleet statistics show FOLDER                  games an hour, refusals, faults, bias
        feltwire fleet statistics report FOLDER -o event.html  the same to print, with charts

    Exit codes: 0 for success, 1 where no server answers, 2 for what cannot be used, 3 where a table's events are not
    those that were collected before.
    """


for _one in (collect_command, show_command, report_command):
    statistics_group.add_command(_one)
