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

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import dead_lines
from drivers.cards.card_matching import CardMatching, CardsOut, card_out
from drivers.cards.card_naming import CardNaming, LineNaming, LostName, Named, TokenNaming
from drivers.cards.card_tokens import TokenChecksum, code_problems
from drivers.cards.card_way import (
    BARRIERS,
    MOUTH,
    TROUBLE_OF_LINE,
    CardWay,
    ShoeTroubles,
)
from drivers.cards.card_wire import CUTTING_CARD, UNREAD, MalformedCardLine, ShoeLine, parse
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CompartmentsOpen,
    CuttingCardSeen,
    StackDealt,
)
from drivers.cards.view import ShoeView
from hal.capture.secret import SEALED, PublicPart, no_part
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

CUT: Final = "shoe_cut"
GATES: Final = ("shoe_gate_1", "shoe_gate_2")
"""Contacts of a double shoe: high while the compartment is open."""

MISSES: Final = 3
"""A barrier that this many cards running did not cover is dead (ours)."""


class ShoeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a reading shoe."""

    driver: Literal["shoe"] = "shoe"
    link: Annotated[str, Meta(min_length=1, description="name of the shoe's serial link")] = "shoe"
    barriers: Annotated[bool, Meta(description="two light barriers are in the card's way")] = True
    body: Annotated[bool, Meta(description="sensors of the cutting card, of an empty shoe, its lid and a jam")] = True
    read_wait_s: Annotated[
        float, Meta(ge=0.05, le=10, description="passage and line of one card come within this time (ours)")
    ] = 1.0
    jam_s: Annotated[
        float, Meta(ge=0.5, le=60, description="a barrier covered for this long is a jam, or a hand (ours)")
    ] = 3.0
    reading: Annotated[
        Literal["lines", "tokens"],
        Meta(description="lines: our own, with a count; tokens: one line of text a card, or a barcode, by `codes`"),
    ] = "lines"
    codes: Annotated[dict[str, str], Meta(description="tokens: what each token means, as 9s, JK, XX or ??")] = {}
    checksum: Annotated[TokenChecksum, Meta(description="tokens: two hexadecimal digits after each token")] = "none"
    repeats: Annotated[int, Meta(ge=1, le=5, description="tokens: how often running a token is sent for one card")] = 1
    stack_cards: Annotated[
        int, Meta(ge=0, le=52, description="an automated shoe deals stacks of this many cards; 0: a dealer draws them")
    ] = 0
    stack_s: Annotated[float, Meta(ge=0.2, le=30, description="a stack ends this long after its last card (ours)")] = (
        2.0
    )
    double: Annotated[bool, Meta(description="a double shoe: a contact at the gate of each of its compartments")] = (
        False
    )

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if self.reading == "lines":
            return [("codes", "only tokens have codes", 'write reading = "tokens"')] if self.codes else []
        return [("codes", what, fix) for what, fix in code_problems(self.codes)]


class StackCount:
    """The cards of the stacks that an automated shoe deals."""

    def __init__(self, wanted: int, after_ns: int) -> None:
        """A stack has `wanted` cards, and is over `after_ns` after its last one; 0: the shoe deals no stacks."""
        self._wanted = wanted
        self._after_ns = after_ns
        self._cards = 0
        self.due_ns = NEVER_NS

    def take(self, seen: CardDealt | CuttingCardSeen) -> None:
        """A card has left."""
        if self._wanted and isinstance(seen, CardDealt):
            self._cards += 1
            self.due_ns = seen.t_ns + self._after_ns

    def goes_on(self, t_ns: int) -> None:
        """Something moves in the card's way: the stack that is being dealt is not over yet."""
        if self._cards:
            self.due_ns = max(self.due_ns, t_ns + self._after_ns)

    def over(self, t_ns: int) -> StackDealt:
        """The stack is over."""
        cards, self._cards, self.due_ns = self._cards, 0, NEVER_NS
        return StackDealt(t_ns=t_ns, cards=cards, wanted=self._wanted)


