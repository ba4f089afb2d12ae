"""The board's end of a pty whose other end a program opens by a path like a by-id name.

The kernel carries bytes from one end to the other in a thread of its own, without a notification. But reading or
polling an end makes it finish first (Linux, `n_tty_read`, `n_tty_poll`): a non-blocking read gets all that was written
before it, and a loop that polls (`hal.loop.VirtualLoop`) gets at once what is written here.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import struct
import tty
from pathlib import Path

READ_BYTES = 65536
TCGETS2 = 0x802C542A
"""The ioctl for a port's settings with any baud; `termios` has only standard ones, such as 38400."""
_TERMIOS2 = struct.Struct("4IB19s2I")


class PtyEnd:
    """One end of a pty, and a symbolic link at `path` to the other; there while plugged in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened = False
        """Whether a program has the other end open, as far as the last `read` saw."""
        self._end: int | None = None

    def plug_in(self) -> None:
        """Creates the port at `path`. A link left there by a former run is replaced."""
        if self._end is not None:
            return
        end, other = pty.openpty()
        try:
            os.set_blocking(end, False)
            # Until a program has set the port, a new one sends back what it receives.
            tty.setraw(other)
            if self.path.is_symlink():
                self.path.unlink()
            self.path.symlink_to(os.ttyname(other))
        except OSError:
            os.close(end)
            raise
        finally:
            os.close(other)
        self._end = end

    def pull(self) -> None:
        """Removes the port: a program that has it open gets an error, and what it had not read is lost."""
        if self._end is None:
            return
        self.path.unlink(missing_ok=True)
        os.close(self._end)
        self._end = None
        self.opened = False

    def read(self) -> bytes:
        """All that the program has written since the last call."""
        if self._end is None:
            return b""
        data = bytearray()
        while True:
            try:
                piece = os.read(self._end, READ_BYTES)
            except BlockingIOError:
                self.opened = True
                return bytes(data)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                self.opened = False  # the other end is not open
                return bytes(data)
            data += piece

    def write(self, data: bytes) -> int:
        """Sends bytes to the program; returns how many fitted into the buffer."""
        if self._end is None:
            return 0
        try:
            return os.write(self._end, data)
        except BlockingIOError:
            return 0

    @property
    def baud(self) -> int:
        """The baud that the program has set."""
        if self._end is None:
            return 0
        settings = fcntl.ioctl(self._end, TCGETS2, bytes(_TERMIOS2.size))
        return int(_TERMIOS2.unpack(settings)[-1])
