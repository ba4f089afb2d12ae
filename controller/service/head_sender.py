"""Sends the heads of the journal off the machine, by itself: to a file, a URL, or a printer.

Whoever holds the machine holds its signing key too. Only heads that have left it prove that nothing was made anew:
`feltwire journal verify --head TABLE:SEQ:HASH` takes each of them.

    2026-07-04T21:30:00.000000Z wheel-1:118:3f5c…   a line for each table, for the commands, and for the seals
"""

from __future__ import annotations

import asyncio
import http.client
import logging
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from controller.journal.records import Head
from hal.clock import NS_PER_S, Clock, wall_time

log = logging.getLogger(__name__)

EVERY_NS: Final = 900 * NS_PER_S
"""Between two sendings, where there was anything new (ours)."""
PRINTER: Final = "printer:"
_WEB: Final = ("http://", "https://")
_PATIENCE_S: Final = 20
"""How long a web server or the print system may take (ours)."""


class HeadTargetError(ValueError):
    """A place to which no heads can be sent: what was expected."""


def check_target(target: str) -> str:
    """A place for heads: a path, `http://…`, `https://…` or `printer:QUEUE`.

    Raises:
        HeadTargetError: it is none of them.
    """
    if target.startswith(_WEB):
        return target
    if target.startswith(PRINTER):
        if target == PRINTER:
            raise HeadTargetError("printer: must be followed by the name of a print queue, as `lpstat -e` lists them")
        return target
    if "://" in target or not target:
        raise HeadTargetError(f"{target!r}: expected a path, http://…, https://… or printer:QUEUE")
    return target


def lines_of(heads: Mapping[str, Head], time: str) -> str:
    """The heads, a line each, as `verify --head` takes them after the time."""
    return "".join(f"{time} {chain}:{head.seq}:{head.hash}\n" for chain, head in sorted(heads.items()) if head.seq)


def send(target: str, text: str) -> None:
    """Sends lines to a target. Blocks until they are there.

    Raises:
        OSError: they cannot be written or sent.
        subprocess.SubprocessError: the print system refuses them, or takes too long.
    """
    if target.startswith(_WEB):
        request = urllib.request.Request(target, text.encode(), {"Content-Type": "text/plain"}, method="POST")
        with urllib.request.urlopen(request, timeout=_PATIENCE_S):
            return
    if target.startswith(PRINTER):
        command = ["lp", "-s", "-d", target.removeprefix(PRINTER)]
        subprocess.run(command, input=text.encode(), check=True, capture_output=True, timeout=_PATIENCE_S)
        return
    # Appended: a file on a stick, a share, or a device such as /dev/usb/lp0.
    with Path(target).open("a", encoding="utf-8") as file:
        file.write(text)


class HeadSender:
    """Sends heads to each target, once in a while. A target that fails is logged, and stops nothing."""

    def __init__(self, targets: Sequence[str], clock: Clock, every_ns: int = EVERY_NS) -> None:
        self._targets = tuple(targets)
        self._clock = clock
        self._every_ns = every_ns
        self._next_ns = clock.now_ns()
        self._sent: dict[str, dict[str, Head]] = {}
        """The heads that each target has."""
        self._sending: asyncio.Future[None] | None = None

    def check(self, heads: Mapping[str, Head]) -> None:
        """To be called each second, on the loop: sends where it is time, and anything is new."""
        busy = self._sending is not None and not self._sending.done()
        if not self._targets or busy or self._clock.now_ns() < self._next_ns:
            return
        self._next_ns = self._clock.now_ns() + self._every_ns
        targets = self._lacking(heads)
        if not targets:
            return
        text = lines_of(heads, wall_time(self._clock))
        self._sending = asyncio.get_running_loop().run_in_executor(None, self._send, targets, dict(heads), text)

    async def end(self, heads: Mapping[str, Head]) -> None:
        """Sends the last heads, after what is under way."""
        if self._sending is not None:
            await self._sending
        targets = self._lacking(heads)
        if targets:
            text = lines_of(heads, wall_time(self._clock))
            await asyncio.get_running_loop().run_in_executor(None, self._send, targets, dict(heads), text)

    def _lacking(self, heads: Mapping[str, Head]) -> list[str]:
        """The targets that have not got these heads: a sending that failed is repeated at the next time."""
        return [target for target in self._targets if self._sent.get(target) != dict(heads)]

    def _send(self, targets: list[str], heads: dict[str, Head], text: str) -> None:
        for target in targets:
            try:
                send(target, text)
                self._sent[target] = heads
            except (OSError, subprocess.SubprocessError, http.client.HTTPException, ValueError) as error:
                reason = error.reason if isinstance(error, urllib.error.URLError) else error
                log.warning("the heads of the journal could not be sent to %s: %s; play goes on", target, reason)
