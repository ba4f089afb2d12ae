"""Work over a connection that ends: how it failed, and that it can be cancelled at any time."""

from __future__ import annotations

import asyncio

import pytest

from fleet.connection import NatsRefusedError, NatsUnavailableError
from fleet.sessions import first_error, in_own_task, until_lost
from hal.loop import sleep_ns


async def fails(error: Exception, when: asyncio.Event) -> None:
    await when.wait()
    raise error


def test_a_refusal_comes_before_what_may_pass() -> None:
    async def main() -> None:
        now = asyncio.Event()
        now.set()
        async with first_error(), asyncio.TaskGroup() as group:
            group.create_task(until_lost(now, "lost"))
            group.create_task(fails(NatsRefusedError("no"), now))

    with pytest.raises(NatsRefusedError, match="no"):
        asyncio.run(main())


def test_an_error_that_is_not_ours_is_not_hidden() -> None:
    async def main() -> None:
        now = asyncio.Event()
        now.set()
        async with first_error(), asyncio.TaskGroup() as group:
            group.create_task(until_lost(now, "lost"))
            group.create_task(fails(KeyError("x"), now))

    with pytest.raises(ExceptionGroup):
        asyncio.run(main())


@pytest.mark.parametrize("turns", range(3))
def test_what_tries_again_ends_where_it_is_cancelled_as_its_connection_is_lost(turns: int) -> None:
    attempts = 0

    async def session(lost: asyncio.Event) -> None:
        async with first_error(), asyncio.TaskGroup() as group:
            group.create_task(until_lost(lost, "lost"))

    async def keep_connected(lost: asyncio.Event) -> None:
        nonlocal attempts
        while attempts < 3:
            attempts += 1
            try:
                await in_own_task(session(lost))
            except NatsUnavailableError:
                continue

    async def main() -> None:
        lost = asyncio.Event()
        task = asyncio.create_task(keep_connected(lost))
        for _ in range(5):
            await sleep_ns(0)
        lost.set()
        for _ in range(turns):
            await sleep_ns(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert attempts == 1
