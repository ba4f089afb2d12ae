"""A continuous shuffling shoe: cards go in and come out all the time, and nobody knows the order between.

    shoe_card_1, shoe_card_2   the barriers of the mouth, as of every shoe: a card that leaves is counted out
    shoe_card_in  ___|‾|___|‾|____      one pulse for each card that is put back: counted in

It reads no card. What is inside follows from both counts, which the game keeps; where changes of either were lost, it
is not known any more until the cards are counted and loaded again.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.sensed_device import SensedDevice
from drivers.base.view import dead_lines
from drivers.cards.card_way import BARRIERS, MOUTH, TROUBLE_OF_LINE, CardWay, ShoeTroubles
from drivers.cards.observations import CardDealt, CardInserted, CardPushedBack, CardsLost, InsertsLost
from drivers.cards.view import ShufflingShoeView
from hal.values import Edge, EdgesLost, Loss

INTAKE: Final = "shoe_card_in"
MISSES: Final = 3
"""A barrier that this many cards running did not cover is dead (ours)."""


class ShufflingShoeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a continuous shuffling shoe."""

    driver: Literal["shuffling_shoe"] = "shuffling_shoe"
    body: Annotated[bool, Meta(description="sensors of an empty shoe, its lid and a jam")] = True
    jam_s: Annotated[
        float, Meta(ge=0.5, le=60, description="a barrier covered for this long is a jam, or a hand (ours)")
    ] = 3.0


class ShufflingShoe(SensedDevice):
    """The driver of one continuous shuffling shoe (see `drivers.base.driver.Driver`)."""

    def __init__(self, config: ShufflingShoeConfig, name: str = "shoe") -> None:
        super().__init__(name)
        self._jam_ns = round(config.jam_s * 1e9)
        self.lines = frozenset((*BARRIERS, INTAKE, *(TROUBLE_OF_LINE if config.body else ())))
        self._way = CardWay()
        self._troubles = ShoeTroubles()
        self._intake: int | None = None
        """The level of the intake's line; None where it is not known."""
        self._out = self._in = 0
        self._covered: set[str] = set()
        """Barriers that the card in the way has covered."""
        self._missed = dict.fromkeys(BARRIERS, 0)
        """By barrier: how many cards running covered the other one alone."""

    def view(self, t_ns: int) -> ShufflingShoeView:
        """The shoe at `t_ns`: its counts."""
        at_mouth = self._way.covered_ns != NEVER_NS
        facts = (
            ("cards out", str(self._out)),
            ("cards in", str(self._in)),
            ("mouth", "a card is in the way" if at_mouth else "free"),
            ("trouble", ", ".join(self._troubles.active) or "none"),
        )
        return ShufflingShoeView(
            facts=facts,
            doubts=(*(("what is put back is not counted",) if self._intake is None else ()), *dead_lines(self._health)),
            cards_out=self._out,
            cards_in=self._in,
            at_mouth=at_mouth,
            troubles=self._troubles.active,
        )

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles lost changes, or an unplugged line."""
        found: list[Observation] = []
        line, t_ns = loss.line, loss.t_ns
        if line not in self.lines:
            return found
        self._pass_time(t_ns - 1, found)
        unplugged = loss.cause is Loss.UNPLUGGED
        if unplugged and line != INTAKE:  # without it a round is what it is; only the count inside is not known
            self._health.line_unplugged(line, t_ns, found)
        what = f"{line} {'is unplugged' if unplugged else 'lost changes'}"
        if line in BARRIERS:
            self._way.forget()
            found.append(CardsLost(t_ns=t_ns, reason="edges_lost", detail=f"{what}: cards may have left uncounted"))
        elif line == INTAKE:
            self._intake = None
            found.append(InsertsLost(t_ns=t_ns, detail=f"{what}: cards may have been put back uncounted"))
        else:
            self._troubles.take(TROUBLE_OF_LINE[line], line, False, t_ns, found)
        return found

    def _due_ns(self) -> int:
        covered_ns = self._way.covered_ns
        return covered_ns + self._jam_ns if covered_ns < NEVER_NS else NEVER_NS

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        due_ns = self._due_ns()
        if due_ns <= until_ns:
            self._way.covered_ns = NEVER_NS
            self._troubles.take("jam", MOUTH, True, due_ns, found)

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        line, level, t_ns = edge
        if line == INTAKE:
            known, self._intake = self._intake, level
            if level and known == 0:
                self._in += 1
                found.append(CardInserted(t_ns=t_ns))
        elif line in TROUBLE_OF_LINE:
            self._troubles.take(TROUBLE_OF_LINE[line], line, bool(level), t_ns, found)
        else:
            way = self._way.take(line, level, t_ns)
            if level:
                self._covered.add(line)
            elif self._way.free and self._covered:
                if "jam" in self._troubles.active:
                    self._covered.clear()  # it never came to the barrier behind
                else:
                    self._miss(t_ns, found)
            if self._way.free:
                self._troubles.take("jam", MOUTH, False, t_ns, found)
            if way == "out":
                self._out += 1
                found.append(CardDealt(t_ns=t_ns, card=None, left_ns=t_ns))
            elif way:
                found.append(CardPushedBack(t_ns=t_ns, was_out=way == "returned"))

    def _miss(self, t_ns: int, found: list[Observation]) -> None:
        """A card was in the way; a barrier that several running did not cover is dead."""
        for line in BARRIERS:
            self._missed[line] = 0 if line in self._covered else self._missed[line] + 1
            if self._missed[line] == MISSES:
                detail = f"{MISSES} cards running covered the other barrier, and never {line}: it is dead, or dirty"
                self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)
        self._covered.clear()
