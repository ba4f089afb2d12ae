"""The frames between a client and the history server."""

from __future__ import annotations

import pytest

from feed.wire import (
    AskSchema,
    AskSeals,
    AskSince,
    AskSnapshot,
    AskTables,
    EndAnswer,
    EndOfEvents,
    RequestRefusal,
    WireError,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
)


def test_requests_are_an_id_a_verb_and_arguments() -> None:
    assert encode_request(AskTables(b"1")) == [b"1", b"tables"]
    assert encode_request(AskSnapshot(b"2", "wheel-1")) == [b"2", b"snapshot", b"wheel-1"]
    assert encode_request(AskSince(b"3", "wheel-1", "ab12", 17)) == [b"3", b"since", b"wheel-1", b"ab12", b"17"]
    assert encode_request(AskSchema(b"4")) == [b"4", b"schema"]
    assert encode_request(AskSeals(b"5")) == [b"5", b"seals"]


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ([], "begins with an id of 1 to 32 bytes, here: nothing"),
        ([b"", b"tables"], "begins with an id of 1 to 32 bytes, here: ''"),
        ([b"i" * 33, b"tables"], "begins with an id of 1 to 32 bytes"),
        ([b"1"], "2 to 5 frames, not 1"),
        ([b"1", *[b"since"] * 100], "2 to 5 frames, not 101"),
        ([b"1", b"sinc", b"t"], "the verbs are tables, snapshot, since, seals and schema, here: 'sinc'"),
        ([b"1", b"\x1b[2J"], r"here: '\x1b[2J'"),
        ([b"1", b"tables", b"x"], "tables takes no argument, not 1 arguments"),
        ([b"1", b"snapshot"], "snapshot takes the table, not 0 arguments"),
        ([b"1", b"snapshot", b"Wheel"], "a table's id is lower-case letters, digits and hyphens, here: 'Wheel'"),
        ([b"1", b"snapshot", b"a" * 65], "a table's id"),
        ([b"1", b"snapshot", b""], "a table's id"),
        ([b"1", b"snapshot", b"wheel\n"], "a table's id"),
        ([b"1", b"since", b"t", b"a b", b"0"], "an epoch is letters and digits, or nothing, here: 'a b'"),
        ([b"1", b"since", b"t", b"", b"-1"], "a seq is a whole number from 0 to 9223372036854775807, here: '-1'"),
        ([b"1", b"since", b"t", b"", b"01"], "a seq is a whole number"),
        ([b"1", b"since", b"t", b"", b"9223372036854775808"], "a seq is a whole number"),
        ([b"1", b"since", b"t", b"", "٣".encode()], "a seq is a whole number"),
    ],
)
def test_a_malformed_request_error_says_what_was_expected_and_received(frames: list[bytes], said: str) -> None:
    with pytest.raises(WireError) as caught:
        decode_request(frames)
    assert said in str(caught.value)
    assert caught.value.request_id == (frames[0] if frames and 1 <= len(frames[0]) <= 32 else None)


def test_the_end_of_events_has_the_last_event_and_where_they_began() -> None:
    end = EndOfEvents(table="wheel-1", epoch="ab", last=17, head="00ff", after=3)
    frames = encode_answer(EndAnswer(b"1", more=False, end=end))
    assert frames == [b"1", b"done", b'{"table":"wheel-1","epoch":"ab","last":17,"head":"00ff","from":3}']
    assert decode_answer(frames) == EndAnswer(b"1", False, end)
    assert encode_answer(EndAnswer(b"1", more=True, end=end))[1] == b"more"


def test_a_refusal_leaves_out_what_does_not_apply() -> None:
    frames = [b"1", b"error", b'{"code":"busy","detail":"later"}']
    answer = decode_answer(frames)
    assert answer == (b"1", RequestRefusal(code="busy", detail="later"))
    assert encode_answer(answer) == frames


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ([b"1", b"done"], "an answer has an id, a kind and a content"),
        ([b"", b"done", b"{}"], "an answer has an id, a kind and a content"),
        ([b"1", b"event", b"t/"], "an event has a topic and a body, not 1 frames"),
        ([b"1", b"done", b"{}", b"{}"], "one frame of content, not 2: 'done'"),
        ([b"1", b"done", b"{}"], "the content of 'done' is wrong: Object missing required field `table`"),
        ([b"1", b"error", b"\xff"], "the content of 'error' is wrong"),
        ([b"1", b"hello", b"{}"], "no answer is called 'hello'"),
    ],
)
def test_a_malformed_answer_error_says_what_was_expected_and_received(frames: list[bytes], said: str) -> None:
    with pytest.raises(WireError) as caught:
        decode_answer(frames)
    assert said in str(caught.value)


@pytest.mark.parametrize("kind", [b"done", b"tables", b"error"])
def test_a_deeply_nested_answer_is_an_error(kind: bytes) -> None:
    with pytest.raises(WireError, match=r"the content of '.*' is wrong"):
        decode_answer([b"1", kind, b'{"x":' + b"[" * 200_000])
