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
    """Which lines of one device are dead, and since when."""

    __slots__ = ("dead",)

    def __init__(self) -> None:
        self.dead: dict[str, int] = {}

    def die(self, line: str, fault: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        """A line does not do what its device does."""
        if line not in self.dead:
            self.dead[line] = t_ns
            found.append(SensorDead(t_ns=t_ns, line=line, fault=fault, detail=detail))

    def revive(self, batch: Sequence[Edge], found: list[Observation]) -> None:
        """A dead line that tells something afterwards is alive. For the beginning and the end of each batch."""
        for edge in batch:
            self.hear(edge.line, edge.t_ns, found)

    def hear(self, line: str, t_ns: int, found: list[Observation]) -> None:
        """A line tells something: if it was dead before, it lives."""
        if line in self.dead and t_ns > self.dead[line]:
            del self.dead[line]
            found.append(SensorAlive(t_ns=t_ns, line=line))
