"""What drivers say of their sensors: a line that dies and a line that lives again, each told once."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.driver import Observation
from hal.values import Edge


class SensorDead(Observation, frozen=True, kw_only=True):
    """A line does not do what its device does: unplugged, stuck, or never there."""

    line: str
    fault: str
    """`sensor_missing` or `sensor_stuck`."""
    detail: str


class SensorAlive(Observation, frozen=True, kw_only=True):
    """A line that was dead works again."""

    line: str


class SensorHealth:
    """Which lines of one device are dead."""

    __slots__ = ("dead",)

    def __init__(self) -> None:
        self.dead: set[str] = set()

    def die(self, line: str, fault: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        """A line does not do what its device does."""
        if line not in self.dead:
            self.dead.add(line)
            found.append(SensorDead(t_ns=t_ns, line=line, fault=fault, detail=detail))

    def revive(self, batch: Sequence[Edge], found: list[Observation]) -> None:
        """A dead line that tells something again is alive."""
        for edge in batch:
            if edge.line in self.dead:
                self.dead.discard(edge.line)
                found.append(SensorAlive(t_ns=edge.t_ns, line=edge.line))
