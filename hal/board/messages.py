"""Messages of boards and hosts, as `firmware/wire/messages.toml` has them.

The classes here name the fields, so that they have types. All else (ids, layouts, kinds of boards, protocols, and what
a field means) is in the table, which is bound to them below: a class that differs from it is an error at once.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from struct import Struct
from typing import Any, Final, TypeVar

from hal.board.message import BoardAnswer, BoardCommand, BoardKind, BoardMessage, BoardReport
from hal.board.wire_table import TABLE, WireMessage, WireTableError, late_ns, read

_TABLE: Final = read(TABLE)

PROTOCOL: Final[int] = _TABLE.values["protocol"]
DICTIONARY: Final = _TABLE.hash
TICK_HZ: Final[int] = _TABLE.values["tick_hz"]
BAUD: Final[int] = _TABLE.values["baud"]
LONGEST: Final[int] = _TABLE.values["longest"]
DEADMAN_MS: Final[int] = _TABLE.values["deadman_ms"]


class Reset(IntFlag):
    """What reset a board."""

    POWER_ON = 1
    EXTERNAL = 2
    BROWN_OUT = 4
    WATCHDOG = 8


class Flag(IntFlag):
    """The state of a board, as `state` reports it."""

    SESSION_OPEN = 1
    DEADMAN = 2
    WATCHING = 4
    STORE_FAILED = 8
    FAULT = 16
    STORE_WORN = 64
    KEYS_AMBIGUOUS = 32
    STORM = 128


class RefusalCode(IntEnum):
    """Why a board refused a command."""

    NO_SESSION = 1
    UNKNOWN_COMMAND = 2
    WRONG_LENGTH = 3
    WRONG_VALUE = 4
    BUSY = 5
    HELD_SAFE = 6
    NOT_SAFE = 7
    STORE_FAILED = 8
    SILENT = 9


# --- answers ---


class OkAnswer(BoardAnswer, frozen=True): ...


class RefusedAnswer(BoardAnswer, frozen=True):
    command: int
    why: int


class IdentityAnswer(BoardAnswer, frozen=True):
    protocol: int
    dictionary: int
    kind: int
    major: int
    minor: int
    patch: int
    build: int
    serial: int
    boots: int
    cause: int
    inputs: int
    outputs: int
    analogues: int
    counters: int
    oldest: int = 0
    hung_at: int = 0
    image: bytes = bytes(28)


class ClockAnswer(BoardAnswer, frozen=True):
    received: int
    received_high: int
    kept: int


class CountsAnswer(BoardAnswer, frozen=True):
    first: int
    second: int
    third: int
    fourth: int


class HeldAnswer(BoardAnswer, frozen=True):
    first: int


# --- commands ---


class IdentifyCommand(BoardCommand, frozen=True): ...


class OpenCommand(BoardCommand, frozen=True):
    session: int


class ClockCommand(BoardCommand, frozen=True): ...


class AliveCommand(BoardCommand, frozen=True): ...


class WatchCommand(BoardCommand, frozen=True):
    inputs: int
    pull_ups: int


class EdgesFromCommand(BoardCommand, frozen=True):
    number: int


class CountCommand(BoardCommand, frozen=True):
    a: int
    b: int
    index: int


class SampleCommand(BoardCommand, frozen=True):
    channels: int
    period_ms: int


class SetCommand(BoardCommand, frozen=True):
    output: int
    value: int
    for_ms: int


class AllSafeCommand(BoardCommand, frozen=True): ...


class CountsCommand(BoardCommand, frozen=True): ...


class NameBoardCommand(BoardCommand, frozen=True):
    serial: int


class MotorCommand(BoardCommand, frozen=True):
    speed: int
    for_ms: int
    home: int


class LampsCommand(BoardCommand, frozen=True):
    lit: bytes


class SpinCommand(BoardCommand, frozen=True):
    reel: int
    steps_per_s: int
    for_ms: int


class StopCommand(BoardCommand, frozen=True):
    reel: int
    step: int


class PayCommand(BoardCommand, frozen=True):
    payout: int
    tokens: int


class AcceptCommand(BoardCommand, frozen=True):
    on: int


class HopperCommand(BoardCommand, frozen=True):
    token_ms: int
    turns_back: int
    current: int
    errors: int


class TestCommand(BoardCommand, frozen=True): ...


class AcceptorCommand(BoardCommand, frozen=True):
    width_ms: int
    gap_ms: int


class ReelCommand(BoardCommand, frozen=True):
    reel: int
    symbols: int
    spin_ms: int
    slip: int
    steps: int
    home_least: int
    home_most: int
    turned_round: int
    held: int


class ArmCommand(BoardCommand, frozen=True):
    reel: int
    on: int


class RampCommand(BoardCommand, frozen=True):
    first: int
    ticks: bytes


class MotorLimitCommand(BoardCommand, frozen=True):
    current: int


# --- reports ---


class BootReport(BoardReport, frozen=True):
    cause: int
    boots: int
    kind: int


class EdgesReport(BoardReport, frozen=True):
    first: int
    time: int
    count: int
    packed: bytes


class StateReport(BoardReport, frozen=True):
    time: int
    next: int
    levels: int
    lost: int
    outputs: int
    flags: int
    bad_frames: int
    keys: int
    masked: int = 0


class CountReport(BoardReport, frozen=True):
    time: int
    count: int
    index_count: int
    indexes: int
    invalid: int


class SampleReport(BoardReport, frozen=True):
    number: int
    time: int
    channels: int
    values: bytes


class MotorReport(BoardReport, frozen=True):
    time: int
    speed: int
    turns: int
    pulses: int
    why: int


class LampsReport(BoardReport, frozen=True):
    lit: bytes
    dead: bytes
    stuck: bytes


class ReelReport(BoardReport, frozen=True):
    time: int
    reel: int
    moving: int
    step: int
    slips: int
    button: int
    off: int
    home: int
    why: int


class HopperReport(BoardReport, frozen=True):
    payout: int
    asked: int
    seen: int
    at_most: int
    state: int
    error: int


class CountsReport(BoardReport, frozen=True):
    first: int
    second: int
    third: int
    fourth: int


class SensorsReport(BoardReport, frozen=True):
    tested: int
    shorted: int
    dark: int


class CoinReport(BoardReport, frozen=True):
    number: int
    pulses: int


# --- the table, bound to the classes ----------------------------------------------------------------------------------

_M = TypeVar("_M", bound=BoardMessage)


def _bound(family: str, base: type[_M]) -> dict[int, type[_M]]:
    """The classes of a family by their ids, each with what the table has of it.

    Raises:
        WireTableError: the table has other messages, or other fields.
    """
    classes = {one.__name__: one for one in base.__subclasses__() if one.__module__ == __name__}
    messages = _TABLE.family(family)
    if set(classes) != {one.class_name for one in messages}:
        differ = sorted(set(classes) ^ {one.class_name for one in messages})
        raise WireTableError(f"{TABLE.name} and hal/board/messages.py have not the same {family}s: {', '.join(differ)}")
    for message in messages:
        _bind(classes[message.class_name], message)
    return {message.id: classes[message.class_name] for message in messages}


def _bind(kind: type[BoardMessage], message: WireMessage) -> None:
    fields = [(field.name, "bytes" if field.length or field.rest else "int") for field in message.fields]
    declared = [(name, kind.__annotations__[name]) for name in kind.__struct_fields__]
    if declared != fields:
        raise WireTableError(f"{kind.__name__} has the fields {declared}, and {TABLE.name} has {fields}")
    late = sum(field.since > message.since for field in message.fields)
    if len(kind.__struct_defaults__) != late:
        raise WireTableError(
            f"{kind.__name__}: give a default to the fields that a later protocol brought, and no other"
        )
    kind.__doc__ = f"{message.doc[0].upper()}{message.doc[1:]}."
    kind.id, kind.layout, kind.kinds = message.id, Struct(message.layout), message.kinds
    kind.has_rest = bool(message.fields) and message.fields[-1].rest
    kind.since, kind.older = message.since, tuple(message.older)


def _kind(name: str, has: dict[str, Any]) -> BoardKind:
    keys, lamps = has.get("keys", {}), has.get("lamps", {})
    return BoardKind(
        id=has["id"],
        oldest=has["oldest"],
        late_ns=late_ns(has),
        name=name,
        doc=has["doc"],
        inputs=_pairs(has["inputs"]),
        outputs=tuple((output, longest_ms) for output, _, longest_ms in has["outputs"]),
        analogues=_pairs(has["analogues"]),
        counters=tuple(has["counters"]),
        output_pins=tuple(pin for _, pin, _ in has["outputs"]),
        active_high=tuple(has.get("active_high", ())),
        active_low=tuple(has.get("active_low", ())),
        sense_pin=has.get("sense", ""),
        motor_current_pin=has.get("motor_current", ""),
        hopper_pins=tuple(has.get("hopper", {}).items()),
        fram_address=has.get("fram", {}).get("address", 0),
        keys=tuple(keys.get("names", ())),
        first_key_line=keys.get("first_line", 0),
        key_columns=tuple(keys.get("columns", ())),
        key_rows=tuple(keys.get("rows", ())),
        lamps=lamps.get("count", 0),
        lamp_pins=tuple((signal, pin) for signal, pin in lamps.items() if signal != "count"),
        control=tuple(has.get("control", ())),
        reels=has.get("reels", {}).get("count", 0),
    )


def _pairs(rows: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, pin) for name, pin in rows)


def _check_codes(kind: type[IntEnum] | type[IntFlag], section: str, value: str) -> None:
    has = {name.upper(): one[value] for name, one in _TABLE.values[section].items()}
    if has != {one.name: one.value for one in kind}:
        raise WireTableError(f"{kind.__name__} and [{section}] of {TABLE.name} differ")


KINDS: Final = {name: _kind(name, has) for name, has in _TABLE.values["kind"].items()}
"""Each kind of board, by its name."""
ANSWERS: Final = _bound("answer", BoardAnswer)
"""Each answer, by its id."""
COMMANDS: Final = _bound("command", BoardCommand)
"""Each command, by its id."""
REPORTS: Final = _bound("report", BoardReport)
"""Each report, by its id."""
for _message in _TABLE.family("command"):
    _command = COMMANDS[_message.id]
    _command.answer = next(one for one in ANSWERS.values() if one.id == _TABLE.values["answer"][_message.answer]["id"])
    _command.starting = _message.starts
_check_codes(Reset, "resets", "bit")
_check_codes(Flag, "flags", "bit")
_check_codes(RefusalCode, "refusals", "code")
