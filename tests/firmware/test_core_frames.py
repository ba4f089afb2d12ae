"""The core and whatever comes on its serial line: only whole frames are heard, and nothing else does any harm."""

from __future__ import annotations

from binascii import crc_hqx

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.board import cobs, frames
from hal.board.message import BoardAnswer
from hal.board.messages import (
    AliveCommand,
    Flag,
    IdentifyCommand,
    IdentityAnswer,
    OkAnswer,
    SetCommand,
    StateReport,
)
from tests.firmware.conftest import NewBoard, examples
from tests.firmware.core_board import BYTE, MS, CoreBoard

OUTPUT_PINS = {
    "wheel": {"B0", "B1", "B2", "B3"},
    "table": {"B0", "B3"},
    "reel": {"B0", "B1", "B2", "B3"},
    "pusher": {"B0", "B1", "B2", "B3"},
}

_FRAME = st.builds(
    lambda number, id, fields: frame_of(number, id, fields),
    st.integers(0, 255),
    st.sampled_from([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23, 24, 25, 26, 64, 128, 255]),
    st.binary(max_size=12),
)
_PIECE = st.one_of(st.binary(max_size=90), _FRAME, st.just(b"\0"), st.just(b"\xff" * 70))


def frame_of(number: int, id: int, fields: bytes) -> bytes:
    """A sound frame of any content."""
    head = bytes((len(fields) + frames.OVERHEAD, number, id)) + fields
    return cobs.encode(head + crc_hqx(head, 0xFFFF).to_bytes(2, "big")) + frames.END


def heard_of(data: bytes) -> tuple[list[frames.BoardFrame], int]:
    """The frames that a receiver hears of these bytes, and how many broken ones."""
    heard: list[frames.BoardFrame] = []
    broken = 0
    *pieces, _ = data.split(b"\0")
    for piece in pieces:
        if not piece:
            continue
        try:
            heard.append(frames.decode(piece))
        except frames.FrameError:
            broken += 1
    return heard, broken


LONGEST_ANSWER = 70
"""Bytes on the wire: the longest frame is 64 (firmware/wire/messages.toml), with COBS and its delimiter."""


def feed(board: CoreBoard, data: bytes) -> None:
    """Sends bytes as fast as they go."""
    board.receive(data)
    # The longest answer after them is whole.
    board.run((len(data) + LONGEST_ANSWER + 2) * BYTE + 2 * MS)


def bad_frames(board: CoreBoard) -> int:
    """What the board says of broken frames."""
    seen = len(board.said)
    board.run(101 * MS)
    return board.reports(StateReport, seen)[0].bad_frames


@pytest.mark.parametrize("kind", OUTPUT_PINS)
@examples(60)
@given(data=st.binary(max_size=2000))
def test_garbage_does_nothing(new_board: NewBoard, kind: str, data: bytes) -> None:
    with new_board(kind) as board:
        board.open()
        before = len(board.changes)
        feed(board, data + b"\0")
        board.tell(AliveCommand())
        assert not any(change.pin in OUTPUT_PINS[kind] for change in board.changes[before:])


@examples(200)
@given(pieces=st.lists(_PIECE, max_size=12))
def test_it_hears_the_frames_that_the_other_side_of_the_wire_would_hear_and_counts_the_rest(
    new_board: NewBoard, pieces: list[bytes]
) -> None:
    data = b"".join(pieces) + b"\0"
    heard, broken = heard_of(data)
    with new_board() as board:
        board.open()
        before = len(board.said)
        feed(board, data)
        answered = [number for number, _ in board.answers(before)]
        expected = [frame.number for frame in heard if is_answered(frame, heard)]
        # What comes while an answer is owed still replaces it: a host that follows the rules never sends so.
        assert set(answered) <= set(expected)
        assert bool(answered) == bool(expected)
        assert bad_frames(board) == broken


