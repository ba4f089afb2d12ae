"""A subscriber of JetStream on the loop of a test, and what it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from feed.subscriber import Fact, Fresh, Stale
from feed.subscriber.items import Item
from fleet.connection import NatsAddress
from fleet.stream_endpoint import StreamEndpoint
from fleet.stream_subscriber import JetStreamSubscriber
from tests.fakes.time_limits import HANG_S


class Following:
    """A subscriber, and its items."""

    def __init__(self, subscriber: JetStreamSubscriber) -> None:
        self.subscriber = subscriber
        self.items: list[Item] = []

    async def until(self, reached: Callable[[Item], bool]) -> Item:
        """Takes items up to the first one of these."""
        async with asyncio.timeout(HANG_S):
            async for item in self.subscriber:
                self.items.append(item)
                if reached(item):
                    return item
        raise AssertionError("a subscriber does not end")

    async def until_true(self, reached: Callable[[], bool]) -> None:
        """Takes items until something holds, which may hold already."""
        if not reached():
            await self.until(lambda _: reached())

    async def until_kind(self, kind: type[Item], *, has: str = "") -> Item:
        """Takes items up to one of a kind, in whose words this is."""
        return await self.until(lambda item: isinstance(item, kind) and has in str(item))

    async def until_stale(self, name: str, *, stale: bool = True) -> None:
        """Takes items until a table is known to be stale, or fresh again."""
        kinds = {True: Stale, False: Fresh}

        def is_it() -> bool:
            found = [type(item) for item in self.items if isinstance(item, Stale | Fresh) and item.name == name]
            return found[-1:] == [kinds[stale]]

        await self.until_true(is_it)

    async def until_facts(self, name: str, count: int) -> list[bytes]:
        """Takes items until this many durable facts of a table came; they."""
        await self.until_true(lambda: len(self.facts(name)) >= count)
        return self.facts(name)

    def facts(self, name: str) -> list[bytes]:
        """The durable facts of a table that came."""
        return [item.body for item in self.items if isinstance(item, Fact) and item.event.seq and item.name == name]


@asynccontextmanager
async def following(
    address: NatsAddress, venue: str = "", *, since: int | None = 0, simulated: bool | None = None
) -> AsyncIterator[Following]:
    """Follows as long as the block lasts."""
    subscriber = JetStreamSubscriber(StreamEndpoint(address, venue), since=since, simulated=simulated)
    async with subscriber:
        yield Following(subscriber)
