"""Asks a board's bootloader for its version, in the STK500 protocol that bootloaders of Arduinos speak.

After a reset a bootloader listens for up to two seconds. It answers `sync`, and the two parameters of its version; the
program itself never answers them.

    ► 0x30 0x20          ◄ 0x14 0x10                sync
    ► 0x41 0x81 0x20     ◄ 0x14 major 0x10          version, high part; 0x82 is the low part
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

import serial

from hal.board.ports import DTR_LOW_S, UnusablePortError
from hal.serial_link import PORT_ERRORS, SerialSettings, port_of

BAUDS: Final = (115_200, 57_600)
"""Of the bootloaders that these boards are sold with: Optiboot (Uno, Nano since 2018), and the older one of a Nano."""

_SYNC: Final = b"\x30\x20"
_MAJOR: Final = b"\x41\x81\x20"
_MINOR: Final = b"\x41\x82\x20"
_IN_SYNC, _OK = 0x14, 0x10
_LED_S: Final = 0.45
"""How long it is left alone after the reset (ours): Optiboot first flashes its lamp for 0.38 s, and what comes
meanwhile overruns its receiver."""
_TRIES: Final = 8
"""How often it is asked at one rate (ours)."""
_WAIT_S: Final = 0.15
"""For an answer (ours)."""
_STEP_S: Final = 0.01


class BootloaderVersion(NamedTuple):
    """A bootloader that answered."""

    baud: int
    major: int
    minor: int

    @property
    def survives_watchdog(self) -> bool:
        """Whether a board comes back from a reset by its watchdog.

        Optiboot (3 and later) turns the watchdog off first. ATmegaBOOT, of Nanos from before 2018, reports 1.16 and
        leaves it running with 16 ms: the board is reset for ever, until the power is cut.
        """
        return self.major >= 3


async def ask_version(port: str, bauds: tuple[int, ...] = BAUDS) -> BootloaderVersion | None:
    """The version of the bootloader on a port; None if none answers, as where the auto-reset is cut.

    Raises:
        LineError: the port is not a valid name.
        UnusablePortError: it cannot be opened, or was lost.
    """
    for baud in bauds:
        handle = port_of(port, port, SerialSettings(baud))
        try:
            await asyncio.get_running_loop().run_in_executor(None, handle.open)
            try:
                await _reset(handle)
                await asyncio.sleep(_LED_S)
                found = await _ask(handle, baud)
            finally:
                handle.close()
        except PORT_ERRORS as error:
            raise UnusablePortError(f"port {port}: its bootloader cannot be asked: {error}; check its cable") from error
        if found is not None:
            return found
        await asyncio.sleep(DTR_LOW_S)
    return None


async def _reset(handle: serial.Serial) -> None:
    """Lowers and raises DTR; a port without that line was reset by its opening, or is not reset at all."""
    try:
        handle.dtr = False
        await asyncio.sleep(DTR_LOW_S)
        handle.dtr = True
    except OSError:
        return


async def _ask(handle: serial.Serial, baud: int) -> BootloaderVersion | None:
    for _ in range(_TRIES):
        if await _answer(handle, _SYNC, 2, lambda got: got == bytes((_IN_SYNC, _OK))) is None:
            continue
        major = await _answer(handle, _MAJOR, 3, _is_parameter)
        minor = await _answer(handle, _MINOR, 3, _is_parameter)
        if major is not None and minor is not None:
            return BootloaderVersion(baud, major[1], minor[1])
    return None


def _is_parameter(got: bytes) -> bool:
    return got[0] == _IN_SYNC and got[2] == _OK


async def _answer(handle: serial.Serial, request: bytes, size: int, good: Callable[[bytes], bool]) -> bytes | None:
    """Sends a request, and returns the last bytes that came if they are an answer."""
    handle.read(4096)
    handle.write(request)
    got = b""
    for _ in range(round(_WAIT_S / _STEP_S)):
        await asyncio.sleep(_STEP_S)
        got += bytes(handle.read(4096))
        if len(got) >= size and good(got[-size:]):
            return got[-size:]
    return None
