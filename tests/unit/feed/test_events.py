"""The bodies of events, byte for byte: scoreboards depend on them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from feed import events
from feed.events import DATA_TYPES, Data, Event, SpinEvidence, WinningBet, encode

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
        evidence=SpinEvidence(revolutions=5.0, minimum_revolutions=4, direction="clockwise", passes=16),
        rule="13:47-20.32(j)1",
    )
    assert encode(event(data)) == HEAD % b"round.outcome" + (
        b'"result":{"pocket":"17","index":9,"color":"black"},"winning":[{"bet":"straight 17","odds":"35 to 1"}],'
        b'"evidence":{"revolutions":5.0,"minimum_revolutions":4.0,"direction":"clockwise","passes":16},'
        b'"rule":"13:47-20.32(j)1"}}'
    ).replace(b'"minimum_revolutions":4.0', b'"minimum_revolutions":4')


def test_a_void_says_its_call_its_reason_its_rule_and_what_the_dealer_does() -> None:
    data = events.Void(
        **TABLE,
        round=1,
        call="No spin",
        reason="ball_direction",
        rule="13:47-20.32(m)1",
        evidence=SpinEvidence(detail="the ball runs with the rotor"),
        remove_ball=True,
    )
    assert encode(event(data)) == HEAD % b"round.void" + (
        b'"call":"No spin","reason":"ball_direction","rule":"13:47-20.32(m)1",'
        b'"evidence":{"detail":"the ball runs with the rotor"},"remove_ball":true}}'
    )


def test_an_unresolved_round_names_its_candidates() -> None:
    data = events.Unresolved(
        **TABLE, round=1, reason="no_number_read", rule="ours", evidence=SpinEvidence(), candidates=[{"pocket": "17"}]
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
def test_every_level_of_a_topic_ends_in_a_slash_and_a_bench_is_marked(simulated: bool, prefix: str) -> None:
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
        "round.no_more_bets",
        "round.started",
        "round.progress",
        "round.outcome",
        "round.void",
        "round.unresolved",
        "round.settled",
        "procedure.violation",
        "device.fault",
        "device.cleared",
        "device.warning",
    ]


def test_only_progress_is_not_durable() -> None:
    assert [kind.kind for kind in DATA_TYPES if not kind.durable] == ["round.progress"]


def test_every_kind_of_data_begins_with_what_all_have_in_common() -> None:
    for kind in DATA_TYPES:
        names = [field.name for field in msgspec.structs.fields(kind)]
        assert names[:4] == ["table", "game", "simulated", "mono_ns"]
