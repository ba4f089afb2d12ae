"""Events whose capture is being written hold back those behind them, and no other table's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from audit.errors import JournalError
from audit.records import Entry
from controller.captures.capture_archive import Ready
from controller.captures.capture_store import CaptureRequest
from controller.captures.round_spans import RoundSpan
from controller.service.outbox import NOT_KEPT, Outbox
from controller.table.orders.order import CommandResult
from feed import events
from feed.events import CaptureFile, Event, Evidence
from hal.capture.ring import Ring
from hal.capture.vcd_writer import CaptureLines
from hal.values import Batch, Command
from tests.fakes.sample_events import event, opened, progress
from tests.fakes.service import PipelineBench

NAME = CaptureFile(file="wheel-1/x.vcd", sha256="00" * 32)


class SlowKeeper:
    """Gives the names when the test asks for it."""

    def __init__(self) -> None:
        self.cases: list[tuple[CaptureRequest, Ready]] = []

    def keep(self, case: CaptureRequest, ready: Ready) -> None:
        self.cases.append((case, ready))

    def ready(self, name: CaptureFile | None = NAME) -> None:
        _, ready = self.cases.pop(0)
        ready(name)


class FakeHandler:
    """Records of answers, one entry each."""

    def __init__(self) -> None:
        self.answered: list[str] = []
        self.reasons: list[str] = []

    def records(self, answers: Sequence[CommandResult]) -> tuple[list[Entry], Callable[[JournalError | None], None]]:
        self.reasons += [answer.reason for answer in answers]
        return [], lambda failure: self.answered.extend(answer.id for answer in answers)


class StillLines:
    """Lines that do nothing."""

    held_ns = 0

    def __init__(self, table: str) -> None:
        self.table = table

    def capture_request(self, event_id: str, span: RoundSpan) -> CaptureRequest | None:
        if span.to_ns <= self.held_ns:
            return None
        ring = Ring()
        ring.append(Batch([], [], 10))
        return CaptureRequest(self.table, event_id, ring.cut(span.from_ns, span.to_ns), CaptureLines(()))


class Box:
    """Two tables' outboxes on one pipeline."""

    def __init__(self) -> None:
        self.bench, self.keeper, self.handler = PipelineBench(), SlowKeeper(), FakeHandler()
        self.shown: list[Event] = []
        self.lines = StillLines("wheel-1")
        self.one, self.other = self._box(self.lines), self._box(StillLines("wheel-2"))

    def _box(self, lines: StillLines) -> Outbox:
        return Outbox(self.bench.pipeline, self.handler, self.keeper, lines, self.shown.extend)  # type: ignore[arg-type]


def void(number: int) -> Event:
    return event(events.Void, number, round=1, call="No spin", reason="dealer_call", rule="ours", evidence=Evidence())


def test_a_verdict_waits_for_its_capture_and_what_follows_waits_for_it() -> None:
    box = Box()
    box.one.put([opened(1)], [], 1)
    box.one.put([void(2)], [], 2)
    box.one.put([progress(1)], [], 3)
    box.one.put([opened(3)], [CommandResult(Command("settle", (), 0, "7"), True, "", ())], 4)
    box.other.put([opened(1, "wheel-2")], [], 4)
    assert box.bench.feed.kinds == ["round.opened", "round.opened"], "the other table does not wait"
    assert box.handler.answered == []
    box.keeper.ready()
    assert box.bench.feed.kinds[2:] == ["round.void", "round.progress", "round.opened"]
    assert box.handler.answered == ["7"]
    (named,) = [one.data for one in box.bench.feed.events if isinstance(one.data, events.Void)]
    assert named.evidence.capture == NAME


def test_a_verdict_without_a_capture_is_submitted_at_once() -> None:
    box = Box()
    box.one.put([opened(1)], [], 1)
    box.one.put([void(2)], [], 2)
    box.keeper.ready(None)
    (said,) = [one for one in box.bench.feed.events if isinstance(one.data, events.Void)]
    assert said == void(2)


