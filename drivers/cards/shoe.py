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

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import dead_lines
from drivers.cards.card_tokens import Checksum, card_of, code_problems
from drivers.cards.card_way import (
    BARRIERS,
    MOUTH,
    TROUBLE_OF_LINE,
    CardWay,
    ShoeTroubles,
)
from drivers.cards.card_wire import COUNTS, CUTTING_CARD, UNREAD, CardLine, Malformed, ShoeLine, ShoeState, parse
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CompartmentsOpen,
    CuttingCardSeen,
    LineGarbled,
    ShoeRestarted,
    ShoeTrouble,
    StackDealt,
)
from drivers.cards.view import ShoeView
from hal.capture.secret import SEALED, PublicPart, no_part
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

CUT: Final = "shoe_cut"
GATES: Final = ("shoe_gate_1", "shoe_gate_2")
"""Contacts of a double shoe: high while the compartment is open."""

_TROUBLE_OF_STATE: Final[dict[ShoeState, ShoeTrouble]] = {
    ShoeState.EMPTY: "empty",
    ShoeState.LID: "lid",
    ShoeState.JAM: "jam",
}
_SEALED: Final = re.compile(rb"C;(\d{5});[0-9a-f]{64}")
_SEALED_TOKEN: Final = re.compile(rb"[0-9a-f]{64}")
SILENCE_NS: Final = 3_500_000_000
"""The shoe reports its state each second; so long without one, its link is dead (ours)."""
MISSES: Final = 3
"""A barrier that so many cards running did not cover is dead (ours)."""
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
    reading: Annotated[
        Literal["lines", "tokens"],
        Meta(description="lines: our own, with a count; tokens: one line of text a card, or a barcode, by `codes`"),
    ] = "lines"
    codes: Annotated[dict[str, str], Meta(description="tokens: what each token means, as 9s, JK, XX or ??")] = {}
    checksum: Annotated[Checksum, Meta(description="tokens: two hexadecimal digits after each token")] = "none"
    repeats: Annotated[int, Meta(ge=1, le=5, description="tokens: how often running a token is sent for one card")] = 1
    stack_cards: Annotated[
        int, Meta(ge=0, le=52, description="an automated shoe deals stacks of so many cards; 0: a dealer draws them")
    ] = 0
    stack_s: Annotated[float, Meta(ge=0.2, le=30, description="a stack is over so long after its last card (ours)")] = (
        2.0
    )
    double: Annotated[bool, Meta(description="a double shoe: a contact at the gate of each of its compartments")] = (
        False
    )

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if self.reading == "lines":
            return [("codes", "only tokens have codes", 'say reading = "tokens"')] if self.codes else []
        return [("codes", what, fix) for what, fix in code_problems(self.codes)]


class _Read(NamedTuple):
    """A card that a line has named, and whose passage is not over."""

    card: str
    frame: Frame

    @property
    def t_ns(self) -> int:
        """When its line came."""
        return self.frame.t_ns


