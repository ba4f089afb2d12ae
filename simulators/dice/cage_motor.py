"""A simulated motor with its cage: it turns while it is commanded to, and its sensors show it.

Nothing of it is planned, for it hangs on when the controller starts and stops the motor.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Edge
from simulators.base.device_faults import NamedFault, by_name
from simulators.base.motion import Path
from simulators.base.sensors import MarkRing, window_marks
from simulators.dice.bodies import fall, new_dice
from simulators.dice.cage import ENERGY, CageGeometry
from simulators.dice.shake_sensor import felt

SPEED_DEG_S: Final = 200.0
"""A turn in 1.8 s (ours)."""
RAMP_S: Final = 0.15
TICK_S: Final = 0.05
"""How far ahead the turning is reported (ours)."""
SHAFT_DEG: Final = 12.0
HOME_DEG: Final = 8.0
RUNS_ON_S: Final = 5.0
TUMBLING_S: Final = (0.03, 0.09)
"""Between two knocks of dice in a cage that turns (ours)."""

MOTOR_FAULTS: Final = by_name(
    (
        NamedFault("motor_jams", True, "The cage is blocked as it turns.", "A fault, motor_stalled; no outcome."),
        NamedFault("motor_dead", True, "The motor does not turn.", "A fault, motor_stalled; no outcome."),
        NamedFault("motor_runs_on", True, "The motor turns on for a while.", "The outcome, or motor_runs_on."),
        NamedFault("shaft_dead", False, "The shaft sensor sees nothing.", "A fault, motor_stalled; no outcome."),
        NamedFault("home_dead", False, "The home sensor sees nothing.", "A fault, motor_too_long; no outcome."),
    )
)
"""Every fault, in the order in which they are listed."""


class MotorCage:
    """One cage on its motor. Equal seeds and equal commands give equal edges."""

    def __init__(self, geometry: CageGeometry, seed: int) -> None:
        self._rng = Random(f"{seed}/motor")
        self._path = Path(0.0, 0.0)
        self._turn = geometry.turn_ring()
        self._home = MarkRing(window_marks("motor_home", HOME_DEG, HOME_DEG), 0.0, 360.0)
        self._shaft = MarkRing(window_marks("motor_shaft", SHAFT_DEG / 2, SHAFT_DEG / 2, SHAFT_DEG), 0.0, SHAFT_DEG)
        self._dice = new_dice(geometry.dice, Random(f"{seed}/dice"))
        self.lines = (*geometry.turn_lines, "cage_shake", "motor_home", "motor_shaft")
        self.running = False
        self._fault = "none"
        self._knock_s = 0.0
        """When dice in a turning cage knock next."""
        self._until_s = 0.0
        """When a motor that is jammed, or that runs on, stops."""

    def start(self) -> list[Edge]:
        """The level of every line at time 0."""
        levels = {**self._turn.levels(), **self._home.levels(), **self._shaft.levels(), "cage_shake": 0}
        return [Edge(line, levels[line], 0) for line in self.lines]

    def run(self, t_s: float, fault: str) -> list[Edge]:
        """The motor is commanded to turn, with a fault or without."""
        edges = self._to(t_s)
        self._fault = fault
        self.running = fault != "motor_dead"
        self._until_s = t_s + self._rng.uniform(0.8, 2.0) if fault == "motor_jams" else float("inf")
        if self.running:
            self._path.ramp(SPEED_DEG_S, RAMP_S)
            edges += self._sensed()
        return edges

    def stop(self, t_s: float) -> tuple[list[Edge], float]:
        """The motor is commanded to stop: the edges until its dice are at rest, and when that is."""
        edges = self._to(t_s)
        if self.running and self._fault == "motor_runs_on":
            edges += self._to(t_s + RUNS_ON_S)
        if self.running and self._path.speed_deg_s:
            self._path.ramp(0.0, RAMP_S)
            edges += self._sensed()
        self.running = False
        at_s = self._path.now_s
        falls = [
            fall(die, at_s + self._rng.uniform(0.0, 0.1), self._rng.uniform(*ENERGY), self._rng) for die in self._dice
        ]
        knocks = [knock for one in falls for knock in one.knocks_s]
        return edges + felt("cage_shake", knocks, self._rng), max(knocks)

    def turn_on(self, until_s: float) -> list[Edge]:
        """Lets it turn on, while it does."""
        return self._to(until_s)

    def _to(self, t_s: float) -> list[Edge]:
        """Everything up to a time."""
        if self.running and self._path.speed_deg_s and self._until_s < t_s:
            self._path.push(0.0, max(0.0, self._until_s - self._path.now_s))
            self._path.ramp(0.0, 0.02)
        if t_s > self._path.now_s:
            self._path.push(0.0, t_s - self._path.now_s)
        return self._sensed()

    def _sensed(self) -> list[Edge]:
        segments, self._path = self._path.segments, Path(self._path.now_s, self._path.angle_deg, self._path.speed_deg_s)
        edges = self._turn.edges(segments)
        home, shaft = self._home.edges(segments), self._shaft.edges(segments)
        edges += [] if self._fault == "home_dead" else home
        edges += [] if self._fault == "shaft_dead" else shaft
        knocks: list[float] = []
        for segment in segments:
            # The next knock comes when it comes, however the time until then is cut.
            while self._knock_s < segment.end_s:
                if segment.speed_deg_s and self._knock_s >= segment.start_s:
                    knocks.append(self._knock_s)
                self._knock_s += self._rng.uniform(*TUMBLING_S)
        return edges + felt("cage_shake", knocks, self._rng)


def seconds(t_ns: int) -> float:
    """A time of the wires in seconds."""
    return t_ns / NS_PER_S
