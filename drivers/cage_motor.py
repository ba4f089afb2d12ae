"""The motor that turns a cage, as its sensors tell it: a pulse for each part of a turn of the shaft, and home.

    shaft    ____|_|_|_|_|_|_|_|_|_|_|_|_______________
                 |                     |<-stall_ms->|
            ShaftTurns                          ShaftStands
    home     _________|‾|_________|‾|__________________     MotorHome, each time the mark comes

It says what is; whether the motor was told to turn is for the rounds to know. Values of lines alone decide, so that a
replay says the same.
"""

from __future__ import annotations

from typing import Final

from drivers.cage_motor_config import CageMotorConfig
from drivers.driver import NEVER_NS, Observation
from drivers.held_level import HeldLevel
from drivers.sensed_device import SensedDevice
from hal.values import Edge, EdgesLost, Loss

MOTOR: Final = "motor"
"""The output that turns it."""
HOME: Final = "motor_home"
SHAFT: Final = "motor_shaft"


class ShaftTurns(Observation, frozen=True, kw_only=True):
    """The shaft began to turn."""


class ShaftStands(Observation, frozen=True, kw_only=True):
    """The shaft turns no more."""

    since_ns: int
    """Its last pulse."""


class MotorHome(Observation, frozen=True, kw_only=True):
    """The mark came before the home sensor: the cage stands as it is to rest."""

    reached_ns: int


class CageMotor(SensedDevice):
    """The driver of one motor's sensors; see `drivers.driver.Driver`."""

    def __init__(self, config: CageMotorConfig, name: str = "motor") -> None:
        super().__init__(name)
        self.lines = frozenset({HOME, SHAFT})
        shortest_ns = round(config.shortest_ms * 1e6)
        self._held = {HOME: HeldLevel(shortest_ns), SHAFT: HeldLevel(shortest_ns)}
        self._stall_ns = round(config.stall_ms * 1e6)
        self._last_ns: int | None = None
        """The shaft's last pulse, while it turns."""

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Pulses that were lost may make a motor look stalled, and a home that was passed: it stops then, or later."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        self._held[loss.line].forget()
        if loss.cause is Loss.UNPLUGGED:
            detail = f"{loss.line} is not driven: its cable, its supply or its board is off"
            self._health.die(loss.line, "sensor_missing", detail, loss.t_ns, found)
        return found

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        self._held[edge.line].edge(edge.level, edge.t_ns)

    def _stands_ns(self) -> int:
        return NEVER_NS if self._last_ns is None else self._last_ns + self._stall_ns

    def _due_ns(self) -> int:
        return min(self._held[HOME].due_ns, self._held[SHAFT].due_ns, self._stands_ns())

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := self._due_ns()) <= until_ns:
            if t_ns == self._held[SHAFT].due_ns:
                held = self._held[SHAFT].due(t_ns)
                if held is not None and held.level:
                    if self._last_ns is None:
                        found.append(ShaftTurns(t_ns=t_ns))
                    self._last_ns = held.since_ns
            elif t_ns == self._held[HOME].due_ns:
                held = self._held[HOME].due(t_ns)
                if held is not None and held.level:
                    found.append(MotorHome(t_ns=t_ns, reached_ns=held.since_ns))
            else:
                found.append(ShaftStands(t_ns=t_ns, since_ns=self._last_ns or t_ns))
                self._last_ns = None
