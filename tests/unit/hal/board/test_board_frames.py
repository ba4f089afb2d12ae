"""Frames and their stuffing: what goes in comes out, and what is broken is said to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.board import cobs, frames
from hal.board.message import MessageError
from hal.board.messages import AliveCommand, EdgesReport, NameBoardCommand, SetCommand
from hal.framing import Framed


@pytest.mark.parametrize(
    ("data", "encoded"),
    [
        ("", "01"),
        ("00", "0101"),
        ("0000", "010101"),
        ("11220033", "0311220233"),
        ("11223344", "0511223344"),
        ("11000000", "0211010101"),
        ("01" * 254, "ff" + "01" * 254),
        ("01" * 255, "ff" + "01" * 254 + "0201"),
        ("01" * 254 + "00", "ff" + "01" * 254 + "0101"),
    ],
)
def test_the_examples_of_the_paper_are_encoded_as_it_says(data: str, encoded: str) -> None:
    assert cobs.encode(bytes.fromhex(data)).hex() == encoded
    assert cobs.decode(bytes.fromhex(encoded)).hex() == data


@given(st.binary(max_size=600))
def test_an_encoding_has_no_zero_and_decodes_to_what_it_was(data: bytes) -> None:
    encoded = cobs.encode(data)
    assert 0 not in encoded
    assert len(encoded) <= len(data) + len(data) // 254 + 1
    assert cobs.decode(encoded) == data


def test_a_zero_and_a_run_past_the_end_are_no_encoding() -> None:
    with pytest.raises(cobs.CobsError, match="a zero at byte 1"):
        cobs.decode(b"\x02\x00")
    with pytest.raises(cobs.CobsError, match="the run at byte 0 is 4 long, and only 1 follow"):
        cobs.decode(b"\x05\x11")


def test_a_frame_is_as_documented_for_the_wire() -> None:
    data = frames.encode(7, SetCommand(2, 255, 1000))
    assert data.endswith(b"\0") and data.count(b"\0") == 1
    inside = cobs.decode(data[:-1])
    assert inside[:7].hex() == "0907090" + "2ffe803"
    assert frames.decode(data[:-1]) == frames.BoardFrame(7, SetCommand.id, bytes.fromhex("02ffe803"))


def test_a_frame_that_would_be_too_long_is_refused() -> None:
    with pytest.raises(frames.FrameError, match="65 bytes; at most 64"):
        frames.encode(1, EdgesReport(0, 0, 1, bytes(51)))


def test_a_value_that_does_not_fit_its_field_is_refused() -> None:
    with pytest.raises(MessageError, match="SetCommand"):
        frames.encode(1, SetCommand(1, 256, 0))


def broken(change: bytes) -> str:
    with pytest.raises(frames.FrameError) as caught:
        frames.decode(change)
    return str(caught.value)


def test_broken_frames_are_refused_with_the_reason() -> None:
    sound = cobs.decode(frames.encode(3, NameBoardCommand(0x01020304))[:-1])
    assert "CRC" in broken(cobs.encode(sound[:4] + b"\x09" + sound[5:]))
    assert "its own length says 9" in broken(cobs.encode(sound[:-1]))
    assert "4 bytes; expected 5 to 64" in broken(cobs.encode(sound[:4]))
    assert "65 bytes; expected 5 to 64" in broken(cobs.encode(bytes(65)))
    assert "no COBS" in broken(b"\xff")
    assert "0 bytes" in broken(b"")


def test_one_broken_byte_of_a_short_frame_is_always_found() -> None:
    piece = frames.encode(77, AliveCommand())[:-1]
    for at in range(len(piece)):
        for turned in range(1, 256):
            change = piece[:at] + bytes((piece[at] ^ turned,)) + piece[at + 1 :]
            broken(change)


def test_the_time_on_the_wire_is_ten_bits_a_byte() -> None:
    assert frames.wire_ns(25) == 1_000_000


@given(st.lists(st.binary(max_size=90)), st.lists(st.integers(0, 400)))
def test_the_framer_cuts_at_zeros_however_the_stream_is_cut(parts: list[bytes], cuts: list[int]) -> None:
    stream = b"\0".join(parts) + b"\0"
    pieces = [piece for piece in stream.split(b"\0") if piece]
    whole = frames.BoardFramer().feed(stream)
    assert whole == Framed([p for p in pieces if len(p) <= 65], sum(1 for p in pieces if len(p) > 65))
    framer, got, overlong = frames.BoardFramer(), [], 0
    at = 0
    for cut in [*cuts, len(stream)]:
        framed = framer.feed(stream[at : at + cut])
        at += cut
        got += framed.frames
        overlong += framed.overlong
    assert Framed(got, overlong) == whole


def test_a_stream_that_was_interrupted_begins_again() -> None:
    framer = frames.BoardFramer()
    framer.feed(b"\x02\x11")
    framer.reset()
    assert framer.feed(b"\x03\x11\x22\0") == Framed([b"\x03\x11\x22"], 0)
