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
