"""What both bridges do: follow a service, and work until one part of it fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from feed.subscriber import Fact, Item, Missing, NotShown, Refused, Rewritten, Stale, Trouble, Waiting
from feed.wire import is_table


def log_notice(log: logging.Logger, item: Item) -> None:
    """Logs a notice, as loud as it is grave."""
    match item:
        case Fact():
            pass
        case Rewritten() | Missing():
            log.error("%s", item)
        case NotShown(table=table, simulated=True):
            real_alone = "is simulated, and real tables alone are asked for: it is left out"
            log.warning("%s %s; to have simulated ones instead, write simulated = true", table, real_alone)
        case NotShown(table=table):
            simulated_alone = "is real, and simulated = true asks for simulated tables alone: it is left out"
            log.warning("%s %s; to have real ones instead, remove that key", table, simulated_alone)
        case Waiting() | Refused() | Trouble() | Stale():
            log.warning("%s", item)
        case _:
            log.info("%s", item)


def has_plain_names(item: Item) -> bool:
    """Whether table and epoch have the names that a service gives them. They become topics, templates and headers of
    other systems, where others would mean something else; an item that has others is not passed on."""
    if isinstance(item, Fact):
        return is_table(item.event.data.table) and item.event.epoch.isascii() and item.event.epoch.isalnum()
    return not item.table or is_table(item.table)


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Runs all until the first one ends, then cancels the others, and raises what one of them raised.

    A group of tasks raises a group of errors, which nobody above would take.
    """
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        # Taken, so that asyncio does not report them where this is cancelled.
        errors = [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]
    if errors:
        raise errors[0]
