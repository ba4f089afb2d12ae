"""Snapshots that are damaged, malformed or malicious: a reader takes them or refuses them, and fails on none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feed.events import StatisticsKey
from feed.state import Snapshot, TableState, decode_snapshot, encode_snapshot
from feed.statistics import MOST_HISTORY, PastOutcome
from feed.subscriber import Joined, Subscription
from feed.wire import JsonAnswer, decode_answer, encode_answer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
RESULTS = st.dictionaries(st.sampled_from(["pocket", "dice", "player"]), JSON, max_size=3)
OUTCOMES = st.builds(PastOutcome, round=st.integers(-5, 40), time=st.text(max_size=5), result=RESULTS)
KEYS = st.builds(
    StatisticsKey,
    field=st.sampled_from(["pocket", "dice", "player.total", "", ".", "player..x"]),
    values=st.lists(st.integers(0, 9) | st.text(max_size=3), max_size=6),
)
SHOTS = st.builds(
    Snapshot,
    table=st.just("t-1"),
    epoch=st.just("e1"),
    last=st.integers(0, 2**63 - 1),
    history=st.none() | st.integers(1, 2**40),
    outcomes=st.lists(OUTCOMES, max_size=12),
    statistics_keys=st.lists(KEYS, max_size=3),
)


def whole() -> bytes:
    outcomes = [PastOutcome(round=n, time="2030", result={"pocket": str(n % 37), "index": n}) for n in range(30)]
    keys = [StatisticsKey(field="pocket", values=[str(n) for n in range(37)])]
    state = TableState("t-1")
    state.history.configure(20, keys)
    state.history.restore(outcomes)
    return encode_snapshot(state.snapshot())


WHOLE = whole()


def read(body: bytes) -> TableState | None:
    """The state that a reader makes of a body; None where it refuses it."""
    try:
        return TableState.from_snapshot(decode_snapshot(body))
    except ValueError:
        return None


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=8), st.integers(0, len(WHOLE)))
def test_a_damaged_snapshot_is_read_or_refused(changes: list[tuple[int, int]], cut: int) -> None:
    body = bytearray(WHOLE)
    for at, value in changes:
        body[at] = value
    for one in (bytes(body), bytes(body[:cut])):
        state = read(one)
        assert state is None or state.history.statistics.outcomes <= MOST_HISTORY


@given(st.dictionaries(st.sampled_from([*Snapshot.__struct_fields__, "more"]), JSON, max_size=6))
def test_fields_of_any_content_are_read_or_refused(fields: dict[str, Any]) -> None:
    body = msgspec.json.encode({"table": "t-1", "epoch": "e1", "last": 1, **fields})
    state = read(body)
    assert state is None or decode_snapshot(encode_snapshot(state.snapshot())) == state.snapshot()


@given(SHOTS)
def test_outcomes_in_any_order_and_of_any_content_are_each_counted_once(shot: Snapshot) -> None:
    state = TableState.from_snapshot(shot)
    numbers = [outcome.round for outcome in state.history.outcomes]
    assert numbers == sorted({outcome.round for outcome in shot.outcomes})
    statistics = state.history.statistics
    assert statistics.outcomes == min(len(numbers), state.history.limit)
    assert all(one.count >= 0 for field in statistics.fields for one in field.counts)
    assert read(encode_snapshot(state.snapshot())) is not None


@pytest.mark.parametrize(
    "body",
    [
        b'{"table":"t-1","epoch":"e","last":1,"outcomes":[{"round":1,"time":"","result":' + b'{"a":' * 100_000,
        b'{"table":"t-1","epoch":"e","last":1,"course":{"a":' + b"[" * 200_000,
        b'{"table":"t-1","epoch":"e","last":1,"history":0}',
        b"\xff\xfe",
        b"null",
    ],
    ids=["deep result", "deep course", "no history", "no text", "nothing"],
)
def test_a_subscriber_that_is_answered_rubbish_asks_again(body: bytes) -> None:
    assert read(body) is None
    subscription = Subscription("ipc:///here", now_ns=0)
    frames = encode_answer(JsonAnswer(b"1", "snapshot", body))
    subscription.on_history(frames, 0)
    assert isinstance(decode_answer(frames), JsonAnswer)
    assert not any(isinstance(item, Joined) for item in subscription.take())
