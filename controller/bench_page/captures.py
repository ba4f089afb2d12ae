"""The captures that a person dropped on the page: a few, in temporary files, replayed one at a time on a thread."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Final, NamedTuple

from controller.bench_page.replayed import Difference, ReplayedCapture, first_difference, recorded, replay_capture
from controller.configuration.values import TableConfig
from hal.capture.errors import CaptureError
from hal.plain_text import plain

MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest capture that is taken (ours): an hour of a roulette wheel is 3 MB."""
MOST_CAPTURES: Final = 4
"""Captures that are kept, the newest ones (ours)."""
MOST_NAME: Final = 80
_UNSAFE: Final = re.compile(r"[\\/]")


class CaptureRefusal(Exception):  # noqa: N818 - it is what the page shows, not a failure of the bench
    """A capture that cannot be used: where, why, and what to do."""


class _Kept(NamedTuple):
    name: str
    path: Path


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
            try:
                replayed = await asyncio.to_thread(self._replay, path, name, data)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
            self._kept[self._number] = _Kept(name, path)
            while len(self._kept) > MOST_CAPTURES:
                _, oldest = self._kept.popitem(last=False)
                oldest.path.unlink(missing_ok=True)
            return self._number, replayed

    async def compare(self, first: int, second: int) -> Difference:
        """The first difference of two captures that are kept.

        Raises:
            CaptureRefusal: one of them is not kept any more.
        """
        for number in (first, second):
            if number not in self._kept:
                raise CaptureRefusal(f"capture {number} is not here any more: drop it again")
        async with self._turn:
            return await asyncio.to_thread(self._compare, self._kept[first], self._kept[second])

    def _replay(self, path: Path, name: str, data: bytes) -> ReplayedCapture:
        path.write_bytes(data)
        try:
            return replay_capture(self._config, path, name)
        except CaptureError as error:
            raise CaptureRefusal(_named(error, path, name)) from error

    def _compare(self, first: _Kept, second: _Kept) -> Difference:
        try:
            return first_difference(recorded(self._config, first.path), recorded(self._config, second.path))
        except CaptureError as error:
            raise CaptureRefusal(plain(str(error))) from error


def shown_name(name: str) -> str:
    """The name of a file as it is shown: its last part, short, and of plain characters."""
    return plain(_UNSAFE.split(name)[-1])[:MOST_NAME] or "capture"


def _named(error: CaptureError, path: Path, name: str) -> str:
    return plain(str(error).replace(str(path), name))
