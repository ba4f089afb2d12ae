"""A simulated token pusher on its own board: tokens, falls, tilt, shelf and hopper are the board's (see `board`)."""

from __future__ import annotations

from random import Random
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Output
from simulators.base.faults import SimulatedFault
from simulators.base.geometry import Geometry, GeometryError
from simulators.pusher.board import PusherBoardSimulator
from simulators.pusher.table import DOOR, GAMES, GoOn, PusherSimulator

NOTICED_S: Final = 0.1
READY_S: Final = 1.5
"""From the power to an acceptor that takes tokens: its counter is recorded first."""
STALLED_S: Final = 1.0
"""From something that blocks the shelf to the fault, or a little less."""
VOIDED: Final = frozenset({"play_voided", "board_hopper_empty"})


def _fault(name: str, physical: bool, explanation: str, expected: str) -> SimulatedFault:
    return SimulatedFault(name, GAMES, physical, explanation, expected)


BOARD_FAULTS: Final = (
    _fault("shelf_stalled", True, "Something blocks the shelf for a while.", "A fault: shelf_stalled; the outcome."),
    _fault("tilted", True, "The player pushes the machine.", "The outcome at the tilt; a fault: tilt."),
    _fault("door_opened", True, "The door is opened and closed in the play.", "The outcome, after the door is closed."),
    _fault("board_unplugged", False, "The board's cable comes out.", "A fault: sensor_missing; the outcome."),
    _fault("token_while_shut", True, "A token is put in while the door is open.", "It comes back; then the outcome."),
    _fault("play_voided", True, "A person makes the play void.", "Void; the hopper gives the stake back."),
    _fault("board_hopper_empty", True, "The same, and the hopper is empty.", "Void; payout_in_doubt; paid by hand."),
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

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (DOOR, self.board.link)

    @property
    def _levels_at_rest(self) -> tuple[str, ...]:
        return (DOOR,)

    # --- what it answers -------------------------------------------------------------------------------------------

    @property
    def next_answer_ns(self) -> int | None:
        """When the board reports next."""
        return self.board.next_answer_ns

    def command(self, output: Output) -> None:
        """The machine tells its board something."""
        self.board.command(output)

    def answers(self, until_ns: int) -> Batch:
        """What the board reports up to then."""
        return Batch([], sorted(self.board.answers(until_ns), key=lambda value: value.t_ns), until_ns)

    # --- rounds ----------------------------------------------------------------------------------------------------

    def _pulse_until(self, until_s: float) -> None:
        """The shaft is the board's."""

    def _token(self, at_s: float, step_s: float) -> float:
        self.board.plan(_ns(at_s), lambda board, t_ns: board.insert(t_ns))
        return at_s + self.noticed_s

    def _fall(self, side: str, at_s: float, rng: Random) -> float:
        if side == "player":
            self.board.plan(_ns(at_s), lambda board, t_ns: board.fall(t_ns))
        return at_s + 0.03

    def _before(self, name: str, at_s: float, rng: Random) -> float:
        if not self._begun:
            self._begun = True
            at_s += READY_S
        if name == "token_while_shut":
            self._edges += [Edge(DOOR, 1, _ns(at_s)), Edge(DOOR, 0, _ns(at_s + 1.0))]
            self.board.plan(_ns(at_s + 0.5), lambda board, t_ns: board.insert(t_ns))
            return at_s + 2.0
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
        self.board.plan(_ns(at_s), lambda board, t_ns: board.tilt(t_ns))
        return self._clear("machine", max(at_s + 3.0, last_s) + 1.5) + 1.0

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
