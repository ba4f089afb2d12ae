"""The motor that turns a cage, as its sensors show it: a pulse for each part of a turn of the shaft, and home.

    shaft    ____|_|_|_|_|_|_|_|_|_|_|_|_______________
                 |                     |<-stall_ms->|
            ShaftTurns                          ShaftStands
    home     _________|‾|_________|‾|__________________     MotorHome, each time the mark comes

The driver decodes the sensors. The actuator turns the cage and stops it, and supervises the motor in every phase:

    turn ──► shaft turns within `start_s` ──inverted enough──► home ──► stop ──► at rest within `coast_s`: MotorReady
         └── stalled, the dice are at rest, longer than `longest_s`: stop, and MotorFailed
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.key_problems import not_shorter
from drivers.base.sensed_device import DebouncedLevel, SensedDevice
from drivers.base.view import dead_lines
from drivers.dice.observations import CageInverted, CageRested, TumbleStarted
from drivers.dice.view import CageMotorView
from hal.values import Edge, EdgesLost, Output, RunMotor


class CageMotorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a cage's motor under `[device.motor]`; without the section the cage is turned by hand."""

    driver: Literal["cage_motor"] = "cage_motor"
    stall_ms: Annotated[
        float,
        Meta(
            ge=50,
            le=5000,
            description="the shaft is at rest when it gives no pulse for this long; a motor that is commanded to turn "
            "and stands is stalled (ours)",
        ),
    ] = 500.0
    shortest_ms: Annotated[
        float, Meta(ge=0.05, le=20, description="pulses of shaft or home that are shorter are noise (ours)")
    ] = 1.0
    start_s: Annotated[
        float, Meta(ge=0.1, le=10, description="this long after its command to turn, the shaft turns (ours)")
    ] = 1.0
    longest_s: Annotated[
        float,
        Meta(
            ge=3, le=60, description="the motor is stopped after this time, whatever was sensed (ours; a board: 60 s)"
        ),
    ] = 30.0
    coast_s: Annotated[
        float, Meta(ge=0.2, le=10, description="this long after its command to stop, the shaft is at rest (ours)")
    ] = 2.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        return not_shorter("stall_ms", self.stall_ms, "coast_s", self.coast_s, "coasting")


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
    """The mark came before the home sensor: the cage is as it is to rest."""

    reached_ns: int


class MotorFailed(Observation, frozen=True, kw_only=True):
    """The motor did not do what it was commanded, and is stopped."""

    fault: str
    """`motor_stalled`, `motor_slips`, `motor_too_long` or `motor_runs_on`."""
    detail: str
    cause: str = ""
    """What must be gone before the fault can be cleared."""


class MotorStands(Observation, frozen=True, kw_only=True):
    """The shaft of the motor is at rest: it no longer runs on."""


class MotorReady(Observation, frozen=True, kw_only=True):
    """The motor has come to rest after it was stopped, and can be commanded again."""


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

    def view(self, t_ns: int) -> CageMotorView:
        """The motor's sensors at `t_ns`."""
        turning, home = self._last_ns is not None, self._held[HOME].level == 1
        facts = (("shaft", "turns" if turning else "at rest"), ("home mark", "at home" if home else "away"))
        return CageMotorView(facts=facts, doubts=dead_lines(self._health), on=False, turning=turning, home=home)

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        """Pulses that were lost may make a motor look stalled, and a home that was passed: it stops then, or later."""
        self._held[loss.line].forget()

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


TURNS_STILL: Final = "its shaft turns"
"""The cause of a motor that runs on, while its shaft turns."""
FULL: Final = 1.0
SLIPS: Final = "motor_slips"
"""The fault of a motor that turns while the dice of its cage are at rest."""


