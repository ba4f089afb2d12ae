"""The command handling of a model board: executes each command once, and repeats its answer on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hal.board import frames
from hal.board.message import BoardAnswer, BoardCommand, MessageError
from hal.board.messages import COMMANDS, IdentifyCommand, OkAnswer, OpenCommand, RefusalCode, RefusedAnswer


class CarriedOut(NamedTuple):
    """A command that the board executed."""

    life: int
    """How often the board had been reset."""
    session: int
    number: int
    command: BoardCommand
    t_ns: int


class Owed(NamedTuple):
    """An answer that is to be sent."""

    number: int
    answer: BoardAnswer


class ModelOrders:
    """The state of a board between two resets: its session and command number."""

    def __init__(
        self,
        identify: Callable[[], BoardAnswer],
        opened: Callable[[], None],
        carry_out: Callable[[BoardCommand], BoardAnswer],
    ) -> None:
        """`opened` is called for a new session, `carry_out` once for each of its commands."""
        self.session: int | None = None
        self.number = 0
        """The number of the command executed last."""
        self.owed: Owed | None = None
        self._last: Owed | None = None
        self._identify = identify
        self._opened = opened
        self._carry_out = carry_out

    def take(self, frame: frames.BoardFrame) -> None:
        """Handles a valid frame."""
        command: BoardCommand | None
        try:
            command = COMMANDS[frame.id].unpack(frame.fields)
        except MessageError:
            command = None
        if frame.number == 0:
            self._take_first_words(command)
        elif self.session is None:
            self.owed = Owed(frame.number, RefusedAnswer(frame.id, RefusalCode.NO_SESSION))
        elif frame.number == self.number and self._last is not None:
            self.owed = self._last
        elif frame.number == self.number % 255 + 1:
            self.number = frame.number
            refused = RefusedAnswer(frame.id, RefusalCode.WRONG_LENGTH)
            self.owed = self._last = Owed(frame.number, refused if command is None else self._carry_out(command))

    def answer_anew(self, answer: BoardAnswer) -> Owed:
        """Replaces the pending answer, now and whenever it is repeated."""
        self.owed = self._last = Owed(self.number, answer)
        return self.owed

    def _take_first_words(self, command: BoardCommand | None) -> None:
        if isinstance(command, IdentifyCommand):
            self.owed = Owed(0, self._identify())
        elif isinstance(command, OpenCommand):
            if command.session != self.session:
                self.session = command.session
                self.number = 0
                self._last = None
                self._opened()
            self.owed = Owed(0, OkAnswer())
