"""What a simulated tumble was, whatever the lines showed of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from drivers.dice.reader_wire import VALUED, Die
from hal.values import Batch


class TumbleTruth(NamedTuple):
    """What really happened to the dice."""

    tumbled: bool
    """Whether it was a tumble under the rules, as one who sees everything would judge it: turned, or shaken, often
    enough without a rest between, or through every baffle; and the dice are at rest in the tumbler."""
    dice: tuple[Die, ...]
    """How each die came to rest at the end, in the order of the dice."""
    times: int
    """Inversions, shakes under the cover, or baffles that every die passed: of the longest run without a rest."""
    began_ns: int
    """When the dice were first set going."""
    rest_ns: int
    """When the last of them came to rest."""
    reasons: tuple[str, ...]
    """What a correct driver or round may report against it; empty for a clean tumble."""
    detail: str
    """One sentence for people."""

    @property
    def values(self) -> tuple[int, ...] | None:
        """The values of the dice, where every die has one."""
        values = tuple(die.value for die in self.dice if die.lying in VALUED and die.value is not None)
        return values if len(values) == len(self.dice) else None

    def doubted(self, detail: str, reasons: Iterable[str]) -> TumbleTruth:
        """The truth of a tumble whose lines were spoilt: what happened stays, but more may fairly be reported of it."""
        fair = tuple(dict.fromkeys((*self.reasons, *reasons)))
        return self._replace(reasons=fair, detail=f"{self.detail}; {detail}")


class Tumble(NamedTuple):
    """One tumble: what the lines did, and the truth."""

    batch: Batch
    truth: TumbleTruth
    number: int
    fault: str | None
