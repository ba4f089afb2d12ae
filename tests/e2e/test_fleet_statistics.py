"""`feltwire fleet statistics` from a real nats-server, from a journal and from an export of the same tables."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue

from nacl.signing import SigningKey

from audit.records import Entry
from controller.journal.journal import Journal
from feed.data import type_of
from feed.events import Event, Heartbeat, decode, encode, genesis, link
from fleet.subjects import event_subject, stream_of
from hal.clock import SystemClock
from tests.e2e.test_fleet_cli import feltwire
from tests.fakes.nats_server import NatsServer, nats_server
from tests.fakes.relaying import jetstream, make_streams
from tests.fakes.table_history import TableHistory
from tests.fakes.time_limits import HANG_S

HALL = "hall"


def evening(table: str, rounds: int) -> TableHistory:
    history = TableHistory(table).open()
    for number in range(rounds):
        history.later(60).pocket(str(number % 37))
    return history.void().fault().later(60).cleared().later(60).close()


def heartbeat(history: TableHistory) -> Event:
    """That of a table after its last event."""
    head = genesis(history.table)
    for body in history.bodies:
        head = link(head, body)
    data = Heartbeat(
        table=history.table,
        game=history.game,
        simulated=False,
        mono_ns=history.mono_ns,
        epoch=history.epoch,
        last=len(history.bodies),
        head=head.hex(),
        state="closed",
    )
    identity, source = f"{history.table}.{history.epoch}.e1", f"/tables/{history.table}"
    return Event(id=identity, source=source, type=type_of(Heartbeat), time="2026-07-04T23:00:00Z", data=data)


async def publish(server: NatsServer, bodies: Sequence[bytes], *beats: Event) -> None:
    """Has the streams hold these, as a relay publishes them."""
    await make_streams(server.address, HALL)
    async with jetstream(server.address) as stream:
        for body in bodies:
            await stream.publish(stream_of(HALL), event_subject(HALL, decode(body)), body, {})
        for beat in beats:
            await stream.publish("feltwire-live", event_subject(HALL, beat, live=True), encode(beat), {})


def journal_of(path: Path, bodies: Sequence[bytes]) -> Path:
    """A journal that holds these."""
    done: SimpleQueue[object] = SimpleQueue()
    journal = Journal.open(
        path, SigningKey.generate(), clock=SystemClock(), deliver=lambda _done, result: done.put(result)
    )
    journal.submit([Entry.of(decode(body), body) for body in bodies], lambda _result: None)
    assert not isinstance(done.get(timeout=HANG_S), Exception)
    journal.close()
    return path


def collect(*words: str) -> str:
    done = feltwire("fleet", "statistics", "collect", *words)
    assert done.exit_code == 0, done.output
    return done.stdout


def numbers(folder: str) -> tuple[list[tuple[str, int, int]], dict[str, str]]:
    """Events and outcomes of each table, and why an end is not vouched for."""
    shown = json.loads(feltwire("fleet", "statistics", "show", folder, "--json").stdout)
    lines = [(line["table"], line["events"], line["outcomes"]) for line in shown["tables"]]
    return lines, {doubt["table"]: doubt["end"] for doubt in shown["doubts"]}


def test_stream_journal_and_export_give_the_same_rows_and_none_twice(tmp_path: Path) -> None:
    one, two = evening("roulette-1", 20), evening("roulette-2", 5)
    data, url = str(tmp_path / "data"), ""
    with nats_server() as server:
        url = server.url
        asyncio.run(publish(server, []))
        assert collect(data, url) == "0 new events, 0 that were here\n"
        asyncio.run(publish(server, [*one.bodies, *two.bodies[:4]], heartbeat(one), heartbeat(two)))
        assert collect(data, url).endswith("\n29 new events, 0 that were here\n")
        lines, ends = numbers(data)
        assert (lines, ends["roulette-1"]) == ([("roulette-1", 25, 20), ("roulette-2", 4, 3)], "")
        assert "announces event 10, and the last one here is 4" in ends["roulette-2"]
        asyncio.run(publish(server, two.bodies[4:]))
        # The stream is read on from where it was read up to.
        assert collect(data, f"{url}/{HALL}").endswith("\n6 new events, 0 that were here\n")
        lines, ends = numbers(data)
        assert (lines, ends) == ([("roulette-1", 25, 20), ("roulette-2", 10, 5)], {"roulette-1": "", "roulette-2": ""})
        exported = feltwire("fleet", "export", url, "-o", str(tmp_path / "export.jsonl"))
        assert exported.exit_code == 0, exported.output
        journal = journal_of(tmp_path / "journal.sqlite", [*one.bodies, *two.bodies])
        for source in (tmp_path / "export.jsonl", journal):
            assert collect(data, f"{HALL}={source}").endswith("\n0 new events, 35 that were here\n")
            other = str(tmp_path / f"of-{source.name}")
            assert collect(other, f"{HALL}={source}").endswith("\n35 new events, 0 that were here\n")
            assert numbers(other)[0] == numbers(data)[0] == lines
        # A stream that was made again is read from its beginning.
        server.kill()
        server.forget()
        server.start()
        asyncio.run(publish(server, [*two.bodies, *one.bodies]))
        assert collect(data, url).endswith("\n0 new events, 35 that were here\n")
