"""The watch over a roulette wheel and its pace: what its rounds show of wheel and dealer, beside their results.

    round opened ── call ── ball seen ── verdict ── settled         from these events alone, at the verdict
         │ idle │  betting  │   spin    │  paying │

    same_ball_direction   the ball ran the same way round in too many spins in a row
    rotor_speed           the rotor was outside of its bounds, or gets faster or slower from spin to spin
    games_an_hour         too few or too many games in an hour of play
    drop_zone_bias        the ball leaves the track in one part of the bowl too often

Each is a warning, all of it is ours, and nothing of it changes a verdict. A block of spins gives a false alarm as
seldom as a window of the bias watch. All but the blocks of the drop zone begins again with the service.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from math import erfc, sqrt
from statistics import fmean
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from controller.table.bias import FALSE_ALARM
from controller.table.pace_watch import GamePace
from controller.table.round_watch import Watched
from feed.data import WatchCounts
from feed.drop_zone import Arc, DropZoneWatch, arc_of
from feed.events import (
    Data,
    NoMoreBets,
    Outcome,
    RoundCorrected,
    RoundOpened,
    RoundStarted,
    Settled,
    Unresolved,
    Void,
)

ZONE_BLOCKS: Final = (300, 2000)
"""Spins after which the drop zone is judged, in blocks of each length (ours): a third that draws half of the balls is
found in the short ones, one that draws 40 % in the long ones."""
TREND_SPINS: Final = 60
"""Spins after which a trend of the rotor's speed is judged (ours)."""


class WatchLimits(NamedTuple):
    """The thresholds of the watch: `[watch]` of the table's file."""

    same_direction: int
    least_rotor_rpm: float
    most_rotor_rpm: float
    least_games_an_hour: int | None
    most_games_an_hour: int | None
    idle_ns: int
    bowl: tuple[Arc, ...]
    """Every arc between two track sensors; empty where no drop zone is looked for."""


# --- the ball's direction ---


class SameDirection:
    """Counts the spins in a row with the ball in one direction; says so once, until it changes."""

    def __init__(self, most: int) -> None:
        """`most` spins in a row are too many; 0 watches nothing."""
        self._most = most
        self._last = ""
        self._length = 0

    def spun(self, direction: str) -> Watched | None:
        """A ball was spun."""
        self._length = self._length + 1 if direction == self._last else 1
        self._last = direction
        if self._length != self._most:
            return None
        return Watched("same_ball_direction", f"the ball ran {direction} in {self._length} spins in a row")


# --- the rotor's speed ---


class RotorSpeed:
    """The speed of the rotor at each spin: its bounds, and its trend over blocks of spins."""

    def __init__(self, least_rpm: float, most_rpm: float) -> None:
        self._least_rpm = least_rpm
        self._most_rpm = most_rpm
        self._outside = False
        self._block: list[float] = []

    def spun(self, rpm: float) -> Sequence[Watched]:
        """The rotor turned so fast in a spin. A speed outside of the bounds is stated once, until one is inside."""
        self._block.append(rpm)
        was, self._outside = self._outside, not self._least_rpm <= rpm <= self._most_rpm
        if len(self._block) < TREND_SPINS and (was or not self._outside):
            return ()
        found = []
        if self._outside and not was:
            bounds = f"{self._least_rpm:g} to {self._most_rpm:g} rpm"
            words = f"the rotor turned at {rpm:.1f} rpm, its bounds are {bounds}{self._course()}"
            found.append(Watched("rotor_speed", words))
        if len(self._block) == TREND_SPINS:
            p = trend(self._block)
            if p < FALSE_ALARM:
                words = f"p {p:.1g} for a speed without a trend"
                found.append(Watched("rotor_speed", f"the rotor's speed has a trend{self._course()}, {words}"))
            self._block = []
        return found

    def _course(self) -> str:
        third = len(self._block) // 3
        if not third:
            return ""
        first, last = fmean(self._block[:third]), fmean(self._block[-third:])
        return f"; over {len(self._block)} spins it went from {first:.1f} to {last:.1f} rpm"


def trend(values: Sequence[float]) -> float:
    """How probable so clear a rise or fall is in values without one: the test of Mann and Kendall, two-sided.

    It takes no distribution for granted, and equal values say nothing.
    """
    number = len(values)
    score = 0
    before: list[float] = []
    for at, value in enumerate(values):
        place = bisect_left(before, value)
        # Of the values before it, those that are below it, less those that are above.
        score += place - (at - bisect_right(before, value, place))
        before.insert(place, value)
    if not score:
        return 1.0
    return erfc((abs(score) - 1) / sqrt(number * (number - 1) * (2 * number + 5) / 18) / sqrt(2))


# --- all of it ---


class WheelWatch:
    """Takes the events of one table's rounds, and returns what is to be warned of."""

    def __init__(self, limits: WatchLimits) -> None:
        self._direction = SameDirection(limits.same_direction)
        self._rotor = RotorSpeed(limits.least_rotor_rpm, limits.most_rotor_rpm)
        self._pace = GamePace(limits.least_games_an_hour, limits.most_games_an_hour, limits.idle_ns)
        self._zone = DropZoneWatch(limits.bowl, ZONE_BLOCKS if limits.bowl else (), FALSE_ALARM)
        self._begun = self._pace.steps.begun
        self._takes: dict[type[Data], Callable[[Any], Sequence[Watched] | None]] = {
            RoundOpened: self._pace.steps.opened,
            NoMoreBets: self._begun,
            RoundStarted: self._started,
            Void: self._paced,
            **dict.fromkeys((Outcome, Unresolved), self._decided),
            RoundCorrected: self._pace.steps.corrected,
            Settled: self._pace.steps.settled,
        }

    def see(self, data: Data) -> Sequence[Watched]:
        """Takes an event."""
        take = self._takes.get(type(data))
        return () if take is None else take(data) or ()

    def counted(self, counts: WatchCounts) -> WatchCounts:
        """These counts, with the blocks of the drop zone that have begun."""
        return replace(counts, zone=self._zone.counts())

    def restore(self, counts: WatchCounts) -> bool:
        """Goes on with blocks of before; returns whether they are of this bowl."""
        return counts.zone is None or self._zone.restore(counts.zone)

    def _started(self, data: RoundStarted) -> Sequence[Watched]:
        self._begun(data)
        found = None if data.direction is None else self._direction.spun(data.direction)
        return () if found is None else (found,)

    def _paced(self, data: Void) -> Sequence[Watched]:
        found = self._pace.see(data)
        return () if found is None else (found,)

    def _decided(self, data: Outcome | Unresolved) -> Sequence[Watched]:
        evidence = data.evidence
        found: list[Watched] = []
        rotor_rpm = evidence.rotor_rpm
        if rotor_rpm is not None:
            found += self._rotor.spun(rotor_rpm)
        arc = arc_of(evidence) if type(data) is Outcome else None
        if arc is not None:
            for zone in self._zone.left(arc):
                found.append(Watched("drop_zone_bias", zone.words))
        pace = self._pace.see(data)
        if pace is not None:
            found.append(pace)
        return found
