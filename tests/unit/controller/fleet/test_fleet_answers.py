"""What JetStream answers, and what it means: away for now, or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.fleet.connection import Connection, NatsRefusedError, NatsUnavailableError
from controller.fleet.streams import JetStream
from controller.fleet.verify import held_venues


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
