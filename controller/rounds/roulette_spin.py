"""What was measured of the spin that a roulette round judges, and the evidence that it makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from drivers.roulette_observations import BallLeftTrack, BallPassed, ForeignObject, PocketRead, RotorDoubt
from feed.events import Evidence

WHOLE: Final = 1e-6
"""Revolutions are sums of angles: so much less than four is still four."""


@dataclass(slots=True)
class Spin:
    """One round's spin, from the first pass of the ball to the last reading of the pocket."""

    joined: bool = False
    """The ball ran before the track was once quiet."""
    passed: BallPassed | None = None
    """Its last pass at a track sensor."""
    rotor_at_launch: int = 0
    laps_told: int = 0
    left: BallLeftTrack | None = None
    object: ForeignObject | None = None
    """Seen after the first reading of the pocket: held until the second."""
    reads: PocketRead | None = None
    """The last reading of the pocket."""
    slip: RotorDoubt | None = None
    call_judged: bool = False
    single_pass: bool = False
    """The track became quiet after one pass."""

    def call(self, called_ns: int | None) -> str:
        """How "No more bets", called at `called_ns`, stands to the ball: `in_time`, `late`, or `never`."""
        if called_ns is None:
            return "never"
        return "late" if self.left is not None and called_ns > self.left.t_ns else "in_time"

    def evidence(self, rotor: int, minimum_revolutions: int, call: str, detail: str) -> Evidence:
        """What was measured; `rotor` is the direction in which the rotor turns now, 0 where it has none."""
        last, reads = self.passed, self.reads
        return Evidence(
            revolutions=None if last is None else round(last.travel, 4),
            revolutions_low=None if last is None else round(last.travel, 4),
            revolutions_high=None if last is None else round(last.travel_high, 4),
            minimum_revolutions=minimum_revolutions,
            direction=None if last is None else around_the_bowl(last.direction),
            rotor_direction=around_the_bowl(rotor or self.rotor_at_launch or None),
            rotor_rpm=None if last is None else round(last.rotor_rpm, 2),
            passes=None if last is None else last.passes,
            missed_passes=None if last is None else last.missed,
            last_lap_s=None if last is None else last.lap_s,
            rotor_turns=None if reads is None else reads.turns,
            off_center=None if reads is None else reads.off_pockets,
            no_more_bets=call,
            detail=detail,
        )


def around_the_bowl(direction: int | None) -> str | None:
    """A direction around the bowl, seen from above: angles grow clockwise."""
    return None if direction is None else ("clockwise" if direction > 0 else "counter-clockwise")
