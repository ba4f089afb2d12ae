"""What no software can detect on a given geometry, with the reason; calibration excludes it.

Each entry is a wiring mistake whose lines are, edge for edge, those of another wheel that is wired rightly: turning the
other way, or with the same parts elsewhere. Two wheels that make the same lines cannot be distinguished by them.

- Two track sensors exchanged, where the exchange is a reflection or rotation of the sensors' circle (three equally
  spaced, opposite ones of four, any two sensors alone): a ball running the other way makes the same passes.
- A and B exchanged, where the index ends 2 to 4 counts (of the slot's 4) after A rises: mirrored at 1½ counts, the far
  end of the index comes to lie within a count of angle 0.
- A inverted, where the index ends within 1, or 3 to 4 counts after A rises: mirrored at 2 counts.
- B inverted, where the index ends 1 to 3 counts after A rises: mirrored at 1 count.

And losses. Edges of a money wheel that are lost, and not reported, from the moment at which it turns back at the end
of its run, or from its last two counts before that, for as long as a rest takes: those before are, edge for edge, the
lines of a wheel that rests there (`rest_unseen`); one run in some 40,000 meets such a loss. The same holds for the last
three counts of a wheel that does not turn back: a flapper may have stopped it there. On fewer than four slots a
space, a pulse lost within the last swings of a wheel that rocks, and one and a half on up to four: its edges can come
when those of a wobble would. So can one edge there that comes before its time, of a line that is stuck for less than a
pulse. One edge there that is the last of its line, on any wheel: it may have gone on by a count (`pulse_unseen`).
Whole slots lost, and not reported, of a wheel so slow that a hand stops it within a count, where the next crossing of
the index is late by just as many: a wheel that a hand held for as long, and pushed on, makes these lines
(`held_unseen`).

One false pulse of a track sensor, beside the true passes of the ball, that has the time and the width of its next pass
after the last, or of one before the first: a ball that went on, or was launched sooner, makes these lines
(`pass_unseen`).

The beams for foreign objects are the only lines that see an object. Where none of them, the one or both, is broken for
longer than noise during the spin, because it lost what it saw or is dead, the lines are those of a spin without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from hal.values import EdgesLost
from tests.oracle import money, roulette
from tests.oracle.corruptions import Corrupted, whole_pulses
from tests.oracle.motion import NS

FLAPPER_COUNTS = 3
"""A wheel that would go on for so few counts may be stopped by its flapper."""

HAND_DEG_PER_S2 = 3_000.0
"""No hand stops a wheel with more: at the rim of one of 1.5 m some four times gravity (docs/devices/money-wheel.md)."""

COUNTS_PER_SLOT = 4

NOISE_NS = 2_000_000
"""An object beam that is broken for no longer than this shows noise (docs/devices/roulette-wheel.md)."""

LAP_NS = 5_000_000_000
"""No lap of a ball takes longer."""
SHORTEST_PULSE_NS = 800_000
"""A shorter pulse is no ball's (docs/devices/roulette-wheel.md)."""
EVEN, SLOWS = 1.05, 1.25
"""From pass to pass a ball's lap takes no less than the first of these less, and up to the second more."""
LONGEST_LAP_S = 2.75
"""The lap of a ball that does not drop at once."""

ALIKE_DEG = 4.0
"""Sensors nearer than this to a mirrored arrangement count as mirrored: a ball's speed is not measured better."""


def _off(a: float, b: float) -> float:
    return abs((a - b + 180.0) % 360.0 - 180.0)


def looks_rightly_placed(sensors_deg: Sequence[float], exchanged: tuple[int, int]) -> bool:
    """Whether exchanging two sensors is a reflection or rotation of all."""
    actual = list(sensors_deg)
    i, j = exchanged
    actual[i], actual[j] = actual[j], actual[i]
    for sign in (-1, 1):
        shift = actual[0] - sign * sensors_deg[0]
        if all(_off(a, sign * s + shift) <= ALIKE_DEG for a, s in zip(actual, sensors_deg, strict=True)):
            return True
    return False


MIRROR_COUNTS = {("swap", "a", "b"): 3.0, ("invert", "a"): 4.0, ("invert", "b"): 2.0}
"""A mistake in the wiring of a quadrature mirrors the disc: what was at p counts appears at this less p."""


def index_looks_right(mistake: tuple[str, ...], index_width_deg: float, slots: int) -> bool:
    """Whether the mirrored index lies at angle 0 within one count, as the conventions allow."""
    zero = MIRROR_COUNTS[mistake] - index_width_deg * 4 * slots / 360.0
    return abs((zero + 2.0) % 4.0 - 2.0) <= 1.0


