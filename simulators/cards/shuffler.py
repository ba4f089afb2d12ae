"""A simulated shuffler: it shuffles one batch while the other is dealt, by plain lines or by the lines of its link.

shuffler_busy      __┌───────────────┐_______     a cycle of 12 ms a card
shuffler_card      ___|‾|_|‾|_ … |‾|__________
shuffler_complete  __________________|‾‾‾‾‾|_     until the batch is taken out
"""

from __future__ import annotations

from typing import Final

from drivers.cards.card_wire import ShufflerLine, ShufflerState, encode
from hal.clock import NS_PER_S
from hal.values import Edge, Frame, Rare

BUSY: Final = "shuffler_busy"
COMPLETE: Final = "shuffler_complete"
JAM: Final = "shuffler_jam"
DOOR: Final = "shuffler_door"
CARD: Final = "shuffler_card"
PRESENT: Final = "shuffler_present"
CONTACTS: Final = (BUSY, COMPLETE, JAM, DOOR)
CARD_S: Final = 0.012
"""From one card to the next (ours; a real one takes longer)."""
AROUND_S: Final = 0.5
"""Before the first card and after the last."""
FAULTS: Final = ("shuffler_jam", "shuffler_stopped", "shuffler_miscount", "shuffler_door_opened")


class ShufflerSimulator:
    """One shuffler. What its lines do is collected until it is taken; times are seconds of the simulation."""

    def __init__(self, cards: int, *, link: str = "", counter: bool = True, present: bool = False) -> None:
        """`cards` are those of one batch; with a `link` it reports over that, without one it has plain lines."""
        own = () if link else (*CONTACTS, *((CARD,) if counter else ()))
        self.lines = (*own, *((PRESENT,) if present else ()), *((link,) if link else ()))
        self._link = link
        self._cards = cards
        self._batch = 1
        self._edges: list[Edge] = []
        self._rare: list[Rare] = []

    def cycle_s(self) -> float:
        """How long a cycle takes."""
        return 2 * AROUND_S + self._cards * CARD_S

    def start(self) -> None:
        """The levels at time 0, and both batches idle."""
        self._edges += [Edge(line, int(line == PRESENT), 0) for line in self.lines if line != self._link]
        for batch in (1, 2):
            self._send(batch, ShufflerState.IDLE, 0, 0.05)

    def cycle(self, at_s: float, how: str = "none") -> float:
        """A batch is shuffled from then on, or a fault of that name comes; returns when the cycle is over."""
        cards = self._cards - 1 if how == "shuffler_miscount" else self._cards
        end_s, wrong_s = at_s + self.cycle_s(), at_s + self.cycle_s() / 2
        fails = how in FAULTS and how != "shuffler_miscount"
        self._send(self._batch, ShufflerState.BUSY, None, at_s)
        self._set(BUSY, 1, at_s)
        for number in range(cards):
            passes_s = at_s + AROUND_S + number * CARD_S
            if not fails or passes_s < wrong_s:
                self._set(CARD, 1, passes_s)
                self._set(CARD, 0, passes_s + CARD_S / 2)
        if not fails:
            self._set(BUSY, 0, end_s)
            self._set(COMPLETE, 1, end_s + 0.05)
            self._send(self._batch, ShufflerState.COMPLETE, cards, end_s)
            return end_s + 0.1
        line, state = {
            "shuffler_jam": (JAM, ShufflerState.JAM),
            "shuffler_door_opened": (DOOR, ShufflerState.DOOR),
        }.get(how, ("", ShufflerState.IDLE))
        if line:
            self._set(line, 1, wrong_s)
            self._set(line, 0, end_s)
        self._set(BUSY, 0, wrong_s + 0.1)
        self._send(self._batch, state, None, wrong_s)
        self._send(self._batch, ShufflerState.IDLE, None, end_s)
        return end_s + 2.0

    def taken(self, at_s: float) -> None:
        """The shuffled batch is taken out, and the other one is put in."""
        self._set(COMPLETE, 0, at_s)
        self._send(self._batch, ShufflerState.IDLE, 0, at_s)
        self._batch = 3 - self._batch

    def take(self) -> tuple[list[Edge], list[Rare]]:
        """What its lines did."""
        edges, rare = self._edges, self._rare
        self._edges, self._rare = [], []
        return edges, rare

    def _set(self, line: str, level: int, at_s: float) -> None:
        if line in self.lines:
            self._edges.append(Edge(line, level, int(at_s * NS_PER_S)))

    def _send(self, batch: int, state: ShufflerState, cards: int | None, at_s: float) -> None:
        if self._link:
            self._rare.append(Frame(self._link, encode(ShufflerLine(batch, state, cards)), int(at_s * NS_PER_S)))
