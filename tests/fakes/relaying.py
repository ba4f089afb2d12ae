"""A relay on the loop of a test, and what its stream holds."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress

from fleet.connection import NatsAddress, NatsRefusedError, NatsUnavailableError, connect
from fleet.relay import Relay, RelayedService, RelayPlan
from fleet.streams import JetStream, StoredMessage
from fleet.subjects import TableName, parse_subject, stream_of
from hal.clock import SystemClock
from tests.fakes.feed_tables import FeedTables
from tests.fakes.time_limits import HANG_S

VENUE = "hall"
SEALS_NS = 100_000_000


@asynccontextmanager
async def jetstream(address: NatsAddress) -> AsyncIterator[JetStream]:
    """A connection to JetStream for the block."""
    client = await connect(address, name="test")
    try:
        yield JetStream(client)
    finally:
        await client.close()


async def make_streams(address: NatsAddress, venue: str = VENUE) -> None:
    """As `feltwire fleet init` does."""
    async with jetstream(address) as stream:
        await stream.create_venue(venue)
        await stream.create_live()


@asynccontextmanager
async def relaying(address: NatsAddress, *services: FeedTables, venue: str = VENUE) -> AsyncIterator[Relay]:
    """A relay that runs as long as the block; where it ends by itself, its error is raised."""
    relay = Relay(
        RelayPlan(address, venue, [RelayedService(one.base) for one in services], "test", None, SEALS_NS), SystemClock()
    )
    task, test = asyncio.ensure_future(relay.run()), asyncio.current_task()
    assert test is not None
    task.add_done_callback(lambda ended: None if ended.cancelled() else test.cancel())
    try:
        yield relay
    except asyncio.CancelledError:
        if not task.done():
            raise
        test.uncancel()
        task.result()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, NatsRefusedError):
            await task


async def held_of(address: NatsAddress, table: TableName, count: int, *, stream: str = "") -> list[StoredMessage]:
    """The first messages of a table that the stream holds; waits until there are so many, and while nobody answers."""
    async with asyncio.timeout(HANG_S):
        while True:
            found: list[StoredMessage] = []
            with suppress(NatsUnavailableError):
                async with jetstream(address) as source:
                    async for message in source.follow(stream or stream_of(table.venue), table.events):
                        found.append(message)
                        if len(found) == count:
                            return found


async def all_held(address: NatsAddress, stream: str) -> dict[TableName, list[bytes]]:
    """All that a stream holds, by table."""
    found: dict[TableName, list[bytes]] = {}
    async with jetstream(address) as source:
        async for message in source.read(stream):
            parsed = parse_subject(message.subject)
            assert parsed is not None, message.subject
            if parsed.of_table is not None:
                found.setdefault(parsed.of_table, []).append(message.body)
    return found


def journals(venue: str, services: Mapping[bool, FeedTables] | FeedTables) -> dict[TableName, list[bytes]]:
    """What the journals of services hold, by table; real ones where a single service is given."""
    by_kind = {False: services} if isinstance(services, FeedTables) else services
    return {
        TableName(venue, simulated, table): service.bodies(table)
        for simulated, service in by_kind.items()
        for table in service.tables
    }


@contextmanager
def relay_beside(address: NatsAddress, service: FeedTables) -> Iterator[None]:
    """A relay on a thread of its own, for a test that has no loop."""
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def run() -> None:
        await make_streams(address)
        async with relaying(address, service):
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="relay")
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(HANG_S)
        loop.close()
