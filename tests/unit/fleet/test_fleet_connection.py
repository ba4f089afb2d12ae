"""Connections: the password is sent only where it may be, and errors of the server are logged once."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest

from fleet.cli.nats_options import NatsLogin, nats_address
from fleet.connection import MOST_LOGGED, Connection, NatsAddress, NatsRefusedError, connect
from fleet.relay import RelayPlan
from tests.fakes.time_limits import HANG_S

ADDRESS = NatsAddress.parse("tls://ann:hidden-word@127.0.0.1:4222")


@asynccontextmanager
async def plain_server(**info: object) -> AsyncIterator[tuple[int, asyncio.Future[bytes]]]:
    """A server without TLS that sends this INFO; its port, and what the first client has sent until it closed."""
    received: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"INFO %s\r\n" % json.dumps({"version": "2.10.0", "max_payload": 1_048_576, **info}).encode())
        sent = b""
        while part := await reader.read(4096):
            sent += part
            if b"PING" in part:
                writer.write(b"PONG\r\n")
        received.set_result(sent)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], received
    finally:
        server.close()


@pytest.mark.parametrize("info", [{}, {"tls_required": False}, {"tls_available": True}, {"auth_required": True}])
def test_a_server_without_tls_gets_no_password_from_a_tls_address(info: dict[str, object]) -> None:
    async def run() -> bytes:
        async with asyncio.timeout(HANG_S), plain_server(**info) as (port, received):
            with pytest.raises(NatsRefusedError, match="does not ask for TLS"):
                await connect(ADDRESS._replace(port=port), name="test")
            return await received

    assert asyncio.run(run()) == b""


def test_a_server_without_tls_is_used_in_the_clear_where_the_address_has_it_so() -> None:
    async def run() -> bytes:
        async with asyncio.timeout(HANG_S), plain_server() as (port, received):
            connection = await connect(ADDRESS._replace(port=port, tls=False), name="test")
            await connection.close()
            return await received

    assert b'"user": "ann"' in asyncio.run(run())


def test_the_password_is_in_no_representation() -> None:
    plan = RelayPlan(ADDRESS, "hall", [], "pit")
    for text in (repr(ADDRESS), str(ADDRESS), f"{ADDRESS}", repr(plan), repr([ADDRESS])):
        assert "hidden-word" not in text
        assert "127.0.0.1:4222" in text
    assert "ann" in repr(ADDRESS)


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("nats://ann:hidden-word@hub.example:4222", True),
        ("nats://ann:hidden-word@10.0.0.5", True),
        ("nats://ann:hidden-word@127.0.0.1", False),
        ("nats://ann:hidden-word@[::1]:4222", False),
        ("nats://ann:hidden-word@localhost", False),
        ("nats://hub.example", False),
        ("tls://ann:hidden-word@hub.example", False),
    ],
)
def test_a_command_warns_of_a_password_in_the_clear(url: str, warned: bool, capsys: pytest.CaptureFixture[str]) -> None:
    address = nats_address(url, NatsLogin())
    warning = capsys.readouterr().err
    assert (f"{address}: the password crosses the network unencrypted" in warning) is warned
    assert "hidden-word" not in warning


def connection() -> Connection:
    return Connection(ADDRESS, cast("object", None), None)  # type: ignore[arg-type]


def test_each_error_of_the_server_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    refused = Exception('nats: permissions violation for publish to "feltwire.live.v1.hall.wheel-1.heartbeat"')
    one = connection()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            one.failed(refused)
            one.failed(Exception("nats: slow consumer"))
    assert [record.getMessage() for record in caplog.records] == [
        f"{ADDRESS}: the user ann may not publish to feltwire.live.v1.hall.wheel-1.heartbeat",
        f"{ADDRESS}: nats: slow consumer",
    ]


def test_errors_without_end_are_not_kept_without_end(caplog: pytest.LogCaptureFixture) -> None:
    one = connection()
    with caplog.at_level(logging.WARNING):
        for number in range(3 * MOST_LOGGED):
            one.failed(Exception(f"nats: error {number}"))
    assert len(caplog.records) == MOST_LOGGED + 1
    assert "no further errors" in caplog.records[-1].getMessage()
    assert str(one.last_error) == f"nats: error {3 * MOST_LOGGED - 1}"


def test_why_reading_ended_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    one = connection()
    with caplog.at_level(logging.WARNING):
        one.reading_ended(ConnectionResetError("reset by peer"))
    assert "reset by peer" in caplog.text
    assert one.is_lost
