"""A serial port as pyserial 3.5 gives it, never waited for, with the traps that are in its settings.

- Its timeouts restart with each byte and hand out half a frame: reads never wait, a `Framer` finds the ends.
- `exclusive` is an advisory lock: it keeps out a second Feltwire, not every other program.
- Opening a tty raises DTR and RTS for a moment, whatever is configured, which resets boards of the Arduino kind. A
  wheel does not care; a board must be identified anew after every opening. Name ports by `/dev/serial/by-id/…`.
"""

from __future__ import annotations

import termios
from dataclasses import dataclass

import serial

from hal.lines import LineError

PORT_ERRORS = (OSError, termios.error, ValueError)
"""What pyserial raises when a port cannot be opened, read, written or set up (its own error is an `OSError`)."""


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """How bytes look on the wire; network URLs other than `rfc2217://` pass over them."""

    baudrate: int = 9600
    bytesize: int = 8
    parity: str = "N"
    stopbits: float = 1


def port_of(name: str, url: str, settings: SerialSettings) -> serial.Serial:
    """The port of the link `name`, not opened yet.

    Raises:
        LineError: pyserial has no such kind of URL, or a setting that no port has.
    """
    try:
        return serial.serial_for_url(
            url,
            do_not_open=True,
            timeout=0,
            exclusive=True,
            baudrate=settings.baudrate,
            bytesize=settings.bytesize,
            parity=settings.parity,
            stopbits=settings.stopbits,
        )
    except ValueError as error:
        raise LineError(
            f"serial link {name!r}: cannot use {url!r}: {error}; expected a device such as "
            "/dev/serial/by-id/… or a URL such as socket://host:port"
        ) from error
