"""What JetStream answers, and what it means: away for now, or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.connection import Connection, NatsAddress, NatsRefusedError, NatsUnavailableError
from fleet.streams import JetStream
from fleet.verify import held_venues

if TYPE_CHECKING:
    from nats.aio.client import Client


class Answering:
    """In place of a connection: always this answer."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    async def request(self, _subject: str, _body: bytes, _headers: Mapping[str, str] | None = None) -> bytes:
        return self._answer


def jetstream(answer: bytes) -> JetStream:
    return JetStream(cast("Connection", Answering(answer)))


def error(code: int, err_code: int) -> bytes:
    return b'{"error":{"code":%d,"err_code":%d,"description":"so it is"}}' % (code, err_code)


def test_a_cluster_that_elects_a_leader_is_away_for_now() -> None:
    away = jetstream(error(503, 10008))
    for asked in (away.info("s"), away.last("s", ">"), away.publish("s", "x", b"", {})):
        with pytest.raises(NatsUnavailableError, match="so it is"):
            asyncio.run(asked)


def test_a_stream_without_room_is_asked_again_and_other_errors_are_not() -> None:
    with pytest.raises(NatsUnavailableError, match="s takes no event: so it is"):
        asyncio.run(jetstream(error(503, 10077)).publish("s", "x", b"", {}))
    with pytest.raises(NatsRefusedError, match="so it is"):
        asyncio.run(jetstream(error(400, 10065)).create_venue("hall"))


def test_what_is_not_there_is_none() -> None:
    assert asyncio.run(jetstream(error(404, 10059)).info("s")) is None
    assert asyncio.run(jetstream(error(404, 10037)).last("s", ">")) is None


def test_the_venues_of_a_hub_are_its_sources() -> None:
    hub = jetstream(
        b'{"config":{"sources":[{"name":"feltwire-hall"},{"name":"feltwire-pier"}]},'
        b'"state":{"messages":0,"bytes":0,"first_seq":0,"last_seq":0}}'
    )
    assert asyncio.run(held_venues(hub, ["feltwire"])) == {"hall", "pier"}
    assert asyncio.run(held_venues(hub, ["feltwire"], "pier")) == {"pier"}
    assert asyncio.run(held_venues(hub, ["feltwire-hall"], "hell")) == set()


def test_an_event_that_another_stream_took_is_refused() -> None:
    with pytest.raises(NatsRefusedError, match="the stream t took it, and not s"):
        asyncio.run(jetstream(b'{"stream":"t","seq":1}').publish("s", "x", b"", {}))
    assert asyncio.run(jetstream(b'{"stream":"s","seq":1}').publish("s", "x", b"", {}))
    assert not asyncio.run(jetstream(b'{"stream":"s","seq":1,"duplicate":true}').publish("s", "x", b"", {}))


@given(st.binary())
def test_any_other_answer_is_none(answer: bytes) -> None:
    with pytest.raises(NatsUnavailableError):
        asyncio.run(jetstream(answer).publish("s", "x", b"", {}))


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        # A page of subjects, or of streams, that comes again and again.
        (
            lambda stream: stream.info("s", subjects=">"),
            b'{"config":{},"state":{"messages":2,"bytes":2,"first_seq":1,"last_seq":2,"subjects":{"a":1}},"total":2}',
        ),
        (lambda stream: stream.streams(), b'{"streams":["a"],"total":1000000000}'),
    ],
)
def test_a_server_that_repeats_its_answer_ends_the_question(
    ask: Callable[[JetStream], Awaitable[object]], answer: bytes
) -> None:
    async def run() -> None:
        await ask(jetstream(answer))

    with pytest.raises(NatsUnavailableError, match="the same page"):
        asyncio.run(run())


def test_reading_ends_where_the_server_returns_messages_that_were_read() -> None:
    answer = (
        b'{"message":{"subject":"x","seq":3,"data":""},'
        b'"config":{},"state":{"messages":9,"bytes":9,"first_seq":1,"last_seq":9}}'
    )

    class Stuck(Answering):
        """The last message is the ninth, and the next one always the third."""

        async def request(self, _subject: str, body: bytes, _headers: Mapping[str, str] | None = None) -> bytes:
            return answer.replace(b'"seq":3', b'"seq":9') if b"last_by_subj" in body else answer

    async def run() -> None:
        stream = JetStream(cast("Connection", Stuck(answer)))
        numbers = [message.seq async for message in stream.read("s", "x")]
        raise AssertionError(numbers)

    with pytest.raises(NatsUnavailableError, match="message 3 is not from 4 on"):
        asyncio.run(run())


def test_a_server_that_does_not_answer_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the questions has its time limit, so that none is waited for without end."""

    class Silent:
        """In place of the client of NATS: a request with a time limit ends with it."""

        async def request(self, _subject: str, _body: bytes, *, timeout: float, headers: object) -> object:
            async with asyncio.timeout(timeout):
                await asyncio.Event().wait()
            raise AssertionError(headers)

    monkeypatch.setattr("fleet.connection.ANSWER_S", 0.01)
    address = NatsAddress.parse("nats://hub")

    async def run() -> None:
        stream = JetStream(Connection(address, cast("Client", Silent()), None))
        async for message in stream.read("s"):
            raise AssertionError(message)

    with pytest.raises(NatsUnavailableError, match="no answer"):
        asyncio.run(run())
