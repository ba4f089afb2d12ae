"""The rules that hold for the lines of every backend."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.lines import LineError, LineSpec, LineTracker, by_chip, check_wires
from hal.values import Edge, EdgesLost, Loss, Rare

UNTIL_NS = 100
"""What the source had delivered: every change is later."""


def found(level: int = 0, inverted: bool = False) -> LineTracker:
    tracker = LineTracker("a", inverted)
    tracker.found(level, opened_ns=100, read_ns=200)
    return tracker


def test_the_first_edge_is_the_level_found_at_the_time_of_the_opening() -> None:
    assert LineTracker("a").found(1, 100, 200) == Edge("a", 1, 100)
    assert LineTracker("a", inverted=True).found(1, 100, 200) == Edge("a", 0, 100)


def test_a_change_is_an_edge() -> None:
    rare: list[Rare] = []
    tracker = found()
    assert tracker.changed(1, 300, rare, UNTIL_NS) == Edge("a", 1, 300)
    assert tracker.changed(0, 400, rare, UNTIL_NS) == Edge("a", 0, 400)
    assert rare == []


def test_inversion_turns_levels_round_and_times_not() -> None:
    rare: list[Rare] = []
    assert found(inverted=True).changed(1, 300, rare, UNTIL_NS) == Edge("a", 0, 300)
    assert rare == []


def test_two_equal_levels_are_a_loss_dated_before_the_edge() -> None:
    rare: list[Rare] = []
    assert found().changed(0, 300, rare, UNTIL_NS) == Edge("a", 0, 300)
    assert rare == [EdgesLost("a", Loss.REPEATED_LEVEL, 101)]


@pytest.mark.parametrize(
    ("until_ns", "lost_ns"),
    [(100, 301), (350, 351), (398, 399)],  # after the last edge; after what was delivered; before what reveals it
)
@pytest.mark.parametrize(("level", "seqno"), [(1, 2), (0, 3)])
def test_a_loss_is_dated_where_the_line_stops_to_be_known(until_ns: int, lost_ns: int, level: int, seqno: int) -> None:
    rare: list[Rare] = []
    tracker = found()
    tracker.changed(1, 300, rare, UNTIL_NS, 1)
    assert tracker.changed(level, 400, rare, until_ns, seqno) == Edge("a", level, 400)
    assert [loss.t_ns for loss in rare] == [lost_ns]


def test_a_gap_in_the_numbers_is_a_loss_with_its_count() -> None:
    rare: list[Rare] = []
    tracker = found()
    tracker.changed(1, 300, rare, UNTIL_NS, 1)
    assert tracker.changed(1, 400, rare, UNTIL_NS, 3) == Edge("a", 1, 400)
    assert rare == [EdgesLost("a", Loss.OVERFLOW, 301, 1)]


def test_a_gap_before_the_first_change_is_found_too() -> None:
    rare: list[Rare] = []
    found().changed(1, 300, rare, UNTIL_NS, 3)
    assert rare == [EdgesLost("a", Loss.OVERFLOW, 101, 2)]


def test_a_gap_whose_parity_does_not_fit_has_no_count_because_more_is_missing() -> None:
    rare: list[Rare] = []
    found().changed(1, 300, rare, UNTIL_NS, 2)
    assert rare == [EdgesLost("a", Loss.OVERFLOW, 101, None)]


def test_the_numbers_go_on_past_the_sign_and_the_end_of_32_bits() -> None:
    rare: list[Rare] = []
    tracker = found()
    tracker.changed(1, 300, rare, UNTIL_NS, 1)
    tracker._seqno = 2**31 - 1
    for level, seqno in ((0, -(2**31)), (1, -(2**31) + 1)):
        tracker.changed(level, 400, rare, UNTIL_NS, seqno)
    tracker._seqno = -1
    tracker.changed(0, 500, rare, UNTIL_NS, 0)
    assert rare == []


@pytest.mark.parametrize(
    ("level_read", "changes"),
    [
        (1, [1]),  # read after the change
        (0, [1]),  # read before it
        (0, [1, 0]),  # read after both, or before both
        (1, [1, 0]),  # read between them
        (1, [1, 0, 1]),
    ],
)
def test_a_change_within_the_opening_is_delivered_once_and_is_no_loss(level_read: int, changes: list[int]) -> None:
    rare: list[Rare] = []
    tracker = found(level_read)
    told = [tracker.changed(level, 150 + n, rare, UNTIL_NS, n + 1) for n, level in enumerate(changes)]
    levels = [level_read, *(edge.level for edge in told if edge is not None)]
    assert rare == []
    assert levels[-1] == changes[-1]
    assert all(one != next_one for one, next_one in pairwise(levels))


def test_after_the_opening_an_equal_level_is_a_loss_again() -> None:
    rare: list[Rare] = []
    tracker = found(1)
    assert tracker.changed(1, 200, rare, UNTIL_NS) is None
    assert tracker.changed(1, 200, rare, UNTIL_NS) == Edge("a", 1, 200)
    assert rare == [EdgesLost("a", Loss.REPEATED_LEVEL, 199)]


def test_after_a_loss_reported_by_other_means_any_level_is_accepted() -> None:
    rare: list[Rare] = []
    tracker = found(1)
    tracker.lost()
    assert tracker.changed(1, 300, rare, UNTIL_NS) == Edge("a", 1, 300)
    assert rare == []


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 1))
def test_whatever_numbers_are_missing_is_reported_in_full(kept: list[bool], level: int) -> None:
    rare: list[Rare] = []
    tracker = found(level)
    for number, is_kept in enumerate(kept, 1):
        if is_kept:
            tracker.changed((level + number) % 2, 200 + 10 * number, rare, UNTIL_NS, number)
    last = max((number for number, is_kept in enumerate(kept, 1) if is_kept), default=0)
    told = sum(loss.missing or 0 for loss in rare if isinstance(loss, EdgesLost))
    assert told == kept[:last].count(False)


def test_lines_that_contradict_one_another_are_refused_by_name() -> None:
    with pytest.raises(LineError, match="at least one line"):
        check_wires([])
    with pytest.raises(LineError, match=r"'a'.*expected a GPIO number"):
        check_wires([LineSpec("a")])
    with pytest.raises(LineError, match=r"'a'.*twice"):
        check_wires([LineSpec("a", 1), LineSpec("a", 2)])
    with pytest.raises(LineError, match=r"'b'.*GPIO1 is already the wire of line 'a'"):
        check_wires([LineSpec("a", 1), LineSpec("b", 1)])
    with pytest.raises(LineError, match=r"'a'.*expected pull = up, down or none, got 'upp'"):
        check_wires([LineSpec("a", 1, pull="upp")])  # type: ignore[arg-type]  # from a file
    with pytest.raises(LineError, match=r"'b'.*chip 'y'.*'x'"):
        check_wires([LineSpec("a", 1, "x"), LineSpec("b", 1, "y")])


def test_the_wires_of_a_board_are_its_inputs() -> None:
    a, b = LineSpec("a", 1, board="wheel"), LineSpec("b", 1, board="wheel")
    assert a.wire == "input 1"
    with pytest.raises(LineError, match="'b': input 1 is already the wire of line 'a'"):
        check_wires([a, b], "wheel")


def test_lines_that_are_elsewhere_are_refused() -> None:
    with pytest.raises(LineError, match=r"'b': expected a pin of this computer, got a terminal of board 'two'"):
        check_wires([LineSpec("a", 1), LineSpec("b", 1, board="two")])
    with pytest.raises(LineError, match=r"'b': expected a terminal of board 'one', got a terminal of board 'two'"):
        check_wires([LineSpec("a", 1, board="one"), LineSpec("b", 1, board="two")], "one")


def test_lines_are_sorted_out_by_chip() -> None:
    a, b, c = LineSpec("a", 1, "x"), LineSpec("b", 2), LineSpec("c", 3, "x")
    assert by_chip([a, b, c]) == {"x": [a, c], None: [b]}
