"""One table's events on their way to the pipeline: those whose capture is being made hold back the ones behind them.

    tick ──► [ said ][ said, capture? ][ said ] ──front is ready──► pipeline
                            ▲
                   casebook: name and hash, some milliseconds later

Other tables do not wait.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from controller.captures.capture_archive import Ready, rounds_to_keep, with_captures
from controller.captures.capture_store import Case
from controller.captures.round_spans import RoundMarks, Stretch
from controller.journal.errors import JournalError
from controller.service.command_handler import CommandHandler
from controller.service.command_protocols import CommandResult
from controller.service.pipeline import Pipeline
from feed.events import CaptureFile, Event


class CaptureKeeper(Protocol):
    """Keeps captures: the casebook."""

    def keep(self, case: Case, ready: Ready) -> None:
        """Keeps a case; `ready` is told its name, or None, at once or later."""


class LineHistory(Protocol):
    """What a table's lines did in the last minutes."""

    @property
    def held_ns(self) -> int:
        """From when on they are known."""

    def case(self, event_id: str, stretch: Stretch) -> Case | None:
        """A capture of a stretch of them, named after an event; None where nothing of it is held."""


ShowEvents = Callable[[Sequence[Event]], None]


@dataclass(slots=True)
class _Held:
    """What one look at the table brought."""

    said: Sequence[Event]
    answers: Sequence[CommandResult]
    wanted: set[int]
    """Rounds whose captures have no name yet."""
    names: dict[int, CaptureFile] = field(default_factory=dict)


class Outbox:
    """Hands on, in order, what one table says."""

    def __init__(
        self, pipeline: Pipeline, handler: CommandHandler, keeper: CaptureKeeper, lines: LineHistory, show: ShowEvents
    ) -> None:
        """`show` is given the events that are durable and published: for the table's lamps and display."""
        self._pipeline = pipeline
        self._handler = handler
        self._keeper = keeper
        self._lines = lines
        self._show = show
        self._marks = RoundMarks()
        self._held: deque[_Held] = deque()

    def tell(self, said: Sequence[Event]) -> None:
        """Takes what the table said because the service did something: no capture of its lines would show why."""
        self._marks.note(said, max((event.data.mono_ns for event in said), default=0))
        self._held.append(_Held(said, (), set()))
        self._forward()

    def put(self, said: Sequence[Event], answers: Sequence[CommandResult], until_ns: int) -> None:
        """Takes what the table said of its lines up to `until_ns`, and what it answered."""
        if not said and not answers:
            return
        self._marks.note(said, until_ns)
        cases: dict[int, Case] = {}
        for number, event in rounds_to_keep(said, self._marks).items():
            stretch = self._marks.stretch(number, until_ns, self._lines.held_ns)
            case = None if stretch is None else self._lines.case(event.id, stretch)
            if case is not None:
                cases[number] = case
        held = _Held(said, answers, set(cases))
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
            said = with_captures(held.said, held.names, self._marks) if held.names else held.said
            for number in held.names:
                self._marks.keep(number)
            entries, answered = self._handler.records(held.answers)
            self._pipeline.put(said, entries, self._then(said, answered))

    def _then(
        self, said: Sequence[Event], answered: Callable[[JournalError | None], None]
    ) -> Callable[[JournalError | None], None]:
        def then(failure: JournalError | None) -> None:
            answered(failure)
            if failure is None:
                self._show(said)

        return then
