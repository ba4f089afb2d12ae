"""Base of devices that are sensed by digital lines alone, and the debounced level of one line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import DeviceView, Fact, dead_lines
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

# --- debounced levels ---
#
# The level of a contact (a tilt switch, a lid's switch) counts once it has held for `hold_ns`:
#
#     line     ____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_|‾|______________
#                      |<- `hold_ns` ->|  high                |<- ... ->| low
#
# A change that does not hold is ignored; one that holds is dated at its edge.


class LevelChange(NamedTuple):
    """A new level that has held."""

    level: int
    since_ns: int
    """When the line changed to it."""


class DebouncedLevel:
    """The debounced level of one line."""

    __slots__ = ("_hold_ns", "_raw", "_since_ns", "level")

    def __init__(self, hold_ns: int) -> None:
        self._hold_ns = hold_ns
        self._raw: int | None = None
        self._since_ns = NEVER_NS
        self.level: int | None = None
        """The last level that held; None until one is known."""

    @property
    def due_ns(self) -> int:
        """When the raw level, if it stays, has held."""
        return self._since_ns + self._hold_ns if self._since_ns < NEVER_NS else NEVER_NS

    def edge(self, level: int, t_ns: int) -> bool:
        """Handles an edge; returns True for the first one, which gives the initial level and is not a change."""
        found = self.level is None
        if found:
            self.level = level
        if level != self._raw:
            self._raw = level
            self._since_ns = t_ns if level != self.level else NEVER_NS
        return found

    def due(self, t_ns: int) -> LevelChange | None:
        """Advances time; returns the change that has held by `t_ns`."""
        if t_ns < self.due_ns or self._raw is None:
            return None
        self.level, since_ns, self._since_ns = self._raw, self._since_ns, NEVER_NS
        return LevelChange(self.level, since_ns)

    def forget(self) -> None:
        """Forgets the level: the line is not driven, or changes were lost. Its next edge gives the initial level."""
        self.level = self._raw = None
        self._since_ns = NEVER_NS


# --- the base ---


class SensedDevice(ABC):
    """A driver (see `drivers.base.driver.Driver`) of a device without links or analogue lines.

    It meets its deadlines before it handles a later edge; an edge on a dead line reports the line alive.
    """

    lines: frozenset[str]
    """The lines that it decodes; others in a batch are ignored."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._health = SensorHealth()

    @property
    def next_due_ns(self) -> int | None:
        """The next deadline; None if there is none."""
        due_ns = self._due_ns()
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Handles the device's edges; those of other lines are ignored."""
        found: list[Observation] = []
        for edge in batch:
            if edge.line in self.lines:
                self._pass_time(edge.t_ns - 1, found)
                self._health.line_active(edge.line, edge.t_ns, found)
                self._take(edge, found)
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles lost changes of one of its lines, or an unplugged line; that line is then dead."""
        found: list[Observation] = []
        if loss.line in self.lines:
            self._pass_time(loss.t_ns - 1, found)
            if loss.cause is Loss.UNPLUGGED:
                self._health.line_unplugged(loss.line, loss.t_ns, found)
            self._lose(loss, found)
        return found

    def view(self, t_ns: int) -> DeviceView:
        """The device at `t_ns`, by its facts; one with a drawing of its own gives more."""
        return DeviceView(facts=self._facts(), doubts=dead_lines(self._health))

    def reading(self, reading: Reading) -> list[Observation]:
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        return []

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    def _facts(self) -> tuple[Fact, ...]:
        return ()

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:  # noqa: B027 - a device may keep nothing
        """What a loss on one of its lines means to it, beside the health of the line."""

    @abstractmethod
    def _due_ns(self) -> int:
        """The next deadline; `NEVER_NS` where there is none."""

    @abstractmethod
    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        """Meets every deadline up to then."""

    @abstractmethod
    def _take(self, edge: Edge, found: list[Observation]) -> None:
        """Handles an edge of one of its lines."""
