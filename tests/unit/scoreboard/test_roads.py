"""The roads of baccarat, against examples worked by hand and the properties that any right road has."""

from __future__ import annotations

import re
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoreboard.roads import ROWS, Cell, Roads, derived_marks, roads_of

SIDES = {"B": "banker", "P": "player", "T": "tie"}
V6 = "PPBPTBBBPBBPPBTBPBBBBPPPBPBBPTPPPPPPPPBBP"


def shoe(letters: str) -> list[str]:
    return [SIDES[letter] for letter in letters]


def roads(letters: str) -> Roads:
    return roads_of(shoe(letters))


def spelled(cells: list[Cell]) -> str:
    """The marks of a derived road, in order."""
    return "".join("R" if cell.mark == "red" else "B" for cell in cells)


def written_out(runs: str) -> str:
    """`R2 B1` as `RRB`; what has no numbers is written out already."""
    return "".join(mark * int(count) for mark, count in re.findall(r"([RB])(\d+)", runs)) or runs


@pytest.mark.parametrize(
    ("letters", "big_eye", "small", "cockroach"),
    [
        ("BBPPPBPBB", "R1 B3 R1 B1", "B3", "B1 R1"),
        ("BPPTBBBPPB", "B2 R1 B2 R1 B1", "B1 R1 B1 R2", "B2"),
        ("TTBBBBBBBBPPBBBPTB", "R1 B1 R1 B3", "R2 B2", "B1"),
        ("BPBPBPBPBP", "R8", "R7", "R6"),
        ("PPPPBPPP", "B2 R1", "R2", ""),
        ("BBBBBBBBPPPPPPPBB", "R6 B1 R1", "R1", ""),
        (
            V6,
            "BRBRBBBBRRRRBBRRBRRBBRBBRBRRRRRRBRB",
            "BBRBRRBBBRRBRBRBBRBBBBBBRRRRRRRBRR",
            "RBBRBBRBBBBRBRBRBBRBRBBRRRRRRRBBB",
        ),
    ],
)
def test_the_derived_roads_of_shoes_worked_by_hand(letters: str, big_eye: str, small: str, cockroach: str) -> None:
    assert [spelled(road) for road in roads(letters).derived] == [
        written_out(one) for one in (big_eye, small, cockroach)
    ]


def test_the_big_road_turns_at_its_last_row_and_at_a_cell_that_is_taken() -> None:
    cells = [(cell.column + 1, cell.row + 1, cell.mark[0]) for cell in roads("BBBBBBBBPPPPPPPBB").big]
    assert cells == [
        *[(1, row, "b") for row in range(1, 7)],
        (2, 6, "b"),
        (3, 6, "b"),
        *[(2, row, "p") for row in range(1, 6)],
        (3, 5, "p"),
        (4, 5, "p"),
        (3, 1, "b"),
        (3, 2, "b"),
    ]


def test_a_run_after_a_long_tail_begins_beside_the_first_column_of_the_run_before_it() -> None:
    last = roads("BBBBBBBBP").big[-1]
    assert (last.column, last.row) == (1, 0)


def test_a_tail_that_was_bent_stays_in_its_row() -> None:
    last = roads("BBBBBBBBPBBBBBB").big[-1]
    assert (last.column + 1, last.row + 1) == (4, 5)


def test_ties_stand_on_the_hand_before_them_and_leading_ones_on_the_first_hand() -> None:
    assert [cell.ties for cell in roads("TTBTTPBT").big] == [4, 0, 1]
    assert roads("TT").big == []
    assert roads("TT").leading_ties == 2
    assert roads("TTB").leading_ties == 0


def test_the_bead_plate_has_every_hand_down_six_rows() -> None:
    beads = roads("BPTBPBB").bead
    assert [(bead.column, bead.row, bead.mark) for bead in beads] == [
        (0, 0, "banker"),
        (0, 1, "player"),
        (0, 2, "tie"),
        (0, 3, "banker"),
        (0, 4, "player"),
        (0, 5, "banker"),
        (1, 0, "banker"),
    ]


def test_what_the_next_hand_would_add() -> None:
    after = roads("BPPTBBBPPB")
    assert after.next_banker == ["red", "red", "red"]
    assert after.next_player == ["blue", "blue", "blue"]
    assert roads("").next_banker == roads("B").next_player == ["", "", ""]


SHOES = st.lists(st.sampled_from(sorted(SIDES)), max_size=90).map("".join)


@given(SHOES)
def test_ties_never_matter_to_the_derived_roads(letters: str) -> None:
    assert roads(letters).derived == roads(letters.replace("T", "")).derived


@given(SHOES)
def test_the_two_sides_would_always_add_opposite_colours(letters: str) -> None:
    after = roads(letters)
    for banker, player in zip(after.next_banker, after.next_player, strict=True):
        assert {banker, player} in ({"red", "blue"}, {""})


@given(SHOES)
def test_one_more_hand_adds_what_was_announced(letters: str) -> None:
    before, after = roads(letters), roads(letters + "B")
    assert [
        road[-1].mark if len(road) > len(old) else "" for road, old in zip(after.derived, before.derived, strict=True)
    ] == before.next_banker


@given(SHOES)
def test_no_two_marks_share_a_cell_and_none_lies_below_the_last_row(letters: str) -> None:
    found = roads(letters)
    for road in (found.bead, found.big, *found.derived):
        places = [(cell.column, cell.row) for cell in road]
        assert len(set(places)) == len(places)
        assert all(0 <= row < ROWS and column >= 0 for column, row in places)


@given(SHOES, st.sampled_from((1, 2, 3)))
def test_marks_equal_those_of_the_geometric_rule(letters: str, back: int) -> None:
    """The other way to state the rule, on unbounded columns: compare the cell `back` columns to the left with the one
    above it, red where both are taken or both empty; a new column has the opposite of what going on would have had."""
    sides = [letter for letter in letters if letter != "T"]
    runs = [len(list(run)) for _, run in groupby(sides)]
    marks: list[str] = []
    for n, length in enumerate(runs):
        for m in range(length):
            column, row = (n, m) if m else (n - 1, runs[n - 1] if n else 0)
            if column - back < 0 or (m == 0 and n == 0):
                continue
            left = runs[column - back]
            equal = (row < left) == (row - 1 < left)
            marks.append("red" if equal == bool(m) else "blue")
    assert derived_marks(runs, back) == marks