class Shoe:
    """The driver of a reading shoe (see `drivers.base.driver.Driver`)."""

    name = "shoe"

    def __init__(self, config: ShoeConfig) -> None:
        self._config = config
        self._wait_ns = round(config.read_wait_s * 1e9)
        self._jam_ns = round(config.jam_s * 1e9)
        own = (*(BARRIERS if config.barriers else ()), *((CUT, *TROUBLE_OF_LINE) if config.body else ()))
        own = (*own, *(GATES if config.double else ()))
        self._sealed_link = config.link + SEALED
        self.lines = frozenset((*own, config.link, self._sealed_link))
        self._health = SensorHealth()
        self._way = CardWay()
        self._out_ns: int | None = None
        """When a card left that no line has named yet."""
        self._read: _Read | None = None
        """A card that was named, and that the barriers have not seen leave yet."""
        self._number: int | None = None
        """The count in the last line."""
        self._last_card = ""
        self._state_ns = NEVER_NS
        """When the shoe last reported its state; one that never does is not missed."""
        self._troubles = ShoeTroubles()
        self._missed = dict.fromkeys(BARRIERS if config.barriers else (), 0)
        """By barrier: how many cards running it has not seen."""
        self._covered: set[str] = set()
        """Barriers that were covered since the last card was named."""
        self._token = ""
        self._tokens = 0
        """The card that came last, and how often running."""
        self._token_frame = Frame(config.link, b"", 0)
        self._token_ns = NEVER_NS
        """When the first of them came."""
        self._stack = 0
        """Cards of the stack that is being dealt."""
        self._stack_due_ns = NEVER_NS
        # A card that leaves unread is reported `read_wait_s` later: the stack is not over before that.
        self._stack_ns = max(round(config.stack_s * 1e9), self._wait_ns + 1_000_000 if config.barriers else 0)
        self._gates: dict[str, int] = {}

    def view(self, t_ns: int) -> ShoeView:
        """The shoe at `t_ns`: its count, never a card."""
        at_mouth = self._way.covered_ns != NEVER_NS
        troubles = self._troubles.active
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
        if frame.link not in (self._config.link, self._sealed_link):
            return found
        t_ns = frame.t_ns
        self._pass_time(t_ns - 1, found)
        if self._config.reading == "tokens" and frame.link == self._config.link:
            self._read_token(frame, found)
            return found
        line = parse(frame.data) if frame.link == self._config.link else _sealed(frame.data)
        if self._config.reading == "tokens":
            if _SEALED_TOKEN.fullmatch(frame.data) is not None:
                self._name(UNREAD, frame, found)
        elif isinstance(line, CardLine):
            self._health.line_active(self._config.link, t_ns, found)
            self._card(line, frame, found)
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
            self._stack_goes_on(t_ns)
        elif line in TROUBLE_OF_LINE:
            self._troubles.take(TROUBLE_OF_LINE[line], line, False, t_ns, found)
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
        yield (self._stack_due_ns if self._way.free else NEVER_NS), "stack"
        yield (self._token_ns + self._wait_ns // 2 if self._token_ns < NEVER_NS else NEVER_NS), "token"

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
                self._troubles.take("jam", MOUTH, True, due_ns, found)
            elif what == "stack":
                self._stack_over(due_ns, found)
            elif what == "token":
                self._short_token(due_ns, found)
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
        elif line in GATES:
            self._gates[line] = level
            sides = tuple(side for side, gate in enumerate(GATES, 1) if self._gates.get(gate))
            found.append(CompartmentsOpen(t_ns=t_ns, sides=sides))
        elif line in TROUBLE_OF_LINE:
            self._troubles.take(TROUBLE_OF_LINE[line], line, bool(level), t_ns, found)
        else:
            if level:
                self._covered.add(line)
                self._missed[line] = 0
            way = self._way.take(line, level, t_ns)
            self._stack_goes_on(t_ns)
            if self._way.free:
                self._troubles.take("jam", MOUTH, False, t_ns, found)
            if way == "out":
                self._left(t_ns, found)
            elif way:
                found.append(CardPushedBack(t_ns=t_ns, was_out=way == "returned"))

    # --- lines ---------------------------------------------------------------------------------------------------

    def _card(self, line: CardLine, frame: Frame, found: list[Observation]) -> None:
        t_ns = frame.t_ns
        if not self._counted(line.number - 1, line, t_ns, found):
            return
        self._last_card = line.card
        self._name(line.card, frame, found)

    def _name(self, card: str, frame: Frame, found: list[Observation]) -> None:
        """A card was named, once."""
        t_ns = frame.t_ns
        if not self._config.barriers:
            self._give(_dealt(card, frame, t_ns, t_ns), found)
            return
        self._miss(t_ns, found)
        if not self._way.free:
            self._unread(t_ns, found)  # the line may be of the card that is in the way now
        if self._out_ns is not None:
            left_ns, self._out_ns = self._out_ns, None
            self._give(_dealt(card, frame, left_ns, t_ns), found)
        else:
            self._unseen(t_ns, found)
            self._read = _Read(card, frame)

    def _miss(self, t_ns: int, found: list[Observation]) -> None:
        """Barriers that this card did not cover; one that never is does not work."""
        for line in self._missed:
            if line not in self._covered and not self._way.level[line]:
                self._missed[line] += 1
            if self._missed[line] == MISSES:
                detail = f"{MISSES} cards running were named, and {line} was covered by none: it is dead, or dirty"
                self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)
        self._covered.clear()

    def _give(self, seen: CardDealt | CuttingCardSeen, found: list[Observation]) -> None:
        """A card has left; of an automated shoe it is one of a stack."""
        found.append(seen)
        if self._config.stack_cards and isinstance(seen, CardDealt):
            self._stack += 1
            self._stack_due_ns = seen.t_ns + self._stack_ns

    def _stack_goes_on(self, t_ns: int) -> None:
        """Something moves in the card's way: the stack that is being dealt is not over yet."""
        if self._stack:
            self._stack_due_ns = max(self._stack_due_ns, t_ns + self._stack_ns)

    def _stack_over(self, t_ns: int, found: list[Observation]) -> None:
        cards, self._stack, self._stack_due_ns = self._stack, 0, NEVER_NS
        found.append(StackDealt(t_ns=t_ns, cards=cards, wanted=self._config.stack_cards))

    # --- tokens --------------------------------------------------------------------------------------------------

    def _read_token(self, frame: Frame, found: list[Observation]) -> None:
        """A token of another shoe, or a barcode: so many equal ones running are a card."""
        card = card_of(frame.data, self._config.codes, self._config.checksum)
        if isinstance(card, Malformed):
            found.append(LineGarbled(t_ns=frame.t_ns, cause=card.cause))
            return
        self._health.line_active(frame.link, frame.t_ns, found)
        if self._tokens and card != self._token:
            self._short_token(frame.t_ns, found)
        self._token, self._tokens = card, self._tokens + 1
        if self._tokens == 1:
            self._token_frame, self._token_ns = frame, frame.t_ns
        if self._tokens == self._config.repeats:
            self._tokens, self._token_ns = 0, NEVER_NS
            self._name(card, frame, found)

    def _short_token(self, t_ns: int, found: list[Observation]) -> None:
        """A token that did not come as often as it should names no card: it was not read."""
        self._tokens, self._token_ns = 0, NEVER_NS
        self._name(UNREAD, self._token_frame._replace(t_ns=t_ns), found)

    def _state(self, line: ShoeLine, t_ns: int, found: list[Observation]) -> None:
        self._counted(line.number, line, t_ns, found)
        for state, trouble in _TROUBLE_OF_STATE.items():
            self._troubles.take(trouble, self._config.link, line.state is state, t_ns, found)

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
            self._give(_dealt(read.card, read.frame, t_ns, t_ns), found)
        else:
            self._unseen(t_ns, found)
            self._out_ns = t_ns

    def _unread(self, t_ns: int, found: list[Observation]) -> None:
        """The card that left, if there is one, has no line."""
        if self._out_ns is not None:
            left_ns, self._out_ns = self._out_ns, None
            detail = "a card left the shoe, and no line names it"
            self._give(CardDealt(t_ns=t_ns, card=None, left_ns=left_ns, doubt="card_unread", detail=detail), found)

    def _unseen(self, t_ns: int, found: list[Observation]) -> None:
        """The card that was named, if there is one, had no passage."""
        if self._read is not None:
            read, self._read = self._read, None
            detail = "a card was read, and the barriers saw none leave"
            card = None if read.card == UNREAD else HiddenCard(read.card, read.frame)
            self._give(CardDealt(t_ns=t_ns, card=card, left_ns=read.t_ns, doubt="card_unseen", detail=detail), found)


