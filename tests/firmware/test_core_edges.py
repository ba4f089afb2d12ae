"""The core: edges are numbered, dated, batched, kept, told again, and never lost without a word."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.board.messages import (
    AliveCommand,
    ClockCommand,
    EdgesFromCommand,
    EdgesReport,
    Flag,
    HeldAnswer,
    RefusalCode,
    RefusedAnswer,
    StateReport,
    WatchCommand,
)
from tests.firmware.conftest import NewBoard, examples
from tests.firmware.core_board import MS, CoreBoard, SeenEdge, edges_of

RAW = 63
"""Interrupts that find room while the main loop is away."""
MOST_IN_LONG_FORM = 7
_U32 = 1 << 32


class Truth(NamedTuple):
    """What happened on a pin."""

    line: int
    level: int
    ticks: int


def watch(board: CoreBoard, inputs: int = 0xFF) -> None:
    board.open()
    board.do(WatchCommand(inputs, 0))


def play(board: CoreBoard, edges: list[Truth], settle: int = 40 * MS) -> None:
    """Drives the pins, and keeps the session alive."""
    for edge in edges:
        board.drive(edge.line + 1, edge.level, edge.ticks)
    until = (edges[-1].ticks if edges else board.now) + settle
    while board.now < until:
        board.run_until(min(until, board.now + 300 * MS))
        if until - board.now > 20 * MS:
            board.do(AliveCommand())


def toggles(board: CoreBoard, steps: list[tuple[int, int]], after: int = 2 * MS) -> list[Truth]:
    """Edges out of (line, ticks since the one before); every line is low at first."""
    levels = [0] * 8
    ticks = board.now + after
    edges = []
    for line, since in steps:
        ticks += since
        levels[line] ^= 1
        edges.append(Truth(line, levels[line], ticks))
    return edges


def seen(edges: list[SeenEdge], first: int) -> list[Truth]:
    """Edges as told, without the levels found at first; times are the low 32 bits."""
    return [Truth(edge.line, edge.level, edge.ticks) for edge in edges if edge.number >= first]


def low(edges: list[Truth]) -> list[Truth]:
    return [edge._replace(ticks=edge.ticks % _U32) for edge in edges]


def last_state(board: CoreBoard) -> StateReport:
    board.run(21 * MS)
    return board.reports(StateReport)[-1]


# --- watching ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs", [0b1, 0b1000_0000, 0b0101_1010, 0xFF])
def test_the_first_edges_are_the_levels_found_all_at_one_time(new_board: NewBoard, inputs: int) -> None:
    with new_board() as board:
        for line in (1, 4, 6, 7):
            board.drive(line + 1, 1)
        watch(board, inputs)
        board.run(10 * MS)
        lines = [line for line in range(8) if inputs >> line & 1]
        assert [(edge.number, edge.line) for edge in board.edges()] == list(enumerate(lines))
        assert [edge.level for edge in board.edges()] == [int(line in (1, 4, 6, 7)) for line in lines]
        assert len({edge.ticks for edge in board.edges()}) == 1


def test_an_open_input_with_a_pull_up_is_high(new_board: NewBoard) -> None:
    with new_board() as board:
        board.open()
        board.do(WatchCommand(0b11, 0b10))
        board.run(10 * MS)
        assert [edge.level for edge in board.edges()] == [0, 1]


def test_only_what_is_watched_is_told(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board, 0b1)
        play(board, toggles(board, [(0, 500), (1, 500), (7, 500), (0, 500)]))
        assert [edge.line for edge in board.edges()] == [0, 0, 0]
        assert last_state(board).next == 3


def test_watching_anew_begins_with_number_0_and_watching_nothing_ends_it(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        play(board, toggles(board, [(0, 500)] * 10))
        before = len(board.said)
        board.do(WatchCommand(0b11, 0))
        board.run(10 * MS)
        assert [edge.number for edge in board.edges(before)] == [0, 1]
        board.do(WatchCommand(0, 0))
        before = len(board.said)
        play(board, toggles(board, [(0, 500)] * 10), settle=200 * MS)
        assert board.edges(before) == []
        assert not last_state(board).flags & Flag.WATCHING


@pytest.mark.parametrize("command", [WatchCommand(0xFF, 0), WatchCommand(1, 0xFF), WatchCommand(0, 0)])
def test_all_inputs_of_a_board_can_be_watched(new_board: NewBoard, command: WatchCommand) -> None:
    with new_board() as board:
        board.open()
        board.do(command)


# --- batches ----------------------------------------------------------------------------------------------------------


def test_a_report_goes_out_when_24_edges_wait(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        board.run(10 * MS)
        before = len(board.said)
        edges = toggles(board, [(0, 100)] * 60)
        play(board, edges)
        assert [report.count for report in board.reports(EdgesReport, before)] == [24, 24, 12]


def test_no_edge_waits_for_more_than_5_ms(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        board.run(10 * MS)
        before = len(board.said)
        edges = toggles(board, [(0, 100), (1, 9 * MS), (2, 4 * MS), (3, 30 * MS)])
        play(board, edges)
        begun = {
            edge.number: said.begins
            for said in board.said[before:]
            if isinstance(said.message, EdgesReport)
            for edge in edges_of(said.message)
        }
        for number, edge in enumerate(edges, 8):
            assert begun[number] - edge.ticks < 6 * MS


# --- every edge, exactly dated ----------------------------------------------------------------------------------------

_DISTANCES = st.one_of(
    st.integers(1, 400),
    st.sampled_from([1, 4094, 4095, 4096, 65535, 65536, 65537]),
    st.integers(1, 100 * MS),
    st.integers(1, 1 << 20),
)
_STEPS = st.lists(st.tuples(st.integers(0, 7), _DISTANCES), max_size=120)


@examples(100)
@given(steps=_STEPS, start=st.integers(0, _U32 - 1))
def test_every_edge_is_told_once_in_order_with_its_time(
    new_board: NewBoard, steps: list[tuple[int, int]], start: int
) -> None:
    with new_board(ticks=start) as board:
        watch(board)
        edges = toggles(board, steps)
        play(board, edges)
        numbers = [edge.number for edge in board.edges()]
        assert numbers == list(range(len(edges) + 8))
        assert seen(board.edges(), 8) == low(edges)
        state = last_state(board)
        assert (state.next, state.lost) == (len(edges) + 8, 0)


LONG = [pytest.param(minutes, marks=pytest.mark.soak) for minutes in (17.5, 35, 36, 75)]


@pytest.mark.parametrize("minutes", [1, 18.5, *LONG])
def test_an_edge_after_a_long_time_is_dated_rightly(new_board: NewBoard, minutes: float) -> None:
    with new_board() as board:
        watch(board, 1)
        edges = toggles(board, [(0, 100), (0, int(minutes * 60_000) * MS), (0, 100)])
        play(board, edges)
        assert seen(board.edges(), 1) == low(edges)


def test_several_lines_at_one_time_are_told_in_their_order(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        t = board.now + MS
        edges = [Truth(line, 1, t) for line in (2, 3, 5)] + [Truth(line, 1, t + 900) for line in (6, 7)]
        play(board, edges)
        assert seen(board.edges(), 8) == edges
        assert last_state(board).lost == 0


def test_inputs_of_both_ports_at_one_time_are_no_loss(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        t = board.now + MS
        play(board, [Truth(line, 1, t) for line in range(8)])
        # Each port has an interrupt of its own; inputs 7 and 8 come first.
        assert sorted(seen(board.edges(), 8)) == [Truth(line, 1, t) for line in range(8)]
        assert last_state(board).lost == 0


# --- state ------------------------------------------------------------------------------------------------------------


@examples(60)
@given(steps=_STEPS)
def test_a_state_is_true_of_the_stream_before_and_after_it(new_board: NewBoard, steps: list[tuple[int, int]]) -> None:
    with new_board() as board:
        watch(board)
        play(board, toggles(board, steps))
        told: list[SeenEdge] = []
        until = -1
        for said in board.said:
            if isinstance(said.message, EdgesReport):
                fresh = edges_of(said.message)
                assert all(edge.ticks > until for edge in fresh)
                told += fresh
            elif isinstance(said.message, StateReport) and said.message.flags & Flag.WATCHING:
                state = said.message
                until = state.time
                assert state.next == len(told)
                if told:
                    assert state.time >= told[-1].ticks
                    levels = {edge.line: edge.level for edge in told}
                    assert state.levels == sum(level << line for line, level in levels.items())


def test_a_state_comes_every_20_ms_while_watching_and_every_100_ms_otherwise(new_board: NewBoard) -> None:
    with new_board() as board:
        for inputs, period in ((0xFF, 20), (0, 100)):
            board.open(inputs)
            board.do(WatchCommand(inputs, 0))
            board.run(50 * MS)
            before = len(board.said)
            board.run(400 * MS)
            times = [said.begins for said in board.said[before:] if isinstance(said.message, StateReport)]
            assert len(times) == 400 // period
            assert all(abs(b - a - period * MS) < MS // 2 for a, b in pairwise(times))


# --- loss -------------------------------------------------------------------------------------------------------------


def missing(board: CoreBoard) -> int:
    """How many numbers below the last state's `next` were never told."""
    numbers = {edge.number for edge in board.edges()}
    return last_state(board).next - len(numbers)


