"""`feltwire fleet`: the tables of all venues, as NATS JetStream holds them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeVar

import click
import msgspec

from audit.export import csv_heading, csv_lines, json_line
from audit.queries import ROUNDS, RecalledTable, Selection
from audit.verify import KnownHead as JournalHead
from audit.verify import verify
from command_line.exit_codes import NOT_COMPLETE, NOT_VERIFIED
from command_line.journal_output import (
    check_kinds,
    export_options,
    moment,
    new_file,
    print_recall,
    show_recall,
    show_report,
)
from command_line.options import public_keys
from command_line.plain_output import show
from command_line.reading_journals import exit_on_journal_error
from feed.events import Event
from fleet.archive import (
    ArchivedTable,
    ArchiveError,
    archive_source,
    archive_table,
    read_archive,
)
from fleet.cli.games_here import GamesHere
from fleet.cli.nats_options import NatsLogin, exit_on_nats_error, nats_address, nats_options
from fleet.cli.publish import publish_command
from fleet.cli.statistics import statistics_group
from fleet.connection import NatsAddress, NatsRefusedError, connect
from fleet.history import VERDICTS, event_of, recall_rounds, records
from fleet.journals import journal_hashes
from fleet.streams import JetStream
from fleet.subjects import (
    HUB_STREAM,
    LIVE_STREAM,
    TableName,
    VenueError,
    parse_subject,
    parse_venue,
    stream_of,
    venue_of_stream,
)
from fleet.verify import (
    FleetReport,
    JournalOfTable,
    VouchedHead,
    held_streams,
    held_venues,
    live_tables,
    verify_stream,
)
from hal.wording import counted

_T = TypeVar("_T")


def _sources(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """Parses `VENUE` or `VENUE@DOMAIN`."""
    found = []
    for value in values:
        venue, at, domain = value.partition("@")
        try:
            parse_venue(venue)
        except VenueError as error:
            raise click.BadParameter(str(error)) from error
        if at and (not domain or not domain.replace("-", "").isalnum()):
            raise click.BadParameter(f"{value!r}: write the domain of the venue's leaf node after @, such as pit-3")
        found.append((venue, domain))
    return found


@click.command("init")
@click.argument("server", metavar="NATS")
@click.option("--venue", "venues", multiple=True, metavar="NAME", callback=_sources, help="Make its stream here.")
@click.option(
    "--hub",
    "sources",
    multiple=True,
    metavar="NAME[@DOMAIN]",
    callback=_sources,
    help="Make this server the hub of these venues; @DOMAIN is that of a leaf node.",
)
@click.option("--replicas", type=click.IntRange(1, 5), default=1, show_default=True, help="Copies in a cluster.")
@nats_options
def init_command(
    server: str,
    venues: list[tuple[str, str]],
    sources: list[tuple[str, str]],
    replicas: int,
    login: NatsLogin,
) -> None:
    """Make the streams of a venue or a hub. One that is there stays as it is; a hub gets the sources that it lacks.

    The streams discard nothing. How much the server may hold is in its configuration (max_file_store); when it is
    full it refuses what comes, the relay waits, and the journals hold the events.

    \b
    Examples:
        feltwire fleet init nats://127.0.0.1:4222 --venue atlantic-hall
        feltwire fleet init tls://hub.example:4222 --hub atlantic-hall@pit-3 --replicas 3 --nats-user admin

    Exit codes: 0; 1 if no server answers; 2 for an address that cannot be used, or where the server refuses.
    """
    if not venues and not sources:
        raise click.UsageError("give --venue for the stream of a venue, --hub for that of a hub, or both")
    if any(domain for _, domain in venues):
        raise click.UsageError("--venue makes the stream on the server that is named; @DOMAIN is for --hub")
    address = nats_address(server, login)

    async def make(jetstream: JetStream) -> list[tuple[str, bool]]:
        made = [(stream_of(venue), await jetstream.create_venue(venue, replicas)) for venue, _ in venues]
        made.append((LIVE_STREAM, await jetstream.create_live(replicas)))
        if sources:
            made.append((HUB_STREAM, await jetstream.create_hub(sources, replicas)))
        return made

    for stream, new in _asked(address, make):
        show(f"{stream}: {'made' if new else 'was there'}")


# feltwire fleet status

_SERVER = click.argument("server", metavar="NATS[/VENUE]")


class TableStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One table of one venue."""

    table: str
    state: str
    """As its last heartbeat has it: `open`, `shut`, `closed`, `inspecting` or `halted`."""
    relayed: str
    """`live`, `catching_up`, `stale`, `halted`, `rewritten`, `refused`; empty where no relay reports it."""
    journal: int
    """The last event that the journal announced."""
    held: int
    """The last event that the streams hold."""
    verdict: str
    """The last one, in words; empty where there is none."""
    heartbeat: str
    """The time of the last heartbeat, by the clock of the table's computer."""
    relay: str
    """Who reports it, and when."""


