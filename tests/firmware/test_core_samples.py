"""The core: analogue channels, sampled in time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.board.messages import AliveCommand, RefusalCode, RefusedAnswer, SampleCommand, SampleReport
from tests.firmware.conftest import NewBoard, examples
from tests.firmware.core_board import MS


def values_of(report: SampleReport) -> list[int]:
    return [int.from_bytes(report.values[at : at + 2], "little") for at in range(0, len(report.values), 2)]


@examples(40)
@given(channels=st.integers(1, 15), values=st.lists(st.integers(0, 1023), min_size=4, max_size=4))
def test_each_sampled_channel_is_told_in_its_order(new_board: NewBoard, channels: int, values: list[int]) -> None:
    with new_board() as board:
        for channel, value in enumerate(values, 1):
            board.supply(channel, value)
        board.open()
        board.do(SampleCommand(channels, 10))
        board.run(100 * MS)
        reports = board.reports(SampleReport)
        assert all(report.channels == channels for report in reports)
        assert all(values_of(report) == [values[at] for at in range(4) if channels >> at & 1] for report in reports)


@pytest.mark.parametrize("period_ms", [1, 2, 7, 50, 400])
@pytest.mark.parametrize("start", [0, (1 << 32) - 700 * MS])
def test_the_period_is_kept_and_no_number_is_left_out(new_board: NewBoard, period_ms: int, start: int) -> None:
    with new_board(ticks=start) as board:
        board.open()
        board.do(SampleCommand(0b0101, period_ms))
        for _ in range(8):
            board.run(300 * MS)
            board.do(AliveCommand())
        reports = board.reports(SampleReport)
        assert [report.number for report in reports] == list(range(len(reports)))
        apart = [(b.time - a.time) % (1 << 32) for a, b in pairwise(reports)]
        assert all(abs(each - period_ms * MS) < MS // 2 for each in apart)
        assert abs(sum(apart) - len(apart) * period_ms * MS) < MS
        assert abs(len(reports) - 2400 / period_ms) < 60 / period_ms + 3


def test_a_period_of_0_or_no_channel_ends_it(new_board: NewBoard) -> None:
    with new_board() as board:
        for ending in (SampleCommand(0b1, 0), SampleCommand(0, 10)):
            board.open(ending.period_ms)
            board.do(SampleCommand(0b1111, 5))
            board.run(50 * MS)
            board.do(ending)
            before = len(board.said)
            board.run(200 * MS)
            assert board.reports(SampleReport, before) == []


def test_sampling_anew_while_the_converter_works_tells_nothing_of_before(new_board: NewBoard) -> None:
    with new_board() as board:
        board.supply(1, 111)
        board.supply(2, 222)
        board.open()
        board.do(SampleCommand(0b01, 1))
        for at in range(40):
            before = len(board.said)
            channels = 0b10 if at % 2 else 0b01
            board.do(SampleCommand(channels, 1))
            board.run(3 * MS + at * 13)
            [*_, report] = board.reports(SampleReport, before)
            assert report.channels == channels
            assert values_of(report) == [222 if at % 2 else 111]


@pytest.mark.parametrize("channels", [0b10000, 0xFF])
def test_a_channel_that_the_board_has_not_is_refused(new_board: NewBoard, channels: int) -> None:
    with new_board() as board:
        board.open()
        assert board.tell(SampleCommand(channels, 10)) == RefusedAnswer(SampleCommand.id, RefusalCode.WRONG_VALUE)
    with new_board("table") as board:
        board.open()
        assert board.tell(SampleCommand(1, 10)) == RefusedAnswer(SampleCommand.id, RefusalCode.WRONG_VALUE)
