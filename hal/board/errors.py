"""Errors between a host and its board."""

from __future__ import annotations

from hal.board.message import BoardCommand
from hal.board.messages import RefusalCode, RefusedAnswer


class BoardError(Exception):
    """A board did not execute a command; the message names the board, the command, the reason and the remedy."""


class SessionEndedError(BoardError):
    """The session ended, or there was none, before the board answered."""

    def __init__(self, message: str, *, may_be_done: bool) -> None:
        super().__init__(message)
        self.may_be_done = may_be_done
        """Whether the command was sent: then it was executed once or not at all. Otherwise it was not executed."""


class CommandRefusedError(BoardError):
    """The board refused the command."""

    def __init__(self, message: str, why: int) -> None:
        super().__init__(message)
        self.why = why
        """A code of `hal.board.messages.RefusalCode`, or one that this software does not know."""


_HINTS = {
    RefusalCode.NO_SESSION: "it was reset; send it again once the board is up",
    RefusalCode.UNKNOWN_COMMAND: "this kind of board has no such command; correct the configuration",
    RefusalCode.WRONG_LENGTH: "board and software disagree on the wire protocol; flash the board again",
    RefusalCode.WRONG_VALUE: "a field has a value that this board cannot take; see docs/wire.md",
    RefusalCode.BUSY: "what it would start is running already; wait for its end",
    RefusalCode.HELD_SAFE: "the output was on for its longest time, or has a fault; set it to 0 once",
    RefusalCode.NOT_SAFE: "an interlock of the board forbids it now; clear what holds it",
    RefusalCode.SILENT: "it received nothing from its host for too long and made all outputs safe; send all_safe first",
    RefusalCode.STORE_FAILED: "its memory does not keep what is written; replace the board",
}


def command_name(command: BoardCommand) -> str:
    """The command's name in the wire protocol's table: `edges_from`."""
    words = type(command).__name__.removesuffix("Command")
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in words).lstrip("_")


def refused(board: str, command: BoardCommand, answer: RefusedAnswer) -> CommandRefusedError:
    """The error for a command that was answered with a refusal."""
    try:
        why = RefusalCode(answer.why)
    except ValueError:
        reason, hint = f"code {answer.why}", "this software knows no such code; flash the board again"
    else:
        reason, hint = why.name.lower(), _HINTS[why]
    return CommandRefusedError(f"board {board!r}: refuses {command_name(command)}: {reason}; {hint}", answer.why)
