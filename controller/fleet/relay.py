"""The relay: follows services with the subscriber library, and publishes their events to a venue's stream.

    service ──AsyncSubscriber──► lane of table 1 ──publish, wait for the answer──► feltwire-<venue>
                             └─► lane of table 2 ──publish, wait for the answer──►
            ──heartbeats, progress, snapshots──────────────────────────────────► feltwire-live

What is published, and where to go on, follows from what the stream holds: nothing is kept here. At the start, and after
each connection that was lost, the last event of each table is read from the stream, and its service delivers what
follows. So everything that is not held is sent again, whether it was never acknowledged, or was and the server lost it
since, however old it is.

A table's events are published one after the other: the next one when the stream holds the one before, so that a refused
event cannot be overtaken. A message that a lost connection delivers late has the id of the one that was sent again, and
the stream drops the second of two with one id (`DUPLICATES_NS`).

A table whose history was rewritten is relayed no further: the stream keeps what was true before. Nor is one that two
services serve, or under whose subjects the stream holds something else, until the cause is gone: which of them is right
is not decided here. The other tables go on.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

import msgspec

from controller.fleet.connection import (
    Connection,
    NatsAddress,
    NatsRefusedError,
    NatsUnavailableError,
    connect,
    inbox_of,
)
from controller.fleet.report import REFUSED, REWRITTEN, RelayedTable, RelayReport, TableLink, encode_report
from controller.fleet.seals import SealedHeads, read_seals, seal_subject
from controller.fleet.sessions import first_error, in_own_task, until_lost, wait_ns
from controller.fleet.streams import HEAD, MESSAGE_ID, TOPIC, JetStream, StoredMessage, StreamInfo
from controller.fleet.subjects import (
    SNAPSHOT,
    TableName,
    event_subject,
    parse_subject,
    relay_subject,
    stream_of,
)
from feed.endpoints import Endpoints
from feed.events import EventError, Heartbeat, decode
from feed.history_client import ask
from feed.state import TableState, encode_snapshot
from feed.subscriber import (
    AsyncSubscriber,
    CaughtUp,
    Fact,
    Fresh,
    Gap,
    Halted,
    Item,
    Missing,
    Notice,
    Position,
    Restarted,
    Rewritten,
    Stale,
    Trouble,
    Waiting,
)
from feed.wire import AskSeals, ErrorAnswer, JsonAnswer
from hal.clock import NS_PER_S, Clock, wall_time
from hal.loop import sleep_ns

if TYPE_CHECKING:
    from feed.keys import ClientCurve

log = logging.getLogger(__name__)

QUEUE: Final = 256
"""Events of one table that wait to be published (ours); then its service is not read, and nothing is lost by that: the
subscriber finds the gap and asks for it."""
BEAT_NS: Final = NS_PER_S
SEALS_NS: Final = 60 * NS_PER_S
"""Between two questions to a service for new seals (ours): what they add to a stream is a few messages a minute."""
SETTLED_BEATS: Final = 10
"""Beats without a message of a second service, after which a table that two served is relayed again (ours)."""
LOOK_BEATS: Final = 30
"""Beats between two looks whether the stream still holds something else in place of a table's last event (ours)."""


class Service(NamedTuple):
    """One service to follow."""

    endpoint: str
    curve: ClientCurve | None = None


class _Positions(Mapping[str, Position]):
    """Where to go on: after the last event that the stream holds of a table, or at its beginning."""

    def __init__(self, held: Mapping[str, Position]) -> None:
        self._held = held

    def __getitem__(self, name: str) -> Position:
        return self._held.get(name, Position("", 0))

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


class _Lane:
    """What is known of one table while a connection lasts."""

    def __init__(self, service: str, held: int) -> None:
        self.service = service
        self.held = held
        self.journal = held
        self.caught_up = self.stale = self.halted = False
        self.refused = ""
        """Why the table is relayed no further until the cause is gone; empty where it is."""
        self.silent: dict[str, int] = {}
        """By service, beats since it sent something of the table."""
        self.waiting: asyncio.Queue[Fact] = asyncio.Queue(QUEUE)

    def reported(self, detail: str | None) -> RelayedTable:
        """For the report; `detail` is the rewritten history because of which the table is relayed no further."""
        if detail is not None:
            return RelayedTable(state=REWRITTEN, journal=self.journal, held=self.held, detail=detail)
        if self.refused:
            return RelayedTable(state=REFUSED, journal=self.journal, held=self.held, detail=self.refused)
        behind = not self.caught_up or self.held < self.journal
        state: TableLink = "halted" if self.halted else "stale" if self.stale else "catching_up" if behind else "live"
        return RelayedTable(state=state, journal=self.journal, held=self.held)


