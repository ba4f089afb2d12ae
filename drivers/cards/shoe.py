"""A reading shoe: two light barriers in the card's way, the sensors of its body, and the link of its card reader.

    shoe_card_1  ____┌──────────────┐______      a card leaves: barrier 1 is covered first and free first
    shoe_card_2  ________┌──────────────┐__
                 in the shoe        └ out: a passage, dated where barrier 2 is free again

    shoe_card_1  ____┌──────────────────┐__      a card is drawn and pushed back: barrier 1 is free last
    shoe_card_2  ________┌──────────┐______

The shoe sends a line for each card that has left (see `card_wire`). Passage and line prove each other: the line comes
once the card is in the way, within `read_wait_s` of its end, and before the next card is in the way. A passage without
one is a card that nobody read, a line without a passage one that no barrier saw. The count of the shoe shows whether a
line was lost. Where cards may have left unseen, `CardsLost` reports it; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import dead_lines
from drivers.cards.card_wire import COUNTS, CUTTING_CARD, UNREAD, CardLine, ShoeLine, ShoeState, parse
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CuttingCardSeen,
    LineGarbled,
    ShoeRestarted,
    ShoeTrouble,
    ShoeTroubled,
    ShoeUntroubled,
)
from drivers.cards.view import ShoeView
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

MOUTH: Final = "shoe_card_1"
OUTSIDE: Final = "shoe_card_2"
CUT: Final = "shoe_cut"
EMPTY: Final = "shoe_empty"
LID: Final = "shoe_lid"
JAM: Final = "shoe_jam"
BARRIERS: Final = (MOUTH, OUTSIDE)

_TROUBLE_OF_LINE: Final[dict[str, ShoeTrouble]] = {EMPTY: "empty", LID: "lid", JAM: "jam"}
_TROUBLE_OF_STATE: Final[dict[ShoeState, ShoeTrouble]] = {
    ShoeState.EMPTY: "empty",
    ShoeState.LID: "lid",
    ShoeState.JAM: "jam",
}
_WORDS: Final[dict[ShoeTrouble, str]] = {
    "empty": "the shoe is empty",
    "lid": "the lid of the shoe is open",
    "jam": "a card is jammed in the shoe",
}
SILENCE_NS: Final = 3_500_000_000
"""The shoe reports its state each second; so long without one, its link is dead (ours)."""
MOST_MISSED: Final = 1000
"""A jump of the count beyond this is another shoe, or one that was switched off (ours): nobody deals more unseen."""


class ShoeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a reading shoe."""

    driver: Literal["shoe"] = "shoe"
    link: Annotated[str, Meta(min_length=1, description="name of the shoe's serial link")] = "shoe"
    barriers: Annotated[bool, Meta(description="two light barriers stand in the card's way")] = True
    body: Annotated[bool, Meta(description="sensors of the cutting card, of an empty shoe, its lid and a jam")] = True
    read_wait_s: Annotated[
        float, Meta(ge=0.05, le=10, description="passage and line of one card come within this time (ours)")
    ] = 1.0
    jam_s: Annotated[
        float, Meta(ge=0.5, le=60, description="a barrier covered for so long is a jam, or a hand (ours)")
    ] = 3.0


class _Read(NamedTuple):
    """A card that a line has named, and whose passage is not over."""

    card: str
    t_ns: int


class _Way:
    """The way of a card past the two barriers, from their levels in order."""

    def __init__(self) -> None:
        self.level: dict[str, int | None] = dict.fromkeys(BARRIERS)
        self._first = ""
        """The barrier that was covered first since both were free."""
        self.began_ns = NEVER_NS
        """When that was."""
        self._both = False
        """Whether both were covered at once since."""
        self.covered_ns = NEVER_NS
        """Since when one of them is covered."""

    @property
    def free(self) -> bool:
        """Whether no card is in the way, as far as is known."""
        return not any(self.level.values())

    def take(self, line: str, level: int, t_ns: int) -> str:
        """Takes a change; returns `out`, `back` or `returned` when a way is over, else an empty string."""
        known = self.level[line] is not None
        was_free, self.level[line] = self.free, level
        if level:
            if was_free:
                self._first, self._both = line if known else "", False
                self.began_ns = self.covered_ns = t_ns
            elif all(self.level.values()):
                self._both = True
            return ""
        if not self.free or was_free:
            return ""
        first, last, self.covered_ns = self._first, line, NEVER_NS
        if not first:
            return ""  # it was in the way when the lines were opened
        if first == MOUTH:
            return "out" if last == OUTSIDE and self._both else "back"
        return "returned" if last == MOUTH and self._both else ""

    def forget(self) -> None:
        """The levels are unknown: a barrier was unplugged, or changes of it were lost."""
        self.level = dict.fromkeys(BARRIERS)
        self._first, self._both, self.covered_ns = "", False, NEVER_NS


