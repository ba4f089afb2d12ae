"""What every device has in common that is known by the edges of its wires alone: how its time passes.

A device meets its own deadlines before it looks at a later edge, and a line that is heard is alive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from hal.values import Edge, Frame, Reading

# A contact whose level counts once it has held: a tilt switch, a lid's switch.
#
#     line     ____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_|‾|______________
#                      |<- `hold_ns` ->|  high                |<- ... ->| low
#
# A change that does not hold never was one, and a change that holds is dated when it began to hold.


class Held(NamedTuple):
    """A level that has held."""

    level: int
    since_ns: int
    """When the line took it."""


class HeldLevel:
    """One line's level, with what does not hold left out."""

    __slots__ = ("_hold_ns", "_raw", "_since_ns", "level")

    def __init__(self, hold_ns: int) -> None:
        self._hold_ns = hold_ns
        self._raw: int | None = None
        self._since_ns = NEVER_NS
        self.level: int | None = None
        """The level that held last; None until one is known."""

    @property
    def due_ns(self) -> int:
        """When the level, if it stays, has held."""
        return self._since_ns + self._hold_ns if self._since_ns < NEVER_NS else NEVER_NS

    def edge(self, level: int, t_ns: int) -> bool:
        """Takes an edge; returns whether it told the level that the line was found at, which is no change."""
        found = self.level is None
        if found:
            self.level = level
        if level != self._raw:
            self._raw = level
            self._since_ns = t_ns if level != self.level else NEVER_NS
        return found

    def due(self, t_ns: int) -> Held | None:
        """Lets time pass; returns the change that has held by now."""
        if t_ns < self.due_ns or self._raw is None:
            return None
        self.level, since_ns, self._since_ns = self._raw, self._since_ns, NEVER_NS
        return Held(self.level, since_ns)

    def forget(self) -> None:
        """The line is not driven, or changes of it were lost: its next edge tells its level."""
        self.level = self._raw = None
        self._since_ns = NEVER_NS


class SensedDevice(ABC):
    """A driver (see `drivers.base.driver.Driver`) of a device without links or analogue lines."""

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
