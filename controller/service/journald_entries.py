"""Events as entries of journald, with fields to search for:

    journalctl -u feltwire FELTWIRE_TABLE=roulette-1 FELTWIRE_REASON=ball_direction

journald reads a stream without fields; entries with fields go to its socket, one datagram each (systemd's native
protocol). Where the socket is missing or full, the line goes to the stream, so nothing is lost but its fields.
"""

from __future__ import annotations

import socket
from typing import Final

from feed.events import Data, DeviceFault, DeviceWarning
from hal.plain_text import plain

JOURNALD: Final = "/run/systemd/journal/socket"
_INFORMS: Final = 6
_WARNS: Final = 4
"""syslog's priorities."""


def fields_of(data: Data) -> dict[str, str]:
    """The fields of an event in journald: table, kind, and round, reason, device and fault where it has them."""
    found = {"FELTWIRE_TABLE": data.table, "FELTWIRE_EVENT": type(data).kind}
    for name in ("round", "reason", "device", "fault", "warning"):
        value = getattr(data, name, None)
        if value:
            found[f"FELTWIRE_{name.upper()}"] = str(value)
    return found


def priority_of(data: Data) -> int:
    """syslog's priority of an event: a fault or a warning of a device is a warning, the others inform."""
    return _WARNS if isinstance(data, DeviceFault | DeviceWarning) else _INFORMS


class JournaldEntries:
    """Sends entries with fields to journald, without blocking."""

    def __init__(self, path: str = JOURNALD) -> None:
        """Finds the socket.

        Raises:
            OSError: there is none, or it may not be used.
        """
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as tried:
            tried.connect(path)
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        """Without a peer: journald makes another socket at that path when it starts again."""

    def send(self, line: str, data: Data) -> bool:
        """Sends an event with its line for people; returns whether journald took it."""
        lines = {
            "MESSAGE": line,
            "PRIORITY": str(priority_of(data)),
            "SYSLOG_IDENTIFIER": "feltwire",
            **fields_of(data),
        }
        datagram = "".join(f"{name}={plain(value)}\n" for name, value in lines.items())
        try:
            self._socket.sendto(datagram.encode("utf-8", "backslashreplace"), self._path)
        except OSError:
            # Full, or gone with a restart of journald: the stream still takes the line.
            return False
        return True

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()
