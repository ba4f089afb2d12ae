"""A session with one board: how it comes up, what takes it down, and what becomes of commands then."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import msgspec
import pytest

from hal.board import frames
from hal.board.chips import CHIPS, PICOS, Chip
from hal.board.errors import BoardError, CommandRefusedError, SessionEndedError, command_name, refused
from hal.board.identity import ExpectedBoard
from hal.board.message import BoardAnswer, BoardCommand, MessageError
from hal.board.messages import (
    BAUD,
    KINDS,
    PROTOCOL,
    AliveCommand,
    ClockCommand,
    CountsReport,
    EdgesFromCommand,
    Flag,
    HopperReport,
    IdentifyCommand,
    IdentityAnswer,
    NameBoardCommand,
    OkAnswer,
    OpenCommand,
    PayCommand,
    RefusalCode,
    RefusedAnswer,
    Reset,
    SensorsReport,
    SetCommand,
    StateReport,
    WatchCommand,
)
from hal.board.session import BoardDown, BoardReported, BoardUp, Session
from tests.fakes.board_wire import NONE, BoardWire, Faults
from tests.fakes.model_board import ModelBoard

MS = 1_000_000
S = 1000 * MS
WHEEL = KINDS["wheel"]
WANTED = ExpectedBoard(WHEEL, (1, 0, 0), bytes.fromhex("00001234"))


def joined(
    board: ModelBoard | None = None, wanted: ExpectedBoard = WANTED, draw: Callable[[], int] | None = None
) -> BoardWire:
    """A session and a board on a good wire, plugged in."""
    board = board or ModelBoard(WHEEL, build=0x1234)
    numbers = iter(range(1, 1 << 16))
    wire = BoardWire(board, Session("wheel", wanted, draw or (lambda: next(numbers))))
    wire.plug()
    return wire


def up() -> BoardWire:
    """The same, one second later."""
    wire = joined()
    wire.run(S)
    assert [type(said) for said in wire.said][:1] == [BoardUp]
    return wire


def ask(wire: BoardWire, command: BoardCommand) -> list[BoardAnswer | BoardError]:
    """What will have become of a command."""
    told: list[BoardAnswer | BoardError] = []
    wire.session.submit(command, told.append)
    wire.pump()
    return told


def losing(board: ModelBoard, *ids: int) -> BoardWire:
    """The same with this board; the line corrupts the first report of each of these ids."""
    wire = joined(board, ExpectedBoard(board.kind))
    left, take = list(ids), wire.session.take

    def corrupted(piece: bytes, t_ns: int) -> None:
        try:
            id_ = frames.decode(piece).id
        except frames.FrameError:
            id_ = 0
        broken = id_ in left
        if broken:
            left.remove(id_)
        take(b"\x01" + piece if broken else piece, t_ns)

    wire.session.take = corrupted  # type: ignore[method-assign]
    return wire


def carried(wire: BoardWire) -> list[BoardCommand]:
    """The commands that the board carried out, except for the reading of its clock."""
    return [done.command for done in wire.board.carried if not isinstance(done.command, ClockCommand)]


# --- coming up -------------------------------------------------------------------------------------------------------


def test_the_right_board_is_up_within_a_second_and_its_clock_is_known() -> None:
    wire = up()
    assert wire.session.up
    assert wire.session.identity == wire.ups[0].identity == wire.board.identity
    assert wire.session.clock.ready
    assert wire.session.clock.error_ns(wire.board.ticks_at(S)) < 20_000


def test_what_a_board_reports_once_as_its_session_opens_is_delivered_when_it_is_up() -> None:
    wire = joined(ModelBoard(KINDS["pusher"]), ExpectedBoard(KINDS["pusher"]))
    wire.run(S)
    assert [type(said) for said in wire.said][:3] == [BoardUp, BoardReported, BoardReported]
    first = [said.report for said in wire.reports[:2]]
    assert first == [HopperReport(0, 0, 0, 0, 0, 0), SensorsReport(0x7F, 0, 0)]
    wire.session.restart(wire.now_ns, "another")
    wire.run(3 * S)
    assert [said.report for said in wire.reports].count(first[0]) == 2


@pytest.mark.parametrize(
    "ids", [(HopperReport.id,), (SensorsReport.id,), (HopperReport.id, SensorsReport.id), (StateReport.id,)]
)
def test_a_session_is_opened_again_where_the_line_lost_a_report_of_its_opening(ids: tuple[int, ...]) -> None:
    wire = losing(ModelBoard(KINDS["pusher"]), *ids)
    wire.run(3 * S)
    assert wire.downs == []
    assert {HopperReport, SensorsReport} <= {type(said.report) for said in wire.reports}
    assert wire.session.inbox.broken == len(ids)


def test_counters_whose_report_the_line_lost_are_asked_for() -> None:
    board = ModelBoard(KINDS["pusher"])
    wire = losing(board, CountsReport.id)
    wire.run(S)
    board.counters = [7, 0, 0, 0]
    board.say(CountsReport(7, 0, 0, 0), wire.now_ns)
    wire.run(wire.now_ns + 300 * MS)
    counts = [said.report for said in wire.reports if isinstance(said.report, CountsReport)]
    assert counts == [CountsReport(7, 0, 0, 0)]


def test_a_lone_zero_goes_before_the_first_frame() -> None:
    session = Session("wheel", WANTED, lambda: 1)
    session.connected(0)
    assert session.take_output() == b"\0" + frames.encode(0, IdentifyCommand())
    assert session.take_output() == b""


def identity(**change: int) -> Callable[[ModelBoard], None]:
    def apply(board: ModelBoard) -> None:
        board.identity = msgspec.structs.replace(board.identity, **change)

    return apply


@pytest.mark.parametrize(
    ("change", "expected", "found"),
    [
        (
            {"protocol": 9, "oldest": 8, "kind": 2},
            f"expected protocol 2 to {PROTOCOL}",
            "found protocol 9, which works with hosts of protocol 8 and later",
        ),
        ({"protocol": 0}, f"expected protocol 1 to {PROTOCOL}", "found protocol 0"),
        ({"kind": 2, "major": 9}, "expected a board of kind 'wheel'", "found kind 'table'"),
        ({"kind": 77}, "expected a board of kind 'wheel'", "found unknown kind 77"),
        ({"minor": 3, "patch": 9, "build": 7}, "expected firmware 1.0.0", "found firmware 1.3.9"),
        ({"build": 0xBEEF}, "expected build 00001234", "found build 0000BEEF"),
    ],
)
def test_a_wrong_board_is_refused_with_both_names_and_left_alone(
    change: dict[str, int], expected: str, found: str
) -> None:
    board = ModelBoard(WHEEL, build=0x1234)
    identity(**change)(board)
    wire = joined(board)
    wire.run(30 * S)
    assert not wire.ups
    assert len(wire.downs) == 1
    assert wire.downs[0].reason.startswith("board 'wheel': ")
    assert expected in wire.downs[0].reason
    assert found in wire.downs[0].reason
    assert "feltwire boards flash wheel PORT" in wire.downs[0].reason
    assert board.session is None


def test_a_board_that_was_put_right_meanwhile_comes_up() -> None:
    board = ModelBoard(WHEEL, build=7)
    wire = joined(board)
    wire.run(4 * S)
    identity(build=0x1234)(board)
    wire.run(7 * S)
    assert wire.session.up


def test_variables_that_are_not_selected_are_not_decoded() -> None:
    board = ModelBoard(KINDS["pusher"], build=99)
    wire = joined(board, ExpectedBoard(None, None, None))
    wire.run(S)
    assert wire.session.up


def test_an_identity_of_another_layout_is_that_of_another_protocol() -> None:
    session = Session("wheel", WANTED, lambda: 1)
    session.connected(0)

    class Other(IdentityAnswer, frozen=True):
        def pack(self, protocol: int | None = None) -> bytes:
            return bytes((PROTOCOL + 1, 0, 9, 9, 9))

    board = ModelBoard(WHEEL)
    other = Other(**{name: getattr(board.identity, name) for name in board.identity.__struct_fields__})
    session.take(frames.encode(0, other)[:-1], 5 * MS)
    assert session.take_events() == [
        BoardDown(
            5 * MS,
            f"board 'wheel': expected protocol {PROTOCOL} with an identity of {IdentityAnswer.layout.size} bytes, "
            f"found protocol {PROTOCOL + 1} with one of 5 bytes; flash its firmware with: feltwire boards flash wheel "
            "PORT",
        )
    ]


def test_silence_is_reported_once_and_a_board_that_then_answers_comes_up() -> None:
    board = ModelBoard(WHEEL, build=0x1234)
    board.frozen = True
    wire = joined(board)
    wire.run(20 * S)
    assert [said.reason for said in wire.downs] == [
        "board 'wheel': no answer to identify for 3 s; is it powered, is this its port, was its firmware flashed?"
    ]
    assert 3 * S <= wire.downs[0].t_ns < 3 * S + 300 * MS
    board.reset(wire.now_ns, Reset.POWER_ON)
    wire.run(21 * S)
    assert wire.session.up


@pytest.mark.parametrize(("out_ms", "back_ms"), [(16, 16), (0, 16), (40, 20)])
def test_a_board_on_a_slow_link_comes_up_too(out_ms: int, back_ms: int) -> None:
    wire = joined()
    wire.latency_out = lambda: out_ms * MS
    wire.latency_in = lambda: back_ms * MS
    wire.run(5 * S)
    assert wire.session.up
    assert wire.session.quality.figures.lost == 0
    error_ns = wire.session.clock.host_ns(wire.board.ticks_at(wire.now_ns)) - wire.now_ns
    assert abs(error_ns) <= wire.session.clock.error_ns(wire.board.ticks_at(wire.now_ns)) < 32 * MS


def test_a_link_on_which_the_clock_cannot_be_read_is_reported() -> None:
    wire = joined()
    wire.latency_out = wire.latency_in = lambda: 70 * MS
    wire.run(30 * S)
    assert [said.reason.split(":")[1] for said in wire.downs] == [" it answers, but its clock is not known"]


def test_a_number_that_is_drawn_twice_is_still_another_session() -> None:
    wire = joined(draw=lambda: 5)
    wire.run(S)
    ask(wire, SetCommand(1, 255, 0))
    wire.run(wire.now_ns + 50 * MS)
    wire.session.restart(wire.now_ns, "the test wants it")
    wire.run(wire.now_ns + 2 * S)
    assert len(wire.ups) == 2
    assert {done.session for done in wire.board.carried} == {5, 4}


# --- commands --------------------------------------------------------------------------------------------------------


def test_commands_are_carried_out_once_each_and_in_order() -> None:
    wire = up()
    told = [ask(wire, NameBoardCommand(tag)) for tag in range(600)]
    wire.run(4 * S)
    assert told == [[OkAnswer()]] * 600
    assert carried(wire) == [NameBoardCommand(tag) for tag in range(600)]


def test_a_refused_command_is_answered_with_the_refusal() -> None:
    wire = up()
    wire.board.refuse[NameBoardCommand] = RefusalCode.STORE_FAILED
    told = ask(wire, NameBoardCommand(1))
    wire.run(2 * S)
    assert told == [RefusedAnswer(NameBoardCommand.id, RefusalCode.STORE_FAILED)]
    assert wire.session.up


def test_edges_are_requested_before_what_can_wait() -> None:
    wire = up()
    for command in (NameBoardCommand(1), WatchCommand(1, 0), EdgesFromCommand(0)):
        wire.session.submit(command, lambda result: None)
    wire.pump()
    wire.run(2 * S)
    assert carried(wire) == [EdgesFromCommand(0), NameBoardCommand(1), WatchCommand(1, 0)]


def test_the_callback_of_a_command_may_submit_another() -> None:
    wire = up()
    told: list[BoardAnswer | BoardError] = []

    def again(result: BoardAnswer | BoardError) -> None:
        told.append(result)
        if len(told) < 5:
            wire.session.submit(NameBoardCommand(len(told)), again)

    wire.session.submit(NameBoardCommand(0), again)
    wire.pump()
    wire.run(S + 50 * MS)
    assert told == [OkAnswer()] * 5
    wire.unplug()
    ask(wire, AliveCommand())


def test_a_command_that_no_such_board_has_is_refused_at_once() -> None:
    wire = up()
    with pytest.raises(BoardError, match="board 'wheel': pay is not a command for a board of kind 'wheel'"):
        ask(wire, PayCommand(1, 1))
    with pytest.raises(BoardError, match="identify is not a command"):
        ask(wire, IdentifyCommand())
    with pytest.raises(BoardError, match="open is not a command"):
        ask(wire, OpenCommand(1))
    with pytest.raises(MessageError, match="SetCommand"):
        ask(wire, SetCommand(1, 1, 70_000))


def test_a_command_for_a_board_that_is_not_up_is_not_kept_for_later() -> None:
    wire = joined()
    (result,) = ask(wire, SetCommand(1, 255, 0))
    assert isinstance(result, SessionEndedError)
    assert not result.may_be_done
    assert str(result) == "set was not sent: board 'wheel': not connected"
    wire.run(3 * S)
    assert carried(wire) == []


def test_an_unplugged_cable_fails_pending_commands_and_names_what_may_have_been_executed() -> None:
    wire = up()
    told = [ask(wire, NameBoardCommand(tag)) for tag in range(3)]
    wire.run(wire.now_ns + 200_000)
    wire.unplug()
    results = [result for (result,) in told]
    assert [result.may_be_done for result in results if isinstance(result, SessionEndedError)] == [True, False, False]
    assert str(results[0]) == (
        "name_board may have been carried out: board 'wheel': its port is down: the cable was pulled"
    )
    assert wire.downs[-1].reason == "board 'wheel': its port is down: the cable was pulled"
    assert wire.session.next_due_ns is None
    wire.plug()
    wire.run(wire.now_ns + 2 * S)
    assert wire.session.up


def test_a_silent_board_is_asked_again_after_6_12_24_and_at_last_160_ms() -> None:
    wire = up()
    wire.board.frozen = True
    wire.session.submit(AliveCommand(), lambda result: None)
    times: list[int] = []
    while wire.session.up:
        due_ns = wire.session.next_due_ns
        assert due_ns is not None
        wire.run(due_ns - 1)
        wire.now_ns = due_ns
        wire.session.due(due_ns)
        if wire.session.take_output():
            times.append(due_ns)
    waits_ms = [round((after - before) / MS) for before, after in pairwise(times)]
    on_the_wire_ms = 3
    assert waits_ms == [wait + on_the_wire_ms for wait in (6, 12, 24, 48, 96, 160, 160, 160, 160)]


# --- going down ------------------------------------------------------------------------------------------------------


def test_a_board_that_falls_silent_is_lost_after_a_second_and_the_host_is_silent_until_the_outputs_are_safe() -> None:
    wire = up()
    ask(wire, SetCommand(1, 255, 0))
    wire.run(wire.now_ns + 50 * MS)
    wire.board.frozen = True
    wire.run(wire.now_ns + 1100 * MS)
    (down,) = wire.downs
    assert "no answer to clock for 1000 ms (10 tries); is it powered, is its cable in?" in down.reason
    wire.board.frozen = False
    wire.run(wire.now_ns + MS)
    assert wire.now_ns < down.t_ns + 600 * MS
    assert wire.board.deadman
    assert not wire.board.outputs
    wire.run(down.t_ns + 3 * S)
    assert len(wire.ups) == 2


def test_a_reset_is_reported_with_its_cause_and_the_session_begins_again_at_once() -> None:
    wire = up()
    told = ask(wire, NameBoardCommand(1))
    wire.board.reset(wire.now_ns, Reset.WATCHDOG)
    wire.run(wire.now_ns + 900 * MS)
    (down,) = wire.downs
    assert down.reason == "board 'wheel': it was reset: its watchdog: its program hung"
    assert wire.session.up
    assert wire.ups[-1].identity.boots == 2
    (result,) = told
    assert isinstance(result, SessionEndedError) and result.may_be_done


@pytest.mark.parametrize("chip", CHIPS.values(), ids=lambda chip: chip.name)
def test_the_opening_of_its_port_resets_no_pico(chip: Chip) -> None:
    kind = KINDS["pusher"]
    at_the_wires_rate = chip._replace(baud=BAUD, usb=False)
    wire = BoardWire(ModelBoard(kind), Session("pusher", ExpectedBoard(kind), lambda: 1, at_the_wires_rate))
    wire.plug()
    wire.board.reset(wire.now_ns, Reset.EXTERNAL)
    wire.run(wire.now_ns + 2 * S)
    assert wire.session.up == (chip.name in PICOS)
    assert ["opening its port reset it" in down.reason for down in wire.downs] == [True] * (chip.name not in PICOS)


def test_a_reset_whose_news_was_lost_shows_in_the_next_answer() -> None:
    wire = up()
    wire.faults = Faults(drop=1.0)
    wire.board.reset(wire.now_ns, Reset.BROWN_OUT)
    wire.run(wire.now_ns + 20 * MS)
    wire.faults = NONE
    told = ask(wire, NameBoardCommand(1))
    wire.run(wire.now_ns + 900 * MS)
    assert wire.downs[0].reason == (
        "board 'wheel': it was reset and lost the session; its identity will give the cause"
    )
    assert wire.downs[1].reason == "board 'wheel': it was reset: its power sagged: check the supply"
    assert wire.ups[-1].identity.cause == Reset.BROWN_OUT
    (result,) = told
    assert isinstance(result, SessionEndedError) and not result.may_be_done
    assert not any(isinstance(command, NameBoardCommand) for command in carried(wire))


def test_a_command_that_was_sent_twice_may_have_been_carried_out_before_the_reset() -> None:
    wire = up()
    told = ask(wire, NameBoardCommand(1))
    wire.faults = Faults(drop=1.0)
    while NameBoardCommand(1) not in carried(wire):
        wire.run(wire.now_ns + MS)
    wire.board.reset(wire.now_ns, Reset.WATCHDOG)
    wire.run(wire.now_ns + 20 * MS)
    wire.faults = NONE
    wire.run(wire.now_ns + 900 * MS)
    (result,) = told
    assert isinstance(result, SessionEndedError) and result.may_be_done
    assert carried(wire).count(NameBoardCommand(1)) == 1


def test_a_board_that_refuses_what_every_board_does_is_taken_down() -> None:
    wire = up()
    wire.board.refuse[ClockCommand] = RefusalCode.UNKNOWN_COMMAND
    wire.run(wire.now_ns + 200 * MS)
    assert wire.downs[0].reason == (
        "board 'wheel': it refuses clock (code 2), which every board knows; flash its firmware again"
    )


def test_a_clock_that_jumps_takes_the_board_down() -> None:
    wire = up()
    wire.board.jump(4_000_000)
    wire.run(wire.now_ns + 5 * S)
    assert "has jumped by -2000.0 ms" in wire.downs[0].reason
    assert wire.session.up


def test_the_owner_may_begin_a_session_anew() -> None:
    wire = up()
    wire.session.restart(wire.now_ns, "its edges cannot be read")
    wire.run(wire.now_ns + 2 * S)
    assert [said.reason for said in wire.downs] == ["board 'wheel': its edges cannot be read"]
    assert len(wire.ups) == 2


def test_a_port_that_is_opened_twice_begins_a_session_anew() -> None:
    wire = up()
    told = ask(wire, NameBoardCommand(1))
    wire.plug()
    assert isinstance(told[0], SessionEndedError)
    wire.run(wire.now_ns + 2 * S)
    assert len(wire.ups) == 2


def test_nothing_is_handled_and_nothing_is_due_while_the_port_is_closed() -> None:
    session = Session("wheel", WANTED, lambda: 1)
    session.take(frames.encode(0, OkAnswer())[:-1], 1)
    session.due(2)
    session.restart(3, "for nothing")
    assert (session.take_output(), session.take_events(), session.next_due_ns) == (b"", [], None)


# --- being up --------------------------------------------------------------------------------------------------------


def test_an_idle_session_keeps_the_dead_man_off() -> None:
    wire = up()
    ask(wire, SetCommand(1, 255, 0))
    wire.run(60 * S)
    assert wire.downs == []
    assert not wire.board.deadman
    assert wire.board.outputs


def test_a_host_that_was_stopped_finds_the_outputs_safe_and_the_board_still_there() -> None:
    wire = up()
    ask(wire, SetCommand(1, 255, 0))
    wire.run(wire.now_ns + 50 * MS)
    wire.stop_host(1500 * MS)
    wire.run(wire.now_ns + 600 * MS)
    assert not wire.board.outputs
    wire.run(wire.now_ns + 2 * S)
    assert wire.downs == []
    state = wire.reports[-1].report
    assert isinstance(state, StateReport)
    assert state.flags & Flag.DEADMAN


def test_a_report_repeated_by_the_wire_is_delivered_once() -> None:
    wire = up()
    report = frames.encode(200, wire.board.state())[:-1]
    before = len(wire.reports)
    for _ in range(3):
        wire.session.take(report, wire.now_ns)
    wire.pump()
    assert len(wire.reports) == before + 1
    assert isinstance(wire.reports[-1], BoardReported)


def test_what_is_broken_is_counted_and_changes_nothing() -> None:
    wire = up()
    for piece in (b"\x05", b"\xff\x01", frames.encode(1, NameBoardCommand(1))[:-1], b""):
        wire.session.take(piece, wire.now_ns)
    assert wire.session.inbox.broken == 4
    wire.run(wire.now_ns + S)
    assert wire.session.up


# --- a bad link ------------------------------------------------------------------------------------------------------


def test_a_link_that_is_removed_bad_is_refused_with_figures_and_used_again_when_it_was_good() -> None:
    wire = up()
    ask(wire, WatchCommand(0xFF, 0))
    wire.faults = Faults(flip=0.01)
    wire.run(wire.now_ns + 20 * S)
    (down,) = wire.downs
    assert "the link is too bad to play on: " in down.reason
    assert "frames (" in down.reason and "about 1 byte in " in down.reason
    assert not wire.session.up
    wire.faults = NONE
    good_ns = wire.now_ns
    wire.run(good_ns + S)
    assert not wire.session.up
    wire.run(good_ns + 6 * S)
    assert wire.session.up


@pytest.mark.long
def test_a_bad_link_never_comes_up_and_says_why() -> None:
    for seed in range(5):
        wire = BoardWire(
            ModelBoard(WHEEL, build=0x1234), Session("wheel", WANTED, lambda: 1), Faults(drop=0.01), Random(seed)
        )
        wire.plug()
        wire.run(30 * S)
        assert not wire.ups
        assert any("too bad to play on" in said.reason for said in wire.downs)


# --- words -----------------------------------------------------------------------------------------------------------


def test_a_refusal_is_an_error_with_a_message() -> None:
    error = refused("wheel", EdgesFromCommand(3), RefusedAnswer(EdgesFromCommand.id, RefusalCode.WRONG_VALUE))
    assert isinstance(error, CommandRefusedError)
    assert error.why == RefusalCode.WRONG_VALUE
    assert str(error) == (
        "board 'wheel': refuses edges_from: wrong_value; a field has a value that this board cannot take; "
        "see docs/wire.md"
    )
    assert "code 99" in str(refused("wheel", AliveCommand(), RefusedAnswer(AliveCommand.id, 99)))


def test_commands_are_named_as_in_the_wires_table() -> None:
    assert command_name(EdgesFromCommand(1)) == "edges_from"
    assert command_name(ClockCommand()) == "clock"
