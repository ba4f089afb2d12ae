"""The witness, which pages call the heads file: it notes the heads after each commit, and reveals lost synced bytes.

The journal is synced before an event is published; the witness is not synced at all. So after a power cut it may
be old, or torn, and proves nothing by that. But all that it notes was durable: when it names a record that the
journal does not hold, or holds otherwise, the disk lost synced data.

Each line notes one head, with a checksum; lines that do not check are passed over.

    roulette-1 1042 9f3c… 61ab… 8d00f1c2
    chain      seq  epoch hash  CRC-32 of the line before it
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from audit.records import Head
from audit.seals import SEALS

SUFFIX: Final = ".heads"
MOST_BYTES: Final = 256 * 1024
"""The file is begun again when it has grown to this (ours)."""
_MOST_READ = 16 * MOST_BYTES
_LINE = re.compile(rb"([!-~]+) ([0-9]{1,18}) ([!-~]+) ([0-9a-f]{64})")


class HistoryLost(NamedTuple):
    """Durable records that are not in the journal any more."""

    chain: str
    witnessed: Head
    """What the witness saw on the disk."""
    held: Head
    """The record that the journal has in its place, or its last one where it ends before."""

    def __str__(self) -> str:
        seen, held = self.witnessed, self.held
        if held.seq < seen.seq:
            gone = seen.seq - held.seq
            what = f"ends at {held.seq}; {gone} records that were durable are gone"
        else:
            what = f"has another record at {held.seq}: its history was replaced"
        noted = f"{seen.seq} ({seen.epoch}) as written and synced"
        return f"{self.chain}: the heads file notes {noted}, and the journal {what}"


class State(StrEnum):
    """What is in the place of the witness; in words, as reports have it."""

    GOOD = "good"
    MISSING = "missing"
    EMPTY = "empty"
    UNREADABLE = "without a line that can be read"
    NO_SEALS = "without a line of the seals"
    """It has lines of chains, and the line of the seals was taken out: each start writes one."""
    NO_FILE = "no ordinary file"


class Noted(NamedTuple):
    """What the witness notes."""

    heads: dict[str, Head]
    """By chain, the last head."""
    state: State


def witness_path(path: Path) -> Path:
    """Where the witness of a journal is."""
    return path.with_name(path.name + SUFFIX)


def read_witness(path: Path) -> Noted:
    """What the witness of the journal at `path` notes: no head where there is no good witness.

    Raises:
        OSError: it is there and cannot be read.
    """
    try:
        # A FIFO would block without O_NONBLOCK.
        descriptor = os.open(witness_path(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return Noted({}, State.MISSING)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ELOOP):
            # A socket, or a symbolic link to itself.
            return Noted({}, State.NO_FILE)
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return Noted({}, State.NO_FILE)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(_MOST_READ)
    finally:
        os.close(descriptor)
    if not data:
        return Noted({}, State.EMPTY)
    noted = (_head(line) for line in data.split(b"\n"))
    heads = dict(one for one in noted if one is not None)
    if not heads:
        return Noted(heads, State.UNREADABLE)
    return Noted(heads, State.GOOD if SEALS in heads else State.NO_SEALS)


class Witness:
    """Writes the file. The last head of each chain stays until a newer one is noted."""

    def __init__(self, path: Path, heads: Mapping[str, Head]) -> None:
        """Begins the file again, with these heads.

        Raises:
            OSError: it cannot be written.
        """
        self._path = witness_path(path)
        self._heads = dict(heads)
        self._file, self._size = self._begin()

    def note(self, heads: Mapping[str, Head]) -> None:
        """Notes heads that are durable.

        Raises:
            OSError: they cannot be written.
        """
        self._heads.update(heads)
        if self._size >= MOST_BYTES and self._begun_anew():
            return
        data = _lines(heads.items())
        os.write(self._file, data)
        self._size += len(data)

    def _begun_anew(self) -> bool:
        """Begins a new file; where no descriptor is left for one, the full one is written on."""
        try:
            new, size = self._begin()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                return False
            raise
        full, self._file, self._size = self._file, new, size
        os.close(full)
        return True

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def _begin(self) -> tuple[int, int]:
        """A new file in place of the old one, which stays as it is until the new one is complete."""
        new = self._path.with_name(self._path.name + ".new")
        # Not left over from a start that was cut off: something else may be there, and a FIFO would block.
        new.unlink(missing_ok=True)
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            data = _lines(self._heads.items())
            os.write(file, data)
            new.replace(self._path)
        except OSError:
            os.close(file)
            raise
        return file, len(data)


def _lines(heads: Iterable[tuple[str, Head]]) -> bytes:
    # A line begins with its own line end as well: what was torn before it does not take it along.
    lines = [f"{chain} {head.seq} {head.epoch or '-'} {head.hash}".encode() for chain, head in heads]
    return b"".join(b"\n%b %08x\n" % (line, crc32(line)) for line in lines)


def _head(line: bytes) -> tuple[str, Head] | None:
    noted, _, checksum = line.rpartition(b" ")
    parts = _LINE.fullmatch(noted)
    if parts is None or checksum != b"%08x" % crc32(noted):
        return None
    chain, seq, epoch, digest = (part.decode() for part in parts.groups())
    return chain, Head(int(seq), "" if epoch == "-" else epoch, digest)
