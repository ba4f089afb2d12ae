"""Messages of a board as the frames of a link, for devices that a board drives by itself: reels, a hopper.

    driver, capture, simulator ◄── Frame("reels", id + fields) ◄── report; `identity`, when the board is up
    actuator ── SendFrame("reels", id + fields) ──► command
    a command that was refused ──► Frame("reels", id of `refused` + its fields + the command's own id and fields)
    `test`, once it is answered ──► Frame("reels", its id): a board reports of it only what it finds changed

The first byte is the message's id of docs/wire.md, the rest its fields as they are on the wire.
"""

from __future__ import annotations

from typing import NamedTuple

from hal.board.message import BoardCommand, BoardReport, MessageError
from hal.board.messages import COMMANDS, REPORTS, IdentityAnswer, RefusedAnswer, TestCommand


class RefusedCommand(NamedTuple):
    """A command that the board refused, or that did not reach it."""

    why: int
    """A code of `RefusalCode`; 0 where the board's session ended before it answered."""
    command: BoardCommand


NOT_ANSWERED = 0
"""In place of a code: the session ended before the board answered."""


def carried(message: BoardCommand | BoardReport | IdentityAnswer | RefusedCommand) -> bytes:
    """A message as the bytes of a frame.

    Raises:
        MessageError: a value does not fit its field.
    """
    if isinstance(message, RefusedCommand):
        refused = RefusedAnswer(message.command.id, message.why)
        return bytes((refused.id,)) + refused.pack() + message.command.pack()
    return bytes((message.id,)) + message.pack()


def report_in(data: bytes) -> BoardReport | IdentityAnswer | RefusedCommand | TestCommand:
    """The report, the identity, the refused command, or the `test` that was answered, of a frame.

    Raises:
        MessageError: it holds none, or too few bytes.
    """
    if data and data[0] == RefusedAnswer.id:
        size = RefusedAnswer.layout.size
        refused = RefusedAnswer.unpack(data[1 : 1 + size])
        command = COMMANDS.get(refused.command)
        if command is None:
            raise MessageError(f"a refusal of the command {refused.command}, which there is not")
        return RefusedCommand(refused.why, command.unpack(data[1 + size :]))
    if data and data[0] == IdentityAnswer.id:
        return IdentityAnswer.unpack(data[1:])
    if data and data[0] == TestCommand.id:
        return TestCommand.unpack(data[1:])
    kind = REPORTS.get(data[0]) if data else None
    if kind is None:
        raise MessageError(f"expected a report, got {data[:8].hex(' ') or 'nothing'}")
    return kind.unpack(data[1:])


def command_in(data: bytes) -> BoardCommand:
    """The command of a frame.

    Raises:
        MessageError: it holds none, or too few bytes.
    """
    kind = COMMANDS.get(data[0]) if data else None
    if kind is None:
        raise MessageError(f"expected a command, got {data[:8].hex(' ') or 'nothing'}")
    return kind.unpack(data[1:])
