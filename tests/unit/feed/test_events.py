"""The bodies of events, byte for byte: scoreboards depend on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from feed import events
from feed.events import DATA_TYPES, Data, Event, EventError, Evidence, Verdict, WinningBet, decode, encode, parts_of

TABLE: dict[str, Any] = {"table": "roulette-1", "game": "roulette", "simulated": True, "mono_ns": 27_403_508_772}


def event(data: Data, *, sequence: int | None = 5, round_number: int | None = 1) -> Event:
    """An event as a table would make it."""
    return Event(
        id="roulette-1.sim.5" if sequence is not None else "roulette-1.sim.e5",
        source="/tables/roulette-1",
        type=f"{events.TYPE_PREFIX}{type(data).kind}{events.TYPE_SUFFIX}",
        subject=msgspec.UNSET if round_number is None else f"round/{round_number}",
        time="1970-01-01T00:00:27.403508Z",
        sequence=msgspec.UNSET if sequence is None else f"{sequence:020d}",
        data=data,
    )


HEAD = (
    b'{"specversion":"1.0","id":"roulette-1.sim.5","source":"/tables/roulette-1",'
    b'"type":"feltwire.%s.v1","subject":"round/1","time":"1970-01-01T00:00:27.403508Z",'
    b'"sequence":"00000000000000000005","datacontenttype":"application/json",'
    b'"data":{"table":"roulette-1","game":"roulette","simulated":true,"mono_ns":27403508772,"round":1,'
)


def test_an_outcome_is_one_line_of_json_with_its_attributes_in_order() -> None:
    data = events.Outcome(
        **TABLE,
        round=1,
        result={"pocket": "17", "index": 9, "color": "black"},
        winning=[WinningBet("straight 17", "35 to 1")],
        evidence=Evidence(revolutions=5.0, minimum_revolutions=4, direction="clockwise", passes=16),
        rule="13:47-20.32(j)1",
    )
    assert encode(event(data)) == HEAD % b"round.outcome" + (
        b'"result":{"pocket":"17","index":9,"color":"black"},"winning":[{"bet":"straight 17","odds":"35 to 1"}],'
        b'"evidence":{"revolutions":5.0,"minimum_revolutions":4.0,"direction":"clockwise","passes":16},'
        b'"rule":"13:47-20.32(j)1"}}'
    ).replace(b'"minimum_revolutions":4.0', b'"minimum_revolutions":4')


def test_a_void_has_its_call_its_reason_its_rule_and_the_dealers_act() -> None:
    data = events.Void(
        **TABLE,
        round=1,
        call="No spin",
        reason="ball_direction",
        rule="13:47-20.32(m)1",
        evidence=Evidence(detail="the ball runs with the rotor"),
        remove_ball=True,
    )
    assert encode(event(data)) == HEAD % b"round.void" + (
        b'"call":"No spin","reason":"ball_direction","rule":"13:47-20.32(m)1",'
        b'"evidence":{"detail":"the ball runs with the rotor"},"remove_ball":true}}'
    )


def test_an_unresolved_round_names_its_candidates() -> None:
    data = events.Unresolved(
        **TABLE, round=1, reason="no_number_read", rule="ours", evidence=Evidence(), candidates=[{"pocket": "17"}]
    )
    assert encode(event(data)) == HEAD % b"round.unresolved" + (
        b'"reason":"no_number_read","rule":"ours","evidence":{},"candidates":[{"pocket":"17"}]}}'
    )


def test_progress_has_no_sequence_and_an_id_of_its_own() -> None:
    body = json.loads(encode(event(events.RoundProgress(**TABLE, round=1, revolutions=2.0, lap_s=0.9), sequence=None)))
    assert "sequence" not in body
    assert body["id"] == "roulette-1.sim.e5"
    assert body["data"]["revolutions"] == 2.0
    assert "rpm" not in body["data"]


def test_an_event_of_no_round_has_no_subject() -> None:
    data = events.TableClosed(**TABLE, reason="the service stops")
    body = json.loads(encode(event(data, round_number=None)))
    assert "subject" not in body
    assert "round" not in body["data"]


def test_a_first_opening_names_no_epoch_before_it_and_a_later_one_does() -> None:
    first = events.TableOpened(**TABLE, rules="njac-13:47-20", software="feltwire 0.1.0", devices=[])
    later = events.TableOpened(
        **TABLE, rules="njac-13:47-20", software="feltwire 0.1.0", devices=[], previous_epoch="ab", previous_sequence=7
    )
    assert "previous_epoch" not in json.loads(encode(event(first)))["data"]
    assert json.loads(encode(event(later)))["data"]["previous_sequence"] == 7


@pytest.mark.parametrize(("simulated", "prefix"), [(True, "sim/v1/"), (False, "v1/")])
def test_every_level_of_a_topic_ends_in_a_slash_and_a_simulated_one_is_marked(simulated: bool, prefix: str) -> None:
    data = events.RoundOpened(table="roulette-1", game="roulette", simulated=simulated, mono_ns=0, round=1)
    topic = event(data).topic
    assert topic == f"{prefix}roulette-1/round.opened/"
    assert not topic.startswith(f"{prefix}roulette-10/")
    assert not f"{prefix}roulette-10/round.opened/".startswith(f"{prefix}roulette-1/")


def test_the_kinds_are_those_of_the_design() -> None:
    assert [kind.kind for kind in DATA_TYPES] == [
        "table.opened",
        "table.closed",
        "round.opened",
        "round.course",
        "round.no_more_bets",
        "round.started",
        "round.progress",
        "round.outcome",
        "round.void",
        "round.unresolved",
        "round.corrected",
        "round.disputed",
        "round.settled",
        "procedure.violation",
        "device.fault",
        "device.cleared",
        "device.warning",
        "device.condition",
        "machine.event",
        "inspection.passed",
        "inspection.failed",
        "card.sealed",
        "card.opened",
        "stack.loaded",
        "stack.sealed",
        "stack.opened",
        "heartbeat",
    ]


def test_only_progress_and_heartbeats_are_not_durable() -> None:
    assert [kind.kind for kind in DATA_TYPES if not kind.durable] == ["round.progress", "heartbeat"]


def test_every_kind_of_data_begins_with_the_common_fields() -> None:
    for kind in DATA_TYPES:
        names = [field.name for field in msgspec.structs.fields(kind)]
        assert names[:4] == ["table", "game", "simulated", "mono_ns"]


# --- corrections, inspections, heartbeats --------------------------------------------------------------------------


def test_a_correction_has_the_verdicts_before_and_after() -> None:
    data = events.RoundCorrected(
        **TABLE,
        round=1,
        by="ann",
        from_=Verdict(verdict="unresolved", reason="no_number_read"),
        to=Verdict(verdict="outcome", result={"pocket": "17"}),
        why="read by the dealer",
        confirmed=True,
        winning=[WinningBet("straight 17", "35 to 1")],
    )
    assert encode(event(data)) == HEAD % b"round.corrected" + (
        b'"by":"ann","from":{"verdict":"unresolved","reason":"no_number_read"},'
        b'"to":{"verdict":"outcome","result":{"pocket":"17"}},"why":"read by the dealer","confirmed":true,'
        b'"winning":[{"bet":"straight 17","odds":"35 to 1"}]}}'
    )


def test_a_heartbeat_has_no_sequence_and_the_last_number_of_the_journal() -> None:
    data = events.Heartbeat(**TABLE, epoch="sim", last=5, head="ab", state="open")
    body = json.loads(encode(event(data, sequence=None, round_number=None)))
    assert "sequence" not in body
    assert body["type"] == "feltwire.heartbeat.v1"
    assert {key: body["data"][key] for key in ("epoch", "last", "head", "state")} == {
        "epoch": "sim",
        "last": 5,
        "head": "ab",
        "state": "open",
    }


# --- reading -------------------------------------------------------------------------------------------------------

CLOSED = encode(event(events.TableClosed(**TABLE, reason="the service stops"), round_number=None))


def test_a_decoded_event_equals_the_encoded_one() -> None:
    assert encode(decode(CLOSED)) == CLOSED
    assert decode(CLOSED).data == events.TableClosed(**TABLE, reason="the service stops")


def test_an_event_knows_its_epoch_and_its_number() -> None:
    assert (decode(CLOSED).epoch, decode(CLOSED).seq) == ("sim", 5)
    progress = event(events.RoundProgress(**TABLE, round=1, revolutions=2), sequence=None)
    assert decode(encode(progress)).seq is None


def test_data_of_an_unknown_type_is_kept_unchanged() -> None:
    body = CLOSED.replace(b"table.closed", b"shoe.emptied").replace(b'"reason"', b'"cards": 1.50, "reason"')
    read = decode(body)
    assert isinstance(read.data, events.Unknown)
    assert (read.data.table, read.data.simulated) == ("roulette-1", True)
    assert read.data.values["cards"] == 1.5
    assert read.topic == "sim/v1/roulette-1/shoe.emptied/"
    assert encode(read) == body
    assert decode(body) == read


@pytest.mark.parametrize("reader", [decode, parts_of])
def test_a_table_whose_name_has_a_line_break_is_that_of_no_event(reader: Callable[[bytes], object]) -> None:
    with pytest.raises(EventError, match=r"expected <table>\.<epoch>\.<number>"):
        reader(CLOSED.replace(b"roulette-1", b"roulette\\n1"))


def test_fields_of_a_newer_version_are_ignored() -> None:
    newer = CLOSED.replace(b'"reason"', b'"colour":"green","reason"').replace(b'"specversion"', b'"x":1,"specversion"')
    assert decode(newer) == decode(CLOSED)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"}}", b"", "truncated"),
        (b'"specversion":"1.0",', b"", "missing required field `specversion`"),
        (b'"1.0"', b'"2.0"', "specversion is '2.0', expected '1.0'"),
        (b"roulette-1.sim.5", b"roulette-1", "expected <table>.<epoch>.<number>"),
        (b"roulette-1.sim.5", b"roulette-2.sim.5", "data.table is 'roulette-1'"),
        (b"roulette-1.sim.5", b"roulette-1.sim.6", "sequence is '00000000000000000005', expected"),
        (b"roulette-1.sim.5", b"roulette-1.sim.e5", "expected none"),
        (b'"sequence":"00000000000000000005",', b"", "sequence is missing"),
        (b'"reason":', b'"raeson":', "missing required field `reason`"),
        (b'"simulated":true', b'"simulated":"no"', "Expected `bool`, got `str`"),
        (b"the service", b"\xff service", "codec can't decode"),
        (b'"the service stops"', b"[" * 100_000 + b"]" * 100_000, "Expected `str`|recursion"),
        (b"table.closed", b"round.void", "missing required field"),
    ],
)
def test_a_body_that_is_no_event_is_refused_and_says_why(old: bytes, new: bytes, words: str) -> None:
    assert old in CLOSED
    with pytest.raises(EventError, match=words):
        decode(CLOSED.replace(old, new, 1))


@pytest.mark.parametrize(
    "value", [b"[" * 100_000 + b"]" * 100_000, b'"\xff"', b'{"a":' * 50_000 + b"1" + b"}" * 50_000]
)
def test_undecodable_data_of_an_unknown_type_is_refused(value: bytes) -> None:
    body = CLOSED.replace(b"table.closed", b"shoe.emptied").replace(b'"the service stops"', value)
    with pytest.raises(EventError):
        decode(body)
