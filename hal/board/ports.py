"""The serial ports of this computer, by the names that stay when plugs are changed over."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from serial.tools import list_ports

from hal.board import frames
from hal.board.errors import BoardError
from hal.board.message import MessageError
from hal.board.messages import BAUD, PROTOCOL, IdentifyCommand, IdentityAnswer
from hal.clock import NS_PER_S, Clock
from hal.serial_link import LinkError, SerialLink, SerialSettings
from hal.values import Edge, EdgesLost, Frame, Loss, Rare

# Asks one port what is on it, and changes nothing: only `identify` is sent, which needs no session.
#
# Opening its port resets most boards, and their boot loader listens for up to two seconds before the firmware runs.

PATIENCE_NS: Final = 4 * NS_PER_S
"""How long an answer is waited for (ours): a boot loader, and some tries after it."""
AGAIN_S: Final = 0.15
"""Between two tries (ours)."""

_ASKED: Final = frames.END + frames.encode(0, IdentifyCommand())
_HINTS: Final = {
    errno.EACCES: "your user must be in the group dialout: sudo usermod -aG dialout $USER, then log in again",
    errno.EAGAIN: "another program holds it, perhaps the service: stop that first",
    errno.EBUSY: "another program holds it, perhaps the service: stop that first",
    errno.ENOENT: "there is no such port: feltwire boards list shows those that there are",
}


class UnusablePortError(BoardError):
    """Nobody could be asked: the port cannot be opened, or went."""


class StrangeBoardError(BoardError):
    """A board answers whose firmware speaks another protocol: its kind is not known."""


async def ask_identity(port: str, clock: Clock, patience_ns: int = PATIENCE_NS) -> IdentityAnswer:
    """What the board on this port says it is.

    Raises:
        LineError: the port is no name that can be opened.
        UnusablePortError: the port cannot be opened, or went.
        StrangeBoardError: a board of another protocol answers.
        BoardError: nothing on it answers as a board does.
    """
    link = SerialLink(port, port, clock, frames.BoardFramer(), SerialSettings(BAUD))
    ear = _Ear(port, asyncio.get_running_loop().create_future())
    link.open(ear)
    try:
        for _ in range(max(1, round(patience_ns / NS_PER_S / AGAIN_S))):
            if link.status.up:
                try:
                    link.write(_ASKED)
                except LinkError as error:
                    raise UnusablePortError(f"port {port}: {error}") from error
            await asyncio.wait([ear.answer], timeout=AGAIN_S)
            if ear.answer.done():
                return ear.answer.result()
            if ear.port_went and not link.status.up:
                raise UnusablePortError(f"port {port}: it cannot be used: {_words(link.status.reason)}")
        raise BoardError(
            f"port {port}: {ear.heard}; is it a board, is it powered, and was its firmware flashed? "
            "feltwire boards flash KIND PORT does that"
        )
    finally:
        link.close()
        await link.wait_closed()


class _Ear:
    """Takes what comes until an identity does."""

    def __init__(self, port: str, answer: asyncio.Future[IdentityAnswer]) -> None:
        self.answer = answer
        self._port = port
        self.heard = "nothing on it answered"
        self.port_went = False
        """Whether the port could not be opened, or went. Before that an opening may take its time."""

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Takes what was read."""
        for one in rare:
            if isinstance(one, EdgesLost) and one.cause is Loss.UNPLUGGED:
                self.port_went = True
            elif isinstance(one, Frame) and not self.answer.done():
                self._take(one.data)

    def _take(self, piece: bytes) -> None:
        try:
            frame = frames.decode(piece)
        except frames.FrameError:
            self.heard = "what is on it sent bytes, but no frames of a board"
            return
        if frame.id != IdentityAnswer.id:
            return
        try:
            self.answer.set_result(IdentityAnswer.unpack(frame.fields))
        except MessageError:
            theirs = int.from_bytes(frame.fields[:2], "little")
            self.answer.set_exception(
                StrangeBoardError(
                    f"port {self._port}: a board of protocol {theirs}, and this software speaks protocol {PROTOCOL}; "
                    "flash it with: feltwire boards flash KIND PORT"
                )
            )


def _words(reason: str) -> str:
    """Why a port cannot be used, with what to do about it where that is known."""
    for number, hint in _HINTS.items():
        if f"[Errno {number}]" in reason or os.strerror(number) in reason:
            return f"{reason}; {hint}"
    return f"{reason}; check its cable"


BY_ID = Path("/dev/serial/by-id")
"""Where udev keeps a link to each serial port on USB, named after what is plugged in."""


class SerialPort(NamedTuple):
    """One port that there is now."""

    name: str
    """Its link by id where it has one, else its device."""
    device: str
    """The device, which may be another one after the next start: `/dev/ttyUSB0`."""
    about: str
    """What the plug says of itself; empty where it says nothing."""
    usb: bool
    """Whether it is on USB, as boards are."""


def serial_ports(by_id: Path = BY_ID) -> list[SerialPort]:
    """All ports that there are, those on USB first, then by name."""
    links = {str(link.resolve()): str(link) for link in sorted(by_id.iterdir())} if by_id.is_dir() else {}
    found = [
        SerialPort(links.get(port.device, port.device), port.device, _about(port.product), port.vid is not None)
        for port in list_ports.comports()
    ]
    return sorted(found, key=lambda port: (not port.usb, port.name))


def _about(product: str | None) -> str:
    return "" if product is None or product == "n/a" else product