class Shoe:
    """The driver of a reading shoe (see `drivers.base.driver.Driver`)."""

    name = "shoe"

    def __init__(self, config: ShoeConfig) -> None:
        self._config = config
        self._wait_ns = round(config.read_wait_s * 1e9)
        self._jam_ns = round(config.jam_s * 1e9)
        own = (*(BARRIERS if config.barriers else ()), *((CUT, *_TROUBLE_OF_LINE) if config.body else ()))
        self.lines = frozenset((*own, config.link))
        self._health = SensorHealth()
        self._way = _Way()
        self._out_ns: int | None = None
        """When a card left that no line has named yet."""
        self._read: _Read | None = None
        """A card that was named, and that the barriers have not seen leave yet."""
        self._number: int | None = None
        """The count in the last line."""
        self._last_card = ""
        self._state_ns = NEVER_NS
        """When the shoe last reported its state; one that never does is not missed."""
        self._troubles: dict[ShoeTrouble, set[str]] = {"jam": set(), "empty": set(), "lid": set()}
        """What reports each trouble at present."""

    def view(self, t_ns: int) -> ShoeView:
        """The shoe at `t_ns`: its count, never a card."""
        at_mouth = self._way.covered_ns != NEVER_NS
        troubles = tuple(trouble for trouble, reporters in self._troubles.items() if reporters)
        linked = self._config.link not in self._health.dead
        facts = (
            ("cards since power-on", "-" if self._number is None else str(self._number)),
            ("mouth", "a card is in the way" if at_mouth else "free"),
            ("cards in the shoe", "sealed"),
            ("trouble", ", ".join(troubles) or "none"),
        )
        return ShoeView(
            facts=facts,
            doubts=(
                *(("a card left that no line has named yet",) if self._out_ns is not None else ()),
                *dead_lines(self._health),
            ),
            count=self._number,
            at_mouth=at_mouth,
            troubles=troubles,
            linked=linked,
        )

    @property
    def next_due_ns(self) -> int | None:
        """The next deadline; None if there is none."""
        due_ns = min(due_ns for due_ns, _ in self._deadlines())
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Decodes the edges of barriers and body."""
        found: list[Observation] = []
        for line, level, t_ns in batch:
            if line in self.lines:
                self._pass_time(t_ns - 1, found)
                self._health.line_active(line, t_ns, found)
                self._edge(line, level, t_ns, found)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        """It has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Handles a line of the reading shoe."""
        found: list[Observation] = []
        if frame.link != self._config.link:
            return found
        t_ns = frame.t_ns
        self._pass_time(t_ns - 1, found)
        line = parse(frame.data)
        if isinstance(line, CardLine):
            self._health.line_active(frame.link, t_ns, found)
            self._card(line, t_ns, found)
        elif isinstance(line, ShoeLine):
            self._health.line_active(frame.link, t_ns, found)
            self._state_ns = t_ns
            self._state(line, t_ns, found)
        else:
            found.append(LineGarbled(t_ns=t_ns, cause=line.cause))
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles lost changes, or an unplugged line."""
        found: list[Observation] = []
        line, t_ns = loss.line, loss.t_ns
        if line not in self.lines:
            return found
        self._pass_time(t_ns - 1, found)
        if loss.cause is Loss.UNPLUGGED:
            self._health.line_failed(line, "sensor_missing", f"{line} is unplugged", t_ns, found)
        if line in BARRIERS:
            self._way.forget()
        elif line in _TROUBLE_OF_LINE:
            self._trouble(_TROUBLE_OF_LINE[line], line, False, t_ns, found)
        elif line == self._config.link:
            self._state_ns = NEVER_NS
        if line in BARRIERS or line == self._config.link:
            what = "is unplugged" if loss.cause is Loss.UNPLUGGED else "lost changes"
            found.append(CardsLost(t_ns=t_ns, reason="edges_lost", detail=f"{line} {what}: cards may have left unseen"))
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    # --- time ----------------------------------------------------------------------------------------------------

    def _deadlines(self) -> Iterator[tuple[int, str]]:
        yield (NEVER_NS if self._out_ns is None else self._out_ns + self._wait_ns), "unread"
        yield (NEVER_NS if self._read is None else self._read.t_ns + self._wait_ns), "unseen"
        yield (self._way.covered_ns + self._jam_ns if self._way.covered_ns < NEVER_NS else NEVER_NS), "jam"
        yield (self._state_ns + SILENCE_NS if self._state_ns < NEVER_NS else NEVER_NS), "silence"

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while True:
            due_ns, what = min(self._deadlines())
            if due_ns > until_ns:
                return
            if what == "unread":
                self._unread(due_ns, found)
            elif what == "unseen":
                self._unseen(due_ns, found)
            elif what == "jam":
                self._way.covered_ns = NEVER_NS
                self._trouble("jam", MOUTH, True, due_ns, found)
            else:
                self._state_ns = NEVER_NS
                detail = f"nothing was received from the shoe for {SILENCE_NS / 1e9:g} s"
                self._health.line_failed(self._config.link, "sensor_missing", detail, due_ns, found)
                found.append(CardsLost(t_ns=due_ns, reason="sensor_missing", detail=detail))

    # --- barriers and body ---------------------------------------------------------------------------------------

    def _edge(self, line: str, level: int, t_ns: int, found: list[Observation]) -> None:
        if line == CUT:
            if level:
                found.append(CuttingCardSeen(t_ns=t_ns))
        elif line in _TROUBLE_OF_LINE:
            self._trouble(_TROUBLE_OF_LINE[line], line, bool(level), t_ns, found)
        else:
            way = self._way.take(line, level, t_ns)
            if self._way.free:
                self._trouble("jam", MOUTH, False, t_ns, found)
            if way == "out":
                self._left(t_ns, found)
            elif way:
                found.append(CardPushedBack(t_ns=t_ns, was_out=way == "returned"))

    def _trouble(self, trouble: ShoeTrouble, reporter: str, active: bool, t_ns: int, found: list[Observation]) -> None:
        by = self._troubles[trouble]
        before = bool(by)
        (by.add if active else by.discard)(reporter)
        if by and not before:
            found.append(ShoeTroubled(t_ns=t_ns, trouble=trouble, detail=_WORDS[trouble]))
        elif before and not by:
            found.append(ShoeUntroubled(t_ns=t_ns, trouble=trouble))

    # --- lines ---------------------------------------------------------------------------------------------------

    def _card(self, line: CardLine, t_ns: int, found: list[Observation]) -> None:
        if not self._counted(line.number - 1, line, t_ns, found):
            return
        self._last_card = line.card
        if not self._config.barriers:
            found.append(_dealt(line.card, t_ns, t_ns))
            return
        if not self._way.free:
            self._unread(t_ns, found)  # the line may be of the card that is in the way now
        if self._out_ns is not None:
            left_ns, self._out_ns = self._out_ns, None
            found.append(_dealt(line.card, left_ns, t_ns))
        else:
            self._unseen(t_ns, found)
            self._read = _Read(line.card, t_ns)

    def _state(self, line: ShoeLine, t_ns: int, found: list[Observation]) -> None:
        self._counted(line.number, line, t_ns, found)
        for state, trouble in _TROUBLE_OF_STATE.items():
            self._trouble(trouble, self._config.link, line.state is state, t_ns, found)

    def _counted(self, before: int, line: CardLine | ShoeLine, t_ns: int, found: list[Observation]) -> bool:
        """Compares the count before this line with the last one; returns whether the line names a new card."""
        known, self._number = self._number, line.number
        if known is None:
            return True
        missed = (before - known) % COUNTS
        if missed == 0:
            return True
        if isinstance(line, CardLine) and line.number == known and line.card == self._last_card:
            return False  # the same line once more
        if missed > MOST_MISSED:
            found.append(ShoeRestarted(t_ns=t_ns))
            return True
        detail = f"the shoe counts {missed} more than it named"
        found.append(CardsLost(t_ns=t_ns, reason="card_count", detail=detail))
        if isinstance(line, ShoeLine):
            self._unread(t_ns, found)  # its line is the one that was lost
        return True

    # --- passage and line ----------------------------------------------------------------------------------------

    def _left(self, t_ns: int, found: list[Observation]) -> None:
        """A card has left. Its line came while it was in the way, or comes before the next card is out."""
        self._unread(t_ns, found)
        read = self._read
        if read is not None and read.t_ns >= self._way.began_ns:
            self._read = None
            found.append(_dealt(read.card, t_ns, t_ns))
        else:
            self._unseen(t_ns, found)
            self._out_ns = t_ns

    def _unread(self, t_ns: int, found: list[Observation]) -> None:
        """The card that left, if there is one, has no line."""
        if self._out_ns is not None:
            left_ns, self._out_ns = self._out_ns, None
            detail = "a card left the shoe, and no line names it"
            found.append(CardDealt(t_ns=t_ns, card=None, left_ns=left_ns, doubt="card_unread", detail=detail))

    def _unseen(self, t_ns: int, found: list[Observation]) -> None:
        """The card that was named, if there is one, had no passage."""
        if self._read is not None:
            (card, read_ns), self._read = self._read, None
            detail = "a card was read, and the barriers saw none leave"
            found.append(CardDealt(t_ns=t_ns, card=card, left_ns=read_ns, doubt="card_unseen", detail=detail))


def _dealt(card: str, left_ns: int, t_ns: int) -> CardDealt | CuttingCardSeen:
    if card == CUTTING_CARD:
        return CuttingCardSeen(t_ns=t_ns)
    if card == UNREAD:
        detail = "the shoe could not read the card"
        return CardDealt(t_ns=t_ns, card=None, left_ns=left_ns, doubt="card_unread", detail=detail)
    return CardDealt(t_ns=t_ns, card=card, left_ns=left_ns)
