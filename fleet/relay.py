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
is not decided here. When one of the two is silent, the table is relayed again from the other, if its journal holds the
event that the stream holds last. The other tables go on. A service that knows a table of its journal and sends nothing
of it does not serve it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

import msgspec

from feed.endpoints import Endpoints
from feed.events import EventError, Heartbeat, decode
from feed.history_client import ask
from feed.state import TableState, encode_snapshot
from feed.subscriber import (
    AsyncSubscriber,
    CaughtUp,
    Fact,
    Fresh,
    FromBeginning,
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
from feed.wire import REWRITTEN as REWRITTEN_HISTORY
from feed.wire import AskSeals, AskSince, ErrorAnswer, JsonAnswer
from fleet.connection import (
    Connection,
    NatsAddress,
    NatsRefusedError,
    NatsUnavailableError,
    connect,
    inbox_of,
)
from fleet.report import REFUSED, REWRITTEN, RelayedTable, RelayReport, TableLink, encode_report
from fleet.seals import SealedHeads, read_seals, seal_subject
from fleet.sessions import first_error, in_own_task, until_lost, wait_ns
from fleet.streams import HEAD, MESSAGE_ID, TOPIC, JetStream, StoredMessage, StreamInfo
from fleet.subjects import (
    SNAPSHOT,
    TableName,
    event_subject,
    parse_subject,
    relay_subject,
    stream_of,
)
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
"""Beats between two looks whether the stream still holds something else in place of a table's last event, and between
two questions to a service whether its journal holds that event (ours)."""


class RelayedService(NamedTuple):
    """One service to follow."""

    endpoint: str
    curve: ClientCurve | None = None


class _Lane:
    """What is known of one table while a connection lasts."""

    def __init__(self, service: str, position: Position) -> None:
        self.service = service
        """The endpoint of the service from which it is relayed."""
        self.position = position
        """After the last event that the stream holds."""
        self.journal = self.queued = position.seq
        self.caught_up = self.stale = self.halted = False
        self.refused = ""
        """Why the table is relayed no further until the cause is gone; empty where it is."""
        self.silent: dict[str, int] = {}
        """By service, beats since it sent something of the table."""
        self.waiting: asyncio.Queue[Fact] = asyncio.Queue(QUEUE)
        self.reader: asyncio.Task[None] | None = None
        """Follows this table alone, from where it was relayed again; None where it never was refused."""
        self.asking = False
        """A service is asked whether the table continues from it."""
        self.not_before = 0
        """The beat at which one is asked again."""

    @property
    def held(self) -> int:
        """The last event that the stream holds."""
        return self.position.seq

    def begin_again(self, service: str, position: Position) -> None:
        """It is relayed from `service`, after `position`."""
        self.service = service
        self.position = position
        self.journal = self.queued = position.seq
        self.caught_up = self.stale = self.halted = False
        self.refused = ""

    def reported(self, detail: str | None) -> RelayedTable:
        """For the report; `detail` is the rewritten history because of which the table is relayed no further."""
        if detail is not None:
            return RelayedTable(state=REWRITTEN, journal=self.journal, held=self.held, detail=detail)
        if self.refused:
            return RelayedTable(state=REFUSED, journal=self.journal, held=self.held, detail=self.refused)
        behind = not self.caught_up or self.held < self.journal
        state: TableLink = "halted" if self.halted else "stale" if self.stale else "catching_up" if behind else "live"
        return RelayedTable(state=state, journal=self.journal, held=self.held)


class RewrittenBy(NamedTuple):
    """A history that was rewritten."""

    service: str
    """The endpoint of the service whose journal it is."""
    detail: str


class RelayPlan(NamedTuple):
    """What a relay relays, and where."""

    address: NatsAddress
    venue: str
    services: Sequence[RelayedService]
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
        self.rewritten: dict[str, RewrittenBy] = {}
        """By table, why it is relayed no further. Known until this program ends, or another service continues what the
        stream holds, and found again by the next one."""
        self.owners: dict[str, str] = {}
        """By table, the endpoint of the service whose event the stream took last."""
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
        # Copies: the loop adds and removes tables meanwhile.
        rewritten = dict(progress.rewritten)
        return RelayReport(
            venue=plan.venue,
            name=plan.name,
            time=wall_time(self._clock),
            tables={
                name: lane.reported(rewritten[name].detail if name in rewritten else None)
                for name, lane in sorted(dict(progress.lanes).items())
            },
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
        self._folding: list[tuple[str, AsyncSubscriber]] = []
        """The services, and who folds the states of their tables."""
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
        """After the last event of a table. One that is not an event refuses the table."""
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

    async def _follow(self, service: RelayedService) -> None:
        async with AsyncSubscriber(
            service.endpoint,
            since=FromBeginning(self._held),
            simulated=self._plan.simulated,
            curve=service.curve,
            heartbeats=True,
        ) as subscriber:
            async for item in subscriber:
                await self._take(service, item)

    async def _follow_states(self, service: RelayedService) -> None:
        """Folds each table's state, from a snapshot on, for those who join at the far end."""
        plan = self._plan
        async with AsyncSubscriber(service.endpoint, simulated=plan.simulated, curve=service.curve) as subscriber:
            self._folding.append((service.endpoint, subscriber))
            async for _ in subscriber:
                pass

    async def _follow_seals(self, service: RelayedService) -> None:
        """Publishes the seals of the service's journal: each when the stream holds what it vouches for.

        Which were published is known while the connection lasts, and of those that the service still has: a server that
        lost its stream gets them again with the events, and drops those that it holds by their ids.
        """
        published: set[str] = set()
        while True:
            there = await self._seals(service)
            published &= {one.hash for one in there}
            for one in there:
                if one.hash not in published and await self._publish_seal(service, one):
                    published.add(one.hash)
            all_held = len(published) == len({one.hash for one in there})
            await sleep_ns(self._plan.seals_ns if there and all_held else min(BEAT_NS, self._plan.seals_ns))

    async def _seals(self, service: RelayedService) -> list[SealedHeads]:
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

    async def _publish_seal(self, service: RelayedService, one: SealedHeads) -> bool:
        """Publishes a seal. False where the stream does not hold all that it vouches for, which it may later.

        A table whose history was rewritten keeps the seals of the others from nothing: it does not verify either way.
        """
        own = {
            name.rpartition("/")[2]: (name, lane)
            for name, lane in self._progress.lanes.items()
            if lane.service == service.endpoint
        }
        for table, (seq, _) in one.heads.items():
            if table not in own:
                return False
            name, lane = own[table]
            if lane.held < seq and name not in self._progress.rewritten:
                return False
        simulated = any(name != table for table, (name, _) in own.items())
        subject = seal_subject(self._plan.venue, one, simulated=simulated)
        body = msgspec.json.encode(one.seal)
        await self._stream.publish(stream_of(self._plan.venue), subject, body, {MESSAGE_ID: one.hash})
        return True

    def _log_once(self, what: str) -> None:
        if what not in self._logged:
            self._logged.add(what)
            log.warning("%s", what)

    async def _take(self, service: RelayedService, item: Item, reader: asyncio.Task[None] | None = None) -> None:
        """Takes an item of a service; `reader` is the one of a single table, where it came from that."""
        plan, progress = self._plan, self._progress
        if isinstance(item, Fact):
            event, data = item.event, item.event.data
            progress.received.add(service.endpoint)
            name = TableName(plan.venue, data.simulated, data.table).name
            lane = self._served(service, name)
            if lane is None or lane.refused or lane.reader is not reader:
                return
            if isinstance(data, Heartbeat):
                lane.journal = max(lane.journal, data.last)
            if event.seq is None:
                await self._connection.publish(event_subject(plan.venue, event, live=True), item.body)
            elif name not in progress.rewritten:
                lane.journal = max(lane.journal, event.seq)
                lane.queued = event.seq
                await lane.waiting.put(item)
        elif isinstance(item, Waiting | Trouble):
            log.info("%s: %s", service.endpoint, item)
        else:
            lane = self._lane(service, item.name)
            if lane.service == service.endpoint and lane.reader is reader:
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
                self._progress.rewritten.setdefault(item.name, RewrittenBy(lane.service, str(item)))
                log.error("%s: it is relayed no further, and the stream keeps what it holds; see docs/fleet.md", item)
            case Missing():
                log.error("%s, and the stream does not hold them", item)
            case Gap():
                log.info("%s", item)

    def _lane(self, service: RelayedService, name: str) -> _Lane:
        """The lane of a table: that of the service whose event the stream took last, or of the first that knows it."""
        lane = self._progress.lanes.get(name)
        if lane is None:
            owner = self._progress.owners.get(name, service.endpoint)
            lane = _Lane(owner, self._held.get(name, Position("", 0)))
            lane.refused = self._refused.get(name, "")
            if owner != service.endpoint:
                # It has as long to send something as after a conflict.
                lane.silent[owner] = 0
            self._progress.lanes[name] = lane
            self._group.create_task(self._publish(name, lane))
        return lane

    def _served(self, service: RelayedService, name: str) -> _Lane | None:
        """The lane of a table of which a service sent something; None where it is another's: then the table is
        refused."""
        progress = self._progress
        lane = self._lane(service, name)
        if lane.service != service.endpoint and not lane.silent:
            # The other knows the table of its journal, and does not serve it.
            lane.begin_again(service.endpoint, lane.position)
            lane.refused = self._refused.get(name, "")
            if name in progress.rewritten and progress.rewritten[name].service != service.endpoint:
                del progress.rewritten[name]
        lane.silent[service.endpoint] = 0
        if lane.service == service.endpoint:
            return lane
        if not lane.refused:
            lane.refused = _served_twice(name, lane.service, service.endpoint)
            log.error("%s; the table is relayed no further until one alone does", lane.refused)
        return None

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
            self._held[name] = lane.position = Position(event.epoch, event.seq or lane.held, fact.head)
            progress.owners[name] = lane.service

    async def _beat(self) -> None:
        plan = self._plan
        for beat in itertools.count(1):
            self._look_for_settled(beat)
            if beat % LOOK_BEATS == 0:
                await self._look_for_events()
            await self._connection.publish(relay_subject(plan.venue, plan.name), encode_report(self._report()))
            for service, subscriber in self._folding:
                for name, state in subscriber.states.items():
                    await self._publish_snapshot(service, name, state)
            await sleep_ns(BEAT_NS)

    def _look_for_settled(self, beat: int) -> None:
        """Has the service asked that alone serves a table of two, whether the table continues from it."""
        for name, lane in self._progress.lanes.items():
            lane.silent = {service: beats + 1 for service, beats in lane.silent.items()}
            serving = [service for service, beats in lane.silent.items() if beats <= SETTLED_BEATS]
            # What was taken before it was refused is in the stream, or comes there first.
            ready = lane.held >= lane.queued and not lane.asking
            if not lane.refused or name in self._refused or len(serving) != 1 or not ready:
                continue
            if serving[0] == lane.service or beat >= lane.not_before:
                lane.asking, lane.not_before = True, beat + LOOK_BEATS
                self._group.create_task(self._settle(name, lane, serving[0]))

    async def _settle(self, name: str, lane: _Lane, serving: str) -> None:
        """Relays a table again from the service that serves it alone, if its journal continues from what the stream
        holds. That of another computer that took its name does not."""
        table = self._table(name)
        try:
            position = await self._position(stream_of(table.venue), table)
            if name in self._refused:
                lane.refused = self._refused[name]
            elif serving == lane.service or await self._holds(serving, table, position):
                if serving != lane.service:
                    self._progress.rewritten.pop(name, None)
                self._relay_again(name, lane, serving, position)
        finally:
            lane.asking = False

    async def _holds(self, serving: str, table: TableName, position: Position) -> bool:
        """Whether the journal of a service holds the last event of the stream; False too where it does not answer."""
        service = self._service(serving)
        request = AskSince(b"since", table.table, position.epoch, position.seq)
        try:
            answer = await ask(Endpoints.parse(serving), request, service.curve)
        except TimeoutError:
            return False
        except ValueError as error:
            self._log_once(f"{serving}: {error}")
            return False
        if not isinstance(answer, ErrorAnswer):
            return True
        if answer.refusal.code != REWRITTEN_HISTORY:
            self._log_once(f"{serving} gives no events of {table.table}: {answer.refusal.detail}")
            return False
        lane = self._progress.lanes[table.name]
        lane.refused = (
            f"{_served_twice(table.name, lane.service, serving)}. Event {position.seq} of the stream is not that of "
            f"{serving}: {answer.refusal.detail}. To relay the table from there, purge its subjects in the stream"
        )
        self._log_once(lane.refused)
        return False

    def _relay_again(self, name: str, lane: _Lane, serving: str, position: Position) -> None:
        """Relays one table from a service, after `position`; the others go on."""
        if lane.reader is not None:
            lane.reader.cancel()
        log.info("%s: the cause for which it was refused is gone: relaying it again from %s", name, serving)
        self._held[name] = position
        lane.begin_again(serving, position)
        lane.reader = self._group.create_task(self._follow_table(self._service(serving), self._table(name), position))

    async def _follow_table(self, service: RelayedService, table: TableName, position: Position) -> None:
        reader = asyncio.current_task()
        async with AsyncSubscriber(
            service.endpoint,
            tables=[table.table],
            since={table.name: position},
            simulated=table.simulated,
            curve=service.curve,
            heartbeats=True,
        ) as subscriber:
            async for item in subscriber:
                await self._take(service, item, reader)

    async def _look_for_events(self) -> None:
        """Relays again the tables under whose subjects the stream held something else, where that is gone."""
        for name in [*self._refused]:
            if not await self._is_event(name):
                continue
            del self._refused[name]
            table = self._table(name)
            position = await self._position(stream_of(table.venue), table)
            lane = self._progress.lanes.get(name)
            if name in self._refused:
                continue
            self._held[name] = position
            if lane is not None:
                self._relay_again(name, lane, lane.service, position)

    def _service(self, endpoint: str) -> RelayedService:
        return next(one for one in self._plan.services if one.endpoint == endpoint)

    def _table(self, name: str) -> TableName:
        """The table of a name in positions."""
        kind, _, simple = name.rpartition("/")
        return TableName(self._plan.venue, bool(kind), simple)

    async def _is_event(self, name: str) -> bool:
        """Whether the stream holds an event, or nothing, as the last message of a table."""
        table = self._table(name)
        message = await self._stream.last(stream_of(table.venue), table.events)
        try:
            return message is None or decode(message.body).seq is not None
        except EventError:
            return False

    async def _publish_snapshot(self, service: str, name: str, state: TableState) -> None:
        """A snapshot goes out when the stream holds what it covers: who joins asks there for what follows."""
        lane = self._progress.lanes.get(name)
        if lane is None or lane.refused or lane.service != service:
            return
        if lane.held < state.last or self._snapshots.get(name) == state.last:
            return
        self._snapshots[name] = state.last
        table = TableName(self._plan.venue, name != state.table, state.table)
        await self._connection.publish(table.live(SNAPSHOT), encode_snapshot(state.snapshot()))


def _served_twice(name: str, owner: str, other: str) -> str:
    return (
        f"{name} is served by {owner} and by {other}; a venue has one table of a name: give one of them another id, or "
        "its service another --venue"
    )


def _number_of(message: StoredMessage) -> int:
    """Of a table's event; 1 where it is none."""
    try:
        return decode(message.body).seq or 1
    except EventError:
        return 1
