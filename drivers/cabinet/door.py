"""The door of a machine's cabinet.

    door  ____||__|‾‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_____|‾|______
                    DoorMoved(open), `OPEN_NS` after the edge   |<- `closed_ms` ->| DoorMoved(closed)

High is open. Opening counts as soon as it cannot be a board's test of its sensors, which lifts the line for 4.2 ms at
most (docs/boards-wiring.md, "Self-test"), for nothing may happen behind an open door; closing counts when it has held.
A door whose sensor is unplugged is open: a sensor cannot be defeated unseen (OAC 325:85-15-49).
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.sensed_device import SensedDevice
from drivers.base.view import dead_lines
from drivers.cabinet.view import DoorView
from hal.values import Edge, EdgesLost

DOOR: Final = "door"
OPEN_NS: Final = 5_000_000
"""A door that is shown as open for less is closed (ours): its board has tested its sensors."""


class DoorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a cabinet's door under `[device.cabinet]`."""

    driver: Literal["door"] = "door"
    closed_ms: Annotated[
        float, Meta(ge=10, le=5000, description="the door is closed when its sensor has shown it for this long (ours)")
    ] = 200.0


class DoorMoved(Observation, frozen=True, kw_only=True):
    """The door was opened, or is closed again."""

    open: bool


class Door(SensedDevice):
    """The driver of one door; see `drivers.base.driver.Driver`."""

    def __init__(self, config: DoorConfig, name: str = "cabinet") -> None:
        super().__init__(name)
        self.lines = frozenset({DOOR})
        self._closed_ns = round(config.closed_ms * 1e6)
        self._open: bool | None = None
        """As reported; None before anything is known."""
        self._since_ns = NEVER_NS
        """Since when the sensor shows a door that was open as closed."""
        self._opens_ns = NEVER_NS
        """Since when it shows one that was closed as open."""

    def view(self, t_ns: int) -> DoorView:
        """The door at `t_ns`."""
        words = "not known" if self._open is None else "OPEN" if self._open else "closed"
        return DoorView(facts=(("door", words),), doubts=dead_lines(self._health), open=self._open)

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        """A door that cannot be seen is open."""
        self._since_ns = self._opens_ns = NEVER_NS
        self._set(True, loss.t_ns, found)

    def _due_ns(self) -> int:
        if self._opens_ns < NEVER_NS:
            return self._opens_ns + OPEN_NS
        return self._since_ns + self._closed_ns if self._since_ns < NEVER_NS else NEVER_NS

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        due_ns = self._due_ns()
        if due_ns <= until_ns:
            opens = self._opens_ns < NEVER_NS
            self._since_ns = self._opens_ns = NEVER_NS
            self._set(opens, due_ns, found)

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        if edge.level and self._open is False:
            self._opens_ns = min(self._opens_ns, edge.t_ns)
        elif edge.level:
            self._since_ns = NEVER_NS
            self._set(True, edge.t_ns, found)
        elif self._open is None:
            self._open = False
        elif not self._open:
            self._opens_ns = NEVER_NS
        elif self._since_ns == NEVER_NS:
            self._since_ns = edge.t_ns

    def _set(self, is_open: bool, t_ns: int, found: list[Observation]) -> None:
        if is_open != self._open:
            self._open = is_open
            found.append(DoorMoved(t_ns=t_ns, open=is_open))