async def _status(jetstream: JetStream, venue: str, line_of: Callable[[Event], str]) -> list[TableStatus]:
    live = await live_tables(jetstream, venue)
    held: dict[TableName, int] = {}
    verdicts: dict[TableName, str] = {}
    for stream in await held_streams(jetstream, venue):
        for table in await _tables(jetstream, stream, venue):
            last = await jetstream.last(stream, table.events)
            try:
                held[table] = 0 if last is None else event_of(last).seq or 0
                verdicts[table] = await _last_verdict(jetstream, stream, table, line_of)
            except NatsRefusedError as error:
                # One table's stream that is not as it should be hides no other.
                held[table], verdicts[table] = 0, str(error)
    found = []
    for table in sorted({*live, *held}):
        beat, time, relayed, relay = live.get(table, (None, "", None, ""))
        found.append(
            TableStatus(
                table=str(table),
                state="" if beat is None else beat.state,
                relayed="" if relayed is None else relayed.state,
                journal=max(held.get(table, 0), 0 if beat is None else beat.last),
                held=held.get(table, 0),
                verdict=verdicts.get(table, ""),
                heartbeat=time,
                relay=relay,
            )
        )
    return found


async def _tables(jetstream: JetStream, stream: str, venue: str) -> list[TableName]:
    """The tables of which a stream holds events."""
    info = await jetstream.info(stream, subjects=">")
    parsed = [parse_subject(subject) for subject in (() if info is None else info.subjects)]
    tables = {one.of_table for one in parsed if one is not None}
    return sorted(table for table in tables if table is not None and venue in ("", table.venue))


async def _last_verdict(jetstream: JetStream, stream: str, table: TableName, line_of: Callable[[Event], str]) -> str:
    kinds = [kind.kind for kind in VERDICTS]
    found = [await jetstream.last(stream, table.events.replace(">", kind)) for kind in kinds]
    last = max((one for one in found if one is not None), key=lambda one: one.seq, default=None)
    return "" if last is None else line_of(event_of(last)).strip()


@click.command("status")
@_SERVER
@click.option("--json", "as_json", is_flag=True, help="One table a line, for a program.")
@nats_options
@click.pass_obj
def status_command(
    games: GamesHere,
    server: str,
    as_json: bool,
    login: NatsLogin,
) -> None:
    """Show every table of every venue: its state, how far it is relayed, and its last verdict.

    \b
    Examples:
        feltwire fleet status nats://127.0.0.1:4222
        feltwire fleet status tls://hub.example:4222/atlantic-hall --nats-user auditor --password-file auditor.password

    Exit codes: 0; 1 if no server answers; 2 for an address that cannot be used, or where the server refuses.
    """
    address = nats_address(server, login)
    found = _asked(address, lambda jetstream: _status(jetstream, address.venue, games.line_of))
    for one in found:
        if as_json:
            click.echo(msgspec.json.encode(one))
            continue
        lag = one.journal - one.held
        behind = f", {lag} behind" if lag else ""
        relayed = one.relayed or "no relay reports it"
        color = None if one.relayed == "live" and not lag else "yellow"
        color = "red" if one.relayed in ("rewritten", "refused", "halted", "") else color
        line = f"{one.table:<32} {one.state or '?':<10} {relayed}{behind}, event {one.held}"
        show(line, fg=color)
        if one.verdict:
            show(f"{'':4}{one.verdict}")
    if not found and not as_json:
        show("no table is there yet; a relay publishes them: feltwire relay")


# feltwire fleet verify


