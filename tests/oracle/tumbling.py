"""Tumbles in a cage, a chute and a shaker, made and judged without a driver or a simulator.

A run is a list of things that happen, each with its time; the lines follow from them, and so does the truth. A claim
that dice were tumbled is false where the truth of the run between the rest before and the claim does not support it.

What no software can see is left out, with the reason:

- A tilt switch, a pulse sensor, a beam, a cover's or a shaker's switch that sticks at a level for a while, or for ever:
  its lines are, edge for edge, those of a cage turned once more, of one more die, of one more shake, of a cover.
- The same lines wired wrongly, where nothing else contradicts them: a cover's switch upside down.
- Edges of the cover that are lost and not told: it has no second sensor.
- All edges of all lines that are lost for as long as a rest takes: nothing is what a rest looks like. So losses of a
  whole stretch are of one line. A shaker has but one that feels it: where what is lost and not told, with a pause of
  the hands before or after it, is as long as a rest, the claim that the dice lie comes while they are shaken on
  (`_silenced`).
- A shake whose middle is lost and not told, so that it is two, and noise as long as a shake, or as the pulse of a
  magnet (`_counted_more`): several short pulses in a row may be one. A house that has such noise takes a longer
  `shortest_ms` or `pulse_ms`.
- Passes of a die too many that are lost and not told, so that each beam has as many as it must (`_counted_more`).
- Noise that comes again and again between two tumbles: no rest is seen, and they are one (`_joined`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final, NamedTuple

from drivers.base.driver import Driver, Observation
from drivers.dice.cage import ENCODER, Cage, CageConfig
from drivers.dice.chute import Chute, ChuteConfig
from drivers.dice.observations import CageRested, ChuteRested, ShakerRested
from drivers.dice.shaker import Shaker, ShakerConfig
from hal.values import Edge, EdgesLost, Rare
from tests.oracle import corruptions
from tests.oracle.corruptions import Corrupted, Corruption
from tests.oracle.motion import NS, Motion, encoder_edges, in_order, ns, pulse

REQUIRED: Final = 3
"""Inversions, shakes and baffles."""

ANY: tuple[Corruption, ...] = (
    corruptions.nothing,
    corruptions.drop_one_edge,
    corruptions.drop_pulse,
    corruptions.drop_burst,
    corruptions.drop_at_random,
    corruptions.stuck,
    corruptions.dead,
    corruptions.swap_lines,
    corruptions.invert_line,
    corruptions.bounce,
    corruptions.noise_burst,
    corruptions.jitter,
    corruptions.cable_pulled,
    corruptions.duplicates,
    corruptions.time_gap,
    corruptions.too_late,
)


class Span(NamedTuple):
    """One tumble as it happened: from its first movement to its last."""

    begin_ns: int
    end_ns: int
    times: int
    """Inversions, shakes under the cover, or baffles that every die passed; without a rest between."""
    good: bool
    """Whether it is a tumble under the rules."""


class Counted(NamedTuple):
    """A line of which each pulse is a shake, or an inversion."""

    line: str
    shortest_ms: float
    """A shorter pulse does not count."""
    apart_ms: float
    """Nor does one that comes sooner after the one before."""


SHAKES: Final = Counted("shake", ShakerConfig().shortest_ms, ShakerConfig().burst_gap_ms)
MAGNET: Final = Counted("cage_turn", CageConfig().pulse_ms, CageConfig().hold_ms)


@dataclass(frozen=True, slots=True)
class Run:
    """The lines of some tumbles, one after the other, and the truth of each."""

    edges: list[Edge]
    spans: list[Span]
    until_ns: int
    what: str
    counted: Counted | None = None
    """None where no pulses are counted."""


def _settling(rng: Random, from_s: float) -> list[float]:
    """When dice knock that were set going: close together, then further apart, for at most 1.8 s."""
    knocks, t_s, gap_s = [from_s], from_s, rng.uniform(0.01, 0.05)
    until_s = from_s + rng.uniform(0.3, 1.8)
    while (t_s := t_s + gap_s * rng.uniform(0.5, 1.5)) < until_s:
        knocks.append(t_s)
        gap_s *= rng.uniform(1.0, 1.3)
    return knocks


def _shaken(line: str, knocks_s: Sequence[float]) -> list[Edge]:
    edges: list[Edge] = []
    free_s = 0.0
    for t_s in sorted(knocks_s):
        if t_s > free_s:
            edges += pulse(line, t_s, 0.002)
            free_s = t_s + 0.003
    return edges


def cage_run(rng: Random, sensing: str) -> Run:
    """Some tumbles in a cage: whole, too short, rocked, or with rests between the inversions."""
    # Not on the edge of a count, where two stretches of a motion meet.
    motion = Motion(0.37).rest(rng.uniform(4.0, 6.0))
    spans: list[Span] = []
    knocks: list[float] = []
    for _ in range(rng.randint(1, 4)):
        begin_s, count = motion.t_s, rng.choice((0, 1, 2, 2, 3, 4, 6))
        rocks = rng.randint(1, 5) if count == 0 or rng.random() < 0.3 else 0
        most = 150.0 if sensing == "encoder" else 75.0
        last: list[float] = []
        for _ in range(rocks):
            by_deg = rng.choice((1, -1)) * rng.uniform(20.0, most)
            motion.swing(by_deg, rng.uniform(0.5, 1.0)).swing(-by_deg, rng.uniform(0.5, 1.0))
            last = _settling(rng, motion.t_s - 0.3)
            knocks += [t_s for t_s in last if t_s < motion.t_s + 0.1]
        for _ in range(count):
            over_s = motion.t_s
            motion.swing(rng.choice((1, -1)) * 180.0, rng.uniform(0.4, 1.0)).rest(rng.uniform(0.01, 0.5))
            last = _settling(rng, (over_s + motion.t_s) / 2)
            knocks += [t_s for t_s in last if t_s < motion.t_s]
        end_s = max([motion.t_s, *last])
        knocks += [t_s for t_s in last if t_s >= motion.t_s]
        spans.append(Span(ns(begin_s), ns(end_s), count, count >= REQUIRED))
        motion.rest(end_s - motion.t_s + rng.uniform(4.0, 8.0))
    if sensing == "encoder":
        turning = [edge for edge in encoder_edges(motion, "cage", 100) if edge.line != "cage_index"]
    else:
        turning = _turns(motion, sensing)
    edges = in_order([*turning, Edge("cage_shake", 0, 0), *_shaken("cage_shake", knocks)])
    counted = MAGNET if sensing == "pulse" else None
    return Run(edges, spans, ns(motion.t_s), f"cage, {sensing}: {[span.times for span in spans]}", counted)


def _turns(motion: Motion, sensing: str) -> list[Edge]:
    """A tilt switch that changes a little past the horizontal, or a magnet that passes there for 15 ms."""
    edges = [Edge("cage_turn", 0, 0)]
    for k, (t_s, _, _) in enumerate(motion.crossings(180.0, 97.0)):
        edges += [Edge("cage_turn", (k + 1) % 2, ns(t_s))] if sensing == "level" else pulse("cage_turn", t_s, 0.015)
    return edges


def chute_run(rng: Random, dice: int, baffles: int) -> Run:
    """Some tumbles in a chute: whole, with a baffle missed, with too few or too many dice."""
    edges = [Edge(f"chute_{k + 1}", 0, 0) for k in range(baffles)]
    spans: list[Span] = []
    t_s = rng.uniform(4.0, 6.0)
    for _ in range(rng.randint(1, 4)):
        begin_s, through = t_s, list[int]()
        dropped = dice if rng.random() < 0.7 else rng.choice((1, dice + 1))
        for _ in range(dropped):
            missed = rng.randrange(baffles) if rng.random() < 0.2 else None
            at_s = t_s
            for k in range(baffles):
                at_s += rng.uniform(0.15, 0.3)
                if k != missed:
                    edges += pulse(f"chute_{k + 1}", at_s, rng.uniform(0.03, 0.12))
            through.append(baffles - (missed is not None))
            t_s += baffles * rng.uniform(0.4, 0.6)
        good = dropped == dice and min(through) == baffles
        spans.append(Span(ns(begin_s), ns(t_s), min(through), good))
        t_s += rng.uniform(5.0, 9.0)
    return Run(in_order(edges), spans, ns(t_s), f"chute: {[span.times for span in spans]}")


def shaker_run(rng: Random) -> Run:
    """Some rounds of a shaker: whole, too few shakes, uncovered, or with a pause."""
    edges = [Edge("cover", 0, 0), Edge("shake", 0, 0)]
    spans: list[Span] = []
    t_s = rng.uniform(4.0, 6.0)
    for _ in range(rng.randint(1, 4)):
        covered = rng.random() < 0.8
        if covered:
            edges.append(Edge("cover", 1, ns(t_s)))
            t_s += rng.uniform(0.3, 1.0)
        begin_s, count = t_s, rng.choice((1, 2, 2, 3, 4, 6))
        pause_at = rng.randrange(1, count) if count > 1 and rng.random() < 0.3 else None
        runs = [0]
        for k in range(count):
            if k == pause_at:
                t_s = edges[-1].t_ns / NS + rng.uniform(1.6, 1.9)
                runs.append(0)
            for _ in range(rng.randint(1, 4)):
                edges += pulse("shake", t_s, rng.uniform(0.006, 0.02))
                t_s += rng.uniform(0.025, 0.045)
            runs[-1] += 1
            t_s += rng.uniform(0.1, 0.4)
        end_s = t_s
        early = covered and rng.random() < 0.2
        if covered:
            t_s += rng.uniform(0.01, 0.8) if early else rng.uniform(2.5, 4.0)
            edges.append(Edge("cover", 0, ns(t_s)))
        spans.append(Span(ns(begin_s), ns(end_s), max(runs), covered and not early and max(runs) >= REQUIRED))
        t_s += rng.uniform(4.0, 8.0)
    what = f"shaker: {[(span.times, span.good) for span in spans]}"
    return Run(in_order(edges), spans, ns(t_s), what, SHAKES)


# --- judging -----------------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """What a driver made of a corrupted run."""

    what: str
    false: list[str]
    """Each claim of a tumble that the truth does not support."""
    tumbled: int
    good: int


def _hear(driver: Driver, made: Corrupted, until_ns: int) -> list[Observation]:
    seen: list[Observation] = []
    values: list[Edge | Rare] = sorted([*made.edges, *made.rare], key=lambda one: one.t_ns)
    for value in values:
        if isinstance(value, Edge):
            seen += driver.edges([value])
        elif isinstance(value, EdgesLost):
            seen += driver.lost(value)
    return seen + driver.due(until_ns)


def _judge(run: Run, made: Corrupted, seen: Sequence[Observation]) -> Judged:
    """Each claim belongs to the last span of which any line had shown something: nothing may move between them, or
    after its begin. A cage turns for a while before its switch shows it."""
    false: list[str] = []
    tumbled = 0
    for claim in seen:
        if not isinstance(claim, CageRested | ChuteRested | ShakerRested) or not claim.tumbled:
            continue
        tumbled += 1
        span = next((span for span in reversed(run.spans) if _shown_ns(run, span) <= claim.t_ns), None)
        if _silenced(run, made, claim) or _counted_more(run, made, claim):
            continue
        if span is not None and not span.good:
            span = _joined(run, made, claim, span)
        if span is None or not span.good:
            false.append(f"{claim} of {span}")
        elif claim.t_ns < span.end_ns:
            false.append(f"{claim} before the dice of {span} lay")
    return Judged(f"{run.what}; {made.description}", false, tumbled, sum(span.good for span in run.spans))


def _shown_ns(run: Run, span: Span) -> int:
    """When the lines first show that something moves: a disc may tremble on the edge of a slot, for two counts."""
    moved = [edge for edge in run.edges if edge.t_ns >= span.begin_ns][:3]
    trembles = all(edge.line in ENCODER for edge in moved)
    return run.until_ns if not moved else moved[-1 if trembles else 0].t_ns


def _told_before(made: Corrupted, claim: Observation) -> bool:
    """Whether a loss was reported before a claim: then nothing excuses it."""
    return any(one.t_ns <= claim.t_ns for one in made.rare)


def _silenced(run: Run, made: Corrupted, claim: CageRested | ChuteRested | ShakerRested) -> bool:
    """Whether a shaker's one line was silent for a rest because of a loss that nobody told."""
    kept = {(edge.line, edge.t_ns) for edge in made.edges}
    rest = [edge for edge in run.edges if edge.line == "shake" and claim.moved_ns < edge.t_ns <= claim.t_ns]
    return bool(rest) and not _told_before(made, claim) and not any((edge.line, edge.t_ns) in kept for edge in rest)


