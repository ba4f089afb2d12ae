"""Random mishaps of two venues and their hub, with real servers: the hub ends with exactly what the journals hold.

service ──► relay ──link──► hub                     one server
service ──► relay ──────► leaf node ──link──► hub   leaf nodes
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from controller.fleet.relay import Relay, RelayPlan, Service
from controller.fleet.subjects import HUB_STREAM, TableName, stream_of
from controller.fleet.verify import verify_stream
from hal.clock import SystemClock
from hal.loop import sleep_ns
from tests.fakes.feed_tables import FeedTables, feed_tables
from tests.fakes.nats_server import NatsServer, free_port
from tests.fakes.relaying import all_held, held_of, jetstream, journals, make_streams
from tests.fakes.tcp_proxy import TcpProxy, tcp_proxy

VENUES = ("atlantic", "boardwalk")
TABLES = ("wheel-1", "wheel-2")
MOMENT_NS = 150_000_000
"""How long a mishap lasts, at most; what it proves does not depend on it."""
SMALL = "max_file_store: 4096"


def hub_config(leafs: int) -> str:
    return (
        f'jetstream {{ store_dir: $STORE, domain: hub }}\nleafnodes {{ listen: "127.0.0.1:{leafs}" }}\n'
        "accounts { F: { jetstream: enabled, users: [ { user: any, password: any } ] }, SYS: {} }\n"
        "system_account: SYS\nno_auth_user: any\n"
    )


def leaf_config(venue: str, link: int) -> str:
    return (
        f"jetstream {{ store_dir: $STORE, domain: {venue} }}\n"
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
        self._relay: asyncio.Task[object] | None = None

    def start_relay(self) -> None:
        """A new one, which knows nothing."""
        address = self.server.address if self.leaf is not None else self.server.address._replace(port=self.link.port)
        relay = Relay(RelayPlan(address, self.name, [Service(self.service.base)], "test"), SystemClock())
        self._relay, test = asyncio.ensure_future(relay.run()), asyncio.current_task()
        assert test is not None
        # One that ends by itself ends the test: `end_relay` raises why.
        self._relay.add_done_callback(lambda ended: None if ended.cancelled() else test.cancel())

    async def end_relay(self) -> None:
        """It is gone, wherever it was."""
        if self._relay is not None:
            self._relay.cancel()
            with suppress(asyncio.CancelledError):
                await self._relay


class Fleet:
    """Two venues, a hub, and what may happen to them."""

    def __init__(self, hub: NatsServer, venues: list[Venue], rng: Random) -> None:
        self.hub = hub
        self.venues = venues
        self._rng = rng

    async def mishap(self) -> str:
        """One mishap, from which everything recovers by itself; its name."""
        venue = self._rng.choice(self.venues)
        acts: list[Callable[[Venue], Awaitable[None]]] = [
            self._hub_killed, self._relay_ended, self._link_cut, self._link_delayed, self._service_restarted,
            self._server_full, *([self._leaf_killed] if venue.leaf is not None else []),
        ]  # fmt: skip
        act = self._rng.choice(acts)
        self._play()
        await act(venue)
        self._play()
        return act.__name__

    def _play(self) -> None:
        for venue in self.venues:
            venue.service.play(self._rng.randrange(1, 15))

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
        """The disk to which the relay publishes takes nothing more."""
        server = venue.server
        config = server.config
        for server.config in (config.replace("domain:", f"{SMALL}, domain:"), config):
            server.kill()
            server.start()
            await self._moment()

    async def _relay_ended(self, venue: Venue) -> None:
        await venue.end_relay()
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
        hub = NatsServer(folder, hub_config(port), name="hub")
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
                running.push_async_callback(venue.end_relay)
                venue.start_relay()
                venues.append(venue)
            if leafs:
                async with jetstream(hub.address) as stream:
                    await stream.create_live()
                    await stream.create_hub([(name, name) for name in VENUES])
            fleet = Fleet(hub, venues, rng)
            happened = [await fleet.mishap() for _ in range(count)]
            for venue in venues:
                name = HUB_STREAM if leafs else stream_of(venue.name)
                for table in TABLES:
                    of_table = TableName(venue.name, False, table)
                    await held_of(hub.address, of_table, len(venue.service.bodies(table)), stream=name)
            for venue in venues:
                held_now = await all_held(hub.address, HUB_STREAM if leafs else stream_of(venue.name))
                own = {table: bodies for table, bodies in held_now.items() if table.venue == venue.name}
                assert own == journals(venue.name, venue.service), happened
            async with jetstream(hub.address) as stream:
                for name in [HUB_STREAM] if leafs else [stream_of(venue) for venue in VENUES]:
                    report = await verify_stream(stream, name, {}, {})
                    assert report.findings == [], happened


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
