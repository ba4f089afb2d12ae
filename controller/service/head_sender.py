"""Sends the heads of the journal off the machine, by itself: to a file, a URL, or a printer.

Whoever holds the machine holds its signing key too. Only heads that have left it prove that nothing was made again:
`feltwire journal verify --head TABLE:SEQ:HASH` takes each of them.

    2026-07-04T21:30:00.000000Z wheel-1:118:3f5c…   a line for each table, for the commands, and for the seals
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from audit.records import Head
from hal.clock import NS_PER_S, Clock, wall_time
from hal.plain_text import plain

log = logging.getLogger(__name__)

EVERY_NS: Final = 900 * NS_PER_S
"""Between two sendings, where there was anything new (ours)."""
PRINTER: Final = "printer:"
_WEB: Final = ("http://", "https://")
_PATIENCE_S: Final = 20
"""How long a web server or the print system may take (ours)."""
_LONGEST_PLACE: Final = 200
"""Characters of an address to which a web server points that are logged (ours)."""
LONGEST_END_S: Final = 5.0
"""How long the end of the service waits for its last heads to be sent (ours)."""


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
        _post(target, text)
        return
    if target.startswith(PRINTER):
        command = ["lp", "-s", "-d", target.removeprefix(PRINTER)]
        subprocess.run(command, input=text.encode(), check=True, capture_output=True, timeout=_PATIENCE_S)
        return
    append(Path(target), text)


def _post(url: str, text: str) -> None:
    """Sends lines to the web server that a URL names, and to no other: of a redirect urllib would make a GET without
    them, and a proxy of the environment can answer by itself. Its client is loaded where heads go to one, and OpenSSL
    with it."""
    from http.client import HTTPException
    from urllib import request as web
    from urllib.error import HTTPError, URLError

    opener = web.OpenerDirector()
    for handler in (web.HTTPHandler(), web.HTTPSHandler(), web.HTTPErrorProcessor(), web.HTTPDefaultErrorHandler()):
        opener.add_handler(handler)
    posted = web.Request(url, text.encode(), {"Content-Type": "text/plain"}, method="POST")
    try:
        with opener.open(posted, timeout=_PATIENCE_S):
            return
    except HTTPError as error:
        error.close()
        raise OSError(_not_taken(error.code, error.headers.get("Location", ""))) from error
    except URLError as error:
        raise OSError(error.reason) from error
    except HTTPException as error:
        raise OSError(error) from error


def _not_taken(status: int, place: str) -> str:
    """Why a web server has not taken the heads; `place` is where its answer points."""
    if not 300 <= status < 400:
        return f"it answers {status}"
    where = f" and points to {plain(place)[:_LONGEST_PLACE]}" if place else ""
    return f"it answers {status}{where}; redirects are not followed: write the new address into --head-to"


def append(path: Path, text: str) -> None:
    """Appends lines to a file on a stick or a share, a FIFO, or a device such as /dev/usb/lp0.

    Opened without waiting: a FIFO that nobody reads would hold the opening for ever.

    Raises:
        OSError: it cannot be opened or written; a FIFO has no reader.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno == errno.ENXIO and path.is_fifo():
            raise OSError(errno.ENXIO, "it is a FIFO, and no program reads it; start its reader", str(path)) from error
        raise
    # A printer takes what it can at once: the rest is waited for, in this thread.
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


class _Sending:
    """One sending to one target, in a thread that nothing waits for without a limit.

    The thread is a daemon: a share whose server is gone may hold it for ever, and the process ends all the same.
    """

    def __init__(self, target: str, heads: dict[str, Head], text: str, loop: asyncio.AbstractEventLoop) -> None:
        self.target = target
        self.heads = heads
        self.done: asyncio.Future[bool] = loop.create_future()
        """Whether it was sent, once that is known."""
        self._loop = loop
        self._text = text
        threading.Thread(target=self._send, name=f"heads to {target}", daemon=True).start()

    def _send(self) -> None:
        sent = False
        try:
            send(self.target, self._text)
            sent = True
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            log.warning("the heads of the journal could not be sent to %s: %s; play continues", self.target, error)
        try:
            self._loop.call_soon_threadsafe(self._ended, sent)
        except RuntimeError:
            log.debug("heads to %s: the service had ended before it was known", self.target)

    def _ended(self, sent: bool) -> None:
        if not self.done.done():
            self.done.set_result(sent)


class HeadSender:
    """Sends heads to each target, once in a while. A target that fails or hangs is logged, and stops nothing."""

    def __init__(
        self, targets: Sequence[str], clock: Clock, every_ns: int = EVERY_NS, longest_end_s: float = LONGEST_END_S
    ) -> None:
        """`longest_end_s` is how long the end waits for all targets together."""
        self._targets = tuple(targets)
        self._clock = clock
        self._every_ns = every_ns
        self._longest_end_s = longest_end_s
        self._next_ns = clock.now_ns()
        self._sent: dict[str, dict[str, Head]] = {}
        """The heads that each target has."""
        self._under_way: dict[str, _Sending] = {}

    def check(self, heads: Mapping[str, Head]) -> None:
        """To be called each second, on the loop: sends where it is time, and anything is new."""
        self._take_results()
        if not self._targets or self._clock.now_ns() < self._next_ns:
            return
        self._next_ns = self._clock.now_ns() + self._every_ns
        for target in self._under_way:
            log.warning("the heads of the journal are not sent to %s yet: it takes none; play continues", target)
        self._begin(heads)

    async def end(self, heads: Mapping[str, Head]) -> None:
        """Sends the last heads, after what is under way; waits for both together this long at most."""
        until = asyncio.get_running_loop().create_task(self._finish(dict(heads)), name="the last heads")
        await asyncio.wait([until], timeout=self._longest_end_s)
        if not until.done():
            until.cancel()
            await asyncio.wait([until])
        for target in self._under_way:
            log.warning(
                "the last heads of the journal were not sent to %s: it took none within %g s; the service ends",
                target,
                self._longest_end_s,
            )

    async def _finish(self, heads: dict[str, Head]) -> None:
        """One more sending to each target; a target that still hangs holds up no other."""
        self._begin(heads)
        await asyncio.gather(*(self._last_to(target, heads) for target in self._targets))

    async def _last_to(self, target: str, heads: dict[str, Head]) -> None:
        sending = self._under_way.get(target)
        if sending is None:
            return
        await asyncio.wait([sending.done])
        self._take_results()
        if sending.heads != heads:
            self._begin(heads, [target])
            if target in self._under_way:
                await asyncio.wait([self._under_way[target].done])
                self._take_results()

    def _begin(self, heads: Mapping[str, Head], targets: Sequence[str] | None = None) -> None:
        """Sends to the targets that lack these heads: a sending that failed is repeated at the next time."""
        text = lines_of(heads, wall_time(self._clock))
        loop = asyncio.get_running_loop()
        for target in self._targets if targets is None else targets:
            if self._sent.get(target) != dict(heads) and target not in self._under_way:
                self._under_way[target] = _Sending(target, dict(heads), text, loop)

    def _take_results(self) -> None:
        for target, sending in list(self._under_way.items()):
            if sending.done.done():
                del self._under_way[target]
                if sending.done.result():
                    self._sent[target] = sending.heads
