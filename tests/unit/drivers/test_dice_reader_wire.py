"""The three formats of reading boards: every byte is as it must be, or the line is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.dice.frame_wire import FrameCommand, ShakerFrame, ShakerFramer, encode_frame, parse_frame
from drivers.dice.reader_wire import (
    MAX_LENGTH,
    BoardLine,
    BoardState,
    Die,
    MalformedReading,
    StateWord,
    encode_line,
    encode_word,
    parse_line,
    parse_word,
)

LYING = st.sampled_from(["two_sides", "stacked", "off_table", "unread"])
DICE = st.builds(Die, st.sampled_from(["flat", "cocked"]), st.integers(1, 6)) | st.builds(Die, LYING, st.none())
LINES = st.builds(
    BoardLine, st.integers(0, 999), st.just(BoardState.RESTING), st.lists(DICE, min_size=1, max_size=5).map(tuple)
) | st.builds(
    BoardLine,
    st.integers(0, 999),
    st.sampled_from([BoardState.EMPTY, BoardState.MOVING, BoardState.FAULT]),
    st.just(()),
)
FRAMES = st.builds(ShakerFrame, st.sampled_from(FrameCommand), st.integers(0, 255), st.binary(max_size=5))


def test_a_line_is_what_the_page_says() -> None:
    line = BoardLine(17, BoardState.RESTING, (Die("flat", 4), Die("flat", 4), Die("cocked", 1)))
    assert encode_line(line) == b"D;017;R;F4F4K1;4AD6\r\n"
    assert parse_line(b"D;017;R;F4F4K1;4AD6") == line


@given(LINES)
def test_every_line_comes_back(line: BoardLine) -> None:
    data = encode_line(line)
    assert parse_line(data.removesuffix(b"\r\n")) == line
    assert len(data) - 2 <= MAX_LENGTH


@given(LINES, st.data())
def test_a_line_with_one_or_two_bytes_changed_is_refused(line: BoardLine, data: st.DataObject) -> None:
    good = encode_line(line).removesuffix(b"\r\n")
    bad = bytearray(good)
    for _ in range(data.draw(st.integers(1, 2))):
        bad[data.draw(st.integers(0, len(bad) - 1))] = data.draw(st.integers(0, 255))
    assert (
        parse_line(bytes(bad)) == line if bytes(bad) == good else isinstance(parse_line(bytes(bad)), MalformedReading)
    )


@given(st.binary(max_size=40))
def test_no_bytes_raise(data: bytes) -> None:
    parse_line(data)
    parse_word(data)
    parse_frame(data)


@pytest.mark.parametrize(
    "line",
    [
        BoardLine(1000, BoardState.MOVING),
        BoardLine(-1, BoardState.MOVING),
        BoardLine(1, BoardState.RESTING),
        BoardLine(1, BoardState.MOVING, (Die("flat", 1),)),
        BoardLine(1, BoardState.RESTING, (Die("flat", 7),)),
        BoardLine(1, BoardState.RESTING, (Die("flat", None),)),
        BoardLine(1, BoardState.RESTING, (Die("flat", 1),) * 6),
    ],
)
def test_a_line_that_cannot_be_is_not_made(line: BoardLine) -> None:
    with pytest.raises(ValueError, match="dice line"):
        encode_line(line)


@pytest.mark.parametrize(
    ("word", "data"), [("idle", b"S0"), ("shaking", b"S1"), ("received", b"S2"), ("errors", b"S90")]
)
def test_the_words_of_a_studios_shaker(word: str, data: bytes) -> None:
    said = parse_word(data)
    assert isinstance(said, StateWord)
    assert said.word == word
    assert encode_word(said) == data + b"\r\n"


@pytest.mark.parametrize("data", [b"", b"S", b"S3", b"S9", b"S00", b"s0", b"S0 ", b"S1S1"])
def test_other_words_are_refused(data: bytes) -> None:
    assert isinstance(parse_word(data), MalformedReading)


@pytest.mark.parametrize(
    ("command", "data"),
    [
        (FrameCommand.SHAKE_AND_REPORT, "7a 03 03 01 07 55"),
        (FrameCommand.START, "7a 03 04 01 08 55"),
        (FrameCommand.STOP, "7a 03 05 01 09 55"),
        (FrameCommand.QUERY, "7a 03 06 01 0a 55"),
    ],
)
def test_the_four_commands_are_those_of_the_public_code(command: FrameCommand, data: str) -> None:
    assert encode_frame(ShakerFrame(command, 1)) == bytes.fromhex(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("7a 03 06 01 0b 55", "the sum is 0A, the frame has 0B"),
        ("7a 03 07 01 0b 55", "there is no command 07"),
        ("7a 04 06 01 0b 55", "its length is given as 4, but 3 bytes follow"),
        ("7b 03 06 01 0a 55", "expected 7A"),
        ("7a 03 06 01 0a 54", "expected 7A"),
        ("7a 55", "expected 7A"),
    ],
)
def test_a_frame_that_does_not_fit_is_refused_with_the_reason(data: str, why: str) -> None:
    bad = parse_frame(bytes.fromhex(data))
    assert isinstance(bad, MalformedReading)
    assert why in bad.why


def test_a_frame_with_too_many_values_is_not_made() -> None:
    with pytest.raises(ValueError, match="at most 5 values"):
        encode_frame(ShakerFrame(FrameCommand.QUERY, 2, bytes(6)))


@given(FRAMES)
def test_every_frame_comes_back(frame: ShakerFrame) -> None:
    assert parse_frame(encode_frame(frame)) == frame


@given(st.lists(FRAMES, max_size=6), st.data())
def test_frames_are_cut_out_of_the_stream_however_it_comes(sent: list[ShakerFrame], data: st.DataObject) -> None:
    stream = b"".join(map(encode_frame, sent))
    framer, found, runs = ShakerFramer(), list[bytes](), 0
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        frames, noisy = framer.feed(stream[:size])
        found += frames
        runs += noisy
        stream = stream[size:]
    assert ([parse_frame(frame) for frame in found], runs) == (sent, 0)


@given(FRAMES, st.binary(max_size=12))
def test_after_noise_the_frames_are_found_again(frame: ShakerFrame, noise: bytes) -> None:
    framer = ShakerFramer()
    good = encode_frame(frame)
    assert framer.feed(noise + good * 4).frames[-2:] == [good, good]


def test_a_run_of_noise_is_counted_once_and_a_frame_that_was_cut_is_noise() -> None:
    framer = ShakerFramer()
    good = bytes.fromhex("7a 03 06 01 0a 55")
    assert framer.feed(b"\x00\x01\x02" + good) == ([good], 1)
    assert framer.feed(good[:4]) == ([], 0)
    assert framer.feed(good + good) == ([good, good], 1)
    framer.feed(good[:4])
    framer.reset()
    assert framer.feed(good) == ([good], 0)
