r"""The `*X` status feed of automatic roulette wheels: parsing and encoding of its lines.

RS-232, 9600 8N1, lines end CR LF. Lines have no checksum, so a line is accepted only if all of it is well formed:

    *X;s;nnn;ww;f;vvv;d        19 bytes and CR LF, for example  *X;6;117;13;0;002;0
       │  │   │ │  │  └ 0 rotor clockwise, 1 counter-clockwise
       │  │   │ │  └ rotor rpm x 10
       │  │   │ └ one hex digit of flags
       │  │   └ last winning number: " 0".." 9", "10".."36", "00", or two spaces before the first
       │  └ spin number since power-on, wraps
       └ state 1-7

    ww                         the winning number, bare, just before the first line in state 5
    *Y;k;nnn                   a bonus; ignored
    *P OK, *o BUSY, *V 2.50    replies to commands; also *  NO and *) NO
"""

from __future__ import annotations

import re
from enum import IntEnum, IntFlag
from typing import NamedTuple, TypeAlias

SPIN_NUMBERS = 1000
"""Spin numbers have three digits and wrap."""
POCKETS = frozenset(["00", *map(str, range(37))])

_STATUS = re.compile(rb"\*X;([1-7]);([0-9]{3});([ 0-9][ 0-9]);([0-9A-Fa-f]);([0-9]{3});([01])")
_STATUS_LENGTH = 19
_BONUS = re.compile(rb"\*Y;[!-:<-~];[0-9]{3}")
_REPLY = re.compile(rb"\*[ -WZ-~] [ -~]{1,16}")
"""A real wheel replies also `*  NO` and `*) NO`: any printable character may mean the command, but `X` and `Y`."""


class WheelState(IntEnum):
    """The state of the wheel."""

    BEFORE_GAME = 1
    LAUNCH = 2
    """The game is open: bets are placed, for seconds or for minutes, and then the ball is launched.

    At the launch the rotor stops and turns the other way; after a misfire the wheel stays here and launches again."""
    BALL_IN_RIM = 3
    NO_MORE_BETS = 4
    WINNING_NUMBER = 5
    CLOSED = 6
    """The table is closed, or the wheel idle."""
    BALL_NOT_IN_TRACK = 7
    """Between no more bets and the number, on wheels that report it."""


class WheelFlag(IntFlag):
    """Problems that the wheel reports."""

    BALL_NOT_DETECTED = 1
    BALL_DIRECTION = 2
    """The ball goes the same way as the rotor."""
    FAULT = 4
    """A sensor is stuck, or the motor or encoder has failed."""
    LAUNCH_FAILED = 8
    """The wheel tries again."""


class StatusPacket(NamedTuple):
    """One status line."""

    state: WheelState
    spin_number: int
    pocket: str | None
    """The last winning number; None before the first."""
    flags: WheelFlag
    rpm_x10: int
    clockwise: bool


class BareNumber(NamedTuple):
    """The winning number alone; two stray bytes look the same."""

    pocket: str


class IgnoredLine(NamedTuple):
    """A reply to a command, or a bonus: well formed, but not used."""

    text: str


class MalformedLine(NamedTuple):
    """A line that is none of these."""

    data: bytes
    why: str


Line: TypeAlias = StatusPacket | BareNumber | IgnoredLine | MalformedLine


def parse(data: bytes) -> Line:
    """Parses a line without its CR LF; never raises."""
    status = _STATUS.fullmatch(data)
    if status is not None:
        state, number, pocket, flags, rpm_x10, direction = status.groups()
        if pocket != b"  " and (name := _pocket(pocket)) is None:
            return MalformedLine(data, f"expected a winning number at byte 9, saw {pocket!r}")
        return StatusPacket(
            WheelState(int(state)),
            int(number),
            None if pocket == b"  " else name,
            WheelFlag(int(flags, 16)),
            int(rpm_x10),
            direction == b"0",
        )
    if len(data) == 2 and (pocket_name := _pocket(data)) is not None:
        return BareNumber(pocket_name)
    if _BONUS.fullmatch(data) or _REPLY.fullmatch(data):
        return IgnoredLine(data.decode("ascii"))
    return MalformedLine(data, _why(data))


def encode(packet: StatusPacket) -> bytes:
    r"""The line of a status packet, with its CR LF.

    Raises:
        ValueError: a field does not fit its place.
    """
    if not 0 <= packet.spin_number < SPIN_NUMBERS:
        raise ValueError(f"*X packet: spin number {packet.spin_number} does not fit three digits")
    if not 0 <= packet.rpm_x10 < 1000:
        raise ValueError(f"*X packet: {packet.rpm_x10} tenths of a rpm do not fit three digits")
    pocket = "  " if packet.pocket is None else encode_bare(packet.pocket)[:2].decode("ascii")
    return (
        f"*X;{packet.state:d};{packet.spin_number:03d};{pocket};{packet.flags:X};{packet.rpm_x10:03d};"
        f"{'0' if packet.clockwise else '1'}\r\n"
    ).encode("ascii")


def encode_bare(pocket: str) -> bytes:
    """The line of a bare number, with its CR LF.

    Raises:
        ValueError: there is no such pocket.
    """
    if pocket not in POCKETS:
        raise ValueError(f"*X packet: there is no pocket {pocket!r}; expected 0 to 36 or 00")
    return f"{pocket:>2}\r\n".encode("ascii")


def _pocket(field: bytes) -> str | None:
    """The pocket in a field of two bytes; None unless it is written exactly as a wheel writes it."""
    name = field.decode("latin-1").removeprefix(" ")
    return name if name in POCKETS and f"{name:>2}".encode("latin-1") == field else None


def _why(data: bytes) -> str:
    if not data.startswith(b"*X"):
        return "expected *X, *Y, a reply or a number"
    if len(data) != _STATUS_LENGTH:
        return f"expected {_STATUS_LENGTH} bytes, saw {len(data)}"
    return "expected *X;s;nnn;ww;f;vvv;d"
