"""From streams into a folder: where reading goes on, and what is not an event of a table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from feed.events import decode
from fleet.connection import NatsUnavailableError
from fleet.statistics.dataset import Collector, Dataset, HistoryChangedError, collecting
from fleet.statistics.sources import SourceError, collect_export, collect_streams
from fleet.streams import JetStream, StoredMessage, StreamInfo
from fleet.subjects import HUB_STREAM, SEAL, TableName, event_subject, stream_of
from tests.fakes.table_history import TableHistory

HALL = "hall"


class ModelJetStream:
    """Streams in memory. `read_from` has where each reading began."""

    def __init__(self, **streams: list[StoredMessage]) -> None:
        self.by_name = {name.replace("_", "-"): messages for name, messages in streams.items()}
        self.read_from: list[int] = []
        self.fails_at = 0

    async def streams(self) -> list[str]:
        return sorted(self.by_name)

    async def info(self, stream: str, *, subjects: str = "") -> StreamInfo | None:
        there = self.by_name.get(stream)
        if there is None:
            return None
        last = there[-1].seq if there else 0
        return StreamInfo(stream, len(there), 0, 1, last, {}, {}, [])

    async def next(self, stream: str, subject: str, seq: int) -> StoredMessage | None:
        assert subject == ">"
        return next((one for one in self.by_name[stream] if one.seq >= seq), None)

    async def read(self, stream: str, subject: str = ">", start: int = 1) -> AsyncIterator[StoredMessage]:
        self.read_from.append(start)
        for message in self.by_name[stream]:
            if message.seq == self.fails_at:
                raise NatsUnavailableError("gone")
            if message.seq >= start:
                yield message


def stored(*histories: TableHistory, venue: str = HALL, first: int = 1) -> list[StoredMessage]:
    """What relays have published, one table after the other."""
    bodies = [body for history in histories for body in history.bodies]
    return [StoredMessage(event_subject(venue, decode(body)), seq, {}, body) for seq, body in enumerate(bodies, first)]


def collect(folder: Path, jetstream: ModelJetStream, venue: str = "") -> Collector:
    with collecting(folder) as collector:
        asyncio.run(collect_streams(cast(JetStream, jetstream), collector, venue=venue))
    return collector


def evening() -> TableHistory:
    return TableHistory().open().later(60).pocket("1").later(60).pocket("2").later(60).close()


def test_a_stream_is_read_on_from_where_it_was_read_up_to(tmp_path: Path) -> None:
    messages = stored(evening())
    first = ModelJetStream(feltwire_hall=messages[:3])
    assert (collect(tmp_path, first).added, first.read_from) == (3, [1])
    second = ModelJetStream(feltwire_hall=messages)
    again = collect(tmp_path, second)
    assert (again.added, again.known, second.read_from) == (1, 0, [4])
    assert collect(tmp_path, second, HALL).added == 0
    assert second.read_from == [4, 5]


@pytest.mark.parametrize("kind", ["made_anew", "shorter", "purged", "other_message"])
def test_a_stream_that_is_another_one_is_read_from_its_beginning_and_nothing_is_there_twice(
    tmp_path: Path, kind: str
) -> None:
    history = evening()
    messages = stored(history)
    collect(tmp_path, ModelJetStream(feltwire_hall=messages[:3]))
    other = {
        "made_anew": stored(TableHistory("roulette-2").open().pocket("3"), history),
        "shorter": messages[:2],
        "purged": stored(history, first=11),
        "other_message": [*messages[:2], messages[2]._replace(body=b"{}"), messages[3]],
    }[kind]
    jetstream = ModelJetStream(feltwire_hall=other)
    collector = collect(tmp_path, jetstream)
    assert jetstream.read_from == [1]
    held = {one.table: one.held for one in collector.contents.tables}
    assert (
        held
        == {
            "made_anew": {"roulette-1": [(1, 4)], "roulette-2": [(1, 2)]},
            "shorter": {"roulette-1": [(1, 3)]},
            "purged": {"roulette-1": [(1, 4)]},
            "other_message": {"roulette-1": [(1, 4)]},
        }[kind]
    )
    assert bool(collector.refused) is (kind == "other_message")


def test_of_a_hub_one_venue_is_taken_and_the_others_are_still_to_be_read(tmp_path: Path) -> None:
    here, there = stored(evening()), stored(evening(), venue="other", first=5)
    hub = ModelJetStream(feltwire=[*here, *there], feltwire_hall=[])
    assert collect(tmp_path, hub, "other").added == 4
    assert [one.name for one in Dataset(tmp_path).contents.tables] == [TableName("other", False, "roulette-1")]
    assert (collect(tmp_path, hub).added, hub.read_from) == (4, [1, 1])
    assert Dataset(tmp_path).contents.places[HUB_STREAM].n == 8


def test_what_is_no_event_of_a_venue_is_counted_and_named_and_the_others_are_taken(tmp_path: Path) -> None:
    good = stored(evening())
    wrong = [
        good[0]._replace(seq=5, subject="feltwire.v1.hall.roulette-1.round.outcome", body=b"\xff"),
        good[1]._replace(seq=6, subject=good[1].subject.replace("hall", "a/x/b")),
        good[1]._replace(seq=7, subject=good[1].subject.replace("v1.hall", "sim.v1.hall")),
        good[1]._replace(seq=8, subject="orders.new"),
    ]
    collector = collect(tmp_path, ModelJetStream(feltwire_hall=[*good, *wrong]))
    assert (collector.added, collector.refused) == (4, 4)
    said = Dataset(tmp_path).contents.unreadable
    assert set(said) == {f"{stream_of(HALL)} message {seq}" for seq in (5, 6, 7, 8)}
    assert "names no table" in said["feltwire-hall message 6"]
    assert [one.venue for one in collector.contents.tables] == [HALL]


def test_a_server_that_goes_away_leaves_what_was_read(tmp_path: Path) -> None:
    jetstream = ModelJetStream(feltwire_hall=stored(evening()))
    jetstream.fails_at = 3
    with pytest.raises(NatsUnavailableError):
        collect(tmp_path, jetstream)
    jetstream.fails_at = 0
    assert (collect(tmp_path, jetstream).added, jetstream.read_from) == (2, [1, 3])


def test_an_export_of_two_venues_with_one_table_is_found_out(tmp_path: Path) -> None:
    other = TableHistory()
    other.epoch = "e7"
    bodies = [*evening().bodies, *other.open().bodies]
    (tmp_path / "both.jsonl").write_bytes(b"\n".join(bodies))
    with pytest.raises(HistoryChangedError, match="two tables have one name"), collecting(tmp_path / "d") as collector:
        collect_export(tmp_path / "both.jsonl", HALL, collector)
    assert Dataset(tmp_path / "d").contents.tables[0].held == [(1, 4)]


def test_a_file_that_is_no_export_is_refused_by_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\x00\x01\n" * 9)
    with pytest.raises(SourceError, match="x line 1: no event"), collecting(tmp_path / "d") as collector:
        collect_export(tmp_path / "x", HALL, collector)


def test_seals_among_the_events_are_passed_over(tmp_path: Path) -> None:
    messages = stored(evening())
    seal = StoredMessage(f"feltwire.v1.{HALL}.{SEAL}.40d5ced5da692219", messages[-1].seq + 1, {}, b"{}")
    collect(tmp_path, ModelJetStream(feltwire_hall=[*messages, seal]))
    assert Dataset(tmp_path).contents.unreadable == {}
