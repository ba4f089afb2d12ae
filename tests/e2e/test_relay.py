"""The relay against a real nats-server: every event once, in order, as the journal holds it."""

from __future__ import annotations

import asyncio

import pytest

from feed.events import decode, genesis, link
from feed.state import decode_snapshot
from fleet.connection import NatsRefusedError
from fleet.relay import Relay
from fleet.report import decode_report
from fleet.streams import HEAD, MESSAGE_ID, TOPIC, StoredMessage
from fleet.subjects import HEARTBEAT, LIVE_STREAM, SNAPSHOT, TableName, relay_subject, stream_of
from fleet.verify import verify_stream
from hal.clock import NS_PER_S
from tests.fakes.feed_tables import feed_tables
from tests.fakes.nats_server import NatsServer, nats_server
from tests.fakes.relaying import VENUE, all_held, held_of, jetstream, journals, make_streams, relaying
from tests.fakes.time_limits import HANG_S

WHEEL = TableName(VENUE, False, "wheel-1")


async def until(server: NatsServer, table: TableName, kind: str, seq: int) -> StoredMessage:
    """The first live message of a kind that knows of an event."""
    async with asyncio.timeout(HANG_S), jetstream(server.address) as stream:
        async for message in stream.follow(LIVE_STREAM, table.live(kind)):
            if b'"last":%d,' % seq in message.body:
                return message
    raise AssertionError("a stream that is followed does not end")


def test_every_event_is_in_the_stream_as_it_was_published() -> None:
    async def run() -> None:
        await make_streams(server.address)
        service.play(40)
        async with relaying(server.address, service):
            held = await held_of(server.address, WHEEL, len(service.bodies("wheel-1")))
        assert [one.body for one in held] == service.bodies("wheel-1")
        head = genesis("wheel-1")
        for message in held:
            event, head = decode(message.body), link(head, message.body)
            kind = event.topic.split("/")[2]
            assert message.subject == f"feltwire.v1.hall.wheel-1.{kind}"
            assert message.headers[MESSAGE_ID] == event.id
            assert message.headers[TOPIC] == event.topic
            assert message.headers[HEAD] == head.hex()

    with nats_server() as server, feed_tables("wheel-1") as service:
        asyncio.run(run())


def test_a_new_relay_goes_on_from_what_the_stream_holds() -> None:
    async def run() -> None:
        await make_streams(server.address)
        service.play(10)
        for _ in range(3):
            async with relaying(server.address, service) as relay:
                service.play(10)
                for table in ("wheel-1", "wheel-2"):
                    await held_of(server.address, TableName(VENUE, False, table), len(service.bodies(table)))
            # What the stream holds is not sent again; but a connection that was lost may leave one event of each table
            # of which the relay does not know whether it is held.
            assert relay.progress.duplicates <= 2 * (relay.progress.connections - 1)
        assert await all_held(server.address, stream_of(VENUE)) == journals(VENUE, service)

    with nats_server() as server, feed_tables("wheel-1", "wheel-2") as service:
        asyncio.run(run())


def test_killed_servers_and_restarted_services_lose_nothing() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, service) as relay:
            for _ in range(3):
                service.play(20)
                await held_of(server.address, WHEEL, 10)
                server.kill()
                service.play(20)
                service.stop()
                service.start()
                service.play(5)
                server.start()
                await held_of(server.address, WHEEL, len(service.bodies("wheel-1")))
            assert relay.progress.connections >= 4
        assert await all_held(server.address, stream_of(VENUE)) == journals(VENUE, service)

    with nats_server() as server, feed_tables("wheel-1") as service:
        asyncio.run(run())


def test_what_the_server_lost_after_it_acknowledged_it_is_sent_again() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, service):
            service.play(30)
            await held_of(server.address, WHEEL, len(service.bodies("wheel-1")))
            server.kill()
            # As a power cut does to a server that does not sync: all of it is gone.
            server.forget()
            server.start()
            await make_streams(server.address)
            await held_of(server.address, WHEEL, len(service.bodies("wheel-1")))
        assert await all_held(server.address, stream_of(VENUE)) == journals(VENUE, service)

    with nats_server() as server, feed_tables("wheel-1") as service:
        asyncio.run(run())


def test_a_full_server_refuses_and_discards_nothing() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, service) as relay:
            service.play(100)
            held = await held_of(server.address, WHEEL, 5)
            async with asyncio.timeout(HANG_S), jetstream(server.address) as stream:
                while relay.progress.failures < 2:
                    await stream.info(stream_of(VENUE))
            server.kill()
            server.config = ""
            server.start()
            await held_of(server.address, WHEEL, len(service.bodies("wheel-1")))
        assert held[0].body == service.bodies("wheel-1")[0]
        assert await all_held(server.address, stream_of(VENUE)) == journals(VENUE, service)

    with (
        nats_server("jetstream { store_dir: $STORE, max_file_store: 20000 }") as server,
        feed_tables("wheel-1") as service,
    ):
        asyncio.run(run())


