"""The life of a roulette wheel: how worn it is on a day, and what worn parts do to its lines. All numbers are ours.

    what                                as new   worn         until
    bearing: loss of the rotor          1        twice        exchanged after 540 days
    ball and track: loss of the ball    1        1.5 times    exchanged after 120 days
    dust: width of the ball's pulses    1        0.75 times   cleaned after 7 days
    dust, emitter: passes missed        0        0.5, 5 %     cleaned; exchanged after 900 days, each on another day
    encoder: B late, edges that bounce  0        0.1, 0.1 %   exchanged after 1,100 days
    feet: inclination                   0        0.03°        adjusted after 180 days
    an object beam                      sees     blind        on the last of its 1,100 days: exchanged when it is found
    season: rotor, ball, inclination             ±10 %, ±5 %, ±0.02° over a year

Parts are exchanged before the limits of the watch over wear, as it advises. The wheel plays a thousand rounds a day.
Its age follows from the seed of a run, so that each stands alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from math import cos, log, tau
from operator import not_
from random import Random
from typing import Final

from hal.values import Edge
from tests.oracle.corruptions import sensor_lines, whole_pulses, without
from tests.oracle.motion import LEVEL, LINE, T_NS, edges_of, in_order

RUNS_A_DAY: Final = 830
"""A thousand rounds: a run has 1.204."""
BEAM_DAYS: Final = 1100
LONGEST_BOUNCE_NS: Final = 200_000

_ROTOR: Final = ("rotor_a", "rotor_b")


@dataclass(frozen=True, slots=True)
class Wear:
    """How worn a wheel is."""

    rotor_loss: float = 1.0
    ball_loss: float = 1.0
    width: float = 1.0
    """Times the width of the ball's pulses."""
    missed: tuple[float, ...] = ()
    """The share of passes that each track sensor misses."""
    late: float = 0.0
    """The part of a count by which B is late."""
    bounces: float = 0.0
    """The share of the encoder's edges that bounce."""
    tilt_deg: float = 0.0
    blind: str | None = None
    """The object beam that is dead."""


AS_NEW: Final = Wear()


def worn(seed: int, sensors: int) -> Wear:
    """The wear of the wheel in the run of this seed."""
    day = seed / RUNS_A_DAY
    cold = cos(tau * day / 365.0)

    def used(days: float, before: float = 0.0) -> float:
        """How much of its life a part has behind it that is exchanged after some days."""
        return (day + before) % days / days

    beams = {"object": 0, "object_2": BEAM_DAYS // 2}
    blind = [line for line, before in beams.items() if (day + before) % BEAM_DAYS >= BEAM_DAYS - 1]
    return Wear(
        rotor_loss=(1.0 + used(540.0)) * (1.0 + 0.1 * cold),
        ball_loss=(1.0 + 0.5 * used(120.0)) * (1.0 + 0.05 * cold),
        width=1.0 - 0.25 * used(7.0),
        missed=tuple(0.005 * used(7.0) + 0.05 * used(900.0, 300.0 * n) ** 8 for n in range(sensors)),
        late=0.1 * used(1100.0),
        bounces=0.001 * used(1100.0),
        tilt_deg=0.03 * used(180.0) + 0.02 * cold,
        blind=blind[0] if blind else None,
    )


def worn_edges(edges: Sequence[Edge], wear: Wear, rng: Random) -> list[Edge]:
    """The edges of a run as the worn parts give them."""
    unlike = (*_ROTOR, wear.blind)
    rotor = [edge for edge in edges if edge[0] in _ROTOR and edge[2]]
    others = [edge for edge in edges if not edge[2] or edge[0] not in unlike]
    gone: list[int] = []
    sensors = [line for line in sensor_lines(others) if line.startswith("ball_")]
    for line, share in zip(sensors, wear.missed or (0.0,) * len(sensors), strict=True):
        for rise, fall in whole_pulses(others, line):
            if rng.random() < share:
                gone += (rise, fall)
            else:
                start_ns, end_ns = others[rise].t_ns, others[fall].t_ns
                others[fall] = Edge(line, 0, start_ns + round((end_ns - start_ns) * wear.width))
    if wear.late:
        rotor = _late(rotor, wear.late)
    bounced: list[Edge] = []
    for line, level, t_ns in _some(rotor, wear.bounces, rng):
        open_ns = t_ns + 1 + rng.randrange(LONGEST_BOUNCE_NS)
        bounced += [Edge(line, 1 - level, open_ns), Edge(line, level, open_ns + 50_000)]
    return in_order([*rotor, *without(others, gone), *bounced])


def _late(rotor: Sequence[Edge], part: float) -> list[Edge]:
    """The edges of A, then those of B, late by a part of a count; not so the first and the last of all."""
    times_ns = [*map(T_NS, rotor)]
    is_b = [False, *map("rotor_b".__eq__, map(LINE, rotor[1:-1])), False]
    neighbours = compress(zip(times_ns, times_ns[1:], times_ns[2:], strict=False), is_b[1:])
    # A rotor that turns back or rests there takes longer to the next edge than from the last one.
    late_ns = [at + int((at - b if at - b < a - at else a - at) * part) for b, at, a in neighbours]
    b = edges_of(zip(repeat("rotor_b"), map(LEVEL, compress(rotor, is_b)), late_ns))
    return [*compress(rotor, map(not_, is_b)), *b]


def _some(edges: Sequence[Edge], share: float, rng: Random) -> Iterator[Edge]:
    """Each edge with the same chance, drawn by how many are left out before the next."""
    place = -1
    while share:
        place += 1 + int(log(1.0 - rng.random()) / log(1.0 - share))
        if place >= len(edges):
            return
        yield edges[place]
