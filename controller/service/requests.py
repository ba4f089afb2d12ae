"""Requests and answers on the command socket: one JSON object each way.

    request   {"id": "7f3a", "table": "roulette-1", "command": "void", "given": {"reason": "dealer_call"}, "by": "Ann"}
    answer    {"id": "7f3a", "accepted": true, "reason": "", "events": ["roulette-1.5c….118"], "again": false}

A request with an unknown key or a value out of bounds is refused. `id` is chosen by the sender: a request that is sent
again under it is carried out once.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from controller.table.commands import LONGEST_VALUE, CommandError, command_of

MAX_GIVEN: Final = 16
LONGEST_NAME: Final = 64
"""Characters that the name of a person may have."""

RESERVED: Final = frozenset({"id", "by"})
"""Keys that the service itself adds."""

RequestId = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._:-]{0,63}\Z")]
TableId = Annotated[str, Meta(pattern=r"\A([a-z0-9]+(-[a-z0-9]+)*)?\Z", max_length=64)]
VerbName = Annotated[str, Meta(pattern=r"\A[a-z][a-z_]{0,31}\Z")]
KeyName = Annotated[str, Meta(pattern=r"\A[a-z][a-z_]{0,31}\Z")]
ValueText = Annotated[str, Meta(max_length=LONGEST_VALUE)]
SenderName = Annotated[str, Meta(max_length=LONGEST_NAME)]

_SAFE_ID = re.compile(r'"id"\s*:\s*"([A-Za-z0-9][A-Za-z0-9._:-]{0,63})"')


class RequestError(ValueError):
    """A malformed request; `request_id` is its id, where that can be read."""

    def __init__(self, detail: str, request_id: str = "") -> None:
        super().__init__(detail)
        self.request_id = request_id


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One command."""

    id: RequestId
    command: VerbName
    table: TableId = ""
    """May be left out where there is only one, and for `status` (all tables) and `quit` (which ends all)."""
    given: Annotated[dict[KeyName, ValueText], Meta(max_length=MAX_GIVEN)] = {}
    by: SenderName = ""
    """The sender's name. Over the network the key has the name, and this is ignored."""


class CommandAnswer(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """The result of a command."""

    id: str
    accepted: bool
    reason: str = ""
    """Why it is refused; of an accepted one what happened, beside its events."""
    events: list[str] = []
    """The ids of the events that it caused."""
    again: bool = False
    """The request came before: this is the answer that it had."""


class StatusAnswer(CommandAnswer, frozen=True, kw_only=True):
    """The answer to `status`."""

    status: dict[str, Any] = {}


_DECODER = msgspec.json.Decoder(Request)
_ENCODER = msgspec.json.Encoder()


def decode_request(body: bytes) -> Request:
    """The request in a message.

    Raises:
        RequestError: it is malformed; the detail states what was expected.
    """
    try:
        request = _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(f"no request: {error}", _visible_id(body)) from error
    _check(request)
    return request


def encode_request(request: Request) -> bytes:
    """The message of a request."""
    return _ENCODER.encode(request)


def encode_answer(answer: CommandAnswer) -> bytes:
    """The message of an answer."""
    return _ENCODER.encode(answer)


def decode_answer(body: bytes) -> StatusAnswer:
    """The answer in a message.

    Raises:
        RequestError: it is malformed.
    """
    try:
        return msgspec.json.decode(body, type=StatusAnswer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(f"no answer: {error}") from error


def _check(request: Request) -> None:
    """Checks what the types do not."""
    for key in RESERVED & request.given.keys():
        raise RequestError(f'"{key}" is not given among the others: it is beside them', request.id)
    try:
        command_of(request.command, {**request.given, "by": request.by})
    except CommandError as error:
        raise RequestError(str(error), request.id) from error


def _visible_id(body: bytes) -> str:
    """The id of a malformed request, for its answer; empty where it cannot be read."""
    found = _SAFE_ID.search(body[:1024].decode("ascii", "replace"))
    return "" if found is None else found[1]
