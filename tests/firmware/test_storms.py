"""Inputs that change far too fast: the board masks them, reports the loss, does all else, and takes them back."""

from __future__ import annotations

import pytest

from hal.board.messages import (
    KINDS,
    BootReport,
    CountsAnswer,
    CountsCommand,
    EdgesReport,
    Flag,
    OkAnswer,
    OpenCommand,
    SetCommand,
    StateReport,
    WatchCommand,
)
from tests.firmware.avr_board import AvrBoard, PinEdge
from tests.firmware.emulated import MS
from tests.shares import one_in

STORM_HZ = 200_000
TOKEN_REST = 0
"""The level of the pusher's sensors at rest."""
LONG_MS = 250
"""Of storms: twice what the watchdog bears."""
PERIODS_NS = (1_250, 2_500, 5_000, 5_062, 7_500, 12_000, 20_000)
"""Between two edges of a line: from 800,000 edges a second down to what interrupts just keep up with."""


def storm(board: AvrBoard, lines: list[int], period_ns: float, duration_ms: int = LONG_MS) -> int:
    """Plans a storm on lines (from 0), which begins in 5 ms; when it ends."""
    begins = board.chip.now_ns + 5 * MS
    count = int(duration_ms * MS / period_ns) // 2 * 2
    # In the order of time: the plan of the emulated board is sorted as it comes.
    board.chip.drive_many(
        (board.pin(line), 1 - i % 2, round(begins + (i + at / len(lines)) * period_ns))
        for i in range(count)
        for at, line in enumerate(lines)
    )
    return begins + round(count * period_ns)


def alive(board: AvrBoard, until_ns: int) -> None:
    """Lets time pass with a host that says that it is there, and takes what the board says."""
    while board.chip.now_ns < until_ns:
        board.live(min(20 * MS, until_ns - board.chip.now_ns))


def check_calm_again(board: AvrBoard, lines: list[int]) -> None:
    """All inputs are listened to, and an edge on each is told."""
    board.live(300 * MS)
    state = board.state()
    assert (state.masked, state.flags & Flag.STORM) == (0, 0)
    assert len(board.reports(BootReport)) == 1, "it was reset"
    begins = board.chip.now_ns
    told = board.play([PinEdge(line, 1, begins + (5 + 2 * at) * MS) for at, line in enumerate(lines)])
    assert [(edge.line, edge.level) for edge in told.told] == [(line, 1) for line in lines]
    assert told.missing == 0


QUICK_LINES = (0, 4, 7)
"""Of the boards other than the wheel's, whose inputs are at the same interrupts in another order."""


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        pytest.param(kind, line, marks=[] if kind == "wheel" or line in QUICK_LINES else pytest.mark.soak)
        for kind in KINDS
        for line in range(8)
    ],
)
def test_a_storm_on_any_input_resets_nothing_and_is_told(kind: str, line: int) -> None:
    with AvrBoard(kind, watch=0xFF) as board:
        ends = storm(board, [line], 1e9 / STORM_HZ)
        alive(board, ends - 20 * MS)
        state = board.state()
        assert state.masked == 1 << line
        assert state.flags & Flag.STORM
        assert state.lost >= 255
        alive(board, ends)
        check_calm_again(board, [line])


@pytest.mark.parametrize(
    ("kind", "period_ns"),
    [*one_in(3, (("wheel", each) for each in PERIODS_NS)), ("table", 5_000), ("reel", 5_000), ("pusher", 5_000)],
)
def test_a_storm_on_all_inputs_at_once_resets_nothing(kind: str, period_ns: int) -> None:
    with AvrBoard(kind, watch=0xFF) as board:
        lost = board.state().lost
        ends = storm(board, list(range(8)), period_ns)
        alive(board, ends)
        assert board.state().lost != lost
        check_calm_again(board, list(range(8)))


