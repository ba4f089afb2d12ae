"""The core: outputs are on for as long as they may be, and no longer, whatever the host says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.board.messages import AliveCommand, OkAnswer, RefusalCode, RefusedAnswer, SetCommand, StateReport
from tests.firmware.conftest import NewBoard, examples
from tests.firmware.core_board import MS, CoreBoard

LAMP_LONGEST_MS = 600_000
HELD = RefusedAnswer(SetCommand.id, RefusalCode.HELD_SAFE)


def live(board: CoreBoard, ms: int) -> None:
    """Lets time pass with a host that is there."""
    until = board.now + ms * MS
    while board.now < until:
        board.run_until(min(until, board.now + 400 * MS))
        board.do(AliveCommand())


def on_for(board: CoreBoard, pin: str) -> float:
    """Milliseconds for which a pin was on last."""
    times = [change.ticks for change in board.changes if change.pin == pin]
    return (times[-1] - times[-2]) / MS


@examples(60)
@given(for_ms=st.integers(1, 450), start=st.integers(0, (1 << 32) - 1))
def test_an_output_is_on_for_as_long_as_told(new_board: NewBoard, for_ms: int, start: int) -> None:
    with new_board(ticks=start) as board:
        board.open()
        board.do(SetCommand(2, 255, for_ms))
        board.run((for_ms + 5) * MS)
        assert board.pin("B1") == 0
        assert for_ms - 0.2 <= on_for(board, "B1") <= for_ms + 0.2


def test_it_can_be_set_again_when_its_time_as_told_is_over(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        for _ in range(3):
            board.do(SetCommand(1, 255, 20))
            board.run(50 * MS)
            assert board.pin("B0") == 0


@pytest.mark.parametrize("start", [0, (1 << 32) - 100_000 * MS])
def test_the_longest_time_of_the_board_holds_and_holds_the_output_safe(new_board: NewBoard, start: int) -> None:
    with new_board(ticks=start % (1 << 32)) as board:
        board.open()
        board.do(SetCommand(1, 255, 0))
        live(board, LAMP_LONGEST_MS + 100)
        assert board.pin("B0") == 0
        assert LAMP_LONGEST_MS - 2 < on_for(board, "B0") <= LAMP_LONGEST_MS
        assert board.tell(SetCommand(1, 255, 0)) == HELD
        board.do(SetCommand(1, 0, 0), SetCommand(1, 255, 0))
        assert board.pin("B0") == 255


def test_setting_it_again_and_again_does_not_make_it_longer(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(SetCommand(1, 255, 0))
        while board.pin("B0"):
            live(board, 30_000)
            if board.tell(SetCommand(1, 255, 60_000)) == HELD:
                break
            assert board.now < 2 * LAMP_LONGEST_MS * MS
        assert on_for(board, "B0") <= LAMP_LONGEST_MS


def test_a_time_can_be_made_longer_while_it_runs(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(SetCommand(1, 255, 50))
        board.run(20 * MS)
        board.do(SetCommand(1, 255, 200))
        board.run(300 * MS)
        assert 210 < on_for(board, "B0") < 250


def test_0_is_always_taken(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(SetCommand(3, 0, 0), SetCommand(3, 255, 0), SetCommand(3, 0, 77))
        assert board.pin("B2") == 0


@pytest.mark.parametrize(("output", "value", "taken"), [(1, 128, False), (1, 1, False), (4, 128, True), (4, 1, True)])
def test_a_value_that_the_pin_cannot_make_is_refused(new_board: NewBoard, output: int, value: int, taken: bool) -> None:
    with new_board() as board:
        board.open()
        answer = board.tell(SetCommand(output, value, 0))
        assert answer == (OkAnswer() if taken else RefusedAnswer(SetCommand.id, RefusalCode.WRONG_VALUE))
        assert board.pin(f"B{output - 1}") == (value if taken else 0)


def test_the_state_says_which_are_on(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(SetCommand(2, 255, 0), SetCommand(4, 100, 30))
        board.run(110 * MS)
        assert board.reports(StateReport)[-1].outputs == 0b0010
