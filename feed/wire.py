"""The frames of the history: requests of a client and answers of the server. Used by both sides.

    request   [id] [verb] [argument...]
    answer    [id] [event] [topic] [body]         for each event, then one of
              [id] [done] [json]                  the answer is complete
              [id] [more] [json]                  ask again, after the last event
              [id] [tables | snapshot | seals | schema] [json]
              [id] [error] [json]

`id` is chosen by the client, 1 to 32 bytes, and is returned with each answer. The verbs:

    tables                      the tables that have events
    snapshot TABLE              the state of a table
    since TABLE EPOCH SEQ       every durable event after SEQ; EPOCH is that of the event at SEQ, or empty
    seals                       the signed heads of the tables
    schema                      JSON Schema of the events

Frames are checked strictly: one too many, too long or malformed is a `WireError`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

MAX_REQUEST_ID = 32
MAX_ANSWER_FRAME = 1024 * 1024
"""The longest frame a client accepts, in bytes."""
MAX_TABLE = 64
MAX_EPOCH = 64
MAX_SEQ = (1 << 63) - 1
Seq: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MAX_SEQ)]
PAGE_EVENTS = 500
"""The most events before a `more`."""

BAD_REQUEST = "bad_request"
"""The request is malformed."""
BUSY = "busy"
"""The client has too many requests waiting."""
REFUSED = "refused"
"""The client's key is not allowed."""
UNKNOWN_TABLE = "unknown_table"
"""The journal has no table of this name."""
REWRITTEN = "rewritten"
"""The event named by the request is not in the history: it is beyond its end, or has another epoch."""
UNAVAILABLE = "unavailable"
"""The history cannot be read now."""

_MAX_FRAMES = 5
_TABLE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_EPOCH = re.compile(r"[A-Za-z0-9_-]*")
_SEQ = re.compile(rb"0|[1-9][0-9]{0,18}")
_SHOWN = 40
"""Bytes of a malformed frame that an error shows."""


class WireError(ValueError):
    """Frames are not a request or not an answer; the message states what was expected and what was received.

    `request_id` is the id to answer, or None where the frames have none.
    """

    def __init__(self, detail: str, request_id: bytes | None = None) -> None:
        super().__init__(detail)
        self.request_id = request_id


class AskTables(NamedTuple):
    """Requests the list of tables that have events."""

    request_id: bytes


class AskSnapshot(NamedTuple):
    """Requests the snapshot of a table."""

    request_id: bytes
    table: str


class AskSince(NamedTuple):
    """Requests every durable event of a table after `seq`. `epoch` is that of the event at `seq`, or empty."""

    request_id: bytes
    table: str
    epoch: str
    seq: int


class AskSeals(NamedTuple):
    """Requests the newest seal of each table's chain."""

    request_id: bytes


class AskSchema(NamedTuple):
    """Requests the JSON Schema of the events."""

    request_id: bytes


HistoryRequest: TypeAlias = AskTables | AskSnapshot | AskSince | AskSeals | AskSchema


class EndOfEvents(msgspec.Struct, frozen=True, kw_only=True, rename={"after": "from"}):
    """Ends a page of events: they begin after `after` (json `from`); the rest is the last event of the journal."""

    table: str
    """The table that was asked for."""
    epoch: str
    """Of the last event in the journal."""
    last: Seq
    """`seq` of the last event in the journal."""
    head: str
    """Head of the chain, in hexadecimal."""
    after: Seq
    """The events sent begin after this `seq`: above the one requested where older events are archived."""


