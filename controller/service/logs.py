"""The service's log: lines for people on standard error, with priorities where journald reads them.

Each kind of message is limited, so that a wire that chatters cannot fill a disk; what was left out is counted and told,
and a text that is new is told though others of its kind are not. Keys are shown shortened, so that no line of a log can
be used as one.
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

BURST: Final = 10
"""Messages of one kind that are told at once (ours)."""
REFILL_NS: Final = 6 * NS_PER_S
"""After so long one more of them is told (ours): ten a minute."""
NEWS_BURST: Final = 100
"""Texts beyond that, none of them told lately, that are told at once (ours): a word of each table of a full service."""
_REMEMBERED: Final = 1000
"""Texts, and kinds, that are remembered; a message is of the kind of its text before its arguments are put in."""

_PRIORITIES: Final = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}
_KEY = re.compile(r"(?<![\w./:@-])(?=\S*[a-z])(?=\S*[A-Z])[0-9A-Za-z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}(?![\w/])")
_HEX_KEY = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_SHOWN: Final = 8


class LogRateLimit(logging.Filter):
    """Lets the first messages of each kind pass, then one now and then, with the number of those left out.

    A text that was not told lately passes beyond that: the first word of one table is not lost behind those of another.
    Such news are limited too, all kinds together. What is critical is never left out.
    """

    def __init__(self, clock: Clock, burst: int = BURST, refill_ns: int = REFILL_NS, news: int = NEWS_BURST) -> None:
        super().__init__()
        self._kinds = RateLimiter(clock, burst, refill_ns)
        self._news = RateLimiter(clock, news, refill_ns)
        self._told: OrderedDict[str, None] = OrderedDict()
        """The texts that were told lately."""
        self._unsaid: OrderedDict[str, int] = OrderedDict()
        """Kind -> how many were left out since one was told."""
        self._lock = Lock()
        """Threads log too, and a handler asks its filters before it locks."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is told; one that follows others left out says how many."""
        kind, text = f"{record.name} {record.levelno} {record.msg}", record.getMessage()
        with self._lock:
            if not (record.levelno >= logging.CRITICAL or self._kinds.take(kind) or self._is_news(text)):
                self._unsaid[kind] = self._unsaid.get(kind, 0) + 1
                _shorten(self._unsaid)
                return False
            unsaid = self._unsaid.pop(kind, 0)
            self._told[text] = None
            self._told.move_to_end(text)
            _shorten(self._told)
        if unsaid:
            record.msg = f"{text} (and {unsaid} more like this before)"
            record.args = ()
        return True

    def _is_news(self, text: str) -> bool:
        return text not in self._told and self._news.take("")


def _shorten(remembered: OrderedDict[str, Any]) -> None:
    """Forgets the oldest of too many."""
    if len(remembered) > _REMEMBERED:
        remembered.popitem(last=False)


class _Lines(logging.Formatter):
    """A record as a line; for journald with its priority in front."""

    def __init__(self, journald: bool) -> None:
        super().__init__()
        self._journald = journald

    def format(self, record: logging.LogRecord) -> str:
        text = without_keys(super().format(record))
        if not self._journald:
            return f"{record.levelname.lower()}: {text}"
        return "\n".join(f"<{_PRIORITIES.get(record.levelno, 6)}>{line}" for line in text.splitlines())


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


def log_to(writer: LineWriter, clock: Clock, *, journald: bool, level: int = logging.INFO) -> LineHandler:
    """Sends everything that is logged from now on to `writer`; returns the handler, to be taken off at the end."""
    handler = LineHandler(writer)
    handler.setFormatter(_Lines(journald))
    handler.addFilter(LogRateLimit(clock))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    # asyncio tells of every selector that it chooses.
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    return handler