def test_real_and_simulated_tables_of_one_name_are_two() -> None:
    async def run() -> None:
        await make_streams(server.address)
        real.play(5)
        bench.play(7)
        async with relaying(server.address, real, bench):
            await held_of(server.address, WHEEL, len(real.bodies("wheel-1")))
            held = await held_of(server.address, TableName(VENUE, True, "wheel-1"), len(bench.bodies("wheel-1")))
        assert all(one.subject.startswith("feltwire.sim.v1.hall.wheel-1.") for one in held)
        assert await all_held(server.address, stream_of(VENUE)) == journals(VENUE, {False: real, True: bench})

    with (
        nats_server() as server,
        feed_tables("wheel-1") as real,
        feed_tables("wheel-1", simulated=True, seed=2) as bench,
    ):
        asyncio.run(run())


def test_a_rewritten_table_is_relayed_no_further_and_others_are() -> None:
    async def run() -> None:
        await make_streams(server.address)
        service.play(20)
        async with relaying(server.address, service) as relay:
            for table in ("wheel-1", "wheel-2"):
                await held_of(server.address, TableName(VENUE, False, table), len(service.bodies(table)))
            kept = list(service.bodies("wheel-1"))
            service.stop()
            service.journal.lose("wheel-1", 5)
            service.start()
            service.play(20)
            await held_of(server.address, TableName(VENUE, False, "wheel-2"), len(service.bodies("wheel-2")))
            async with asyncio.timeout(HANG_S):
                while relay.report().tables["wheel-1"].state != "rewritten":
                    await until_report(server, b"")
            assert "HISTORY REWRITTEN" in relay.report().tables["wheel-1"].detail
            # The journal has grown beyond what the stream holds: no heartbeat contradicts it, the relay's report does.
            await until_report(server, b'"rewritten"')
        held = await all_held(server.address, stream_of(VENUE))
        assert held[WHEEL] == kept
        async with jetstream(server.address) as stream:
            report = await verify_stream(stream, stream_of(VENUE), {}, {})
        assert [finding.table for finding in report.findings] == [str(WHEEL)]

    async def until_report(server: NatsServer, part: bytes) -> None:
        async with asyncio.timeout(HANG_S), jetstream(server.address) as stream:
            async for message in stream.follow(LIVE_STREAM, relay_subject(VENUE, "test")):
                if part in message.body:
                    return

    with nats_server() as server, feed_tables("wheel-1", "wheel-2") as service:
        asyncio.run(run())


def test_heartbeats_snapshots_and_the_report_are_live_messages() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, service):
            service.play(10)
            last = len(service.bodies("wheel-1"))
            shot = await until(server, WHEEL, SNAPSHOT, last)
            beat = await until(server, WHEEL, HEARTBEAT, last)
            async with jetstream(server.address) as stream:
                report = await stream.last(LIVE_STREAM, relay_subject(VENUE, "test"))
        assert decode(beat.body).data.table == "wheel-1"
        assert decode_snapshot(shot.body) == decode_snapshot(service.journal.snapshot("wheel-1") or b"")
        assert report is not None
        assert decode_report(report.body).services == {service.base: True}

    with nats_server() as server, feed_tables("wheel-1") as service:
        asyncio.run(run())


def test_without_a_stream_the_relay_ends_and_names_the_command_that_makes_it() -> None:
    async def run() -> None:
        async with relaying(server.address, service):
            await asyncio.Event().wait()

    with (
        nats_server() as server,
        feed_tables("wheel-1") as service,
        pytest.raises(NatsRefusedError, match=r"feltwire fleet init .* --venue hall"),
    ):
        asyncio.run(run())


async def until_refused(relay: Relay, server: NatsServer, part: str = "") -> str:
    """Why the relay refuses the wheel, once its report has it, and `part` in it."""
    async with asyncio.timeout(HANG_S), jetstream(server.address) as stream:
        async for message in stream.follow(LIVE_STREAM, relay_subject(VENUE, "test")):
            table = decode_report(message.body).tables.get(WHEEL.table)
            if table is not None and table.state == "refused" and part in table.detail:
                assert relay.report().tables[WHEEL.table].state == "refused"
                return table.detail
    raise AssertionError("a stream that is followed does not end")


