"""The edges of a board: told once and in order, asked for when the wire lost them, told as lost when the board did."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from hal.board.clock import ClockMap
from hal.board.edge_stream import BoardEdge, EdgesMissing, EdgeStream, PackedEdge, unpack
from hal.board.errors import SessionEndedError
from hal.board.message import MessageError
from hal.board.messages import EdgesFromCommand, EdgesReport, HeldAnswer, OkAnswer, StateReport
from tests.fakes.model_edges import ModelEdge, pack
from tests.fakes.true_clock import MS, Exchanges, TrueClock

T0 = 10_000_000
"""A tick after which everything happens here."""


def known_clock(ticks: int = T0 - 6_000_000) -> ClockMap:
    made = Exchanges(ClockMap(), TrueClock(Random(1), 0.0, 0.0, ticks), Random(1), lambda r: 0.0, lambda r: 0.0)
    while made.clock.sample().ticks < ticks + 6_000_000:
        made.one(97 * MS)
    assert made.map.ready
    return made.map


def edges(first: int, *levels: int, line: int = 0, ticks: int = T0) -> EdgesReport:
    """A report of edges of one line, a millisecond apart; the first edge of all was at T0."""
    made = [ModelEdge(number, line, level, ticks + 2000 * number) for number, level in enumerate(levels, first)]
    report, count = pack(made)
    assert count == len(levels)
    return report


def state(next_: int, levels: int = 0, ticks: int | None = None) -> StateReport:
    """A state right after the edge before `next_`."""
    at = T0 + 2000 * next_ - 1 if ticks is None else ticks
    return StateReport(at & 0xFFFFFFFF, next_ & 0xFFFFFFFF, levels & 0xFF, 0, 0, 0, 0, levels >> 8)


def masked(report: StateReport) -> StateReport:
    """The state of a board that does not listen to the second input."""
    return replace(report, masked=2)


def of_line_1() -> EdgeStream:
    """A stream of the first input only."""
    return EdgeStream(known_clock(), watched=1)


def told(stream: EdgeStream) -> list[int | str]:
    """Levels of edges, "f" and the level for those only found, "-n" for n missing."""
    return [
        f"-{one.missing}" if isinstance(one, EdgesMissing) else f"f{one.level}" if one.found else one.level
        for one in stream.take()
    ]


def test_edges_come_with_the_hosts_time() -> None:
    clock = known_clock()
    stream = EdgeStream(clock)
    stream.edges(edges(0, 1, 0))
    assert stream.take() == [
        BoardEdge(0, 1, clock.host_ns(T0), T0),
        BoardEdge(0, 0, clock.host_ns(T0 + 2000), T0 + 2000),
    ]
    assert clock.host_ns(T0 + 2000) - clock.host_ns(T0) == pytest.approx(MS, abs=100)
    assert stream.take() == []


def test_repeated_edges_are_delivered_once() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(0, 1, 0, 1))
    stream.edges(edges(1, 0, 1, 0))
    stream.edges(edges(0, 1))
    assert told(stream) == [1, 0, 1, 0]
    assert stream.take_request() is None


def test_a_gap_is_requested_once_and_filled() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(0, 1, 0))
    stream.edges(edges(4, 1, 0))
    assert told(stream) == [1, 0]
    assert stream.take_request() == EdgesFromCommand(2)
    stream.edges(edges(6, 1))
    assert stream.take_request() is None
    stream.held(HeldAnswer(2))
    stream.edges(edges(2, 1, 0, 1, 0, 1))
    assert told(stream) == [1, 0, 1, 0, 1]
    assert stream.take_request() is None
    assert stream.lost == 0


def test_a_resend_takes_the_place_of_what_was_kept() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(2, 1, 0, 1))
    stream.edges(edges(0, 1, 0, 1, 0, 1))
    stream.edges(edges(7, 0))
    assert stream.take_request() == EdgesFromCommand(5)
    stream.held(HeldAnswer(7))
    assert told(stream) == [1, 0, 1, 0, 1, "-2", 0]
    assert stream.lost == 2


def test_a_resend_that_is_lost_too_is_requested_again() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(3, 0))
    assert stream.take_request() == EdgesFromCommand(0)
    stream.held(HeldAnswer(0))
    assert stream.take_request() is None
    stream.edges(edges(4, 1))
    assert stream.take_request() == EdgesFromCommand(0)


def test_a_tail_that_was_lost_shows_in_the_state() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(0, 1))
    stream.state(state(3))
    assert stream.take_request() == EdgesFromCommand(1)
    stream.held(HeldAnswer(1))
    stream.state(state(3))
    assert stream.take_request() is None, "what was asked for is on its way"
    stream.state(state(3))
    assert stream.take_request() == EdgesFromCommand(1)


def test_what_the_board_no_longer_stores_is_reported_as_lost_before_the_edge_that_follows() -> None:
    clock = known_clock()
    stream = EdgeStream(clock)
    stream.edges(edges(0, 1))
    stream.edges(edges(6, 1))
    stream.take_request()
    stream.held(HeldAnswer(4))
    assert told(stream) == [1]
    stream.edges(edges(4, 1, 0, 1))
    missing, *others = stream.take()
    assert missing == EdgesMissing(3, clock.host_ns(T0 + 8000) - 1)
    assert len(others) == 3
    assert stream.lost == 3


def test_a_gap_is_reported_in_its_place() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(2, 1, 0))
    stream.edges(edges(6, 1))
    stream.take_request()
    stream.held(HeldAnswer(6))
    assert told(stream) == ["-2", 1, 0, "-2", 1]
    assert stream.lost == 4


def test_a_tail_that_is_lost_for_good_is_dated_by_the_state() -> None:
    clock = known_clock()
    stream = EdgeStream(clock, watched=1)
    stream.edges(edges(0, 1))
    stream.state(state(3, levels=1))
    stream.take_request()
    stream.held(HeldAnswer(3))
    over_ns = clock.host_ns(T0 + 5999)
    assert stream.take()[1:] == [EdgesMissing(2, over_ns), BoardEdge(0, 1, over_ns, T0 + 5999, found=True)]
    assert stream.until_ns == clock.host_ns(T0 + 5999)


def test_a_loss_is_reported_by_each_time_that_has_passed() -> None:
    clock = known_clock()
    stream = EdgeStream(clock, watched=0)
    stream.state(state(2))
    stream.state(state(4))
    stream.take_request()
    stream.held(HeldAnswer(5))
    assert stream.take() == [
        EdgesMissing(2, clock.host_ns(T0 + 3999)),
        EdgesMissing(2, clock.host_ns(T0 + 7999)),
    ]
    stream.state(state(6))
    stream.take_request()
    stream.held(HeldAnswer(6))
    assert told(stream) == ["-2"]
    assert stream.lost == 6


def test_a_masked_input_has_no_level_until_it_is_listened_to_again() -> None:
    clock = known_clock()
    stream = EdgeStream(clock, watched=3)
    stream.edges(edges(0, 1, line=0))
    stream.edges(edges(1, 1, line=1))
    stream.state(state(2, levels=3))
    stream.take()
    for next_, levels in ((3, 1), (4, 0), (5, 1)):
        stream.edges(edges(next_ - 1, levels & 1))
        stream.state(masked(state(next_, levels | next_ % 2 << 1)))
    assert stream.take() == [
        BoardEdge(0, 1, clock.host_ns(T0 + 4000), T0 + 4000),
        EdgesMissing(0, clock.host_ns(T0 + 5999), (1,)),
        BoardEdge(0, 0, clock.host_ns(T0 + 6000), T0 + 6000),
        BoardEdge(0, 1, clock.host_ns(T0 + 8000), T0 + 8000),
    ]
    assert stream.until_ns == clock.host_ns(T0 + 9999)
    stream.state(state(5, 3, T0 + 12_000))
    assert stream.take() == [BoardEdge(1, 1, clock.host_ns(T0 + 12_000), T0 + 12_000, found=True)]


def test_while_an_input_is_masked_a_level_of_another_proves_a_loss() -> None:
    stream = EdgeStream(known_clock(), watched=3)
    stream.edges(edges(0, 1, line=0))
    stream.edges(edges(1, 1, line=1))
    stream.state(state(2, levels=3))
    stream.state(masked(state(2, levels=3, ticks=T0 + 5000)))
    assert told(stream) == [1, 1, "-0"]
    stream.state(masked(state(2, levels=2, ticks=T0 + 6000)))
    assert told(stream) == ["-1", "f0"]


def test_after_a_loss_levels_are_found_by_the_state_whether_they_changed_or_not() -> None:
    stream = EdgeStream(known_clock(), watched=0b0111)
    stream.edges(edges(0, 1))
    stream.edges(edges(1, 1, line=1))
    stream.edges(edges(2, 1, line=7))
    stream.state(state(5, levels=0b0001))
    stream.take_request()
    stream.held(HeldAnswer(5))
    assert [one.line for one in stream.take() if isinstance(one, BoardEdge) and one.found] == [0, 1, 2]
    stream.state(state(5, levels=0b0001, ticks=T0 + 90_000))
    assert told(stream) == []


def test_a_level_known_from_an_edge_after_the_loss_is_not_found_again() -> None:
    stream = EdgeStream(known_clock(), watched=0b11)
    stream.edges(edges(0, 1))
    stream.edges(edges(1, 1, line=1))
    stream.edges(edges(4, 1))
    stream.take_request()
    stream.held(HeldAnswer(4))
    stream.state(state(5, levels=0b01))
    assert told(stream) == [1, 1, "-2", 1, "f0"]


def test_a_level_that_changed_though_no_edge_is_known_to_be_lost_is_reported_as_a_loss() -> None:
    stream = of_line_1()
    stream.edges(edges(0, 1))
    stream.state(state(1, levels=0))
    assert told(stream) == [1, "-1", "f0"]


def test_a_line_whose_first_edge_is_still_to_come_has_lost_none() -> None:
    stream = EdgeStream(known_clock())
    stream.state(state(0, levels=0xFF))
    stream.edges(edges(0, 1))
    stream.state(state(1, levels=0xFF))
    assert told(stream) == [1]


def test_a_state_gives_the_time_up_to_which_everything_is_delivered() -> None:
    clock = known_clock()
    stream = EdgeStream(clock)
    assert stream.until_ns is None
    stream.state(state(0, ticks=T0 - 5))
    assert stream.until_ns == clock.host_ns(T0 - 5)
    stream.edges(edges(0, 1))
    assert stream.until_ns == clock.host_ns(T0 - 1)
    stream.state(state(3, ticks=T0 + 9000))
    assert stream.until_ns == clock.host_ns(T0 - 1)
    stream.edges(edges(1, 0, 1))
    assert stream.until_ns == clock.host_ns(T0 + 9000)


def test_an_edge_is_never_delivered_at_a_time_already_passed() -> None:
    clock = known_clock()
    stream = EdgeStream(clock)
    stream.state(state(0, ticks=T0 + 100))
    stream.edges(edges(0, 1))
    (edge,) = stream.take()
    assert edge.t_ns == clock.host_ns(T0 + 101)


def test_edges_at_one_time_have_one_time() -> None:
    stream = EdgeStream(known_clock())
    report, _ = pack([ModelEdge(0, 0, 1, T0), ModelEdge(1, 1, 0, T0), ModelEdge(2, 2, 1, T0)])
    stream.edges(report)
    assert len({edge.t_ns for edge in stream.take()}) == 1


def test_numbers_and_ticks_may_begin_again() -> None:
    clock = known_clock((1 << 32) - 6_001_000)
    stream = EdgeStream(clock, watched=0)
    stream.held(HeldAnswer(0x7FFFFFFF))
    stream.held(HeldAnswer(0xFFFFFFFE))
    stream.state(state(0xFFFFFFFE, ticks=(1 << 32) - 900))
    assert told(stream) == [f"-{0xFFFFFFFE}"]
    made = [ModelEdge((1 << 32) - 2 + i, 0, i & 1, (1 << 32) - 800 + 500 * i) for i in range(5)]
    report, _ = pack(made)
    stream.edges(report)
    assert [edge.ticks for edge in stream.take() if isinstance(edge, BoardEdge)] == [edge.ticks for edge in made]
    stream.state(state(6, ticks=3000))
    assert stream.take_request() == EdgesFromCommand(3)


def test_edges_that_a_later_state_knows_nothing_of_were_garbled() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(3, 1))
    assert stream.take_request() == EdgesFromCommand(0)
    stream.held(HeldAnswer(0))
    stream.state(state(0))
    stream.edges(edges(0, 1, 0))
    assert told(stream) == [1, 0]
    assert stream.take_request() is None
    stream.edges(edges(3, 0))
    stream.edges(edges(2, 1))
    assert told(stream) == [1, 0]


def test_levels_are_found_though_more_is_missing() -> None:
    stream = of_line_1()
    stream.edges(edges(0, 1))
    stream.state(state(2, levels=0))
    stream.state(state(4, levels=1))
    stream.take_request()
    stream.held(HeldAnswer(4))
    assert told(stream) == [1, "-1", "f0", "-2", "f1"]


def test_what_is_far_ahead_is_not_kept() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(5000, 1))
    assert stream.take_request() is None
    stream.state(state(5001))
    assert stream.take_request() == EdgesFromCommand(0)


def test_after_the_session_nothing_is_requested() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(2, 1))
    assert stream.take_request() == EdgesFromCommand(0)
    stream.held(SessionEndedError("the cable was pulled", may_be_done=True))
    stream.edges(edges(3, 0))
    assert stream.take_request() is None


def test_another_answer_than_held_loses_nothing() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(2, 1))
    stream.take_request()
    stream.held(OkAnswer())
    stream.edges(edges(3, 0))
    assert stream.take_request() == EdgesFromCommand(0)
    assert told(stream) == []


def test_keys_and_long_pauses_are_packed_in_the_long_form() -> None:
    made = [
        ModelEdge(0, 7, 1, 0),
        ModelEdge(1, 7, 0, 4094),
        ModelEdge(2, 7, 1, 8189),
        ModelEdge(3, 16, 0, 8189),
        ModelEdge(4, 0, 1, 3_000_000_000),
    ]
    report, count = pack(made)
    assert count == 5
    assert unpack(report) == [PackedEdge(edge.line, edge.level, edge.ticks) for edge in made]
    assert len(report.packed) == 2 + 2 + 7 + 7 + 7


@pytest.mark.parametrize(
    ("count", "packed", "says"),
    [
        (1, b"\x80", "expected 1, found 0 in 1 bytes"),
        (2, b"\x80\x00", "expected 2, found 1 in 2 bytes"),
        (0, b"\x80\x00", "expected 0, found 1 in 2 bytes"),
        (1, b"\x8f\xff\x01\x00\x00\x00", "the long form of edge 0 is cut off"),
    ],
)
def test_edges_that_are_not_packed_as_edges_are_are_refused(count: int, packed: bytes, says: str) -> None:
    stream = EdgeStream(known_clock())
    with pytest.raises(MessageError, match=says):
        stream.edges(EdgesReport(0, 0, count, packed))
    assert stream.take() == []


def test_a_board_that_takes_edges_back_is_not_believed() -> None:
    stream = EdgeStream(known_clock())
    stream.edges(edges(0, 1, 0, 1))
    with pytest.raises(MessageError, match="the next edge is number 2; 3 or later was due"):
        stream.state(state(2))


def test_an_uncounted_falling_edge_is_reported_each_time() -> None:
    stream = of_line_1()
    stream.edges(edges(0, 1))
    stream.state(state(1, levels=0))
    assert told(stream) == [1, "-1", "f0"]
    stream.edges(edges(1, 1))
    stream.state(state(2, levels=0))
    assert told(stream) == [1, "-1", "f0"]
    assert stream.lost == 2


# --- keys -------------------------------------------------------------------------------------------------------------

KEY = 8
PRESSED = 1 << KEY


def with_a_key() -> EdgeStream:
    """A stream of the first input and the first key."""
    return EdgeStream(known_clock(), watched=1 | PRESSED)


@pytest.mark.parametrize("pressed", [0, 1])
def test_the_level_of_a_key_at_first_is_reported_by_the_first_state_after_the_inputs(pressed: int) -> None:
    stream = with_a_key()
    stream.state(state(0, PRESSED * pressed))
    assert told(stream) == []
    stream.edges(edges(0, 1))
    stream.state(state(1, 1 | PRESSED * pressed))
    stream.state(state(1, 1 | PRESSED * pressed, T0 + 3000))
    _, key = found = stream.take()
    assert isinstance(key, BoardEdge)
    assert (len(found), key.line, key.level, key.found) == (2, KEY, pressed, True)
    assert stream.lost == 0


def test_a_key_whose_edge_was_lost_has_its_level_again_with_the_next_state() -> None:
    stream = with_a_key()
    stream.edges(edges(0, 1))
    stream.state(state(1, 1))
    stream.edges(edges(1, 1, line=KEY))
    assert told(stream) == [1, "f0", 1]
    stream.state(state(3, 1, T0 + 2000 * 3))
    assert stream.take_request() == EdgesFromCommand(2)
    stream.held(HeldAnswer(3))
    last = stream.take()
    assert [(one.line, one.level) for one in last if isinstance(one, BoardEdge)] == [(0, 1), (KEY, 0)]
    assert isinstance(last[0], EdgesMissing)


def test_a_key_that_the_board_itself_lost_count_of_is_reported_too() -> None:
    stream = with_a_key()
    stream.edges(edges(0, 1))
    stream.state(state(1, 1))
    stream.take()
    stream.state(state(1, 1 | PRESSED, T0 + 5000))
    assert told(stream) == ["-1", "f1", "f1"], "the input has its level again too"


def test_a_key_that_is_not_watched_is_not_reported() -> None:
    stream = of_line_1()
    stream.edges(edges(0, 1))
    stream.state(state(1, 1 | PRESSED))
    assert told(stream) == [1]
