"""The writer: groups of what waits, results in order, and nothing after the first failure."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, cast

import pytest

from audit.errors import JournalError
from audit.records import Entry, Head
from audit.seals import SEALS
from audit.witness import Witness
from controller.journal.store import Store
from controller.journal.writer import MOST_TOGETHER, JournalWriter, Submission
from feed import events
from tests.fakes.time_limits import HANG_S
from tests.powercut.making import player

PATH = Path("journal.sqlite")


class FakeStore:
    """A store whose transactions wait until the test lets them go on."""

    def __init__(self) -> None:
        self.began: SimpleQueue[list[int]] = SimpleQueue()
        """How many entries each submission of a transaction has."""
        self.go_on = threading.Semaphore(0)
        self.fails: BaseException | None = None
        self.fails_at_checkpoint: JournalError | None = None
        self.fails_at_seal: JournalError | None = None
        self.log: list[str] = []
        self.sealed = 0

    def append(self, submissions: Sequence[Sequence[Entry]]) -> list[dict[str, Head]]:
        self.began.put([len(entries) for entries in submissions])
        assert self.go_on.acquire(timeout=HANG_S)
        if self.fails is not None:
            raise self.fails
        self.log.append("append")
        return [{entry.chain: Head(entry.seq, entry.epoch, "") for entry in entries} for entries in submissions]

    def seal(self, why: str) -> None:
        if self.fails_at_seal is not None:
            raise self.fails_at_seal
        self.log.append(why)

    @property
    def seals(self) -> dict[str, Head]:
        return {SEALS: Head(self.sealed, "", "")} if self.sealed else {}

    def seal_second(self) -> bool:
        self.sealed += 1
        if self.fails_at_seal is not None:
            raise self.fails_at_seal
        self.log.append("second")
        return True

    def checkpoint(self) -> None:
        if self.fails_at_checkpoint is not None:
            raise self.fails_at_checkpoint
        self.log.append("checkpoint")

    def close(self) -> None:
        self.log.append("close")


class FakeWitness:
    """A witness that remembers, and fails when it is told to."""

    def __init__(self) -> None:
        self.noted: list[dict[str, Head]] = []
        self.heard: SimpleQueue[dict[str, Head]] = SimpleQueue()
        self.fails = False
        self.fails_to_close = False
        self.mistake: Exception | None = None

    def note(self, heads: dict[str, Head]) -> None:
        if self.mistake is not None:
            raise self.mistake
        if self.fails:
            raise OSError(28, "No space left on device")
        self.noted.append(heads)
        self.heard.put(heads)

    def close(self) -> None:
        if self.fails_to_close:
            raise OSError(5, "Input/output error")


class Bench:
    """A writer on fakes."""

    def __init__(self, checkpoint_every: int = 10_000) -> None:
        self.store = FakeStore()
        self.witness = FakeWitness()
        self.told: SimpleQueue[tuple[object, Any]] = SimpleQueue()
        self.loop_is_closed = False
        self.player = player()
        self.writer = JournalWriter(
            PATH, cast(Store, self.store), cast(Witness, self.witness), self.deliver, checkpoint_every
        )

    def deliver(self, done: Any, result: Any) -> None:
        if self.loop_is_closed:
            raise RuntimeError("Event loop is closed")
        done(result)

    def submit(self, name: object, count: int = 1) -> None:
        entries = [self.player.say(events.TableClosed, reason="end") for _ in range(count)]
        self.writer.submit(Submission(entries, lambda result: self.told.put((name, result))))

    def results(self, count: int) -> list[tuple[object, Any]]:
        return [self.told.get(timeout=HANG_S) for _ in range(count)]

    def began(self) -> list[int]:
        return self.store.began.get(timeout=HANG_S)

    def close(self) -> None:
        self.store.go_on.release(1000)
        self.writer.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


def test_a_lone_submission_is_written_at_once(bench: Bench) -> None:
    bench.submit("first", 2)
    assert bench.began() == [2]
    bench.store.go_on.release()
    assert bench.results(1) == [("first", {"roulette-1": Head(2, "e1", "")})]


def test_what_comes_while_one_is_written_is_written_together_and_told_in_order(bench: Bench) -> None:
    bench.submit("first")
    assert bench.began() == [1]
    for name in range(5):
        bench.submit(name)
    bench.store.go_on.release(2)
    assert bench.began() == [1, 1, 1, 1, 1]
    results = bench.results(6)
    assert [name for name, _ in results] == ["first", 0, 1, 2, 3, 4]
    assert [result["roulette-1"].seq for _, result in results] == [1, 2, 3, 4, 5, 6]


def test_a_transaction_takes_so_many_and_leaves_the_rest_to_the_next(bench: Bench) -> None:
    bench.submit("first")
    bench.began()
    bench.submit("much", MOST_TOGETHER)
    bench.submit("more")
    bench.store.go_on.release(3)
    assert [bench.began(), bench.began()] == [[MOST_TOGETHER], [1]]


def test_nothing_is_told_before_it_is_durable(bench: Bench) -> None:
    bench.submit("first")
    bench.began()
    assert bench.told.empty()
    bench.store.go_on.release()
    bench.results(1)


def test_the_first_failure_goes_to_all_that_wait_and_all_that_come(bench: Bench) -> None:
    bench.store.fails = JournalError(PATH, "the disk is full", "free space")
    bench.submit("first")
    bench.began()
    bench.submit("waiting")
    bench.store.go_on.release()
    assert [name for name, _ in bench.results(2)] == ["first", "waiting"]
    bench.store.fails = None
    bench.submit("later")
    ((_, result),) = bench.results(1)
    assert result is bench.writer.failure
    assert str(result) == "journal.sqlite: the disk is full; free space"
    assert bench.store.began.empty()
    bench.writer.close()
    assert bench.store.log == ["close"]


def test_the_witness_notes_what_is_durable(bench: Bench) -> None:
    bench.submit("first", 3)
    bench.store.go_on.release()
    bench.results(1)
    bench.close()
    assert bench.witness.noted[0] == {"roulette-1": Head(3, "e1", "")}


def test_the_witness_is_not_kept_waiting_though_nothing_more_comes(bench: Bench) -> None:
    bench.submit("first", 3)
    bench.store.go_on.release()
    assert bench.witness.heard.get(timeout=HANG_S) == {"roulette-1": Head(3, "e1", "")}


def test_the_witness_notes_what_was_told_before_the_next_is_written(bench: Bench) -> None:
    bench.submit("first")
    bench.began()
    bench.submit("second")
    bench.store.go_on.release()
    bench.began()
    assert bench.witness.noted == [{"roulette-1": Head(1, "e1", "")}]


def test_a_witness_that_cannot_be_written_stops_nothing_and_is_tried_again(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    bench.witness.fails = True
    for number in (1, 2):
        bench.submit(f"event {number}")
        bench.store.go_on.release()
        ((_, result),) = bench.results(1)
        assert not isinstance(result, JournalError)
    bench.witness.fails = False
    bench.submit("event 3")
    bench.store.go_on.release()
    bench.results(1)
    assert bench.witness.heard.get(timeout=HANG_S)
    assert bench.writer.failure is None
    bench.store.go_on.release(2)
    bench.writer.close()
    assert [message.rsplit(":", 1)[0] for message in caplog.messages] == [
        f"the heads file beside {PATH} cannot be written, and proves nothing newer",
        f"the heads file beside {PATH} is written again",
    ]


def test_a_checkpoint_comes_when_so_much_was_written_and_after_it_was_told() -> None:
    bench = Bench(checkpoint_every=4)
    for name in range(4):
        bench.submit(name)
        bench.began()
        bench.store.go_on.release()
        bench.results(1)
    bench.close()
    assert bench.store.log == ["append", "append", "checkpoint", "append", "append", "checkpoint", "stop", "close"]


def test_a_failed_checkpoint_stops_the_journal() -> None:
    bench = Bench(checkpoint_every=1)
    bench.store.fails_at_checkpoint = JournalError(PATH, "the disk answered with an error", "replace it")
    bench.submit("first")
    bench.store.go_on.release(2)
    ((_, first),) = bench.results(1)
    assert not isinstance(first, JournalError)
    bench.close()
    assert bench.writer.failure is bench.store.fails_at_checkpoint


def test_closing_writes_what_waits_and_seals(bench: Bench) -> None:
    bench.submit("first")
    bench.began()
    bench.submit("second")
    bench.store.go_on.release(2)
    bench.writer.close()
    assert [name for name, _ in bench.results(2)] == ["first", "second"]
    assert bench.store.log == ["append", "append", "stop", "close"]


def test_closing_again_does_nothing(bench: Bench) -> None:
    bench.writer.close()
    bench.writer.close()
    assert bench.store.log == ["stop", "close"]


def test_a_seal_that_cannot_be_written_is_told_once_by_closing(bench: Bench) -> None:
    bench.store.fails_at_seal = JournalError(PATH, "the disk is full", "free space")
    with pytest.raises(JournalError, match="the disk is full"):
        bench.writer.close()
    bench.writer.close()


def test_a_seal_that_was_asked_for_comes_after_what_waits_and_is_noted(bench: Bench) -> None:
    bench.submit("first")
    assert bench.began() == [1]
    bench.writer.seal()
    bench.writer.seal()
    bench.store.go_on.release()
    bench.results(1)
    bench.writer.close()
    assert bench.store.log == ["append", "second", "stop", "close"]
    assert {SEALS: Head(1, "", "")}.items() <= {**bench.witness.noted[0], **bench.witness.noted[-1]}.items()


def test_no_seal_is_asked_for_after_the_end_or_made_after_a_failure(bench: Bench) -> None:
    bench.writer.fail(JournalError(PATH, "it is gone", "put it back"))
    bench.writer.seal()
    bench.writer.close()
    bench.writer.seal()
    assert bench.store.log == ["close"]


def test_a_seal_of_a_second_that_cannot_be_written_stops_the_journal(bench: Bench) -> None:
    bench.store.fails_at_seal = JournalError(PATH, "the disk is full", "free space")
    bench.submit("first")
    bench.began()
    bench.writer.seal()
    bench.store.go_on.release()
    bench.results(1)
    bench.writer.close()
    assert "the disk is full" in str(bench.writer.failure)


def test_what_comes_after_the_end_is_a_mistake(bench: Bench) -> None:
    bench.writer.close()
    with pytest.raises(JournalError, match="it was closed"):
        bench.submit("late")


def test_when_nobody_takes_the_results_any_more_nothing_more_is_written(bench: Bench) -> None:
    bench.loop_is_closed = True
    bench.submit("first")
    bench.began()
    bench.submit("second")
    bench.close()
    assert bench.store.log == ["append", "close"]
    assert bench.writer.failure is not None
    assert "Event loop is closed" in str(bench.writer.failure)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_mistake_in_the_program_leaves_nobody_waiting_and_closing_says_so() -> None:
    bench = Bench()
    bench.store.fails = TypeError("a body that is not bytes")
    bench.submit("first")
    bench.began()
    bench.submit("waiting")
    bench.store.go_on.release()
    results = dict(bench.results(2))
    bench.submit("later")
    results.update(bench.results(1))
    assert all("its writer stopped while it wrote events" in str(result) for result in results.values())
    assert list(results) == ["first", "waiting", "later"]
    with pytest.raises(JournalError, match="its writer stopped while it wrote events"):
        bench.writer.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_mistake_in_the_very_last_transaction_keeps_nobody_from_closing() -> None:
    bench = Bench()
    bench.submit("first")
    bench.began()
    bench.store.fails = TypeError("a body that is not bytes")
    bench.submit("last")
    told: list[JournalError] = []

    def close() -> None:
        with pytest.raises(JournalError) as caught:
            bench.writer.close()
        told.append(caught.value)

    closes = threading.Thread(target=close, daemon=True)
    # As closing does it, and surely before the last transaction is taken.
    bench.writer._queue.put(None)
    bench.store.go_on.release(2)
    closes.start()
    closes.join(HANG_S)
    assert [name for name, _ in bench.results(2)] == ["first", "last"]
    assert [str(error) for error in told] == [str(bench.writer.failure)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_was_told_to_be_durable_is_never_told_again_as_lost() -> None:
    bench = Bench()
    bench.witness.mistake = TypeError("no heads")
    bench.submit("first")
    bench.store.go_on.release()
    assert bench.results(1)[0][1] == {"roulette-1": Head(1, "e1", "")}
    with pytest.raises(JournalError):
        bench.writer.close()
    assert bench.told.empty()


def test_a_witness_that_cannot_be_closed_is_told_and_the_file_is_closed(bench: Bench) -> None:
    bench.witness.fails_to_close = True
    with pytest.raises(JournalError, match="while closing it, the disk answered with an error"):
        bench.writer.close()
    assert bench.store.log == ["stop", "close"]
