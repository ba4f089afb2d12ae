"""The captures that a person dropped on the page: a few, in temporary files, replayed one at a time on a thread."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec

from controller.bench_page.comparison import CaptureComparison, CaptureContent, Tolerance, compare
from controller.bench_page.replayed import ReplayedCapture, replay_capture
from controller.configuration.values import TableConfig
from controller.games.assembly import secret_links
from hal.capture.errors import CaptureError
from hal.plain_text import plain

MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest capture that is taken (ours): an hour of a roulette wheel is 3 MB."""
MOST_CAPTURES: Final = 4
"""Captures that are kept, the newest ones (ours)."""
MOST_KEPT_BYTES: Final = 128 * 1024 * 1024
"""Of captures that are kept, by the size of their files (ours): what is compared takes about as much memory."""
MOST_NAME: Final = 80
MOST_TOLERANCE_NS: Final = 1_000_000_000
"""The greatest tolerance of time (ours): edges a second apart are not the same."""
MOST_VALUE: Final = 1e9
_FIXES: Final = {
    "first": "the number of a capture",
    "second": "the number of a capture",
    "at": "`beginning` or `first_change`",
    "tolerance": "an object with `time_ns` and `value`",
    "tolerance.time_ns": f"nanoseconds, a whole number from 0 to {MOST_TOLERANCE_NS}",
    "tolerance.value": f"a number from 0 to {MOST_VALUE:g}, in the unit of the readings",
    "": "an object with `first`, `second`, and maybe `at` and `tolerance`",
}
"""What the keys of an `Alignment` have."""
_AT: Final = re.compile(r" - at `\$\.([\w.]+)`$")
_MISSING: Final = re.compile(r"missing required field `(\w+)`")
_UNSAFE: Final = re.compile(r"[\\/]")


class CaptureRefusal(Exception):  # noqa: N818 - it is what the page shows, not a failure of the bench
    """A capture that cannot be used: where, why, and what to do."""


class Alignment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How two captures are laid upon each other."""

    first: int
    """The numbers of two captures."""
    second: int
    at: Literal["beginning", "first_change"] = "beginning"
    """At the beginning of both, or at the first change of a line in each: of captures that began at other times."""
    tolerance: Tolerance = Tolerance()


def alignment_of(asked: dict[str, Any]) -> Alignment:
    """How two captures are to be laid upon each other, as a page asks for it.

    Raises:
        CaptureRefusal: a key is missing, unknown or no such value; it names the key, and what it has.
    """
    try:
        return msgspec.convert(asked, Alignment)
    except msgspec.ValidationError as error:
        words = str(error)
        found = _AT.search(words) or _MISSING.search(words)
        key = found[1] if found else ""
        raise CaptureRefusal(f"{words}: {f'{key} is' if key else 'expected'} {_FIXES[key]}") from error


class _Kept(NamedTuple):
    name: str
    record: CaptureContent
    size: int


class CaptureDesk:
    """The captures of one page."""

    def __init__(self, config: TableConfig) -> None:
        self._config = config
        self._folder = tempfile.TemporaryDirectory(prefix="feltwire-bench-")
        self._kept: OrderedDict[int, _Kept] = OrderedDict()
        self._number = 0
        self._turn = asyncio.Lock()

    def close(self) -> None:
        """Removes the files."""
        self._folder.cleanup()

    async def replay(self, name: str, data: bytes) -> tuple[int, ReplayedCapture]:
        """Keeps a capture and replays it; returns its number.

        Raises:
            CaptureRefusal: it cannot be used.
        """
        name = shown_name(name)
        async with self._turn:
            self._number += 1
            path = Path(self._folder.name) / f"{self._number}.vcd"
            record = CaptureContent(secret_links(self._config))
            try:
                replayed = await asyncio.to_thread(self._replay, path, name, data, record)
            finally:
                path.unlink(missing_ok=True)
            kept = self._kept
            kept[self._number] = _Kept(name, record, len(data))
            while len(kept) > MOST_CAPTURES or (
                len(kept) > 1 and sum(one.size for one in kept.values()) > MOST_KEPT_BYTES
            ):
                kept.popitem(last=False)
            return self._number, replayed

    async def compare(self, asked: Alignment) -> CaptureComparison:
        """Everything in which two captures that are kept differ.

        Raises:
            CaptureRefusal: one of them is not kept any more, or the tolerance is none.
        """
        for number in (asked.first, asked.second):
            if number not in self._kept:
                raise CaptureRefusal(f"capture {number} is not here any more: drop it again")
        tolerance = asked.tolerance
        if not 0 <= tolerance.time_ns <= MOST_TOLERANCE_NS:
            raise CaptureRefusal(f"tolerance: a time from 0 to {MOST_TOLERANCE_NS // 1_000_000} ms")
        if not 0 <= tolerance.value <= MOST_VALUE:
            raise CaptureRefusal(f"tolerance of readings: a number from 0 to {MOST_VALUE:g}")
        first, second = self._kept[asked.first].record, self._kept[asked.second].record
        shift_ns = first.first_change_ns - second.first_change_ns if asked.at == "first_change" else 0
        async with self._turn:
            return await asyncio.to_thread(compare, first, second, tolerance, shift_ns)

    def _replay(self, path: Path, name: str, data: bytes, record: CaptureContent) -> ReplayedCapture:
        path.write_bytes(data)
        try:
            return replay_capture(self._config, path, name, record)
        except CaptureError as error:
            raise CaptureRefusal(_named(error, path, name)) from error


def shown_name(name: str) -> str:
    """The name of a file as it is shown: its last part, short, and of plain characters."""
    return plain(_UNSAFE.split(name)[-1])[:MOST_NAME] or "capture"


def _named(error: CaptureError, path: Path, name: str) -> str:
    return plain(str(error).replace(str(path), name))