class RequestRefusal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a request is refused. With `rewritten`, `epoch`, `last` and `head` are of the last event in the journal."""

    code: str
    """Which kind of refusal."""
    detail: str
    """Why, in words."""
    table: str = ""
    """The table that was asked for."""
    epoch: str = ""
    """Of the last event in the journal."""
    last: Seq = 0
    """`seq` of the last event in the journal."""
    head: str = ""
    """Head of the chain, in hexadecimal."""


class TableList(msgspec.Struct, frozen=True):
    """The tables that have events."""

    tables: list[str]
    """Their ids."""


class SignedSeal(msgspec.Struct, frozen=True, kw_only=True):
    """A seal of the journal: heads of chains, signed by its service."""

    statement: str
    """What is signed, as JSON: `n`, `why`, `time`, `records`, `heads`, `previous`."""
    public_key: str
    """Of the key that signed it, Ed25519, in hexadecimal."""
    signature: str
    """Of "feltwire seal", a zero byte and the statement, in hexadecimal."""


class SealList(msgspec.Struct, frozen=True, kw_only=True):
    """Of each chain the newest seal that names it, oldest first."""

    seals: list[SignedSeal]
    """Each once."""


class EventAnswer(NamedTuple):
    """One event, exactly as it was published."""

    request_id: bytes
    topic: bytes
    body: bytes


class EndAnswer(NamedTuple):
    """The end of an answer: complete, or (`more`) as many events as fit into one."""

    request_id: bytes
    more: bool
    end: EndOfEvents


class TablesAnswer(NamedTuple):
    """The tables that have events."""

    request_id: bytes
    tables: list[str]


class JsonAnswer(NamedTuple):
    """A snapshot, seals or the schema, as JSON; `kind` is which."""

    request_id: bytes
    kind: str
    body: bytes


class ErrorAnswer(NamedTuple):
    """A refusal, and why."""

    request_id: bytes
    refusal: RequestRefusal


HistoryAnswer: TypeAlias = EventAnswer | EndAnswer | TablesAnswer | JsonAnswer | ErrorAnswer

_DOCUMENTS: Final = (b"snapshot", b"seals", b"schema")


def is_table(text: str) -> bool:
    """Whether a text is the id of a table: lower-case letters, digits and single hyphens, at most `MAX_TABLE`."""
    return len(text) <= MAX_TABLE and _TABLE.fullmatch(text) is not None


def encode_request(request: HistoryRequest) -> list[bytes]:
    """The frames of a request."""
    match request:
        case AskTables(request_id):
            return [request_id, b"tables"]
        case AskSnapshot(request_id, table):
            return [request_id, b"snapshot", table.encode()]
        case AskSince(request_id, table, epoch, seq):
            return [request_id, b"since", table.encode(), epoch.encode(), b"%d" % seq]
        case AskSeals(request_id):
            return [request_id, b"seals"]
        case AskSchema(request_id):
            return [request_id, b"schema"]


def decode_request(frames: Sequence[bytes]) -> HistoryRequest:
    """The request of frames.

    Raises:
        WireError: they are not a request.
    """
    if not frames or not 1 <= len(frames[0]) <= MAX_REQUEST_ID:
        raise WireError(f"a request begins with an id of 1 to {MAX_REQUEST_ID} bytes, here: {_shown(frames[:1])}")
    request_id = frames[0]
    if not 2 <= len(frames) <= _MAX_FRAMES:
        raise WireError(f"a request has 2 to {_MAX_FRAMES} frames, not {len(frames)}", request_id)
    arguments = frames[2:]
    match frames[1]:
        case b"tables":
            _expect(request_id, "tables", arguments, 0, "no argument")
            return AskTables(request_id)
        case b"snapshot":
            _expect(request_id, "snapshot", arguments, 1, "the table")
            return AskSnapshot(request_id, _table(arguments[0], request_id))
        case b"since":
            _expect(request_id, "since", arguments, 3, "the table, the epoch (or nothing) and the seq")
            table, epoch, seq = arguments
            return AskSince(request_id, _table(table, request_id), _epoch(epoch, request_id), _seq(seq, request_id))
        case b"seals":
            _expect(request_id, "seals", arguments, 0, "no argument")
            return AskSeals(request_id)
        case b"schema":
            _expect(request_id, "schema", arguments, 0, "no argument")
            return AskSchema(request_id)
        case verb:
            raise WireError(
                f"the verbs are tables, snapshot, since, seals and schema, here: {_shown([verb])}", request_id
            )


def encode_answer(answer: HistoryAnswer) -> list[bytes]:
    """The frames of an answer."""
    match answer:
        case EventAnswer(request_id, topic, body):
            return [request_id, b"event", topic, body]
        case EndAnswer(request_id, more, end):
            return [request_id, b"more" if more else b"done", msgspec.json.encode(end)]
        case TablesAnswer(request_id, tables):
            return [request_id, b"tables", msgspec.json.encode(TableList(tables))]
        case JsonAnswer(request_id, kind, body):
            return [request_id, kind.encode(), body]
        case ErrorAnswer(request_id, refusal):
            return [request_id, b"error", msgspec.json.encode(refusal)]


def decode_answer(frames: Sequence[bytes]) -> HistoryAnswer:
    """The answer of frames.

    Raises:
        WireError: the frames are not an answer.
    """
    if len(frames) < 3 or not 1 <= len(frames[0]) <= MAX_REQUEST_ID:
        raise WireError(f"an answer has an id, a kind and a content, here: {_shown(frames)}")
    request_id, kind, *content = frames
    if kind == b"event":
        if len(content) != 2:
            raise WireError(f"an event has a topic and a body, not {len(content)} frames", request_id)
        return EventAnswer(request_id, content[0], content[1])
    if len(content) != 1:
        raise WireError(f"this answer has one frame of content, not {len(content)}: {_shown([kind])}", request_id)
    try:
        match kind:
            case b"done" | b"more":
                return EndAnswer(request_id, kind == b"more", msgspec.json.decode(content[0], type=EndOfEvents))
            case b"tables":
                return TablesAnswer(request_id, msgspec.json.decode(content[0], type=TableList).tables)
            case b"error":
                return ErrorAnswer(request_id, msgspec.json.decode(content[0], type=RequestRefusal))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"the content of {_shown([kind])} is wrong: {error}", request_id) from error
    if kind in _DOCUMENTS:
        return JsonAnswer(request_id, kind.decode(), content[0])
    raise WireError(f"no answer is called {_shown([kind])}", request_id)


def _expect(request_id: bytes, verb: str, arguments: Sequence[bytes], count: int, what: str) -> None:
    if len(arguments) != count:
        raise WireError(f"{verb} takes {what}, not {len(arguments)} arguments", request_id)


def _table(frame: bytes, request_id: bytes) -> str:
    table = frame[: MAX_TABLE + 1].decode("ascii", "replace")
    if not is_table(table):
        raise WireError(f"a table's id is lower-case letters, digits and hyphens, here: {_shown([frame])}", request_id)
    return table


def _epoch(frame: bytes, request_id: bytes) -> str:
    epoch = frame[: MAX_EPOCH + 1].decode("ascii", "replace")
    if len(epoch) > MAX_EPOCH or not _EPOCH.fullmatch(epoch):
        raise WireError(f"an epoch is letters and digits, or nothing, here: {_shown([frame])}", request_id)
    return epoch


def _seq(frame: bytes, request_id: bytes) -> int:
    if not _SEQ.fullmatch(frame) or int(frame) > MAX_SEQ:
        raise WireError(f"a seq is a whole number from 0 to {MAX_SEQ}, here: {_shown([frame])}", request_id)
    return int(frame)


def _shown(frames: Sequence[bytes]) -> str:
    """Frames as an error shows them: their beginning, with control characters escaped."""
    if not frames:
        return "nothing"
    shown = ", ".join(repr(frame[:_SHOWN])[1:] + ("..." if len(frame) > _SHOWN else "") for frame in frames[:3])
    return shown + (f" and {len(frames) - 3} more" if len(frames) > 3 else "")