def _heads(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> list[tuple[TableName, JournalHead]]:
    """Parses `VENUE/[sim/]TABLE:SEQ:HASH`."""
    found = []
    for value in values:
        place, colon, rest = value.partition(":")
        venue, slash, name = place.partition("/")
        table = name.removeprefix("sim/")
        try:
            head = JournalHead.parse(f"{table}{colon}{rest}")
        except ValueError as error:
            raise click.BadParameter(f"{error}; write the venue and a slash before it") from error
        if not slash:
            raise click.BadParameter(f"{value!r}: write the venue and a slash before the table")
        found.append((TableName(_venue(venue), name != table, table), head))
    return found


def _journals(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, Path]]:
    """Parses `VENUE=FILE`."""
    found = []
    for value in values:
        venue, equals, path = value.partition("=")
        if not equals or not path:
            raise click.BadParameter(f"{value!r}: write VENUE=FILE, as atlantic-hall=journal.sqlite")
        found.append((_venue(venue), Path(path)))
    return found


def _venue(text: str) -> str:
    try:
        return parse_venue(text)
    except VenueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("verify")
@_SERVER
@click.option("--head", "heads", metavar="VENUE/TABLE:SEQ:HASH", multiple=True, callback=_heads, help="You kept it.")
@click.option("--journal", "journals", metavar="VENUE=FILE", multiple=True, callback=_journals, help="Compare with it.")
@click.option("--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Of the tables' seals.")
@click.option("--archive", "root", type=click.Path(path_type=Path), metavar="FOLDER", help="Verify it too.")
@click.option("--json", "as_json", is_flag=True, help="One report a line, for a program.")
@nats_options
def verify_command(
    server: str,
    heads: list[tuple[TableName, JournalHead]],
    journals: list[tuple[str, Path]],
    keys: tuple[bytes, ...],
    root: Path | None,
    as_json: bool,
    login: NatsLogin,
) -> None:
    """Verify what the streams hold, and name the first difference of each table.

    Every event is read, and its chain computed again from the bodies: it must be complete, in order, on the subject of
    its table, and there once. The head must be that of the table's last heartbeat, and those that the seals in the
    stream state; with --key only seals of these keys count, and each table must have one. A head that you kept (of a
    printer, a note, another subscriber) vouches more: give it with --head. A journal is verified as by feltwire journal
    verify, and each event must be the one that it holds.

    \b
    Examples:
        feltwire fleet verify nats://127.0.0.1:4222
        feltwire fleet verify tls://hub:4222/atlantic-hall --journal atlantic-hall=journal.sqlite --key signing.pub
        feltwire fleet verify nats://127.0.0.1:4222 --head atlantic-hall/roulette-1:1042:61ab...

    A table without a difference is complete only where a head vouches for its last event, and no heartbeat and no
    journal has a later one. While a table plays, its next heartbeat vouches for its last events: verify again. Of a
    stream that was trimmed give the archive: without it nothing vouches that what was removed is anywhere.

    Exit codes: 0 if every table is complete; 1 if no server answers; 2 for what cannot be used, also a head or a
    journal of a venue that is not there; 3 if a table or a journal does not verify; 5 if nothing differs, and of a
    table nothing vouches that it is complete.
    """
    address = nats_address(server, login)
    known: dict[TableName, list[VouchedHead]] = {}
    for table, head in heads:
        known.setdefault(table, []).append(VouchedHead(head.seq, head.hash, "the head that was given"))
    _verify_journals(journals, keys)
    archived = _archive(root, keys)
    if root is not None and not as_json:
        _show_archive(root, archived or {})
    with exit_on_journal_error(), _tables_of(journals) as tables:
        given = GivenProofs(known, tables, frozenset(venue for venue, _ in journals), archived, keys)
        reports = _asked(address, lambda jetstream: _verify_streams(jetstream, address, given))
    for report in reports:
        if as_json:
            click.echo(msgspec.json.encode(report))
        else:
            _show_report(report)
    if any(report.findings for report in reports):
        sys.exit(NOT_VERIFIED)
    if any(report.unproven for report in reports):
        sys.exit(NOT_COMPLETE)


class GivenProofs(NamedTuple):
    """What was given to vouch for the tables of streams."""

    heads: Mapping[TableName, Sequence[VouchedHead]]
    """Heads that somebody kept."""
    journals: Mapping[TableName, JournalOfTable]
    """Tables of journals that were verified, and are open."""
    venues: frozenset[str]
    """The venues of those journals, also of one without a table."""
    archived: Mapping[TableName, ArchivedTable] | None
    """The archive, verified."""
    keys: tuple[bytes, ...]
    """Of the tables' seals."""


