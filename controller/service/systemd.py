"""Notifies systemd: ready, alive, status, stopping (`sd_notify(3)`).

Only where the environment asks for it (`NOTIFY_SOCKET`, `WATCHDOG_USEC`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

START_US: Final = 60_000_000
"""How much longer systemd waits for a start that makes progress (ours)."""
_US: Final = 1_000
_LONGEST_STATUS: Final = 400


class Systemd:
    """The notification socket of systemd, where there is one."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._notify: Callable[[str], None] | None = None
        self._close: Callable[[], None] = lambda: None
        if environ.get("NOTIFY_SOCKET"):
            from sdnotify import SystemdNotifier  # type: ignore[import-untyped]

            notifier = SystemdNotifier()
            self._notify = notifier.notify
            if notifier.socket is not None:
                self._close = notifier.socket.close
        self.watchdog_ns = _watchdog_ns(environ)
        """The watchdog's time-out; None where there is no watchdog."""
        self._status = ""

    @property
    def asked(self) -> bool:
        """Whether systemd asks for notifications."""
        return self._notify is not None

    def ready(self) -> None:
        """The service's sockets are open."""
        self._send("READY=1")

    def alive(self) -> None:
        """Resets the watchdog; sent at least twice in `watchdog_ns`."""
        if self.watchdog_ns is not None:
            self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The service begins to stop."""
        self._send("STOPPING=1")

    def status(self, text: str) -> None:
        """One line for `systemctl status`; sent when it has changed."""
        if text != self._status:
            self._status = text
            self._send(f"STATUS={_plain(text)}")

    def close(self) -> None:
        """Notifies nothing any more."""
        self._notify = None
        self._close()

    def starting(self, text: str) -> None:
        """The start makes progress: systemd waits longer for it."""
        self._send(f"EXTEND_TIMEOUT_USEC={START_US}")
        self.status(text)

    def _send(self, message: str) -> None:
        if self._notify is not None:
            self._notify(message)


def _plain(text: str) -> str:
    """One line of ASCII: text outside Latin-1 would not be sent at all."""
    return " ".join(text.encode("ascii", "replace").decode().split())[:_LONGEST_STATUS]


def _watchdog_ns(environ: Mapping[str, str]) -> int | None:
    """The value of `WATCHDOG_USEC`, if it is for this process (`WATCHDOG_PID`)."""
    wanted = environ.get("WATCHDOG_USEC", "")
    if not wanted.isdecimal() or int(wanted) == 0:
        return None
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(wanted) * _US
