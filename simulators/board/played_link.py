"""A device of the simulated table that has a serial port of its own, beside the boards: the reader of a shoe.

    SharedTable ──frames──► LinkOnPty ──lines, CR LF──► pty ◄── the service, as it opens any serial port

Its frames leave in time. While its cable is pulled out the port is not there; its next frame is sent from a new one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from hal.values import Batch, EdgesLost, Frame, Loss
from simulators.board.pty_end import PtyEnd


class Playing(Protocol):
    """The table as this device sees it (see `simulators.board.played_table.SharedTable`)."""

    def take(self, board: str, until_ns: int) -> Batch:
        """What the table does up to then, and this device has not taken."""


def share_of(link: str) -> str:
    """The name of a link's share of a table; no board has such a name."""
    return f"link {link}"


class LinkOnPty:
    """One link, on a port at `path`."""

    def __init__(self, table: Playing, link: str, path: Path) -> None:
        self._table = table
        self._link = link
        self._pty = PtyEnd(path)
        self.sent = 0
        """Frames that were sent."""

    def plug_in(self) -> None:
        """Creates the port.

        Raises:
            OSError: it cannot be created.
        """
        self._pty.plug_in()

    def pull(self) -> None:
        """Removes the port."""
        self._pty.pull()

    def step(self, now_ns: int) -> None:
        """Sends what the device sends up to then.

        Raises:
            OSError: the port cannot be created again.
        """
        self._pty.read()  # it takes no orders
        for value in self._table.take(share_of(self._link), now_ns).rare:
            if isinstance(value, EdgesLost) and value.line == self._link and value.cause is Loss.UNPLUGGED:
                self._pty.pull()
            elif isinstance(value, Frame) and value.link == self._link:
                self._pty.plug_in()
                self._pty.write(value.data + b"\r\n")
                self.sent += 1
