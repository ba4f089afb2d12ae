"""Random mishaps of two venues and their hub, with real servers: the hub ends with exactly what the journals hold.

service ──► relay ──link──► hub                     one server
service ──► relay ──────► leaf node ──link──► hub   leaf nodes
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from fleet.subjects import HUB_STREAM, TableName, stream_of
from fleet.verify import VerifiedTable, verify_stream
from hal.clock import NS_PER_S
from hal.loop import sleep_ns
from tests.fakes.feed_tables import FeedTables, feed_tables
from tests.fakes.nats_server import NatsServer, free_port
from tests.fakes.relay_process import RelayProcess
from tests.fakes.relaying import all_held, held_of, jetstream, journals, make_streams
from tests.fakes.small_disk import SmallDisk, small_disk
from tests.fakes.tcp_proxy import TcpProxy, tcp_proxy
from tests.fakes.time_limits import HANG_S

VENUES = ("atlantic", "boardwalk")
TABLES = ("wheel-1", "wheel-2")
MOMENT_NS = 150_000_000
"""How long a mishap lasts, at most; what it proves does not depend on it."""
FULL_NS = 1_000_000_000
"""How long the hub's disk is full: some events of each venue arrive there meanwhile."""
LARGE, SMALL = "max_file_store: 1073741824", "max_file_store: 4096"
TEN_YEARS_S = 10 * 365 * 24 * 3600
NOW = datetime(2026, 7, 4, 20, tzinfo=UTC)


def hub_config(leafs: int) -> str:
    return (
        f'jetstream {{ store_dir: $STORE, {LARGE}, domain: hub }}\nleafnodes {{ listen: "127.0.0.1:{leafs}" }}\n'
        "accounts { F: { jetstream: enabled, users: [ { user: any, password: any } ] }, SYS: {} }\n"
        "system_account: SYS\nno_auth_user: any\n"
    )


def leaf_config(venue: str, link: int) -> str:
    return (
        f"jetstream {{ store_dir: $STORE, {LARGE}, domain: {venue} }}\n"
        "accounts { F: { jetstream: enabled, users: [ { user: any, password: any } ] }, SYS: {} }\n"
        "system_account: SYS\nno_auth_user: any\n"
        f'leafnodes {{ reconnect: 1, remotes: [ {{ url: "nats-leaf://any:any@127.0.0.1:{link}", account: F, '
        'deny_imports: ["feltwire.>"], deny_exports: ["feltwire.v1.>", "feltwire.sim.>"] } ] }\n'
    )


class Venue:
    """The computers of one venue, and the link to the hub."""

    def __init__(
        self, name: str, service: FeedTables, server: NatsServer, link: TcpProxy, leaf: NatsServer | None
    ) -> None:
        self.name = name
        self.service = service
        self.server = server
        """Where its relay publishes."""
        self.link = link
        self.leaf = leaf
        self.relay: RelayProcess | None = None
        self._ahead_ns = 0

    def start_relay(self) -> None:
        """A new process, which knows nothing."""
        address = self.server.address if self.leaf is not None else self.server.address._replace(port=self.link.port)
        log = self.server.folder.with_name(f"relay-{self.name}.log")
        self.relay = RelayProcess(address, self.name, self.service.base, log, self._ahead_ns)

    def set_clock(self, ahead_s: int) -> None:
        """The calendar of the venue's computer is wrong: of what is published from now on, and of the next relay."""
        self._ahead_ns = ahead_s * NS_PER_S
        self.service.set_time((NOW + timedelta(seconds=ahead_s)).strftime("%Y-%m-%dT%H:%M:%S.000000Z"))

    def end_relay(self) -> None:
        """It ends in order."""
        if self.relay is not None:
            self.relay.end()

    def kill_relay(self) -> None:
        """It is gone, wherever it was."""
        assert self.relay is not None
        self.relay.kill()


