"""The writer thread: submissions that wait are written together, and reported in order, once they are durable.

    submit ─► queue ─► everything that waits ─► one transaction ─► published ─► noted by the witness ─► done
                                                                                    │
                      then a seal that was asked for, and a checkpoint when one is due ◄┘

It never waits for a group to form: a lone event is written at once, and what comes meanwhile makes the next group.
The submitting thread is woken last: with two cores it takes the one that brings the event to a subscriber.
After the first failure nothing is written any more, and all that comes gets the same error: no event may follow
a lost one.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Final, NamedTuple, TypeAlias

from audit.errors import JournalError, journal_error
from audit.records import Entry, Head
from audit.seals import STOP
from audit.witness import Witness
from controller.journal.store import MISTAKE, Store

log = logging.getLogger(__name__)

MOST_TOGETHER: Final = 1000
"""Entries in one transaction, unless one submission alone has more (ours)."""
CHECKPOINT_EVERY: Final = 500
"""Entries and transactions between two checkpoints (ours): the write-ahead log stays at about 4 MB."""

Heads: TypeAlias = Mapping[str, Head]
"""The heads of the chains that one submission touched, after it."""
Done: TypeAlias = Callable[[Heads | JournalError], None]
"""Called once for each submission: with the heads when it is durable, with the error when it is not written."""
Deliver: TypeAlias = Callable[[Done, Heads | JournalError], object]
"""Hands a result to the submitting thread: `loop.call_soon_threadsafe`. Called on the writer's thread."""


AtOnce: TypeAlias = Callable[[Heads], None]
"""Called on the writer's thread with the heads as soon as a submission is durable: no other thread need wake to publish
it.
"""


class Submission(NamedTuple):
    """Entries that are written together or not at all, and the callbacks for the result."""

    entries: Sequence[Entry]
    done: Done
    at_once: AtOnce | None = None


class _SealRequest(NamedTuple):
    """Asks for a seal over what was written since the last one."""


