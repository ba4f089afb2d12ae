"""Broken streams of reading boards: never an exception, and never an agreed value that a sound stream did not state.

What is sound is written down here a second time, over the bytes, and shares nothing with the driver or its formats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.base.driver import Observation
from drivers.dice.observations import DiceRead
from drivers.dice.reader import DiceReader, DiceReaderConfig, Format, ReaderActuator
from drivers.dice.reader_wire import Die
from hal.values import EdgesLost, Frame
from simulators.dice.reader import READER_FAULTS, BoardChunk, DiceReaderSimulator, frames
from tests.tables.commanded import Commanded

S = 1_000_000_000
LINE = re.compile(rb"D;(\d{3});([EMRF]);((?:[A-Z][1-6-])*);([0-9A-F]{4})")


def crc(data: bytes) -> int:
    """CRC-16/CCITT-FALSE, bit by bit."""
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def is_sound_line(heard: Sequence[Frame | EdgesLost], read: DiceRead) -> bool:
    """Whether the last lines state this throw twice, at its rest, after its movement, with nothing in between."""
    wanted, rests, later_ns = b"%03d" % (read.throw or 0), 0, heard[-1].t_ns
    dice = "".join(f"F{value}" for value in read.dice).encode()
    moved = False
    for value in reversed(heard):
        if not isinstance(value, Frame):
            continue
        line = LINE.fullmatch(value.data)
        if line is None or crc(value.data[: value.data.rindex(b";") + 1]) != int(line[4], 16):
            continue
        if later_ns - value.t_ns > 2 * S:
            return False
        later_ns = value.t_ns
        if moved and line[2] != b"M":
            # Something was heard before the throw began, so it did begin.
            return rests >= 2 and line[1] != wanted
        if line[1] != wanted:
            return moved and rests >= 2
        if line[2] == b"R" and not moved:
            if line[3] != dice:
                return False
            rests += 1
        elif line[2] == b"M":
            moved = True
        else:
            return False
    return False


def is_sound_frame(heard: Sequence[Frame | EdgesLost], read: DiceRead) -> bool:
    """Whether the last frames state these values twice, after a shake, with nothing that was refused in between."""
    answers = 0
    for value in reversed(heard):
        if not isinstance(value, Frame):
            return False
        data = value.data
        if data[0] != 0x7A or data[-1] != 0x55 or sum(data[1:-2]) % 256 != data[-2] or len(data) != data[1] + 3:
            return False
        command, status, values = data[2], data[3], data[4:-2]
        if command == 4 or (command == 3 and not values):
            return answers >= 2
        if command == 5:
            continue
        if command not in (3, 6) or status != 2 or tuple(values) != read.dice:
            return False
        answers += 1
        if command == 3:
            return answers >= 2
    return False


def is_never_sound(_heard: Sequence[Frame | EdgesLost], _read: DiceRead) -> bool:
    """State words carry no values, so no throw can be read from them."""
    return False


SOUND = {"lines": is_sound_line, "frames_7a": is_sound_frame, "state_words": is_never_sound}


STARTED, STOPPED = bytes.fromhex("7a 03 04 02 09 55"), bytes.fromhex("7a 03 05 02 0a 55")


def check(chunks: Sequence[BoardChunk], format_: Format, until_ns: int = 0) -> int:
    """Checks every agreed value of a stream; returns how many there were."""
    config = DiceReaderConfig(format=format_)
    driver = Commanded(DiceReader(config, 3), ReaderActuator(config, 3))
    framer = DiceReaderSimulator(0, format_).framer()
    heard: list[Frame | EdgesLost] = []
    seen: list[Observation] = []
    agreed = 0
    for value in frames(chunks, framer):
        heard.append(value)
        told = driver.frame(value) if isinstance(value, Frame) else driver.lost(value)
        for read in told:
            if isinstance(read, DiceRead) and read.agreed:
                agreed += 1
                assert SOUND[format_](heard, read), (read, heard[-12:])
        seen += told
    seen += driver.due(max(until_ns, heard[-1].t_ns if heard else 0) + 100 * S)
    times = [one.t_ns for one in seen]
    assert times == sorted(times)
    return agreed


def throws(seed: int, format_: Format, faults: Sequence[str | None]) -> list[BoardChunk]:
    """Some throws of a board, one after the other; one that only answers is started, stopped and asked by its host."""
    rng, board = Random(seed), DiceReaderSimulator(seed, format_)
    chunks = list(board.idle(2.0).chunks)
    for fault in faults:
        dice = [Die("flat", rng.randint(1, 6)) for _ in range(3)]
        reading = board.throw(dice, fault, moving_s=1.2, resting_s=1.6)
        chunks += reading.chunks
        if format_ == "frames_7a":
            chunks += [BoardChunk(reading.moved_ns, STARTED), BoardChunk(reading.rest_ns, STOPPED)]
            chunks += [board.answer(board.answers, reading.rest_ns + k * S // 2) for k in (1, 2)]
    return chunks


@pytest.mark.parametrize(("format_", "agreed"), [("lines", 20), ("frames_7a", 20), ("state_words", 0)])
def test_the_oracle_knows_a_sound_throw_when_it_sees_one(format_: Format, agreed: int) -> None:
    # Of the frames, nothing was heard before the first throw.
    assert check(throws(1, format_, [None] * 20), format_) in (agreed, agreed - (format_ == "frames_7a"))


@st.composite
def broken_streams(draw: st.DrawFn, format_: Format) -> list[BoardChunk]:
    """A simulated stream with bytes changed, lost, put in, and pieces lost, repeated, moved and delayed."""
    faults = draw(st.lists(st.none() | st.sampled_from(sorted(READER_FAULTS)), min_size=1, max_size=3))
    chunks = throws(draw(st.integers(0, 50)), format_, faults)
    for _ in range(draw(st.integers(0, 6))):
        k = draw(st.integers(0, len(chunks) - 1))
        t_ns, data = chunks[k].t_ns, chunks[k].data
        at = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.sampled_from(["byte", "lose", "insert", "drop", "repeat", "gap", "move"])):
            case "byte":
                chunks[k] = BoardChunk(t_ns, data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :])
            case "lose":
                chunks[k] = BoardChunk(t_ns, data[:at] + data[at + draw(st.integers(1, 30)) :])
            case "insert":
                chunks[k] = BoardChunk(t_ns, data[:at] + draw(st.binary(max_size=40)) + data[at:])
            case "drop":
                del chunks[k : k + draw(st.integers(1, 30))]
            case "repeat":
                chunks.insert(k, chunks[k])
            case "gap":
                late_ns = draw(st.integers(0, 4 * S))
                chunks[k:] = [BoardChunk(later.t_ns + late_ns, later.data) for later in chunks[k:]]
            case "move":
                chunks.insert(k, BoardChunk(t_ns, chunks[draw(st.integers(0, len(chunks) - 1))].data))
        if not chunks:
            return [BoardChunk(0, b"")]
    return chunks


@settings(max_examples=80, deadline=None)
@given(st.data(), st.sampled_from(["lines", "frames_7a", "state_words"]))
def test_a_broken_stream_never_gives_a_value_that_it_does_not_prove(data: st.DataObject, format_: Format) -> None:
    check(data.draw(broken_streams(format_)), format_)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3 * S), st.binary(max_size=60)), max_size=30),
    st.sampled_from(["lines", "frames_7a", "state_words"]),
)
@example([(0, b"D;017;R;F4F4F1;FFFF\r\nD;" + b"9" * 500)], "lines")
@example([(0, bytes.fromhex("7a 06 06 02 01 01 01 12 55") * 3)], "frames_7a")
def test_random_bytes_never_give_a_value(pieces: list[tuple[int, bytes]], format_: Format) -> None:
    t_ns = 0
    chunks: list[BoardChunk] = []
    for gap_ns, data in pieces:
        t_ns += gap_ns
        chunks.append(BoardChunk(t_ns, data))
    assert check(chunks, format_) == 0


def _line(throw: int, state: str, dice: str) -> bytes:
    head = f"D;{throw:03d};{state};{dice};".encode()
    return head + b"%04X\r\n" % crc(head)


LINES = st.builds(
    lambda throw, state, dice: _line(throw, state, dice if state == "R" else ""),
    st.integers(16, 18),
    st.sampled_from("EMMRRRF"),
    st.sampled_from(["F4F4F1", "F4F4F2", "F4F4K1", "F4F4"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES | st.just(b"garbage\r\n"), max_size=40), st.sampled_from([S // 2, S, 2 * S + 1]))
def test_well_formed_lines_in_any_order_give_no_value_that_they_do_not_prove(lines: list[bytes], gap_ns: int) -> None:
    check([BoardChunk(k * gap_ns, line) for k, line in enumerate(lines)], "lines")


FRAMES = st.sampled_from(
    [
        bytes.fromhex(text)
        for text in (
            "7a 03 04 02 09 55",
            "7a 03 05 02 0a 55",
            "7a 06 06 02 04 04 01 17 55",
            "7a 06 06 02 04 04 02 18 55",
            "7a 06 03 02 04 04 01 14 55",
            "7a 04 06 02 09 15 55",
            "7a 03 06 03 0c 55",
            "7a 03 06 03 0d 55",
        )
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(FRAMES, max_size=30))
def test_well_formed_frames_in_any_order_give_no_value_that_they_do_not_prove(sent: list[bytes]) -> None:
    check([BoardChunk(k * S, frame) for k, frame in enumerate(sent)], "frames_7a")
