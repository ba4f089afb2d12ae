"""An automated shuffling device: by plain lines, or by the lines of `card_wire` on its serial link.

    lines   shuffler_busy      __┌───────────────┐_______     a cycle
            shuffler_card      ___|‾|_|‾|_ … |‾|__________    one optical pulse a card, since the cycle before ended
            shuffler_complete  __________________|‾‾‾‾‾‾‾     the cycle is complete: with the end of busy, or soon after
            shuffler_jam, shuffler_door, shuffler_present     high: jammed; open; it is at the table
    serial  H;1;B;---;xx … H;1;C;052;xx                       the state of each batch, and its count

A cycle ends complete, or fails: a jam in it is `shuffler_jam`; stopping without `complete`, a door that was opened, a
cycle that never ends, and a cable that was pulled in it are `shuffle_incomplete`. The count is what it counted, and
nothing where changes of the counter were lost: whether it is right the game decides, for it knows the deck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.sensed_device import DebouncedLevel
from drivers.base.view import dead_lines
from drivers.cards.card_wire import (
    MalformedCardLine,
    OpenedCardLine,
    SealedOrderLine,
    ShufflerLine,
    ShufflerState,
    parse_shuffler,
)
from drivers.cards.observations import (
    BATCHES,
    CardBatch,
    LineGarbled,
    OrderCardOpened,
    OrderOpened,
    OrderSealed,
    ShuffleBegan,
    ShuffleEnded,
    ShufflerPresent,
    ShufflerTrouble,
    ShufflerTroubled,
    ShufflerUntroubled,
)
from drivers.cards.view import BatchView, ShufflerView
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

BUSY: Final = "shuffler_busy"
COMPLETE: Final = "shuffler_complete"
JAM: Final = "shuffler_jam"
DOOR: Final = "shuffler_door"
CARD: Final = "shuffler_card"
PRESENT: Final = "shuffler_present"
HOLD_NS: Final = 20_000_000
"""A contact has changed when it held for this long (ours)."""

_WORDS: Final[dict[ShufflerTrouble, str]] = {
    "jam": "a card is jammed in the shuffler",
    "door": "the door of the shuffler is open",
}


class ShufflerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of an automated shuffling device."""

    driver: Literal["shuffler"] = "shuffler"
    control: Annotated[
        Literal["lines", "serial"],
        Meta(description="lines: busy, complete, jam, door and a pulse a card; serial: the lines H of docs/devices"),
    ] = "lines"
    link: Annotated[str, Meta(min_length=1, description="serial: name of the shuffler's link")] = "shuffler"
    counter: Annotated[bool, Meta(description="lines: one optical pulse a card; false: it counts none")] = True
    present_sensor: Annotated[bool, Meta(description="a sensor reports whether it is at the table")] = False
    complete_s: Annotated[
        float, Meta(ge=0, le=30, description="lines: complete comes this soon after the end of busy, or never (ours)")
    ] = 1.0
    longest_s: Annotated[
        float, Meta(ge=5, le=900, description="a cycle that takes longer has stopped (ours; a deck takes 22 s to 60 s)")
    ] = 180.0
    reports_s: Annotated[
        float,
        Meta(
            ge=0, le=60, description="serial: it reports at least this often, or its link is dead; 0: only at changes"
        ),
    ] = 0.0


class _Cycle:
    """A cycle that is under way or has just stopped."""

    def __init__(self, batch: CardBatch | None, began_ns: int) -> None:
        self.batch = batch
        self.began_ns = began_ns
        self.failure = ""
        self.detail = ""
        self.stopped_ns = NEVER_NS
        """Lines: when busy fell."""

    def fails(self, failure: str, detail: str) -> None:
        """The first thing that goes wrong with it is why it fails."""
        if not self.failure:
            self.failure, self.detail = failure, detail