def test_more_interrupts_than_find_room_are_counted_and_the_levels_told(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        board.run(10 * MS)
        edges = toggles(board, [(at % 3, 50) for at in range(101)])
        for edge in edges:
            board.drive(edge.line + 1, edge.level, edge.ticks)
        board.stall(100 * MS)
        board.run(100 * MS)
        assert seen(board.edges(), 8) == edges[:RAW]
        state = last_state(board)
        assert state.lost == missing(board) == len(edges) - RAW
        levels = {edge.line: edge.level for edge in edges}
        assert state.levels == sum(level << line for line, level in levels.items())


def test_after_a_loss_the_stream_goes_on(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        edges = toggles(board, [(0, 50)] * 90)
        for edge in edges:
            board.drive(edge.line + 1, edge.level, edge.ticks)
        board.stall(30 * MS)
        board.run(30 * MS)
        more = toggles(board, [(1, 500)] * 30)
        play(board, more)
        assert seen(board.edges(), 8 + len(edges)) == more
        assert missing(board) == len(edges) - RAW


def test_a_pulse_that_nobody_saw_is_two_lost_edges(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        t = board.now + MS
        play(board, [Truth(0, 1, t), Truth(0, 0, t), Truth(1, 1, t + 500)])
        assert seen(board.edges(), 8) == [Truth(1, 1, t + 500)]
        assert board.edges()[-1].number == 10
        assert last_state(board).lost == missing(board) == 2


def test_a_loss_at_the_end_is_told_by_the_next_state(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        t = board.now + MS
        play(board, [Truth(0, 1, t), Truth(0, 0, t)])
        assert last_state(board).next == 10


def test_what_comes_faster_than_the_line_can_tell_is_lost_by_number(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        edges = toggles(board, [(at % 8, 100) for at in range(3000)])
        play(board, edges)
        told = seen(board.edges(), 8)
        assert len(told) < len(edges)
        assert set(told) < set(low(edges))
        assert last_state(board).lost == missing(board) == len(edges) - len(told)


@examples(60)
@given(data=st.data())
def test_whatever_happens_every_edge_is_told_or_missing(new_board: NewBoard, data: st.DataObject) -> None:
    with new_board() as board:
        watch(board)
        board.run(10 * MS)
        edges: list[Truth] = []
        levels = [0] * 8
        for _ in range(data.draw(st.integers(1, 6))):
            count = data.draw(st.integers(1, 200))
            distance = data.draw(st.sampled_from([20, 60, 100, 250, 1000, 5000]))
            t = board.now + 100
            for at in range(count):
                line = at * 5 % 8
                levels[line] ^= 1
                edges.append(Truth(line, levels[line], t + at * distance))
                board.drive(line + 1, levels[line], t + at * distance)
            until = t + count * distance + 100
            if data.draw(st.booleans()):
                board.stall(min(until - board.now, 200 * MS))
            board.run_until(max(until, board.now + 1))
        for _ in range(10):
            board.run(40 * MS)
        told = board.edges()
        numbers = [edge.number for edge in told]
        assert numbers == sorted(set(numbers))
        assert set(seen(told, 8)) <= set(low(edges))
        state = last_state(board)
        assert state.next == len(edges) + 8
        assert state.lost == state.next - len(numbers)
        assert state.levels == sum(level << line for line, level in enumerate(levels))


# --- once more --------------------------------------------------------------------------------------------------------


@examples(80)
@given(
    distance=st.sampled_from([300, 5000, 70_000]),
    count=st.integers(0, 400),
    asks=st.lists(st.floats(0, 1), min_size=1, max_size=4),
)
def test_what_is_asked_for_again_is_told_as_it_was_told_first(
    new_board: NewBoard, distance: int, count: int, asks: list[float]
) -> None:
    with new_board() as board:
        watch(board)
        edges = toggles(board, [(at % 8, distance) for at in range(count)])
        play(board, edges)
        truth = {edge.number: edge for edge in board.edges()}
        following = last_state(board).next
        for share in asks:
            number = round(share * following)
            before = len(board.said)
            held = board.tell(EdgesFromCommand(number))
            board.run(150 * MS)
            assert isinstance(held, HeldAnswer)
            again = board.edges(before)
            assert [edge.number for edge in again] == list(range(held.first, following))
            assert again == [truth[edge.number] for edge in again]
            assert held.first >= number
            # It keeps 255 records, of which an edge takes one or two.
            assert held.first == number or len(again) >= 120
            board.do(AliveCommand())


def test_the_answer_comes_before_what_is_told_again_and_new_edges_come_too(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        play(board, toggles(board, [(0, 300)] * 100))
        before = len(board.said)
        more = toggles(board, [(0, 300)] * 100, after=10)
        for edge in more:
            board.drive(edge.line + 1, edge.level, edge.ticks)
        held = board.tell(EdgesFromCommand(10))
        board.run(60 * MS)
        kinds = [said.message for said in board.said[before:] if not isinstance(said.message, StateReport)]
        assert isinstance(held, HeldAnswer)
        [at] = [place for place, message in enumerate(kinds) if isinstance(message, HeldAnswer)]
        following = kinds[at + 1]
        assert isinstance(following, EdgesReport)
        assert following.first == held.first
        assert {edge.number for edge in board.edges()} == set(range(208))


def test_numbers_that_were_lost_are_not_among_those_told_again(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        t = board.now + MS
        play(board, [Truth(0, 1, t), Truth(1, 1, t + 200), Truth(1, 0, t + 200), Truth(0, 0, t + 400)])
        before = len(board.said)
        assert board.tell(EdgesFromCommand(9)) == HeldAnswer(11)
        board.run(20 * MS)
        assert [edge.number for edge in board.edges(before)] == [11]


def test_what_is_still_to_come_is_not_told_again(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        board.run(30 * MS)
        assert board.tell(EdgesFromCommand(8)) == HeldAnswer(8)
        refused = RefusedAnswer(EdgesFromCommand.id, RefusalCode.WRONG_VALUE)
        assert board.tell(EdgesFromCommand(9)) == refused
        assert board.tell(EdgesFromCommand(1 << 31)) == refused


def test_sending_again_costs_no_new_edge(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        edges = toggles(board, [(0, 400)] * 4000)
        for edge in edges:
            board.drive(edge.line + 1, edge.level, edge.ticks)
        while board.now < edges[-1].ticks:
            board.run(50 * MS)
            following = board.reports(StateReport)[-1].next
            board.tell(EdgesFromCommand(max(0, following - 60)))
        board.run(60 * MS)
        assert {edge.number for edge in board.edges()} == set(range(len(edges) + 8))
        assert last_state(board).lost == 0


# --- how many, how fast -----------------------------------------------------------------------------------------------


def test_8000_edges_a_second_are_told_while_the_clock_is_asked(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        edges = toggles(board, [(at % 2, 250) for at in range(16_000)])
        for edge in edges:
            board.drive(edge.line + 1, edge.level, edge.ticks)
        while board.now < edges[-1].ticks:
            board.run(100 * MS)
            board.tell(ClockCommand())
        board.run(50 * MS)
        assert seen(board.edges(), 8) == edges
        assert last_state(board).lost == 0


def test_edges_far_apart_still_fill_reports(new_board: NewBoard) -> None:
    with new_board() as board:
        watch(board)
        board.run(20 * MS)
        before = len(board.said)
        play(board, toggles(board, [(at % 8, 4100) for at in range(200)]))
        counts = [report.count for report in board.reports(EdgesReport, before)]
        assert sum(counts) == 200
        assert max(counts) <= MOST_IN_LONG_FORM + 1
