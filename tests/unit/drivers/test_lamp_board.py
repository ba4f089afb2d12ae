"""What the driver of a lamp chain makes of read-backs, right and wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.lamps.lamp_board import LampBoard, LampsLost, LampsRead
from hal.lamp_fields import MOST_LAMPS, bit_field, places, read_back
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

LAMPS = st.frozensets(st.integers(1, MOST_LAMPS))


@given(LAMPS)
def test_a_bit_field_names_exactly_the_lamps_that_it_was_made_of(lamps: frozenset[int]) -> None:
    assert places(bit_field(lamps)) == lamps


def test_the_first_lamp_is_the_lowest_bit_of_the_first_byte() -> None:
    assert bit_field({1}) == bytes((1, 0, 0, 0, 0, 0, 0, 0))
    assert bit_field({50}) == bytes((0, 0, 0, 0, 0, 0, 2, 0))


@pytest.mark.parametrize("lamp", [0, 65])
def test_a_place_that_no_chain_has_is_refused(lamp: int) -> None:
    with pytest.raises(ValueError, match=f"a chain has places 1 to 64, not {lamp}"):
        bit_field({lamp})


@pytest.mark.parametrize("lamps", [0, 65])
def test_a_chain_has_one_to_64_lamps(lamps: int) -> None:
    with pytest.raises(ValueError, match="a chain has 1 to 64 lamps"):
        LampBoard(lamps)


def test_what_it_was_told_is_what_is_lit_by_right_and_what_is_dead() -> None:
    seen = LampBoard(50).frame(Frame("lamps", read_back({3, 44}, {45}, {44}), 7))
    assert seen == [LampsRead(t_ns=7, commanded=frozenset({3, 45}), dead=frozenset({45}), stuck=frozenset({44}))]


def test_places_without_a_lamp_are_passed_over() -> None:
    assert LampBoard(50).frame(Frame("lamps", read_back({50, 51}, (), {64}), 7)) == [
        LampsRead(t_ns=7, commanded=frozenset({50}))
    ]


@given(st.binary(max_size=40).filter(lambda data: len(data) != 24))
def test_a_read_back_of_another_length_is_told_as_a_loss(data: bytes) -> None:
    seen = LampBoard(50).frame(Frame("lamps", data, 7))
    assert len(seen) == 1
    assert isinstance(seen[0], LampsLost)
    assert f"{len(data)} arrived" in seen[0].detail


@given(st.binary(min_size=24, max_size=24))
def test_any_read_back_of_the_right_length_is_read(data: bytes) -> None:
    assert all(isinstance(seen, LampsRead) for seen in LampBoard(50).frame(Frame("lamps", data, 7)))


def test_a_board_that_is_gone_is_told_and_a_lost_read_back_is_left_to_its_time() -> None:
    board = LampBoard(50)
    assert isinstance(board.lost(EdgesLost("lamps", Loss.UNPLUGGED, 3))[0], LampsLost)
    assert board.lost(EdgesLost("lamps", Loss.OVERFLOW, 3)) == []
    assert board.lost(EdgesLost("cover", Loss.UNPLUGGED, 3)) == []


def test_nothing_else_means_anything_to_it() -> None:
    board = LampBoard(50)
    nothing = [board.edges([Edge("lamps", 1, 1)]), board.reading(Reading("lamps", 1.0, 1)), board.due(9)]
    assert nothing == [[], [], []]
    assert board.frame(Frame("dice_serial", b"", 1)) == []
    assert board.next_due_ns is None