@contextmanager
def _tables_of(journals: Sequence[tuple[str, Path]]) -> Iterator[dict[TableName, JournalOfTable]]:
    """The tables of journals, each with its venue; the journals are open as long as the block lasts."""
    with ExitStack() as opened:
        found: dict[TableName, JournalOfTable] = {}
        for venue, path in journals:
            hashes = opened.enter_context(journal_hashes(path))
            for table, (simulated, last) in hashes.tables().items():
                name = TableName(venue, simulated, table)
                found[name] = JournalOfTable(hashes.name, last, partial(hashes.hash_of, table))
        yield found


async def _verify_streams(jetstream: JetStream, address: NatsAddress, given: GivenProofs) -> list[FleetReport]:
    """A report on each stream of the address.

    Raises:
        NatsRefusedError: there is none, or something vouches for a venue that is not there.
    """
    streams = await held_streams(jetstream, address.venue)
    if not streams:
        raise NatsRefusedError(f"{address} holds no events: no stream is there; see feltwire fleet init")
    there = await held_venues(jetstream, streams, address.venue)
    _refuse_unused({table.venue for table in given.heads}, there, address, "--head")
    _refuse_unused(given.venues, there, address, "--journal")
    archived = None if given.archived is None else {table: one.heads for table, one in given.archived.items()}
    reports = []
    for stream in streams:
        venues = {address.venue, venue_of_stream(stream) or ""} - {""}
        heads = {table: one for table, one in given.heads.items() if not venues or table.venue in venues}
        journals = {table: one for table, one in given.journals.items() if not venues or table.venue in venues}
        verified = verify_stream(
            jetstream, stream, heads, journals, venue=address.venue, keys=given.keys, archived=archived
        )
        reports.append(await verified)
    return reports


def _archive(root: Path | None, keys: tuple[bytes, ...]) -> dict[TableName, ArchivedTable] | None:
    """The archive, verified; ends the command where it does not verify."""
    if root is None:
        return None
    try:
        return read_archive(root, keys)
    except ArchiveError as error:
        _not_verified(error)


def _not_verified(error: ArchiveError) -> NoReturn:
    show(f"DOES NOT VERIFY: {error}", fg="red", err=True)
    sys.exit(NOT_VERIFIED)


def _show_archive(root: Path, archived: Mapping[TableName, ArchivedTable]) -> None:
    events = counted(sum(one.last for one in archived.values()), "event")
    show(f"{root}: {events} of {counted(len(archived), 'table')}")
    for table, one in archived.items():
        show(f"  {table!s:<32} events 1 to {one.last}, head {one.heads[one.last].hex()[:16]}…")


# feltwire fleet archive


@click.command("archive")
@_SERVER
@click.option("--to", "root", required=True, type=click.Path(path_type=Path), metavar="FOLDER", help="Made if needed.")
@click.option(
    "--before", required=True, callback=moment, metavar="TIME", help="Events older than this, such as 2026-07."
)
@click.option("--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Of the tables' seals.")
@click.option("--trim", is_flag=True, help="Remove from the stream what the folder then has.")
@nats_options
def archive_command(
    server: str,
    root: Path,
    before: datetime,
    keys: tuple[bytes, ...],
    trim: bool,
    login: NatsLogin,
) -> None:
    """Archive sealed history in a folder, and with --trim remove it from the stream.

    Of each table a file has the events after those of the file before, up to the last sealed one that is older than
    --before, and its column has the seal that vouches for them. Each table is verified before anything of it is
    written, and the whole folder is read and verified again before anything is removed. What no seal vouches for stays
    in the stream, and so does the last event of a table. A table that does not verify is left as it is.

    --trim needs the keys that you keep: without --key, whoever can write to the stream could seal it with a key of
    their own, and a note names the keys that were taken at their word.

    \b
    Examples:
        feltwire fleet archive nats://127.0.0.1:4222 --to /srv/feltwire --before 2026-07-01 --key signing.pub
        feltwire fleet archive nats://127.0.0.1:4222 --to /srv/feltwire --before 2026-07-01 --key signing.pub --trim
        feltwire fleet verify nats://127.0.0.1:4222 --archive /srv/feltwire --key signing.pub

    Exit codes: 0; 1 if no server answers; 2 for what cannot be used; 3 if a table, or the folder, does not verify.
    """
    if trim and not keys:
        raise click.UsageError(
            "--trim removes from the stream what seals vouch for: give the public key that you keep with --key"
        )
    address = nats_address(server, login)

    async def move(jetstream: JetStream) -> bool:
        ok = True
        if trim:
            await jetstream.create_archived()
        for stream in await held_streams(jetstream, address.venue):
            source = await archive_source(jetstream, stream, keys, address.venue)
            for note in source.seals.notes:
                show(f"note: {note}", fg="yellow", err=True)
            for table in await _tables(jetstream, stream, address.venue):
                try:
                    done = await archive_table(source, table, root, before, trim=trim)
                except ArchiveError as error:
                    # One table that does not verify keeps no other from its archive.
                    show(error, fg="red", err=True)
                    ok = False
                    continue
                wrote = f"events {done.first} to {done.last}" if done.last >= done.first else "nothing new"
                show(f"{table!s:<32} {wrote}" + (f"; {done.removed} removed from {stream}" if trim else ""))
        return ok

    if not _asked(address, move):
        sys.exit(NOT_VERIFIED)