def _joined(run: Run, made: Corrupted, claim: CageRested | ChuteRested | ShakerRested, span: Span) -> Span:
    """The tumble before this one, where noise between the two made them one: no line shows a rest."""
    before = next((one for one in reversed(run.spans) if one.end_ns < span.begin_ns), None)
    if before is None or before.begin_ns > claim.t_ns or before.end_ns < claim.began_ns:
        return span
    gap = (before.end_ns, span.begin_ns)
    noise = {edge.t_ns for edge in made.edges if gap[0] < edge.t_ns < gap[1]} - {edge.t_ns for edge in run.edges}
    return before._replace(end_ns=span.end_ns) if noise and before.good else span


def _counted_more(run: Run, made: Corrupted, claim: CageRested | ChuteRested | ShakerRested) -> bool:
    """Whether a line shows more than there was: lost pulses parted a shake, or noise made one, or an inversion. In a
    chute, whether lost passes made of too many dice the right number."""
    if _told_before(made, claim):
        return False
    if isinstance(claim, ChuteRested):
        lines = {edge.line for edge in run.edges}
        really, seen = ([_passes(some, line, claim) for line in lines] for some in (run.edges, made.edges))
        return max(really) > claim.required == max(seen)
    if run.counted is None:
        return False
    between_ns = (claim.began_ns, claim.t_ns)
    return _pulses(made.edges, run.counted, between_ns) > _pulses(run.edges, run.counted, between_ns)


