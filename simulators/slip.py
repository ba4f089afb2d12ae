"""An encoder that slips on its shaft: it stands while the wheel goes on, then follows behind."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random

from simulators.motion import Segment, angle_at, clipped, shifted

LATE_SLIP_DEG_S = 80.0
"""A wheel slower than this may pause before a peg by itself."""


def slipped(segments: Sequence[Segment], at_s: float, by_deg: float) -> list[Segment]:
    """The encoder's motion when it slips at `at_s`, until the wheel has moved `by_deg` (or to the end)."""
    held_deg = angle_at(segments, at_s)
    last = segments[-1]
    freed_s = last.end_s
    for segment in clipped(segments, at_s, last.end_s):
        crossing_s = _reach(segment, held_deg, by_deg)
        if crossing_s is not None:
            freed_s = segment.start_s + crossing_s
            break
    after = clipped(segments, freed_s, last.end_s)
    lag_deg = angle_at(segments, freed_s) - held_deg
    return [
        *clipped(segments, segments[0].start_s, at_s),
        Segment(at_s, freed_s - at_s, held_deg, 0.0, 0.0),
        *shifted(after, -lag_deg),
    ]


def some_slip(
    spin: Sequence[Segment], last_index_s: float, late: bool, count_deg: float, rng: Random
) -> tuple[float, float]:
    """When, in a spin of the money wheel, its encoder slips, and how far.

    Early enough for the index to pass again after it; or `late`, after the last index and while the wheel still turns
    fast enough for the pause in the counts to stand out.
    """
    from_s = spin[0].start_s
    if not late:
        at_s = from_s + (last_index_s - from_s) * rng.uniform(0.1, 0.75)
        return at_s, min(30.0, count_deg * rng.uniform(2.0, 40.0))
    fast_until_s = max(segment.start_s for segment in spin if abs(segment.speed_deg_s) >= LATE_SLIP_DEG_S)
    slip_deg = rng.uniform(18.0, 36.0)
    if last_index_s >= fast_until_s:
        return fast_until_s, slip_deg
    return rng.uniform(last_index_s, fast_until_s), slip_deg


def _reach(segment: Segment, from_deg: float, by_deg: float) -> float | None:
    """When, in a segment, the motion is first `by_deg` from `from_deg`; None if it is not by its end."""
    end_deg = segment.angle_after(segment.duration_s)
    if abs(end_deg - from_deg) < by_deg:
        return None
    goal_deg = from_deg + (by_deg if end_deg > from_deg else -by_deg)
    away_deg, speed, accel = goal_deg - segment.angle_deg, segment.speed_deg_s, segment.accel_deg_s2
    root = sqrt(max(0.0, speed * speed + 2.0 * accel * away_deg))
    divisor = speed + (root if away_deg > 0.0 else -root)
    return min(segment.duration_s, max(0.0, 2.0 * away_deg / divisor)) if divisor else 0.0
