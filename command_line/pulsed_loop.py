"""The loop of a command that runs until a signal, and shows by its pulse that it does."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any

from hal.probes import Pulse


def run_until_signal(work: Coroutine[Any, Any, None], pulse: Pulse) -> None:
    """Works until Ctrl-C or SIGTERM, and raises what the work raises."""
    asyncio.run(_until_signal(work, pulse))


async def _until_signal(work: Coroutine[Any, Any, None], pulse: Pulse) -> None:
    task = asyncio.ensure_future(work)
    _beat(pulse)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _beat(pulse: Pulse) -> None:
    """Notes every half second that the loop runs."""
    pulse.beat()
    asyncio.get_running_loop().call_later(0.5, _beat, pulse)
