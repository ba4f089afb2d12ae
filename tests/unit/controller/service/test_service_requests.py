"""Requests and answers of the command socket: strict, with a reason for each refusal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.service.requests import (
    CommandAnswer,
    Request,
    RequestError,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
)
from controller.table.commands import command_of
from hal.capture.command_text import command_text, read_command

GOOD = {"id": "7f3a", "table": "roulette-1", "command": "void", "given": {"reason": "dealer_call"}, "by": "Ann"}


def body(**changes: object) -> bytes:
    return json.dumps(GOOD | changes).encode()


def test_a_request_is_read() -> None:
    request = decode_request(body())
    assert request == Request(id="7f3a", table="roulette-1", command="void", given={"reason": "dealer_call"}, by="Ann")
    assert decode_request(encode_request(request)) == request


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"id": ""}, "matching regex"),
        ({"id": "x" * 65}, "matching regex"),
        ({"id": "a b"}, "matching regex"),
        ({"id": 7}, "Expected `str`"),
        ({"table": "Roulette"}, "matching regex"),
        ({"command": "void; rm"}, "matching regex"),
        ({"command": ""}, "matching regex"),
        ({"given": {"why": 7}}, "Expected `str`"),
        ({"given": {"Why": "x"}}, "matching regex"),
        ({"given": {"why": "x" * 501}}, "length <= 500"),
        ({"given": {f"k_{chr(97 + i)}": "x" for i in range(17)}}, "length <= 16"),
        ({"given": {"id": "x"}}, "is beside"),
        ({"given": {"by": "x"}}, "is beside"),
        ({"given": {"why": "a\u0000b"}}, "printed"),
        ({"by": "\u001b[31mAnn"}, "printed"),
        ({"by": "x" * 65}, "length <= 64"),
        ({"shout": True}, "unknown field"),
    ],
)
def test_a_malformed_request_is_refused_with_the_reason(changes: dict[str, object], what: str) -> None:
    with pytest.raises(RequestError, match=what):
        decode_request(body(**changes))


@pytest.mark.parametrize("wrong", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"7", b"[" * 5000])
def test_what_is_no_json_object_is_no_request(wrong: bytes) -> None:
    with pytest.raises(RequestError, match="no request"):
        decode_request(wrong)


def test_the_error_of_a_malformed_request_has_its_id() -> None:
    with pytest.raises(RequestError) as raised:
        decode_request(body(command="VOID"))
    assert raised.value.request_id == "7f3a"


@given(st.binary(max_size=400))
def test_any_bytes_are_a_request_or_an_error(wrong: bytes) -> None:
    try:
        decode_request(wrong)
    except RequestError as error:
        assert str(error)


@given(why=st.text(max_size=100).filter(str.isprintable))
def test_no_value_can_pass_for_another_key_or_another_sender(why: str) -> None:
    request = Request(id="7f3a", command="void", given={"reason": "dealer_call", "why": why})
    command = command_of(request.command, {**request.given, "by": "ann"}, 5, "@local:7f3a")
    assert read_command(command_text(command), 5) == command
    assert dict(command.given) == {"reason": "dealer_call", "why": " ".join(why.split()), "by": "ann"}


def test_an_answer_is_read_as_it_was_written() -> None:
    answer = CommandAnswer(id="7f3a", accepted=False, reason="no round is open", events=["a.b.1"], again=True)
    read = decode_answer(encode_answer(answer))
    assert (read.id, read.accepted, read.reason, read.events, read.again, read.status) == (
        "7f3a",
        False,
        "no round is open",
        ["a.b.1"],
        True,
        {},
    )
    assert json.loads(encode_answer(answer)).keys() == {"id", "accepted", "reason", "events", "again"}


def test_a_malformed_answer_is_an_error() -> None:
    with pytest.raises(RequestError, match="no answer"):
        decode_answer(b'{"id": 7}')
