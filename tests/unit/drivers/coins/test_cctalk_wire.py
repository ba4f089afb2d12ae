"""ccTalk messages: the frames of the manuals, both checksums, and counters that skip 0."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.coins.cctalk_wire import (
    ERRORS,
    CctalkMessage,
    Checksum,
    Header,
    HopperFlag,
    crc16,
    decode,
    encode,
    error_words,
    events_between,
    flag_words,
    flags_of,
    is_rejection,
    next_count,
)

BYTES = st.integers(0, 255)


HEADERS = {
    "REPLY": 0,
    "RESET": 1,
    "NAK": 5,
    "BUSY": 6,
    "PURGE": 121,
    "COIN_ID_OF_HOPPER": 131,
    "CIPHER_KEY": 160,
    "PUMP_RNG": 161,
    "TEST_HOPPER": 163,
    "ENABLE_HOPPER": 164,
    "HOPPER_STATUS": 166,
    "DISPENSE": 167,
    "DISPENSE_COUNT": 168,
    "EMERGENCY_STOP": 172,
    "COIN_ID": 184,
    "LEVELS": 217,
    "ACCEPT_COUNT": 225,
    "INSERT_COUNT": 226,
    "GET_MASTER_INHIBIT": 227,
    "SET_MASTER_INHIBIT": 228,
    "BUFFERED_CREDIT": 229,
    "GET_INHIBITS": 230,
    "SET_INHIBITS": 231,
    "SELF_CHECK": 232,
    "SOFTWARE": 241,
    "SERIAL": 242,
    "PRODUCT": 244,
    "CATEGORY": 245,
    "MANUFACTURER": 246,
    "STATUS": 248,
    "POLL_PRIORITY": 249,
    "SIMPLE_POLL": 254,
}
"""As the public specification (Crane, issue 4.7) lists them; a simulated device takes its numbers from the driver's."""


def test_the_numbers_of_headers_and_of_the_errors_are_those_of_the_specification_and_the_manuals() -> None:
    assert {name: encode(CctalkMessage(3, header))[3] for name, header in Header.__members__.items()} == HEADERS
    assert list(ERRORS) == [*range(1, 12), 13, 14, 15, 17, 20, 23, 40, 254, 255]


CHECKSUMS: tuple[Checksum, ...] = ("simple", "crc16")


@pytest.mark.parametrize(
    ("hexadecimal", "message"),
    [
        ("02 00 01 F5 08", CctalkMessage(2, Header.CATEGORY)),
        ("01 0D 02 00 43 6F 69 6E 20 41 63 63 65 70 74 6F 72 16", CctalkMessage(1, 0, b"Coin Acceptor", 2)),
        (
            "01 0B 02 00 06 06 04 00 14 00 17 06 04 0D 02 9E",
            CctalkMessage(1, 0, bytes.fromhex("06 06 04 00 14 00 17 06 04 0D 02"), 2),
        ),
        ("03 00 01 A3 59", CctalkMessage(3, Header.TEST_HOPPER)),
        ("01 01 03 00 80 7B", CctalkMessage(1, 0, b"\x80", 3)),
        ("03 01 01 A4 A5 B2", CctalkMessage(3, Header.ENABLE_HOPPER, b"\xa5")),
        ("03 04 01 A7 DF D7 0A 01 90", CctalkMessage(3, Header.DISPENSE, bytes.fromhex("DF D7 0A 01"))),
        ("01 01 03 00 01 FA", CctalkMessage(1, 0, b"\x01", 3)),
        ("03 00 01 AC 50", CctalkMessage(3, Header.EMERGENCY_STOP)),
    ],
)
def test_the_frames_of_the_manuals(hexadecimal: str, message: CctalkMessage) -> None:
    wire = bytes.fromhex(hexadecimal)
    assert decode(wire) == message
    assert encode(message) == wire


def test_a_printed_frame_that_does_not_add_up_is_none() -> None:
    assert decode(bytes.fromhex("01 01 03 00 80 BA")) is None


def test_the_crc_is_that_of_ccitt_with_the_initial_value_0() -> None:
    assert crc16(b"123456789") == 0x31C3
    assert encode(CctalkMessage(3, Header.SIMPLE_POLL), "crc16") == bytes(
        (3, 0, crc16(b"\x03\x00\xfe") & 255, 254)
    ) + bytes((crc16(b"\x03\x00\xfe") >> 8,))


@given(st.sampled_from(CHECKSUMS), BYTES, BYTES, st.binary(max_size=255), BYTES)
def test_what_is_encoded_is_decoded(checksum: Checksum, to: int, header: int, data: bytes, source: int) -> None:
    message = CctalkMessage(to, header, data, source if checksum == "simple" else None)
    assert decode(encode(message, checksum), checksum) == message


@given(st.sampled_from(CHECKSUMS), st.binary(max_size=30), st.integers(0, 400), st.integers(0, 7))
def test_a_broken_bit_is_always_found(checksum: Checksum, data: bytes, place: int, bit: int) -> None:
    wire = bytearray(encode(CctalkMessage(2, Header.BUFFERED_CREDIT, data), checksum))
    wire[place % len(wire)] ^= 1 << bit
    assert decode(bytes(wire), checksum) is None


@given(st.sampled_from(CHECKSUMS), st.binary(max_size=300))
def test_no_bytes_break_the_decoder(checksum: Checksum, data: bytes) -> None:
    message = decode(data, checksum)
    assert message is None or encode(message, checksum) == data


def test_too_much_data_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 255 bytes of data, not 256"):
        encode(CctalkMessage(2, 0, bytes(256)))


@given(st.integers(0, 255), st.integers(0, 254))
def test_the_events_between_two_counters_are_those_counted(before: int, events: int) -> None:
    after = before
    for _ in range(events):
        after = next_count(after)
    assert after != 0 or events == 0
    assert events_between(before, after) == events


def test_the_counter_skips_0() -> None:
    assert next_count(254) == 255
    assert next_count(255) == 1
    assert next_count(0) == 1
    assert events_between(254, 2) == 3


def test_every_error_code_has_words() -> None:
    assert error_words(20) == "a string was detected"
    assert error_words(128) == "coin 1, which is inhibited, was rejected"
    assert error_words(99) == "error 99, which no manual here explains"
    assert {code for code in ERRORS if is_rejection(code)} == {1, 2, 3, 5, 8, 13, 23, 254}
    assert is_rejection(143)
    assert not is_rejection(144)


def test_flags_come_in_one_to_three_bytes() -> None:
    assert flags_of(b"\x82") == HopperFlag.DISABLED | HopperFlag.PAYOUT_TIMEOUT
    assert flags_of(b"\x00\x08\x01") == HopperFlag.OPTO_FRAUD | HopperFlag.POWER_DOWN_IN_PAYOUT
    assert flag_words(flags_of(b"\x82")) == "payout timeout, disabled"
    assert flags_of(b"\x00\x00\xff") == flags_of(b"\x00\x00\x1f")