def public_part_of(config: ShoeConfig) -> PublicPart:
    """What of the frames of a shoe may be stored: of tokens nothing, for each names a card."""
    return public_part if config.reading == "lines" else no_part


def public_part(data: bytes) -> bytes | None:
    """What of a frame may be stored before its card is exposed: the number of a card, and all of what is none."""
    line = parse(data)
    if isinstance(line, Malformed):
        return b""
    if isinstance(line, ShoeLine) or line.card in (CUTTING_CARD, UNREAD):
        return None
    return b"C;%05d;" % line.number


def _sealed(data: bytes) -> CardLine | Malformed:
    """A line of which a capture holds its public part and a commitment: a card that nobody may see."""
    number = _SEALED.match(data)
    if number is None:
        return Malformed("the capture does not show what was garbled")
    return CardLine(int(number[1]), UNREAD)


def _dealt(card: str, frame: Frame, left_ns: int, t_ns: int) -> CardDealt | CuttingCardSeen:
    if card == CUTTING_CARD:
        return CuttingCardSeen(t_ns=t_ns)
    if card == UNREAD:
        detail = "the shoe could not read the card"
        return CardDealt(t_ns=t_ns, card=None, left_ns=left_ns, doubt="card_unread", detail=detail)
    return CardDealt(t_ns=t_ns, card=HiddenCard(card, frame), left_ns=left_ns)
