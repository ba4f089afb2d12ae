"""The service's log: lines for people on standard error, with priorities where journald reads them.

Each kind of message is rate limited, so that a chattering wire cannot fill a disk. Messages that are left out are
counted, and the count is logged; a new text is logged though others of its kind are not. Keys are shortened, so that
none can be read from a log.
"""

from __future__ import annotations

import logging
import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from controller.service.console import LineHandler, LineWriter
from controller.service.rate_limiter import RateLimiter
from hal.clock import NS_PER_S, Clock
from hal.plain_text import plain

BURST: Final = 10
"""Messages of one kind that are logged at once (ours)."""
REFILL_NS: Final = 6 * NS_PER_S
"""After this long one more of them is logged (ours): ten a minute."""
NEWS_BURST: Final = 100
"""Texts beyond that, none logged lately, that are logged at once (ours): one of each table of a full service."""
_REMEMBERED: Final = 1000
"""Texts, and kinds, that are remembered; the kind of a message is its text before its arguments are filled in."""

_PRIORITIES: Final = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}
_KEY = re.compile(r"(?<![\w./:@-])(?=\S*[a-z])(?=\S*[A-Z])[0-9A-Za-z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}(?![\w/])")
_HEX_KEY = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_SHOWN: Final = 8


class LogRateLimit(logging.Filter):
    """Lets the first messages of each kind pass, then one now and then, with the number of those left out.

    A text that was not logged lately passes beyond that: the first message of one table is not lost behind those of
    another. Such new texts are limited too, all kinds together. A critical message is never left out.
    """

    def __init__(self, clock: Clock, burst: int = BURST, refill_ns: int = REFILL_NS, news: int = NEWS_BURST) -> None:
        super().__init__()
        self._kinds = RateLimiter(clock, burst, refill_ns)
        self._news = RateLimiter(clock, news, refill_ns)
        self._recent: OrderedDict[str, None] = OrderedDict()
        """The texts that were logged lately."""
        self._left_out: OrderedDict[str, int] = OrderedDict()
        """Kind -> how many were left out since one was logged."""
        self._lock = Lock()
        """Threads log too, and a handler calls its filters before it locks."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged; one that follows others left out has their number."""
        kind, text = f"{record.name} {record.levelno} {record.msg}", record.getMessage()
        with self._lock:
            if not (record.levelno >= logging.CRITICAL or self._kinds.take(kind) or self._is_new(text)):
                self._left_out[kind] = self._left_out.get(kind, 0) + 1
                _shorten(self._left_out)
                return False
            left_out = self._left_out.pop(kind, 0)
            self._recent[text] = None
            self._recent.move_to_end(text)
            _shorten(self._recent)
        if left_out:
            more = f" (and {left_out} more like this before)"
            if isinstance(record.args, tuple) and record.args:
                # The arguments stay: the log for programs finds the table in them.
                record.msg = f"{record.msg}{more}"
            else:
                record.msg, record.args = f"{text}{more}", ()
        return True

    def _is_new(self, text: str) -> bool:
        return text not in self._recent and self._news.take("")


def _shorten(remembered: OrderedDict[str, Any]) -> None:
    """Removes the oldest where there are too many."""
    if len(remembered) > _REMEMBERED:
        remembered.popitem(last=False)


class _Lines(logging.Formatter):
    """A record as a line, whatever was sent and is quoted in it; for journald with its priority in front.

    Only a traceback has more lines, and those are indented: none of them can look like a record.
    """

    def __init__(self, journald: bool) -> None:
        super().__init__()
        self._journald = journald

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (the name that logging calls)
        """The message of a record, as one line."""
        return plain(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        first, *traceback = without_keys(super().format(record)).split("\n")
        lines = [first, *(f"  {plain(line)}" for line in traceback)]
        if not self._journald:
            return "\n".join([f"{record.levelname.lower()}: {first}", *lines[1:]])
        return "\n".join(f"<{_PRIORITIES.get(record.levelno, 6)}>{line}" for line in lines)


def without_keys(text: str) -> str:
    """The text with every key in it shortened: 40 characters of Z85, or 64 of hexadecimal."""
    return _HEX_KEY.sub(_short, _KEY.sub(_short, text))


def _short(found: re.Match[str]) -> str:
    return f"{found[0][:_SHOWN]}…"


def reads_journald(fd: int, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether `fd` is the stream to journald that the environment names (`JOURNAL_STREAM=device:inode`)."""
    try:
        found = os.fstat(fd)
    except OSError:
        return False
    return environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


def log_to(
    writer: LineWriter,
    clock: Clock,
    *,
    journald: bool,
    level: int = logging.INFO,
    formatter: logging.Formatter | None = None,
) -> LineHandler:
    """Sends the log to `writer` from now on; returns the handler, which the caller removes at the end. `formatter`
    replaces the lines for people.
    """
    handler = LineHandler(writer)
    handler.setFormatter(_Lines(journald) if formatter is None else formatter)
    handler.addFilter(LogRateLimit(clock))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    # asyncio logs every selector that it chooses.
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    return handler
