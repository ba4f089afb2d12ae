"""Boards and `watch` follow a real NATS server, over a real relay: as a service's own feed, by the endpoint alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from feed.subscriber import CaughtUp, Joined, Missing, Rewritten, Trouble
from fleet.streams import JetStream
from fleet.subjects import HUB_STREAM, TableName, stream_of
from tests.fakes.feed_tables import FeedTables, feed_tables
from tests.fakes.following import following
from tests.fakes.nats_server import NatsServer, nats_server
from tests.fakes.relaying import VENUE, held_of, jetstream, make_streams, relaying

ROOT = Path(__file__).resolve().parents[2]
WHEEL = TableName(VENUE, False, "wheel-1")


@contextmanager
def watching(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`feltwire watch` as a process."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", "from controller.cli import main; main()", "watch", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
        cwd=ROOT,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def consumers(stream: JetStream) -> int:
    """How many consumers the server keeps, of all streams."""
    count = 0
    for name in await stream.streams():
        answer = await stream.connection.request(f"$JS.API.STREAM.INFO.{name}", b"")
        count += msgspec.json.decode(answer)["state"]["consumer_count"]
    return count


def test_a_server_that_comes_late_is_killed_and_comes_back_misses_no_event() -> None:
    async def run() -> None:
        server.kill()
        async with following(server.address, VENUE) as reader:
            await reader.until_kind(Trouble, has="no server answers there; trying again")
            server.start()
            await make_streams(server.address)
            async with relaying(server.address, service):
                service.play(20)
                await reader.until_facts("wheel-1", len(service.bodies("wheel-1")))
                server.kill()
                await reader.until_kind(Trouble, has="the connection is lost")
                await reader.until_stale("wheel-1")
                service.play(20)
                server.start()
                await reader.until_stale("wheel-1", stale=False)
                await reader.until_facts("wheel-1", len(service.bodies("wheel-1")))
                # On a busy computer that it has caught up is its last item, after the last fact.
                await reader.until_true(lambda: any(isinstance(item, CaughtUp) for item in reader.items))
                async with jetstream(server.address) as stream:
                    assert await consumers(stream) == 0
        assert reader.facts("wheel-1") == service.bodies("wheel-1")
        assert not [item for item in reader.items if isinstance(item, Rewritten | Missing)]
        assert any(isinstance(item, CaughtUp) for item in reader.items)

    with nats_server() as server, feed_tables("wheel-1") as service:
        asyncio.run(run())


def test_a_purge_is_reported_and_the_table_is_joined_again_from_its_snapshot() -> None:
    async def run() -> None:
        await make_streams(server.address)
        async with relaying(server.address, service):
            service.play(30)
            await held_of(server.address, WHEEL, len(service.bodies("wheel-1")))
            async with jetstream(server.address) as stream:
                purge = b'{"seq":10}'
                await stream.connection.request(f"$JS.API.STREAM.PURGE.{stream_of(VENUE)}", purge)
            async with following(server.address, VENUE) as reader:
                missing = await reader.until_kind(Missing)
                assert isinstance(missing, Missing)
                assert (missing.first, missing.last) == (1, 9)
                reader.subscriber.join_again("wheel-1")
                joined = await reader.until_kind(Joined)
                assert isinstance(joined, Joined)
                service.play(10)
                count = len(service.bodies("wheel-1")) - joined.snapshot.last
                reader.items.clear()
                assert await reader.until_facts("wheel-1", count) == service.bodies("wheel-1")[-count:]

    with nats_server() as server, feed_tables("wheel-1") as service:
        asyncio.run(run())


def test_a_hub_shows_the_tables_of_all_venues_real_and_simulated() -> None:
    async def run() -> None:
        await make_streams(server.address)
        await make_streams(server.address, "marina")
        async with jetstream(server.address) as stream:
            await stream.create_hub([(VENUE, ""), ("marina", "")])
        async with (
            relaying(server.address, one),
            relaying(server.address, other, venue="marina"),
            following(server.address) as reader,
            following(server.address, "boardwalk") as lost,
        ):
            one.play(10)
            other.play(10)
            assert await reader.until_facts(f"{VENUE}/wheel-1", len(one.bodies("wheel-1"))) == one.bodies("wheel-1")
            simulated = await reader.until_facts("marina/sim/wheel-1", len(other.bodies("wheel-1")))
            assert simulated == other.bodies("wheel-1")
            trouble = await lost.until_kind(Trouble)
            assert str(trouble).endswith(f"the server has no venue boardwalk; it has: {VENUE}, marina")
            status = await asyncio.to_thread(CliRunner().invoke, main, ["fleet", "status", f"{server.url}/*"])
            assert f"{VENUE}/wheel-1" in status.output
            assert "marina/sim/wheel-1" in status.output
            held = await stream_info(server)
            assert held == len(one.bodies("wheel-1")) + len(other.bodies("wheel-1"))

    async def stream_info(server: NatsServer) -> int:
        async with jetstream(server.address) as stream:
            info = await stream.info(HUB_STREAM)
        assert info is not None
        return info.messages

    with (
        nats_server() as server,
        feed_tables("wheel-1") as one,
        feed_tables("wheel-1", simulated=True, seed=2) as other,
    ):
        asyncio.run(run())


def test_watch_prints_the_same_lines_from_jetstream_as_from_the_service() -> None:
    def lines_of(*arguments: str) -> list[str]:
        with watching(*arguments, "--json", "--since", "0") as process:
            assert process.stdout is not None
            return [process.stdout.readline() for _ in service.bodies("wheel-1")]

    async def relayed(endpoint: str) -> list[str]:
        await make_streams(server.address)
        async with relaying(server.address, service):
            return await asyncio.to_thread(lines_of, endpoint)

    with nats_server() as server, feed_tables("wheel-1") as service:
        service.play(30)
        durable = [line.encode() for line in asyncio.run(relayed(f"{server.url}/{VENUE}/wheel-1"))]
        assert durable == [body + b"\n" for body in service.bodies("wheel-1")]
        assert lines_of(service.base) == [line.decode() for line in durable]


def test_watch_names_the_venue_of_each_line_and_whoever_is_not_let_in(tmp_path: Path) -> None:
    def first_line(endpoint: str, *arguments: str, part: str) -> str:
        with watching(endpoint, *arguments) as process:
            assert process.stdout is not None
            return next(line for line in process.stdout if part in line)

    async def relayed(service: FeedTables) -> str:
        await make_streams(server.address)
        async with relaying(server.address, service):
            return await asyncio.to_thread(first_line, f"{server.url}/*", "--since", "0", part="wheel-1  ")

    with nats_server() as server, feed_tables("wheel-1") as service:
        service.play(5)
        assert asyncio.run(relayed(service)).startswith(f"{VENUE}  ")
    users = "accounts { A: { jetstream: enabled, users: [ { user: reader, password: right } ] } }"
    with nats_server(users) as server:
        (tmp_path / "password").write_text("wrong")
        (tmp_path / "password").chmod(0o600)
        given = ("--nats-user", "reader", "--password-file", str(tmp_path / "password"))
        line = first_line(f"{server.url}/{VENUE}", *given, part="is connected")
        assert "the user reader is not let in; check user and password" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nats://127.0.0.1/Hall"], "write up to 32 lower-case letters"),
        (["nats://127.0.0.1/hall/Wheel"], "after the venue, expected the id of a table"),
        (["nats://127.0.0.1/hall", "--ca", "ca.crt"], "certificates are for tls://"),
        (["ipc:///run/feltwire", "--nats-user", "x"], "are for tables on NATS JetStream"),
        (["nats://127.0.0.1/hall/wheel-1", "--table", "wheel-2"], "the address names the table wheel-1"),
        (["nats:///hall"], "a scheme, a host and a port"),
        (["nats://127.0.0.1/hall", "--table", "wheel-1", "--table", "wheel 1"], '"wheel 1" is not an id of a table'),
        (["nats://127.0.0.1/hall", "--table", "*"], '"*" is not an id of a table'),
        (["nats://127.0.0.1/hall", "--table", "wheel.>"], '"wheel.>" is not an id of a table'),
        (["nats://127.0.0.1/hall", "--table", "\x1b[2J"], "is not an id of a table"),
        (["nats://127.0.0.1/hall", "--table", ""], '"" is not an id of a table'),
        (["nats://127.0.0.1/hall", "--key", "ann.secret"], "--key and --server are for services"),
        (["nats://127.0.0.1/hall", "--server", "pit-3.public"], "--key and --server are for services"),
    ],
)
@pytest.mark.parametrize("command", ["watch", "scoreboard"])
def test_an_address_that_cannot_be_used_is_refused_with_one_that_can(
    command: str, arguments: list[str], message: str
) -> None:
    done = CliRunner().invoke(main, [command, *arguments])
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_keys_of_services_are_counted_without_the_addresses_of_nats() -> None:
    addresses = ["nats://127.0.0.1/hall", "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"]
    keys = ["--key", "ann.secret", "--server", "a", "--server", "b", "--server", "c"]
    done = CliRunner().invoke(main, ["scoreboard", *addresses, *keys])
    assert done.exit_code == 2
    message = "--server is given 3 times, and there are 2 addresses of services"
    assert message in " ".join(done.output.replace("│", " ").split())


def test_without_the_client_of_nats_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fleet.connection.has_client", lambda: False)
    for command in ("watch", "scoreboard"):
        done = CliRunner().invoke(main, [command, "nats://127.0.0.1/hall"])
        assert (done.exit_code, "requirements/fleet.lock" in done.output) == (2, True)
