"""The motor that turns a cage, as its sensors tell it: a pulse for each part of a turn of the shaft, and home.

    shaft    ____|_|_|_|_|_|_|_|_|_|_|_|_______________
                 |                     |<-stall_ms->|
            ShaftTurns                          ShaftStands
    home     _________|‾|_________|‾|__________________     MotorHome, each time the mark comes

It says what is; whether the motor was told to turn is for the rounds to know. Values of lines alone decide, so that a
replay says the same.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.sensed_device import DebouncedLevel, SensedDevice
from hal.values import Edge, EdgesLost, Loss

# The keys of the motor of a dice cage in the configuration.


class CageMotorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a cage's motor under `[device.motor]`; without the section the cage is turned by hand."""

    driver: Literal["cage_motor"] = "cage_motor"
    stall_ms: Annotated[
        float,
        Meta(
            ge=50,
            le=5000,
            description="the shaft stands when no pulse came for so long; a motor that is told to turn and stands is "
            "stalled (ours)",
        ),
    ] = 500.0
    shortest_ms: Annotated[
        float, Meta(ge=0.05, le=20, description="pulses of shaft or home that are shorter are noise (ours)")
    ] = 1.0
    start_s: Annotated[
        float, Meta(ge=0.1, le=10, description="so long after it is told to turn, the shaft turns (ours)")
    ] = 1.0
    longest_s: Annotated[
        float,
        Meta(ge=3, le=60, description="the motor is stopped after so long, whatever was sensed (ours; a board: 60 s)"),
    ] = 30.0
    coast_s: Annotated[
        float, Meta(ge=0.2, le=10, description="so long after it is told to stop, the shaft stands (ours)")
    ] = 2.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if self.stall_ms < self.coast_s * 1000:
            return []
        what = f"{self.stall_ms:g} ms is not shorter than the coasting of {self.coast_s:g} s"
        return [("stall_ms", what, "make it shorter than coast_s")]


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
    """The driver of one motor's sensors; see `drivers.base.driver.Driver`."""

    def __init__(self, config: CageMotorConfig, name: str = "motor") -> None:
        super().__init__(name)
        self.lines = frozenset({HOME, SHAFT})
        shortest_ns = round(config.shortest_ms * 1e6)
        self._held = {HOME: DebouncedLevel(shortest_ns), SHAFT: DebouncedLevel(shortest_ns)}
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
            self._health.line_failed(loss.line, "sensor_missing", detail, loss.t_ns, found)
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
