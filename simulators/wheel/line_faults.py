"""The named line faults: which lines they corrupt, when, and what a correct controller may then report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from hal.values import Batch, Edge, EdgesLost, Rare
from simulators.base.corruption import (
    Corruption,
    bounce,
    jittered,
    noise_burst,
    pulses_of,
    repaired,
    stuck,
    swapped,
    unplugged,
    without_pulses,
)
from simulators.base.motion import Segment, angle_at, clipped, shifted
from simulators.base.truth import SimRound, doubted

# --- an encoder that slips on its shaft: it stops while the wheel continues, then follows behind ---

LATE_SLIP_DEG_S = 80.0
"""A slower wheel may pause before a peg by itself."""


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


ROUNDING_DEG = 1e-9
REMOUNT_S = 0.2
"""How long the staff take to turn a slipped encoder on its shaft, once its screw is loose (ours)."""


def remounted(segments: Sequence[Segment], from_s: float, by_deg: float) -> list[Segment]:
    """The encoder's motion where the staff turn it on its shaft by this much, from `from_s` on for `REMOUNT_S`."""
    until_s, speed = from_s + REMOUNT_S, by_deg / REMOUNT_S
    return [
        *clipped(segments, segments[0].start_s, from_s),
        *(
            Segment(
                one.start_s,
                one.duration_s,
                one.angle_deg + speed * (one.start_s - from_s),
                one.speed_deg_s + speed,
                one.accel_deg_s2,
            )
            for one in clipped(segments, from_s, until_s)
        ),
        *shifted(clipped(segments, until_s, segments[-1].end_s), by_deg),
    ]


def off_its_place(slip_deg: float, slot_deg: float) -> float:
    """How far a slipped encoder is from the nearest place in which its slots are as they were; 0.0 if it does."""
    off_deg = slip_deg - round(slip_deg / slot_deg) * slot_deg
    return off_deg if abs(off_deg) > ROUNDING_DEG else 0.0


