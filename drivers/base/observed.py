"""A driver whose observations somebody else is shown too: the bench, which lists what decided a round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from drivers.base.driver import Driver, MeasuresWear, Observation
from hal.values import Edge, EdgesLost, Frame, Reading

Listener: TypeAlias = Callable[[str, Sequence[Observation]], None]
"""Takes the name of a device and what its driver has just reported."""


class ObservedDriver:
    """A driver (see `drivers.base.driver.Driver`) that behaves as `driver` does, and shows what it reports."""

    def __init__(self, driver: Driver, listener: Listener) -> None:
        self.driver = driver
        self.name = driver.name
        self.lines = driver.lines
        self._listener = listener

    @property
    def next_due_ns(self) -> int | None:
        """When the driver next needs `due`."""
        return self.driver.next_due_ns

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Decodes edges."""
        return self._shown(self.driver.edges(batch))

    def reading(self, reading: Reading) -> list[Observation]:
        """Handles one analogue reading."""
        return self._shown(self.driver.reading(reading))

    def frame(self, frame: Frame) -> list[Observation]:
        """Handles one frame."""
        return self._shown(self.driver.frame(frame))

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles a loss."""
        return self._shown(self.driver.lost(loss))

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time."""
        return self._shown(self.driver.due(t_ns))

    def measure_wear(self, to_learn: int | None) -> None:
        """How much of the device's wear is measured, where the driver measures it (see `MeasuresWear`)."""
        if isinstance(self.driver, MeasuresWear):
            self.driver.measure_wear(to_learn)

    def _shown(self, found: list[Observation]) -> list[Observation]:
        if found:
            self._listener(self.name, found)
        return found
