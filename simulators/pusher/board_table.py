"""A simulated token pusher on its own board: tokens, falls, tilt, shelf and hopper are the board's.

simulate    commands and reports as frames: a model of the board counts (see `board`)
emulated    the real firmware counts: its outputs move shelf, hopper and acceptor, its sensors see what they do
"""

from __future__ import annotations

from random import Random
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Output, RunMotor
from simulators.base.geometry import Geometry, GeometryError
from simulators.base.sensors import press
from simulators.pusher.board import TOKEN_NS, PusherBoardSimulator
from simulators.pusher.table import DOOR, GoOn, PusherSimulator, named

NOTICED_S: Final = 0.1
READY_S: Final = 8.0
"""From the power to an acceptor that takes tokens: its board starts, and its counter is recorded first."""
STALLED_S: Final = 1.0
"""From something that blocks the shelf to the fault, or a little less."""
VOIDED: Final = frozenset({"play_voided", "board_hopper_empty"})
SENSORS: Final = ("token_in", "win_a", "win_b", "shelf_shaft", "tilt", "hopper_coin")
"""The lines of the board's sensors."""
SHAFT_NS: Final = 60_000_000
"""From one pulse of the turning shaft to the next (ours)."""
PULSE_S: Final = 0.05
BEAM_S: Final = 0.012
APART_S: Final = 0.005
"""From one beam of the win chute to the other."""
COIN_S: Final = 0.03
TILT_S: Final = 0.02
STUCK_S: Final = 4.0
"""A token is in the win chute for this long: longer than its board waits."""


BOARD_FAULTS: Final = (
    named("shelf_stalled", True, "Something blocks the shelf for a while.", "A fault: shelf_stalled; the outcome."),
    named("tilted", True, "The player pushes the machine.", "The outcome at the tilt; a fault: tilt."),
    named("door_opened", True, "The door is opened and closed in the play.", "The outcome, after the door is closed."),
    named("board_unplugged", False, "The board's cable comes out.", "A fault: sensor_missing; the outcome."),
    named("token_while_shut", True, "A token is put in while the door is open.", "It comes back; then the outcome."),
    named(
        "win_stuck", False, "A token sticks in the win chute, and is taken out.", "A fault: sensor_stuck; the outcome."
    ),
    named("play_voided", True, "A person makes the play void.", "Void; the hopper gives the stake back."),
    named("board_hopper_empty", True, "The same, and the hopper is empty.", "Void; payout_in_doubt; paid by hand."),
)
"""What can go wrong at a pusher on its board."""


