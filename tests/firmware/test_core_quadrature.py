"""The core: a quadrature with its index, counted on the board."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.board.messages import AliveCommand, CountCommand, CountReport, RefusalCode, RefusedAnswer, WatchCommand
from tests.firmware.conftest import NewBoard, examples
from tests.firmware.core_board import MS, CoreBoard

A, B, INDEX = 3, 8, 5
QUARTERS = ((0, 0), (1, 0), (1, 1), (0, 1))
"""A and B, turning positive: A leads."""


def count(board: CoreBoard) -> None:
    board.open()
    board.do(CountCommand(A, B, INDEX))


class Disc:
    """Turns the disc whose sensors are on the board."""

    def __init__(self, board: CoreBoard) -> None:
        self.board = board
        self.at = 0

    def turn(self, counts: int, ticks: int = 400) -> None:
        step = 1 if counts > 0 else -1
        for _ in range(abs(counts)):
            self.at += step
            a, b = QUARTERS[self.at % 4]
            t = self.board.now + ticks
            self.board.drive(A, a, t)
            self.board.drive(B, b, t)
            self.board.run(ticks)

    def index(self) -> None:
        for level in (1, 0):
            self.board.drive(INDEX, level, self.board.now + 200)
            self.board.run(300)


def last(board: CoreBoard) -> CountReport:
    board.do(AliveCommand())
    board.run(110 * MS)
    return board.reports(CountReport)[-1]


@examples(50)
@given(moves=st.lists(st.integers(-40, 40), max_size=12), watched=st.booleans())
def test_it_counts_as_the_disc_turns_watched_or_not(new_board: NewBoard, moves: list[int], watched: bool) -> None:
    with new_board() as board:
        count(board)
        if watched:
            board.do(WatchCommand(0xFF, 0))
        disc = Disc(board)
        for move in moves:
            disc.turn(move)
            report = last(board)
            assert (report.count, report.invalid) == (disc.at, 0)


def test_the_index_tells_the_count_at_its_rising_edge(new_board: NewBoard) -> None:
    with new_board() as board:
        count(board)
        disc = Disc(board)
        for move in (17, 40, -9):
            disc.turn(move)
            disc.index()
            crossed = disc.at
            disc.turn(3)
            assert last(board).index_count == crossed
        assert last(board).indexes == 3


def test_both_at_once_is_what_no_disc_can_do(new_board: NewBoard) -> None:
    with new_board() as board:
        count(board)
        # On two ports they make two interrupts, so both lines are put on one here.
        board.do(CountCommand(1, 2, 0))
        t = board.now + MS
        board.drive(1, 1, t)
        board.drive(2, 1, t)
        board.run(10 * MS)
        report = last(board)
        assert (report.count, report.invalid) == (0, 1)


def test_missed_edges_are_told_as_invalid(new_board: NewBoard) -> None:
    with new_board() as board:
        count(board)
        board.run(10 * MS)
        for at in range(100):
            board.drive(A, (at + 1) & 1, board.now + 50 * (at + 1))
        board.stall(20 * MS)
        board.run(10 * MS)
        assert last(board).invalid == 1


def test_it_tells_every_100_ms_while_turning_and_every_second_at_rest(new_board: NewBoard) -> None:
    with new_board() as board:
        count(board)
        disc = Disc(board)
        board.run(200 * MS)
        before = len(board.said)
        for _ in range(20):
            disc.turn(100, ticks=1000)
            board.do(AliveCommand())
        turning = board.now
        reports = board.reports(CountReport, before)
        assert len(reports) in (9, 10, 11)
        for _ in range(12):
            board.run(250 * MS)
            board.do(AliveCommand())
        resting = [
            said.begins for said in board.said if isinstance(said.message, CountReport) and said.begins > turning
        ]
        assert len(resting) in (3, 4)
        assert last(board).count == disc.at


def test_counting_again_begins_with_0_and_all_0_ends_it(new_board: NewBoard) -> None:
    with new_board() as board:
        count(board)
        disc = Disc(board)
        disc.turn(10)
        board.do(CountCommand(A, B, 0))
        disc.turn(-2)
        assert (last(board).count, last(board).indexes) == (-2, 0)
        board.do(CountCommand(0, 0, 0))
        before = len(board.said)
        disc.turn(20)
        board.run(400 * MS)
        assert board.reports(CountReport, before) == []


def test_a_new_session_ends_it(new_board: NewBoard) -> None:
    with new_board() as board:
        count(board)
        board.open(2)
        before = len(board.said)
        Disc(board).turn(20)
        board.run(400 * MS)
        assert board.reports(CountReport, before) == []


def test_watching_anew_does_not_change_the_count(new_board: NewBoard) -> None:
    with new_board() as board:
        count(board)
        disc = Disc(board)
        disc.turn(11)
        board.do(WatchCommand(0b1, 0))
        disc.turn(7)
        assert (last(board).count, last(board).invalid) == (18, 0)


@pytest.mark.parametrize(
    "inputs", [(1, 1, 0), (1, 2, 1), (1, 2, 2), (0, 2, 3), (1, 0, 3), (9, 2, 0), (1, 2, 9), (0, 0, 1)]
)
def test_what_is_no_quadrature_is_refused(new_board: NewBoard, inputs: tuple[int, int, int]) -> None:
    with new_board() as board:
        count(board)
        disc = Disc(board)
        disc.turn(5)
        assert board.tell(CountCommand(*inputs)) == RefusedAnswer(CountCommand.id, RefusalCode.WRONG_VALUE)
        assert last(board).count == 5
