"""What every driver is: values in, observations out, no clock of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from hal.values import Edge, EdgesLost, Frame, Reading

NEVER_NS: Final = 1 << 62
"""A deadline that is not set: later than any time that a table will see."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """Something a device did, or something the driver came to doubt.

    `t_ns` is when it became known, which is never before the value or the time that made it known; when it
    happened, where that differs, is a field of its own.
    """

    t_ns: int


class Driver(Protocol):
    """One device, sans-I/O.

    Whoever calls keeps the order of time: each call's values are at or after those of the call before, and
    `due(t)` promises that everything up to `t` has been given. A driver meets its own deadlines before it looks at
    a later value, so how a stream is cut into batches changes nothing. Observations come back in the order
    of `t_ns`.
    """

    name: str
    """The device's name in the configuration: `wheel` for `[device.wheel]`."""

    lines: frozenset[str]
    """The lines, links and readings that it understands; others in a batch are passed over."""

    @property
    def next_due_ns(self) -> int | None:
        """When the driver next wants `due`, if nothing comes before."""

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Takes edges in the order of time."""

    def reading(self, reading: Reading) -> list[Observation]:
        """Takes one analogue reading."""

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes one frame of the device's serial link."""

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Takes the news that changes of a line were lost."""

    def due(self, t_ns: int) -> list[Observation]:
        """Lets time pass to `t_ns`."""


# What drivers say of their sensors: a line that dies and a line that lives again, each told once.


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