def why_invisible(wheel: money.Wheel | roulette.Wheel, corrupted: Corrupted) -> str | None:
    """The reason why no software can detect this wiring mistake on this wheel; None where it can."""
    if not corrupted.wiring:
        return None
    kind, *lines = corrupted.wiring
    ends = sorted(line.rsplit("_", 1)[-1] for line in lines)
    if all(line.startswith("ball_") for line in lines) and kind == "swap" and isinstance(wheel, roulette.Wheel):
        first, second = (int(end) - 1 for end in ends)
        if looks_rightly_placed(wheel.sensors_deg, (first, second)):
            return f"sensors at {wheel.sensors_deg} with {first + 1} and {second + 1} exchanged are their mirror image"
    mistake = (kind, *ends)
    if mistake in MIRROR_COUNTS and index_looks_right(mistake, wheel.index_width_deg, wheel.slots):
        return f"an index of {wheel.index_width_deg}° over {wheel.slots} slots looks right in a mirror"
    return None


def object_unseen(run: roulette.RouletteRun, spin: roulette.Spin, outcome_ns: int, corrupted: Corrupted) -> bool:
    """Whether no object beam shows anything but noise between the launch of a ball and its rest.

    Nor a loss up to the outcome at `outcome_ns`: a backend may learn of it when the line changes next.
    """
    lines = run.wheel.object_lines
    if any(
        isinstance(loss, EdgesLost) and loss.line in lines and spin.launch_ns < loss.t_ns < outcome_ns
        for loss in corrupted.rare
    ):
        return False
    for line in lines:
        shown = [edge for edge in corrupted.edges if edge.line == line]
        fell = [edge.t_ns for before, edge in pairwise(shown) if edge.level == before.level == 0]
        if any(spin.launch_ns < t_ns < outcome_ns for t_ns in fell):
            return False
        ends_ns = [*(edge.t_ns for edge in shown[1:]), run.until_ns]
        for edge, end_ns in zip(shown, ends_ns, strict=False):
            broken = edge.level == 1 and end_ns - edge.t_ns > NOISE_NS
            if broken and end_ns > spin.launch_ns and edge.t_ns + NOISE_NS < spin.rest_ns:
                return False
    return True


def pass_unseen(run: roulette.RouletteRun, spin: roulette.Spin, corrupted: Corrupted) -> float:
    """The turns that one false pulse adds, which came as the next pass of the ball, or as one before its first; else 0.

    No pass is lost, nothing is reported, and no other pulse is as long as a ball's from before the launch to the rest.
    """
    pulses = _pulses_of_track(corrupted, spin.launch_ns - LAP_NS, spin.rest_ns)
    false = [pulse for pulse in pulses if all(abs(pulse.t_ns - t_ns) > pulse.width_ns for t_ns in spin.passes_ns)]
    if corrupted.rare or len(false) != 1 or len(pulses) != len(spin.passes_ns) + 1:
        return 0.0
    sensors = run.wheel.sensors_deg
    after = false[0] is pulses[-1]
    if not after and false[0] is not pulses[0]:
        return 0.0
    one, two, three = pulses[-3:] if after else pulses[:3]
    first, second = _leg(sensors, spin.ball_way, one, two), _leg(sensors, spin.ball_way, two, three)
    if first is None or second is None:
        return 0.0
    widths = sorted(pulse.width_ns / leg.lap_s for pulse, leg in ((one, first), (two, first), (three, second)))
    slowing = second.lap_s / first.lap_s
    fits = 1 / EVEN < slowing < SLOWS and widths[-1] < SLOWS * widths[0] and second.lap_s < LONGEST_LAP_S
    return (second if after else first).turns if fits else 0.0


class _TrackPulse(NamedTuple):
    sensor: int
    t_ns: int
    """Its middle."""
    width_ns: int


class _Leg(NamedTuple):
    turns: float
    lap_s: float


