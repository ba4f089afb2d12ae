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

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, tau
from random import Random
from typing import Final

from hal.values import Edge, Rare, Reading
from tests.oracle.corruptions import sensor_lines, whole_pulses
from tests.oracle.motion import T_NS

RUNS_A_DAY: Final = 830
"""A thousand rounds: a run has 1.204."""
BEAM_DAYS: Final = 1100
LONGEST_BOUNCE_NS: Final = 200_000


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
    shown = [edge for edge in edges if edge.line != wear.blind or not edge.t_ns]
    gone: set[int] = set()
    sensors = [line for line in sensor_lines(shown) if line.startswith("ball_")]
    for line, share in zip(sensors, wear.missed or (0.0,) * len(sensors), strict=True):
        for rise, fall in whole_pulses(shown, line):
            if rng.random() < share:
                gone |= {rise, fall}
            else:
                start_ns, end_ns = shown[rise].t_ns, shown[fall].t_ns
                shown[fall] = shown[fall]._replace(t_ns=start_ns + round((end_ns - start_ns) * wear.width))
    places = [i for i, edge in enumerate(shown) if edge.line in ("rotor_a", "rotor_b") and edge.t_ns]
    bounced: list[Edge] = []
    for before, at, after in zip(places, places[1:], places[2:], strict=False):
        edge = shown[at]
        # A rotor that turns back or rests there takes longer to the next edge than from the last one.
        count_ns = min(edge.t_ns - shown[before].t_ns, shown[after].t_ns - edge.t_ns)
        if wear.late and edge.line == "rotor_b":
            shown[at] = edge = edge._replace(t_ns=edge.t_ns + int(count_ns * wear.late))
        if rng.random() < wear.bounces:
            open_ns = edge.t_ns + 1 + rng.randrange(LONGEST_BOUNCE_NS)
            bounced += [Edge(edge.line, 1 - edge.level, open_ns), Edge(edge.line, edge.level, open_ns + 50_000)]
    kept = [edge for i, edge in enumerate(shown) if i not in gone]
    return sorted([*kept, *bounced], key=T_NS)


def tilted(rare: Sequence[Rare], wear: Wear) -> list[Rare]:
    """The readings of a wheel that is out of level by its wear."""
    return [
        one._replace(value=one.value + wear.tilt_deg) if isinstance(one, Reading) and one.line == "level_x" else one
        for one in rare
    ]
