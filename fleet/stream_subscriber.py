"""A subscriber of the tables that JetStream has, for programs on an asyncio loop: as `feed.subscriber.AsyncSubscriber`
of a service, with the same items.

    async with JetStreamSubscriber(StreamEndpoint.parse("nats://hub:4222/atlantic-hall")) as subscriber:
        async for item in subscriber:
            print(item)

    live messages ──subscription──────────► StreamSubscription ──items──► reader
    streams ──tail: one by one, in order──►      │    ▲
    streams ◄──a snapshot, or events by number───┘    │
       └──answers─────────────────────────────────────┘

It makes no consumer: messages are read by their number (`fleet.streams`), and a user who may read and
nothing else is enough. The server keeps nothing of a reader.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Final, NoReturn, Self, TypeAlias

from feed import wire
from feed.state import TableState
from feed.subscriber import Item, Position
from feed.subscriber.items import ItemQueue
from feed.subscriber.tables import Since
from fleet.connection import (
    NatsAddressError,
    NatsRefusedError,
    NatsUnavailableError,
    connect,
)
from fleet.history import NoEventError
from fleet.sessions import first_error, in_own_task, until_lost, wait_ns
from fleet.stream_endpoint import StreamEndpoint
from fleet.stream_history import TableHistory
from fleet.stream_subscription import StreamSubscription
from fleet.streams import JetStream
from fleet.subjects import HEARTBEAT, HUB_STREAM, TableName, parse_subject, stream_of, venue_of_stream
from fleet.verify import held_streams, held_venues
from hal.clock import NS_PER_S
from hal.loop import sleep_ns

TICK_NS: Final = NS_PER_S // 4
"""The resolution of its time, which is counted in ticks: a program that was stopped does not take its own pause for the
silence of tables."""
POLL_NS: Final = NS_PER_S // 10
"""Between two questions whether a stream holds more (ours); a heartbeat that announces an event asks at once."""
SCAN_NS: Final = 5 * NS_PER_S
"""Between two looks for streams and venues (ours)."""
WAIT_NS: Final = NS_PER_S
"""... while there is none to follow."""
MOST_ITEMS: Final = 10_000
"""Items of a reader that does not take them; then the streams are read no further (ours). Pages of histories that were
begun before are read to their end."""
MOST_LIVE: Final = 10_000
"""Live messages that wait to be handled; those beyond are dropped (ours): the next heartbeat comes in a second."""

Connect: TypeAlias = Callable[[Callable[[], None]], Awaitable[JetStream]]


class _Tail:
    """What is read of a stream next."""

    def __init__(self, seq: int) -> None:
        self.seq = seq
        self.wake = asyncio.Event()


class JetStreamSubscriber:
    """Follows the tables of one venue, or of all that a server has; iterating waits for the next item. Use it as an
    asynchronous context."""

    def __init__(
        self,
        endpoint: StreamEndpoint,
        *,
        tables: Collection[str] | None = None,
        since: Since = None,
        simulated: bool | None = False,
        connect: Connect | None = None,
    ) -> None:
        """See `feed.subscriber.Subscriber` for `tables`, `since` and `simulated`. Where no venue is given, names begin
        with that of the venue: `atlantic-hall/sim/roulette-1`. `connect` is for tests.
        """
        self._endpoint = endpoint
        self._connect = connect or self._connect_to_server
        self._core = StreamSubscription(
            str(endpoint),
            endpoint.venue,
            tables=endpoint.tables(tables),
            since=since,
            simulated=endpoint.kind(simulated),
        )
        self._queue = ItemQueue()
        self._now_ns = 0
        self._ready = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._session: _Session | None = None

    @property
    def position(self) -> dict[str, Position]:
        """The position of each table after the last item delivered."""
        return dict(self._queue.position)

    @property
    def states(self) -> Mapping[str, TableState]:
        """The state of each table after the last item delivered."""
        return MappingProxyType(self._queue.states)

    @property
    def stale(self) -> frozenset[str]:
        """The tables whose heartbeat is missing, or of which the stream is behind."""
        return self._core.stale

    @property
    def silent_ns(self) -> Mapping[str, int | None]:
        """For each table how long ago it was as it is shown; None where that is not known."""
        return self._core.silent_ns(self._now_ns)

    @property
    def refused(self) -> str:
        """Why the server does not let this reader in, or read; empty where it does."""
        return self._core.refused

    def join_again(self, name: str) -> None:
        """Begins one table with its snapshot, as `feed.subscriber.AsyncSubscriber.join_again`.

        Raises:
            KeyError: no such table was found yet.
        """
        self._core.join_again(name)
        self._queue.discard(name)
        self.handled()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name=f"follow {self._endpoint}")
        self._task.add_done_callback(lambda _: self._ready.set())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None  # noqa: S101
        self._task.cancel()
        await asyncio.wait([self._task])

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        while not self._queue:
            if self._task is None or self._task.done():
                if self._task is not None:
                    self._task.result()
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        return self._queue.next()

    # --- the connection ------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tick())
            group.create_task(self._keep_connected())

    async def _tick(self) -> None:
        while True:
            await sleep_ns(TICK_NS)
            self._now_ns += TICK_NS
            self._core.on_time(self._now_ns)
            self.handled()

    async def _keep_connected(self) -> None:
        failures = 0
        while True:
            session = _Session(self._core, self._endpoint, self)
            try:
                await in_own_task(session.run(self._connect))
            except NatsUnavailableError as error:
                self._core.disconnected(self._without_address(error))
            except (NatsRefusedError, NatsAddressError) as error:
                self._core.disconnected(self._without_address(error), refused=True)
            self._session = None
            self.handled()
            # One that is refused as soon as it reads fails too, though it began.
            begun_ns = session.begun_ns
            lasted = begun_ns is not None and self._now_ns - begun_ns > wait_ns(failures)
            failures = 0 if lasted else failures + 1
            await sleep_ns(wait_ns(failures))

    # --- for its session -----------------------------------------------------------------------------------------

    @property
    def now_ns(self) -> int:
        """Its time."""
        return self._now_ns

    @property
    def has_room(self) -> bool:
        """Whether the reader keeps up."""
        return len(self._queue) < MOST_ITEMS

    def begun(self, session: _Session) -> None:
        """There is a connection."""
        self._session = session
        self._core.connected(self._now_ns)
        self.handled()

    def delivered(self) -> None:
        """Passes on items. What is to be read after a live message waits for the next tick: a hall has many of them."""
        self._queue.add(self._core.take())
        if self._queue:
            self._ready.set()

    def handled(self) -> None:
        """Something was handled: passes on items, and reads what is asked for."""
        self.delivered()
        if self._session is not None:
            self._session.read_asked()

    async def _connect_to_server(self, lost: Callable[[], None]) -> JetStream:
        return JetStream(await connect(self._endpoint.address, name="feltwire-follow", lost=lost))

    def _without_address(self, error: Exception) -> str:
        return str(error).removeprefix(f"{self._endpoint.address}: ")


class _Session:
    """One connection, until it is lost."""

    def __init__(self, core: StreamSubscription, endpoint: StreamEndpoint, subscriber: JetStreamSubscriber) -> None:
        self.begun_ns: int | None = None
        """When it was known which streams the server has; None before."""
        self._is_over = False
        self._core = core
        self._endpoint = endpoint
        self._subscriber = subscriber
        self._streams: list[str] = []
        self._tails: dict[tuple[str, str], _Tail] = {}
        self._tailing: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._asking: dict[TableName, asyncio.Task[None]] = {}

    async def run(self, connect: Connect) -> NoReturn:
        """Follows until the connection is lost.

        Raises:
            NatsUnavailableError: it is lost, or there is none.
            NatsRefusedError, NatsAddressError: this user may not read, or the address cannot be used.
        """
        lost = asyncio.Event()
        self._jetstream = await connect(lost.set)
        try:
            async with first_error(), asyncio.TaskGroup() as group:
                self._group = group
                self._start(until_lost, lost, f"{self._endpoint.address}: the connection is lost")
                self._start(self._work)
        finally:
            await self._jetstream.connection.close()
        raise NatsUnavailableError(f"{self._endpoint.address}: the connection is lost")

    def _start(self, work: Callable[..., Coroutine[Any, Any, None]], *given: Any) -> asyncio.Task[None]:
        """Works as long as the connection lasts; where it fails, so does the connection."""
        return self._group.create_task(self._until_failed(work, *given))

    async def _until_failed(self, work: Callable[..., Coroutine[Any, Any, None]], *given: Any) -> None:
        try:
            await work(*given)
        except Exception:
            self._is_over = True
            raise

    async def _work(self) -> None:
        await self._subscribe()
        await self._scan()

    async def _subscribe(self) -> None:
        """First of all: what is announced while the streams are looked for is not missed."""
        waiting: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(MOST_LIVE)

        def received(subject: str, body: bytes) -> None:
            if not waiting.full():
                waiting.put_nowait((subject, body))

        for subject in self._core.live_subjects:
            await self._jetstream.connection.subscribe(subject, received)
        self._start(self._take_live, waiting)

    async def _take_live(self, waiting: asyncio.Queue[tuple[str, bytes]]) -> None:
        while True:
            subject, body = await waiting.get()
            if not self._subscriber.has_room and not subject.endswith(f".{HEARTBEAT}"):
                # A measure that is read late is of no use; a heartbeat keeps a table from being taken for silent.
                continue
            if self._core.live(subject, body, self._subscriber.now_ns):
                for tail in self._tails.values():
                    tail.wake.set()
            self._subscriber.delivered()

    # --- the streams ---------------------------------------------------------------------------------------------

    async def _scan(self) -> None:
        """Looks for streams, and for those that were made again, again and again."""
        venue = self._endpoint.venue
        while True:
            streams = await held_streams(self._jetstream, venue)
            there = await held_venues(self._jetstream, streams, venue)
            others = set() if there else await held_venues(self._jetstream, await held_streams(self._jetstream))
            tables: set[TableName] = set()
            new = False
            for stream in streams:
                for subject in self._core.event_subjects(venue_of_stream(stream)):
                    new = await self._begin_tail(stream, subject, tables) or new
            self._streams = streams
            if self.begun_ns is None:
                self.begun_ns = self._subscriber.now_ns
                self._subscriber.begun(self)
                self._core.found(tables, self._subscriber.now_ns)
            elif new:
                # What was in the stream before its tail began is read by number.
                self._core.found(tables, self._subscriber.now_ns)
                self._core.verify()
            if there:
                self._core.has_venue()
            elif venue not in others:
                self._core.no_venue(others)
            self._subscriber.handled()
            await sleep_ns(SCAN_NS if there else WAIT_NS)

    async def _begin_tail(self, stream: str, subject: str, tables: set[TableName]) -> bool:
        """Begins to read a stream behind its last message, where it is not read yet, or was made again: then its
        numbers begin below those that were read. Returns whether it does, and adds the tables that the stream holds."""
        known = self._tails.get((stream, subject))
        info = await self._jetstream.info(stream)
        if info is None or (known is not None and info.last_seq >= known.seq - 1):
            return False
        tail = _Tail(info.last_seq + 1)
        held = await self._jetstream.info(stream, subjects=subject)
        for one in {} if held is None else held.subjects:
            parsed = parse_subject(one)
            table = None if parsed is None else parsed.of_table
            if table is not None:
                tables.add(table)
        running = self._tailing.pop((stream, subject), None)
        if running is not None:
            running.cancel()
        self._tails[stream, subject] = tail
        self._tailing[stream, subject] = self._start(self._follow, stream, subject, tail)
        return True

    async def _follow(self, stream: str, subject: str, tail: _Tail) -> None:
        while True:
            first = await self._jetstream.next(stream, subject, tail.seq)
            if first is None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(POLL_NS / NS_PER_S):
                        await tail.wake.wait()
                tail.wake.clear()
                continue
            tail.seq = first.seq
            async for message in self._jetstream.read(stream, subject, first.seq):
                while not self._subscriber.has_room:
                    await sleep_ns(POLL_NS)
                tail.seq = message.seq + 1
                self._core.stored(message, self._subscriber.now_ns)
                self._subscriber.handled()

    # --- histories -----------------------------------------------------------------------------------------------

    def read_asked(self) -> None:
        """Reads what is asked for of tables, a page of each, where the reader keeps up: otherwise with a later tick."""
        if self._is_over or not self._subscriber.has_room:
            return
        for table, request in list(self._core.requests(self._subscriber.now_ns)):
            before = self._asking.pop(table, None)
            if before is not None:
                before.cancel()
            self._asking[table] = self._start(self._answer, table, request)

    async def _answer(self, table: TableName, request: wire.HistoryRequest) -> None:
        stream = HUB_STREAM if HUB_STREAM in self._streams else stream_of(table.venue)

        def unreadable(error: NoEventError) -> None:
            self._core.unreadable(table, error)

        async for answer in TableHistory(self._jetstream, stream, table, unreadable).answer(request):
            self._core.answered(answer, self._subscriber.now_ns)
            self._subscriber.handled()
