"""A folder of Parquet files with the events of a fleet, and its list of what it holds.

    FOLDER/
      feltwire.json                      the list: files with their hashes, events held, places reached
      events/hall/real/2026-07/          one part or more, each ordered by table and number
        000001.parquet
      events/hall/simulated/2026-07/     ... of simulated tables

An event is here when the list has it. Parts are written beside their names, made durable and renamed; then the list
is replaced as a whole. So a collection that was killed at any time leaves what was there before it or after, and files
that the list does not name are removed by the next one. Which events of a table are held is known to the number: what
is read twice is taken once, and what is missing shows.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Annotated, BinaryIO, Final, NamedTuple, TypeAlias

import duckdb
import msgspec

from feed.events import Event, EventParts, genesis, link
from fleet.statistics.columns import COLUMNS, SCHEMA, SELECT_ROWS, row_of, time_ns
from fleet.statistics.spans import Spans
from fleet.subjects import TableName
from hal.clock import NS_PER_S
from hal.durable_files import sync_file, sync_folder

LIST: Final = "feltwire.json"
EVENTS: Final = "events"
BATCH: Final = 50_000
"""Events that are collected before they are written (ours): a killed collection has to read up to two batches again."""
MOST_PARTITIONS: Final = 64
"""Months that one batch may be of (ours): each has a file that is open."""
MERGED_FROM: Final = 16
"""Small parts of one month that are put together (ours): a folder that is renewed each minute stays readable."""
SMALL: Final = BATCH // 2
"""Events of a small part (ours)."""
MEMORY: Final = "384MB"
"""What DuckDB may take; beyond it, it writes to the folder (ours). A million events need less."""
MOST_UNREADABLE: Final = 1000
"""Messages that are not events, which are remembered one by one (ours)."""

_NEW: Final = ".collecting"
_LOCK: Final = ".lock"
_CHUNK: Final = 1 << 20
_BUFFER: Final = 1 << 16
_DAY_NS: Final = 86_400 * NS_PER_S


_Key: TypeAlias = tuple[str, bool, str]
"""Of events in one part: venue, whether they are simulated, month."""
_Hash: TypeAlias = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]


class DatasetError(Exception):
    """A folder that cannot be used: what is wrong, and what to do."""

    def __init__(self, path: Path, what: str, fix: str) -> None:
        super().__init__(f"{path}: {what}; {fix}")


class HistoryChangedError(Exception):
    """A table's events are others than those that were collected before."""


class Choice(NamedTuple):
    """Which events a question is about. Real and simulated ones are never in one answer."""

    venues: tuple[str, ...] = ()
    """All where it is empty."""
    tables: tuple[str, ...] = ()
    """By their ids; all where it is empty."""
    simulated: bool = False
    since_ns: int | None = None
    """Inclusive, nanoseconds since 1970."""
    until_ns: int | None = None
    """Exclusive."""

    def has(self, table: TableName) -> bool:
        """Whether a table is chosen."""
        if table.simulated != self.simulated or (self.venues and table.venue not in self.venues):
            return False
        return not self.tables or table.table in self.tables


class Part(msgspec.Struct, frozen=True):
    """One Parquet file."""

    file: str
    """Below the folder."""
    rows: int
    sha256: str
    venue: str
    simulated: bool
    month: str
    """`2026-07`; `unknown` of events without a readable time."""


class Announced(msgspec.Struct, frozen=True):
    """What a table's last heartbeat announced when it was collected last."""

    last: int
    """Its last event."""
    head: str
    """The head of its chain after it, in hexadecimal."""
    time: str
    """Of the heartbeat, by the clock of the table's computer."""


class HeldTable(msgspec.Struct):
    """What is held of one table."""

    venue: str
    simulated: bool
    table: str
    held: list[tuple[int, int]] = []
    """Numbers of events, first and last of each span without a gap."""
    head: tuple[int, _Hash] | None = None
    """The last event up to which nothing is missing from the first on, and the head of the chain after it."""
    first: str = ""
    """The head of the chain after event 1, by which another table of the same name is recognised."""
    announced: Announced | None = None
    """None where no heartbeat was seen."""

    @property
    def name(self) -> TableName:
        return TableName(self.venue, self.simulated, self.table)