class CageMotorActuator:
    """Turns the cage and supervises its motor; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset(
        {ShaftTurns, ShaftStands, MotorHome, TumbleStarted, CageInverted, CageRested}
    )

    def __init__(self, config: CageMotorConfig, name: str = "motor") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self.on = False
        """Whether it is commanded to turn."""
        self._config = config
        self._coast_ns = round(config.coast_s * 1e9)
        self._shaft = False
        self._tumbling = False
        """Whether the cage was turned since the command."""
        self._least = 0
        self._homing = False
        """Whether it was inverted often enough, and stops at the home mark."""
        self._stall_due_ns = self._longest_due_ns = self._coast_due_ns = NEVER_NS

    @property
    def next_due_ns(self) -> int:
        """When the shaft should turn, the cage be at home, or the shaft be at rest."""
        return min(self._stall_due_ns, self._longest_due_ns, self._coast_due_ns)

    @property
    def ready(self) -> bool:
        """Whether it can be commanded to turn: a motor that was just stopped is first given time to come to rest."""
        return self._coast_due_ns == NEVER_NS

    def view(self, t_ns: int) -> CageMotorView:
        """What the motor is commanded."""
        facts = (("command", "turn" if self.on else "stop"), ("stops at home", "yes" if self._homing else "not yet"))
        return CageMotorView(facts=facts, on=self.on, turning=self._shaft, home=False)

    # --- commands ------------------------------------------------------------------------------------------------

    def turn(self, t_ns: int, inversions: int) -> None:
        """Turns the cage until it was inverted this often and is at home, or a failure."""
        self.on = True
        self._least = inversions
        self._tumbling = self._homing = False
        self._stall_due_ns = NEVER_NS if self._shaft else t_ns + round(self._config.start_s * 1e9)
        self._longest_due_ns = t_ns + round(self._config.longest_s * 1e9)
        self.outputs.append(RunMotor(MOTOR, FULL, t_ns))

    def stop(self, t_ns: int) -> None:
        """Stops the motor at once, if it was commanded to turn."""
        if not self.on:
            return
        self.on = self._homing = False
        self._stall_due_ns = self._longest_due_ns = NEVER_NS
        self._coast_due_ns = t_ns + self._coast_ns
        self.outputs += self.rest(t_ns)

    def rest(self, t_ns: int) -> list[Output]:
        """The motor is at rest."""
        return [RunMotor(MOTOR, 0.0, t_ns)]

    # --- observations and time -----------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> list[Observation]:
        """Takes what the motor's sensors report, and what the cage does."""
        t_ns = seen.t_ns
        found: list[Observation] = []
        if isinstance(seen, ShaftTurns):
            self._shaft = True
            self._stall_due_ns = NEVER_NS
        elif isinstance(seen, ShaftStands):
            self._shaft = False
            found.append(MotorStands(t_ns=t_ns))
            if self.on:
                self._stalled(t_ns, f"no pulse of the shaft since {(t_ns - seen.since_ns) / 1e9:g} s", found)
        elif isinstance(seen, MotorHome):
            if self._homing:
                self.stop(t_ns)
        elif isinstance(seen, CageRested) and self.on and (self._shaft or self._tumbling):
            self.stop(t_ns)
            detail = "the dice are at rest although the motor should turn the cage; check its coupling and sensors"
            found.append(MotorFailed(t_ns=t_ns, fault=SLIPS, detail=detail))
        else:
            self._tumbling = self._tumbling or isinstance(seen, TumbleStarted)
            if isinstance(seen, CageInverted) and self.on and seen.inversions >= self._least:
                self._homing = True
            found.append(seen)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the next deadline."""
        found: list[Observation] = []
        if self._stall_due_ns <= t_ns:
            self._stalled(self._stall_due_ns, "the shaft gave no pulse", found)
        elif self._longest_due_ns <= t_ns:
            due_ns = self._longest_due_ns
            missing = "the home sensor showed nothing" if self._homing else f"not {self._least} inversions were sensed"
            self.stop(due_ns)
            detail = f"the motor turned for {self._config.longest_s:g} s, and {missing}; look at the sensors"
            found.append(MotorFailed(t_ns=due_ns, fault="motor_too_long", detail=detail))
        elif self._coast_due_ns <= t_ns:
            due_ns, self._coast_due_ns = self._coast_due_ns, NEVER_NS
            if self._shaft:
                detail = f"the shaft turns still, {self._config.coast_s:g} s after the motor was stopped; cut its power"
                found.append(MotorFailed(t_ns=due_ns, fault="motor_runs_on", detail=detail, cause=TURNS_STILL))
            else:
                found.append(MotorReady(t_ns=due_ns))
        return found

    def _stalled(self, t_ns: int, detail: str, found: list[Observation]) -> None:
        self.stop(t_ns)
        detail = f"the motor was commanded to turn the cage, and does not turn: {detail}; look for what blocks it"
        found.append(MotorFailed(t_ns=t_ns, fault="motor_stalled", detail=detail))
