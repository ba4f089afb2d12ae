"""What a wheel's two level sensors say."""

from __future__ import annotations

from math import ceil, cos, radians, sin
from random import Random

from hal.values import Reading

NOISE_DEG = 0.008
NS_PER_S = 1_000_000_000


def level_readings(
    hz: float,
    from_s: float,
    until_s: float,
    tilt: tuple[float, float],
    tilted: tuple[float, float, float] | None,
    rng: Random,
) -> list[Reading]:
    """Readings of `level_x` and `level_y` in degrees, `hz` times a second; none when `hz` is 0.

    `tilt` is how much the wheel leans and which way; `tilted` (from, until, how much) a time when somebody pushes it
    further, None where nobody does.
    """
    if hz <= 0.0:
        return []
    out: list[Reading] = []
    steady_deg, towards_deg = tilt
    for n in range(ceil(from_s * hz), ceil(until_s * hz)):
        t_s = n / hz
        leaning = tilted is not None and tilted[0] <= t_s < tilted[1]
        tilt_deg = tilted[2] if tilted is not None and leaning else steady_deg
        t_ns = int(t_s * NS_PER_S)
        for line, share in (("level_x", cos(radians(towards_deg))), ("level_y", sin(radians(towards_deg)))):
            out.append(Reading(line, round(tilt_deg * share + rng.gauss(0.0, NOISE_DEG), 4), t_ns))
    return out
