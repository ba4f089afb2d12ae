"""The throw of a round of craps, as a reading board reports it: when it begins, and which throw a reading is of.

    open ──dice move, or a reading of an unreported throw──────► begins ──► readings of it ──► over

Dice that move outside a round are strays: of a throw that was called void, or thrown before the round opened. What is
read of them does not count.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from controller.table.phase import OPEN, RUNNING, Phase

Strays: TypeAlias = Literal["void", "early"]


class BoardThrow:
    """The throws of one table, one after the other."""

    def __init__(self) -> None:
        self.last: int | None = None
        """The board's own number of the throw that it read last."""
        self.before: int | None = None
        """The number that it had read last when an automated shaker began to toss."""
        self._strays: Strays | None = None
        self.begin()

    def begin(self) -> None:
        """A new round begins; strays still move."""
        self.revealed_ns: int | None = None
        """When the dice of this round were known to be at rest, where a board or a shaker reports it."""
        self._began_ns: int | None = None

    def tossed(self) -> None:
        """An automated shaker begins to toss: readings of the throw before are not of this round."""
        self.before = self.last

    def voided(self) -> None:
        """The roll is invalid, and its dice still move."""
        self._strays = "void"

    @property
    def moved_s(self) -> float | None:
        """How long the board saw them move, in seconds; None where it did not."""
        if self._began_ns is None or self.revealed_ns is None:
            return None
        return round((self.revealed_ns - self._began_ns) / 1e9, 3)

    def moved(self, t_ns: int, phase: Phase, *, lie: bool) -> Literal["begins", "disturbed"] | None:
        """The board sees dice move; `lie` is whether those of this round were known to be at rest."""
        if phase is OPEN:
            self._began_ns = t_ns
            self._strays = None
            return "begins"
        if phase is not RUNNING:
            self._strays = "early"
            return None
        return "disturbed" if lie else None

    def read(self, number: int | None, phase: Phase) -> bool:
        """The board reads dice, by its own number of the throw. Returns whether an unheard throw begins by that.

        A throw of which no movement was reported may have been a roll, and is not passed over.
        """
        before, self.last = self.last, number
        unheard = before is not None and number is not None and number != before
        return phase is OPEN and self._strays is None and unheard

    def strays_lie(self) -> bool:
        """A reading was of no open round. Returns whether its dice were thrown before the round opened."""
        strays, self._strays = self._strays, None
        return strays == "early"
