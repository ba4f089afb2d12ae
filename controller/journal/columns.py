"""What the body of a record says of the columns beside it.

The columns are not part of the hash. The body is, and vouches for them: all that they say of an event or a command is
in it too.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import msgspec

from controller.journal.records import COMMAND, COMMANDS
from feed.events import TYPE_PREFIX, TYPE_SUFFIX

_MOST_DIGITS: Final = 18
"""Of a number that SQLite can hold."""


class Row(Protocol):
    """A record as it stands in a file: what should be a number or a text may be something else."""

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
    """A body is no event, or no command."""


class _Data(msgspec.Struct, gc=False):
    table: str
    simulated: bool
    round: int | None = None


class _Event(msgspec.Struct, gc=False):
    id: str
    type: str
    time: str
    data: _Data


class _Command(msgspec.Struct, gc=False):
    id: str
    scope: str | None = None
    epoch: str | None = None
    time: str | None = None


_EVENT: Final = msgspec.json.Decoder(_Event)
_COMMAND: Final = msgspec.json.Decoder(_Command)


def columns_of(row: Row) -> Columns:
    """What the columns of a row must hold by its body; where that says nothing of one, what it holds.

    Raises:
        BodyError: the body is not what its chain holds.
    """
    what = "command" if row.chain == COMMANDS else "event"
    try:
        return _of_command(row) if row.chain == COMMANDS else _of_event(row.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BodyError(f"body is no {what}: {error}") from error


def _of_event(body: bytes) -> Columns:
    said = _EVENT.decode(body)
    data = said.data
    table = data.table
    place, _, number = said.id.rpartition(".")
    owner, _, epoch = place.rpartition(".")
    if owner != table or not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        raise BodyError(f"body is no event: its id is {said.id!r}, expected {table}.<epoch>.<number>")
    kind = said.type.removeprefix(TYPE_PREFIX).removesuffix(TYPE_SUFFIX)
    topic = f"{'sim/' if data.simulated else ''}v1/{table}/{kind}/"
    return Columns(table, int(number), said.id, epoch, kind, data.round, said.time, topic)


def _of_command(row: Row) -> Columns:
    said = _COMMAND.decode(row.body)
    identity: object
    if said.scope is not None:
        identity = f"{said.scope}:{said.id}"
    else:
        # An older body does not say whose id it is one of.
        identity = row.id if isinstance(row.id, str) and row.id.endswith(f":{said.id}") else said.id
    epoch = row.epoch if said.epoch is None else said.epoch
    time = row.time if said.time is None else said.time
    return Columns(COMMANDS, row.seq, identity, epoch, COMMAND, None, time, "")
