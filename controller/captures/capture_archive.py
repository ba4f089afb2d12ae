"""Keeps captures without delaying verdicts: bytes and hash on one thread, files on another.

    verdict ──► render (memory, SHA-256) ──► the event names it ──► journal ──► publish
                   │                                                 (nothing waits for the file)
                   └──► store (tmp, fsync, rename)

A verdict waits for its capture's hash some milliseconds, and never longer than `PATIENCE_S`. Where there is too much to
do, or too little room on the disk, the verdict goes out without a capture, and the log records it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from msgspec.structs import replace

from controller.captures.capture_store import CaptureRequest, CaptureStore, RenderedCapture, render
from controller.captures.round_spans import RoundSpans
from feed.events import CaptureFile, Data, DeviceFault, Event, RoundCorrected, RoundDisputed, Unresolved, Void

log = logging.getLogger(__name__)

PATIENCE_S: Final = 1.0
"""How long a verdict waits for the hash of its capture (ours)."""
MAX_UNDER_WAY: Final = 16
"""Captures that are under way at once, at most (ours): some megabytes of memory."""

Ready = Callable[[CaptureFile | None], None]
"""Receives the name of a capture, or None where it is not kept."""

POWER_LOSS: Final = "power_loss"


class CaptureArchive:
    """Renders captures and stores them. Used on the loop's thread."""

    def __init__(self, store: CaptureStore, counts: Counter[str]) -> None:
        """`counts` counts captures: `kept`, `skipped` or `removed`."""
        self._captures = store
        self._counts = counts
        self._renderer = ThreadPoolExecutor(1, thread_name_prefix="captures")
        self._storer = ThreadPoolExecutor(1, thread_name_prefix="captures-disk")
        self._under_way = 0
        self._storing: set[asyncio.Task[None]] = set()

    def keep(self, request: CaptureRequest, ready: Ready) -> None:
        """Keeps a capture. Calls `ready` on the loop, once its name is known or it is not kept.

        Where nothing can be kept, `ready` is called at once.
        """
        why = self._why_not()
        if why is not None:
            self._skip(request, why)
            ready(None)
            return
        self._under_way += 1
        task = asyncio.get_running_loop().create_task(self._keep(request, ready))
        self._storing.add(task)
        task.add_done_callback(self._storing.discard)

    async def close(self) -> None:
        """Waits for what is still being written, and ends the threads."""
        while self._storing:
            await asyncio.wait([*self._storing])
        self._renderer.shutdown()
        self._storer.shutdown()

    async def _keep(self, request: CaptureRequest, ready: Ready) -> None:
        rendered: RenderedCapture | None = None
        try:
            try:
                rendered = await self._rendered(request)
            finally:
                # In every case: the verdict, and all later events of the table, wait for this.
                ready(None if rendered is None else rendered.name)
            if rendered is not None:
                await self._store(rendered)
        finally:
            self._under_way -= 1

    def _why_not(self) -> str | None:
        """Why nothing can be kept now; None if it can."""
        if self._under_way >= MAX_UNDER_WAY:
            return "too many at once"
        try:
            return None if self._captures.has_room() else "the disk is nearly full"
        except OSError as error:
            return f"the folder of captures cannot be used ({error.strerror})"

    async def _rendered(self, request: CaptureRequest) -> RenderedCapture | None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await loop.run_in_executor(self._renderer, render, request)
        except TimeoutError:
            self._skip(request, f"it was not ready within {PATIENCE_S:g} s")
        except ValueError as error:
            self._skip(request, str(error))
        return None

    async def _store(self, rendered: RenderedCapture) -> None:
        loop = asyncio.get_running_loop()
        try:
            removed = await loop.run_in_executor(self._storer, self._captures.store, rendered)
        except OSError as error:
            self._counts["skipped"] += 1
            log.error("capture %s, which an event names, could not be written: %s", rendered.name.file, error)
            return
        self._counts["kept"] += 1
        self._counts["removed"] += removed

    def _skip(self, request: CaptureRequest, why: str) -> None:
        self._counts["skipped"] += 1
        log.warning("table %s: no capture for %s: %s", request.table, request.event_id, why)


# --- which events name a capture -------------------------------------------------------------------------------------
#
# | event              | a capture of                  | not                                                           |
# |--------------------|-------------------------------|---------------------------------------------------------------|
# | `round.void`       | the round                     | `power_loss`: what the lines did went with the power          |
# | `round.unresolved` | the round                     |                                                               |
# | `device.fault`     | its round, or what led to it  | one that does not block play, or is from before a restart     |
# | `round.corrected`  | the round                     | one that has a capture, or the dealer's call of an unresolved |
# | `round.disputed`   | the round                     |                                                               |
#
# A dispute names the capture that the round has already, if that goes up to the verdict.
# Outcomes that nobody doubts have none.


def rounds_to_keep(events: Sequence[Event], spans: RoundSpans) -> dict[int, Event]:
    """The rounds of which a capture is to be kept, each with the first event that names it."""
    wanted: dict[int, Event] = {}
    for event in events:
        number = _round_of(event.data, spans)
        if number is not None and not (isinstance(event.data, RoundDisputed) and spans.kept(number)):
            wanted.setdefault(number, event)
    return wanted


def with_captures(events: Sequence[Event], names: dict[int, CaptureFile], spans: RoundSpans) -> list[Event]:
    """The events, each with the name of the capture of its round."""
    return [_named(event, names, spans) for event in events]


def _round_of(data: Data, spans: RoundSpans) -> int | None:
    """The round whose capture an event names; None where it names none."""
    match data:
        case Void(reason=reason, round=number) if reason != POWER_LOSS:
            return number
        case Unresolved(round=number):
            return number
        case DeviceFault(blocks_play=True, before_restart=False, round=number):
            return number
        case RoundCorrected(confirmed=False, round=number) if spans.kept(number) is None:
            return number
        case RoundDisputed(round=number):
            return number
    return None


def _named(event: Event, names: dict[int, CaptureFile], spans: RoundSpans) -> Event:
    data = event.data
    number = _round_of(data, spans)
    name = None if number is None else names.get(number)
    if name is None and isinstance(data, RoundDisputed):
        name = spans.kept(data.round)
    if name is None:
        return event
    if isinstance(data, Void | Unresolved):
        return replace(event, data=replace(data, evidence=replace(data.evidence, capture=name)))
    return replace(event, data=replace(data, capture=name))
