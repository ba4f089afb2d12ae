"""Any bytes from a board: never an exception, never a command told twice, never an edge out of order."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.board import frames
from hal.board.clock import ClockMap
from hal.board.edge_stream import EdgeStream, unpack
from hal.board.errors import BoardError
from hal.board.identity import ExpectedBoard
from hal.board.message import BoardAnswer, BoardMessage, MessageError
from hal.board.messages import (
    ANSWERS,
    KINDS,
    REPORTS,
    AliveCommand,
    ClockAnswer,
    EdgesReport,
    HeldAnswer,
    NameBoardCommand,
    StateReport,
)
from hal.board.session import BoardReported, Session, SessionEvent
from tests.fakes.board_host import BoardHost
from tests.fakes.board_wire import BoardWire
from tests.fakes.model_board import ModelBoard
from tests.fakes.true_clock import MS, Exchanges, TrueClock

S = 1000 * MS
WHEEL = KINDS["wheel"]


class Raw(BoardMessage, frozen=True):
    """Fields as they are, under any id."""

    raw: bytes

    def pack(self, protocol: int | None = None) -> bytes:
        return self.raw


def sound_frame(number: int, id_: int, fields: bytes) -> bytes:
    """A frame that is whole, whatever it says."""
    made = type("Any", (Raw,), {"id": id_}, frozen=True)
    return frames.encode(number, made(fields))[:-1]


FRAMES = st.builds(
    sound_frame,
    st.sampled_from([0, 1, 2, 40, 255]),
    st.one_of(st.sampled_from([*ANSWERS, *REPORTS]), st.integers(0, 255)),
    st.binary(max_size=59),
)
RIGHT_SIZE = st.sampled_from([*ANSWERS.items(), *REPORTS.items()]).flatmap(
    lambda item: st.builds(
        sound_frame,
        st.integers(0, 255),
        st.just(item[0]),
        st.binary(min_size=item[1].layout.size, max_size=item[1].layout.size + (20 if item[1].has_rest else 0)),
    )
)
PIECES = st.one_of(st.binary(max_size=70), FRAMES, RIGHT_SIZE)


def noting(told: list[BoardAnswer | BoardError]) -> Callable[[BoardAnswer | BoardError], None]:
    return told.append


def hear(pieces: list[tuple[bytes, int]], up: bool) -> None:
    """A session, up or not yet, hears these pieces, some time apart."""
    board = ModelBoard(WHEEL)
    session = Session("wheel", ExpectedBoard(WHEEL, None, None), lambda: 1)
    host = BoardHost(session, board)

    def heard(said: SessionEvent) -> None:
        try:
            host.heard(said)
        except MessageError:
            assert isinstance(said, BoardReported)

    wire = BoardWire(board, session, heard=heard)
    wire.plug()
    if up:
        wire.run(S)
        assert session.up
    told: list[list[BoardAnswer | BoardError]] = []
    for piece, later_ns in pieces:
        told.append([])
        session.submit(NameBoardCommand(1), noting(told[-1]))
        session.take(piece, wire.now_ns)
        wire.pump()
        wire.run(wire.now_ns + later_ns)
    session.disconnected(wire.now_ns, "the end")
    assert all(len(results) == 1 for results in told)
    for watch in host.watches:
        assert [told.t_ns for told in watch.told] == sorted(told.t_ns for told in watch.told)


ANY_TALK = st.lists(st.tuples(PIECES, st.sampled_from([0, 0, MS, 200 * MS])), max_size=20)


@settings(max_examples=60)
@given(pieces=ANY_TALK, up=st.booleans())
def test_a_session_hears_any_bytes(pieces: list[tuple[bytes, int]], up: bool) -> None:
    hear(pieces, up)


@pytest.mark.soak
@settings(max_examples=10_000)
@given(pieces=ANY_TALK, up=st.booleans())
def test_a_session_hears_any_bytes_at_length(pieces: list[tuple[bytes, int]], up: bool) -> None:
    hear(pieces, up)


@given(st.binary(max_size=2000), st.lists(st.integers(1, 300)))
def test_any_stream_is_cut_and_decoded_or_refused(stream: bytes, cuts: list[int]) -> None:
    framer = frames.BoardFramer()
    at = 0
    for cut in [*cuts, len(stream)]:
        for piece in framer.feed(stream[at : at + cut]).frames:
            try:
                assert 0 <= frames.decode(piece).number <= 255
            except frames.FrameError as error:
                assert str(error)
        at += cut


U32 = st.one_of(st.integers(0, 300), st.integers(0, 0xFFFFFFFF))
CALLS = st.one_of(
    st.builds(EdgesReport, U32, U32, st.integers(0, 25), st.binary(max_size=50)),
    st.builds(StateReport, U32, U32, st.integers(0, 255), st.just(0), st.just(0), st.just(0), st.just(0)),
    st.builds(HeldAnswer, U32),
)


def known_clock() -> ClockMap:
    made = Exchanges(ClockMap(), TrueClock(Random(1), 0.0), Random(1), lambda r: 0.0, lambda r: 0.0)
    while not made.map.ready:
        made.one(97 * MS)
    return made.map


CLOCK = known_clock()


@settings(max_examples=150)
@given(st.lists(CALLS, max_size=30))
def test_an_edge_stream_takes_any_reports_and_time_never_goes_back(calls: list[BoardMessage]) -> None:
    stream = EdgeStream(CLOCK)
    until_ns = -(1 << 70)
    for call in calls:
        try:
            if isinstance(call, EdgesReport):
                stream.edges(call)
            elif isinstance(call, StateReport):
                stream.state(call)
            elif isinstance(call, HeldAnswer) and stream.take_request() is not None:
                stream.held(call)
        except MessageError as error:
            assert str(error)
        for told in stream.take():
            assert told.t_ns >= until_ns
        if stream.until_ns is not None:
            assert stream.until_ns >= until_ns
            until_ns = stream.until_ns


@given(st.integers(0, 255), st.binary(max_size=60))
def test_any_packed_bytes_are_edges_or_refused(count: int, packed: bytes) -> None:
    try:
        assert len(unpack(EdgesReport(0, 0, count, packed))) == count
    except MessageError as error:
        assert str(error)


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 1 << 40),
            st.integers(-MS, S),
            st.builds(ClockAnswer, U32, st.integers(0, 3), st.integers(0, 65535)),
        ),
        max_size=40,
    )
)
def test_a_clock_map_takes_any_exchanges(given_: list[tuple[int, int, ClockAnswer]]) -> None:
    map_ = ClockMap()
    for sent_ns, took_ns, answer in given_:
        map_.exchange(sent_ns, sent_ns + took_ns, answer, 7, 17)
        if map_.ready:
            assert map_.host_ns(1000) <= map_.host_ns(2000)
            assert map_.error_ns(1000) > 0


def test_a_board_that_speaks_of_edges_nobody_asked_for_is_only_heard() -> None:
    session = Session("wheel", ExpectedBoard(WHEEL, None, None), lambda: 1)
    session.connected(0)
    session.take(sound_frame(0, EdgesReport.id, bytes(9)), 1)
    session.take(frames.encode(0, AliveCommand())[:-1], 2)
    assert session.take_events() == []