class BoardPusherSimulator(PusherSimulator):
    """One machine in virtual time, whose board answers."""

    noticed_s = NOTICED_S
    voided = VOIDED
    quiet_at_start_s = 0.1

    def __init__(self, geometry: Geometry, seed: int) -> None:
        super().__init__(geometry, seed)
        if self.geometry.board is None:
            raise GeometryError("a pusher on a board has the name of its messages")
        self.board = PusherBoardSimulator(self.geometry.board)
        self._begun = False
        self._outputs: dict[str, bool] | None = None
        """The outputs of an emulated board; None where the model counts."""
        self._sensed: list[Edge] = []
        """What the sensors see, and have not shown yet."""
        self._shaft_ns = self._coin_ns = 0
        """When the shaft gives its next pulse, and the hopper its next token, if their motors run."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (DOOR, *SENSORS, self.board.link)

    @property
    def _levels_at_rest(self) -> tuple[str, ...]:
        return (DOOR, *SENSORS)

    # --- what it answers -------------------------------------------------------------------------------------------

    @property
    def next_answer_ns(self) -> int | None:
        """When the board reports next, or a sensor changes."""
        dues = [self.board.next_answer_ns, *(edge.t_ns for edge in self._sensed[:1])]
        if self._runs("motor"):
            dues.append(self._shaft_ns)
        if self._runs("hopper"):
            dues.append(self._coin_ns)
        return min((due for due in dues if due is not None), default=None)

    def _runs(self, output: str) -> bool:
        return self._outputs is not None and self._outputs.get(output, False)

    def command(self, output: Output) -> None:
        """The machine commands its board something; or an output of an emulated board changes."""
        link, _, name = output.motor.partition(".") if isinstance(output, RunMotor) else ("", "", "")
        if link != self.board.link or not isinstance(output, RunMotor):
            self.board.command(output)
            return
        if self._outputs is None:
            self._outputs = {}
        on = output.speed != 0
        if on and not self._runs(name):
            self._shaft_ns = output.t_ns + SHAFT_NS if name == "motor" else self._shaft_ns
            self._coin_ns = output.t_ns + TOKEN_NS if name == "hopper" else self._coin_ns
        self._outputs[name] = on

    def answers(self, until_ns: int) -> Batch:
        """What the board reports, and its sensors see, up to then."""
        rare = sorted(self.board.answers(until_ns), key=lambda value: value.t_ns)
        while self._runs("motor") and self._shaft_ns <= until_ns:
            if not self.board.shaft_stuck:
                self._sense("shelf_shaft", self._shaft_ns / NS_PER_S, 0.005)
            self._shaft_ns += SHAFT_NS
        while self._runs("hopper") and self._coin_ns <= until_ns:
            if self.board.tokens:
                self.board.tokens -= 1
                self._sense("hopper_coin", self._coin_ns / NS_PER_S, COIN_S)
            self._coin_ns += TOKEN_NS
        self._sensed.sort(key=lambda edge: edge.t_ns)
        edges = [edge for edge in self._sensed if edge.t_ns <= until_ns]
        self._sensed = self._sensed[len(edges) :]
        return Batch(edges, rare, until_ns)

    def _sense(self, line: str, at_s: float, for_s: float) -> None:
        self._sensed += press(line, at_s, for_s)

    # --- rounds ----------------------------------------------------------------------------------------------------

    def _pulse_until(self, until_s: float) -> None:
        """The shaft is the board's."""

    def _token(self, at_s: float, step_s: float) -> float:
        self.board.plan(_ns(at_s), self._insert)
        return at_s + self.noticed_s

    def _insert(self, board: PusherBoardSimulator, t_ns: int) -> None:
        if self._outputs is None:
            board.insert(t_ns)
        if self._runs("accept") or (self._outputs is None and board.accepts):
            self._sense("token_in", t_ns / NS_PER_S, PULSE_S)

    def _fall(self, side: str, at_s: float, rng: Random) -> float:
        if side == "player":
            self.board.plan(_ns(at_s), self._won)
        return at_s + 0.03

    def _won(self, board: PusherBoardSimulator, t_ns: int) -> None:
        if self._outputs is None:
            board.fall(t_ns)
        self._sense("win_a", t_ns / NS_PER_S, BEAM_S)
        self._sense("win_b", t_ns / NS_PER_S + APART_S, BEAM_S)

    def _before(self, name: str, at_s: float, rng: Random) -> float:
        if not self._begun:
            self._begun = True
            at_s += READY_S
        if name == "token_while_shut":
            self._edges += [Edge(DOOR, 1, _ns(at_s)), Edge(DOOR, 0, _ns(at_s + 1.0))]
            self.board.plan(_ns(at_s + 0.5), self._insert)
            return at_s + 2.0
        if name == "win_stuck":
            self.board.plan(_ns(at_s), lambda board, t_ns: self._sense("win_a", t_ns / NS_PER_S, STUCK_S))
            return self._clear("board", at_s + STUCK_S + 0.5) + 0.5
        return at_s

    def _disturbed(self, name: str, in_s: float, rng: Random) -> GoOn:
        at_s, play_s = in_s + 0.1, self.geometry.play_s
        if name == "shelf_stalled":
            self.board.plan(_ns(at_s), lambda board, t_ns: board.block_shelf(t_ns, True))
            self.board.plan(_ns(at_s + 2.0), lambda board, t_ns: board.block_shelf(t_ns, False))
            return GoOn(self._clear("bed", at_s + 2.5), play_s - 0.1)
        if name == "board_unplugged":
            self.board.plan(_ns(at_s), lambda board, t_ns: board.unplug(t_ns))
            self.board.plan(_ns(at_s + 2.0), lambda board, t_ns: board.come_up(t_ns))
            return GoOn(self._clear("board", at_s + 3.0), play_s - 0.1)
        if name == "door_opened":
            return super()._disturbed(name, in_s, rng)
        return GoOn(in_s + 0.2, play_s - 0.2)

    def _tilt(self, at_s: float, last_s: float) -> float:
        self.board.plan(_ns(at_s), self._swing)
        return self._clear("machine", max(at_s + 3.0, last_s) + 1.5) + 1.0

    def _swing(self, board: PusherBoardSimulator, t_ns: int) -> None:
        if self._outputs is None:
            board.tilt(t_ns)
        self._sense("tilt", t_ns / NS_PER_S, TILT_S)

    def _after(self, name: str, at_s: float, end_s: float) -> float:
        if name not in VOIDED:
            return end_s
        void_s = at_s + self.noticed_s + 0.05
        if name == "board_hopper_empty":
            self.board.plan(_ns(at_s), lambda board, t_ns: setattr(board, "tokens", 0))
        self._order("void", void_s, ("why", "broken"))
        end_s = max(end_s, void_s + 4.0)
        if name == "play_voided":
            return end_s
        self._order("reconcile", end_s, ("tokens", "0"))
        self._order("hand_pay", end_s + 0.1)
        self.board.plan(_ns(end_s + 0.2), lambda board, t_ns: setattr(board, "tokens", 500))
        return self._clear("machine", end_s + 0.2) + 1.0


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