class StreamPlace(msgspec.Struct, frozen=True):
    """How far a stream was read."""

    n: int
    """Number of the message in the stream."""
    id: str
    """The event's id, by which a stream that was made again is recognised."""


class Contents(msgspec.Struct):
    """The list of a folder."""

    schema: int = SCHEMA
    parts: list[Part] = []
    tables: list[HeldTable] = []
    places: dict[str, StreamPlace] = {}
    """By the name of the stream."""
    unreadable: dict[str, str] = {}
    """Messages that are not events, by where they are: why."""
    unreadable_more: int = 0
    """... and how many beyond those."""
    next_part: int = 1


class Dataset:
    """The folder, to be read."""

    def __init__(self, folder: Path) -> None:
        """Reads the list.

        Raises:
            DatasetError: there is none, or it cannot be used.
        """
        self.folder = folder
        if not (folder / LIST).exists():
            fix = "make it with feltwire fleet statistics collect"
            raise DatasetError(folder, "no events were collected here", fix)
        self.contents = _read_list(folder)

    @contextmanager
    def opened(self, choice: Choice) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to DuckDB with two views: `event`, the rows of the chosen tables, and `chosen`, of those the
        ones in the span of time.

        Raises:
            DatasetError: a part is gone, damaged, or not the one that was written.
        """
        parts = [one for one in self.contents.parts if one.simulated == choice.simulated]
        files = [self._checked(one) for one in parts if not choice.venues or one.venue in choice.venues]
        with _duckdb(self.folder) as connection:
            try:
                columns = ", ".join(f'CAST(NULL AS {column.type}) AS "{name}"' for name, column in COLUMNS.items())
                source = f"(SELECT {columns} WHERE false)"
                if files:
                    source = "read_parquet(getvariable('parts'), hive_partitioning = false)"
                values = {**choice._asdict(), "venues": [*choice.venues], "tables": [*choice.tables], "parts": files}
                for name, value in values.items():
                    connection.execute(f"SET VARIABLE {name} = ?", [value])
                connection.execute(_EVENT_VIEW.format(source=source, columns=_NAMES))
                connection.execute(_CHOSEN_VIEW)
                yield connection
            except duckdb.Error as error:
                fix = f"{self._fix(parts)}, or see that the disk has room ({error})"
                raise DatasetError(self.folder, "its Parquet files cannot be read", fix) from error

    def _checked(self, part: Part) -> str:
        """The path of a part, whose bytes are those that were written.

        Raises:
            DatasetError: they are not.
        """
        path = self.folder / part.file
        try:
            seen = _hash_of(path)
        except OSError as error:
            raise DatasetError(path, f"it cannot be read ({error.strerror})", self._fix([part])) from error
        if seen != part.sha256:
            fix = self._fix([part])
            raise DatasetError(path, "it is not the file that was written here: damaged or exchanged", fix)
        return str(path)

    def _fix(self, parts: Sequence[Part]) -> str:
        """What to do about parts that cannot be read."""
        if not set(parts) <= set(_read_list(self.folder).parts):
            return "a collection has put it together with others meanwhile: run this again"
        return "remove the folder and collect again: the streams and journals have everything"


class _Waiting:
    """The events of one month that wait to be written as a part: lines of JSON in a file."""

    def __init__(self, path: Path) -> None:
        """Makes the file.

        Raises:
            OSError: it cannot be made.
        """
        self.path = path
        self.written: tuple[int, int, TableName | None, int] = (0, 0, None, 0)
        """What the file has whole: how many rows and bytes, and of the last one its table and number."""
        self._file: BinaryIO = path.open("wb", _BUFFER)

    def add(self, table: TableName, seq: int, row: bytes) -> None:
        """Adds the row of an event. Interrupted at any place, `written` has it where the file has it whole.

        Raises:
            OSError: it cannot be written.
        """
        self._file.write(row)
        rows, size, _, _ = self.written
        self.written = (rows + 1, size + len(row), table, seq)

    def close(self) -> None:
        """Closes the file; behind its rows there is nothing.

        Raises:
            OSError: it cannot be written.
        """
        # A row whose writing was interrupted may be there in part, or whole without being counted.
        self._file.truncate(self.written[1])
        self._file.close()

    def abandon(self) -> None:
        """Closes the file, which is of no use any more."""
        with suppress(OSError):
            # What it could not write was reported where it was written, and nobody reads it.
            self._file.close()


class _Table:
    """A table while its events are collected."""

    def __init__(self, listed: HeldTable) -> None:
        self.name = listed.name
        self.listed = listed
        """As the list has it."""
        self.announced = listed.announced
        self.spans = Spans(listed.held)
        """With the events that wait to be written."""
        self.head = None if listed.head is None else (listed.head[0], bytes.fromhex(listed.head[1]))
        """So too."""
        self.first = listed.first
        """So too."""
        self.chain: tuple[int, bytes] | None = None
        """The last event that the source gave, and the head of its chain after it; None where it is not known."""
        self.waiting: _Waiting | None = None
        """What its last event waits in, ..."""
        self.day: int | None = None
        """... and the day of all events that it takes of this table; see `_part_of`."""


class _ToWrite(NamedTuple):
    """A file of rows that is to become a part."""

    key: _Key
    file: Path
    rows: int
    path: Path
    """Of the part."""


class _Batch(NamedTuple):
    """Events that are being written, by a thread of their own, and how everything was when its last one was taken."""

    files: list[Path]
    parts: Future[list[Part]]
    """What they become, not listed yet."""
    contents: Contents
    """The list with them, except for the parts."""


class Collector:
    """Takes events into a folder. `collecting` makes one.

    A batch is written by a thread of its own, while the next one is taken: DuckDB needs the interpreter for nothing.
    One batch is written at a time, and listed by the thread that takes events.
    """

    def __init__(self, folder: Path, contents: Contents) -> None:
        self.contents = contents
        """What the folder holds; places and what is not an event already with what was read since."""
        self.added = self.known = self.refused = 0
        self.is_whole = True
        """Whether what waits may be written: not after a flush that was interrupted, of which nobody knows how far it
        came. What the list does not have is read again by the next collection."""
        self._folder = folder
        self._tables = {one.name: _Table(one) for one in contents.tables}
        self._waiting: dict[_Key, _Waiting] = {}
        self._names = count()
        self._full_at = BATCH
        """The count of events added at which those that wait are a batch."""
        self._batch: _Batch | None = None
        self._writer = ThreadPoolExecutor(1, "statistics")

    def begin(self) -> None:
        """Another source begins: the chains of its tables are computed from its own events."""
        for one in self._tables.values():
            one.chain = None

    def add(self, table: TableName, event: Event | EventParts, body: bytes, where: str) -> None:
        """Takes an event that is not held yet; `where` is its place in words.

        Raises:
            HistoryChangedError: the table had another event here before.
            DatasetError: it cannot be written.
        """
        time = time_ns(event.time)
        try:
            row = row_of(table, event, time)
        except ValueError as error:
            self.unreadable(where, str(error))
            return
        seq = event.seq or 0
        if self.added >= self._full_at:
            self._write()
        one = self._tables.get(table)
        if one is None:
            one = self._tables[table] = _Table(HeldTable(*table))
        head = self._next_head(one, seq, body)
        # In this order: interrupted in between, the event is read again, and what was left out is made up for.
        if seq in one.spans:
            self.known += 1
        else:
            day = None if time is None else time // _DAY_NS
            try:
                if one.waiting is None or one.day != day:
                    one.waiting, one.day = self._waiting_of(table, day), day
                one.waiting.add(table, seq, row)
            except OSError as error:
                raise _unwritable(self._folder, error) from error
            one.spans.add(seq)
            self.added += 1
        if head is not None:
            one.chain = (seq, head)
            if seq == 1:
                one.first = head.hex()
            if one.head is None or one.head[0] < seq:
                one.head = one.chain

    def unreadable(self, where: str, why: str) -> None:
        """A message is not an event of a table: it is counted."""
        self.refused += 1
        if where in self.contents.unreadable:
            return
        if len(self.contents.unreadable) < MOST_UNREADABLE:
            self.contents.unreadable[where] = why
        else:
            self.contents.unreadable_more += 1

    def announce(self, table: TableName, announced: Announced) -> None:
        """A table's last heartbeat, where the table is known."""
        one = self._tables.get(table)
        if one is not None:
            one.announced = announced

    def reached(self, stream: str, place: StreamPlace) -> None:
        """A stream was read up to here."""
        self.contents.places[stream] = place

    def flush(self) -> None:
        """Writes what waits, and the list that names it.

        Raises:
            DatasetError: it cannot be written.
        """
        self._write()
        self._list_batch()

    def abandon(self) -> None:
        """Gives up what waits to be written."""
        self._writer.shutdown(cancel_futures=True)
        for waiting in self._waiting.values():
            waiting.abandon()

    def merge(self) -> None:
        """Puts small parts of one month together where there are many.

        Raises:
            DatasetError: it cannot be done.
        """
        small: dict[_Key, list[Part]] = {}
        for part in self.contents.parts:
            if part.rows < SMALL:
                small.setdefault((part.venue, part.simulated, part.month), []).append(part)
        for key, parts in small.items():
            if len(parts) < MERGED_FROM:
                continue
            files = [str(self._folder / part.file) for part in parts]
            path = self._new_part(key)
            _copy(self._folder, "read_parquet($files, hive_partitioning = false)", {"files": files}, path)
            others = [part for part in self.contents.parts if part not in parts]
            try:
                merged = self._durable(key, sum(part.rows for part in parts), path)
                self.contents.parts = [*others, merged]
                self._list(self.contents)
                for file in files:
                    Path(file).unlink()
            except OSError as error:
                raise _unwritable(self._folder, error) from error

    def _next_head(self, one: _Table, seq: int, body: bytes) -> bytes | None:
        """The head of the chain after an event; None where it is not known.

        Raises:
            HistoryChangedError: it was another one.
        """
        chain, held = one.chain, one.head
        if seq == 1:
            chain = (0, genesis(one.listed.table))
        elif chain is None and held is not None and held[0] == seq - 1:
            chain = held
        if chain is None or chain[0] != seq - 1:
            # Events are missing in between, or it is one that was read already: nothing is known of the chain here.
            return None
        found = link(chain[1], body)
        if seq == 1:
            self._check_same(one.name, 1, one.first, found)
        if held is not None and held[0] == seq:
            self._check_same(one.name, seq, held[1].hex(), found)
        return found

    def _check_same(self, name: TableName, seq: int, before: str, found: bytes) -> None:
        if before and before != found.hex():
            raise HistoryChangedError(
                f"{name}: its events up to {seq} are not those that were collected before (the head is "
                f"{found.hex()[:16]}…, it was {before[:16]}…): a history was rewritten, or two tables have one name. "
                "feltwire fleet verify and journal verify show what happened; to begin again, collect into a new folder"
            )

    def _waiting_of(self, table: TableName, day: int | None) -> _Waiting:
        """What an event of this day waits in, which is made where it is not there.

        Raises:
            OSError: it cannot be made.
            DatasetError: what waited before cannot be written.
        """
        key = _part_of(table, day)
        if key not in self._waiting:
            if len(self._waiting) >= MOST_PARTITIONS:
                self._write()
            self._waiting[key] = _Waiting(self._folder / _NEW / f"{next(self._names)}.jsonl")
        return self._waiting[key]

    def _write(self) -> None:
        """Begins to write what waits, once the batch before is listed.

        Raises:
            DatasetError: one of them cannot be written.
        """
        self._list_batch()
        self.is_whole = False
        to_write: list[_ToWrite] = []
        try:
            for key, waiting in self._waiting.items():
                waiting.close()
                rows, _, table, seq = waiting.written
                if table is None:
                    continue
                to_write.append(_ToWrite(key, waiting.path, rows, self._new_part(key)))
                # Interrupted behind its row, the last event is not among those that are held.
                self._tables[table].spans.add(seq)
        except OSError as error:
            raise _unwritable(self._folder, error) from error
        tables = [
            msgspec.structs.replace(
                one.listed,
                held=one.spans.listed(),
                head=None if one.head is None else (one.head[0], one.head[1].hex()),
                first=one.first,
                announced=one.announced,
            )
            for one in self._tables.values()
        ]
        places, unreadable = dict(self.contents.places), dict(self.contents.unreadable)
        contents = msgspec.structs.replace(self.contents, tables=tables, places=places, unreadable=unreadable)
        parts = self._writer.submit(self._written, to_write)
        self._batch = _Batch([waiting.path for waiting in self._waiting.values()], parts, contents)
        self._waiting.clear()
        for one in self._tables.values():
            one.waiting = None
        self._full_at = self.added + BATCH
        self.is_whole = True

    def _list_batch(self) -> None:
        """Waits until the batch is written, and lists it.

        Raises:
            DatasetError: it cannot be written.
        """
        if self._batch is None:
            return
        self.is_whole = False
        files, parts, contents = self._batch
        try:
            contents.parts = [*self.contents.parts, *parts.result()]
            self._list(contents)
            self.contents.parts, self.contents.tables = contents.parts, contents.tables
            for table in contents.tables:
                self._tables[table.name].listed = table
            for file in files:
                file.unlink()
        except OSError as error:
            raise _unwritable(self._folder, error) from error
        self._batch = None
        self.is_whole = True

    def _written(self, to_write: list[_ToWrite]) -> list[Part]:
        """Writes events as new parts, which the list does not name yet. Runs in the writer's thread.

        Raises:
            OSError: they cannot be written.
            DatasetError: DuckDB cannot.
        """
        parts = []
        for key, file, rows, path in to_write:
            _copy(self._folder, f"({SELECT_ROWS})", {"files": [str(file)], "venue": key[0], "simulated": key[1]}, path)
            parts.append(self._durable(key, rows, path))
        return parts

    def _new_part(self, key: _Key) -> Path:
        venue, simulated, month = key
        # No names as `month=2026-07`: DuckDB would take them for columns, in place of those in the file.
        folder = self._folder / EVENTS / venue / ("simulated" if simulated else "real") / month
        number = self.contents.next_part
        self.contents.next_part += 1
        return folder / f"{number:06d}.parquet"

    def _durable(self, key: _Key, rows: int, path: Path) -> Part:
        """Makes a part durable that was written beside its name, and names it."""
        sync_file(_beside(path))
        _beside(path).rename(path)
        sync_folder(path.parent)
        return Part(path.relative_to(self._folder).as_posix(), rows, _hash_of(path), *key)

    def _list(self, contents: Contents) -> None:
        """Replaces the list; only then are these the contents."""
        path = self._folder / LIST
        beside = _beside(path)
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(contents), indent=1) + b"\n")
        sync_file(beside)
        beside.rename(path)
        sync_folder(self._folder)