def test_what_the_journal_holds_is_what_names_the_capture() -> None:
    box = Box()
    box.one.put([opened(1)], [], 1)
    box.one.put([void(2)], [], 2)
    box.keeper.ready()
    assert NAME.file.encode() in box.bench.journal.entries[-1].body


def test_indicators_show_durable_events_only() -> None:
    box = Box()
    box.bench.journal.by_itself = False
    box.one.put([opened(1)], [], 1)
    assert box.shown == []
    box.bench.journal.commit()
    assert box.shown == [opened(1)]
    box.one.put([opened(2)], [], 2)
    box.bench.journal.fail()
    box.bench.journal.commit()
    assert box.shown == [opened(1)]


def test_events_that_the_service_causes_have_no_capture() -> None:
    box = Box()
    box.one.put([opened(1)], [], 1)
    box.one.put_from_service([void(2)])
    assert box.keeper.cases == []
    assert box.bench.feed.kinds == ["round.opened", "round.void"]


def test_two_rounds_in_one_tick_have_a_capture_each() -> None:
    box = Box()
    second = event(
        events.Unresolved, 4, round=2, reason="encoder_slip", rule="ours", evidence=Evidence(), candidates=[]
    )
    box.one.put([opened(1), void(2), event(events.RoundOpened, 3, round=2), second], [], 9)
    assert [case.event_id for case, _ in box.keeper.cases] == [void(2).id, second.id]
    box.keeper.ready()
    assert box.bench.feed.kinds == []
    box.keeper.ready()
    assert len(box.bench.feed.kinds) == 4


# --- disputes ------------------------------------------------------------------------------------------------------


def outcome(number: int) -> Event:
    return event(events.Outcome, number, round=1, result={}, winning=[], evidence=Evidence(), rule="r")


def dispute(box: Box, number: int, until_ns: int) -> None:
    stands = events.Verdict(verdict="outcome", result={})
    said = event(events.RoundDisputed, number, round=1, by="ann", stands=stands)
    answer = CommandResult(Command("dispute", (), 0, str(number)), True, "round 1 is disputed", (said.id,))
    box.one.put([said], [answer], until_ns)


def captures(box: Box) -> list[CaptureFile | None]:
    return [one.data.capture for one in box.bench.feed.events if isinstance(one.data, events.RoundDisputed)]


def test_a_disputed_outcome_has_a_capture_that_the_answer_names_and_a_second_dispute_has_the_same() -> None:
    box = Box()
    box.one.put([opened(1), outcome(2)], [], 8)
    dispute(box, 3, 9)
    (case, _) = box.keeper.cases[0]
    assert case.cut.batch.until_ns == 8, "it ends with the verdict"
    assert box.handler.reasons == [], "the answer waits for its capture"
    box.keeper.ready()
    dispute(box, 4, 10)
    assert box.keeper.cases == []
    assert captures(box) == [NAME, NAME]
    assert box.handler.reasons == ["round 1 is disputed; its capture is wheel-1/x.vcd"] * 2


@pytest.mark.parametrize("held_ns", [0, 8])
def test_a_dispute_whose_capture_cannot_be_kept_is_recorded_and_the_answer_says_so(held_ns: int) -> None:
    box = Box()
    box.lines.held_ns = held_ns
    box.one.put([opened(1), outcome(2)], [], 8)
    dispute(box, 3, 9)
    if held_ns == 0:
        box.keeper.ready(None)
    assert box.keeper.cases == []
    assert captures(box) == [None]
    assert box.handler.reasons == [f"round 1 is disputed; {NOT_KEPT}"]


def test_a_capture_that_was_cut_before_the_verdict_is_not_that_of_a_dispute() -> None:
    box = Box()
    fault: dict[str, Any] = {"device": "wheel", "fault": "not_level", "detail": "", "blocks_play": True, "round": 1}
    box.one.put([opened(1), event(events.DeviceFault, 2, **fault)], [], 4)
    box.keeper.ready()
    box.one.put([outcome(3)], [], 8)
    dispute(box, 4, 9)
    assert [case.cut.batch.until_ns for case, _ in box.keeper.cases] == [8]
