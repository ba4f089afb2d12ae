"""Motion as pieces of constant acceleration.

Rotor, ball and money wheel move in segments of constant acceleration, each of which begins where the one before ended.
The time at which an angle is passed has a closed form, so edges do not depend on a sampling step.

Angles are degrees, grow in the positive direction and are never wrapped; times are seconds of virtual time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Segment(NamedTuple):
    """One piece of motion: where and how fast it begins, its acceleration, and how long it lasts."""

    start_s: float
    duration_s: float
    angle_deg: float
    speed_deg_s: float
    accel_deg_s2: float

    @property
    def end_s(self) -> float:
        """When the segment ends."""
        return self.start_s + self.duration_s

    def angle_after(self, elapsed_s: float) -> float:
        """The angle `elapsed_s` after the segment's start."""
        return self.angle_deg + (self.speed_deg_s + 0.5 * self.accel_deg_s2 * elapsed_s) * elapsed_s

    def speed_after(self, elapsed_s: float) -> float:
        """The speed `elapsed_s` after the segment's start."""
        return self.speed_deg_s + self.accel_deg_s2 * elapsed_s


class Path:
    """A motion, built segment by segment from its start."""

    def __init__(self, start_s: float, angle_deg: float, speed_deg_s: float = 0.0) -> None:
        self.segments: list[Segment] = []
        self.now_s = start_s
        self.angle_deg = angle_deg
        self.speed_deg_s = speed_deg_s

    def push(self, accel_deg_s2: float, duration_s: float, end_speed_deg_s: float | None = None) -> None:
        """Adds `duration_s` at a constant acceleration; nothing where the duration is not positive.

        `end_speed_deg_s` states the speed at the end where it is known without rounding (a stop is exactly 0).
        """
        if duration_s <= 0.0:
            return
        speed = self.speed_deg_s
        self.segments.append(Segment(self.now_s, duration_s, self.angle_deg, speed, accel_deg_s2))
        self.now_s += duration_s
        self.angle_deg += (speed + 0.5 * accel_deg_s2 * duration_s) * duration_s
        self.speed_deg_s = speed + accel_deg_s2 * duration_s if end_speed_deg_s is None else end_speed_deg_s

    def ramp(self, speed_deg_s: float, duration_s: float) -> None:
        """Changes evenly to `speed_deg_s` in `duration_s`."""
        self.push((speed_deg_s - self.speed_deg_s) / duration_s, duration_s, speed_deg_s)

    def coast(self, until_s: float, loss_deg_s2: float) -> None:
        """Slows by `loss_deg_s2` until `until_s`; once at rest, it stays."""
        duration_s = until_s - self.now_s
        if loss_deg_s2 > 0.0 and self.speed_deg_s != 0.0:
            accel_deg_s2 = -loss_deg_s2 if self.speed_deg_s > 0.0 else loss_deg_s2
            stop_s = abs(self.speed_deg_s) / loss_deg_s2
            if stop_s < duration_s:
                self.push(accel_deg_s2, stop_s, 0.0)
                duration_s = until_s - self.now_s
            else:
                self.push(accel_deg_s2, duration_s)
                return
        self.push(0.0, duration_s)

    def swing(self, by_deg: float, duration_s: float) -> None:
        """Moves from rest to rest, `by_deg` away: half the time faster, half the time slower."""
        half_s = duration_s / 2.0
        accel_deg_s2 = by_deg / (half_s * half_s)
        self.push(accel_deg_s2, half_s)
        self.push(-accel_deg_s2, half_s, 0.0)


def segment_at(segments: Sequence[Segment], t_s: float) -> Segment:
    """The segment in force at `t_s`; before the first and after the last, the nearest one goes on for ever.

    Raises:
        IndexError: there are no segments.
    """
    return segments[max(0, bisect_right(segments, (t_s, float("inf"))) - 1)]


def angle_at(segments: Sequence[Segment], t_s: float) -> float:
    """The angle at `t_s`."""
    segment = segment_at(segments, t_s)
    return segment.angle_after(t_s - segment.start_s)


def speed_at(segments: Sequence[Segment], t_s: float) -> float:
    """The speed at `t_s`."""
    segment = segment_at(segments, t_s)
    return segment.speed_after(t_s - segment.start_s)


def clipped(segments: Sequence[Segment], from_s: float, until_s: float) -> list[Segment]:
    """The part of a motion between two times."""
    kept: list[Segment] = []
    for segment in segments:
        start_s, end_s = max(segment.start_s, from_s), min(segment.end_s, until_s)
        if start_s >= end_s:
            continue
        if start_s == segment.start_s and end_s == segment.end_s:
            kept.append(segment)
            continue
        skipped_s = start_s - segment.start_s
        kept.append(
            Segment(
                start_s,
                end_s - start_s,
                segment.angle_after(skipped_s),
                segment.speed_after(skipped_s),
                segment.accel_deg_s2,
            )
        )
    return kept


def shifted(segments: Sequence[Segment], by_deg: float = 0.0, by_s: float = 0.0) -> list[Segment]:
    """The same motion at another angle or another time."""
    if by_deg == 0.0 and by_s == 0.0:
        return list(segments)
    return [Segment(t + by_s, d, angle + by_deg, speed, accel) for t, d, angle, speed, accel in segments]


def riding(carrier: Sequence[Segment], relative: Sequence[Segment]) -> list[Segment]:
    """The motion of something that moves by `relative` upon a `carrier`, while `relative` lasts."""
    cuts = {s.start_s for s in relative} | {s.start_s for s in carrier} | {relative[-1].end_s}
    first_s, last_s = relative[0].start_s, relative[-1].end_s
    times = sorted(t for t in cuts if first_s <= t <= last_s)
    summed: list[Segment] = []
    for start_s, end_s in pairwise(times):
        below, above = segment_at(carrier, start_s), segment_at(relative, start_s)
        below_s, above_s = start_s - below.start_s, start_s - above.start_s
        summed.append(
            Segment(
                start_s,
                end_s - start_s,
                below.angle_after(below_s) + above.angle_after(above_s),
                below.speed_after(below_s) + above.speed_after(above_s),
                below.accel_deg_s2 + above.accel_deg_s2,
            )
        )
    return summed
