"""The truth of a simulated round, and the protocol of table simulators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, runtime_checkable

from hal.values import Batch
from simulators.base.geometry import Geometry


class Truth(NamedTuple):
    """What really happened in a round. An outcome is supported only if `valid` and its result is `result`."""

    valid: bool
    """Whether the run was valid under the rules, with everything known."""
    result: int | tuple[int, ...] | tuple[str, ...] | None
    """Index, in wheel order, of the space or pocket where it ended; the dice, those of the dealer's tumble first; the
    cards in the order of the deal; None where there is none. Also given for an invalid run that ended somewhere."""
    revolutions: float
    """Complete travel of the wheel (from where its turn began to the furthest point) or of the ball in its track; 0 at
    a dice table."""
    measurable: float
    """The part of it that clean lines can prove: for a ball from its first sensor pass to its last."""
    reasons: tuple[str, ...]
    """Reason codes with which a correct controller may refuse the round or leave it to the dealer; empty for a
    clean round that it should decide."""
    detail: str
    """A sentence for people."""
    notices: tuple[str, ...] = ()
    """Events and codes that a correct controller may give beside the verdict: violations, faults and warnings."""
    rest_ns: int | None = None
    """When the wheel, or the ball in its pocket, came to rest; None where it did not."""


def doubted(truth: Truth, detail: str, reasons: Iterable[str]) -> Truth:
    """The truth of a round whose lines were corrupted: more reasons become acceptable."""
    return truth._replace(
        reasons=tuple(dict.fromkeys((*truth.reasons, *reasons))),
        detail=f"{truth.detail}; {detail}",
        notices=(*truth.notices, "device.fault", "device.warning"),
    )


class SimRound(NamedTuple):
    """One round: what the lines did, and the truth."""

    batch: Batch
    truth: Truth
    number: int
    fault: str | None


class TableSimulator(Protocol):
    """A table that plays one round after another in virtual time; wheel, ball and clock go on between rounds."""

    @property
    def geometry(self) -> Geometry:
        """The sensors it simulates."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name, levels included."""

    def start(self) -> Batch:
        """The level of every line at time 0, and some quiet. Once, before the first round."""

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """


@runtime_checkable
class WaitingSimulator(Protocol):
    """A simulated table whose next round can wait for a person."""

    def wait(self, seconds: float) -> Batch:
        """What the lines do in this many seconds between two rounds, in which nobody plays."""