def _passes(edges: Sequence[Edge], line: str, claim: ChuteRested) -> int:
    """How often the beam of a chute is broken."""
    return sum(edge.level for edge in edges if edge.line == line and claim.began_ns <= edge.t_ns <= claim.t_ns)


def _pulses(edges: Sequence[Edge], counted: Counted, between_ns: tuple[int, int]) -> int:
    """The pulses of a line that count."""
    found, rose_ns, ended_ns = 0, None, -NS
    for edge in edges:
        if edge.line != counted.line or not between_ns[0] <= edge.t_ns <= between_ns[1]:
            continue
        if edge.level:
            rose_ns = edge.t_ns
        elif rose_ns is not None:
            if edge.t_ns - rose_ns >= counted.shortest_ms * 1e6:
                found += rose_ns - ended_ns > counted.apart_ms * 1e6
                ended_ns = edge.t_ns
            rose_ns = None
    return found


def _one_line(edges: list[Edge], line: str, corruption: Corruption, rng: Random) -> Corrupted:
    """The corruption upon one line alone."""
    made = corruption([edge for edge in edges if edge.line == line], rng)
    return made._replace(edges=in_order([*(edge for edge in edges if edge.line != line), *made.edges]))


_STRETCHES: Final = (corruptions.drop_burst, corruptions.time_gap)
_STICKING: Final = (corruptions.stuck, corruptions.dead)
_WIRING: Final = (corruptions.swap_lines, corruptions.invert_line)


