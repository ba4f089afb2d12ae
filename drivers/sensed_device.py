"""What every device has in common that is known by the edges of its wires alone: how its time passes.

A device meets its own deadlines before it looks at a later edge, and a line that is heard is alive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from drivers.driver import NEVER_NS, Observation
from drivers.sensor_health import SensorHealth
from hal.values import Edge, Frame, Reading


class SensedDevice(ABC):
    """A driver (see `drivers.driver.Driver`) of a device without links or analogue lines."""

    lines: frozenset[str]
    """The lines that it understands; others in a batch are passed over."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._health = SensorHealth()

    @property
    def next_due_ns(self) -> int | None:
        """When the device, if nothing moves, next has something to say."""
        due_ns = self._due_ns()
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Takes the device's edges; those of other lines are passed over."""
        found: list[Observation] = []
        for edge in batch:
            if edge.line in self.lines:
                self._pass_time(edge.t_ns - 1, found)
                self._health.hear(edge.line, edge.t_ns, found)
                self._take(edge, found)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        """It has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """It has no link."""
        return []

    def due(self, t_ns: int) -> list[Observation]:
        """Lets time pass."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    @abstractmethod
    def _due_ns(self) -> int:
        """The next deadline; `NEVER_NS` where there is none."""

    @abstractmethod
    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        """Meets every deadline up to then."""

    @abstractmethod
    def _take(self, edge: Edge, found: list[Observation]) -> None:
        """Takes an edge of one of its lines."""
