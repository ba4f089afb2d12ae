"""The door of a machine's cabinet.

    door  ____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_____|‾|______
              DoorMoved(open), at its first edge     |<- `closed_ms` ->| DoorMoved(closed)

High is open. Opening counts at once, for nothing may happen behind an open door; closing counts when it has held. A
door whose sensor is unplugged is open: a sensor cannot be defeated unseen (OAC 325:85-15-49).
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

    def view(self, t_ns: int) -> DoorView:
        """The door at `t_ns`."""
        words = "not known" if self._open is None else "OPEN" if self._open else "closed"
        return DoorView(facts=(("door", words),), doubts=dead_lines(self._health), open=self._open)

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        """A door that cannot be seen is open."""
        self._since_ns = NEVER_NS
        self._set(True, loss.t_ns, found)

    def _due_ns(self) -> int:
        return self._since_ns + self._closed_ns if self._since_ns < NEVER_NS else NEVER_NS

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        due_ns = self._due_ns()
        if due_ns <= until_ns:
            self._since_ns = NEVER_NS
            self._set(False, due_ns, found)

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        if edge.level:
            self._since_ns = NEVER_NS
            self._set(True, edge.t_ns, found)
        elif self._open is None:
            self._open = False
        elif self._open and self._since_ns == NEVER_NS:
            self._since_ns = edge.t_ns

    def _set(self, is_open: bool, t_ns: int, found: list[Observation]) -> None:
        if is_open != self._open:
            self._open = is_open
            found.append(DoorMoved(t_ns=t_ns, open=is_open))