def _pulses_of_track(corrupted: Corrupted, from_ns: int, to_ns: int) -> list[_TrackPulse]:
    """The pulses of the track sensors that are longer than the shortest of a ball, in the order of their times."""
    found: list[_TrackPulse] = []
    for line in {edge.line for edge in corrupted.edges if edge.line.startswith("ball_")}:
        for rise, fall in whole_pulses(corrupted.edges, line):
            start_ns, end_ns = corrupted.edges[rise].t_ns, corrupted.edges[fall].t_ns
            if from_ns < start_ns < to_ns and end_ns - start_ns > SHORTEST_PULSE_NS:
                sensor = int(line.removeprefix("ball_")) - 1
                found.append(_TrackPulse(sensor, (start_ns + end_ns) // 2, end_ns - start_ns))
    return sorted(found, key=lambda pulse: pulse.t_ns)


def _leg(sensors_deg: Sequence[float], way: int, one: _TrackPulse, other: _TrackPulse) -> _Leg | None:
    """The way of a ball from one sensor to the next; None where another lies between."""
    ahead = [(deg - sensors_deg[one.sensor]) * way % 360.0 or 360.0 for deg in sensors_deg]
    turns = ahead[other.sensor] / 360.0
    if ahead[other.sensor] > min(ahead):
        return None
    return _Leg(turns, (other.t_ns - one.t_ns) / NS / turns)


def rest_unseen(run: money.MoneyRun, spin: money.Spin, until_ns: int, corrupted: Corrupted) -> bool:
    """Whether every change of A and B from where the wheel turned back up to `until_ns` was lost without a report.

    Or the last three of a wheel that did not turn back.
    """
    lines = ("wheel_a", "wheel_b")
    true, shown = (
        [e for e in edges if e.line in lines and spin.start_ns < e.t_ns <= until_ns]
        for edges in (run.edges, corrupted.edges)
    )
    last = len(shown)
    if last < 2 or last == len(true) or shown != true[:last]:
        return False
    reported = any(isinstance(loss, EdgesLost) and true[last].t_ns <= loss.t_ns <= until_ns for loss in corrupted.rare)
    # Two changes of one line in a row are where the wheel turned: the loss begins there, or up to two counts before.
    turned = any(one.line == next_one.line for one, next_one in pairwise(true[last - 2 : last + 3]))
    ended = len(true) - last <= FLAPPER_COUNTS and spin.furthest_ns == spin.rest_ns
    return (turned or ended) and not reported


def held_unseen(run: money.MoneyRun, spin: money.Spin, corrupted: Corrupted) -> bool:
    """Whether whole slots of a slow wheel were lost without a report, and the index came later by just as many."""
    true, shown = (
        [e for e in edges if e.line in ("wheel_a", "wheel_b") and spin.start_ns < e.t_ns <= spin.rest_ns]
        for edges in (run.edges, corrupted.edges)
    )
    lost = len(true) - len(shown)
    first = next((k for k, (one, other) in enumerate(zip(true, shown, strict=False)) if one != other), len(shown))
    if corrupted.rare or lost <= 0 or lost % COUNTS_PER_SLOT or first < 2 or true[first + lost :] != shown[first:]:
        return False
    crossings = (
        next((e.t_ns for e in edges if e.line == "wheel_index" and e.level and e.t_ns > true[first].t_ns), None)
        for edges in (run.edges, corrupted.edges)
    )
    was_ns, is_ns = crossings
    if was_ns is None or is_ns is None or sum(was_ns < e.t_ns <= is_ns for e in true) != lost:
        return False
    slowest_ns = sqrt(run.wheel.count_deg / (2 * HAND_DEG_PER_S2)) * NS
    return true[first - 1].t_ns - true[first - 2].t_ns >= slowest_ns


def pulse_unseen(run: money.MoneyRun, spin: money.Spin, corrupted: Corrupted) -> bool:
    """Whether a pulse of one line was lost in the last swings on fewer than four slots a space, or 1½ on up to four.

    Or one edge of a line came before its time there, on fewer than four; or the last edge of a line was lost there.
    """
    wheel = run.wheel
    true, shown = set(run.edges), set(corrupted.edges)
    gone = [e for e in run.edges if e not in shown]
    early = [e for e in corrupted.edges if e not in true]
    rocking = all(spin.furthest_ns <= e.t_ns <= spin.rest_ns for e in (*gone, *early))
    changed = len(run.edges) - len(gone) + len(early)
    if len({e.line for e in (*gone, *early)}) != 1 or corrupted.rare or len(corrupted.edges) != changed:
        return False
    if len(gone) == 1 and not early:
        return rocking and not any(e.line == gone[0].line and gone[0].t_ns < e.t_ns <= spin.rest_ns for e in run.edges)
    moved = len(early) == 1 and [(e.line, e.level) for e in gone] == [(e.line, e.level) for e in early]
    if early and not (moved and early[0].t_ns < gone[0].t_ns):
        return False
    most_slots = {1: 4 * wheel.spaces - 1, 2: 4 * wheel.spaces - 1, 3: 4 * wheel.spaces}
    return rocking and wheel.slots <= most_slots.get(len(gone), 0)
