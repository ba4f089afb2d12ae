"""A hand at a simulated roulette wheel: the rotor turned, the ball rolled, the ball in a pocket, the bowl tilted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Reading
from simulators.base.hand import SETTLE_S, ContactHand, found_low
from simulators.base.motion import Path
from simulators.base.sensors import MarkRing, RingMark, by_time, quadrature_marks, window_marks
from simulators.roulette.geometry import RouletteGeometry

BALL_DEG: Final = 3.0
"""How much of the track a ball covers before a sensor."""
LIFT_DEG: Final = 0.8
"""How far a coin tilts the bowl."""
LEVEL_HZ: Final = 10


class RouletteHand:
    """Moves one wheel; each movement begins at rest, anywhere."""

    def __init__(self, geometry: RouletteGeometry, seed: int) -> None:
        self._geometry = geometry
        self._contacts = ContactHand(seed)
        self._random = self._contacts.random

    def move(self, movement: str, lines: Sequence[str], asked: int) -> Batch:
        """Makes a movement of the wheel, or presses a contact.

        Raises:
            HandMovementError: there is no such movement.
        """
        if movement == "turn_rotor":
            return self._turn(self._random.uniform(800, 1000), None)
        if movement == "known_pocket":
            return self._turn(self._random.uniform(1150, 1250), asked)
        if movement == "roll_ball":
            return self._roll()
        if movement.startswith("tilt_"):
            axis, way = movement.removeprefix("tilt_").split("_")
            return self._tilt(f"level_{axis}", 1 if way == "up" else -1)
        return self._contacts.move(movement, lines, asked)

    def _turn(self, by_deg: float, pocket: int | None) -> Batch:
        geometry = self._geometry
        begin_deg = self._random.uniform(0, 360)
        path = Path(0.0, begin_deg)
        path.push(0.0, SETTLE_S)
        path.ramp(90.0, 1.0)
        path.push(0.0, (by_deg - 90) / 90.0)
        path.ramp(0.0, 1.0)
        path.push(0.0, 2.0)
        period_deg, marks = quadrature_marks(geometry.slots, "rotor_a", "rotor_b")
        offset_deg = geometry.index_offset_deg
        index = [
            RingMark(offset_deg % 360, "rotor_index", 1),
            RingMark((offset_deg + geometry.index_width_deg) % 360, "rotor_index", 0),
        ]
        rings = [MarkRing(marks, begin_deg, period_deg), MarkRing(index, begin_deg)]
        if pocket is not None:
            pockets = len(geometry.pockets)
            # The pocket is before the head when the rotor has turned by the head's angle less the pocket's own.
            at_deg = (geometry.pocket_head_deg - pocket * 360 / pockets) % 360
            rings.append(MarkRing(window_marks("pocket", at_deg, 200 / pockets), begin_deg))
        found = [Edge(line, level, 0) for ring in rings for line, level in ring.levels().items()]
        moved = [edge for ring in rings for edge in ring.edges(path.segments)]
        moved.sort(key=by_time)
        quiet = found_low(geometry.ball_lines)
        return Batch([*found, *quiet, *moved], [], round(path.now_s * NS_PER_S))

    def _roll(self) -> Batch:
        geometry = self._geometry
        marks = [
            mark
            for line, at_deg in zip(geometry.ball_lines, geometry.ball_sensors_deg, strict=True)
            for mark in window_marks(line, at_deg, BALL_DEG)
        ]
        begin_deg = geometry.ball_sensors_deg[0] - 15.0
        path = Path(SETTLE_S, begin_deg, self._random.uniform(260, 320))
        path.coast(SETTLE_S + 7.0, self._random.uniform(12, 25))
        ring = MarkRing(marks, begin_deg)
        edges = [*found_low(geometry.ball_lines), *ring.edges(path.segments)]
        # It is taken off the track: a sensor before which it then was goes low.
        edges += ring.leave(path.now_s)
        edges.sort(key=by_time)
        return Batch(edges, [], round((path.now_s + SETTLE_S) * NS_PER_S))

    def _tilt(self, axis: str, sign: int) -> Batch:
        other = "level_y" if axis == "level_x" else "level_x"
        rare: list[Reading] = []
        for number in range(5 * LEVEL_HZ):
            t_ns = number * NS_PER_S // LEVEL_HZ
            lifted = LEVEL_HZ <= number < 4 * LEVEL_HZ
            noise = self._random.uniform(-0.02, 0.02)
            rare.append(Reading(axis, sign * LIFT_DEG * lifted + noise, t_ns))
            rare.append(Reading(other, 0.05 * lifted - noise, t_ns))
        return Batch(list[Edge](), list(rare), 5 * NS_PER_S)
