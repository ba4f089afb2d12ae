"""Events: CloudEvents 1.0 attributes around `data`, encoded to JSON and decoded, and the chain of their hashes.

The body of an event is one JSON object, `Event`. Its `data` is one of the structs of `feed.data`, named by `type`.
This module exports them too.

The chain binds a table's durable events: its head shows whether any of them was changed.

    genesis ──► event 1 ──► event 2 ──► ... ──► event n        hash n = SHA-256(hash n-1 ‖ body n)
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from typing import Final

import msgspec

from .data import (
    DATA_TYPES,
    TYPE_PREFIX,
    TYPE_SUFFIX,
    CaptureFile,
    CardOpened,
    CardSealed,
    CarriedStateChanged,
    Data,
    DeviceCleared,
    DeviceCondition,
    DeviceFault,
    DeviceWarning,
    Evidence,
    Heartbeat,
    InspectionFailed,
    InspectionPassed,
    MachineEvent,
    Meters,
    NoMoreBets,
    Outcome,
    ProcedureViolation,
    RoundCorrected,
    RoundData,
    RoundDisputed,
    RoundOpened,
    RoundProgress,
    RoundStarted,
    Settled,
    StackLoaded,
    StackOpened,
    StackSealed,
    StakeLimit,
    StatisticsKey,
    StoppedImage,
    TableClosed,
    TableLabel,
    TableNotice,
    TableOpened,
    Tumbling,
    Unknown,
    Unresolved,
    Verdict,
    Void,
    WearHistory,
    WinningBet,
    kind_of,
    type_of,
)

__all__ = [
    "DATA_TYPES",
    "SPEC_VERSION",
    "TYPE_PREFIX",
    "TYPE_SUFFIX",
    "CaptureFile",
    "CardOpened",
    "CardSealed",
    "CarriedStateChanged",
    "Data",
    "DeviceCleared",
    "DeviceCondition",
    "DeviceFault",
    "DeviceWarning",
    "Event",
    "EventError",
    "EventParts",
    "Evidence",
    "Heartbeat",
    "InspectionFailed",
    "InspectionPassed",
    "MachineEvent",
    "Meters",
    "NoMoreBets",
    "Outcome",
    "ProcedureViolation",
    "RoundCorrected",
    "RoundData",
    "RoundDisputed",
    "RoundOpened",
    "RoundProgress",
    "RoundStarted",
    "Settled",
    "StackLoaded",
    "StackOpened",
    "StackSealed",
    "StakeLimit",
    "StatisticsKey",
    "StoppedImage",
    "TableClosed",
    "TableLabel",
    "TableNotice",
    "TableOpened",
    "Tumbling",
    "Unknown",
    "Unresolved",
    "Verdict",
    "Void",
    "WearHistory",
    "WinningBet",
    "decode",
    "encode",
    "genesis",
    "kind_of",
    "link",
    "parts_of",
    "type_of",
]

SPEC_VERSION: Final = "1.0"

_ID: Final = re.compile(r"(?P<table>.+)\.(?P<epoch>[^.]+)\.(?P<serial>[1-9][0-9]{0,18}|e[1-9][0-9]{0,18})")


class EventError(ValueError):
    """A body is not an event; the message states why."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event: CloudEvents attributes around its data."""

    specversion: str = SPEC_VERSION
    id: str
    """`<table>.<epoch>.<seq>`, or `<table>.<epoch>.e<n>` of an event that is not durable."""
    source: str
    type: str
    subject: str | msgspec.UnsetType = msgspec.UNSET
    time: str
    sequence: str | msgspec.UnsetType = msgspec.UNSET
    datacontenttype: str = "application/json"
    data: Data

    @property
    def topic(self) -> str:
        """Its topic: every level ends in a slash, and that of a simulated table begins with `sim/`."""
        return f"{'sim/' if self.data.simulated else ''}v1/{self.data.table}/{kind_of(self.type)}/"

    @property
    def epoch(self) -> str:
        """The epoch: one start of the service."""
        return self.id.rsplit(".", 2)[-2]

    @property
    def seq(self) -> int | None:
        """Its number among the table's durable events; None if it is not durable."""
        return None if self.sequence is msgspec.UNSET else int(self.sequence)