@contextmanager
def collecting(folder: Path) -> Iterator[Collector]:
    """Collects into a folder, which is made where there is none; what was taken is written at the end.

    Raises:
        DatasetError: it cannot be used, or another process collects there.
        HistoryChangedError: raised by `Collector.add`; what was taken before is written.
    """
    try:
        if folder.exists() and not (folder / LIST).exists() and any(_strangers(folder)):
            fix = "name a new folder, or the one that was collected into before"
            raise DatasetError(folder, "it holds other files", fix)
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DatasetError(folder, "another process collects here", "wait until it has ended") from error
        contents = _read_list(folder) if (folder / LIST).exists() else Contents()
        try:
            _clean(folder, contents)
        except OSError as error:
            raise _unwritable(folder, error) from error
        collector = Collector(folder, contents)
        try:
            try:
                yield collector
            except DatasetError:
                raise
            except BaseException:
                # What was taken before is right, also where the next event was not, or a person ended it.
                if collector.is_whole:
                    collector.flush()
                raise
            collector.flush()
        finally:
            collector.abandon()
        collector.merge()
        shutil.rmtree(folder / _NEW)
    finally:
        os.close(lock)


_NAMES: Final = ", ".join(f'"{name}"' for name in COLUMNS)
_EVENT_VIEW: Final = """
CREATE TEMP VIEW event AS SELECT {columns} FROM {source}
WHERE simulated = getvariable('simulated')
  AND (len(getvariable('venues')) = 0 OR list_contains(getvariable('venues'), venue))
  AND (len(getvariable('tables')) = 0 OR list_contains(getvariable('tables'), "table"))
"""
IN_TIME: Final = """(
  (getvariable('since_ns') IS NULL OR epoch_ns(time) >= getvariable('since_ns'))
  AND (getvariable('until_ns') IS NULL OR epoch_ns(time) < getvariable('until_ns'))
)"""
"""The condition that `time` is in the span that was chosen."""
_CHOSEN_VIEW: Final = f"CREATE TEMP VIEW chosen AS SELECT * FROM event WHERE {IN_TIME}"
_INTERRUPTED: Final = "Query interrupted"
"""What DuckDB raises a RuntimeError with, where a signal would have raised something."""


