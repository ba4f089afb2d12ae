"""The puck and the markers of a craps table, as lamps: On or Off, the point, and the points of the fire bet.

    puck_on   lit while there is a point; dark on a come out roll
    point_4 … point_10   the marker of the point, alone
    fire_4 … fire_10   the fire bet point markers, 19:47-1.12(a)4: one for each different point that the shooter made

No text says where the On/Off marker lies, except for 19:47-1.11(b): that it is on the point's number is ours. A
command sets each line that changes; nothing is read back. A point may last for longer than an output: see
`drivers.base.lasting_lines`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

import msgspec

from drivers.base.driver import Observation
from drivers.base.lasting_lines import LastingLines
from drivers.lamps.view import PuckView
from hal.values import Output, SetLine

PUCK_LINE: Final = "puck_on"
POINT_LINES: Final = {point: f"point_{point}" for point in (4, 5, 6, 8, 9, 10)}
FIRE_LINES: Final = {point: f"fire_{point}" for point in POINT_LINES}
LINES: Final = (PUCK_LINE, *POINT_LINES.values(), *FIRE_LINES.values())


class PuckConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the puck under `[device.puck]`; its lines are outputs."""

    driver: Literal["puck"] = "puck"


class PuckActuator:
    """Puck and markers, all dark at the start; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset()

    def __init__(self, lines: Collection[str] = LINES, name: str = "puck") -> None:
        """`lines` are those that are wired: the others show nothing."""
        self.name = name
        self.outputs: list[Output] = []
        self._lines = [line for line in LINES if line in lines]
        self._lit: frozenset[str] = frozenset()
        self._lasting = LastingLines()

    @property
    def next_due_ns(self) -> int:
        """When the lines that are lit are set again."""
        return self._lasting.due_ns

    def view(self, t_ns: int) -> PuckView:
        """The lines that are lit."""
        lit = tuple(line for line in self._lines if line in self._lit)
        return PuckView(facts=(("lit", ", ".join(lit) or "none"),), lines=tuple(self._lines), lit=lit)

    def show(self, on: bool, point: int | None, t_ns: int, fire: Collection[int] = ()) -> None:
        """Shows a state, switching off first; `fire` are the points of the fire bet.

        Raises:
            ValueError: a point has no marker.
        """
        for number in (*(() if point is None else (point,)), *fire):
            if number not in POINT_LINES:
                known = ", ".join(map(str, POINT_LINES))
                raise ValueError(f"puck: there is no marker for {number}; points are {known}")
        markers = [FIRE_LINES[number] for number in fire] + ([POINT_LINES[point]] if point is not None else [])
        lit = frozenset(([PUCK_LINE] if on else []) + markers)
        self.outputs += [SetLine(line, False, t_ns) for line in self._lines if line in self._lit - lit]
        self.outputs += [SetLine(line, True, t_ns) for line in self._lines if line in lit - self._lit]
        self._lit = lit
        self._lasting.keep([line for line in self._lines if line in lit], t_ns)

    def observe(self, seen: Observation) -> list[Observation]:
        return []

    def due(self, t_ns: int) -> list[Observation]:
        """Sets again what has been on for some minutes."""
        self.outputs += self._lasting.due(t_ns)
        return []

    def rest(self, t_ns: int) -> list[Output]:
        return []
