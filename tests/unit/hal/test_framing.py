import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.framing import Framed, LineFramer


def test_frames_end_with_cr_lf_or_either_alone() -> None:
    assert LineFramer().feed(b"one\r\ntwo\nthree\rfour") == Framed([b"one", b"two", b"three"], 0)


def test_a_frame_may_come_byte_by_byte() -> None:
    framer = LineFramer()
    assert [framer.feed(bytes([byte])).frames for byte in b"17\r\n"] == [[], [], [b"17"], []]


def test_a_frame_of_the_greatest_length_is_kept_and_a_longer_one_is_counted_and_discarded() -> None:
    framer = LineFramer(max_length=4)
    assert framer.feed(b"1234\r\n12345\r\nab\r\n") == Framed([b"1234", b"ab"], 1)


def test_garbage_without_an_end_is_reported_once_and_keeps_no_memory() -> None:
    framer = LineFramer(max_length=4)
    assert framer.feed(b"x" * 100_000) == Framed([], 1)
    assert framer.feed(b"x" * 100_000) == Framed([], 0)
    assert framer.feed(b"x\r\nok\r\n") == Framed([b"ok"], 0)


def test_after_a_reset_half_a_frame_is_forgotten() -> None:
    framer = LineFramer()
    framer.feed(b"*X;5;117;1")
    framer.reset()
    assert framer.feed(b"7\r\n") == Framed([b"7"], 0)


def test_a_length_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="max_length"):
        LineFramer(max_length=0)


@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"\r\n", b"\r", b"\n"])))
def test_frames_do_not_depend_on_how_the_stream_is_cut(pieces: list[bytes]) -> None:
    in_pieces = LineFramer(max_length=8)
    cut = [in_pieces.feed(piece) for piece in pieces]
    whole = LineFramer(max_length=8).feed(b"".join(pieces))
    assert [frame for framed in cut for frame in framed.frames] == whole.frames
    assert sum(framed.overlong for framed in cut) == whole.overlong