@pytest.mark.parametrize("period_ns", PERIODS_NS)
def test_edges_of_the_other_inputs_are_told_during_a_storm(period_ns: int) -> None:
    with AvrBoard(watch=0xFF) as board:
        begins = board.chip.now_ns
        ends = storm(board, [2], period_ns)
        slow = [PinEdge(5, 1 - at % 2, begins + (20 + 23 * at) * MS) for at in range(10)]
        board.chip.drive_many((board.pin(edge.line), edge.level, round(edge.t_ns)) for edge in slow)
        before = len(board.said)
        alive(board, ends)
        told = sum(report.count for report in board.reports(EdgesReport, before))
        assert told >= len(slow) // 2, "a few may fall into the moments in which the board finds out"
        board.live(300 * MS)
        assert board.state().levels >> 5 & 1 == slow[-1].level
        check_calm_again(board, [2, 5])


@pytest.mark.parametrize("line", [1, 4, 6])
def test_tokens_are_counted_during_a_storm_elsewhere(line: int) -> None:
    """On either port: a beam, the tilt sensor, the home sensor."""
    with AvrBoard("pusher") as board:
        board.chip.drive_many((board.pin(each), TOKEN_REST, board.chip.now_ns) for each in range(8))
        board.run(200 * MS)
        assert board.tell(OpenCommand(1)) == OkAnswer()
        begins = board.chip.now_ns
        ends = storm(board, [line], 1e9 / STORM_HZ, 900)
        for at in range(6):
            pressed = begins + (60 + 130 * at) * MS
            board.chip.drive_many(
                [(board.pin(0), 1 - TOKEN_REST, pressed), (board.pin(0), TOKEN_REST, pressed + 60 * MS)]
            )
        alive(board, ends + 300 * MS)
        board.run(20 * MS)  # for what is still to be answered
        # In the moments in which the board finds out, bytes of the host are lost: a real host says them again.
        assert board.tell(OpenCommand(2)) == OkAnswer()
        counts = board.tell(CountsCommand())
        assert isinstance(counts, CountsAnswer)
        assert counts.first == 6
        assert len(board.reports(BootReport)) == 1


def test_outputs_are_governed_during_a_storm() -> None:
    with AvrBoard(watch=0xFF) as board:
        ends = storm(board, list(range(8)), 1e9 / STORM_HZ, 800)
        alive(board, board.chip.now_ns + 50 * MS)
        assert board.tell(SetCommand(1, 255, 60)) == OkAnswer()
        assert board.chip.output("B0") == 1
        board.live(80 * MS)
        assert board.chip.output("B0") == 0, "its time is over"
        assert board.tell(SetCommand(2, 255, 0)) == OkAnswer()
        assert board.chip.output("B1") == 1
        silent = board.chip.now_ns
        board.run(520 * MS)
        assert board.chip.output("B1") == 0, "the dead-man"
        off = [change for change in board.chip.take_changes() if change.pin == "B1" and change.level == 0]
        assert off[-1].t_ns - silent < 510 * MS
        alive(board, ends)
        assert len(board.reports(BootReport)) == 1


def test_the_masking_is_of_one_session() -> None:
    with AvrBoard(watch=0xFF) as board:
        storm(board, [0], 1e9 / STORM_HZ, 100)
        alive(board, board.chip.now_ns + 60 * MS)
        assert board.state().masked == 1
        assert board.tell(WatchCommand(0xFF, 0)) == OkAnswer()
        board.live(25 * MS)
        assert board.reports(StateReport)[-1].masked == 1, "it storms on"
        alive(board, board.chip.now_ns + 60 * MS)
        assert board.tell(OpenCommand(9)) == OkAnswer()
        board.live(150 * MS)
        assert board.state().masked == 0


def test_a_burst_that_the_ring_holds_is_no_storm() -> None:
    with AvrBoard(watch=0xFF) as board:
        begins = board.chip.now_ns + 5 * MS
        burst = [PinEdge(0, 1 - at % 2, begins + at * 20_000) for at in range(60)]
        told = board.play(burst)
        assert (len(told.told), told.missing, board.state().masked) == (60, 0, 0)