class RelayPlan(NamedTuple):
    """What a relay relays, and where."""

    address: NatsAddress
    venue: str
    services: Sequence[Service]
    name: str
    """Distinguishes the relays of a venue."""
    simulated: bool | None = None
    """As of the subscriber: None for real tables and simulated ones."""
    seals_ns: int = SEALS_NS


class RelayProgress:
    """How far a relay is; outlives its connections."""

    def __init__(self) -> None:
        self.lanes: dict[str, _Lane] = {}
        self.received: set[str] = set()
        """The services from which anything was received on this connection."""
        self.rewritten: dict[str, str] = {}
        """By table, why it is relayed no further. Known until this program ends, and found again by the next one."""
        self.sealed: set[str] = set()
        """The hashes of the seals that were published."""
        self.failures = 0
        """Connections in a row on which nothing was acknowledged."""
        self.connected = False
        self.connections = 0
        self.acknowledged = 0
        self.duplicates = 0


class Relay:
    """Relays services to one venue's stream for as long as `run` runs."""

    def __init__(self, plan: RelayPlan, clock: Clock) -> None:
        self._plan = plan
        self._clock = clock
        self._logged = ""
        self.progress = RelayProgress()

    def report(self) -> RelayReport:
        """How far it is. Any thread may ask."""
        plan, progress = self._plan, self.progress
        rewritten = progress.rewritten
        return RelayReport(
            venue=plan.venue,
            name=plan.name,
            time=wall_time(self._clock),
            tables={name: lane.reported(rewritten.get(name)) for name, lane in sorted(dict(progress.lanes).items())},
            services={one.endpoint: one.endpoint in progress.received for one in plan.services},
            acknowledged=progress.acknowledged,
            duplicates=progress.duplicates,
            connections=progress.connections,
        )

    async def run(self) -> NoReturn:
        """Relays until it is cancelled.

        Raises:
            NatsRefusedError: this user, or this venue, is not let in: nothing will change by trying again.
            NatsAddressError: the certificates cannot be used.
        """
        progress = self.progress
        while True:
            try:
                await in_own_task(self._session())
            except NatsUnavailableError as error:
                # Once, not with each attempt.
                if str(error) != self._logged:
                    self._logged = str(error)
                    log.warning("%s; trying again", error)
            await sleep_ns(wait_ns(progress.failures))
            progress.failures += 1

    async def _session(self) -> None:
        """Relays until the connection is lost."""
        plan, lost = self._plan, asyncio.Event()

        name = f"feltwire-relay {plan.venue} {plan.name}"
        connection = await connect(plan.address, name=name, lost=lost.set, inbox=inbox_of(plan.venue))
        try:
            async with first_error(), asyncio.TaskGroup() as group:
                session = _Session(plan, self.progress, connection, group, self.report)
                group.create_task(until_lost(lost, f"{plan.address}: the connection is lost"))
                await session.begin()
                self._logged = ""
        finally:
            self.progress.connected = False
            await connection.close()