def is_answered(frame: frames.BoardFrame, heard: list[frames.BoardFrame]) -> bool:
    """Whether a board with a session, which has carried out nothing, answers this frame."""
    if frame.number == 0:
        return frame.id in (IdentifyCommand.id, 2)
    numbers = [each.number for each in heard if each.number]
    following = 0
    for number in numbers[: [each is frame for each in heard if each.number].index(True)]:
        following += number == following + 1
    return frame.number in (following, following + 1) and frame.number > 0


@examples(300)
@given(data=st.data(), count=st.integers(1, 4))
def test_a_frame_with_wrong_bytes_is_not_carried_out(new_board: NewBoard, data: st.DataObject, count: int) -> None:
    whole = frames.encode(1, SetCommand(1, 255, 0))
    changed = bytearray(whole)
    for _ in range(count):
        at = data.draw(st.integers(0, len(changed) - 1))
        how = data.draw(st.sampled_from(["flip", "drop", "put", "again"]))
        if how == "flip":
            changed[at] ^= 1 << data.draw(st.integers(0, 7))
        elif how == "drop" and len(changed) > 1:
            del changed[at]
        elif how == "put":
            changed.insert(at, data.draw(st.integers(0, 255)))
        else:
            changed[at:at] = changed[at : at + 3]
    heard, _ = heard_of(bytes(changed) + b"\0")
    meant = frames.BoardFrame(1, SetCommand.id, SetCommand(1, 255, 0).pack())
    with new_board() as board:
        board.open()
        feed(board, bytes(changed) + b"\0")
        assert (board.pin("B0") == 255) == (meant in heard)


@given(at=st.integers(1, 9), gap=st.integers(0, 90))
def test_a_frame_that_comes_in_two_parts_is_heard(new_board: NewBoard, at: int, gap: int) -> None:
    whole = frames.encode(1, SetCommand(1, 255, 0))
    with new_board() as board:
        board.open()
        board.receive(whole[:at])
        board.run(gap * MS)
        board.receive(whole[at:])
        board.run(10 * MS)
        assert board.pin("B0") == 255


def test_a_zero_between_frames_is_nothing(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        feed(board, b"\0\0\0" + frames.encode(1, AliveCommand()) + b"\0\0")
        assert board.answers()[-1] == (1, OkAnswer())
        assert bad_frames(board) == 0


@pytest.mark.parametrize("length", [63, 64, 65, 66, 300])
def test_what_is_longer_than_a_frame_is_counted_once_and_the_next_frame_is_heard(
    new_board: NewBoard, length: int
) -> None:
    with new_board() as board:
        board.open()
        long = bytes((length & 0xFF, 1, 9)) + b"\5" * (length - 5)
        long += crc_hqx(long, 0xFFFF).to_bytes(2, "big")
        feed(board, cobs.encode(long) + b"\0")
        board.do(AliveCommand()) if length > 64 else None
        # Of 63 and 64 bytes it is a frame, with fields that no command has.
        assert bad_frames(board) == (length > 64)


def test_what_the_main_loop_has_no_time_for_is_lost_and_the_next_frame_is_heard(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.receive(frames.encode(1, SetCommand(1, 255, 0)) * 40)
        board.stall(40 * 12 * BYTE)
        board.run(50 * MS)
        board.send(AliveCommand(), number=board.answers()[-1][0] % 255 + 1)
        board.run(10 * MS)
        assert isinstance(board.answers()[-1][1], OkAnswer)


def test_the_longest_frames_that_a_board_sends_can_hold_any_bytes(new_board: NewBoard) -> None:
    with new_board() as board:
        # Every frame that a CoreBoard fetches is decoded, and its CRC checked: identity holds zeros and no zeros.
        for _ in range(3):
            assert isinstance(board.tell(IdentifyCommand()), IdentityAnswer)
        assert all(isinstance(said.message, BoardAnswer) for said in board.said[1:])


def test_a_session_outlives_a_storm_of_bytes(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(AliveCommand())
        for seed in range(8):
            feed(board, bytes((seed * 31 + at * 7 + at * at) & 0xFF for at in range(1000)) + b"\0")
        board.do(AliveCommand())
        seen = len(board.said)
        board.run(101 * MS)
        assert board.reports(StateReport, seen)[0].flags & Flag.SESSION_OPEN