class Sensed(NamedTuple):
    """A run, its corrupted lines, and the driver that they are for."""

    run: Run
    made: Corrupted
    driver: Driver


def cage_lines(seed: int, corruption: Corruption, sensing: str) -> Sensed:
    """A cage's run, corrupted."""
    rng = Random(f"cage/{sensing}/{seed}")
    run = cage_run(rng, sensing)
    config = {"level": CageConfig(), "pulse": CageConfig(sensing="pulse"), "encoder": CageConfig(sensing="encoder")}
    if sensing != "encoder" and corruption in _STICKING:
        made = _one_line(run.edges, "cage_shake", corruption, rng)
    elif corruption in _STRETCHES:
        made = _one_line(run.edges, rng.choice(sorted({edge.line for edge in run.edges})), corruption, rng)
    else:
        made = corruption(run.edges, rng)
    return Sensed(run, made, Cage(config[sensing]))


def chute_lines(seed: int, corruption: Corruption) -> Sensed:
    """A chute's run, corrupted."""
    rng = Random(f"chute/{seed}")
    dice, baffles = rng.choice(((2, 3), (3, 3), (2, 5), (3, 4)))
    run = chute_run(rng, dice, baffles)
    if corruption in _STICKING:
        corruption = corruptions.nothing
    if corruption in _STRETCHES:
        made = _one_line(run.edges, f"chute_{rng.randint(1, baffles)}", corruption, rng)
    else:
        made = corruption(run.edges, rng)
    return Sensed(run, made, Chute(ChuteConfig(baffles=baffles), dice))


def shaker_lines(seed: int, corruption: Corruption) -> Sensed:
    """A shaker's run, corrupted on the line that feels it."""
    rng = Random(f"shaker/{seed}")
    run = shaker_run(rng)
    if corruption in (*_STICKING, *_WIRING):
        corruption = corruptions.nothing
    made = _one_line(run.edges, "shake", corruption, rng)
    return Sensed(run, made, Shaker(ShakerConfig()))


TUMBLERS: Final[dict[str, Callable[[int, Corruption], Sensed]]] = {
    "cage, level": partial(cage_lines, sensing="level"),
    "cage, pulse": partial(cage_lines, sensing="pulse"),
    "cage, encoder": partial(cage_lines, sensing="encoder"),
    "chute": chute_lines,
    "shaker": shaker_lines,
}
"""Every tumbler that is judged."""


def judge(tumbler: str, seed: int, corruption: Corruption) -> Judged:
    """Judges what the driver of a tumbler makes of a corrupted run."""
    run, made, driver = TUMBLERS[tumbler](seed, corruption)
    return _judge(run, made, _hear(driver, made, run.until_ns))
