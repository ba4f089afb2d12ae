"""A simulated table whose cage a motor turns: the dealer calls, the controller tumbles, the dealer keys.

How long a tumble takes is the controller's affair, so a round is long enough for the longest, and what its devices do
are answers to the motor's commands (see `simulators.base.answering`).
"""

from __future__ import annotations

from random import Random
from typing import Final

from drivers.dice.reader_wire import Die
from hal.values import Batch, Command, Edge, Output, Rare, RunMotor
from simulators.base.faults import fault_named
from simulators.base.geometry import CALL, SETTLED, GeometryError
from simulators.base.sensors import in_ns, press
from simulators.base.truth import SimRound, Truth
from simulators.dice.cage import CageGeometry
from simulators.dice.cage_motor import MOTOR_FAULTS, TICK_S, MotorCage, seconds
from simulators.dice.keypad import KEYPAD_FAULTS
from simulators.dice.reader import READER_FAULTS
from simulators.dice.tumbled_geometry import TumbledGeometry
from simulators.dice.values import VALUE_REASONS, ValueGivers, prefixed

DEALER: Final = "simulated-dealer"
QUIET_AT_START_S: Final = 5.0
TUMBLE_S: Final = 18.0
"""Turning, falling, rest and keys, at most."""
LONGEST_S: Final = 60.0
"""A motor that nobody stops."""
FORGOTTEN_S: Final = 45.0
"""Until a keypad has forgotten what was not entered, and the dealer has keyed it again."""
NOT_DECIDED: Final = {
    "motor_jams": ("motor_stalled",),
    "motor_dead": ("motor_stalled",),
    "shaft_dead": ("motor_stalled",),
    "home_dead": ("motor_too_long",),
    "motor_runs_on": ("motor_runs_on",),
    "keypad_key_stuck": ("sensor_stuck",),
    "dealer_voids": ("dealer_call",),
}
"""What may be reported of rounds with these faults."""


