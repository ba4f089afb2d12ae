"""Queues one table's events for the pipeline: events whose capture is being written hold back those behind them.

    tick ──► [ events ][ events, capture? ][ events ] ──front is ready──► pipeline
                            ▲
                 archive: name and hash, some milliseconds later

Other tables do not wait.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from audit.errors import JournalError
from controller.captures.capture_archive import Ready, rounds_to_keep, with_captures
from controller.captures.capture_store import CaptureRequest
from controller.captures.round_spans import RoundSpan, RoundSpans
from controller.service.command_handler import CommandHandler
from controller.service.pipeline import Pipeline
from controller.table.orders.order import CommandResult
from feed.events import CaptureFile, Event, RoundDisputed


class CaptureKeeper(Protocol):
    """The archive of captures."""

    def keep(self, case: CaptureRequest, ready: Ready) -> None:
        """Keeps a case; calls `ready` with its name, or None, at once or later."""


class LineHistory(Protocol):
    """The last minutes of a table's lines."""

    @property
    def held_ns(self) -> int:
        """The start of what is held."""

    def capture_request(self, event_id: str, span: RoundSpan) -> CaptureRequest | None:
        """A capture of a span of them, named after an event; None where nothing of it is held."""


NOT_KEPT: Final = (
    "no capture is kept: its lines are no longer in memory (the last minutes alone are, since the start), or the log "
    "has why"
)


ShowEvents = Callable[[Sequence[Event]], None]


@dataclass(slots=True)
class _Held:
    """The events and results of one tick."""

    events: Sequence[Event]
    results: Sequence[CommandResult]
    wanted: set[int]
    """Rounds whose captures have no name yet."""
    whole: frozenset[int] = frozenset()
    """Those of them that were decided when their capture was cut."""
    names: dict[int, CaptureFile] = field(default_factory=dict)


class Outbox:
    """Hands on the events and command results of one table, in order."""

    def __init__(
        self, pipeline: Pipeline, handler: CommandHandler, keeper: CaptureKeeper, lines: LineHistory, show: ShowEvents
    ) -> None:
        """`show` is given the events that are durable and published: for the table's lamps and display."""
        self._pipeline = pipeline
        self._handler = handler
        self._keeper = keeper
        self._lines = lines
        self._show = show
        self._round_spans = RoundSpans()
        self._held: deque[_Held] = deque()

    def put_from_service(self, events: Sequence[Event]) -> None:
        """Queues events that the service caused: no capture of the lines would show why."""
        self._round_spans.note(events, max((event.data.mono_ns for event in events), default=0))
        self._held.append(_Held(events, (), set()))
        self._forward()

    def put(self, events: Sequence[Event], results: Sequence[CommandResult], until_ns: int) -> None:
        """Queues the events of the lines up to `until_ns`, and the results of commands."""
        if not events and not results:
            return
        self._round_spans.note(events, until_ns)
        cases: dict[int, CaptureRequest] = {}
        for number, event in rounds_to_keep(events, self._round_spans).items():
            span = self._round_spans.span_of(number, until_ns, self._lines.held_ns)
            case = None if span is None else self._lines.capture_request(event.id, span)
            if case is not None:
                cases[number] = case
        whole = frozenset(number for number in cases if self._round_spans.is_decided(number))
        held = _Held(events, results, set(cases), whole)
        self._held.append(held)
        for number, case in cases.items():
            self._keeper.keep(case, self._ready(held, number))
        self._forward()

    def _ready(self, held: _Held, number: int) -> Ready:
        def ready(name: CaptureFile | None) -> None:
            if name is not None:
                held.names[number] = name
            held.wanted.discard(number)
            self._forward()

        return ready

    def _forward(self) -> None:
        while self._held and not self._held[0].wanted:
            held = self._held.popleft()
            events = with_captures(held.events, held.names, self._round_spans)
            for number in held.whole.intersection(held.names):
                self._round_spans.keep(number, held.names[number])
            entries, answered = self._handler.records(_with_captures_named(held.results, events))
            self._pipeline.put(events, entries, self._then(events, answered))

    def _then(
        self, events: Sequence[Event], answered: Callable[[JournalError | None], None]
    ) -> Callable[[JournalError | None], None]:
        def then(failure: JournalError | None) -> None:
            answered(failure)
            if failure is None:
                self._show(events)

        return then


def _with_captures_named(results: Sequence[CommandResult], events: Sequence[Event]) -> list[CommandResult]:
    """The results, in which whoever disputed a round is answered which capture was kept of it, or that none was."""
    kept = {event.id: event.data.capture for event in events if isinstance(event.data, RoundDisputed)}
    return [
        one._replace(reason=f"{one.reason}; {_kept_words(kept[id_])}")
        if (id_ := next((each for each in one.event_ids if each in kept), None)) is not None
        else one
        for one in results
    ]


def _kept_words(capture: CaptureFile | None) -> str:
    if capture is None:
        return NOT_KEPT
    short = "" if capture.complete else ", which begins too late for a replay to be sure of the verdict"
    return f"its capture is {capture.file}{short}"