class EventParts(msgspec.Struct, frozen=True, gc=False):
    """What most readers want of an event. It is made in a third of the time that an `Event` takes."""

    type: str
    time: str
    epoch: str
    seq: int | None
    """None if it is not durable."""
    data: Data


class _Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """An event whose data is not decoded yet."""

    specversion: str
    id: str
    source: str
    type: str
    subject: str | msgspec.UnsetType = msgspec.UNSET
    time: str
    sequence: str | msgspec.UnsetType = msgspec.UNSET
    datacontenttype: str = "application/json"
    data: msgspec.Raw


class _Common(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that the data of every type has, known or not."""

    table: str
    game: str
    simulated: bool
    mono_ns: int
    house_rules: bool = False


_ENCODER: Final = msgspec.json.Encoder()
_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_COMMON: Final = msgspec.json.Decoder(_Common)
_ANYTHING: Final = msgspec.json.Decoder()
_DECODERS: Final = {type_of(kind): msgspec.json.Decoder(kind) for kind in DATA_TYPES}


def encode(event: Event) -> bytes:
    """The JSON body of an event, on one line."""
    data = event.data
    if isinstance(data, Unknown):
        return _ENCODER.encode(msgspec.structs.replace(event, data=data.raw))
    return _ENCODER.encode(event)


def decode(body: bytes) -> Event:
    """The event of a body. Data of an unknown type is kept unchanged, as `Unknown`.

    Raises:
        EventError: the body is not an event.
    """
    envelope, data = _decoded(body)
    _check(envelope, data)
    return Event(
        id=envelope.id,
        source=envelope.source,
        type=envelope.type,
        subject=envelope.subject,
        time=envelope.time,
        sequence=envelope.sequence,
        datacontenttype=envelope.datacontenttype,
        data=data,
    )


def parts_of(body: bytes) -> EventParts:
    """The same in parts, of a body that is read once, and of which no event is kept.

    Raises:
        EventError: the body is not an event.
    """
    envelope, data = _decoded(body)
    epoch, seq = _check(envelope, data)
    return EventParts(envelope.type, envelope.time, epoch, seq, data)


def _decoded(body: bytes) -> tuple[_Envelope, Data]:
    try:
        envelope = _ENVELOPE.decode(body)
        return envelope, _read(envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"no event: {error}") from error


def _read(envelope: _Envelope) -> Data:
    decoder = _DECODERS.get(envelope.type)
    if decoder is not None:
        return decoder.decode(envelope.data)
    common = _COMMON.decode(envelope.data)
    # Decoded once to its end, so that `Unknown.values` cannot fail later.
    _ANYTHING.decode(envelope.data)
    return Unknown(
        table=common.table,
        game=common.game,
        simulated=common.simulated,
        mono_ns=common.mono_ns,
        house_rules=common.house_rules,
        raw=envelope.data.copy(),
    )


def _check(envelope: _Envelope, data: Data) -> tuple[str, int | None]:
    """Checks that the attributes agree: a number with two meanings is worse than none. Returns epoch and number."""
    if envelope.specversion != SPEC_VERSION:
        raise EventError(f"no event: specversion is {envelope.specversion!r}, expected {SPEC_VERSION!r}")
    parts = _ID.fullmatch(envelope.id)
    if parts is None:
        raise EventError(f"no event: id is {envelope.id!r}, expected <table>.<epoch>.<number>, or e<number> at its end")
    table, epoch, serial = parts.groups()
    if table != data.table:
        raise EventError(f"no event: id is {envelope.id!r}, and data.table is {data.table!r}")
    is_durable = serial[0] != "e"
    if envelope.sequence != (serial.zfill(20) if is_durable else msgspec.UNSET):
        seen = "missing" if envelope.sequence is msgspec.UNSET else repr(envelope.sequence)
        wanted = repr(serial.zfill(20)) if is_durable else "none"
        raise EventError(f"no event: id is {envelope.id!r}, and sequence is {seen}, expected {wanted}")
    return epoch, int(serial) if is_durable else None


@cache
def genesis(chain: str) -> bytes:
    """The hash before the first event of a table."""
    return sha256(b"feltwire journal\0" + chain.encode()).digest()


def link(previous: bytes, body: bytes) -> bytes:
    """The hash of an event, from the hash before it and its body as published."""
    return sha256(previous + body).digest()
