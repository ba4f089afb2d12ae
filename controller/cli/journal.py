"""`feltwire journal`: verify, read, report, export, back up and archive a journal."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from nacl.signing import SigningKey

from audit.captures import check_captures
from audit.continuing import breaks_between
from audit.errors import JournalError
from audit.export import caused_by, csv_heading, csv_lines, json_line
from audit.queries import (
    ROUNDS,
    Selection,
    Span,
    find,
    judged_rounds,
    last_of,
    last_written,
    recall,
    select,
    span_of,
    tables,
)
from audit.records import COMMANDS, Record
from audit.signing import FILE_NAME as KEY_FILE
from audit.signing import SigningKeyError, load
from audit.verify import KnownHead, verify
from command_line.exit_codes import BAD_CONFIGURATION, NOT_READ, NOT_VERIFIED
from command_line.journal_output import (
    SINCE,
    UNTIL,
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
from command_line.reading_journals import exit_on_journal_error, progress_bar
from controller.captures.capture_store import SUFFIX
from controller.cli.journal_report import report_command
from controller.cli.journal_witnesses import (
    check_command,
    compare_command,
    prove_command,
    publish_command,
    witnesses_command,
)
from controller.journal.archive import archivable, archive
from controller.journal.backup import back_up
from controller.journal.files import retire
from controller.service.event_lines import colored_line_of, dated_words, rule_words
from controller.service.state_paths import CAPTURES
from feed.events import EventError, decode
from hal.clock import NS_PER_S, SystemClock
from hal.plain_text import plain
from hal.wording import counted

# feltwire journal verify


def _heads(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[KnownHead, ...]:
    try:
        return tuple(KnownHead.parse(value) for value in values)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("verify")
@click.argument("paths", metavar="[ARCHIVE...] JOURNAL", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Public key of the seals.")
@click.option("--head", "heads", metavar="TABLE:SEQ:HASH", multiple=True, callback=_heads, help="A head that you kept.")
@click.option(
    "--captures",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="The folder of captures; by default `captures` beside the journal, where there is one.",
)
@click.option("--json", "as_json", is_flag=True, help="One report a line, for a program.")
def verify_command(
    paths: tuple[Path, ...],
    keys: tuple[bytes, ...],
    heads: tuple[KnownHead, ...],
    folder: Path | None,
    as_json: bool,
) -> None:
    """Verify a journal, and report each record that was changed, removed or inserted.

    Everything is read: the pages of the file, every record's hash and columns, every seal, and the heads file beside
    it. Give archives oldest first and the journal last: each must continue the one before, in its chains and in where
    each table was. Captures are held against the SHA-256 with which the events name them.

    Seals are checked with the public key that you give; without one, with the key in the file, which whoever replaced
    the whole file could have replaced too. Every heartbeat of the feed carries a table's head: a head that you kept
    reveals a history that was cut or rewritten since. Heads apply to the last file that is given.

    \b
    Examples:
        feltwire journal verify journal.sqlite
        feltwire journal verify journal.sqlite --key signing.pub --head roulette-1:1042:61ab...
        feltwire journal verify 2025.sqlite 2026.sqlite journal.sqlite

    Exit codes: 0; 2 for a file that cannot be used; 3 if one does not verify; 141 if the output was closed first.
    """
    reports = []
    with exit_on_journal_error(closed=NOT_READ):
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
        show(f"these files do not continue each other: {one}", fg="red", err=True)
    if wrong and not as_json:
        fix = "give the archives oldest first and the journal last; where they are, one is missing"
        click.echo(click.style("DOES NOT VERIFY together", fg="red", bold=True) + f": {fix}")
    if folder is None and (paths[-1].parent / CAPTURES).is_dir():
        folder = paths[-1].parent / CAPTURES
    captures_are_good = folder is None or _captures_are_good(paths, folder, as_json=as_json)
    if wrong or not captures_are_good or not all(report.ok for report in reports):
        sys.exit(NOT_VERIFIED)


def _captures_are_good(paths: Sequence[Path], folder: Path, *, as_json: bool) -> bool:
    """Prints what became of the captures; whether all that are there are those that events name."""
    with exit_on_journal_error():
        try:
            report = check_captures(paths, folder, SUFFIX)
        except OSError as error:
            what = f"a capture cannot be read ({error.filename}: {error.strerror})"
            raise JournalError(folder, what, "fix the folder, or give another with --captures") from error
    if as_json:
        click.echo(msgspec.json.encode(report))
        return not report.wrong
    show(f"{folder}: {counted(report.good, 'capture')} as the events name them")
    if report.gone:
        why = "the oldest are deleted when the folder is full, and whoever can write there can delete any"
        click.echo(f"  note: {counted(report.gone, 'capture')} that events name {_are(report.gone)} not there: {why}")
    if report.strange:
        where = "its event may be in an archive that was not given"
        click.echo(
            f"  note: {counted(report.strange, 'capture')} {_are(report.strange)} named by no event here: {where}"
        )
    for one in report.wrong:
        show(f"  CHANGED: {one}", fg="red")
    return not report.wrong


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


# feltwire journal show, recall and export

_JOURNAL = click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
_JSON = click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
_LAST = 20
_PROGRESS_EVERY = 1000


def _parse_span(_ctx: click.Context, param: click.Parameter, value: str | None) -> Span | None:
    """Parses `17`, `17-40`, `17-` or `-40`."""
    if value is None:
        return None
    first, dash, last = value.partition("-")
    ends = [int(one) if one.isascii() and one.isdigit() and len(one) < 19 else None for one in (first, last)]
    wrong = [one for one, end in zip((first, last), ends, strict=True) if one and end is None]
    if wrong or not (first or last):
        what = "a round" if param.name == "numbers" else "an event"
        raise click.BadParameter(f"{value!r} is not a number of {what}; expected 17, 17-40, 17- or -40")
    span = Span(ends[0], ends[1] if dash else ends[0])
    if span.first is not None and span.last is not None and span.first > span.last:
        raise click.BadParameter(f"{value!r} ends before it begins; expected {span.last}-{span.first}")
    return span


_ROUND = click.option("--round", "numbers", metavar="N|N-M", callback=_parse_span, help="Of this round, or of these.")


@click.command("show")
@_JOURNAL
@click.argument("table", required=False)
@click.argument("span", required=False, callback=_parse_span)
@_ROUND
@SINCE
@UNTIL
@_JSON
def show_command(
    path: Path,
    table: str | None,
    span: Span | None,
    numbers: Span | None,
    since: datetime | None,
    until: datetime | None,
    as_json: bool,
) -> None:
    """Show events of a table, one a line; a single event in full.

    SPAN is the number of an event (its seq), or a span: 17-40, 17-, -40. Without it, the last 20 are shown. TABLE can
    be the id of an event instead, as in wheel-1.9f3c04d1a2b36e57.17; without it, the last 20 of all tables are shown
    in the order in which they were written. The commands of dealers and supervisors are in @commands.

    With --round, --since or --until all events of that round or time are shown, of TABLE or of every table.

    \b
    Examples:
        feltwire journal show journal.sqlite
        feltwire journal show journal.sqlite roulette-1
        feltwire journal show journal.sqlite roulette-1 17-40
        feltwire journal show journal.sqlite roulette-1 --round 44
        feltwire journal show journal.sqlite --since 2026-07-04T21:30 --until 2026-07-04T21:35
        feltwire journal show journal.sqlite roulette-1.9f3c04d1a2b36e57.17 --json
        feltwire journal show journal.sqlite @commands

    Exit codes: 0; 2 for a file that cannot be used, or where there is no such event.
    """
    selection = Selection(tables=() if table is None else (table,), since=since, until=until, rounds=numbers)
    if span is not None and _narrows(selection):
        raise click.UsageError("give numbers of events, or --round, --since and --until; not both")
    records: Iterator[Record]
    with exit_on_journal_error():
        if _narrows(selection):
            _known(path, selection.tables)
            records = (one.record for one in select(path, selection))
            whole = False
        elif table is None:
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
            none = "it has no event yet" if not _narrows(selection) else "it has no such event"
            what = none if table is None else f"{table} has no such event here"
            raise JournalError(path, what, "an older one may be in an archive")


@click.command("recall")
@_JOURNAL
@click.argument("table", required=False)
@click.option(
    "--rounds",
    type=click.IntRange(1, 10_000),
    help=f"The last N of each table.  [default: {ROUNDS}; all that are chosen by the options below]",
)
@_ROUND
@SINCE
@UNTIL
@click.option("--json", "as_json", is_flag=True, help='One a line: {"recall": true, "table", "round", "events"}.')
def recall_command(
    path: Path,
    table: str | None,
    rounds: int | None,
    numbers: Span | None,
    since: datetime | None,
    until: datetime | None,
    as_json: bool,
) -> None:
    """Recall the last rounds of a table with their evidence, the newest last; without TABLE, of every table.

    With --round, --since or --until, recall those rounds: the time is that of the verdict.

    The output is marked RECALL, so that nobody takes it for a live result. A correction is shown below the verdict that
    it corrects. The service may be running.

    \b
    Examples:
        feltwire journal recall journal.sqlite roulette-1
        feltwire journal recall journal.sqlite roulette-1 --rounds 3 --json
        feltwire journal recall journal.sqlite roulette-1 --round 44
        feltwire journal recall journal.sqlite --since 2026-07-04T21:30 --until 2026-07-04T21:35

    Exit codes: 0; 2 for a file that cannot be used, or a table that it does not have.
    """
    selection = Selection(since=since, until=until, rounds=numbers)
    last = rounds if rounds is not None or _narrows(selection) else ROUNDS
    with exit_on_journal_error():
        chosen = [table] if table is not None else [one for one in tables(path) if one != COMMANDS]
        if not chosen:
            raise JournalError(path, "it has no table yet", "there is nothing to recall before the first round")
        found = [recall(path, one, last, selection) for one in chosen]
        if _narrows(selection) and not any(one.rounds for one in found):
            where = " here" if table is None else f" of {table}"
            spans = {one: judged_rounds(path, one) for one in chosen}
            there = ", ".join(f"{one} {span[0]} to {span[1]}" for one, span in spans.items() if span) or "none"
            fix = f"the rounds that have one are {there}; an older one may be in an archive; times are UTC"
            raise JournalError(path, f"no such round{where} has a verdict in it", fix)
        for recalled in found:
            if as_json:
                print_recall(recalled)
            elif recalled.rounds or not _narrows(selection):
                show_recall(recalled, 0 if last is None else last, partial(colored_line_of, dated=True), rule_words)


def _narrows(selection: Selection) -> bool:
    """Whether rounds or a time are chosen."""
    return selection.rounds is not None or selection.since is not None or selection.until is not None


@click.command("export")
@_JOURNAL
@export_options
def export_command(
    path: Path,
    kind: str,
    chosen: tuple[str, ...],
    kinds: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    output: Path | None,
) -> None:
    """Export events: as JSON lines, the bodies of the feed byte for byte, or as CSV for a spreadsheet.

    Events come in the order in which they were written, up to the last one at the start of the export. The commands of
    dealers and supervisors are not events of the feed; --table @commands exports them. The columns of the CSV are
    explained in docs/journal.md.

    \b
    Examples:
        feltwire journal export journal.sqlite > events.jsonl
        feltwire journal export journal.sqlite --format csv --kind round.outcome -o results.csv
        feltwire journal export journal.sqlite --since 2026-07-04 --until 2026-07-05 --table roulette-1

    Exit codes: 0; 2 for a file or an option that cannot be used.
    """
    with exit_on_journal_error():
        _known(path, chosen)
        check_kinds(kinds)
        selection = Selection(tables=chosen, kinds=kinds, since=since, until=until)
        line = csv_lines(_causes(path)) if kind == "csv" else json_line
        with new_file(output) as out, progress_bar("exporting") as bar:
            if kind == "csv":
                out.write(csv_heading())
            for number, one in enumerate(select(path, selection)):
                out.write(line(one.record))
                if bar is not None and number % _PROGRESS_EVERY == 0:
                    bar.progress(one.done, one.total)


def _known(path: Path, chosen: Collection[str]) -> None:
    there = tables(path)
    for table in chosen:
        if table == COMMANDS and table not in there:
            raise JournalError(path, "nobody has sent a command that changes anything yet", "there is nothing to show")
        if table not in there:
            raise JournalError(path, f"it has no table {table}", f"give one that it has: {', '.join(there) or 'none'}")


def _causes(path: Path) -> dict[str, str]:
    """The commands of a journal, by the events that they caused."""
    if COMMANDS not in tables(path):
        return {}
    chosen = select(path, Selection(tables=(COMMANDS,)))
    return dict(pair for one in chosen for pair in caused_by(one.record))


def show_record(record: Record) -> None:
    """Prints a record as one line."""
    if record.chain == COMMANDS:
        click.echo(_command_line(record))
        return
    try:
        event = decode(record.body)
    except EventError as error:
        show(f"{dated_words(record.time)}  {record.chain} {record.seq}: {error}", fg="red")
        return
    click.echo(colored_line_of(event, dated=True))


def show_record_whole(record: Record) -> None:
    """Prints a record as one line, and below it all that the journal holds of it."""
    show_record(record)
    for name, value in (("id", record.id), ("written as", f"row {record.n}"), ("hash", record.hash.hex())):
        show(f"    {name:<12}{value}")
    try:
        text = msgspec.json.format(record.body, indent=2).decode()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        text = repr(record.body)
    for line in text.split("\n"):
        show(f"    {line}")


def _command_line(record: Record) -> str:
    try:
        fields = msgspec.json.decode(record.body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return click.style(plain(f"{dated_words(record.time)}  {COMMANDS} {record.seq}: {error}"), fg="red")
    given = "".join(f" {key}={value}" for key, value in dict(fields.get("given") or {}).items())
    refused = "" if fields.get("accepted", True) else f": REFUSED: {fields.get('reason', '')}"
    line = f"{fields.get('sender', '?')} ({fields.get('role', '?')}): {fields.get('command', '?')}{given}{refused}"
    return click.style(plain(f"{dated_words(record.time)}  {fields.get('table', '')!s:<16}  {line}"), fg="cyan")


# feltwire journal archive and retire: the only commands that change files

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@click.command("archive")
@click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.argument("out", metavar="ARCHIVE", type=click.Path(path_type=Path))
@click.option("--before", callback=moment, metavar="TIME", help="Archive what was sealed before this time (UTC).")
@click.option("--keep-days", type=click.IntRange(min=0), metavar="N", help="... or sealed more than N days ago.")
@click.option(
    "--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Public key of the seals; repeat."
)
@click.option(
    "--signing-key",
    "key_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The key that seals the journal; by default signing.key beside it.",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be moved; the service may run.")
def archive_command(
    path: Path,
    out: Path,
    before: datetime | None,
    keep_days: int | None,
    keys: tuple[bytes, ...],
    key_file: Path | None,
    dry_run: bool,
) -> None:
    """Move sealed history out of a journal into a file that verifies by itself.

    Records are moved up to the last seal that is old enough. The archive is written, made durable, verified and
    compared byte by byte before anything is deleted from the journal, which keeps the heads with which it now begins
    and the state of each table; a seal in both files states what was done, signed with the key of the service. After an
    interruption nothing is lost: run the same command again. Stop the service
    first: so large a deletion would block its writes, and play would stop.

    The journal's file keeps its size; the free pages are used again. Where journal publish serves the page for players,
    name the archive there too: until then it finds no result that was moved.

    \b
    Examples:
        feltwire journal archive journal.sqlite 2026.sqlite --before 2027-01-01
        feltwire journal archive journal.sqlite /mnt/stick/old.sqlite --keep-days 90
        feltwire journal verify 2026.sqlite journal.sqlite

    Exit codes: 0; 2 for a file that cannot be used, a journal that does not verify, or while the service runs.
    """
    if (before is None) == (keep_days is None):
        raise click.UsageError("give either --before TIME or --keep-days N")
    clock = SystemClock()
    if before is None:
        before = _EPOCH + timedelta(seconds=clock.wall_time_ns() // NS_PER_S) - timedelta(days=keep_days or 0)
    nothing = f"nothing to archive: {path} holds nothing that was sealed before {before:%Y-%m-%d %H:%M:%S} UTC"
    if dry_run:
        with exit_on_journal_error():
            would = archivable(path, before)
        show(nothing if would is None else f"{counted(would[0], 'record')} up to the seal of {would[1]} would be moved")
        return
    with exit_on_journal_error():
        key = _sealing_key(path, key_file)
        done = archive(path, out, before, key=key, clock=clock, keys=keys, progress=partial(show, err=True))
    if done is None:
        show(nothing)
        return
    moved = f"{counted(done.records, 'record')} up to the seal of {done.until} {_are(done.records)} in {done.archive}"
    show(f"{moved}; {done.left} stay in {path}")


def _sealing_key(path: Path, given: Path | None) -> SigningKey:
    """The key that seals a journal: the one that was given, or the one beside it."""
    file = path.with_name(KEY_FILE) if given is None else given
    if not file.exists():
        what = f"archiving is signed, and the key that seals the journal is not at {file}"
        raise JournalError(path, what, "give its file with --signing-key")
    try:
        return load(file)
    except SigningKeyError as error:
        raise JournalError(path, str(error), "or give the file of the key with --signing-key") from error


@click.command("backup")
@click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.argument("out", metavar="COPY", type=click.Path(path_type=Path))
@click.option(
    "--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Public key of the seals; repeat."
)
def backup_command(path: Path, out: Path, keys: tuple[bytes, ...]) -> None:
    """Copy a journal as it is at one moment, while the service runs and tables play.

    The copy is a journal itself. It is made durable and verified before it gets its name. To go back to it, stop the
    service and put it in the place of the journal, without the files that are beside that one.

    \b
    Examples:
        feltwire journal backup journal.sqlite /mnt/stick/2026-12-31.sqlite
        feltwire journal verify /mnt/stick/2026-12-31.sqlite

    Exit codes: 0; 2 for a file that cannot be used; 3 for a journal that does not verify: then the copy is kept, as
    evidence, with .damaged behind its name.
    """
    with exit_on_journal_error():
        done = back_up(path, out, keys=keys, progress=partial(show, err=True))
    if done.wrong is not None:
        show(f"{path} does not verify ({done.wrong}); a copy of it is {done.copy}", fg="red", err=True)
        sys.exit(NOT_VERIFIED)
    show(f"{counted(done.records, 'record')} {_are(done.records)} in {done.copy}, verified")


@click.command("retire")
@click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
def retire_command(path: Path, yes: bool) -> None:
    """Rename a damaged journal, so that the service begins a new one.

    The new name has the date in it; the content stays as it is. At its next start the service begins a new journal:
    event numbers start at 1 again, pending faults are forgotten, and subscribers are notified that the history is a
    different one. Verify the journal first, and keep the file: it is evidence. Where the journal is gone and only its
    signing key is left, this orders a new one: without the order no service begins it.

    \b
    Examples:
        feltwire journal verify journal.sqlite
        feltwire journal retire journal.sqlite

    Exit codes: 0; 2 for a file that cannot be used, or while the service runs.
    """
    if not yes:
        if not sys.stdin.isatty():
            click.echo(f"{path}: without a terminal nobody can confirm; give --yes to rename it", err=True)
            sys.exit(BAD_CONFIGURATION)
        click.confirm(f"rename {path}, so that the next start begins a new journal?", abort=True)
    with exit_on_journal_error():
        aside = retire(path, SystemClock())
    done = "nothing is left that could be renamed" if aside is None else f"renamed to {aside}"
    show(f"{done}; the next start begins a new journal")


@click.group("journal")
def command() -> None:
    """Verify, read, report, export, back up, archive and prove a journal.

    A journal keeps every event of every table, and every command with its sender, each chained to the one before by a
    hash. It is journal.sqlite in the service's state folder. All commands but archive and retire only read it, and may
    run while the service writes.

    \b
    Start with:
        feltwire journal verify journal.sqlite                check that nothing was changed
        feltwire journal recall journal.sqlite roulette-1     the last ten rounds, with their evidence
        feltwire journal show journal.sqlite roulette-1       the last events, a line each
        feltwire journal report journal.sqlite                the evening, as a page to print
        feltwire journal export journal.sqlite > events.jsonl
        feltwire journal backup journal.sqlite COPY           a copy, while tables play
        feltwire journal publish journal.sqlite               have witnesses sign that it only grows
        feltwire journal prove journal.sqlite roulette-1#17   a proof of a result, for anybody

    Exit codes: 0 for success, 2 for a file or an option that cannot be used, 3 for a journal that does not verify.
    """


for _one in (
    verify_command,
    show_command,
    recall_command,
    export_command,
    report_command,
    archive_command,
    backup_command,
    retire_command,
    publish_command,
    prove_command,
    check_command,
    witnesses_command,
    compare_command,
):
    command.add_command(_one)
