"""What goes wrong between a host and its board."""

from __future__ import annotations

from hal.board.message import Command
from hal.board.messages import Refusal, RefusedAnswer


class BoardError(Exception):
    """A board did not do what it was told; says which board, what, why and what to do."""


class SessionEndedError(BoardError):
    """The session ended, or there was none, before the board's answer came."""

    def __init__(self, message: str, *, may_be_done: bool) -> None:
        super().__init__(message)
        self.may_be_done = may_be_done
        """Whether the command was sent: then it was carried out once or not at all. Else it was not."""


class CommandRefusedError(BoardError):
    """The board answered that it did not do it."""

    def __init__(self, message: str, why: int) -> None:
        super().__init__(message)
        self.why = why
        """A code of `hal.board.messages.Refusal`, or one that this software does not know."""


_HINTS = {
    Refusal.NO_SESSION: "it was reset; send it again once the board is up",
    Refusal.UNKNOWN_COMMAND: "this kind of board has no such command; correct the configuration",
    Refusal.WRONG_LENGTH: "the two sides do not know the same wire; flash the board anew",
    Refusal.WRONG_VALUE: "a field has a value that this board cannot take; see docs/wire.md",
    Refusal.BUSY: "what it would start is running already; wait for its end",
    Refusal.HELD_SAFE: "the output was on for its longest time, or has a fault; set it to 0 once",
    Refusal.NOT_SAFE: "an interlock of the board forbids it now; clear what holds it",
    Refusal.SILENT: "it heard nothing from its host for too long, and made all outputs safe; say all_safe first",
    Refusal.STORE_FAILED: "its memory does not keep what is written; replace the board",
}


def command_name(command: Command) -> str:
    """The name that the wire's table gives the command: `edges_from`."""
    words = type(command).__name__.removesuffix("Command")
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in words).lstrip("_")


def refused(board: str, command: Command, answer: RefusedAnswer) -> CommandRefusedError:
    """The error that this answer is, for whoever awaits the command."""
    try:
        why = Refusal(answer.why)
    except ValueError:
        said, hint = f"code {answer.why}", "this software knows no such code; flash the board anew"
    else:
        said, hint = why.name.lower(), _HINTS[why]
    return CommandRefusedError(f"board {board!r}: refuses {command_name(command)}: {said}; {hint}", answer.why)
