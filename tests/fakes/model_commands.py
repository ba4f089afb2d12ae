"""Commands of a model board: each is carried out once, and its answer is repeated as often as it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hal.board import frames
from hal.board.message import Answer, Command, MessageError
from hal.board.messages import COMMANDS, IdentifyCommand, OkAnswer, OpenCommand, Refusal, RefusedAnswer


class CarriedOut(NamedTuple):
    """A command that the board carried out."""

    life: int
    """How often the board had been reset."""
    session: int
    number: int
    command: Command
    t_ns: int


class Owed(NamedTuple):
    """An answer that is to be sent."""

    number: int
    answer: Answer


class ModelOrders:
    """One life of a board: its session, and where that stands."""

    def __init__(
        self, identify: Callable[[], Answer], opened: Callable[[], None], carry_out: Callable[[Command], Answer]
    ) -> None:
        """`opened` is called for a new session, `carry_out` once for each of its commands."""
        self.session: int | None = None
        self.number = 0
        """Of the command carried out last."""
        self.owed: Owed | None = None
        self._last: Owed | None = None
        self._identify = identify
        self._opened = opened
        self._carry_out = carry_out

    def take(self, frame: frames.BoardFrame) -> None:
        """Does what a whole frame says."""
        command: Command | None
        try:
            command = COMMANDS[frame.id].unpack(frame.fields)
        except MessageError:
            command = None
        if frame.number == 0:
            self._take_first_words(command)
        elif self.session is None:
            self.owed = Owed(frame.number, RefusedAnswer(frame.id, Refusal.NO_SESSION))
        elif frame.number == self.number and self._last is not None:
            self.owed = self._last
        elif frame.number == self.number % 255 + 1:
            self.number = frame.number
            refused = RefusedAnswer(frame.id, Refusal.WRONG_LENGTH)
            self.owed = self._last = Owed(frame.number, refused if command is None else self._carry_out(command))

    def answer_anew(self, answer: Answer) -> Owed:
        """What is owed is said in another way, now and whenever it is asked again."""
        self.owed = self._last = Owed(self.number, answer)
        return self.owed

    def _take_first_words(self, command: Command | None) -> None:
        if isinstance(command, IdentifyCommand):
            self.owed = Owed(0, self._identify())
        elif isinstance(command, OpenCommand):
            if command.session != self.session:
                self.session = command.session
                self.number = 0
                self._last = None
                self._opened()
            self.owed = Owed(0, OkAnswer())