class Shuffler:
    """The driver of one shuffler (see `drivers.base.driver.Driver`)."""

    def __init__(self, config: ShufflerConfig, name: str = "shuffler") -> None:
        self.name = name
        self._config = config
        self._serial = config.control == "serial"
        self._complete_ns = round(config.complete_s * 1e9)
        self._longest_ns = round(config.longest_s * 1e9)
        self._reports_ns = round(config.reports_s * 1e9)
        held = () if self._serial else (BUSY, COMPLETE, JAM, DOOR)
        held = (*held, PRESENT) if config.present_sensor else held
        self._held = {line: DebouncedLevel(HOLD_NS) for line in held}
        counted = {CARD} if config.counter and not self._serial else set()
        self.lines = frozenset({*self._held, *counted, *({config.link} if self._serial else ())})
        self._health = SensorHealth()
        self._cycles: dict[CardBatch | None, _Cycle] = {}
        self._pulses: int | None = None if self._serial or not config.counter else 0
        """Lines: pulses since the cycle before ended; None where they are not known."""
        self._counting = self._pulses is not None
        self._troubles: dict[ShufflerTrouble, set[object]] = {"jam": set(), "door": set()}
        """What reports each trouble at present."""
        self._states: dict[CardBatch, ShufflerState] = {}
        self._order: dict[CardBatch, list[tuple[str, str]]] = {}
        """The cards of each order that were opened until now, each with its salt; of a whole one, all."""
        self._sealed: dict[CardBatch, SealedOrderLine] = {}
        self._gaps: set[CardBatch] = set()
        """The orders of which a line came out of sequence: that is reported once."""
        self._heard_ns = NEVER_NS
        """Serial: when its last line came; one that never reports is not missed."""

    def view(self, t_ns: int) -> ShufflerView:
        """The shuffler at `t_ns`: its batches and counts, never a card."""
        batches = [(str(batch), state.name.lower()) for batch, state in sorted(self._states.items())]
        under_way = [] if self._serial else [("1", "shuffling" if self._cycles else "idle")]
        troubles = tuple(trouble for trouble, reporters in self._troubles.items() if reporters)
        failures = tuple(f"{cycle.failure}: {cycle.detail}" for cycle in self._cycles.values() if cycle.failure)
        shown = batches or under_way
        facts = (
            *((f"batch {name}", state) for name, state in shown),
            ("cards counted", "-" if self._pulses is None else str(self._pulses)),
            ("trouble", ", ".join(troubles) or "none"),
        )
        return ShufflerView(
            facts=facts,
            doubts=(*failures, *dead_lines(self._health)),
            batches=tuple(BatchView(name=name, state=state) for name, state in shown),
            cards=self._pulses,
            troubles=troubles,
            present=PRESENT not in self._held or self._held[PRESENT].level != 0,
        )

    @property
    def next_due_ns(self) -> int | None:
        """The next deadline; None if there is none."""
        due_ns = self._due_ns()
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Decodes the edges of its contacts and its counter."""
        found: list[Observation] = []
        for line, level, t_ns in batch:
            if line not in self.lines:
                continue
            self._pass_time(t_ns - 1, found)
            self._health.line_active(line, t_ns, found)
            if line == CARD:
                if level and self._pulses is not None:
                    self._pulses += 1
            elif self._held[line].edge(level, t_ns):
                self._level(line, level, t_ns, t_ns, found, first=True)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Handles a line of its serial link."""
        found: list[Observation] = []
        if not self._serial or frame.link != self._config.link:
            return found
        t_ns = frame.t_ns
        self._pass_time(t_ns - 1, found)
        line = parse_shuffler(frame.data)
        if isinstance(line, MalformedCardLine):
            found.append(LineGarbled(t_ns=t_ns, cause=line.cause, device=self.name))
            return found
        self._health.line_active(frame.link, t_ns, found)
        if isinstance(line, ShufflerLine):
            self._heard_ns = t_ns
            self._state(line, t_ns, found)
        elif isinstance(line, SealedOrderLine):
            self._seal(line, t_ns, found)
        else:
            self._open(line, t_ns, found)
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles lost changes, or an unplugged line."""
        found: list[Observation] = []
        line, t_ns = loss.line, loss.t_ns
        if line not in self.lines:
            return found
        self._pass_time(t_ns - 1, found)
        unplugged = loss.cause is Loss.UNPLUGGED
        if unplugged:
            self._health.line_unplugged(line, t_ns, found)
        if line == CARD:
            self._pulses = None  # it may have missed some
        elif line in self._held:
            self._held[line].forget()
        what = "is unplugged" if unplugged else "lost changes"
        if line != PRESENT:
            for cycle in self._cycles.values():
                if line != CARD:
                    cycle.fails("shuffle_incomplete", f"{line} {what} in the cycle")
        if line in (BUSY, self._config.link):
            self._end_all(t_ns, found)
            self._states.clear()
            self._heard_ns = NEVER_NS
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    # --- time ----------------------------------------------------------------------------------------------------

    def _due_ns(self) -> int:
        due_ns = min((held.due_ns for held in self._held.values()), default=NEVER_NS)
        for cycle in self._cycles.values():
            due_ns = min(due_ns, self._end_ns(cycle))
        return min(due_ns, self._silent_ns())

    def _end_ns(self, cycle: _Cycle) -> int:
        if cycle.stopped_ns < NEVER_NS:
            return cycle.stopped_ns + self._complete_ns
        return NEVER_NS if cycle.failure else cycle.began_ns + self._longest_ns

    def _silent_ns(self) -> int:
        return self._heard_ns + self._reports_ns if self._reports_ns and self._heard_ns < NEVER_NS else NEVER_NS

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while True:
            due_ns = self._due_ns()
            if due_ns > until_ns:
                return
            if self._silent_ns() == due_ns:
                self._silent(due_ns, found)
                continue
            for line, held in self._held.items():
                change = held.due(due_ns) if held.due_ns == due_ns else None
                if change is not None:
                    self._level(line, change.level, change.since_ns, due_ns, found)
            for cycle in [one for one in self._cycles.values() if self._end_ns(one) <= due_ns]:
                if cycle.stopped_ns == NEVER_NS:
                    cycle.fails("shuffle_incomplete", f"the cycle did not end within {self._config.longest_s:g} s")
                    self._end(cycle, due_ns, found, keeps=True)
                else:
                    cycle.fails("shuffle_incomplete", "the shuffler stopped before the cycle was complete")
                    self._end(cycle, due_ns, found)

    def _silent(self, due_ns: int, found: list[Observation]) -> None:
        self._heard_ns = NEVER_NS
        detail = f"nothing was received from the shuffler for {self._config.reports_s:g} s"
        self._health.line_failed(self._config.link, "sensor_missing", detail, due_ns, found)
        for cycle in self._cycles.values():
            cycle.fails("shuffle_incomplete", detail)
        self._end_all(due_ns, found)
        self._states.clear()

    # --- plain lines ---------------------------------------------------------------------------------------------

    def _level(
        self, line: str, level: int, since_ns: int, t_ns: int, found: list[Observation], *, first: bool = False
    ) -> None:
        """A contact has taken a level. What it is at the start is not an event, but trouble and a running cycle
        count."""
        if line == PRESENT:
            found.append(ShufflerPresent(t_ns=t_ns, present=bool(level)))
        elif line == JAM:
            self._trouble("jam", JAM, bool(level), t_ns, found)
        elif line == DOOR:
            self._trouble("door", DOOR, bool(level), t_ns, found)
        elif line == BUSY:
            self._busy(bool(level), since_ns, t_ns, found, first=first)
        elif level and not first:
            cycle = self._cycles.get(None)
            if cycle is not None and cycle.stopped_ns < NEVER_NS:
                self._end(cycle, t_ns, found)

    def _busy(self, busy: bool, since_ns: int, t_ns: int, found: list[Observation], *, first: bool) -> None:
        cycle = self._cycles.get(None)
        if busy:
            if cycle is not None:  # it goes on before `complete` came
                cycle.fails("shuffle_incomplete", "the shuffler stopped in the cycle, and continued")
                self._end(cycle, t_ns, found)
            begun = self._begin(None, since_ns, t_ns, found)
            if first:
                begun.fails("shuffle_incomplete", "the cycle was under way when the table began")
        elif cycle is not None:
            cycle.stopped_ns = since_ns
            if cycle.failure or self._held[COMPLETE].level:
                self._end(cycle, t_ns, found)

    # --- serial --------------------------------------------------------------------------------------------------

    def _state(self, line: ShufflerLine, t_ns: int, found: list[Observation]) -> None:
        batch = BATCHES[line.batch - 1]
        before, self._states[batch] = self._states.get(batch), line.state
        cycle = self._cycles.get(batch)
        self._trouble("jam", batch, line.state is ShufflerState.JAM, t_ns, found)
        self._trouble("door", batch, line.state is ShufflerState.DOOR, t_ns, found)
        if line.state is ShufflerState.BUSY:
            if cycle is None and before is not ShufflerState.BUSY:
                self._order.pop(batch, None)
                begun = self._begin(batch, t_ns, t_ns, found)
                if before is None:
                    begun.fails("shuffle_incomplete", "the cycle was under way when its first line arrived")
        elif cycle is not None and line.state in (ShufflerState.COMPLETE, ShufflerState.IDLE):
            if line.state is ShufflerState.IDLE:
                cycle.fails("shuffle_incomplete", "the shuffler stopped before the cycle was complete")
            self._end(cycle, t_ns, found, count=line.cards)
        elif line.state is ShufflerState.COMPLETE and before not in (None, ShufflerState.COMPLETE):
            # Its busy line was lost: nothing shows that the cycle was whole.
            detail = "the shuffler reports a complete cycle that it never reported to begin"
            found.append(ShuffleEnded(t_ns=t_ns, batch=batch, failure="shuffle_incomplete", detail=detail))

    def _seal(self, line: SealedOrderLine, t_ns: int, found: list[Observation]) -> None:
        """It commits itself to an order; the same line sent twice counts once."""
        batch = BATCHES[line.batch - 1]
        if self._sealed.get(batch) == line and batch in self._order:
            return
        self._sealed[batch], self._order[batch] = line, []
        self._gaps.discard(batch)
        found.append(OrderSealed(t_ns=t_ns, batch=batch, count=line.cards, root=line.root))

    def _open(self, line: OpenedCardLine, t_ns: int, found: list[Observation]) -> None:
        """One card of an order; the last of them opens it. A card that is sent twice counts once."""
        batch, card = BATCHES[line.batch - 1], (line.card, line.salt)
        order, sealed = self._order.get(batch), self._sealed.get(batch)
        if order is not None and 0 < line.place <= len(order) and order[line.place - 1] == card:
            return
        if order is None or sealed is None or line.place != len(order) + 1 or line.place > sealed.cards:
            if batch not in self._gaps:
                self._gaps.add(batch)
                cause = "expected the cards of an order in sequence, from place 001 on, after the line that sealed it"
                found.append(LineGarbled(t_ns=t_ns, cause=cause, device=self.name))
            return
        order.append(card)
        self._gaps.discard(batch)
        if len(order) == sealed.cards:
            cards, salts = zip(*order, strict=True)
            found.append(OrderOpened(t_ns=t_ns, batch=batch, cards=cards, salts=salts))
        else:
            found.append(OrderCardOpened(t_ns=t_ns, batch=batch, place=line.place))

    # --- cycles and troubles -------------------------------------------------------------------------------------

    def _begin(self, batch: CardBatch | None, since_ns: int, t_ns: int, found: list[Observation]) -> _Cycle:
        cycle = self._cycles[batch] = _Cycle(batch, since_ns)
        found.append(ShuffleBegan(t_ns=t_ns, batch=batch))
        for trouble, by in self._troubles.items():
            if by:
                self._fails_by(cycle, trouble)
        return cycle

    def _end(
        self,
        cycle: _Cycle,
        t_ns: int,
        found: list[Observation],
        *,
        count: int | None = None,
        keeps: bool = False,
    ) -> None:
        """A cycle is over. It `keeps` standing, without another report, where the machine has not stopped."""
        if not keeps:
            self._cycles.pop(cycle.batch, None)
        counted = self._pulses if cycle.batch is None else count
        if cycle.batch is None:
            self._pulses = 0 if self._counting else None
        if cycle.began_ns < NEVER_NS:
            cycle.began_ns = NEVER_NS
            found.append(
                ShuffleEnded(t_ns=t_ns, batch=cycle.batch, failure=cycle.failure, count=counted, detail=cycle.detail)
            )

    def _end_all(self, t_ns: int, found: list[Observation]) -> None:
        for cycle in [*self._cycles.values()]:
            self._end(cycle, t_ns, found)

    def _trouble(
        self, trouble: ShufflerTrouble, reporter: object, active: bool, t_ns: int, found: list[Observation]
    ) -> None:
        by = self._troubles[trouble]
        before = bool(by)
        (by.add if active else by.discard)(reporter)
        if by and not before:
            found.append(ShufflerTroubled(t_ns=t_ns, trouble=trouble, detail=_WORDS[trouble]))
        elif before and not by:
            found.append(ShufflerUntroubled(t_ns=t_ns, trouble=trouble))
        if active:
            for batch, cycle in [*self._cycles.items()]:
                if batch is None or batch == reporter:
                    self._fails_by(cycle, trouble)

    def _fails_by(self, cycle: _Cycle, trouble: ShufflerTrouble) -> None:
        cycle.fails("shuffler_jam" if trouble == "jam" else "shuffle_incomplete", f"{_WORDS[trouble]} in the cycle")


def public_part(data: bytes) -> bytes | None:
    """What of a frame may be stored: all of a line but the card that it opens; nothing of what is not a line."""
    return b"" if isinstance(parse_shuffler(data), MalformedCardLine | OpenedCardLine) else None
