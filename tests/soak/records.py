"""What is kept of each piece of a soak, and the folder that it is kept in.

    build/soak/lock                                    held while a runner works
    build/soak/corrupted-roulette/seeds-0-2500.json    one piece, as `Record`

A piece is written whole or not at all: to a file beside its own, synchronised, renamed. What was interrupted has left
nothing, and is repeated.
"""

from __future__ import annotations

import fcntl
import os
import resource
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType

import msgspec

from controller.packages.compiled import PLAIN


class SoakError(Exception):
    """What stops a runner; the message is for a person."""


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that must not be."""

    what: str
    """A sentence, with the seed or the name of the test."""
    command: str
    """Repeats it alone, from the project's folder."""
    said: str = ""
    """What the failure says, where that may differ from run to run: no part of a digest."""


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a piece's own process reports of it."""

    counts: dict[str, int] = {}
    """What was counted, by its name in the plural."""
    failures: list[Failure] = []
    digest: str = ""
    """SHA-256 of what ran with what became of it; empty where the counts say all."""
    cpu_s: float = 0.0
    """Processor time of the process and of those that it started and waited for; 0 where it was not measured."""
    code: str = PLAIN
    """What ran: `plain`, or `compiled by mypyc 2.4.1`."""

    def write(self, path: Path) -> None:
        """Writes it for the runner, with the processor time until now."""
        used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu_s = round(sum(one.ru_utime + one.ru_stime for one in used), 1)
        path.write_bytes(msgspec.json.encode(msgspec.structs.replace(self, cpu_s=cpu_s)))


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a piece ran on."""

    cores: int
    processor: str
    python: str


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece that was run to its end."""

    soak: str
    piece: str
    command: str
    commit: str
    """The commit that was checked out; followed by `, changed` where files differed from it."""
    machine: Machine
    date: str
    """The day on which it ended, UTC."""
    seconds: float
    """How long it took; other pieces may have run beside it."""
    status: int
    """The exit status of its process; negative where a signal ended it."""
    amount: int
    """How much it is of the soak, in the soak's unit."""
    result: Result

    @property
    def failed(self) -> bool:
        """Whether anything in it must not be."""
        return self.status != 0 or bool(self.result.failures)


class Folder:
    """A state folder, held by one runner at a time while it is entered."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: TextIOWrapper | None = None

    def __enter__(self) -> Folder:
        """Takes the lock.

        Raises:
            SoakError: another runner holds it, or the folder cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / "lock").open("a+", encoding="utf-8")
        except OSError as error:
            raise SoakError(f"{self.path}: cannot be used as the state folder: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise SoakError(
                f"{self.path}: another runner (process {holder}) works on this state folder; "
                "wait for its end, or give this one a folder of its own with --state"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def records(self, soak: str) -> dict[str, Record]:
        """The records of a soak, by piece, in the order of their names.

        Raises:
            SoakError: a file cannot be read as a record of its piece.
        """
        found = {}
        for path in sorted((self.path / soak).glob("*.json")):
            try:
                record = msgspec.json.decode(path.read_bytes(), type=Record)
            except (msgspec.MsgspecError, OSError) as error:
                raise SoakError(
                    f"{path}: no record of a piece ({error}); delete it, and the piece is repeated"
                ) from None
            if (record.soak, record.piece) != (soak, path.stem):
                raise SoakError(
                    f"{path}: holds the record of {record.soak} {record.piece}; delete it, and the piece is repeated"
                )
            found[record.piece] = record
        return found

    def write(self, record: Record) -> None:
        """Keeps a record, whole or not at all, in place of an earlier one of the piece.

        Raises:
            SoakError: the folder takes it not.
        """
        path = self.path / record.soak / f"{record.piece}.json"
        try:
            path.parent.mkdir(exist_ok=True)
            beside = path.with_suffix(".new")
            with beside.open("wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            raise SoakError(f"{path}: the record cannot be written: {error.strerror}") from error
