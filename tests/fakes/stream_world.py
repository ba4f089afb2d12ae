"""A service, its relay and a JetStream server in virtual time, in one process: the other side of a
`JetStreamSubscriber`. The relay lags, the server is killed, loses what it stored, or is purged; messages take time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from random import Random
from typing import Any, cast

from feed.events import decode
from feed.state import TableState, encode_snapshot
from feed.subscriber import Fact, Item, Joined, Missing, Rewritten
from fleet.connection import NatsUnavailableError
from fleet.stream_endpoint import StreamEndpoint
from fleet.stream_subscriber import JetStreamSubscriber
from fleet.streams import JetStream, StoredMessage, StreamInfo
from fleet.subjects import LIVE_STREAM, SNAPSHOT, TableName, event_subject, stream_of
from hal.clock import VirtualClock
from hal.loop import run_virtual, sleep_ns
from tests.fakes.feed_model import ModelJournal, ModelTable

MS = 1_000_000
S = 1_000 * MS
VENUE = "hall"
TABLES = ("roulette-1", "wheel-1")


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject is one of a filter's."""
    if pattern.endswith(">"):
        return pattern == ">" or _tokens_match(pattern.split(".")[:-1], subject.split(".")[: pattern.count(".")])
    return _tokens_match(pattern.split("."), subject.split("."))


def _tokens_match(pattern: list[str], subject: list[str]) -> bool:
    return len(pattern) == len(subject) and all(
        one in ("*", other) for one, other in zip(pattern, subject, strict=True)
    )


class ModelConnection:
    """The connection of one subscriber."""

    def __init__(self, world: StreamWorld, lost: Callable[[], None]) -> None:
        self.lost = lost
        self.subscribed: list[tuple[str, Callable[[str, bytes], None]]] = []
        self._world = world

    async def subscribe(self, subject: str, received: Callable[[str, bytes], None]) -> None:
        """As `Connection.subscribe`."""
        await self._world.answer_of(self)
        self.subscribed.append((subject, received))

    async def close(self) -> None:
        """As `Connection.close`."""
        self._world.connections.discard(self)


class ModelJetStream:
    """What a subscriber asks of `JetStream`."""

    def __init__(self, world: StreamWorld, connection: ModelConnection) -> None:
        self.connection = connection
        self._world = world

    async def streams(self) -> list[str]:
        """As `JetStream.streams`."""
        await self._world.answer_of(self.connection)
        return [LIVE_STREAM, stream_of(VENUE)]

    async def info(self, stream: str, *, subjects: str = "") -> StreamInfo:
        """As `JetStream.info`."""
        world = self._world
        await world.answer_of(self.connection)
        held = [message.subject for message in world.stored if subjects and matches(subjects, message.subject)]
        counts = {subject: held.count(subject) for subject in held}
        first = world.stored[0].seq if world.stored else world.last_seq + 1
        return StreamInfo(stream, len(world.stored), 0, first, world.last_seq, counts, {}, [])

    async def last(self, stream: str, subject: str) -> StoredMessage | None:
        """As `JetStream.last`."""
        world = self._world
        await world.answer_of(self.connection)
        if stream == LIVE_STREAM:
            body = world.snapshots.get(subject)
            return None if body is None else StoredMessage(subject, 1, {}, body)
        return next((one for one in reversed(world.stored) if matches(subject, one.subject)), None)

    async def next(self, stream: str, subject: str, seq: int) -> StoredMessage | None:
        """As `JetStream.next`."""
        world = self._world
        await world.answer_of(self.connection)
        return next((one for one in world.stored if one.seq >= seq and matches(subject, one.subject)), None)

    async def read(self, stream: str, subject: str = ">", start: int = 1) -> AsyncIterator[StoredMessage]:
        """As `JetStream.read`."""
        last = await self.last(stream, subject)
        while last is not None:
            one = await self.next(stream, subject, start)
            if one is None or one.seq > last.seq:
                return
            yield one
            start = one.seq + 1


