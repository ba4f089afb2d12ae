"""What everything that keeps a connection to NATS does: work until it is lost, and try again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, NoReturn, TypeVar

from fleet.connection import NatsRefusedError, NatsUnavailableError
from hal.clock import NS_PER_S

_T = TypeVar("_T")

FIRST_WAIT_NS: Final = NS_PER_S // 4
LONGEST_WAIT_NS: Final = 8 * NS_PER_S
"""Between two attempts to connect: the first, and the longest; each failure doubles it (ours)."""


def wait_ns(failures: int) -> int:
    """How long to wait after this many attempts in a row that failed."""
    return min(FIRST_WAIT_NS << min(failures, 16), LONGEST_WAIT_NS)


async def until_lost(lost: asyncio.Event, what: str) -> NoReturn:
    """Ends the group of tasks that work over a connection, when it is lost.

    Raises:
        NatsUnavailableError: it is lost.
    """
    await lost.wait()
    raise NatsUnavailableError(what)


async def in_own_task(work: Coroutine[Any, Any, _T]) -> _T:
    """Works in a task of its own, and returns or raises as that does. Cancelled, it ends with that.

    Until Python 3.13 a group of tasks that is cancelled while one of them fails raises the failure alone: whoever tries
    again after a failure would not end.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task])
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            # Taken, so that asyncio does not report it where a cancellation comes before it.
            task.exception()
    return task.result()


@asynccontextmanager
async def first_error() -> AsyncIterator[None]:
    """Raises one error of ours in place of a group that has only such: a refusal before what may pass."""
    try:
        yield
    except BaseExceptionGroup as errors:
        _, others = errors.split((NatsRefusedError, NatsUnavailableError))
        if others is not None:
            raise
        refused, passing = errors.split(NatsRefusedError)
        raise _one_of(refused or passing or errors) from None


def _one_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error = errors.exceptions[0]
    return _one_of(error) if isinstance(error, BaseExceptionGroup) else error
