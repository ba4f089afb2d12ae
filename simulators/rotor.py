"""The rotor of a roulette wheel: the dealer brings it to speed, and it loses a little of it all the time."""

from __future__ import annotations

from math import sqrt
from random import Random

from simulators.motion import Path, Segment
from simulators.roulette_plan import RoulettePlan

DEG_S_PER_RPM = 6.0
LOSS_DEG_S2 = 0.04 * DEG_S_PER_RPM
"""A real rotor's loss, 0.04 rpm a second: in the film of one spin its laps took 4.617, 4.683 and 4.751 s."""
READING_TURNS = 6.5
"""So many turns after the drop a correct controller has read the number or has given it up."""
READING_LEAST_S = 21.0
SETTLING_S = 4.5
"""From there to the end of the round: the settled button, or the time after which a round settles by itself."""
LEAST_TURNING_DEG_S = 18.0


def rotor_motion(
    plan: RoulettePlan, begin_s: float, angle_deg: float, speed_deg_s: float, drop_s: float, rng: Random
) -> list[Segment]:
    """The rotor's motion through a round, to its end."""
    path = Path(begin_s, angle_deg, speed_deg_s)
    path.coast(begin_s + plan.rotor_after_s, LOSS_DEG_S2)
    path.ramp(plan.rotor_rpm * DEG_S_PER_RPM, rng.uniform(1.2, 2.0))
    if plan.rotor_reverses_s is not None:
        path.coast(begin_s + plan.throw_after_s + plan.rotor_reverses_s, LOSS_DEG_S2)
        path.ramp(-0.8 * path.speed_deg_s, rng.uniform(0.5, 1.2))
    # The hand may turn the rotor back when a short run is over; a round lasts from whichever comes later.
    drop_s = max(drop_s, path.now_s)
    path.coast(drop_s, LOSS_DEG_S2)
    path.coast(drop_s + after_the_drop_s(path.speed_deg_s) + SETTLING_S, LOSS_DEG_S2)
    return path.segments


def after_the_drop_s(speed_deg_s: float) -> float:
    """How long after the drop a controller may take to read the number."""
    speed, turns_deg = abs(speed_deg_s), READING_TURNS * 360.0
    left = speed * speed - 2.0 * LOSS_DEG_S2 * turns_deg
    if speed < LEAST_TURNING_DEG_S or left <= 0.0:
        return READING_LEAST_S
    return max(READING_LEAST_S, 2.0 * turns_deg / (speed + sqrt(left)))
