"""`feltwire fleet verify` on streams with a history, a part of it, or another one: its output and exit code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random

import pytest

from feed.events import decode, genesis, link
from fleet.subjects import TableName, event_subject, stream_of
from tests.e2e.test_fleet_cli import feltwire
from tests.fakes.feed_model import ModelJournal, ModelTable
from tests.fakes.nats_server import NatsServer, nats_server
from tests.fakes.relaying import jetstream, make_streams

WHEEL = TableName("grand-sim", False, "wheel-1")
COMPLETE = "verified: complete, in order, and as it was published"


class History:
    """A table's events, and its heads."""

    def __init__(self) -> None:
        journal, rng = ModelJournal(), Random(5)
        self.table = ModelTable(journal, WHEEL.table, "e1")
        self.table.open()
        while len(journal.bodies(WHEEL.table)) < 20:
            self.table.play(rng)
        self.bodies = journal.bodies(WHEEL.table)

    def head(self, seq: int) -> str:
        found = genesis(WHEEL.table)
        for body in self.bodies[:seq]:
            found = link(found, body)
        return f"{WHEEL.venue}/{WHEEL.table}:{seq}:{found.hex()}"


HISTORY = History()


async def fill(server: NatsServer, bodies: list[bytes]) -> None:
    """Has the venue's stream hold these, without headers of the relay."""
    await make_streams(server.address, WHEEL.venue)
    async with jetstream(server.address) as stream:
        for body in bodies:
            await stream.publish(stream_of(WHEEL.venue), event_subject(WHEEL.venue, decode(body)), body, {})


@pytest.fixture(scope="module")
def server() -> Iterator[NatsServer]:
    with nats_server() as running:
        asyncio.run(fill(running, HISTORY.bodies[:15]))
        yield running


def verify(server: NatsServer, *words: str) -> tuple[int, str]:
    done = feltwire("fleet", "verify", server.url, *words)
    return done.exit_code, done.output


def test_without_a_head_nothing_is_called_complete(server: NatsServer) -> None:
    code, output = verify(server)
    assert code == 5
    assert "grand-sim/wheel-1: no head vouches for events 1 to 15" in output
    assert "consistent, and NOT KNOWN TO BE COMPLETE: 1 table\n" in output
    assert COMPLETE not in output
    code, output = verify(server, "--json")
    assert (code, '"unproven":"no head vouches for events 1 to 15"' in output) == (5, True)


def test_a_head_of_the_last_event_makes_it_complete_and_one_before_does_not(server: NatsServer) -> None:
    code, output = verify(server, "--head", HISTORY.head(15))
    assert (code, COMPLETE in output) == (0, True), output
    code, output = verify(server, "--head", HISTORY.head(14))
    assert (code, "no head vouches for event 15" in output, COMPLETE in output) == (5, True, False)


def test_a_head_beyond_the_end_is_a_difference(server: NatsServer) -> None:
    code, output = verify(server, "--head", HISTORY.head(20))
    assert (code, "DOES NOT VERIFY: 1 table\n" in output) == (3, True)


def test_a_head_of_a_venue_that_is_not_there_is_refused(server: NatsServer) -> None:
    head = HISTORY.head(15)
    code, output = verify(server, "--head", head, "--head", head.replace("grand-sim/", "grand-sin/"))
    assert code == 2
    assert "--head of the venue grand-sin" in output
    assert "it has grand-sim" in output


def test_a_simulated_table_of_the_same_name_is_another_one(server: NatsServer) -> None:
    code, output = verify(server, "--head", HISTORY.head(15).replace("/wheel-1", "/sim/wheel-1"))
    assert code == 3
    assert "grand-sim/sim/wheel-1" in output