def test_a_table_of_two_services_is_held_and_the_others_go_on() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, one, moved) as relay:
            one.play(5)
            await held_of(server.address, WHEEL, len(one.bodies("wheel-1")))
            kept = one.bodies("wheel-1")[:]
            # At any later time: another computer has a table of this name.
            moved.start()
            assert "wheel-1 is served by" in await until_refused(relay, server)
            one.play(5)
            moved.play(5)
            for service, table in ((one, "wheel-2"), (moved, "wheel-3")):
                await held_of(server.address, TableName(VENUE, False, table), len(service.bodies(table)))
        held = await all_held(server.address, stream_of(VENUE))
        assert held[WHEEL] == kept
        async with jetstream(server.address) as stream:
            report = await verify_stream(stream, stream_of(VENUE), {}, {})
        assert [table.table for table in report.unproven if "is served by" in table.unproven] == [str(WHEEL)]

    with (
        nats_server() as server,
        feed_tables("wheel-1", "wheel-2") as one,
        feed_tables("wheel-1", "wheel-3", seed=2) as moved,
    ):
        moved.stop()
        asyncio.run(run())


def test_a_table_of_two_services_goes_on_when_one_of_them_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, one, moved) as relay:
            one.play(5)
            await held_of(server.address, WHEEL, len(one.bodies("wheel-1")))
            moved.start()
            await until_refused(relay, server)
            one.play(5)
            moved.stop()
            # Those that were not relayed meanwhile too.
            held = await held_of(server.address, WHEEL, len(one.bodies("wheel-1")))
            assert [message.body for message in held] == one.bodies("wheel-1")
            assert relay.report().tables[WHEEL.table].state != "refused"

    monkeypatch.setattr("fleet.relay.SETTLED_BEATS", 1)

    with (
        nats_server() as server,
        feed_tables("wheel-1", "wheel-2") as one,
        feed_tables("wheel-1", "wheel-3", seed=2) as moved,
    ):
        moved.stop()
        asyncio.run(run())


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relay that finds one of two services silent after 0.8 s."""
    monkeypatch.setattr("fleet.relay.BEAT_NS", NS_PER_S // 10)
    monkeypatch.setattr("fleet.relay.LOOK_BEATS", 2)
    monkeypatch.setattr("fleet.relay.SETTLED_BEATS", 8)


@pytest.mark.usefixtures("quick")
def test_a_table_of_two_services_is_not_handed_over_while_its_own_starts_again() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, one, other) as relay:
            one.play(5)
            await held_of(server.address, WHEEL, len(one.bodies("wheel-1")))
            other.start()
            await until_refused(relay, server)
            one.stop()
            other.play(20)
            await until_refused(relay, server, "To relay the table from there, purge")
            one.start()
            one.play(5)
            other.stop()
            held = await held_of(server.address, WHEEL, len(one.bodies("wheel-1")))
            assert [message.body for message in held] == one.bodies("wheel-1")
            # The other tables were relayed on the one connection all the time.
            assert relay.report().connections == 1

    with (
        nats_server() as server,
        feed_tables("wheel-1", "wheel-2") as one,
        feed_tables("wheel-1", "wheel-3", seed=2) as other,
    ):
        other.stop()
        asyncio.run(run())


@pytest.mark.usefixtures("quick")
def test_a_table_that_moved_with_its_journal_goes_on_from_there() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, one, moved) as relay:
            one.play(5)
            await held_of(server.address, WHEEL, len(one.bodies("wheel-1")))
            moved.journal.kept = {table: [*held] for table, held in one.journal.kept.items()}
            moved.start()
            await until_refused(relay, server)
            one.stop()
            moved.play(5)
            held = await held_of(server.address, WHEEL, len(moved.bodies("wheel-1")))
            assert [message.body for message in held] == moved.bodies("wheel-1")
            assert relay.report().connections == 1

    with nats_server() as server, feed_tables("wheel-1") as one, feed_tables("wheel-1", seed=2) as moved:
        moved.stop()
        asyncio.run(run())


def test_a_table_under_whose_subject_something_else_stands_is_held_until_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with jetstream(server.address) as stream:
            await stream.publish(stream_of(VENUE), WHEEL.events.replace(">", "round.opened"), b"{}", {})
        service.play(10)
        async with relaying(server.address, service) as relay:
            other = TableName(VENUE, False, "wheel-2")
            await held_of(server.address, other, len(service.bodies("wheel-2")))
            assert "somebody else writes" in await until_refused(relay, server)
            held = await all_held(server.address, stream_of(VENUE))
            assert held == {WHEEL: [b"{}"], other: service.bodies("wheel-2")}
            async with jetstream(server.address) as stream:
                purge = b'{"filter":"%s"}' % WHEEL.events.encode()
                await stream.connection.request(f"$JS.API.STREAM.PURGE.{stream_of(VENUE)}", purge)
            held_now = await held_of(server.address, WHEEL, len(service.bodies("wheel-1")))
            assert [message.body for message in held_now] == service.bodies("wheel-1")

    monkeypatch.setattr("fleet.relay.LOOK_BEATS", 1)
    with nats_server() as server, feed_tables("wheel-1", "wheel-2") as service:
        asyncio.run(run())
