"""One round's shaking by hand: covered, shaken under the cover, at rest, uncovered (19:47-9.5(c), 13:69F-9.5(d)1).

cover on ──► shakes ──► the dice are at rest ──► cover off: revealed
               ▲             │ shaken again under the cover: it begins again
               └─────────────┘
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from drivers.base.driver import Observation
from drivers.dice.observations import (
    DiceStirred,
    ShakerCovered,
    ShakerRested,
    ShakerShaken,
    ShakerUncovered,
    TumbleStarted,
)
from hal.wording import counted

SHAKEN = (DiceStirred, ShakerCovered, ShakerRested, ShakerShaken, ShakerUncovered, TumbleStarted)
"""What a manual shaker reports."""

JOINED = "joined_mid_tumble"


class JudgedShaking(NamedTuple):
    """What the shaking comes to."""

    verdict: Literal["revealed", "void", "unresolved"]
    reason: str = ""
    detail: str = ""
    ours: bool = False
    """Whether the house refuses what the rule would let pass."""


class Shaking:
    """The manual shaker, from round to round."""

    def __init__(self, by_rule: int, minimum: int) -> None:
        """`by_rule` is how often the text has it shaken, `minimum` how often this table does: as often, or more."""
        self.minimum = minimum
        self._by_rule = by_rule
        self.covered_ns: int | None = None
        """Since when the cover is on; None while it is off."""
        self.moving = False
        """Whether it is shaken, or its dice do not come to rest yet."""
        self.begin()

    def begin(self) -> None:
        """A new round: what was shaken before is not of it."""
        self.shaken_ns: int | None = None
        """The first shake of the round."""
        self.shakes = 0
        self._covered_shakes = 0
        """All shakes of the round under the cover: the text has nothing of a pause between them."""
        self.rested: ShakerRested | None = None
        self.covered_again = False
        """Whether it was reported that the cover was put back before the bets were paid."""
        self._was_covered_ns: int | None = self.covered_ns

    def follow(self, seen: Observation) -> None:
        """Keeps what is so whether a round is on or not: the cover, and whether it moves."""
        if isinstance(seen, ShakerCovered):
            self.covered_ns = self._was_covered_ns = seen.covered_ns
        elif isinstance(seen, ShakerUncovered):
            self.covered_ns = None
        elif isinstance(seen, TumbleStarted):
            self.moving = True
        elif isinstance(seen, ShakerRested):
            self.moving = False

    def shaken(self, seen: ShakerShaken) -> bool:
        """It was shaken once more; returns whether for the first time in the round."""
        first, self.rested, self.shakes = self.shaken_ns is None, None, seen.shakes
        self._covered_shakes += seen.covered
        if self.shaken_ns is None:
            self.shaken_ns = seen.shaken_ns
        return first

    @property
    def _enough_by_rule(self) -> bool:
        """Whether the round had the shakes under the cover that the text wants, whatever else was wrong with them."""
        return self._covered_shakes >= self._by_rule

    def rests(self, seen: ShakerRested) -> JudgedShaking | None:
        """The dice are at rest: what is wrong with it already, or None where the cover's coming off decides."""
        if self.shaken_ns is None:
            return None
        if seen.joined:
            return JudgedShaking("unresolved", JOINED, "it was shaken already when the table opened")
        if seen.doubt == "shaken_uncovered":
            return JudgedShaking("void", seen.doubt, seen.detail, ours=self._enough_by_rule)
        if seen.doubt is not None:
            return JudgedShaking("unresolved", seen.doubt, seen.detail)
        if seen.started_ns is not None:
            self.rested, self.shakes = seen, seen.shakes
        return None

    def uncovers(self, called_ns: int | None) -> JudgedShaking | None:
        """The cover came off: what that means; None where it means nothing yet."""
        if self.shaken_ns is None:
            put_on_ns = self._was_covered_ns
            if called_ns is None or put_on_ns is None or put_on_ns < called_ns:
                return None
            return JudgedShaking("void", "too_few_shakes", "it was covered and uncovered, and no shake was felt")
        if self.rested is None:
            return None  # the dice move: their rest reports that they were uncovered
        if self.rested.shakes < self.minimum:
            shakes = counted(self.rested.shakes, "shake")
            detail = f"{shakes} under the cover without a pause, and {self.minimum} are the least"
            return JudgedShaking("void", "too_few_shakes", detail, ours=self._enough_by_rule)
        return JudgedShaking("revealed")