def _refuse_unused(given: Set[str], there: Set[str], address: NatsAddress, option: str) -> None:
    """What is given of a venue that is not read would vouch for nothing.

    Raises:
        NatsRefusedError: some is.
    """
    unused = sorted(given - there)
    if unused:
        held = f"it has {', '.join(sorted(there))}" if there else "it has none"
        raise NatsRefusedError(f"{option} of the venue {', '.join(unused)}: {address} has no such venue; {held}")


def _verify_journals(journals: list[tuple[str, Path]], keys: tuple[bytes, ...]) -> None:
    """Ends the command where a journal does not verify: then it vouches for nothing."""
    for _, path in journals:
        with exit_on_journal_error():
            report = verify(path, keys=keys)
        if not report.ok:
            show_report(report)
            sys.exit(NOT_VERIFIED)


def _show_report(report: FleetReport) -> None:
    events = sum(one.events for one in report.tables)
    show(f"{report.stream}: {counted(events, 'event')} of {counted(len(report.tables), 'table')}")
    for one in report.tables:
        behind = f", {one.behind} behind its journal" if one.behind else ""
        sealed = f"; sealed up to event {one.sealed}" if one.sealed else ""
        vouched = f"; up to event {one.vouched} by {one.by}" if one.vouched else "; no head vouches for it"
        there = f"events {one.first} to {one.last}" if one.first <= one.last else "no events"
        show(f"  {one.table:<32} {there}{behind}, head {one.head[:16]}…{vouched}{sealed}")
    for note in report.notes:
        show(f"  note: {note}", fg="yellow")
    if not report.tables:
        show("there is nothing to verify yet")
        return
    for one in report.unproven:
        show(f"  {one.table}: {one.unproven}", fg="yellow")
    if not report.findings and report.unproven:
        show("consistent, and NOT KNOWN TO BE COMPLETE", fg="yellow", bold=True, nl=False)
        show(f": {_of_tables(report.unproven)}")
        return
    if not report.findings:
        show("verified: complete, in order, and as it was published", fg="green")
        return
    show("DOES NOT VERIFY", fg="red", bold=True, nl=False)
    show(f": {_of_tables(report.findings)}")
    for finding in report.findings:
        show(f"  first: {finding}", fg="red")


def _of_tables(found: Sequence[object]) -> str:
    return counted(len(found), "table")


# feltwire fleet recall and export