@contextmanager
def _duckdb(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB in memory, with bounds; it loads nothing from a network."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        # DuckDB looks for signals in this thread alone: while it waited for another one, Ctrl-C would end nothing.
        "threads": 1,
        "temp_directory": str(folder / f"{_NEW}-{os.getpid()}"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "preserve_insertion_order": False,
    }
    connection = duckdb.connect(":memory:", config=config)
    try:
        yield connection
    except RuntimeError as error:
        if str(error) == _INTERRUPTED:
            # DuckDB takes a signal while it works, and with it the interruption.
            raise KeyboardInterrupt from error
        raise
    finally:
        connection.close()
        shutil.rmtree(folder / f"{_NEW}-{os.getpid()}", ignore_errors=True)


def _copy(folder: Path, source: str, values: Mapping[str, object], path: Path) -> None:
    """Writes what SQL selects, with these values, as a Parquet file beside its name, ordered by table and number."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _duckdb(folder) as connection:
            # The name is ours: digits, and folders whose names `parse_venue` lets through.
            target = str(_beside(path)).replace("'", "''")
            connection.execute(
                f"COPY (SELECT {_NAMES} FROM {source} ORDER BY \"table\", seq) TO '{target}' "
                f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{feltwire_schema: '{SCHEMA}'}})",
                values,
            )
    except duckdb.Error as error:
        raise DatasetError(folder, f"a part cannot be written ({error})", "see that the disk has room") from error
    except OSError as error:
        raise _unwritable(folder, error) from error


def _read_list(folder: Path) -> Contents:
    path = folder / LIST
    fix = "collect into a new folder: the streams and journals have everything"
    try:
        text = path.read_bytes()
        version = msgspec.json.decode(text, type=_Version).schema
        if version != SCHEMA:
            what = f"its files have version {version} of the columns, and this software reads {SCHEMA}"
            raise DatasetError(path, what, fix)
        contents = msgspec.json.decode(text, type=Contents)
    except OSError as error:
        raise DatasetError(path, f"it cannot be read ({error.strerror})", fix) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DatasetError(path, f"it is damaged ({error})", fix) from error
    inside = (folder / EVENTS).resolve()
    for part in contents.parts:
        if not (folder / part.file).resolve().is_relative_to(inside):
            raise DatasetError(path, f"it names a file outside of {EVENTS}/: {part.file}", fix)
    return contents


class _Version(msgspec.Struct, frozen=True):
    schema: int


def _clean(folder: Path, contents: Contents) -> None:
    """Removes what a collection that was killed left behind."""
    known = {part.file for part in contents.parts}
    for pattern in ("*.parquet", "*.parquet.part"):
        for path in (folder / EVENTS).rglob(pattern):
            if path.relative_to(folder).as_posix() not in known:
                path.unlink()
    for rest in folder.glob(f"{_NEW}*"):
        shutil.rmtree(rest)
    (folder / _NEW).mkdir()


def _strangers(folder: Path) -> Iterator[Path]:
    return (one for one in folder.iterdir() if one.name != EVENTS and not one.name.startswith("."))


def _part_of(table: TableName, day: int | None) -> _Key:
    """The part that an event of a day belongs to; the day is counted since 1970, and None where its time is unknown."""
    month = "unknown" if day is None else (date(1970, 1, 1) + timedelta(days=day)).isoformat()[:7]
    return table.venue, table.simulated, month


def _hash_of(path: Path) -> str:
    found = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def _unwritable(folder: Path, error: OSError) -> DatasetError:
    return DatasetError(folder, f"it cannot be written ({error.strerror})", "name a folder on a disk that has room")