class StreamWorld:
    """Tables, their relay and their server, in the running loop's time."""

    def __init__(self, seed: int, clock: VirtualClock | None = None) -> None:
        """`clock` is that of the running loop, where `now_ns` is asked."""
        self.rng = Random(seed)
        self._clock = clock if clock is not None else VirtualClock()
        self.journal = ModelJournal()
        self.stored: list[StoredMessage] = []
        self.last_seq = 0
        self.snapshots: dict[str, bytes] = {}
        self.connections: set[ModelConnection] = set()
        self.up = True
        self.quiet = False
        """Nothing goes wrong any more, and nothing new happens."""
        self.relaying = True
        """Whether the relay takes events from the journal; heartbeats pass either way."""
        self.latency_ms: tuple[int, ...] = (0, 1, 1, 5, 40)
        self.ends: dict[str, list[tuple[int, int]]] = {table: [] for table in TABLES}
        """When the journal of each table reached which event."""
        self._epochs = 0
        self._folds = {table: TableState(table) for table in TABLES}
        self.restart()

    @property
    def now_ns(self) -> int:
        """The time."""
        return self._clock.now_ns()

    def subscriber(self, **given: Any) -> JetStreamSubscriber:
        """A subscriber of it."""

        async def connect(lost: Callable[[], None]) -> JetStream:
            connection = ModelConnection(self, lost)
            await self.answer_of(connection)
            self.connections.add(connection)
            return cast("JetStream", ModelJetStream(self, connection))

        return JetStreamSubscriber(StreamEndpoint.parse(f"nats://127.0.0.1:1/{VENUE}"), connect=connect, **given)

    async def answer_of(self, connection: ModelConnection) -> None:
        """The time of an answer.

        Raises:
            NatsUnavailableError: the server is away.
        """
        if not self.up:
            raise NatsUnavailableError("nats://127.0.0.1:1: no server answers there")
        await sleep_ns(self.rng.choice(self.latency_ms) * MS)
        if not self.up:
            raise NatsUnavailableError("nats://127.0.0.1:1: the connection is lost")

    # --- what happens --------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Everything that goes on by itself."""
        async with asyncio.TaskGroup() as group:
            for table in TABLES:
                group.create_task(self._relay(table))
            group.create_task(self._beat())
            group.create_task(self._play())

    def restart(self) -> None:
        """The service is started, or started again."""
        self._epochs += 1
        self.tables = {table: ModelTable(self.journal, table, f"e{self._epochs}") for table in TABLES}
        for table in self.tables.values():
            table.open()

    def kill(self) -> None:
        """The server ends, and every connection with it."""
        self.up = False
        for connection in list(self.connections):
            connection.lost()

    def lose(self) -> None:
        """The disk of the server is lost while it is down: its relay begins again."""
        self.stored, self.last_seq, self.snapshots = [], 0, {}
        self._folds = {table: TableState(table) for table in TABLES}

    def purge(self, share: float) -> None:
        """The first messages of the stream are removed."""
        del self.stored[: int(len(self.stored) * share)]

    def store(self, subject: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Somebody publishes a message to the stream."""
        self.last_seq += 1
        self.stored.append(StoredMessage(subject, self.last_seq, headers or {}, body))

    def send(self, subject: str, body: bytes) -> None:
        """Somebody publishes a live message."""
        if self.up:
            for connection in list(self.connections):
                for pattern, received in connection.subscribed:
                    if matches(pattern, subject):
                        received(subject, body)

    async def _play(self) -> None:
        while True:
            await sleep_ns(self.rng.randrange(20, 500) * MS)
            if self.quiet:
                continue
            for _ in range(self.rng.choice((1, 1, 2, 3, 30))):
                table = self.rng.choice(list(self.tables.values()))
                _, body = table.play(self.rng)
                event = decode(body)
                if event.seq is None:
                    self.send(event_subject(VENUE, event, live=True), body)
                else:
                    self.ends[table.table].append((self.now_ns, event.seq))

    async def _beat(self) -> None:
        while True:
            for table in self.tables.values():
                event = decode(table.heartbeat()[1])
                self.send(event_subject(VENUE, event, live=True), table.heartbeat()[1])
                self._snapshot(table.table)
            await sleep_ns(S)

    def _snapshot(self, table: str) -> None:
        """As the relay: when the stream holds what it covers."""
        fold = self._folds[table]
        if self.up and fold.last and fold.last == self.journal.last(table).seq:
            self.snapshots[TableName(VENUE, False, table).live(SNAPSHOT)] = encode_snapshot(fold.snapshot())

    async def _relay(self, table: str) -> None:
        while True:
            kept = self.journal.kept.get(table, [])
            if not self.up or not self.relaying or self._folds[table].last >= len(kept):
                await sleep_ns(20 * MS)
                continue
            body = kept[self._folds[table].last].body
            event = decode(body)
            self._folds[table].apply(event)
            self.store(event_subject(VENUE, event), body)
            await sleep_ns(self.rng.choice((1, 5, 20)) * MS)


class Reader:
    """Takes the items of a subscriber, and joins a table again as a board does."""

    def __init__(self, world: StreamWorld, since: int | None, *, rejoins: bool = False) -> None:
        self.world = world
        self.items: list[Item] = []
        self.subscriber = world.subscriber(since=since)
        self._rejoins = rejoins

    async def run(self) -> None:
        async with self.subscriber as subscriber:
            async for item in subscriber:
                self.items.append(item)
                if self._rejoins and isinstance(item, Rewritten | Missing):
                    subscriber.join_again(item.name)

    def bodies(self, table: str) -> tuple[int, list[bytes]]:
        """The number after which the facts of a table begin, and they."""
        begin, found = 0, list[bytes]()
        for item in self.items:
            match item:
                case Fact(event=event, body=body) if event.seq is not None and event.data.table == table:
                    assert event.seq == begin + len(found) + 1, "a hole, or twice"
                    found.append(body)
                case Joined(table=of, snapshot=snapshot) if of == table:
                    begin, found = snapshot.last, []
                case Missing(table=of, last=last) if of == table:
                    begin, found = last, []
        return begin, found


def run_with(
    act: Callable[[StreamWorld, Reader], Awaitable[None]], *, since: int | None = None, rejoins: bool = True
) -> tuple[StreamWorld, Reader]:
    """A reader that follows a world for eight seconds, in which the tables play; then something happens."""

    async def main() -> tuple[StreamWorld, Reader]:
        world = StreamWorld(1, clock)
        async with asyncio.TaskGroup() as group:
            reader = Reader(world, since, rejoins=rejoins)
            own = [group.create_task(one) for one in (world.run(), reader.run())]
            await sleep_ns(8 * S)
            world.quiet = True
            await sleep_ns(2 * S)
            reader.items.clear()
            await act(world, reader)
            for task in own:
                task.cancel()
        return world, reader

    clock = VirtualClock()
    return run_virtual(main(), clock)