class Fleet:
    """Two venues, a hub, and what may happen to them."""

    def __init__(self, hub: NatsServer, disk: SmallDisk, venues: list[Venue], rng: Random) -> None:
        self.hub = hub
        self.disk = disk
        self.venues = venues
        self._rng = rng

    async def mishap(self) -> str:
        """One mishap, from which everything recovers by itself; its name."""
        venue = self._rng.choice(self.venues)
        acts: list[Callable[[Venue], Awaitable[None]]] = [
            self._hub_killed, self._hub_disk_full, self._relay_ended, self._relay_killed, self._link_cut,
            self._link_delayed, self._service_restarted, self._server_full, self._clock_set,
            *([self._leaf_killed] if venue.leaf is not None else []),
        ]  # fmt: skip
        act = self._rng.choice(acts)
        self._play()
        await act(venue)
        self._play()
        for one in self.venues:
            assert one.relay is not None
            one.relay.check()
        return act.__name__

    async def caught_up(self) -> None:
        """Waits until the hub holds as many events of each table as its journal."""
        for venue in self.venues:
            for table in TABLES:
                count = len(venue.service.bodies(table))
                stream = holding(venue.name, leafs=venue.leaf is not None)
                await held_of(self.hub.address, TableName(venue.name, False, table), count, stream=stream)

    def _play(self) -> None:
        for venue in self.venues:
            venue.service.play(self._rng.randrange(1, 15))
            venue.service.journal.seal()

    async def _moment(self) -> None:
        self._play()
        await sleep_ns(self._rng.randrange(MOMENT_NS))

    async def _hub_killed(self, _venue: Venue) -> None:
        self.hub.kill()
        await self._moment()
        self.hub.start()

    async def _leaf_killed(self, venue: Venue) -> None:
        venue.server.kill()
        await self._moment()
        venue.server.start()

    async def _server_full(self, venue: Venue) -> None:
        """The server to which the relay publishes has reached its limit, and takes nothing more."""
        server = venue.server
        config = server.config
        for server.config in (config.replace(LARGE, SMALL), config):
            server.kill()
            server.start()
            await self._moment()

    async def _hub_disk_full(self, _venue: Venue) -> None:
        """The disk of the hub takes nothing more, until somebody makes room and starts the server again."""
        await self.caught_up()
        self.disk.fill()
        self._play()
        # The server gives no answer where it cannot write: who publishes finds that out after five seconds.
        await sleep_ns(FULL_NS)
        if self._rng.randrange(2):
            # Started again on the full disk first.
            self.hub.kill()
            self.hub.start()
            await self._moment()
        self.disk.free()
        self.hub.kill()
        self.hub.start()

    async def _clock_set(self, venue: Venue) -> None:
        """The calendar of the venue's computer jumps, by years, and forward or back."""
        venue.kill_relay()
        venue.set_clock(self._rng.randrange(-TEN_YEARS_S, TEN_YEARS_S))
        venue.start_relay()
        await self._moment()

    async def _relay_ended(self, venue: Venue) -> None:
        venue.end_relay()
        await self._moment()
        venue.start_relay()

    async def _relay_killed(self, venue: Venue) -> None:
        venue.kill_relay()
        await self._moment()
        venue.start_relay()

    async def _link_cut(self, venue: Venue) -> None:
        venue.link.cut()
        await self._moment()
        venue.link.mend()

    async def _link_delayed(self, venue: Venue) -> None:
        venue.link.delay_ns = self._rng.randrange(1, 50_000_000)
        await self._moment()
        venue.link.mend()

    async def _service_restarted(self, venue: Venue) -> None:
        venue.service.stop()
        await self._moment()
        venue.service.start()


@contextmanager
def server_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="fwn-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def mishaps(seed: int, count: int, *, leafs: bool) -> None:
    rng = Random(seed)
    with ExitStack() as held:
        folder = held.enter_context(server_folder())
        port = free_port()
        disk = held.enter_context(small_disk(folder / "hub" / "js"))
        hub = NatsServer(folder, hub_config(port), name="hub", enter=disk.enter)
        held.callback(hub.kill)
        hub.start()
        async with AsyncExitStack() as running:
            venues = []
            for number, name in enumerate(VENUES):
                service = held.enter_context(feed_tables(*TABLES, seed=seed * 2 + number))
                link = await running.enter_async_context(tcp_proxy(port if leafs else hub.port))
                leaf = NatsServer(folder, leaf_config(name, link.port), name=name) if leafs else None
                if leaf is not None:
                    held.callback(leaf.kill)
                    leaf.start()
                venue = Venue(name, service, leaf or hub, link, leaf)
                await make_streams(venue.server.address, name)
                held.callback(venue.end_relay)
                venue.start_relay()
                venues.append(venue)
            async with jetstream(hub.address) as stream:
                await stream.create_live()
                if leafs:
                    await stream.create_hub([(name, name) for name in VENUES])
            fleet = Fleet(hub, disk, venues, rng)
            happened = [await fleet.mishap() for _ in range(count)]
            await fleet.caught_up()
            for venue in venues:
                held_now = await all_held(hub.address, holding(venue.name, leafs=leafs))
                own = {table: bodies for table, bodies in held_now.items() if table.venue == venue.name}
                assert own == journals(venue.name, venue.service), happened
            # What a heartbeat announced before the last event passes with the next one, and the last seal comes.
            verified = await verified_when(hub, leafs, lambda one: one.sealed == one.last and not one.unproven)
            assert [one.finding for one in verified] == [None] * len(VENUES) * len(TABLES), happened
            await rewritten_is_found(hub, rng.choice(venues), leafs=leafs)


async def rewritten_is_found(hub: NatsServer, venue: Venue, *, leafs: bool) -> None:
    """A journal that lost its last events and went on otherwise is found, from what the hub holds alone."""
    venue.service.stop()
    venue.service.journal.lose(TABLES[0], 3)
    venue.service.start()
    venue.service.play(10)
    wrong = f"{venue.name}/{TABLES[0]}"
    verified = await verified_when(hub, leafs, lambda one: one.table != wrong or one.finding is not None)
    assert [one.table for one in verified if one.finding is not None] == [wrong]


async def verified_when(hub: NatsServer, leafs: bool, done: Callable[[VerifiedTable], bool]) -> list[VerifiedTable]:
    """What `fleet verify` reports of each table, once it reports that of all."""
    async with asyncio.timeout(HANG_S), jetstream(hub.address) as stream:
        while True:
            names = {holding(venue, leafs=leafs) for venue in VENUES}
            reports = [await verify_stream(stream, name, {}, {}) for name in sorted(names)]
            tables = [one for report in reports for one in report.tables]
            if all(map(done, tables)):
                return tables


def holding(venue: str, *, leafs: bool) -> str:
    """The stream of the hub that holds a venue's events."""
    return HUB_STREAM if leafs else stream_of(venue)


@pytest.mark.parametrize("leafs", [False, True], ids=["one-server", "leaf-nodes"])
@pytest.mark.parametrize(
    ("seed", "count"),
    [
        pytest.param(1, 6, id="6-mishaps"),
        *(pytest.param(seed, 15, id=f"soak-{seed}", marks=pytest.mark.soak) for seed in range(2, 12)),
    ],
)
def test_after_any_mishaps_the_hub_holds_exactly_what_the_journals_hold(seed: int, count: int, leafs: bool) -> None:
    asyncio.run(mishaps(seed, count, leafs=leafs))
