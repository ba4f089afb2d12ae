"""The messages of ccTalk, as the public specification (Crane, issue 4.7) and the manuals of devices have them.

    simple    destination │ length of data │ source  │ header │ data … │ checksum     all bytes add up to 0 modulo 256
    CRC       destination │ length of data │ CRC low │ header │ data … │ CRC high     CRC-CCITT over all other bytes

A host asks, and the device that is addressed answers: header 0 with data, or none to acknowledge; 5 refuses, 6 is busy.
With a CRC the source is not on the wire: who answers is who was asked.
"""

from __future__ import annotations

import binascii
from enum import IntEnum, IntFlag
from typing import Final, Literal, NamedTuple, TypeAlias

Checksum: TypeAlias = Literal["simple", "crc16"]

HOST: Final = 1
AROUND: Final = 5
"""Bytes of a message beside its data."""
LONGEST: Final = 255 + AROUND


class Header(IntEnum):
    """What a message is about. Those that the controller sends, or that a device must answer."""

    REPLY = 0
    RESET = 1
    NAK = 5
    BUSY = 6
    PURGE = 121
    COIN_ID_OF_HOPPER = 131
    CIPHER_KEY = 160
    PUMP_RNG = 161
    TEST_HOPPER = 163
    ENABLE_HOPPER = 164
    HOPPER_STATUS = 166
    DISPENSE = 167
    DISPENSE_COUNT = 168
    EMERGENCY_STOP = 172
    COIN_ID = 184
    LEVELS = 217
    ACCEPT_COUNT = 225
    INSERT_COUNT = 226
    GET_MASTER_INHIBIT = 227
    SET_MASTER_INHIBIT = 228
    BUFFERED_CREDIT = 229
    GET_INHIBITS = 230
    SET_INHIBITS = 231
    SELF_CHECK = 232
    SOFTWARE = 241
    SERIAL = 242
    PRODUCT = 244
    CATEGORY = 245
    MANUFACTURER = 246
    STATUS = 248
    POLL_PRIORITY = 249
    SIMPLE_POLL = 254


ENABLE_BYTE: Final = 0xA5
"""With which `ENABLE_HOPPER` enables it; any other disables it."""
EVENTS_HELD: Final = 5
"""Credits and errors that an acceptor holds; older ones are lost."""
CREDIT_BYTES: Final = 1 + 2 * EVENTS_HELD
COUNTS: Final = 255
"""Values of an event counter that follow each other: 1 to 255; 0 only after a reset."""
COINS: Final = 16


class CctalkMessage(NamedTuple):
    """One message."""

    destination: int
    header: int
    data: bytes = b""
    source: int | None = HOST
    """None where the wire does not carry it: with a CRC."""


def encode(message: CctalkMessage, checksum: Checksum = "simple") -> bytes:
    """The message as it goes over the wire.

    Raises:
        ValueError: a number is not a byte, or there is too much data.
    """
    if len(message.data) > 255:
        raise ValueError(f"ccTalk: at most 255 bytes of data, not {len(message.data)}")
    if checksum == "crc16":
        head = bytes((message.destination, len(message.data)))
        tail = bytes((message.header,)) + message.data
        crc = crc16(head + tail)
        return head + bytes((crc & 0xFF,)) + tail + bytes((crc >> 8,))
    source = HOST if message.source is None else message.source
    body = bytes((message.destination, len(message.data), source, message.header)) + message.data
    return body + bytes((-sum(body) & 0xFF,))


def length_of(data: bytes) -> int | None:
    """The length of the message with which the bytes begin; None where that does not show yet."""
    return None if len(data) < 2 else data[1] + AROUND


def decode(data: bytes, checksum: Checksum = "simple") -> CctalkMessage | None:
    """The message that the bytes are, no more and no less; None where they are none."""
    if length_of(data) != len(data):
        return None
    if checksum == "crc16":
        if crc16(data[:2] + data[3:-1]) != data[2] | data[-1] << 8:
            return None
        return CctalkMessage(data[0], data[3], data[4:-1], None)
    if sum(data) & 0xFF:
        return None
    return CctalkMessage(data[0], data[3], data[4:-1], data[2])


def crc16(data: bytes) -> int:
    """CRC-CCITT: polynomial 0x1021, initial value 0, most significant bit first."""
    return binascii.crc_hqx(data, 0)


def next_count(counter: int) -> int:
    """The value after this one: 255 is followed by 1."""
    return counter % COUNTS + 1


def events_between(before: int, after: int) -> int:
    """How many events are between two values of a counter, modulo 255; from 0 it counts up to the value."""
    return after if before == 0 else (after - before) % COUNTS


