"""Moves sealed history of tables out of a stream into a folder, where it verifies by itself.

    FOLDER/<venue>/<real or sim>/<table>/000000000001-000000007200.jsonl.gz    bodies, one a line, as published
    FOLDER/<venue>/<real or sim>/<table>/000000000001-000000007200.seal.json   the seal that vouches for the last one

Each file ends with an event whose head a seal states, and the next one continues from there. Nothing is removed from
the stream before the files are on the disk, were read again, and their chain, from the first event on, is the sealed
one; and of what no seal vouches for, nothing ever is. The last event of a table stays in the stream: from there the
relay, and a hub that sources the stream, know where to go on.

Cut off at any moment, a file is complete or is not there, and the stream holds what the files lack.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from audit.queries import parse_moment
from feed.events import EventError, decode, genesis, link
from feed.wire import is_table
from fleet.history import MOST_LINE, NoEventError, event_of
from fleet.seals import FoundSeals, SealedHead, read_seal, sealed_heads
from fleet.streams import JetStream, StoredMessage
from fleet.subjects import REAL, SIM, TableName
from fleet.verify import TableCheck, VouchedHead, archived_starts, note_archived
from hal.durable_files import sync_file, sync_folder

BODIES: Final = ".jsonl.gz"
SEAL_FILE: Final = ".seal.json"
_KINDS: Final = (REAL, SIM)
_NAME: Final = re.compile(r"(\d{12})-(\d{12})")


class ArchiveError(Exception):
    """A folder is not an archive that verifies; the message names the file and what is wrong."""


class ArchivedTable(NamedTuple):
    """What a folder has of a table: events 1 to `last`, and the head after each file."""

    last: int
    heads: dict[int, bytes]


class Moved(NamedTuple):
    """What was done with a table."""

    table: TableName
    first: int
    last: int
    """Of the events that were written now; below `first` where none were."""
    removed: int
    """Messages that were removed from the stream."""


def folder_of(root: Path, table: TableName) -> Path:
    """The files of a table."""
    return root / table.venue / (SIM if table.simulated else REAL) / table.table


def read_archive(root: Path, keys: Collection[bytes] = ()) -> dict[TableName, ArchivedTable]:
    """Reads and verifies all files of a folder; `keys` as of `verify_stream`.

    Raises:
        ArchiveError: a file is missing, was changed, or cannot be read; or something is where the folder of a table
            does, and is none.
    """
    if not root.is_dir():
        raise ArchiveError(f"{root}: there is no such folder")
    found = {}
    for path in _folders(root):
        venue, kind, table = path.relative_to(root).parts
        name = TableName(venue, kind == SIM, table)
        found[name] = read_table(root, name, keys)
    return found


def _folders(root: Path) -> Iterator[Path]:
    """The folders of the tables, in the order of their names."""
    for kind in sorted(root.glob("*/*")):
        if kind.name not in _KINDS or not kind.is_dir():
            raise _strange(kind)
        try:
            tables = sorted(kind.iterdir())
        except OSError as error:
            raise ArchiveError(f"{kind}: it cannot be read: {error}") from error
        for path in tables:
            if not is_table(path.name) or not path.is_dir():
                raise _strange(path)
            yield path


def _strange(path: Path) -> ArchiveError:
    where = f"FOLDER/<venue>/{REAL}/<table> or FOLDER/<venue>/{SIM}/<table>"
    return ArchiveError(f"{path}: it is not a table of an archive, whose folder is {where}; move it away")


def read_table(root: Path, table: TableName, keys: Collection[bytes] = ()) -> ArchivedTable:
    """Reads and verifies the files of one table; number 0 where there are none.

    Raises:
        ArchiveError: a file is missing, was changed, or cannot be read.
    """
    head, last, heads = genesis(table.table), 0, {0: genesis(table.table)}
    for path in sorted(folder_of(root, table).glob(f"*{BODIES}")):
        span = _NAME.fullmatch(path.name.removesuffix(BODIES))
        if span is None:
            raise ArchiveError(f"{path}: its name is not FIRST-LAST{BODIES}")
        if int(span[1]) != last + 1:
            raise ArchiveError(f"{path}: events {last + 1} to {int(span[1]) - 1} are missing before it")
        head, last = _read_file(path, head, last)
        if last != int(span[2]):
            raise ArchiveError(f"{path}: it ends with event {last}")
        _check_seal(path, table, last, head, keys)
        heads[last] = head
    return ArchivedTable(last, heads)


def _read_file(path: Path, head: bytes, last: int) -> tuple[bytes, int]:
    """The head, and the number of the last event, after a file."""
    try:
        with gzip.open(path, "rb") as file:
            for line in iter(partial(file.readline, MOST_LINE), b""):
                body = line.rstrip(b"\n")
                seq = decode(body).seq
                if seq != last + 1:
                    raise ArchiveError(f"{path}: after event {last} comes event {seq}")
                head, last = link(head, body), seq
    except (OSError, EOFError, zlib.error, EventError) as error:
        raise ArchiveError(f"{path}: after event {last} it cannot be read: {error}") from error
    return head, last


def _check_seal(path: Path, table: TableName, last: int, head: bytes, keys: Collection[bytes]) -> None:
    beside = path.with_name(path.name.removesuffix(BODIES) + SEAL_FILE)
    try:
        seal = read_seal(beside.read_bytes())
    except (OSError, ValueError) as error:
        raise ArchiveError(f"{beside}: {error}") from error
    if keys and seal.public_key not in keys:
        raise ArchiveError(f"{beside}: the key {seal.seal.public_key} was not given with --key")
    if seal.heads.get(table.table) != (last, head):
        raise ArchiveError(f"{path}: it is not what the {seal.name} states of {table}: a body was changed")


class ArchiveSource(NamedTuple):
    """A stream, and what of it is read once for all of its tables."""

    jetstream: JetStream
    stream: str
    keys: Collection[bytes]
    seals: FoundSeals
    starts: Mapping[TableName, VouchedHead]


async def archive_source(jetstream: JetStream, stream: str, keys: Collection[bytes], venue: str = "") -> ArchiveSource:
    """Reads the seals of a stream, and where its histories begin; `keys` and `venue` as of `verify_stream`.

    Raises:
        NatsUnavailableError, NatsRefusedError: they cannot be read.
    """
    seals = await sealed_heads(jetstream, stream, keys, venue)
    return ArchiveSource(jetstream, stream, keys, seals, await archived_starts(jetstream, stream, venue))


async def archive_table(source: ArchiveSource, table: TableName, root: Path, before: datetime, *, trim: bool) -> Moved:
    """Writes the sealed events of a table that are older than `before`, and with `trim` removes from the stream what
    the folder has.

    Raises:
        ArchiveError: the folder's files do not verify, lack what the stream lacks, or cannot be written; or the table
            does not verify in the stream.
        NatsUnavailableError, NatsRefusedError: the stream cannot be read or changed.
    """
    jetstream, stream, keys, seals, starts = source
    archived = read_table(root, table, keys)
    start = starts.get(table)
    if start is not None and archived.heads.get(start.seq) != start.hash:
        raise ArchiveError(
            f"{folder_of(root, table)}: events 1 to {start.seq} were moved out of {stream}, and this folder does not "
            "have them as they were; give the folder to which they were moved"
        )
    sealed = seals.heads.get(table, [])
    try:
        end = await _end(jetstream, stream, table, before, sealed, archived, start)
        if end is None or end.seq <= archived.last:
            written = archived
        else:
            await _write(jetstream, stream, table, root, archived, end)
            written = read_table(root, table, keys)
        removed = await _trim(jetstream, stream, table, written, start) if trim and written.last else 0
    except NoEventError as error:
        raise ArchiveError(f"{table}: {error}") from error
    return Moved(table, archived.last + 1, written.last, removed)


async def _end(
    jetstream: JetStream,
    stream: str,
    table: TableName,
    before: datetime,
    sealed: Sequence[SealedHead],
    archived: ArchivedTable,
    start: VouchedHead | None,
) -> SealedHead | None:
    """The last sealed event up to which all are older than `before`, without the table's last one; None for none.

    The whole table is verified.
    """
    heads = [VouchedHead(one.seq, one.hash, one.seal.name, sealed=True) for one in sealed]
    heads += [VouchedHead(seq, head, "the archive") for seq, head in archived.heads.items() if seq]
    check = TableCheck(table, heads, start=start, archived=archived.heads)
    young: int | None = None
    async for message in jetstream.read(stream, table.events):
        check.take(message)
        if check.finding is not None:
            break
        if young is None and _moment(message) >= before:
            young = check.last
    verified = check.end()
    if verified.finding is not None:
        raise ArchiveError(f"{verified.finding}; nothing of this table is archived")
    limit = check.last if young is None else min(young, check.last)
    return max((one for one in sealed if one.seq < limit), key=lambda one: one.seq, default=None)


def _moment(message: StoredMessage) -> datetime:
    """When its event was.

    Raises:
        NoEventError: it is not an event, or states no time.
    """
    try:
        return parse_moment(event_of(message).time)
    except ValueError as error:
        raise NoEventError(message, str(error)) from error


async def _write(
    jetstream: JetStream, stream: str, table: TableName, root: Path, archived: ArchivedTable, end: SealedHead
) -> None:
    """Writes the events after `archived` up to `end`; the file has its name when it is on the disk."""
    folder = folder_of(root, table)
    name = f"{archived.last + 1:012}-{end.seq:012}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{name}.part"
        # Without a time in it, the same events give the same file.
        with part.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            async for message in jetstream.read(stream, table.events):
                seq = event_of(message).seq or 0
                if archived.last < seq <= end.seq:
                    packed.write(message.body + b"\n")
        sync_file(part)
        seal = folder / f"{name}{SEAL_FILE}"
        seal.write_bytes(msgspec.json.encode(end.seal.seal))
        sync_file(seal)
        part.rename(folder / f"{name}{BODIES}")
        for one in _up_to(folder, root.parent):
            sync_folder(one)
    except OSError as error:
        raise ArchiveError(f"{folder}: it cannot be written: {error}") from error


def _up_to(folder: Path, root: Path) -> Iterator[Path]:
    """The folder and those above it, which may be new."""
    yield folder
    for one in folder.parents:
        yield one
        if one == root:
            return


async def _trim(
    jetstream: JetStream, stream: str, table: TableName, archived: ArchivedTable, start: VouchedHead | None
) -> int:
    """Removes from the stream what the folder has; the note of it comes first."""
    kept = None
    async for message in jetstream.read(stream, table.events):
        seq = event_of(message).seq or 0
        if seq > archived.last:
            kept = message
            break
    if kept is None:
        raise ArchiveError(f"{stream} has no event of {table} after {archived.last}: nothing of it is removed")
    if start is None or archived.last > start.seq:
        await note_archived(jetstream, stream, table, archived.last, archived.heads[archived.last])
    return await jetstream.purge(stream, table.events, kept.seq)
