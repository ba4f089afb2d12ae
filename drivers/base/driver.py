"""The `Driver` protocol, the base of all observations, and the health of a device's sensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

import msgspec

from hal.values import Edge, EdgesLost, Frame, Reading

NEVER_NS: Final = 1 << 62
"""A deadline that is not set: later than any time that a table will see."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """Something a device did, or a doubt about its signals.

    `t_ns` is when it became known: never before the value or the time from which it follows. Where it happened at
    another time, that time is a field of its own.
    """

    t_ns: int


class Driver(Protocol):
    """One device, sans-I/O: values in, observations out.

    The caller keeps the order of time: the values of a call are at or after those of the call before, and `due(t)`
    promises that everything up to `t` has been given. A driver meets its deadlines before it handles a later value,
    so how a stream is cut into batches changes nothing. Observations are returned in the order of `t_ns`.
    """

    name: str
    """The device's name in the configuration: `wheel` for `[device.wheel]`."""

    lines: frozenset[str]
    """The lines, links and readings that it decodes; others in a batch are ignored."""

    @property
    def next_due_ns(self) -> int | None:
        """When the driver next needs `due`, if no value arrives before; None if it has no deadline."""

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Decodes edges, which are in the order of time."""

    def reading(self, reading: Reading) -> list[Observation]:
        """Handles one analogue reading."""

    def frame(self, frame: Frame) -> list[Observation]:
        """Handles one frame of the device's serial link."""

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles the loss of changes on a line, or an unplugged line."""

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns` and meets the deadlines up to then."""


@runtime_checkable
class CalmReadings(Protocol):
    """A driver some of whose readings decide nothing: a level that stays level, twice a second for a whole evening.

    How a stream is cut into batches changes nothing, so edges need not be cut at such a reading either.
    """

    lines: frozenset[str]

    def calm(self, reading: Reading) -> bool:
        """Takes a reading from which nothing follows, whatever edges before it are still to come.

        Returns False, and takes nothing, where something may follow: then it goes to `Driver.reading`, in its turn.
        """


@runtime_checkable
class MeasuresWear(Protocol):
    """A driver that measures the wear of its device in some of its spins."""

    def measure_wear(self, to_learn: int | None) -> None:
        """So many measured spins are needed soon, to learn the device; later ones may be rare. None: no more at all."""


# --- sensor health: each failure and each recovery of a line is reported once ---


class SensorDead(Observation, frozen=True, kw_only=True):
    """A sensor's line does not follow its device: unplugged, stuck, or never connected."""

    line: str
    fault: str
    """`sensor_missing` or `sensor_stuck`."""
    detail: str


class SensorAlive(Observation, frozen=True, kw_only=True):
    """A line that was reported dead works again."""

    line: str


class SensorHealth:
    """The dead lines of one device, and since when each is dead."""

    __slots__ = ("_why", "dead")

    def __init__(self) -> None:
        self.dead: dict[str, int] = {}
        self._why: dict[str, tuple[str, str]] = {}

    @property
    def doubt(self) -> tuple[str, str] | None:
        """Fault and detail of the first dead line by name; None where no line is dead."""
        line = min(self.dead, default=None)
        return None if line is None else self._why[line]

    def line_failed(self, line: str, fault: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        """Reports a line dead, unless it is already."""
        if line not in self.dead:
            self.dead[line] = t_ns
            self._why[line] = (fault, detail)
            found.append(SensorDead(t_ns=t_ns, line=line, fault=fault, detail=detail))

    def line_unplugged(self, line: str, t_ns: int, found: list[Observation]) -> None:
        """Reports a line dead that is not driven."""
        detail = f"{line} is not driven: its cable, its supply or its board is off"
        self.line_failed(line, "sensor_missing", detail, t_ns, found)

    def lines_active(self, batch: Sequence[Edge], found: list[Observation], until_ns: int | None = None) -> None:
        """Reports dead lines alive that have an edge in the batch, or in its part up to `until_ns`.

        Call it before and after a batch is decoded, and before a line is reported dead within it: then however a
        stream is cut into batches, the reports are the same.
        """
        if self.dead:
            for edge in batch:
                if until_ns is not None and edge.t_ns > until_ns:
                    return
                self.line_active(edge.line, edge.t_ns, found)

    def line_active(self, line: str, t_ns: int, found: list[Observation]) -> None:
        """Reports a dead line alive: it had an edge, a reading or a frame after it failed."""
        if line in self.dead and t_ns > self.dead[line]:
            del self.dead[line]
            found.append(SensorAlive(t_ns=t_ns, line=line))
