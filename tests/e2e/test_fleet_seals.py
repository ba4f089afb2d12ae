"""Seals in a venue's stream: with them, and without the table, `verify` finds what was changed or cut off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest

from fleet.seals import read_seal
from fleet.streams import MESSAGE_ID, JetStream, StoredMessage
from fleet.subjects import LIVE_STREAM, SEAL, TableName, root_of, stream_of
from fleet.verify import FleetReport, verify_stream
from tests.fakes.feed_tables import FeedTables, feed_tables
from tests.fakes.nats_server import NatsServer, nats_server
from tests.fakes.relaying import VENUE, jetstream, make_streams, relaying
from tests.fakes.time_limits import HANG_S

STREAM = stream_of(VENUE)
WHEEL = TableName(VENUE, False, "wheel-1")
SEALS = f"{root_of(VENUE, simulated=False)}.{SEAL}.>"


async def sealed(server: NatsServer, service: FeedTables) -> list[StoredMessage]:
    """What the stream holds once the relay has published a seal over all events that are journalled now."""
    await make_streams(server.address)
    service.play(10)
    statement = service.journal.seal().statement
    async with relaying(server.address, service), asyncio.timeout(HANG_S), jetstream(server.address) as stream:
        async for message in stream.follow(STREAM, SEALS):
            if read_seal(message.body).seal.statement == statement:
                break
        return [message async for message in stream.read(STREAM)]


@asynccontextmanager
async def elsewhere(server: NatsServer, messages: list[StoredMessage]) -> AsyncIterator[JetStream]:
    """The stream, made again by somebody who can write it, without a heartbeat that would vouch for anything."""
    server.kill()
    server.forget()
    server.start()
    await make_streams(server.address)
    async with jetstream(server.address) as stream:
        for message in messages:
            await stream.publish(STREAM, message.subject, message.body, {MESSAGE_ID: f"n{message.seq}"})
        yield stream


async def verified(stream: JetStream, *keys: bytes) -> FleetReport:
    return await verify_stream(stream, STREAM, {}, {}, keys=keys)


def run(check: Callable[[NatsServer, list[StoredMessage]], object], *tables: str) -> None:
    async def run() -> None:
        held = await sealed(server, service)
        await check(server, held)  # type: ignore[misc]

    with nats_server() as server, feed_tables(*(tables or (WHEEL.table,))) as service:
        asyncio.run(run())


def test_a_seal_stands_behind_what_it_vouches_for_and_makes_the_stream_complete_by_itself() -> None:
    async def check(server: NatsServer, held: list[StoredMessage]) -> None:
        assert parsed_kinds(held)[-1] == SEAL
        key = read_seal(held[-1].body).public_key
        async with elsewhere(server, held) as stream:
            assert await stream.last(LIVE_STREAM, ">") is None
            for keys in ((), (key,)):
                report = await verified(stream, *keys)
                assert (report.findings, report.unproven) == ([], [])
                assert [one.sealed for one in report.tables] == [one.last for one in report.tables]
                assert [note for note in report.notes if "compare it with" not in note] == []
                assert bool(report.notes) is not bool(keys)

    run(check, "wheel-1", "wheel-2")


def test_seals_of_a_key_that_was_not_given_vouch_for_nothing() -> None:
    async def check(server: NatsServer, held: list[StoredMessage]) -> None:
        async with elsewhere(server, held) as stream:
            report = await verified(stream, b"k" * 32)
        assert report.findings == []
        assert "no seal of a key that was given" in report.unproven[0].unproven
        assert "it was not given with --key" in report.notes[0]

    run(check)


def test_a_server_that_lost_its_stream_gets_the_seals_again_with_the_events() -> None:
    async def run() -> None:
        await make_streams(server.address)
        service.play(10)
        service.journal.seal()
        async with relaying(server.address, service):
            await until_sealed()
            server.kill()
            server.forget()
            server.start()
            await make_streams(server.address)
            await until_sealed()

    async def until_sealed() -> None:
        async with asyncio.timeout(HANG_S), jetstream(server.address) as stream:
            async for _ in stream.follow(STREAM, SEALS):
                assert len([one async for one in stream.read(STREAM, WHEEL.events)]) == len(service.bodies(WHEEL.table))
                return

    with nats_server() as server, feed_tables(WHEEL.table) as service:
        asyncio.run(run())


def changed(held: list[StoredMessage]) -> list[StoredMessage]:
    """Another device warned."""
    place = next(n for n, one in enumerate(held) if b'"by":' in one.body)
    other = held[place]._replace(body=held[place].body.replace(b'"by":"', b'"by":"x'))
    return [*held[:place], other, *held[place + 1 :]]


def cut(held: list[StoredMessage]) -> list[StoredMessage]:
    """The last event is not there; the seal is."""
    return [*held[:-2], held[-1]]


def with_forged_seal(held: list[StoredMessage]) -> list[StoredMessage]:
    """A seal whose signature is of something else."""
    seal = read_seal(held[-1].body).seal
    forged = msgspec.structs.replace(seal, statement=seal.statement.replace('"n":1', '"n":2'))
    return [*held, held[-1]._replace(seq=held[-1].seq + 1, body=msgspec.json.encode(forged))]


@pytest.mark.parametrize(
    ("act", "said"), [(changed, "is not the journal's"), (cut, "the stream ends with event")], ids=["changed", "cut"]
)
def test_what_was_changed_is_found_by_the_seal_alone(
    act: Callable[[list[StoredMessage]], list[StoredMessage]], said: str
) -> None:
    async def check(server: NatsServer, held: list[StoredMessage]) -> None:
        async with elsewhere(server, act(held)) as stream:
            report = await verified(stream)
        assert [finding.table for finding in report.findings] == [str(WHEEL)]
        assert said in report.findings[0].detail

    run(check)


def test_a_forged_seal_is_named_and_vouches_for_nothing() -> None:
    async def check(server: NatsServer, held: list[StoredMessage]) -> None:
        async with elsewhere(server, with_forged_seal(held)) as stream:
            report = await verified(stream)
        assert (report.findings, report.unproven) == ([], [])
        assert "its signature is not of the key that it names" in report.notes[0]

    run(check)


def parsed_kinds(held: list[StoredMessage]) -> list[str]:
    return [message.subject.split(".")[3] for message in held]
