"""Records, and the hashes that bind them."""

from hashlib import sha256

import pytest

from audit.records import BodyError, Entry, Record, columns_of, genesis, link, nothing
from feed import events
from feed.events import Event, encode, type_of
from tests.powercut.making import player


def test_a_hash_is_that_of_the_one_before_and_the_body() -> None:
    first = link(genesis("roulette-1"), b"{}")
    assert first == sha256(sha256(b"feltwire journal\0roulette-1").digest() + b"{}").digest()


def test_each_chain_begins_with_a_hash_of_its_own() -> None:
    assert genesis("roulette-1") != genesis("roulette-10")
    assert nothing("roulette-1") == (0, "", genesis("roulette-1").hex())


def test_an_entry_has_what_its_event_says() -> None:
    entry = player("wheel-1", "e7").say(events.RoundOpened, round=12)
    assert entry[:8] == (
        "wheel-1",
        1,
        "wheel-1.e7.1",
        "e7",
        "round.opened",
        12,
        "2030-01-01T20:00:00.000000Z",
        "v1/wheel-1/round.opened/",
    )
    assert b'"id":"wheel-1.e7.1"' in entry.body


def test_an_event_that_belongs_to_no_round_has_none() -> None:
    assert player().say(events.TableClosed, reason="end").round is None


def test_what_is_not_durable_is_no_entry() -> None:
    data = events.RoundProgress(table="t", game="roulette", simulated=True, mono_ns=1, round=1, revolutions=2.5)
    event = Event(id="t.e.e1", source="/tables/t", type=type_of(events.RoundProgress), time="", data=data)
    with pytest.raises(ValueError, match=r"t\.e\.e1 is not durable"):
        Entry.of(event, encode(event))


def test_a_body_whose_sequence_is_not_that_of_its_id_is_no_event() -> None:
    entry = player("wheel-1", "e7").say(events.RoundOpened, round=12)
    assert columns_of(Record(1, *entry, hash=b""))[:3] == ("wheel-1", 1, "wheel-1.e7.1")
    forged = entry._replace(body=entry.body.replace(b'"sequence":"00000000000000000001"', b'"sequence":"7"'))
    with pytest.raises(BodyError, match=r"its id is 'wheel-1\.e7\.1', and its sequence '7'"):
        columns_of(Record(1, *forged, hash=b""))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"sequence":"00000000000000000001",', b""),
        (b'"sequence":"00000000000000000001"', b'"sequence":null'),
        (b'"id":"wheel-1.e7.1"', b'"id":"wheel-1.e7.01"'),
        (b'"id":"wheel-1.e7.1"', b'"id":"wheel-1.e7.0"'),
    ],
)
def test_what_no_subscriber_can_read_for_its_number_is_no_event(before: bytes, after: bytes) -> None:
    entry = player("wheel-1", "e7").say(events.RoundOpened, round=12)
    assert before in entry.body
    forged = entry._replace(body=entry.body.replace(before, after))
    with pytest.raises(events.EventError):
        events.decode(forged.body)
    with pytest.raises(BodyError, match="body is not an event"):
        columns_of(Record(1, *forged, hash=b""))