def random_slip(
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


# --- corrupted lines ---

MS = 1_000_000


@dataclass(frozen=True, slots=True)
class LineContext:
    """The round whose lines are corrupted.

    `encoder` are A and B (or the peg line alone), `marks` the lines that pulse at marks of the turn (index, pocket,
    pegs), `ball` the track sensors in their order, `beams` the lines that are quiet unless something is wrong,
    `buttons` the dealer's. `levels` are those at `begin_ns`; the run (the spin, or the ball in its track) is between
    `run_from_ns` and `run_until_ns`.
    """

    encoder: tuple[str, ...]
    marks: tuple[str, ...]
    ball: tuple[str, ...]
    beams: tuple[str, ...]
    buttons: tuple[str, ...]
    levels: Mapping[str, int]
    begin_ns: int
    end_ns: int
    run_from_ns: int
    run_until_ns: int
    rng: Random

    @property
    def device(self) -> tuple[str, ...]:
        """All lines of the wheel."""
        return tuple(dict.fromkeys((*self.encoder, *self.marks, *self.ball, *self.beams)))

    def moment_ns(self) -> int:
        """A random time of the run."""
        return self.rng.randrange(self.run_from_ns, self.run_until_ns)


@dataclass(frozen=True, slots=True)
class CorruptedLines:
    """The lines after a fault, what it did, and the reason codes that become acceptable with it."""

    edges: list[Edge]
    rare: list[EdgesLost]
    detail: str
    reasons: tuple[str, ...]


_Damage = tuple[Corruption, str, tuple[str, ...]]

_ENCODER_DOUBT = (
    "encoder_slip",
    "edges_lost",
    "sensor_missing",
    "wheel_reversed",
    "wheel_revolutions",
    "rotor_reversed",
    "rotor_not_turning",
    "ball_direction",
    "no_number_read",
)
_MARK_DOUBT = ("sensor_missing", "no_number_read", "encoder_slip", "edges_lost")
_BALL_DOUBT = ("ball_revolutions", "ball_direction", "sensor_missing", "foreign_object", "edges_lost")
_ANY_DOUBT = (
    *_ENCODER_DOUBT,
    *_BALL_DOUBT,
    "sensor_stuck",
    "ball_left_wheel",
    "indicator_between_spaces",
    "joined_mid_spin",
    "spun_before_no_more_bets",
)


def corrupted_round(played: SimRound, context: LineContext) -> SimRound:
    """A clean round as its line fault leaves it."""
    batch, fault = played.batch, played.fault
    if fault is None:
        return played
    result = corrupt_lines(fault, batch.edges, context)
    rare: list[Rare] = sorted([*batch.rare, *result.rare], key=lambda value: value.t_ns)
    return played._replace(
        batch=Batch(result.edges, rare, batch.until_ns),
        truth=doubted(played.truth, result.detail, result.reasons),
    )


def corrupt_lines(name: str, edges: list[Edge], context: LineContext) -> CorruptedLines:
    """A clean round's edges with the named line fault, which is repaired at `end_ns`.

    Raises:
        KeyError: the name is not that of a line fault.
    """
    rare: list[EdgesLost] = []
    if name == "cable_pulled":
        corrupt, rare, detail, reasons = _cable_pulled(context)
    else:
        corrupt, detail, reasons = LINE_FAULTS[name](edges, context)
    corrupted = repaired(corrupt(edges), edges, context.levels, context.end_ns)
    foreign = ("wheel_", "indicator_", "spun_") if context.ball else ("ball_", "rotor_", "foreign_", "no_number_")
    fair = tuple(dict.fromkeys(reason for reason in reasons if not reason.startswith(foreign)))
    return CorruptedLines(corrupted, rare, detail, fair)


def _one_sensor(context: LineContext) -> str:
    """A random line: most often a track sensor, where there are any."""
    others = tuple(dict.fromkeys((*context.encoder, *context.marks)))
    if context.ball and context.rng.random() < 0.6:
        return context.rng.choice(context.ball)
    return context.rng.choice(others)


def _doubt(line: str, context: LineContext) -> tuple[str, ...]:
    if line in context.ball:
        return _BALL_DOUBT
    return _ENCODER_DOUBT if line in context.encoder else _MARK_DOUBT


def _missed_sensor(edges: list[Edge], context: LineContext) -> _Damage:
    line = context.rng.choice(context.ball or context.marks)
    count = len(pulses_of(edges, line))
    share = context.rng.uniform(0.15, 0.6)
    gone = {n for n in range(count) if context.rng.random() < share}
    if count and not gone:
        gone = {context.rng.randrange(count)}
    detail = f"{line} missed {len(gone)} of {count} pulses"
    return without_pulses(line, gone.__contains__), detail, _doubt(line, context)


def _lost_one(line: str, edges: list[Edge], context: LineContext, reasons: tuple[str, ...]) -> _Damage:
    count = len(pulses_of(edges, line))
    lost = context.rng.randrange(count) if count else -1
    return without_pulses(line, lost.__eq__), f"{line} lost pulse {lost + 1} of {count}", reasons


def _lost_pass(edges: list[Edge], context: LineContext) -> _Damage:
    seen = [line for line in context.ball if pulses_of(edges, line)] or list(context.ball)
    return _lost_one(context.rng.choice(seen), edges, context, ())


def _lost_pulse(edges: list[Edge], context: LineContext) -> _Damage:
    return _lost_one(context.rng.choice(context.encoder), edges, context, _ENCODER_DOUBT)


def _stuck_sensor(edges: list[Edge], context: LineContext) -> _Damage:
    line, from_ns = _one_sensor(context), context.moment_ns()
    corrupt = stuck(line, 1, from_ns, context.end_ns, context.levels)
    return corrupt, f"{line} stuck high", ("sensor_stuck", *_doubt(line, context))


def _dead_sensor(edges: list[Edge], context: LineContext) -> _Damage:
    line = _one_sensor(context)
    corrupt = stuck(line, 0, context.begin_ns + 1, context.end_ns, context.levels)
    return corrupt, f"{line} dead", ("sensor_stuck", *_doubt(line, context))


def _swapped_sensors(edges: list[Edge], context: LineContext) -> _Damage:
    one, other = context.encoder if len(context.encoder) == 2 else context.marks[:2]
    if context.ball and context.rng.random() < 0.75:
        one, other = context.rng.sample(context.ball, 2)
    corrupt = swapped(one, other, context.begin_ns + 1, context.levels)
    # Swapped A and B reverse every direction: the ball then seems to run with the rotor.
    return corrupt, f"{one} and {other} swapped", _ANY_DOUBT


def _bounce(edges: list[Edge], context: LineContext) -> _Damage:
    rng, levels = context.rng, context.levels
    share, longest_ns = rng.uniform(0.05, 0.6), int(rng.uniform(0.05, 0.4) * MS)
    sensors = bounce(context.device, share, longest_ns, rng, levels)
    buttons = bounce(context.buttons, 1.0, 8 * MS, rng, levels)
    return lambda e: buttons(sensors(e)), f"contacts bounce for up to {longest_ns // 1000} us", _ANY_DOUBT


def _jitter(edges: list[Edge], context: LineContext) -> _Damage:
    spread_ns = int(context.rng.uniform(0.005, 0.2) * MS)
    corrupt = jittered(context.device, spread_ns, context.rng, context.begin_ns, context.end_ns)
    return corrupt, f"edges jitter by {spread_ns // 1000} us", ()


def _noise_burst(edges: list[Edge], context: LineContext) -> _Damage:
    rng = context.rng
    lines = rng.sample(context.device, rng.randint(1, len(context.device)))
    from_ns, count = context.moment_ns(), rng.randint(3, 40)
    until_ns = from_ns + int(rng.uniform(5.0, 300.0) * MS)
    corrupt = noise_burst(lines, from_ns, until_ns, count, rng, context.levels)
    return corrupt, f"{count} false pulses on each of {', '.join(lines)}", _ANY_DOUBT


def _cable_pulled(context: LineContext) -> tuple[Corruption, list[EdgesLost], str, tuple[str, ...]]:
    from_ns = context.moment_ns()
    until_ns = min(from_ns + int(context.rng.uniform(500.0, 4000.0) * MS), context.end_ns - MS)
    corrupt, rare = unplugged(context.device, from_ns, until_ns, context.levels)
    return corrupt, rare, f"cable out for {(until_ns - from_ns) // MS} ms", _ANY_DOUBT


LINE_FAULTS: dict[str, Callable[[list[Edge], LineContext], _Damage]] = {
    "missed_sensor": _missed_sensor,
    "lost_pass": _lost_pass,
    "lost_pulse": _lost_pulse,
    "stuck_sensor": _stuck_sensor,
    "dead_sensor": _dead_sensor,
    "swapped_sensors": _swapped_sensors,
    "bounce": _bounce,
    "jitter": _jitter,
    "noise_burst": _noise_burst,
}
"""The corruption of each line fault. Not here: `cable_pulled`, which also reports losses, and `ENCODER_FAULTS`."""

ENCODER_FAULTS = ("index_slip", "late_slip")
"""Line faults that move the encoder itself on its shaft."""

INDEX_SLIP_REASONS = (
    "encoder_slip",
    "no_number_read",
    "sensor_missing",
    "edges_lost",
    "rotor_not_turning",
    "indicator_between_spaces",
)
"""Acceptable reasons after a slip of the encoder: until the index crosses, the wheel seems to be at another angle."""

AFTERMATH_REASONS = ("encoder_slip", "sensor_stuck", "joined_mid_spin")
"""Acceptable reasons in the round after a line fault: its repair may look like a slip of the encoder."""
