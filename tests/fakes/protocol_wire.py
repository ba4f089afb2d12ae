"""pyserial's handler for `wire://NAME`: the host's end of a `tests.fakes.board_port.BoardPort`, with a file descriptor.

What one end writes the other can read at once, unlike on a pty. So a virtual loop never jumps over bytes under way.
"""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable
from typing import Any

from serial.serialutil import PortNotOpenError, SerialBase, SerialException

PLUGS: dict[str, Callable[[], socket.socket]] = {}
"""What is plugged in, by its URL: gives the host's end of a new wire. Called in the thread that opens the port."""


DTR: dict[str, Callable[[bool], None]] = {}
"""What happens when the line DTR of a port takes a level, by its URL. Called on the loop's thread."""


class Serial(SerialBase):
    """One port; see `serial.serial_for_url`."""

    _socket: socket.socket | None = None

    def open(self) -> None:
        plug = PLUGS.get(str(self.port))
        if plug is None:
            raise SerialException(2, f"could not open port {self.port}: No such file or directory")
        self._socket = plug()
        self._socket.setblocking(False)
        self.is_open = True

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self.is_open = False

    def fileno(self) -> int:
        return self._end().fileno()

    @property
    def in_waiting(self) -> int:
        raise NotImplementedError("a link reads without asking")

    def read(self, size: int = 1) -> bytes:
        try:
            data = self._end().recv(size)
        except BlockingIOError:
            return b""
        if not data:
            raise SerialException("device reports readiness to read but returned no data (device disconnected?)")
        return data

    def write(self, data: Any, /) -> int:
        return self._end().send(data)

    def reset_input_buffer(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._end().recv(4096):
                pass

    def _update_dtr_state(self) -> None:
        if str(self.port) in DTR:
            DTR[str(self.port)](bool(self.dtr))
        else:
            raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")

    def _reconfigure_port(self, *_arguments: Any, **_settings: Any) -> None:
        """Baud rate and parity mean nothing here."""

    def _end(self) -> socket.socket:
        if self._socket is None:
            raise PortNotOpenError
        return self._socket
