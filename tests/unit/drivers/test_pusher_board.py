"""A pusher's board at the wire: what its reports mean, and what it is told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from drivers.base.board_counter import TokensCounted
from drivers.base.driver import Observation, SensorDead
from drivers.pusher.board import BoardAway, BoardGarbled, PusherBoard, PusherBoardConfig
from drivers.pusher.board_actuator import (
    BoardPaid,
    BoardPayout,
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
)
from hal.values import EdgesLost, Frame, Loss, SendFrame

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

    def up(self, counts: tuple[int, int, int, int] = (0, 0, 0, 0), last: int = 0) -> list[Observation]:
        self.report(IDENTITY)
        self.report(HopperReport(last, 1, 1, 1, 0, 0))
        return self.report(CountsReport(*counts))

    def _taken(self, seen: Sequence[Observation]) -> list[Observation]:
        found: list[Observation] = []
        for one in seen:
            found += self.actuator.observe(one) if type(one) in self.actuator.observes else [one]
        return found

    def told(self) -> list[BoardCommand]:
        said = [command_in(one.data) for one in self.actuator.outputs if isinstance(one, SendFrame)]
        self.actuator.outputs = []
        return said


def of(found: list[Observation], kind: type[Observation]) -> list[Observation]:
    return [one for one in found if isinstance(one, kind)]


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


@pytest.mark.parametrize(
    ("report", "least", "most"),
    [
        (HopperReport(1, 5, 3, 3, 5, 0), 3, 3),
        (HopperReport(1, 5, 3, 4, 5, 0), 3, 5),
        (HopperReport(1, 5, 0, 11, 2, 0), 0, 11),
        (HopperReport(1, 5, 7, 7, 3, 0), 7, 7),
        (HopperReport(1, 5, 255, 255, 3, 0), 255, 255),
        (HopperReport(2, 1, 1, 1, 0, 0), 0, 5),
    ],
)
def test_what_its_board_does_not_prove_is_told_with_both_counts(report: HopperReport, least: int, most: int) -> None:
    wire = Wire()
    wire.actuator.resume(BoardPayout(1, 5, 0))
    wire.report(IDENTITY)
    (paid,) = of(wire.report(report), BoardPaid)
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


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x88\x01", bytes(64)])
def test_a_message_that_nobody_knows_changes_nothing(data: bytes) -> None:
    wire = Wire()
    wire.up()
    assert [type(one) for one in wire.hear(data)] == [BoardGarbled]
