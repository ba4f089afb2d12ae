"""The serial ports of this computer, and which board is on one.

Ports have stable names under `/dev/serial/by-id`, whatever socket they are plugged into. Asking for the identity sends
only `identify`, which needs no session and changes nothing. Opening the port resets most boards, and their boot loader
listens for up to two seconds before the firmware runs.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from serial.tools import list_ports

from hal.board import frames
from hal.board.chips import ATMEGA328P, Chip
from hal.board.errors import BoardError
from hal.board.message import MessageError
from hal.board.messages import BAUD, PROTOCOL, IdentifyCommand, IdentityAnswer
from hal.clock import NS_PER_S, Clock
from hal.link_status import LinkError
from hal.serial_link import PORT_ERRORS, SerialLink, SerialSettings, keep_dtr, port_of
from hal.values import Edge, EdgesLost, Frame, Loss, Rare

BY_ID = Path("/dev/serial/by-id")
"""Where udev keeps a link to each USB serial port, named after the device."""


class SerialPort(NamedTuple):
    """One serial port of this computer."""

    name: str
    """Its link by id where it has one, otherwise its device."""
    device: str
    """The device, which may change at the next start: `/dev/ttyUSB0`."""
    about: str
    """The product name of the USB device; empty if it has none."""
    usb: bool
    """Whether the port is on USB, as boards are."""


def serial_ports(by_id: Path = BY_ID) -> list[SerialPort]:
    """All serial ports: those on USB first, then by name."""
    links = {str(link.resolve()): str(link) for link in sorted(by_id.iterdir())} if by_id.is_dir() else {}
    found = [
        SerialPort(links.get(port.device, port.device), port.device, _about(port.product), port.vid is not None)
        for port in list_ports.comports()
    ]
    return sorted(found, key=lambda port: (not port.usb, port.name))


def _about(product: str | None) -> str:
    return "" if product is None or product == "n/a" else product


PATIENCE_NS: Final = 4 * NS_PER_S
"""How long to wait for an answer (ours): a boot loader, and some tries after it."""
AGAIN_S: Final = 0.15
"""Between two tries (ours)."""

_REQUEST: Final = frames.END + frames.encode(0, IdentifyCommand())
_HINTS: Final = {
    errno.EACCES: "your user must be in the group dialout: sudo usermod -aG dialout $USER, then log in again",
    errno.EAGAIN: "another program holds it, perhaps the service: stop that first",
    errno.EBUSY: "another program holds it, perhaps the service: stop that first",
    errno.ENOENT: "there is no such port: feltwire boards list shows those that there are",
}


class UnusablePortError(BoardError):
    """The port cannot be opened, or was lost."""


class StrangeBoardError(BoardError):
    """A board with another protocol answered: its kind is not known."""


async def ask_identity(
    port: str, clock: Clock, patience_ns: int = PATIENCE_NS, chip: Chip = ATMEGA328P
) -> IdentityAnswer:
    """The identity of the board on this port, which is built on `chip`.

    Raises:
        LineError: the port is not a valid name.
        UnusablePortError: the port cannot be opened, or was lost.
        StrangeBoardError: a board with another protocol answers.
        BoardError: nothing on it answers as a board does.
    """
    link = SerialLink(port, port, clock, frames.BoardFramer(), SerialSettings(chip.baud, keeps_dtr=True))
    receiver = _IdentityReceiver(port, asyncio.get_running_loop().create_future())
    link.open(receiver)
    try:
        for _ in range(max(1, round(patience_ns / NS_PER_S / AGAIN_S))):
            if link.status.up:
                try:
                    link.write(_REQUEST)
                except LinkError as error:
                    raise UnusablePortError(f"port {port}: {error}") from error
            await asyncio.wait([receiver.answer], timeout=AGAIN_S)
            if receiver.answer.done():
                return receiver.answer.result()
            if receiver.port_lost and not link.status.up:
                raise UnusablePortError(f"port {port}: it cannot be used: {_with_hint(link.status.reason)}")
        raise BoardError(
            f"port {port}: {receiver.seen}; is it a board, is it powered, and was its firmware flashed? "
            "feltwire boards flash KIND PORT does that"
        )
    finally:
        link.close()
        await link.wait_closed()


class _IdentityReceiver:
    """Receives frames until an identity arrives."""

    def __init__(self, port: str, answer: asyncio.Future[IdentityAnswer]) -> None:
        self.answer = answer
        self._port = port
        self.seen = "nothing on it answered"
        self.port_lost = False
        """Whether opening the port failed, or it was lost; an opening that is still under way is neither."""

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Handles what was read."""
        for one in rare:
            if isinstance(one, EdgesLost) and one.cause is Loss.UNPLUGGED:
                self.port_lost = True
            elif isinstance(one, Frame) and not self.answer.done():
                self._take(one.data)

    def _take(self, piece: bytes) -> None:
        try:
            frame = frames.decode(piece)
        except frames.FrameError:
            self.seen = "what is on it sent bytes, but no frames of a board"
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


def _with_hint(reason: str) -> str:
    """Why a port cannot be used, with the remedy where it is known."""
    for number, hint in _HINTS.items():
        if f"[Errno {number}]" in reason or os.strerror(number) in reason:
            # pyserial names the port again, and the number twice: the message has it in front already.
            return f"{os.strerror(number)}; {hint}"
    return f"{reason}; check its cable"


# Whether opening a port resets the board on it


class NoDtrError(BoardError):
    """The port has no DTR line that could be tried."""


DTR_LOW_S: Final = 0.1
"""How long DTR is lowered (ours): the capacitor of an Arduino's reset discharges in some milliseconds."""


async def reset_by_dtr(port: str, clock: Clock, patience_ns: int = PATIENCE_NS) -> tuple[IdentityAnswer, bool]:
    """Lowers and raises DTR, as every opening of a port may, and looks whether the board restarted.

    Returns its identity afterwards, and whether it was reset, by this or by the opening before.

    Raises:
        LineError: the port is not a valid name.
        NoDtrError: the port has no such line.
        BoardError: the port cannot be used, or no board answers on it.
    """
    before = await ask_identity(port, clock, patience_ns)
    await _pulse_dtr(port)
    after = await ask_identity(port, clock, patience_ns)
    return after, after.boots != before.boots


async def _pulse_dtr(port: str) -> None:
    handle = port_of(port, port, SerialSettings(BAUD))
    loop = asyncio.get_running_loop()
    try:
        await loop.run_in_executor(None, handle.open)
        try:
            handle.dtr = False
            await asyncio.sleep(DTR_LOW_S)
            handle.dtr = True
            keep_dtr(handle)
        finally:
            handle.close()
    except PORT_ERRORS as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOTTY, errno.EINVAL):
            raise NoDtrError(
                f"port {port}: it has no DTR line, so nothing on it can be reset by its opening; a board on USB has one"
            ) from error
        raise UnusablePortError(f"port {port}: it cannot be used: {_with_hint(str(error))}") from error
