"""A hub whose history was trimmed, restarted; and the benchmark of a fleet, with next to nothing to do."""

from __future__ import annotations

import asyncio
import io
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from rich.console import Console

from audit.queries import parse_moment
from benchmarks.fleet import FleetSizes, print_played, print_rates
from fleet.archive import archive_source, archive_table
from fleet.subjects import HUB_STREAM, TableName
from fleet.verify import verify_stream
from tests.e2e.test_fleet_mishaps import hub_config, leaf_config, server_folder
from tests.fakes.feed_tables import FeedTables, feed_tables
from tests.fakes.nats_server import NatsServer, free_port
from tests.fakes.relaying import held_of, jetstream, make_streams, relaying
from tests.fakes.time_limits import HANG_S

pytestmark = pytest.mark.soak
VENUE = "atlantic"
WHEEL = TableName(VENUE, False, "wheel-1")


def test_a_hub_that_was_trimmed_and_killed_sources_nothing_twice(tmp_path: Path) -> None:
    async def run() -> None:
        await make_streams(leaf.address, VENUE)
        async with jetstream(hub.address) as stream:
            await stream.create_live()
            await stream.create_hub([(VENUE, VENUE)])
        async with relaying(leaf.address, service, venue=VENUE):
            removed = 0
            for _ in range(3):
                service.play(20)
                service.journal.seal()
                await until_sealed()
                service.play(3)
                await held_of(hub.address, WHEEL, len(service.bodies(WHEEL.table)) - removed, stream=HUB_STREAM)
                async with jetstream(hub.address) as stream:
                    await stream.create_archived()
                    source = await archive_source(stream, HUB_STREAM, (), VENUE)
                    moved = await archive_table(source, WHEEL, tmp_path, parse_moment("2027-01-01"), trim=True)
                assert moved.removed == moved.last - removed > 0
                removed = moved.last
                hub.kill()
                service.play(5)
                hub.start()
                kept = len(service.bodies(WHEEL.table)) - removed
                held = await held_of(hub.address, WHEEL, kept, stream=HUB_STREAM)
                assert [message.body for message in held] == service.bodies(WHEEL.table)[removed:]
            async with jetstream(hub.address) as stream:
                report = await verify_stream(stream, HUB_STREAM, {}, {})
            assert (report.findings, report.tables[0].events) == ([], kept)

    async def until_sealed() -> None:
        """The hub holds a seal over all that is journalled."""
        count = len(service.bodies(WHEEL.table))
        async with asyncio.timeout(HANG_S), jetstream(hub.address) as stream:
            while True:
                report = await verify_stream(stream, HUB_STREAM, {}, {})
                if any(one.sealed == count for one in report.tables):
                    return

    with ExitStack() as held:
        folder, port = held.enter_context(server_folder()), free_port()
        hub = NatsServer(folder, hub_config(port), name="hub")
        leaf = NatsServer(folder, leaf_config(VENUE, port), name=VENUE)
        service: FeedTables = held.enter_context(feed_tables(WHEEL.table))
        for server in (hub, leaf):
            held.callback(server.kill)
            server.start()
        asyncio.run(run())


def test_the_benchmark_measures_rates_and_a_fleet_that_plays() -> None:
    out = io.StringIO()
    console = Console(file=out, width=200)
    print_rates(console, FleetSizes(tables=4, venues=2, events=5))
    print_played(console, FleetSizes(tables=4, venues=2, period_s=0.2, minutes=0.1))
    rates = [float(one.replace(",", "")) for one in re.findall(r"([0-9,.]+) events/s", out.getvalue())]
    assert len(rates) == 3
    assert all(rate > 0 for rate in rates)
    assert re.search(r"4 tables of 2 venues for 0\.[0-9] min: [1-9]", out.getvalue())
    assert "lag p50" in out.getvalue()