class MotorTumbledSimulator:
    """A table whose dice and clock go on from round to round. Equal seeds and equal commands give equal rounds."""

    def __init__(self, geometry: TumbledGeometry, seed: int) -> None:
        """Takes the table.

        Raises:
            GeometryError: it has no cage.
        """
        if not isinstance(geometry.tumbler, CageGeometry):
            raise GeometryError("a simulated table with a motor has a cage")
        self._geometry = geometry
        self._seed = seed
        self._number = 0
        self._now_s = QUIET_AT_START_S
        self._cage = MotorCage(geometry.tumbler, seed)
        self._givers = ValueGivers(seed, keypad=geometry.keypad, reader=geometry.reader, link=geometry.reader_link)
        self._dice_rng = Random(f"{seed}/untold")
        self._fault = "none"
        self._left: list[tuple[int, ...]] = []
        """The dice of the tumbles of this round that are still to come."""
        self._edges: list[Edge] = []
        self._rare: list[Rare] = []
        self._told_ns = 0

    @property
    def geometry(self) -> TumbledGeometry:
        """The devices that it simulates."""
        return self._geometry

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return (*self._cage.lines, *self._givers.lines, *self._geometry.buttons)

    def start(self) -> Batch:
        """The level of every line at time 0, and some quiet."""
        begun = self._givers.start(self._now_s)
        buttons = [Edge(line, 0, 0) for line in self._geometry.buttons]
        self._told_ns = in_ns(self._now_s)
        rare = [value for value in begun.rare if value.t_ns <= self._told_ns]
        self._rare = [value for value in begun.rare if value.t_ns > self._told_ns]
        return Batch([*self._cage.start(), *begun.edges, *buttons], rare, self._told_ns)

    def wait(self, seconds: float) -> Batch:
        """Nobody calls: the motor is at rest, and what keypad and board send comes as an answer."""
        self._now_s += seconds
        return Batch([], [], in_ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        self._fault = fault_named(fault or "none", self._geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/{self._number}/table/{self._fault}")
        dice = [
            tuple(rng.randint(1, 6) for _ in range(self._geometry.tumbler.dice)) for _ in range(self._geometry.tumbles)
        ]
        self._left = list(dice)
        begin_s = self._now_s + rng.uniform(1.0, 2.0)
        edges = press(CALL, begin_s, 0.2) if self._geometry.no_more_bets_button else []
        rare: list[Rare] = []
        if not self._geometry.no_more_bets_button:
            rare.append(Command("no_more_bets", (("by", DEALER),), in_ns(begin_s)))
        if self._fault == "dealer_voids":
            given = (("reason", "dealer_call"), ("by", DEALER))
            rare.append(Command("void", given, in_ns(begin_s + 2.0)))
        self._now_s = begin_s + TUMBLE_S * self._geometry.tumbles
        self._now_s += LONGEST_S if self._fault in MOTOR_FAULTS and self._fault != "none" else 0.0
        self._now_s += FORGOTTEN_S if self._fault.startswith("keypad_") else 0.0
        # Where keypad or board does not give its values, the controller waits for them after every tumble.
        self._now_s += self._geometry.values_wait_s * self._geometry.tumbles if self._geometry.reader else 0.0
        if self._geometry.settled_button:
            edges += press(SETTLED, self._now_s, 0.2)
        self._now_s += self._geometry.settle_after_s + rng.uniform(0.5, 1.5)
        return SimRound(Batch(edges, rare, in_ns(self._now_s)), self._truth(dice), self._number, fault)

    def _truth(self, dice: list[tuple[int, ...]]) -> Truth:
        reasons = NOT_DECIDED.get(self._fault, ())
        of_values = self._fault.startswith(("keypad_", "reader_"))
        if self._givers.polled or (self._geometry.reader is not None and of_values):
            reasons = (*reasons, *VALUE_REASONS)
        return Truth(
            valid=self._fault not in ("motor_jams", "motor_dead", "dealer_voids"),
            result=tuple(value for one in dice for value in one),
            revolutions=0.0,
            measurable=0.0,
            reasons=reasons,
            detail=f"the motor tumbles {'/'.join('-'.join(map(str, one)) for one in dice)}",
            notices=() if self._fault == "none" else ("device.fault", "device.warning"),
        )

    # --- the motor's commands ------------------------------------------------------------------------------------

    @property
    def moves(self) -> bool:
        """Whether its cage turns, or a board looks at its dice."""
        return self._cage.running or self._geometry.reader is not None

    @property
    def next_answer_ns(self) -> int | None:
        """The next thing that happens because of what was commanded."""
        queues = (self._edges, self._rare)
        firsts = [min(value.t_ns for value in queue) for queue in queues if queue]
        answer_ns = self._givers.next_answer_ns
        queued = min((*firsts, *(() if answer_ns is None else (answer_ns,))), default=None)
        if not self._cage.running and self._geometry.reader is None:
            return queued
        tick_ns = self._told_ns + in_ns(TICK_S)
        return tick_ns if queued is None else min(queued, tick_ns)

    def command(self, output: Output) -> None:
        """The motor is commanded to turn, or to stop; or the reading board is asked how the dice came to rest."""
        if not isinstance(output, RunMotor):
            self._givers.command(output)
            return
        t_s = seconds(output.t_ns)
        if output.speed:
            self._rare += self._givers.wait(t_s, unasked=True)
            self._edges += self._cage.run(t_s, self._fault if self._fault in MOTOR_FAULTS else "none")
            return
        edges, rest_s = self._cage.stop(t_s)
        self._edges += edges
        self._read(rest_s)
        if self._left and self._fault not in ("motor_jams", "motor_dead", "shaft_dead", "home_dead", "dealer_voids"):
            self._key(self._left.pop(0), rest_s + self._geometry.rest_s + 0.5)

    def _read(self, rest_s: float) -> None:
        """The board reads the dice, those of a tumble that is no good too."""
        count = self._geometry.tumbler.dice
        dice = self._left[0] if self._left else tuple(self._dice_rng.randint(1, 6) for _ in range(count))
        own = {prefixed("reader", name): name for name in READER_FAULTS if name != "none"}
        fault = own.get(self._fault) if len(self._left) == 1 else None
        self._rare += self._givers.read([Die("flat", value) for value in dice], rest_s, fault)

    def _key(self, dice: tuple[int, ...], key_s: float) -> None:
        last = not self._left
        own = {prefixed("keypad", name): name for name in KEYPAD_FAULTS if name != "none"}
        for edges, rare in self._givers.keyed(dice, own.get(self._fault) if last else None, key_s):
            self._edges += edges
            self._rare += rare

    def answers(self, until_ns: int) -> Batch:
        """What the devices do up to then; each of it once."""
        until_s = seconds(until_ns)
        if self._cage.running:
            self._edges += self._cage.turn_on(until_s)
            self._rare += self._givers.move(until_s)
        else:
            self._rare += self._givers.wait(until_s, unasked=True)
        self._told_ns = until_ns
        edges = sorted((edge for edge in self._edges if edge.t_ns <= until_ns), key=lambda edge: edge.t_ns)
        self._edges = [edge for edge in self._edges if edge.t_ns > until_ns]
        self._rare += self._givers.answers(until_ns)
        rare = sorted((value for value in self._rare if value.t_ns <= until_ns), key=lambda value: value.t_ns)
        self._rare = [value for value in self._rare if value.t_ns > until_ns]
        return Batch(edges, rare, until_ns)
