"""Wear of a simulated wheel: what its parts do when they are worn, dirty or out of place, from round to round.

A wheel as new has the defaults, and then nothing is drawn for its wear: equal seeds give the rounds of a wheel that has
none. Who simulates years sets `wear` of the simulator before each round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from hal.values import Edge
from simulators.base.corruption import bounce, pulses_of, without_pulses
from simulators.base.sensors import by_time

LONGEST_BOUNCE_NS: Final = 200_000


@dataclass(frozen=True, slots=True)
class WheelWear:
    """How worn a wheel is."""

    bearing: float = 1.0
    """Times the loss of rotor or money wheel as new."""
    ball_track: float = 1.0
    """Times the loss of a ball on a track as new."""
    flapper: float = 1.0
    """Times the stiffness of a flapper as new."""
    sensor: str = "ball_1"
    """The track sensor that is worn."""
    pulse: float = 1.0
    """Times the width of its pulses as new."""
    missed: float = 0.0
    """The share of passes that it misses."""
    uneven: float = 0.0
    """The part of a count by which edges of B are late."""
    bounces: float = 0.0
    """The share of the encoder's edges that bounce."""
    tilt_deg: float = 0.0
    """How much further than as new the wheel is out of level."""


AS_NEW: Final = WheelWear()


def worn_edges(
    edges: Sequence[Edge], wear: WheelWear, encoder: tuple[str, ...], levels: Mapping[str, int], rng: Random
) -> list[Edge]:
    """A round's edges as worn sensors give them; `levels` are those of the lines at its beginning."""
    worn = list(edges)
    if wear.missed:
        worn = without_pulses(wear.sensor, lambda _: rng.random() < wear.missed)(worn)
    if wear.pulse != 1.0:
        for rise, fall in pulses_of(worn, wear.sensor):
            start_ns, end_ns = worn[rise].t_ns, worn[fall].t_ns
            worn[fall] = worn[fall]._replace(t_ns=start_ns + round((end_ns - start_ns) * wear.pulse))
        worn.sort(key=by_time)
    if wear.uneven and len(encoder) == 2:
        places = [at for at, edge in enumerate(worn) if edge.line in encoder]
        for before, at, after in zip(places, places[1:], places[2:], strict=False):
            if worn[at].line == encoder[1]:
                # A disc that turns back or rests there takes longer to the next edge than from the last one.
                count_ns = min(worn[at].t_ns - worn[before].t_ns, worn[after].t_ns - worn[at].t_ns)
                worn[at] = worn[at]._replace(t_ns=worn[at].t_ns + int(count_ns * wear.uneven))
        worn.sort(key=by_time)
    if wear.bounces:
        worn = bounce(encoder, wear.bounces, LONGEST_BOUNCE_NS, rng, levels)(worn)
    return worn
