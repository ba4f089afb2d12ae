"""A simulated shoe: cards pass two light barriers, each is named by a line, and a line a second has the state.

shoe_card_1  ____┌──────────────┐_________     a card of 63.5 mm, drawn at 0.25 to 0.6 m/s past
shoe_card_2  ________┌──────────────┐_____     barriers that are 20 mm apart
link         ________________________C;…__     its line, or its token, 10 to 40 ms after it is out

A double shoe has a gate at each compartment; a continuous shuffling shoe has no link, and counts what is put back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from drivers.cards.card_wire import COUNTS, CUTTING_CARD, DECK, CardLine, ShoeLine, ShoeState, checksum, encode
from hal.clock import NS_PER_S
from hal.values import Edge, EdgesLost, Frame, Loss, Rare

MOUTH: Final = "shoe_card_1"
OUTSIDE: Final = "shoe_card_2"
CUT: Final = "shoe_cut"
EMPTY: Final = "shoe_empty"
LID: Final = "shoe_lid"
JAM: Final = "shoe_jam"
BARRIERS: Final = (MOUTH, OUTSIDE)
BODY: Final = (CUT, EMPTY, LID, JAM)

CARD_M: Final = 0.0635
"""The width of a poker card: it leaves with its long side in front."""
APART_M: Final = 0.020
"""From one barrier to the other (ours)."""
SPEED_M_S: Final = (0.25, 0.6)
"""At which a dealer draws a card (ours)."""
LINE_S: Final = (0.010, 0.040)
"""From a card that is out to its line (ours)."""
BEHIND: Final = (0.2, 0.3)
"""Where the cutting card is, from the back: about a quarter."""

GATES: Final = ("shoe_gate_1", "shoe_gate_2")
INTAKE: Final = "shoe_card_in"
TOKEN_S: Final = 0.02
"""From one token of a card to the next, where they are repeated (ours)."""


class TokenFormat(NamedTuple):
    """The format in which a shoe names its cards, where it is not ours."""

    codes: Mapping[str, str]
    """What each token means."""
    checksum: str = "none"
    """`none`, `xor` or `sum`."""
    repeats: int = 1
    """How often running a token is sent."""

    def token(self, card: str) -> bytes | None:
        """What it sends of a card; None where it has no code for it."""
        code = next((code for code, known in self.codes.items() if known == card), None)
        if code is None:
            return None
        data = code.encode("latin-1")
        return data + {"none": b"", "xor": b"%02X" % checksum(data), "sum": b"%02X" % (sum(data) % 256)}[self.checksum]


_STATE_OF: Final = {EMPTY: ShoeState.EMPTY, LID: ShoeState.LID, JAM: ShoeState.JAM}


class ShoeSimulator:
    """One shoe. What its lines do is collected until it is taken; times are seconds of the simulation."""

    def __init__(
        self,
        seed: int,
        decks: int,
        *,
        barriers: bool,
        body: bool,
        link: str,
        deck: Sequence[str] = DECK,
        tokens: TokenFormat | None = None,
        double: bool = False,
        continuous: bool = False,
        cutting_card: bool = True,
    ) -> None:
        """`tokens` is the format in which it names cards where that is not ours; with no `link` it names none."""
        self._cutting_card = cutting_card
        own = (*(BARRIERS if barriers else ()), *((BODY[1:] if continuous else BODY) if body else ()))
        beside = (*(GATES if double else ()), *((INTAKE,) if continuous else ()))
        self.lines = (*own, *beside, *((link,) if link else ()))
        self._tokens = tokens
        self._in_our_format = bool(link) and tokens is None
        self._sent_s = 0.0
        """When all tokens of the card before are sent."""
        self._open = 1
        """The compartment of a double shoe that is open."""
        self.cards: list[str] = []
        """The cards in it, the next one last."""
        self.added = 0
        """Cards of elsewhere that came into it since the shuffle."""
        self._rng = Random(f"{seed}/shoe")
        self._decks = decks
        self._deck = deck
        self._link = link
        self._number = 0
        self._counted: list[tuple[float, int]] = [(0.0, 0)]
        """Since when its count is what it is."""
        self._state = ShoeState.READY
        self._states: list[tuple[float, ShoeState]] = [(0.0, ShoeState.READY)]
        self._edges: list[Edge] = []
        self._rare: list[Rare] = []
        self._report_s = 0.2
        self._silent: list[tuple[str, float, float]] = []
        """Lines that carry nothing for a time."""

    def start(self) -> None:
        """The levels at time 0."""
        self._edges += [Edge(line, int(line == GATES[0]), 0) for line in self.lines if line != self._link]

    def load(self) -> None:
        """Shuffled decks; the cutting card about a quarter from the back, where there is one."""
        cards = [card for _ in range(self._decks) for card in self._deck]
        self._rng.shuffle(cards)
        if self._cutting_card:
            cards.insert(int(len(cards) * self._rng.uniform(*BEHIND)), CUTTING_CARD)
        self.cards = cards
        self.added = 0

    @property
    def too_many(self) -> bool:
        """Whether more cards have left it since the shuffle than its decks have: who counts them knows."""
        inside = sum(card != CUTTING_CARD for card in self.cards)
        return self.added > inside

    def add(self, card: str, under: int = 0) -> None:
        """A card of elsewhere comes into it: the next one, or this many cards below the top."""
        self.cards.insert(len(self.cards) - under, card)
        self.added += 1

    def put_back(self, cards: Sequence[str], at_s: float, *, counted: int | None = None) -> None:
        """Cards go into a continuous shuffling shoe, which counts them, or this many of them."""
        for number in range(len(cards) if counted is None else counted):
            self._pulse(INTAKE, at_s + number * 0.06, at_s + number * 0.06 + 0.03)
        self.cards += cards
        self._rng.shuffle(self.cards)

    def open_side(self, side: int, at_s: float) -> None:
        """A compartment of a double shoe is opened, the other one closed before."""
        if side != self._open:
            self._edges.append(Edge(GATES[self._open - 1], 0, _ns(at_s)))
            self._edges.append(Edge(GATES[side - 1], 1, _ns(at_s + 0.1)))
            self._open = side

    def open_both(self, from_s: float, until_s: float) -> None:
        """The compartment that is closed is open for a time, too."""
        self._pulse(GATES[2 - self._open], from_s, until_s)

    @property
    def side(self) -> int:
        """The compartment that is open."""
        return self._open

    # --- cards ---------------------------------------------------------------------------------------------------

    def out(
        self, card: str, at_s: float, *, line: str | None = None, beside: float = 0.0, dead: Collection[str] = ()
    ) -> float:
        """A card leaves from `at_s` on; returns when it is out. Its line names it `line`, if that is given.

        `beside` is the part of a second card that follows while the first still covers the barriers; `dead` are
        barriers that see nothing.
        """
        speed = self._rng.uniform(*SPEED_M_S)
        long_m = CARD_M * (1.0 + beside)
        passes = ((MOUTH, 0.0), (OUTSIDE, APART_M))
        for barrier, away_m in passes:
            if barrier not in dead:
                self._pulse(barrier, at_s + away_m / speed, at_s + (away_m + long_m) / speed)
        end_s = at_s + (APART_M + long_m) / speed
        self.name(line or card, end_s)
        return end_s

    def lost_line(self, card: str, at_s: float) -> float:
        """A card leaves, and its line is lost on the way; returns when it is out."""
        end_s = self.out(card, at_s)
        if self._link:
            self._rare.pop()
        return end_s

    def corrupted_line(self, card: str, at_s: float) -> float:
        """A card leaves, and a bit of its line is turned over on the way; returns when it is out."""
        end_s = self.out(card, at_s)
        frame = self._rare.pop()
        if isinstance(frame, Frame):
            data = bytearray(frame.data)
            data[self._rng.randrange(len(data))] ^= 1 << self._rng.randrange(6)
            self._rare.append(frame._replace(data=bytes(data)))
        return end_s

    def repeated_line(self, card: str, at_s: float) -> float:
        """A card leaves, and its line is sent twice; returns when it is out."""
        end_s = self.out(card, at_s)
        frame = self._rare[-1]
        self._rare.append(frame._replace(t_ns=frame.t_ns + 5_000_000))
        return end_s

    def name(self, card: str, out_s: float) -> None:
        """The line of a card that is out."""
        sent_s = out_s + self._rng.uniform(*LINE_S)
        if self._tokens is not None:
            token, sent_s = self._tokens.token(card) or b"?", max(sent_s, self._sent_s)
            for number in range(self._tokens.repeats):
                self._send(token, sent_s + number * TOKEN_S)
            self._sent_s = sent_s + self._tokens.repeats * TOKEN_S
        elif self._link:
            self._number = (self._number + 1) % COUNTS
            self._counted.append((sent_s, self._number))
            self._send(encode(CardLine(self._number, card)), sent_s)

    def pushed_back(self, at_s: float) -> float:
        """A card is drawn until both barriers are covered, and pushed back; returns when it is in again."""
        speed = self._rng.uniform(*SPEED_M_S)
        self._pulse(MOUTH, at_s, at_s + 2 * 1.5 * APART_M / speed)
        self._pulse(OUTSIDE, at_s + APART_M / speed, at_s + 2 * APART_M / speed)
        return at_s + 2 * 1.5 * APART_M / speed

    def returned(self, at_s: float) -> float:
        """A card that was out is pushed in; returns when it is in."""
        speed = self._rng.uniform(*SPEED_M_S)
        self._pulse(OUTSIDE, at_s, at_s + CARD_M / speed)
        self._pulse(MOUTH, at_s + APART_M / speed, at_s + (APART_M + CARD_M) / speed)
        return at_s + (APART_M + CARD_M) / speed

    def stuck(self, at_s: float, until_s: float) -> None:
        """A card sticks in the mouth until somebody takes it out."""
        self._pulse(MOUTH, at_s, until_s)

    def wiped(self, at_s: float) -> float:
        """A person wipes the outer barrier, which works again; returns when it is done."""
        self._pulse(OUTSIDE, at_s, at_s + 0.4)
        return at_s + 0.5

    def at_mouth(self, from_s: float, until_s: float) -> None:
        """The cutting card is at the mouth."""
        self._pulse(CUT, from_s, until_s)

    # --- the body ------------------------------------------------------------------------------------------------

    def trouble(self, sensor: str, from_s: float, until_s: float) -> None:
        """It is jammed, empty or open for a time."""
        self._pulse(sensor, from_s, until_s)
        for state, at_s in ((_STATE_OF[sensor], from_s), (ShoeState.READY, until_s)):
            self._states.append((at_s, state))
            self._send_state(at_s)

    def restarted(self, at_s: float) -> None:
        """It is switched off and on: it counts from the beginning."""
        self._number = 0
        self._counted.append((at_s, 0))

    def unplugged(self, from_s: float, until_s: float) -> None:
        """The cable of barriers and link is pulled out, and put back."""
        for line in self.lines:
            if line in BARRIERS or line in (self._link, INTAKE):
                self._rare.append(EdgesLost(line, Loss.UNPLUGGED, _ns(from_s)))
                self.silent(line, from_s, until_s)
            if line in BARRIERS or line == INTAKE:
                self._edges.append(Edge(line, 0, _ns(until_s)))

    def intake_unplugged(self, from_s: float, until_s: float) -> None:
        """The counter of cards that are put back comes off, and is plugged in again."""
        self._rare.append(EdgesLost(INTAKE, Loss.UNPLUGGED, _ns(from_s)))
        self._edges.append(Edge(INTAKE, 0, _ns(until_s)))

    def silent(self, line: str, from_s: float, until_s: float) -> None:
        """A line carries nothing for a time."""
        self._silent.append((line, from_s, until_s))

    def silent_link(self, from_s: float, until_s: float) -> None:
        """The link carries nothing for a time."""
        self.silent(self._link, from_s, until_s)

    # --- what its lines did --------------------------------------------------------------------------------------

    def take(self, until_s: float) -> tuple[list[Edge], list[Rare]]:
        """What its lines did up to then, states included."""
        while self._report_s < until_s:
            self._send_state(self._report_s)
            self._report_s += 1.0
        edges = [edge for edge in self._edges if not self._is_silent(edge.line, edge.t_ns)]
        rare = [one for one in self._rare if not (isinstance(one, Frame) and self._is_silent(one.link, one.t_ns))]
        self._edges, self._rare, self._silent = [], [], []
        self._counted, self._states = self._counted[-1:], self._states[-1:]
        return edges, rare

    def _is_silent(self, line: str, t_ns: int) -> bool:
        return any(line == silent and _ns(from_s) <= t_ns < _ns(until_s) for silent, from_s, until_s in self._silent)

    def _send_state(self, at_s: float) -> None:
        if not self._in_our_format:
            return
        number = self._counted[bisect_right(self._counted, at_s, key=_since) - 1][1]
        state = self._states[bisect_right(self._states, at_s, key=_since) - 1][1]
        self._send(encode(ShoeLine(number, state)), at_s)

    def _send(self, data: bytes, at_s: float) -> None:
        self._rare.append(Frame(self._link, data, _ns(at_s)))

    def _pulse(self, line: str, from_s: float, until_s: float) -> None:
        if line in self.lines:
            self._edges += [Edge(line, 1, _ns(from_s)), Edge(line, 0, _ns(until_s))]


def _since(at: tuple[float, object]) -> float:
    return at[0]


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