class _Session:
    """One connection to NATS, from what the stream holds on."""

    def __init__(
        self,
        plan: RelayPlan,
        progress: RelayProgress,
        connection: Connection,
        group: asyncio.TaskGroup,
        report: Callable[[], RelayReport],
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._connection = connection
        self._group = group
        self._report = report
        self._stream = JetStream(connection)
        self._held: dict[str, Position] = {}
        self._refused: dict[str, str] = {}
        """By table, what the stream holds in place of its last event."""
        self._snapshots: dict[str, int] = {}
        """By table, the last event of the snapshot that was published last."""
        self._folding: list[AsyncSubscriber] = []
        self._logged: set[str] = set()

    async def begin(self) -> None:
        """Reads what the stream holds, then starts everything."""
        plan, progress = self._plan, self._progress
        stream = stream_of(plan.venue)
        info = await self._stream.info(stream, subjects=">")
        if info is None and progress.connections:
            # It was there: a server of several that was just started may not know it yet.
            raise NatsUnavailableError(f"{plan.address} does not know the stream {stream}, which was there")
        if info is None:
            raise NatsRefusedError(
                f"{plan.address} has no stream {stream}; make it with: "
                f"feltwire fleet init {plan.address} --venue {plan.venue}"
            )
        self._held = await self._positions(info)
        progress.lanes = {}
        progress.received = set()
        for service in plan.services:
            self._group.create_task(self._follow(service))
            self._group.create_task(self._follow_states(service))
            self._group.create_task(self._follow_seals(service))
        self._group.create_task(self._beat())
        progress.connected = True
        progress.connections += 1
        log.info("relaying to %s, stream %s, which holds %d tables", plan.address, stream, len(self._held))

    async def _positions(self, info: StreamInfo) -> dict[str, Position]:
        """After the last event that the stream holds of each table."""
        counts: dict[TableName, int] = {}
        for subject, count in info.subjects.items():
            parsed = parse_subject(subject)
            table = None if parsed is None else parsed.of_table
            if table is not None and table.venue == self._plan.venue:
                counts[table] = counts.get(table, 0) + count
        tables = sorted(counts)
        held = await asyncio.gather(*(self._position(info.name, table) for table in tables))
        for table, position in zip(tables, held, strict=True):
            if counts[table] == position.seq or table.name in self._refused:
                continue
            first = await self._stream.next(info.name, table.events, 1)
            begins = 1 if first is None else _number_of(first)
            if counts[table] != position.seq - begins + 1:
                what = f"{table}: the stream has events {begins} to {position.seq} and holds {counts[table]} of them"
                log.warning("%s; see feltwire fleet verify", what)
        return {table.name: position for table, position in zip(tables, held, strict=True)}

    async def _position(self, stream: str, table: TableName) -> Position:
        """After the last event of a table. One that is no event refuses the table."""
        message = await self._stream.last(stream, table.events)
        if message is None:
            return Position("", 0)
        try:
            event = decode(message.body)
        except EventError as error:
            self._refused[table.name] = (
                f"{stream}: message {message.seq} is on the subject of {table}, and is {error}: somebody else writes "
                "to this stream; see who may, in the accounts of the server"
            )
            log.error("%s; the table is relayed no further until that is gone", self._refused[table.name])
            return Position("", 0)
        return Position(event.epoch, event.seq or 0, message.headers.get(HEAD, ""))

    # --- the services --------------------------------------------------------------------------------------------

    async def _follow(self, service: Service) -> None:
        async with AsyncSubscriber(
            service.endpoint,
            since=_Positions(self._held),
            simulated=self._plan.simulated,
            curve=service.curve,
            heartbeats=True,
        ) as subscriber:
            async for item in subscriber:
                await self._take(service, item)

    async def _follow_states(self, service: Service) -> None:
        """Folds each table's state, from a snapshot on, for those who join at the far end."""
        plan = self._plan
        async with AsyncSubscriber(service.endpoint, simulated=plan.simulated, curve=service.curve) as subscriber:
            self._folding.append(subscriber)
            async for _ in subscriber:
                pass

    async def _follow_seals(self, service: Service) -> None:
        """Publishes the seals of the service's journal: each when the stream holds what it vouches for."""
        while True:
            there = await self._seals(service)
            for one in there:
                if one.hash not in self._progress.sealed:
                    await self._publish_seal(service, one)
            all_held = self._progress.sealed.issuperset(one.hash for one in there)
            await sleep_ns(self._plan.seals_ns if there and all_held else min(BEAT_NS, self._plan.seals_ns))

    async def _seals(self, service: Service) -> list[SealedHeads]:
        """Those that the service has now; none where it is away, or older than this question."""
        try:
            answer = await ask(Endpoints.parse(service.endpoint), AskSeals(b"seals"), service.curve)
            if isinstance(answer, JsonAnswer):
                return read_seals(answer.body)
        except TimeoutError:
            return []
        except ValueError as error:
            self._log_once(f"{service.endpoint}: {error}")
            return []
        if isinstance(answer, ErrorAnswer):
            self._log_once(f"{service.endpoint} gives no seals: {answer.refusal.detail}")
        return []

    async def _publish_seal(self, service: Service, one: SealedHeads) -> None:
        own = {
            name.rpartition("/")[2]: (name, lane)
            for name, lane in self._progress.lanes.items()
            if lane.service == service.endpoint
        }
        for table, (seq, _) in one.heads.items():
            if table not in own:
                return
            name, lane = own[table]
            stopped = lane.refused or name in self._progress.rewritten
            if lane.held < seq and not stopped:
                return
        simulated = any(name != table for table, (name, _) in own.items())
        subject = seal_subject(self._plan.venue, one, simulated=simulated)
        body = msgspec.json.encode(one.seal)
        await self._stream.publish(stream_of(self._plan.venue), subject, body, {MESSAGE_ID: one.hash})
        self._progress.sealed.add(one.hash)

    def _log_once(self, what: str) -> None:
        if what not in self._logged:
            self._logged.add(what)
            log.warning("%s", what)

    async def _take(self, service: Service, item: Item) -> None:
        plan, progress = self._plan, self._progress
        if isinstance(item, Fact):
            event, data = item.event, item.event.data
            progress.received.add(service.endpoint)
            name = TableName(plan.venue, data.simulated, data.table).name
            lane = self._lane(service, name)
            progress.lanes[name].silent[service.endpoint] = 0
            if lane is None:
                return
            if isinstance(data, Heartbeat):
                lane.journal = max(lane.journal, data.last)
            if lane.refused:
                return
            if event.seq is None:
                await self._connection.publish(event_subject(plan.venue, event, live=True), item.body)
            elif name not in progress.rewritten:
                lane.journal = max(lane.journal, event.seq)
                await lane.waiting.put(item)
        elif isinstance(item, Waiting | Trouble):
            log.info("%s: %s", service.endpoint, item)
        else:
            lane = self._lane(service, item.name)
            if lane is not None:
                self._notice(lane, item)

    def _notice(self, lane: _Lane, item: Notice) -> None:
        match item:
            case CaughtUp():
                lane.caught_up = True
            case Stale():
                lane.stale = True
                log.warning("%s", item)
            case Fresh():
                lane.stale = False
                log.warning("%s", item)
            case Halted():
                lane.halted = True
                log.warning("%s", item)
            case Restarted():
                lane.halted = False
                log.info("%s", item)
            case Rewritten():
                self._progress.rewritten.setdefault(item.name, str(item))
                log.error("%s: it is relayed no further, and the stream keeps what it holds; see docs/fleet.md", item)
            case Missing():
                log.error("%s, and the stream does not hold them", item)
            case Gap():
                log.info("%s", item)

    def _lane(self, service: Service, name: str) -> _Lane | None:
        """The lane of a table; None where it is the one of another service: then the table is refused."""
        lane = self._progress.lanes.get(name)
        if lane is None:
            held = self._held.get(name)
            lane = _Lane(service.endpoint, 0 if held is None else held.seq)
            lane.refused = self._refused.get(name, "")
            self._progress.lanes[name] = lane
            self._group.create_task(self._publish(name, lane))
        elif lane.service != service.endpoint:
            if not lane.refused:
                lane.refused = (
                    f"{name} is served by {lane.service} and by {service.endpoint}; a venue has one table of a name: "
                    "give one of them another id, or its service another --venue"
                )
                log.error("%s; the table is relayed no further until one alone does", lane.refused)
            return None
        return lane

    # --- the stream ----------------------------------------------------------------------------------------------

    async def _publish(self, name: str, lane: _Lane) -> None:
        venue, progress = self._plan.venue, self._progress
        while True:
            fact = await lane.waiting.get()
            event = fact.event
            headers = {MESSAGE_ID: event.id, TOPIC: event.topic}
            if fact.head:
                headers[HEAD] = fact.head
            new = await self._stream.publish(stream_of(venue), event_subject(venue, event), fact.body, headers)
            progress.failures = 0
            progress.acknowledged += 1
            progress.duplicates += not new
            lane.held = event.seq or lane.held

    async def _beat(self) -> None:
        plan = self._plan
        for beat in itertools.count(1):
            await self._look_for_settled(beat)
            await self._connection.publish(relay_subject(plan.venue, plan.name), encode_report(self._report()))
            for subscriber in self._folding:
                for name, state in subscriber.states.items():
                    await self._publish_snapshot(name, state)
            await sleep_ns(BEAT_NS)

    async def _look_for_settled(self, beat: int) -> None:
        """Begins anew where the cause of a refusal is gone: from what the stream holds, as after a lost connection.

        Raises:
            NatsUnavailableError: it is gone; this is tried again at once.
        """
        settled = None
        for name, lane in self._progress.lanes.items():
            lane.silent = {service: beats + 1 for service, beats in lane.silent.items()}
            serving = [service for service, beats in lane.silent.items() if beats <= SETTLED_BEATS]
            if lane.refused and name not in self._refused and len(serving) < 2:
                settled = name
        if beat % LOOK_BEATS == 0:
            for name in [*self._refused]:
                if await self._is_event(name):
                    settled = name
        if settled is not None:
            raise NatsUnavailableError(f"{settled}: the cause for which it was refused is gone: relaying it again")

    async def _is_event(self, name: str) -> bool:
        """Whether the stream holds an event, or nothing, as the last message of a table."""
        kind, _, simple = name.rpartition("/")
        table = TableName(self._plan.venue, bool(kind), simple)
        message = await self._stream.last(stream_of(table.venue), table.events)
        try:
            return message is None or decode(message.body).seq is not None
        except EventError:
            return False

    async def _publish_snapshot(self, name: str, state: TableState) -> None:
        """A snapshot goes out when the stream holds what it covers: who joins asks there for what follows."""
        lane = self._progress.lanes.get(name)
        if lane is None or lane.refused or lane.held < state.last or self._snapshots.get(name) == state.last:
            return
        self._snapshots[name] = state.last
        table = TableName(self._plan.venue, name != state.table, state.table)
        await self._connection.publish(table.live(SNAPSHOT), encode_snapshot(state.snapshot()))


def _number_of(message: StoredMessage) -> int:
    """Of a table's event; 1 where it is none."""
    try:
        return decode(message.body).seq or 1
    except EventError:
        return 1