class Shoe:
    """The driver of a reading shoe (see `drivers.base.driver.Driver`)."""

    name = "shoe"

    def __init__(self, config: ShoeConfig) -> None:
        self._config = config
        wait_ns = round(config.read_wait_s * 1e9)
        self._jam_ns = round(config.jam_s * 1e9)
        own = (*(BARRIERS if config.barriers else ()), *((CUT, *TROUBLE_OF_LINE) if config.body else ()))
        own = (*own, *(GATES if config.double else ()))
        self._links = (config.link, config.link + SEALED)
        self.lines = frozenset((*own, *self._links))
        self._health = SensorHealth()
        self._troubles = ShoeTroubles()
        self._naming: CardNaming = LineNaming(config.link, self._health, self._troubles)
        if config.reading == "tokens":
            self._naming = TokenNaming(
                config.link, config.codes, config.checksum, config.repeats, wait_ns // 2, self._health
            )
        self._way = CardWay()
        self._matching = CardMatching(wait_ns)
        # A card that leaves unread is reported `read_wait_s` later: the stack is not over before that.
        stack_ns = max(round(config.stack_s * 1e9), wait_ns + 1_000_000 if config.barriers else 0)
        self._stack = StackCount(config.stack_cards, stack_ns)
        self._missed = dict.fromkeys(BARRIERS if config.barriers else (), 0)
        """By barrier: how many cards running it has not seen."""
        self._covered: set[str] = set()
        """Barriers that were covered since the last card was named."""
        self._gates: dict[str, int] = {}

    def view(self, t_ns: int) -> ShoeView:
        """The shoe at `t_ns`: its count, never a card."""
        at_mouth = self._way.covered_ns != NEVER_NS
        troubles, count = self._troubles.active, self._naming.count
        linked = self._config.link not in self._health.dead
        facts = (
            ("cards since power-on", "-" if count is None else str(count)),
            ("mouth", "a card is in the way" if at_mouth else "free"),
            ("cards in the shoe", "sealed"),
            ("trouble", ", ".join(troubles) or "none"),
        )
        return ShoeView(
            facts=facts,
            doubts=(
                *(("a card left that no line has named yet",) if self._matching.out_ns is not None else ()),
                *dead_lines(self._health),
            ),
            count=count,
            at_mouth=at_mouth,
            troubles=troubles,
            linked=linked,
        )

    @property
    def next_due_ns(self) -> int | None:
        """The next deadline; None if there is none."""
        due_ns = min(self._deadlines())
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
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Handles a line of the reading shoe."""
        found: list[Observation] = []
        if frame.link in self._links:
            self._pass_time(frame.t_ns - 1, found)
            self._name(self._naming.take(frame, found), found)
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
            self._stack.goes_on(t_ns)
        elif line in TROUBLE_OF_LINE:
            self._troubles.take(TROUBLE_OF_LINE[line], line, False, t_ns, found)
        elif line == self._config.link:
            self._naming.unplugged()
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

    def _deadlines(self) -> tuple[int, int, int, int]:
        """When a covered barrier is a jam, the link should have named something, a stack is over, and the other half of
        a card should have come."""
        covered_ns = self._way.covered_ns
        return (
            covered_ns + self._jam_ns if covered_ns < NEVER_NS else NEVER_NS,
            self._naming.due_ns,
            self._stack.due_ns if self._way.free else NEVER_NS,
            self._matching.due_ns,
        )

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while True:
            jam_ns, naming_ns, stack_ns, matching_ns = self._deadlines()
            due_ns = min(jam_ns, naming_ns, stack_ns, matching_ns)
            if due_ns > until_ns:
                return
            if due_ns == jam_ns:
                self._way.covered_ns = NEVER_NS
                self._troubles.take("jam", MOUTH, True, due_ns, found)
            elif due_ns == naming_ns:
                self._name(self._naming.due(due_ns, found), found)
            elif due_ns == stack_ns:
                found.append(self._stack.over(due_ns))
            else:
                self._out(self._matching.due(due_ns), found)

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
            self._stack.goes_on(t_ns)
            if self._way.free:
                self._troubles.take("jam", MOUTH, False, t_ns, found)
            if way == "out":
                self._out(self._matching.passed(self._way.began_ns, t_ns), found)
            elif way:
                found.append(CardPushedBack(t_ns=t_ns, was_out=way == "returned"))

    # --- the way of a card: named, held against the passages, counted into its stack ---

    def _name(self, named: Named, found: list[Observation]) -> None:
        """Cards were named on the link: they are held against those that have passed the barriers."""
        for one in named:
            if isinstance(one, LostName):
                self._out(self._matching.unread(one.t_ns), found)
            elif self._config.barriers:
                self._miss(one.t_ns, found)
                self._out(self._matching.named(one, in_way=not self._way.free), found)
            else:
                self._out((card_out(one, one.t_ns, one.t_ns),), found)

    def _out(self, cards: CardsOut, found: list[Observation]) -> None:
        """Cards have left; of an automated shoe they are some of a stack."""
        for seen in cards:
            found.append(seen)
            self._stack.take(seen)

    def _miss(self, t_ns: int, found: list[Observation]) -> None:
        """Barriers that the card did not cover that is named; one that never is covered does not work."""
        for line in self._missed:
            if line not in self._covered and not self._way.level[line]:
                self._missed[line] += 1
            if self._missed[line] == MISSES:
                detail = f"{MISSES} cards running were named, and {line} was covered by none: it is dead, or dirty"
                self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)
        self._covered.clear()


def public_part_of(config: ShoeConfig) -> PublicPart:
    """What of the frames of a shoe may be stored: of tokens nothing, for each names a card."""
    return public_part if config.reading == "lines" else no_part


def public_part(data: bytes) -> bytes | None:
    """What of a frame may be stored before its card is exposed: the number of a card, and all of what is none."""
    line = parse(data)
    if isinstance(line, MalformedCardLine):
        return b""
    if isinstance(line, ShoeLine) or line.card in (CUTTING_CARD, UNREAD):
        return None
    return b"C;%05d;" % line.number