# --- acceptors -------------------------------------------------------------------------------------------------------

ERRORS: Final[dict[int, str]] = {
    1: "a coin was rejected",
    2: "an inhibited coin was rejected",
    3: "a coin fits two types and was rejected",
    4: "its wake-up sensor gave no sign in time",
    5: "a coin was not validated in time",
    6: "a coin did not reach the credit sensor in time",
    7: "a coin did not reach the sorter's sensor in time",
    8: "a second coin came too close",
    9: "its gate was not ready",
    10: "its credit sensor was not ready",
    11: "its sorter was not ready",
    13: "it was busy",
    14: "its credit sensor is blocked",
    15: "its sorter's sensor is blocked",
    17: "a coin moved backwards",
    20: "a string was detected",
    23: "a coin was rejected",
    40: "light from outside was detected",
    254: "its return lever was pressed",
    255: "an error without a name",
}
"""The error codes of acceptors, as the manuals of `drivers.coins` list them."""
FIRST_INHIBITED: Final = 128
"""From this error code on a code names an inhibited coin: 128 is the first."""
REJECTED: Final = frozenset({1, 2, 3, 5, 8, 13, 23, 254})
"""Codes after which the coin is back with the player, and nothing is wrong with the acceptor."""


def error_words(code: int) -> str:
    """An error of an acceptor in words."""
    if FIRST_INHIBITED <= code < FIRST_INHIBITED + COINS:
        return f"coin {code - FIRST_INHIBITED + 1}, which is inhibited, was rejected"
    return ERRORS.get(code, f"error {code}, which no manual here explains")


def is_rejection(code: int) -> bool:
    """Whether nothing is wrong with the acceptor after this code."""
    return code in REJECTED or FIRST_INHIBITED <= code < FIRST_INHIBITED + COINS


# --- hoppers ---------------------------------------------------------------------------------------------------------


class HopperFlag(IntFlag):
    """What a hopper reports to a test: the first byte, then the second and the third where it has them."""

    OVER_CURRENT = 1 << 0
    PAYOUT_TIMEOUT = 1 << 1
    MOTOR_REVERSED = 1 << 2
    OPTO_BLOCKED_IDLE = 1 << 3
    OPTO_SHORT_IDLE = 1 << 4
    OPTO_BLOCKED_PAYOUT = 1 << 5
    POWER_UP = 1 << 6
    DISABLED = 1 << 7
    OPTO_SHORT_PAYOUT = 1 << 8
    SINGLE_COIN = 1 << 9
    USE_OTHER = 1 << 10
    OPTO_FRAUD = 1 << 11
    REVERSE_LIMIT = 1 << 12
    COIL_FAULT = 1 << 13
    POWER_FAIL = 1 << 14
    PIN = 1 << 15
    POWER_DOWN_IN_PAYOUT = 1 << 16
    UNKNOWN_COIN = 1 << 17
    PIN_WRONG = 1 << 18
    KEY_WRONG = 1 << 19
    ENCRYPTED = 1 << 20


NO_TROUBLE: Final = (
    HopperFlag.MOTOR_REVERSED
    | HopperFlag.POWER_UP
    | HopperFlag.DISABLED
    | HopperFlag.SINGLE_COIN
    | HopperFlag.POWER_FAIL
    | HopperFlag.POWER_DOWN_IN_PAYOUT
)
"""What a hopper in order reports too."""
EMPTY: Final = HopperFlag.PAYOUT_TIMEOUT | HopperFlag.USE_OTHER
"""What a hopper without tokens reports: none came within its time."""
FRAUD: Final = HopperFlag.OPTO_SHORT_IDLE | HopperFlag.OPTO_SHORT_PAYOUT | HopperFlag.OPTO_FRAUD


def flags_of(data: bytes) -> HopperFlag:
    """The flags of a test, from as many bytes as the hopper has."""
    return HopperFlag(int.from_bytes(data[:3], "little") & sum(HopperFlag))


def flag_words(flags: HopperFlag) -> str:
    """Flags in words."""
    return ", ".join((flag.name or "").lower().replace("_", " ") for flag in HopperFlag if flag in flags)


class HopperStatus(NamedTuple):
    """What a hopper answers to `HOPPER_STATUS`."""

    event: int
    """Counts payouts: 1 to 255, and 1 again; 0 after a reset."""
    remaining: int
    """Tokens of the payout under way."""
    paid: int
    """Of the last payout; kept over power cuts."""
    unpaid: int
    """Of the last payout; kept over power cuts."""
