"""What the journal holds: records in chains, each bound to the one before it by its hash.

    genesis ──► record 1 ──► record 2 ──► ... ──► record n        hash n = SHA-256(hash n-1 ‖ body n)

A table has one chain, named after it; what people send has another, `COMMANDS`. The hash of the last record, the
head, proves all of them: any change, removal or insertion before it gives another head.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from feed.events import Event, genesis, kind_of, link

__all__ = [
    "COLUMNS",
    "COMMAND",
    "COMMANDS",
    "BodyError",
    "Columns",
    "Entry",
    "Head",
    "Record",
    "column_differences",
    "columns_of",
    "genesis",
    "is_as_its_body_states",
    "link",
    "nothing",
]

COMMANDS: Final = "@commands"
"""The chain of commands. No table can be called so."""
COMMAND: Final = "command"
"""The kind of a record of that chain."""
COLUMNS: Final = "n, chain, seq, id, epoch, kind, round, time, topic, body, hash"
"""Of the table of records, in the order of `Record`."""


class Entry(NamedTuple):
    """A record that is to be written."""

    chain: str
    """A table's id, or `COMMANDS`."""
    seq: int
    """Its number in the chain, from 1 without a gap, over restarts too."""
    id: str
    """An event's `id`; of a command, the id under which it must not be carried out twice."""
    epoch: str
    """The start of the service that wrote it."""
    kind: str
    """`round.outcome`, `command`, …"""
    round: int | None
    time: str
    topic: str
    """Under which it is published; empty where it is not."""
    body: bytes
    """JSON, exactly as it is published."""

    @classmethod
    def of(cls, event: Event, body: bytes, topic: str | None = None) -> Entry:
        """The entry of a durable event, its encoded body, and its topic where that is at hand.

        Raises:
            ValueError: the event is not durable.
        """
        seq = event.seq
        if seq is None:
            raise ValueError(f"{event.id} is not durable: it has no sequence, and is published without the journal")
        if topic is None:
            topic = event.topic
        kind = topic.rsplit("/", 2)[-2]
        data = event.data
        return cls(data.table, seq, event.id, event.epoch, kind, getattr(data, "round", None), event.time, topic, body)


class Head(NamedTuple):
    """The last record of a chain; seq 0 and the hash of nothing where there is none."""

    seq: int
    epoch: str
    hash: str
    """In hexadecimal."""


class Record(NamedTuple):
    """A record as it is in the file; `n` counts over all chains."""

    n: int
    chain: str
    seq: int
    id: str
    epoch: str
    kind: str
    round: int | None
    time: str
    topic: str
    body: bytes
    hash: bytes


def nothing(chain: str) -> Head:
    """The head of a chain without a record."""
    return Head(0, "", genesis(chain).hex())


# --- what the body of a record states of the columns beside it --------------------------------------------------------
#
# The columns are not part of the hash. The body is, and vouches for them: all that they hold of an event or a command
# is in it too.

_MOST_DIGITS: Final = 18
"""Of an event's number: SQLite holds every number of this many."""
_SEQUENCE_DIGITS: Final = 20
"""The width of `sequence`, which states the number with zeros before it."""


class RecordRow(Protocol):
    """A record of a file that is not verified: any column may hold a value of any type."""

    @property
    def chain(self) -> object:
        """A table's id, or `COMMANDS`."""

    @property
    def seq(self) -> object:
        """Its number in the chain."""

    @property
    def id(self) -> object:
        """Of the event or command."""

    @property
    def epoch(self) -> object:
        """The start of the service that wrote it."""

    @property
    def time(self) -> object:
        """The wall time."""

    @property
    def body(self) -> bytes:
        """JSON."""


class Columns(NamedTuple):
    """The columns that a body vouches for, in the order of the table."""

    chain: object
    seq: object
    id: object
    epoch: object
    kind: object
    round: object
    time: object
    topic: object


class BodyError(ValueError):
    """A body is not an event, or not a command."""


class _Data(msgspec.Struct, gc=False):
    table: str
    simulated: bool
    round: int | None = None


class _Event(msgspec.Struct, gc=False):
    id: str
    type: str
    time: str
    data: _Data
    sequence: str
    """Every event in a journal is durable, and has one."""


class _Command(msgspec.Struct, gc=False):
    id: str
    scope: str | None = None
    epoch: str | None = None
    time: str | None = None
    sequence: object = None
    """Every event has one, and no command."""


_EVENT: Final = msgspec.json.Decoder(_Event)
_COMMAND: Final = msgspec.json.Decoder(_Command)


def columns_of(row: RecordRow) -> Columns:
    """The columns that a row must have by its body; where the body does not state one, the row's own.

    Raises:
        BodyError: the body is not what its chain holds.
    """
    what = "a command" if row.chain == COMMANDS else "an event"
    try:
        return _of_command(row) if row.chain == COMMANDS else _of_event(row.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BodyError(f"body is not {what}: {error}") from error


def column_differences(there: Sequence[object], stated: Columns) -> dict[str, str]:
    """Of the columns of a row, in the order of `Columns`, those that are not what its body states, each with a
    sentence."""
    return {
        name: f"{name} is {_shown(one)}, and the body states {_shown(other)}"
        for name, one, other in zip(Columns._fields, there, stated, strict=True)
        # To Python 3.0 is 3, and to SQLite it is not.
        if one != other or type(one) is not type(other)
    }


def is_as_its_body_states(there: Sequence[object], body: bytes) -> bool:
    """Whether the columns of an event, in the order of `Columns`, are what its body states, faster than `columns_of`.
    False for a command too, and for what that has to look at.
    """
    try:
        event = _EVENT.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    data = event.data
    chain, seq, identity, epoch, kind, number, time, topic = there
    return (
        data.table == chain
        and data.round == number
        and event.id == identity == f"{chain}.{epoch}.{seq}"
        and kind_of(event.type) == kind
        and event.time == time
        and topic == f"{'sim/' if data.simulated else ''}v1/{chain}/{kind}/"
    )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _of_event(body: bytes) -> Columns:
    event = _EVENT.decode(body)
    data = event.data
    table = data.table
    place, _, number = event.id.rpartition(".")
    owner, _, epoch = place.rpartition(".")
    counted = number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS and not number.startswith("0")
    if owner != table or not counted:
        raise BodyError(f"body is not an event: its id is {event.id!r}, expected {table}.<epoch>.<number>")
    if event.sequence != number.zfill(_SEQUENCE_DIGITS):
        raise BodyError(f"body is not an event: its id is {event.id!r}, and its sequence {event.sequence!r}")
    kind = kind_of(event.type)
    topic = f"{'sim/' if data.simulated else ''}v1/{table}/{kind}/"
    return Columns(table, int(number), event.id, epoch, kind, data.round, event.time, topic)


def _of_command(row: RecordRow) -> Columns:
    command = _COMMAND.decode(row.body)
    if command.sequence is not None:
        raise BodyError("body is not a command: it is an event")
    identity: object
    if command.scope is not None:
        identity = f"{command.scope}:{command.id}"
    else:
        # An older body has no scope.
        identity = row.id if isinstance(row.id, str) and row.id.endswith(f":{command.id}") else command.id
    epoch = row.epoch if command.epoch is None else command.epoch
    time = row.time if command.time is None else command.time
    return Columns(COMMANDS, row.seq, identity, epoch, COMMAND, None, time, "")