@click.command("recall")
@_SERVER
@click.option("--table", "chosen", metavar="TABLE", multiple=True, help="Only this table; repeat for more.")
@click.option("--rounds", type=click.IntRange(1, 10_000), default=ROUNDS, show_default=True, help="Of each table.")
@click.option("--json", "as_json", is_flag=True, help='One a line: {"recall": true, "table", "round", "events"}.')
@nats_options
@click.pass_obj
def recall_command(
    games: GamesHere,
    server: str,
    chosen: tuple[str, ...],
    rounds: int,
    as_json: bool,
    login: NatsLogin,
) -> None:
    """Recall the last rounds of tables with their evidence, as feltwire journal recall does from a journal.

    \b
    Examples:
        feltwire fleet recall nats://127.0.0.1:4222 --rounds 3
        feltwire fleet recall nats://127.0.0.1:4222/atlantic-hall --table roulette-1

    Exit codes: 0; 1 if no server answers; 2 for what cannot be used, or a table that no stream holds.
    """
    address = nats_address(server, login)

    async def read(jetstream: JetStream) -> list[RecalledTable]:
        found = []
        for stream in await held_streams(jetstream, address.venue):
            for table in await _tables(jetstream, stream, address.venue):
                if not chosen or table.table in chosen:
                    found.append(await recall_rounds(jetstream, stream, table, rounds))
        missing = set(chosen) - {one.table.rpartition("/")[2] for one in found}
        if missing or not found:
            raise NatsRefusedError(f"{address} holds no event of {', '.join(sorted(missing)) or 'any table'}")
        return found

    for one in _asked(address, read):
        if as_json:
            print_recall(one)
        else:
            show_recall(one, rounds, games.dated_line_of, games.rule_words)


@click.command("export")
@_SERVER
@export_options
@nats_options
def export_command(
    server: str,
    kind: str,
    chosen: tuple[str, ...],
    kinds: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    output: Path | None,
    login: NatsLogin,
) -> None:
    """Export events of all venues: as JSON lines, byte for byte as they were published, or as CSV.

    The CSV has the columns of feltwire journal export, and the venue in front of them.

    \b
    Examples:
        feltwire fleet export nats://127.0.0.1:4222 > events.jsonl
        feltwire fleet export nats://127.0.0.1:4222/atlantic-hall --format csv --kind round.outcome -o results.csv

    Exit codes: 0; 1 if no server answers; 2 for what cannot be used.
    """
    address = nats_address(server, login)
    check_kinds(kinds)
    line = csv_lines({}) if kind == "csv" else json_line
    selection = Selection(chosen, kinds, since, until)

    async def write(jetstream: JetStream) -> None:
        streams = await held_streams(jetstream, address.venue)
        with new_file(output) as out:
            if kind == "csv":
                out.write(b"venue," + csv_heading())
            for stream in streams:
                async for table, record in records(jetstream, stream, selection, address.venue):
                    out.write((f"{table.venue},".encode() if kind == "csv" else b"") + line(record))

    with exit_on_journal_error():
        _asked(address, write)


def _asked(address: NatsAddress, ask: Callable[[JetStream], Awaitable[_T]]) -> _T:
    """What NATS answers; ends the command where it does not."""

    async def run() -> _T:
        client = await connect(address, name="feltwire-fleet")
        try:
            return await ask(JetStream(client))
        finally:
            await client.close()

    with exit_on_nats_error():
        return asyncio.run(run())


def fleet_command(games: GamesHere) -> click.Group:
    """The command `feltwire fleet`, which shows and counts these games."""

    @click.group("fleet", context_settings={"obj": games})
    def fleet() -> None:
        """Tables of many computers, as NATS JetStream holds them.

        The relays of venues publish there (feltwire relay). docs/fleet.md has whole set-ups: one server, leaf nodes
        with a hub, and a hub of three.

        \b
        Start with:
            feltwire fleet init NATS --venue NAME     make the stream of a venue
            feltwire fleet status NATS                every table, its state and how far it is relayed
            feltwire fleet verify NATS                check that nothing was changed, removed or inserted
            feltwire fleet recall NATS                the last rounds of each table, with their evidence
            feltwire fleet export NATS > events.jsonl
            feltwire fleet archive NATS --to FOLDER   sealed history into a folder, and out of the stream
            feltwire fleet publish NATS --state DIR   have witnesses sign that the stream only grows
            feltwire fleet statistics                 games an hour, refusals, faults, bias, and a report to print

        Exit codes: 0 for success, 1 where no server answers, 2 for what cannot be used, 3 for what does
        not verify, 5 for what nothing vouches for.
        """

    for one in (
        init_command,
        status_command,
        verify_command,
        recall_command,
        export_command,
        archive_command,
        publish_command,
    ):
        fleet.add_command(one)
    fleet.add_command(statistics_group)
    return fleet
