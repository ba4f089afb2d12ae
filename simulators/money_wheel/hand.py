"""A hand at a simulated money wheel: turned, brought to a space, and pushed against the flapper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Batch, Edge
from simulators.base.hand import SETTLE_S, ContactHand
from simulators.base.motion import Path
from simulators.base.sensors import MarkRing, RingMark, by_time, quadrature_marks
from simulators.money_wheel.geometry import MoneyWheelGeometry

FLAPPER_DEG: Final = 0.9
"""How far past a peg the flapper of this wheel holds on, on each side."""
HOLD_S: Final = 1.0
FORWARD_PEGS: Final = (40, 41, 42)
BACK_PEGS: Final = (41, 40, 39)


class MoneyWheelHand:
    """Moves one wheel on an encoder; each movement begins at rest, anywhere."""

    def __init__(self, geometry: MoneyWheelGeometry, seed: int) -> None:
        self._geometry = geometry
        self._contacts = ContactHand(seed)
        self._random = self._contacts.random

    def move(self, movement: str, lines: Sequence[str], asked: int) -> Batch:
        """Makes a movement of the wheel, or presses a button.

        Raises:
            HandMovementError: there is no such movement.
        """
        begin_deg = self._random.uniform(0, 360)
        path = Path(0.0, begin_deg)
        path.push(0.0, SETTLE_S)
        geometry = self._geometry
        pegs = geometry.sensing == "pegs"
        if movement == "turn_wheel":
            _go(path, begin_deg + self._random.uniform(800, 1000), 9.0)
        elif movement == "indicator":
            space_deg = 360 / geometry.spaces
            off_deg = self._random.uniform(-0.12, 0.12) * space_deg
            _go(path, 1080 + geometry.indicator_deg - asked * space_deg + off_deg, 12.0)
            path.push(0.0, 4.0)
        elif movement == "flapper" and not pegs:
            self._push_at_pegs(path)
        else:
            return self._contacts.move(movement, lines, asked)
        path.push(0.0, SETTLE_S)
        return self._edges(path, begin_deg, pegs)

    def _push_at_pegs(self, path: Path) -> None:
        geometry = self._geometry
        space_deg = 360 / geometry.spaces

        def peg_deg(number: int) -> float:
            return 720 + geometry.indicator_deg + (number + 0.5) * space_deg

        _go(path, peg_deg(FORWARD_PEGS[0]) - space_deg / 2, 8.0)
        for number in FORWARD_PEGS:
            _go(path, peg_deg(number) + FLAPPER_DEG, 2.0)
            path.push(0.0, HOLD_S)
        for number in BACK_PEGS:
            _go(path, peg_deg(number) - FLAPPER_DEG, 2.0)
            path.push(0.0, HOLD_S)

    def _edges(self, path: Path, begin_deg: float, pegs: bool) -> Batch:
        geometry = self._geometry
        offset_deg = geometry.index_offset_deg
        index = [
            RingMark(offset_deg % 360, "wheel_index", 1),
            RingMark((offset_deg + geometry.index_width_deg) % 360, "wheel_index", 0),
        ]
        if pegs:
            period_deg = 360 / geometry.spaces
            marks = [
                RingMark(period_deg * 0.45, "wheel_peg", 1),
                RingMark(period_deg * 0.55, "wheel_peg", 0),
            ]
        else:
            period_deg, marks = quadrature_marks(geometry.encoder_slots, "wheel_a", "wheel_b")
        rings = (MarkRing(marks, begin_deg, period_deg), MarkRing(index, begin_deg))
        found = [Edge(line, level, 0) for ring in rings for line, level in ring.levels().items()]
        moved = [edge for ring in rings for edge in ring.edges(path.segments)]
        moved.sort(key=by_time)
        return Batch([*found, *moved], [], round(path.now_s * NS_PER_S))


def _go(path: Path, to_deg: float, duration_s: float) -> None:
    """Speeds up and slows down evenly to an angle."""
    way_deg = to_deg - path.angle_deg
    half_s = duration_s / 2
    path.ramp(2 * way_deg / duration_s, half_s)
    path.push(-path.speed_deg_s / half_s, half_s, 0.0)
