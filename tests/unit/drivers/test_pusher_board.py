"""A pusher's board at the wire: what its reports mean, and what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import pytest

from drivers.base.board_counter import TokensCounted
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.base.token_pulses import PulseNotCounted
from drivers.pusher.board import BoardAway, BoardGarbled, BoardMotor, PusherBoard, PusherBoardConfig
from drivers.pusher.board_actuator import (
    BoardPaid,
    BoardPayout,
    HopperCounted,
    HopperMark,
    HopperRanAway,
    PusherBoardActuator,
    ShelfBlocked,
    TokensWon,
)
from hal.board.carried import RefusedCommand, carried, command_in
from hal.board.message import BoardCommand, BoardReport
from hal.board.messages import (
    KINDS,
    AcceptCommand,
    CountsCommand,
    CountsReport,
    HopperReport,
    IdentityAnswer,
    MotorCommand,
    MotorLimitCommand,
    MotorReport,
    PayCommand,
    RefusalCode,
    SetCommand,
    TestCommand,
)
from hal.values import Edge, EdgesLost, Frame, Loss, SendFrame
from simulators.pusher.board import PusherBoardSimulator

MS = 1_000_000
S = 1_000_000_000
IDENTITY = IdentityAnswer(2, 0, KINDS["pusher"].id, 1, 0, 0, 0, 0, 1, 1, 8, 4, 1, 4, 2, 0)


class Wire:
    """Driver and actuator, with the bytes between them and the board."""

    def __init__(self, config: PusherBoardConfig | None = None) -> None:
        config = config or PusherBoardConfig()
        self.driver, self.actuator = PusherBoard(config), PusherBoardActuator(config)
        self.now_ns = 0

    def hear(self, data: bytes) -> list[Observation]:
        self.now_ns += 1_000_000
        return self._taken(self.driver.frame(Frame("pusher", data, self.now_ns)))

    def report(self, report: BoardReport | IdentityAnswer | RefusedCommand) -> list[Observation]:
        return self.hear(carried(report))

    def away(self) -> list[Observation]:
        return self._taken(self.driver.lost(EdgesLost("pusher", Loss.UNPLUGGED, self.now_ns)))

    def up(
        self, counts: tuple[int, int, int, int] = (0, 0, 0, 0), last: int | HopperReport = 0, serial: int = 0
    ) -> list[Observation]:
        report = last if isinstance(last, HopperReport) else HopperReport(last, 1, 1, 1, 0, 0)
        found = self.report(msgspec.structs.replace(IDENTITY, serial=serial))
        found += self.report(report)
        return found + self.report(CountsReport(*counts))

    def _taken(self, seen: Sequence[Observation]) -> list[Observation]:
        found: list[Observation] = []
        for one in seen:
            found += self.actuator.observe(one) if type(one) in self.actuator.observes else [one]
        return found

    def told(self) -> list[BoardCommand]:
        said = [command_in(one.data) for one in self.actuator.outputs if isinstance(one, SendFrame)]
        self.actuator.outputs = []
        return [one for one in said if not isinstance(one, TestCommand)]


def of(found: list[Observation], kind: type[Observation]) -> list[Observation]:
    return [one for one in found if isinstance(one, kind)]


def of_kind(told: list[BoardCommand], kind: type[BoardCommand]) -> list[BoardCommand]:
    return [one for one in told if isinstance(one, kind)]


def test_nothing_is_told_before_the_board_is_up_and_all_that_is_wanted_is_told_after() -> None:
    wire = Wire()
    wire.actuator.acceptor.accept(True, wire.now_ns)
    wire.actuator.run_shelf(True, 0)
    assert wire.told() == []
    wire.up()
    told = wire.told()
    assert CountsCommand() in told
    assert told[-2:] == [AcceptCommand(1), MotorCommand(127, 0, 0)]
    wire.away()
    wire.up()
    assert wire.told()[-2:] == [AcceptCommand(1), MotorCommand(127, 0, 0)]


@pytest.mark.parametrize(
    ("line", "cause", "found"),
    [
        ("pusher", Loss.UNPLUGGED, [SensorDead, BoardAway]),
        ("pusher", Loss.OVERFLOW, []),
        ("coin_1", Loss.UNPLUGGED, []),
    ],
)
def test_a_board_is_away_where_its_own_link_is_unplugged_alone(line: str, cause: Loss, found: list[type]) -> None:
    lost = PusherBoard(PusherBoardConfig()).lost(EdgesLost(line, cause, 5))
    assert [type(one) for one in lost] == found


@pytest.mark.parametrize(
    ("before", "now", "tokens", "doubt"),
    [(5, 5, None, False), (5, 7, 2, False), (0xFFFFFFFF, 1, 2, False), (7, 5, 0, True), (5, 200_000, 0, True)],
)
def test_the_counter_since_the_last_record_is_the_tokens(
    before: int, now: int, tokens: int | None, doubt: bool
) -> None:
    wire = Wire()
    wire.actuator.acceptor.restore(before)
    wire.actuator.restore_won(before)
    found = wire.up((now, 0, now, 0))
    counted = of(found, TokensCounted)
    assert [(one.tokens, bool(one.doubt)) for one in counted if isinstance(one, TokensCounted)] == (
        [] if tokens is None else [(tokens, doubt)]
    )
    assert [one.before for one in of(found, TokensWon) if isinstance(one, TokensWon)] == (
        [] if tokens is None else [before]
    )


def test_a_payout_has_a_number_above_the_boards_last_and_is_told_again_after_each_session() -> None:
    wire = Wire()
    wire.up(last=41)
    plan = wire.actuator.make_plan(3, 5)
    assert plan == BoardPayout(42, 5, 0)
    wire.told()
    assert not wire.actuator.ready_to_pay()
    wire.actuator.release(42, wire.now_ns)
    assert wire.told() == [PayCommand(42, 5)]
    wire.away()
    wire.up(last=41)
    assert wire.told()[-1] == PayCommand(42, 5)
    assert of(wire.report(HopperReport(42, 5, 2, 2, 1, 0)), BoardPaid) == []
    (paid,) = of(wire.report(HopperReport(42, 5, 5, 5, 0, 0)), BoardPaid)
    assert isinstance(paid, BoardPaid)
    assert (paid.asked, paid.least, paid.most, paid.detail) == (5, 5, 5, "")


@pytest.mark.parametrize("lost", range(4))
def test_a_payout_ends_whichever_report_of_it_the_line_loses(lost: int) -> None:
    wire, board = Wire(), PusherBoardSimulator("pusher", tokens=10)
    found: list[Observation] = []
    hopper = now_ns = 0
    while now_ns < 10 * S and not of(found, BoardPaid):
        now_ns = min(wire.actuator.next_due_ns, board.next_answer_ns or now_ns + S, now_ns + S)
        for value in board.answers(now_ns):
            assert isinstance(value, Frame)
            if value.data[0] == HopperReport.id:
                hopper += 1
                if hopper == lost + 2:  # the first is that of the opening
                    continue
            found += wire._taken(wire.driver.frame(value))
        wire.actuator.due(now_ns)
        if wire.actuator.ready_to_pay() and hopper == 1:
            wire.actuator.release(wire.actuator.make_plan(1, 3).number, now_ns)
        outputs, wire.actuator.outputs = wire.actuator.outputs, []
        for output in outputs:
            board.command(output)
    (paid,) = of(found, BoardPaid)
    assert isinstance(paid, BoardPaid)
    assert (paid.least, paid.most, board.tokens) == (3, 3, 7)
    wire.actuator.due(now_ns + 10 * S)
    assert of_kind(wire.told(), PayCommand) == [], "it is not sent again"


@pytest.mark.parametrize(
    ("report", "least", "most"),
    [
        (HopperReport(1, 5, 3, 3, 5, 0), 3, 3),
        (HopperReport(1, 5, 3, 4, 5, 0), 3, 5),
        (HopperReport(1, 5, 0, 11, 2, 0), 0, 11),
        (HopperReport(1, 5, 1, 1, 3, 0), 1, 5),
        (HopperReport(1, 5, 7, 7, 3, 0), 7, 7),
        (HopperReport(1, 5, 255, 255, 3, 0), 255, 255),
        (HopperReport(2, 1, 1, 1, 0, 0), 0, 5),
    ],
)
def test_what_its_board_does_not_prove_is_told_with_both_counts(report: HopperReport, least: int, most: int) -> None:
    wire = Wire()
    wire.actuator.restore_mark(HopperMark(7, 40))
    wire.actuator.resume(BoardPayout(1, 5, 40))
    (paid,) = of(wire.up((0, 40 + report.seen, 0, 0), report, serial=7), BoardPaid)
    assert isinstance(paid, BoardPaid)
    assert (paid.least, paid.most, bool(paid.detail)) == (least, most, True)


def test_a_payout_that_its_board_refuses_is_given_up_and_nothing_was_paid() -> None:
    wire = Wire()
    wire.up()
    plan = wire.actuator.make_plan(1, 2)
    wire.actuator.release(plan.number, wire.now_ns)
    for _ in range(4):
        assert wire.report(RefusedCommand(RefusalCode.NOT_SAFE, PayCommand(1, 2))) == []
        wire.told()
        wire.actuator.due(wire.actuator.next_due_ns)
        assert PayCommand(1, 2) in wire.told()
    (paid,) = wire.report(RefusedCommand(RefusalCode.NOT_SAFE, PayCommand(1, 2)))
    assert isinstance(paid, BoardPaid)
    assert (paid.least, paid.most, paid.detail) == (0, 0, "its board refuses: not_safe")


def unasked(found: list[Observation]) -> list[int]:
    return [one.tokens for one in found if isinstance(one, HopperCounted) and one.tokens]


def test_what_left_the_hopper_is_in_a_payout_or_reported_besides_once_over_sessions_and_starts() -> None:
    wire = Wire()
    assert unasked(wire.up((0, 7, 0, 0), serial=3)) == [], "nothing is known of what was before"
    wire.actuator.release(wire.actuator.make_plan(1, 5).number, wire.now_ns)
    found = wire.report(CountsReport(0, 9, 0, 0))
    found += wire.report(HopperReport(1, 5, 2, 2, 1, 0))
    found += wire.report(HopperReport(1, 5, 5, 5, 0, 0))
    found += wire.report(CountsReport(0, 11, 0, 0))
    assert unasked(found) == [], "they are of the payout, in whatever order its reports come"
    found = wire.report(CountsReport(0, 12, 0, 0)) + wire.report(HopperReport(1, 5, 5, 5, 0, 0))
    assert unasked(found) == []
    overrun = wire.report(HopperReport(1, 5, 6, 6, 0, 0)) + wire.report(CountsReport(0, 13, 0, 0))
    assert unasked(overrun) == [1]
    wire.away()
    assert unasked(wire.up((0, 15, 0, 0), HopperReport(1, 5, 8, 8, 3, 0), serial=3)) == [2]
    again = Wire()
    again.actuator.restore_mark(HopperMark(3, 15))
    assert unasked(again.up((0, 18, 0, 0), serial=3)) == [3], "while the service was off"
    assert unasked(again.up((0, 2, 0, 0), serial=3)) == [], "its store is lost"


def test_a_hopper_that_pays_unasked_is_reported_in_each_session_and_cleared_by_a_person_alone() -> None:
    wire, runaway = Wire(), HopperReport(1, 1, 2, 2, 3, 0)
    wire.up((0, 1, 0, 0), last=1)
    wire.actuator.clear_hopper(wire.now_ns)
    assert SetCommand(2, 0, 0) not in wire.told(), "it might stop a payout"
    assert len(of(wire.report(runaway) + wire.report(runaway), HopperRanAway)) == 1
    wire.away()
    assert len(of(wire.up((0, 2, 0, 0), runaway), HopperRanAway)) == 1
    assert SetCommand(2, 0, 0) not in wire.told()
    wire.actuator.clear_hopper(wire.now_ns)
    assert wire.told() == [SetCommand(2, 0, 0)]


@pytest.mark.parametrize(
    ("mark", "serial", "counts", "last"),
    [
        pytest.param(HopperMark(7, 40), 8, (5, 40, 0, 0), 3, id="another serial number"),
        pytest.param(HopperMark(7, 40), 0, (5, 40, 0, 0), 3, id="no serial number any more"),
        pytest.param(HopperMark(0, 40), 0, (5, 41, 0, 0), 3, id="another count, and no serial number"),
        pytest.param(None, 7, (5, 41, 0, 0), 3, id="another count, in a record of before"),
        pytest.param(HopperMark(7, 40), 7, (5, 0, 0, 0), 3, id="a store that is lost"),
        pytest.param(HopperMark(0, 40), 0, (4, 40, 0, 0), 3, id="a counter of tokens that went back"),
        pytest.param(HopperMark(7, 40), 8, (5, 60, 0, 0), HopperReport(41, 20, 20, 20, 0, 0), id="the same number"),
        pytest.param(HopperMark(0, 40), 0, (5, 40, 0, 0), HopperReport(41, 20, 20, 20, 0, 0), id="its own payout"),
    ],
)
def test_a_payout_whose_board_may_be_another_is_in_doubt_and_is_not_paid_again(
    mark: HopperMark | None, serial: int, counts: tuple[int, int, int, int], last: int | HopperReport
) -> None:
    wire = Wire()
    wire.actuator.acceptor.restore(5)
    wire.actuator.restore_mark(mark)
    wire.actuator.resume(BoardPayout(41, 20, 40))
    (paid,) = of(wire.up(counts, last, serial), BoardPaid)
    assert isinstance(paid, BoardPaid)
    assert (paid.number, paid.least, paid.most) == (41, 0, 20)
    assert "another board" in paid.detail
    wire.actuator.due(wire.now_ns + 10_000_000_000)
    assert not of_kind(wire.told(), PayCommand)
    assert unasked(wire.report(CountsReport(*counts))) == [], "it counts on from here"


@pytest.mark.parametrize(("recorded", "serial", "windfall"), [(7, 8, False), (7, 7, True), (0, 8, True), (0, 0, True)])
def test_what_a_board_of_another_serial_number_has_counted_is_nobodys(
    recorded: int, serial: int, windfall: bool
) -> None:
    wire = Wire()
    wire.actuator.acceptor.restore(100)
    wire.actuator.restore_won(10)
    wire.actuator.restore_mark(HopperMark(recorded, 5))
    found = wire.up((150, 9, 12, 0), serial=serial)
    (tokens,) = [one for one in found if isinstance(one, TokensCounted)]
    (won,) = [one for one in found if isinstance(one, TokensWon)]
    assert (tokens.tokens, bool(tokens.doubt)) == ((50, False) if windfall else (0, True))
    assert won.before == (10 if windfall else None)
    assert unasked(found) == ([4] if recorded == serial else [])
    assert not of(wire.report(CountsReport(150, 9, 12, 0)), TokensCounted)
    (token,) = of(wire.report(CountsReport(151, 9, 12, 0)), TokensCounted)
    assert isinstance(token, TokensCounted)
    assert (token.tokens, token.doubt) == (1, "")


@pytest.mark.parametrize("mark", [HopperMark(7, 40), HopperMark(0, 40), None])
def test_a_payout_goes_on_where_its_own_board_is_back_whichever_report_comes_first(mark: HopperMark | None) -> None:
    for order in (1, -1):
        wire = Wire()
        wire.actuator.restore_mark(mark)
        wire.actuator.resume(BoardPayout(41, 20, 40))
        wire.report(msgspec.structs.replace(IDENTITY, serial=7 if mark and mark.serial else 0))
        for report in (HopperReport(40, 1, 1, 1, 0, 0), CountsReport(0, 40, 0, 0))[::order]:
            assert not of(wire.report(report), BoardPaid)
        assert of_kind(wire.told(), PayCommand) == [PayCommand(41, 20)]


def test_a_board_that_forgets_a_payout_that_it_had_begun_in_this_life_of_the_service_does_not_pay_it_again() -> None:
    wire = Wire()
    wire.up()
    wire.actuator.release(wire.actuator.make_plan(1, 20).number, wire.now_ns)
    wire.report(HopperReport(1, 20, 13, 13, 1, 0))
    wire.told()
    wire.away()
    (paid,) = of(wire.up(), BoardPaid)
    assert isinstance(paid, BoardPaid)
    assert (paid.least, paid.most) == (13, 20)
    assert not of_kind(wire.told(), PayCommand)


@pytest.mark.parametrize(
    ("number", "last", "sent"),
    [
        (3, 41, 42),
        (42, 41, 42),
        (65_536, 65_535, 1),
        (65_536, 0, 1),
        (70_000, 65_535, 4_465),
        (40_000, 5, 6),
        (40_000, 0, 40_000),
        (7, 65_535, 7),
        (65_535, 65_535, 1),
    ],
)
def test_after_the_payout_65535_comes_1_at_the_board_and_in_the_account(number: int, last: int, sent: int) -> None:
    wire = Wire()
    wire.up(last=last)
    plan = wire.actuator.make_plan(number, 2)
    assert plan.number == sent
    wire.actuator.release(plan.number, wire.now_ns)
    assert wire.told()[-1] == PayCommand(sent, 2)
    wire.away()
    assert not of(wire.up(last=last), BoardPaid), "the number before is of a payout of before"
    (paid,) = of(wire.report(HopperReport(sent, 2, 2, 2, 0, 0)), BoardPaid)
    assert isinstance(paid, BoardPaid)
    assert (paid.number, paid.least, paid.most) == (sent, 2, 2)


def test_a_payout_that_was_recorded_with_a_number_that_no_board_has_was_not_paid() -> None:
    wire = Wire()
    wire.actuator.resume(BoardPayout(65_536, 2, 0))
    (paid,) = of(wire.up(), BoardPaid)
    assert isinstance(paid, BoardPaid)
    assert (paid.number, paid.least, paid.most) == (65_536, 0, 0)
    assert not of_kind(wire.told(), PayCommand)


@pytest.mark.parametrize(("why", "words"), [(3, "stalled"), (6, "over_current")])
def test_a_shelf_that_its_board_has_switched_off_stands_until_it_is_wanted_anew(why: int, words: str) -> None:
    wire = Wire()
    wire.actuator.run_shelf(True, 0)
    wire.up()
    wire.report(MotorReport(0, 127, 0, 0, 0))
    (blocked,) = of(wire.report(MotorReport(0, 0, 0, 9, why)), ShelfBlocked)
    assert isinstance(blocked, ShelfBlocked)
    assert blocked.why == words
    wire.told()
    wire.away()
    wire.up()
    assert not [one for one in wire.told() if isinstance(one, MotorCommand) and one.speed]
    wire.actuator.run_shelf(False, wire.now_ns)
    wire.actuator.run_shelf(True, wire.now_ns)
    assert wire.told() == [MotorCommand(0, 0, 0), MotorCommand(127, 0, 0)]


def test_shelf_and_acceptor_are_on_beyond_the_longest_times_of_their_board() -> None:
    wire, board = Wire(), PusherBoardSimulator("pusher")
    wire.actuator.run_shelf(True, 0)
    wire.actuator.acceptor.accept(True, 0)
    motor: list[BoardMotor] = []
    off_ns, now_ns = [0], 0
    while now_ns < 25 * 3600 * S:
        now_ns = min(wire.actuator.next_due_ns, board.next_answer_ns or now_ns + 30 * S, now_ns + 30 * S)
        for value in board.answers(now_ns):
            assert isinstance(value, Frame)
            seen = wire.driver.frame(value)
            motor += [one for one in seen if isinstance(one, BoardMotor)]
            assert of(wire._taken(seen), ShelfBlocked) == []
        wire.actuator.due(now_ns)
        outputs, wire.actuator.outputs = wire.actuator.outputs, []
        for output in outputs:
            board.command(output)
        if not board.accepts:
            off_ns.append(now_ns)
    assert {one.why for one in motor} == {0}
    assert motor[-1].speed == 127
    assert max(b - a for a, b in pairwise(off_ns)) > 24 * 3600 * S
    assert len(off_ns) < 30


def test_a_motor_that_reaches_its_longest_time_is_set_to_0_before_it_turns_again() -> None:
    wire = Wire()
    wire.actuator.run_shelf(True, 0)
    wire.up()
    wire.report(MotorReport(0, 127, 0, 0, 0))
    wire.told()
    assert wire.report(MotorReport(0, 0, 0, 0, 1)) == []
    wire.actuator.due(wire.actuator.next_due_ns)
    assert wire.told() == [MotorCommand(0, 0, 0), MotorCommand(127, 0, 0)]


def test_a_stop_of_the_shelf_whose_report_was_lost_is_found_within_seconds_and_waits_for_a_person() -> None:
    wire = Wire()
    wire.actuator.run_shelf(True, 0)
    wire.up()
    wire.report(MotorReport(0, 127, 0, 0, 0))
    wire.told()
    wire.actuator.due(wire.now_ns + 10 * S)
    assert wire.told() == [MotorCommand(127, 0, 0)]
    (blocked,) = wire.report(RefusedCommand(RefusalCode.HELD_SAFE, MotorCommand(127, 0, 0)))
    assert isinstance(blocked, ShelfBlocked)
    assert blocked.why == "held"
    assert wire.told() == []
    wire.away()
    wire.actuator.run_shelf(False, wire.now_ns)
    wire.actuator.run_shelf(True, wire.now_ns)
    wire.up()
    assert wire.told()[-2:] == [MotorCommand(0, 0, 0), MotorCommand(127, 0, 0)]


def test_a_motor_without_the_limit_that_the_file_wants_does_not_run() -> None:
    wire = Wire()
    wire.actuator.run_shelf(True, 0)
    wire.up()
    wire.told()
    (blocked,) = wire.report(RefusedCommand(RefusalCode.UNKNOWN_COMMAND, MotorLimitCommand(500)))
    assert isinstance(blocked, ShelfBlocked)
    assert blocked.why == "unlimited"
    assert wire.told() == [MotorCommand(0, 0, 0)]
    wire.actuator.run_shelf(False, wire.now_ns)
    wire.actuator.run_shelf(True, wire.now_ns)
    assert wire.told() == [MotorCommand(0, 0, 0), MotorLimitCommand(500), MotorCommand(127, 0, 0)]


def watched(config: PusherBoardConfig, line: str, *changes: tuple[int, float]) -> list[Observation]:
    """What the driver finds where a line, at rest before, has these levels at these ms."""
    driver, found = PusherBoard(config), list[Observation]()
    for level, t_ms in ((0, 0.0), *changes):
        found += driver.edges([Edge(line, level, round(t_ms * MS))])
    return found + driver.due(20_000 * MS)


@pytest.mark.parametrize("line", ["token_in", "win_a", "win_b", "hopper_coin"])
def test_a_sensor_that_stays_active_is_stuck_until_it_changes(line: str) -> None:
    config = PusherBoardConfig(pulse_ms=0)
    stuck, alive = watched(config, line, (1, 100), (0, 5_000), (1, 5_100), (0, 5_150))
    assert isinstance(stuck, SensorDead)
    assert (stuck.line, stuck.fault, stuck.t_ns) == (line, "sensor_stuck", 3_100 * MS)
    assert alive == SensorAlive(t_ns=5_000 * MS, line=line)
    assert watched(config, line, (1, 100), (0, 150), (1, 200), (0, 250)) == []
    driver = PusherBoard(config)
    driver.edges([Edge(line, 1, 1)])
    assert driver.next_due_ns is not None
    driver.lost(EdgesLost(line, Loss.OVERFLOW, 2 * MS))
    assert driver.next_due_ns is None, "its level is not known"
    driver.edges([Edge(line, 1, 3 * MS)])
    assert [type(one) for one in driver.due(4_000 * MS)] == [SensorDead], "active from the beginning"


@pytest.mark.parametrize(("line", "hopper"), [("shelf_shaft", True), ("tilt", True), ("hopper_coin", False)])
def test_a_line_on_which_no_token_is_awaited_may_stay_active(line: str, hopper: bool) -> None:
    assert watched(PusherBoardConfig(hopper=hopper), line, (1, 100)) == []


def test_a_pulse_that_the_board_does_not_count_is_a_doubt_of_a_token() -> None:
    (doubt,) = watched(PusherBoardConfig(), "token_in", (1, 100), (0, 360))
    assert isinstance(doubt, PulseNotCounted)
    assert doubt.detail == (
        "a pulse of token_in had 260.0 ms, and its board counts 20 to 250 ms: a token may be in; where the acceptor's "
        "pulses are that wide, give their width as pulse_ms"
    )
    assert watched(PusherBoardConfig(pulse_ms=250), "token_in", (1, 100), (0, 360)) == []
    driver = PusherBoard(PusherBoardConfig())
    assert driver.edges([Edge("token_in", 1, 1)]) + driver.edges([Edge("token_in", 0, 400 * MS)]) == []
    assert driver.due(1_000 * MS) == [], "when it began is not known"


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x88\x01", bytes(64)])
def test_a_message_that_nobody_knows_changes_nothing(data: bytes) -> None:
    wire = Wire()
    wire.up()
    assert [type(one) for one in wire.hear(data)] == [BoardGarbled]
