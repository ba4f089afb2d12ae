"""What is on the disk after a power cut, by the record of what was written before it.

What was synced is there. Of every file, each write after its last sync is there, or not, or in part, whatever became
of the others. Names come and go in the order in which they were made, as a file system's own journal keeps them: those
up to the last sync of the folder are certain, and any number of those after it.

    written      ──w1──w2──sync──w3──w4──w5──│ cut
    on the disk    w1  w2        w3? w4? w5?        each: all, nothing, a part, or a part with rubbish in it
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from random import Random
from typing import NamedTuple

_ENTRY = struct.Struct("=IIQQQ")
SECTOR = 512


class What(IntEnum):
    """Kinds of entries, as in record_writes.c."""

    CREATE = 1
    WRITE = 2
    TRUNCATE = 3
    SYNC_BEGINS = 4
    SYNC_DONE = 5
    UNLINK = 6
    RENAME = 7


class WriteStep(NamedTuple):
    """One entry of the record."""

    what: What
    path: str
    inode: int
    offset: int
    data: bytes


def read_record(path: Path) -> list[WriteStep]:
    """All that was recorded, in order."""
    return list(_steps(path.read_bytes()))


def _steps(record: bytes) -> Iterator[WriteStep]:
    at = 0
    while at < len(record):
        what, path_bytes, inode, offset, data_bytes = _ENTRY.unpack_from(record, at)
        at += _ENTRY.size
        path = record[at : at + path_bytes].decode()
        at += path_bytes
        yield WriteStep(What(what), path, inode, offset, record[at : at + data_bytes])
        at += data_bytes


class _File:
    """A file: what is certain to be on the disk, and what was done to it since."""

    def __init__(self) -> None:
        self.synced = bytearray()
        self.since: list[WriteStep] = []
        self.syncing: dict[int, int] = {}
        """A sync that has begun -> how many of `since` it covers."""

    def sync(self, number: int) -> None:
        """A sync has succeeded."""
        covered = self.syncing.pop(number)
        for step in self.since[:covered]:
            _apply(self.synced, step)
        del self.since[:covered]
        self.syncing = {other: max(0, count - covered) for other, count in self.syncing.items()}

    def as_written(self) -> bytearray:
        """Its content as programs saw it."""
        content = bytearray(self.synced)
        for step in self.since:
            _apply(content, step)
        return content

    def after_cut(self, rng: Random) -> bytearray:
        """Its content when the power is back."""
        content = bytearray(self.synced)
        kept = rng.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        for step in self.since:
            if rng.random() < kept:
                _apply(content, step)
            elif rng.random() < 0.5 and step.what is What.WRITE:
                _apply(content, _torn(step, content, rng))
        return content


class ReplayedDisk:
    """A folder on a disk, while its record is played."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._files: dict[int, _File] = {}
        self._names: dict[str, _File] = {}
        """As they are certain to be."""
        self._renamed: list[tuple[str, _File | None]] = []
        """Since the folder was synced: name, and the file that has it now."""
        self._syncing: dict[int, int] = {}

    def play(self, step: WriteStep) -> None:
        """Takes the next entry of the record."""
        match step.what:
            case What.CREATE:
                self._files[step.inode] = _File()
                self._renamed.append((self._name(step.path), self._files[step.inode]))
            case What.WRITE | What.TRUNCATE:
                self._files[step.inode].since.append(step)
            case What.UNLINK:
                self._renamed.append((self._name(step.path), None))
            case What.RENAME:
                file = self.names()[self._name(step.path)]
                # One step: the new name is there before the old one is gone.
                self._renamed += [(self._name(step.data.decode()), file), (self._name(step.path), None)]
            case What.SYNC_BEGINS if step.path == self._folder:
                self._syncing[step.offset] = len(self._renamed)
            case What.SYNC_DONE if step.path == self._folder:
                covered = self._syncing.pop(step.offset)
                self._names = self._named(covered)
                del self._renamed[:covered]
            case What.SYNC_BEGINS:
                file = self._files[step.inode]
                file.syncing[step.offset] = len(file.since)
            case What.SYNC_DONE:
                self._files[step.inode].sync(step.offset)

    def names(self) -> dict[str, _File]:
        """The files by name, as programs saw them."""
        return self._named(len(self._renamed))

    def as_written(self) -> dict[str, bytearray]:
        """What is in the folder when the power stays on."""
        return {name: file.as_written() for name, file in self.names().items()}

    def after_cut(self, rng: Random) -> dict[str, bytearray]:
        """What is in the folder when the power is cut now and comes back."""
        certain = self._named(rng.randint(0, len(self._renamed)))
        return {name: file.after_cut(rng) for name, file in certain.items()}

    def _named(self, steps: int) -> dict[str, _File]:
        names = dict(self._names)
        for name, file in self._renamed[:steps]:
            if file is None:
                names.pop(name, None)
            else:
                names[name] = file
        return names

    def _name(self, path: str) -> str:
        return path.removeprefix(self._folder + "/")


def put_down(folder: Path, contents: dict[str, bytearray]) -> None:
    """Makes a folder with these files."""
    folder.mkdir(parents=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def _apply(content: bytearray, step: WriteStep) -> None:
    if step.what is What.TRUNCATE:
        del content[step.offset :]
        content.extend(bytes(step.offset - len(content)))
        return
    end = step.offset + len(step.data)
    if len(content) < step.offset:
        content.extend(bytes(step.offset - len(content)))
    content[step.offset : end] = step.data


def _torn(step: WriteStep, before: bytearray, rng: Random) -> WriteStep:
    """A write of which only a part came through: bytes of it, or sectors; the rest is as it was, or rubbish."""
    old = bytes(before[step.offset : step.offset + len(step.data)]).ljust(len(step.data), b"\0")
    begin, end = sorted(rng.randint(0, len(step.data)) for _ in range(2))
    if rng.random() < 0.5:
        begin, end = begin // SECTOR * SECTOR, end // SECTOR * SECTOR
    data = bytearray(old)
    data[begin:end] = step.data[begin:end]
    if rng.random() < 0.3 and data:
        rubbish = rng.randrange(len(data))
        length = min(SECTOR, len(data) - rubbish)
        data[rubbish : rubbish + length] = rng.randbytes(length)
    return step._replace(data=bytes(data))
