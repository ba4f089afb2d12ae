"""A ball on the track: lap times as filmed, or calculated from the two-phase slowing that those show.

Angles are degrees of the bowl, growing in the positive direction; a ball's way is +1 or -1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.oracle.motion import Motion

REAL_LAPS_S: dict[str, tuple[float, ...]] = {
    "a": (0.680, 0.634, 0.703, 0.706, 0.800, 0.795, 0.901, 1.009, 1.196, 1.818, 1.946, 2.001, 2.276),
    "b": (0.475, 0.520, 0.549, 0.573, 0.511, 0.590, 0.589, 0.612, 0.753, 0.663, 0.711, 0.879, 0.844, 0.946,
          1.059, 1.454, 1.817, 1.926, 2.167, 2.344),
    "c": (0.548, 0.633, 0.595, 0.649, 0.722, 0.659, 0.721, 0.794, 0.901, 0.959, 1.446, 1.770, 2.019, 2.172),
    "d": (0.551, 0.700, 0.666, 0.683, 0.767, 0.767, 0.883, 1.034, 1.400, 1.649, 1.917, 2.017, 2.217),
}  # fmt: skip
"""Lap times of four spins filmed in a live casino (public data), from the first timed lap to the last."""


@dataclass(frozen=True, slots=True)
class Pass:
    """The ball in front of one sensor."""

    sensor: int
    """Counted from 0."""
    deg: float
    """The ball's unwrapped angle there."""
    t_s: float
    start_s: float
    end_s: float


def lapped(start_s: float, start_deg: float, way: int, laps_s: Sequence[float], last_turn: float = 1.0) -> Motion:
    """A ball whose speed is constant within each lap; the last lap is run for a part of a turn only."""
    motion = Motion(start_deg)
    motion.rest(start_s)
    for i, lap_s in enumerate(laps_s):
        motion.speed = way * 360.0 / lap_s
        motion.accelerate(lap_s * (last_turn if i == len(laps_s) - 1 else 1.0), 0.0)
    return motion


def slowing(
    start_s: float, start_deg: float, way: int, turns: float, rng: Random, drop_rad_s: float, loss: float = 1.0
) -> Motion:
    """A ball that does `turns` and leaves the track at the speed at which gravity prevails.

    Above the knee it loses 0.63-0.82 rad/s², below it 0.11-0.25 rad/s², both times `loss`; each part of a lap strays by
    a few percent.
    """
    knee = rng.uniform(3.4, 4.6)
    fast, slow = loss * rng.uniform(0.63, 0.82), loss * rng.uniform(0.11, 0.25)
    stray = rng.uniform(0.0, 0.03)
    step = 2.0 * math.pi / 5.0
    speeds = [drop_rad_s]  # made backwards, from the drop to the launch
    ways = []
    left = turns * 2.0 * math.pi
    while left > 1e-9:
        part = min(step, left)
        loss = slow if speeds[-1] < knee else fast
        speeds.append(math.sqrt(speeds[-1] ** 2 + 2.0 * loss * part))
        ways.append(part)
        left -= part
    speeds = [speed * (1.0 + rng.gauss(0.0, 1.0) * stray * (0 < i < len(speeds) - 1)) for i, speed in enumerate(speeds)]
    motion = Motion(start_deg)
    motion.rest(start_s)
    motion.speed = way * math.degrees(speeds[-1])
    for speed, part in zip(reversed(speeds[:-1]), reversed(ways), strict=True):
        motion.turn_to(motion.deg + way * math.degrees(part), way * math.degrees(speed))
    return motion


def passes(motion: Motion, sensors_deg: Sequence[float], width_deg: float) -> list[Pass]:
    """Each whole pass of a sensor, in order; the window of `width_deg` is centred on the sensor."""
    found = []
    half = 0.5 * width_deg
    for sensor, at in enumerate(sensors_deg):
        entries = {}
        for t_s, k, way in motion.crossings(360.0, at - half):
            entries[(k, "low")] = (t_s, way)
        for t_s, k, way in motion.crossings(360.0, at + half):
            entries[(k, "high")] = (t_s, way)
        centres = {k: t_s for t_s, k, _ in motion.crossings(360.0, at)}
        for k, t_s in centres.items():
            low, high = entries.get((k, "low")), entries.get((k, "high"))
            if low is None or high is None:
                raise ValueError(f"the ball starts or leaves in front of sensor {sensor}")
            found.append(Pass(sensor, at + 360.0 * k, t_s, min(low[0], high[0]), max(low[0], high[0])))
    return sorted(found, key=lambda p: p.t_s)


def measurable_turns(seen: Sequence[Pass]) -> float:
    """The travel that the sensors show: from the first pass to the last."""
    return abs(seen[-1].deg - seen[0].deg) / 360.0 if seen else 0.0
