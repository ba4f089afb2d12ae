"""A driver and its actuator as one, as a table runs them: every observation passes through the actuator, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from drivers.base.actuator import Actuator
from drivers.base.driver import NEVER_NS, Driver, Observation
from hal.values import Edge, EdgesLost, Frame, Output, Reading

A = TypeVar("A", bound=Actuator)


class Commanded(Generic[A]):
    """Takes values as a driver does, and returns what a game would receive."""

    def __init__(self, driver: Driver, actuator: A) -> None:
        self.actuator = actuator
        self.driver = driver
        self.name, self.lines = driver.name, driver.lines

    @property
    def next_due_ns(self) -> int | None:
        due_ns = min(
            self.actuator.next_due_ns, NEVER_NS if self.driver.next_due_ns is None else self.driver.next_due_ns
        )
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        return self._through(self.driver.edges(batch))

    def reading(self, reading: Reading) -> list[Observation]:
        return self._through(self.driver.reading(reading))

    def frame(self, frame: Frame) -> list[Observation]:
        return self._due(frame.t_ns - 1) + self._through(self.driver.frame(frame))

    def lost(self, loss: EdgesLost) -> list[Observation]:
        return self._due(loss.t_ns - 1) + self._through(self.driver.lost(loss))

    def due(self, t_ns: int) -> list[Observation]:
        return self._through(self.driver.due(t_ns)) + self._due(t_ns)

    def outputs(self, command: Callable[[A], None] = lambda actuator: None) -> list[Output]:
        """What is to be done at outputs since the last call, and because of a command."""
        command(self.actuator)
        outputs, self.actuator.outputs = self.actuator.outputs, []
        return outputs

    def _through(self, observations: list[Observation]) -> list[Observation]:
        found: list[Observation] = []
        for seen in observations:
            found += self._due(seen.t_ns - 1)
            found += self.actuator.observe(seen) if type(seen) in self.actuator.observes else [seen]
        return found

    def _due(self, t_ns: int) -> list[Observation]:
        found: list[Observation] = []
        if t_ns >= 0:
            found += self.actuator.due(t_ns)
        return found
