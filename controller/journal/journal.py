"""The journal of a service: opened, proven whole, written by one thread, sealed when it begins and when it ends."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from nacl.signing import SigningKey

from audit.errors import UNREADABLE, JournalError, journal_error
from audit.records import COMMANDS, Entry, Head, nothing
from audit.schema import prepare
from audit.seals import SEAL_EVERY, START, SealSigner
from audit.witness import HistoryLost, State, Witness
from controller.journal.files import (
    Lock,
    PresentFiles,
    connect_writer,
    fill_log,
    make_file,
    make_folder,
    order_done,
)
from controller.journal.history import Reader
from controller.journal.recovery import READ_AT_LEAST, Progress, RecoveredJournal, RecoveredTable, recover
from controller.journal.store import JournalEnd, Store
from controller.journal.whole_check import WholeCheck
from controller.journal.writer import CHECKPOINT_EVERY, AtOnce, Deliver, Done, Heads, JournalWriter, Submission
from hal.clock import Clock

__all__ = [
    "Deliver",
    "Done",
    "Heads",
    "HistoryLost",
    "Journal",
    "JournalError",
    "Progress",
    "RecoveredJournal",
    "RecoveredTable",
]


class Journal:
    """One journal, open for writing. `Journal.open` makes it."""

    def __init__(
        self,
        path: Path,
        public_key: bytes,
        recovery: RecoveredJournal,
        writer: JournalWriter,
        reader: Reader,
        present: PresentFiles,
        held: ExitStack,
    ) -> None:
        self.path = path
        self._public_key = public_key
        self.recovery = recovery
        self._writer = writer
        self._reader = reader
        self._present = present
        self._held = held

    @classmethod
    def open(
        cls,
        path: Path,
        signing_key: SigningKey,
        *,
        clock: Clock,
        deliver: Deliver,
        progress: Progress | None = None,
        key_file: Path | None = None,
        read_at_least: int = READ_AT_LEAST,
        seal_every: int = SEAL_EVERY,
        checkpoint_every: int = CHECKPOINT_EVERY,
    ) -> Journal:
        """Opens or makes a journal, proves that it is whole, seals its beginning, and starts the writer.

        Blocks while it reads; `progress` is called with how far it is. `key_file` is where the signing key is kept: as
        long as it is there, a journal that is gone is not begun again but by an order.

        Raises:
            JournalError: it cannot be used: the message states which file, what is wrong, and what to do.
        """
        make_folder(path)
        with ExitStack() as held:
            held.enter_context(Lock(path))
            make_file(path, key=key_file)
            connection = connect_writer(path)
            held.callback(connection.close)
            try:
                prepare(connection, path)
            except UNREADABLE as error:
                raise journal_error(path, error, "opening it") from error
            recovery = recover(
                connection, path, progress, public_key=bytes(signing_key.verify_key), read_at_least=read_at_least
            )
            store = Store(
                path,
                connection,
                JournalEnd(recovery.records, recovery.heads),
                SealSigner(
                    signing_key,
                    clock,
                    recovery.last_seal,
                    recovery.last_time,
                    base=recovery.base,
                    witness=recovery.unwitnessed or "",
                ),
                seal_every,
            )
            reader = Reader(path)
            held.callback(reader.close)
            # Before the first table opens: a disk that takes no more is found here.
            store.seal(START)
            store.checkpoint()
            fill_log(path)
            present = PresentFiles(path)
            try:
                # Heads that the journal lost stay noted, until newer records of that chain are durable.
                lost = {chain: one.witnessed for chain, one in recovery.lost.items()}
                witness = Witness(path, {**recovery.heads, **lost, **store.seals})
            except OSError as error:
                raise journal_error(path, error, "beginning the heads file beside it") from error
            order_done(path)
            writer = JournalWriter(path, store, witness, deliver, checkpoint_every)
            return cls(path, bytes(signing_key.verify_key), recovery, writer, reader, present, held.pop_all())

    @property
    def recovered(self) -> Mapping[str, RecoveredTable]:
        """By table: where it was when the journal was opened."""
        return self.recovery.tables

    @property
    def lost(self) -> Mapping[str, HistoryLost]:
        """By chain: what was durable once and was not there when the journal was opened."""
        return self.recovery.lost

    @property
    def commands(self) -> Head:
        """The head of the chain of commands when the journal was opened."""
        return self.recovery.heads.get(COMMANDS, nothing(COMMANDS))

    @property
    def last_time(self) -> str:
        """The latest wall time of all that was written before the journal was opened, which need not be that of its
        last record: a clock may have been set back. Empty in a new one.
        """
        return self.recovery.last_time

    @property
    def clean(self) -> bool:
        """Whether the service before stopped in order."""
        return self.recovery.clean

    @property
    def unsealed(self) -> int:
        """How many records had no seal when the journal was opened: nobody vouched for them until then."""
        return self.recovery.unsealed

    @property
    def unwitnessed(self) -> State | None:
        """What was in the place of the witness that every journal has, where it was no good one."""
        return self.recovery.unwitnessed

    @property
    def is_new(self) -> bool:
        """Whether there was no journal here: each start of a service seals one, and this had no seal."""
        return self.recovery.last_seal is None

    def whole_check(self) -> WholeCheck | None:
        """The check of what the start did not read; None where it read all. The caller closes it.

        Raises:
            JournalError: the journal cannot be opened for reading.
        """
        trusted = self.recovery.trusted
        return None if trusted is None else WholeCheck(self.path, trusted)

    @property
    def other_key(self) -> str | None:
        """The public half of the key that sealed it last, in hexadecimal, where that is not the one given now."""
        last = self.recovery.last_seal
        return None if last is None or last.public_key == self._public_key else last.public_key.hex()

    @property
    def failure(self) -> JournalError | None:
        """The first failure; after it nothing is written. None while everything is well."""
        return self._writer.failure

    def check_files(self) -> None:
        """Looks whether its files are still at their path: where they are not, that is its failure. To be called each
        second: what is written to a file without a name is lost when the service ends.
        """
        if self._writer.failure is None:
            error = self._present.check()
            if error is not None:
                self._writer.fail(error)

    def free_bytes(self) -> int:
        """How much room is left on its disk.

        Raises:
            JournalError: the disk is gone.
        """
        try:
            room = os.statvfs(self.path.parent)
        except OSError as error:
            raise journal_error(self.path, error, "looking how much room its disk has") from error
        return room.f_bavail * room.f_frsize

    def submit(self, entries: Sequence[Entry], done: Done, at_once: AtOnce | None = None) -> None:
        """Hands over entries to be written in one transaction. Never blocks.

        `at_once` is called on the writer's thread when they are durable, with the heads of the chains that the entries
        belong to, and not at all if they are not written.

        `done` is delivered in the order of submission: with the same heads once they are durable, or with the error of
        the first failure. From then on nothing more is written.

        Raises:
            JournalError: the journal was closed.
        """
        self._writer.submit(Submission(entries, done, at_once))

    @property
    def seals(self) -> Mapping[str, Head]:
        """The last seal, as a head under `SEALS`."""
        return self._writer.seals

    def seal(self) -> None:
        """Asks for a seal over what was written since the last one, if anything was. Never blocks."""
        self._writer.seal()

    def find_command(self, identity: str) -> bytes | None:
        """The body of the first durable command with this id; None where there is none.

        Raises:
            JournalError: the journal cannot be read.
        """
        return self._reader.find_command(identity)

    def close(self) -> None:
        """Writes what waits, seals, and closes the file. Blocks until it is done. Closing it again does nothing.

        Raises:
            JournalError: the last seal could not be written; what was delivered as durable is durable.
        """
        with self._held:
            # First, so that the writer is the last to close, and leaves one file without a write-ahead log.
            self._reader.close()
            self._writer.close()