class JournalWriter:
    """Writes to a store from a thread of its own."""

    def __init__(
        self, path: Path, store: Store, witness: Witness, deliver: Deliver, checkpoint_every: int = CHECKPOINT_EVERY
    ) -> None:
        """Takes over the store and the witness, and starts the thread."""
        self._path = path
        self._store = store
        self._witness = witness
        self._deliver = deliver
        self._checkpoint_every = checkpoint_every
        self._since_checkpoint = 0
        self._unnoted: dict[str, Head] = {}
        """Durable, and not yet in the witness."""
        self._queue: SimpleQueue[Submission | _SealRequest | None] = SimpleQueue()
        self._seal_asked = False
        self._gate = Lock()
        """Held to put something into the queue: nothing comes after the end."""
        self._ended = False
        self._taken: deque[Submission] = deque()
        """Taken from the queue, and not yet reported."""
        self._last = False
        """Nothing comes after what was taken."""
        self._witnessed = True
        """Whether the last note reached the witness."""
        self._failure: JournalError | None = None
        self._unsealed: JournalError | None = None
        self._last_seal: Heads = store.seals
        self._thread = Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @property
    def failure(self) -> JournalError | None:
        """The first failure; None while everything is well."""
        return self._failure

    def submit(self, submission: Submission) -> None:
        """Puts a submission behind those that wait.

        Raises:
            JournalError: the journal was closed.
        """
        with self._gate:
            if self._ended:
                raise JournalError(self._path, "it was closed, and something was to be written after that", MISTAKE)
            self._queue.put(submission)

    @property
    def seals(self) -> Heads:
        """The last seal that is durable."""
        return self._last_seal

    def seal(self) -> None:
        """Asks for a seal over what is written and not sealed. Never blocks. Not after an end or a failure."""
        with self._gate:
            if not self._ended:
                self._queue.put(_SealRequest())

    def fail(self, error: JournalError) -> None:
        """Ends the writing because of something that was found elsewhere. A failure before this one stays the first."""
        self._fail(error)

    def close(self) -> None:
        """Writes what waits, seals, and ends the thread.

        Raises:
            JournalError: the seal could not be written. Raised once.
        """
        with self._gate:
            if not self._ended:
                self._ended = True
                self._queue.put(None)
        self._thread.join()
        if self._unsealed is not None:
            error, self._unsealed = self._unsealed, None
            raise error

    # --- on the writer's thread ----------------------------------------------------------------------------------

    def _run(self) -> None:
        in_order = False
        try:
            while not self._last:
                self._take()
                self._serve()
                self._maintain()
            self._end()
            in_order = True
        finally:
            # Only a mistake in the program leads here otherwise. No submission may wait for ever because of it.
            if not in_order:
                self._fail(JournalError(self._path, "its writer stopped while it wrote events", MISTAKE))
                self._unsealed = self._failure
                self._refuse()
                while not self._last:
                    self._take()
                    self._refuse()

    def _take(self) -> None:
        """Waits for a submission, and takes all that wait behind it."""
        found = self._queue.get()
        together = 0
        while found is not None:
            if isinstance(found, _SealRequest):
                self._seal_asked = True
            else:
                self._taken.append(found)
                together += len(found.entries)
                if together >= MOST_TOGETHER:
                    return
            if self._queue.empty():
                return
            # This thread alone takes from the queue.
            found = self._queue.get()
        self._last = True

    def _serve(self) -> None:
        if not self._taken:
            return
        if self._failure is not None:
            self._refuse()
            return
        self._since_checkpoint += 1 + sum(len(submission.entries) for submission in self._taken)
        try:
            results = self._store.append([submission.entries for submission in self._taken])
        except JournalError as error:
            self._fail(error)
            self._refuse()
            return
        for submission, heads in zip(self._taken, results, strict=True):
            if submission.at_once is not None:
                submission.at_once(heads)
        for heads in results:
            self._unnoted.update(heads)
        try:
            self._note()
        finally:
            # Durable and published it is, whatever became of the note.
            for heads in results:
                self._report_next(heads)

    def _maintain(self) -> None:
        """Seals what a seal was asked for, and makes checkpoints, for which no submission waits."""
        if self._seal_asked:
            self._seal_asked = False
            self._seal_second()
            self._note()
        self._checkpoint()

    def _seal_second(self) -> None:
        if self._failure is not None:
            return
        try:
            if self._store.seal_second():
                self._since_checkpoint += 1
                self._last_seal = self._store.seals
                self._unnoted.update(self._last_seal)
        except JournalError as error:
            self._fail(error)

    def _note(self) -> None:
        """Notes what is durable. A witness that cannot be written proves less, but what is journalled is durable
        without it: play goes on, and the next note tries again.
        """
        noted, self._unnoted = self._unnoted, {}
        if not noted:
            return
        try:
            self._witness.note(noted)
        except OSError as error:
            if self._witnessed:
                log.error("the heads file beside %s cannot be written, and proves nothing newer: %s", self._path, error)
            self._witnessed = False
            return
        if not self._witnessed:
            log.info("the heads file beside %s is written again", self._path)
        self._witnessed = True

    def _checkpoint(self) -> None:
        """Moves the write-ahead log into the file, when enough was written."""
        if self._failure is None and self._since_checkpoint >= self._checkpoint_every:
            self._since_checkpoint = 0
            try:
                self._store.checkpoint()
            except JournalError as error:
                self._fail(error)

    def _report_next(self, result: Heads | JournalError) -> None:
        """Reports the oldest that was taken: each once, whatever happens."""
        submission = self._taken.popleft()
        try:
            self._deliver(submission.done, result)
        except RuntimeError as error:
            # The loop is closed: nothing can be published, so nothing more may be written.
            self._fail(JournalError(self._path, f"the result cannot be delivered ({error})", MISTAKE))

    def _fail(self, error: JournalError) -> None:
        if self._failure is None:
            self._failure = error

    def _refuse(self) -> None:
        failure = self._failure
        while failure is not None and self._taken:
            self._report_next(failure)

    def _end(self) -> None:
        """Seals, unless something failed: then the file is left as it is."""
        for what, step in (("sealing", self._seal), ("closing", self._store.close), ("closing", self._witness.close)):
            try:
                step()
            except (JournalError, OSError) as error:
                self._unsealed = (
                    error if isinstance(error, JournalError) else journal_error(self._path, error, f"{what} it")
                )
                self._fail(self._unsealed)

    def _seal(self) -> None:
        if self._failure is None:
            self._store.seal(STOP)
            self._last_seal = self._store.seals
            self._witness.note(self._last_seal)
