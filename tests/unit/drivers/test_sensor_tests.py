"""When a board is asked to test its sensors, when such a test is over, and what it proves."""

from __future__ import annotations

import pytest

from drivers.base.driver import NEVER_NS
from drivers.base.sensor_tests import (
    AGAIN_NS,
    FAILED_NS,
    FINDS_NS,
    REST_NS,
    UNANSWERED_NS,
    SensorsFound,
    SensorsTested,
    SensorTestAnswered,
    SensorTests,
)
from drivers.reels.actuator import ReelsActuator
from drivers.reels.reels import ReelRefused, Reels, ReelsConfig, ReelsReachable, ReelsUnreachable
from hal.board.carried import carried, command_in
from hal.board.message import BoardCommand
from hal.board.messages import KINDS, RefusalCode, SensorsReport, SpinCommand, TestCommand
from hal.values import Frame, SendFrame

S = 1_000_000_000
MS = 1_000_000
BIT = {name: 1 << number for number, (name, _) in enumerate(KINDS["reel"].inputs)}


class Board:
    """The tests of one board, and when it was sent `test`."""

    def __init__(self) -> None:
        self.sent_ns: list[int] = []
        self.tests = SensorTests(self._send)

    def _send(self, command: BoardCommand, t_ns: int) -> None:
        assert command == TestCommand()
        self.sent_ns.append(t_ns)

    def begin(self, t_ns: int) -> None:
        """A session begins, and the machine stands."""
        self.tests.begin(t_ns)
        assert not self.tests.due(t_ns - 1)
        assert not self.tests.due(t_ns)
        assert self.sent_ns[-1] == t_ns


def test_a_test_is_over_a_while_after_its_answer_and_the_next_comes_at_rest() -> None:
    board = Board()
    board.begin(S)
    board.tests.answered(S + 30 * MS)
    over_ns = S + 30 * MS + FINDS_NS
    assert not board.tests.due(over_ns - 1)
    assert (board.tests.due(over_ns), board.tests.over) == (True, True)
    assert not board.tests.due(over_ns + REST_NS)
    assert (board.sent_ns, board.tests.over) == ([S, over_ns + REST_NS], False)


def test_a_test_that_is_asked_for_again_is_over_after_the_second_answer() -> None:
    board = Board()
    board.begin(S)
    board.tests.ask(S + MS)
    board.tests.answered(S + 2 * MS)
    assert not board.tests.due(S + 2 * MS + FINDS_NS), "the board may not have the second one yet"
    board.tests.answered(S + 900 * MS)
    assert not board.tests.due(S + 900 * MS + FINDS_NS - 1)
    assert board.tests.due(S + 900 * MS + FINDS_NS)


def test_a_recording_in_which_no_test_is_answered_is_judged_as_when_none_was_asked_for() -> None:
    board = Board()
    board.begin(S)
    assert not board.tests.due(S + UNANSWERED_NS - 1)
    assert board.tests.due(S + UNANSWERED_NS)
    assert board.tests.due_ns == NEVER_NS
    board.tests.ask(9 * S)
    assert board.tests.due(9 * S), "at once"
    board.tests.ask(10 * S)
    board.tests.answered(10 * S + MS)
    assert not board.tests.due(10 * S + FINDS_NS), "it was a link that was late, and is asked from now on"
    assert board.tests.due(10 * S + MS + FINDS_NS)
    board.tests.ask(12 * S)
    assert not board.tests.due(12 * S + UNANSWERED_NS), "no proof without its answer"
    board.tests.end()
    board.begin(20 * S)
    assert not board.tests.due(20 * S), "another session may answer"


def test_a_board_whose_machine_moves_is_tested_when_it_stands() -> None:
    board = Board()
    board.tests.begin(S)
    assert not board.tests.due(S, stands=False)
    assert board.sent_ns == []
    assert not board.tests.due(S + AGAIN_NS)
    assert board.sent_ns == [S + AGAIN_NS]


def test_a_failing_sensor_is_tested_again_soon_and_a_refused_test_too() -> None:
    board = Board()
    board.begin(S)
    board.tests.found(("win_a",), ())
    board.tests.answered(S)
    assert board.tests.due(S + FINDS_NS)
    assert not board.tests.due(S + FINDS_NS + FAILED_NS)
    again_ns = board.sent_ns[-1]
    assert again_ns == S + FINDS_NS + FAILED_NS
    board.tests.refused(again_ns)
    assert not board.tests.due(again_ns + AGAIN_NS)
    assert board.sent_ns[-1] == again_ns + AGAIN_NS
    board.tests.end()
    assert (board.tests.due_ns, board.tests.over) == (NEVER_NS, False)


@pytest.mark.parametrize(("link", "shorted", "named"), [
    ("reels", "stop_1", ("stop_1",)), ("reels_2", "home_2", ("reel_5_home",)), ("reels_2", "stop_3", ()),
    ("reels", "token", ("token_in",)),
])  # fmt: skip
def test_a_sensor_of_reels_is_named_by_its_line_and_one_that_is_not_there_is_none(
    link: str, shorted: str, named: tuple[str, ...]
) -> None:
    driver = Reels(ReelsConfig(reels=5))
    (found,) = driver.frame(Frame(link, carried(SensorsReport(0x7F, BIT[shorted], BIT["stop_1"])), 1))
    assert found == SensorsFound(t_ns=1, link=link, shorted=named, dark=())


def over(actuator: ReelsActuator, t_ns: int) -> list[SensorsTested]:
    return [one for one in actuator.due(t_ns) if isinstance(one, SensorsTested)]


def told(actuator: ReelsActuator) -> list[BoardCommand]:
    outputs, actuator.outputs = actuator.outputs, []
    return [command_in(one.data) for one in outputs if isinstance(one, SendFrame)]


def test_the_reels_of_two_boards_are_proven_once_both_have_made_their_test() -> None:
    actuator = ReelsActuator(ReelsConfig(reels=5))
    actuator.observe(ReelsReachable(t_ns=S, link="reels"))
    actuator.due(S)
    actuator.observe(SensorTestAnswered(t_ns=S, link="reels"))
    assert [one.proves for one in over(actuator, S + FINDS_NS)] == [False], "the other board is not up"
    actuator.observe(ReelsReachable(t_ns=2 * S, link="reels_2"))
    actuator.due(2 * S)
    actuator.observe(SensorTestAnswered(t_ns=2 * S, link="reels_2"))
    assert [one.proves for one in over(actuator, 2 * S + FINDS_NS)] == [True]
    actuator.test_sensors(3 * S)
    actuator.observe(ReelsUnreachable(t_ns=3 * S, link="reels_2", detail=""))
    actuator.observe(SensorTestAnswered(t_ns=3 * S, link="reels"))
    assert [one.proves for one in over(actuator, 3 * S + FINDS_NS)] == [False]


@pytest.mark.parametrize("refused", [False, True])
def test_a_reel_waits_for_a_test_at_rest_whose_home_edges_would_count_as_a_turn(refused: bool) -> None:
    actuator = ReelsActuator(ReelsConfig())
    actuator.set_up(20, 200)
    actuator.observe(ReelsReachable(t_ns=S, link="reels"))
    actuator.due(S)
    actuator.observe(SensorTestAnswered(t_ns=S, link="reels"))
    actuator.due(S + FINDS_NS)
    rest_ns = S + FINDS_NS + REST_NS
    assert over(actuator, rest_ns) == []
    told(actuator)
    actuator.spin(1, rest_ns + MS)
    assert told(actuator) == []
    if refused:
        actuator.observe(ReelRefused(t_ns=rest_ns + 2 * MS, link="reels", command=TestCommand(), why=RefusalCode.BUSY))
    else:
        actuator.observe(SensorTestAnswered(t_ns=rest_ns + 2 * MS, link="reels"))
        assert [one.proves for one in over(actuator, rest_ns + 2 * MS + FINDS_NS)] == [True]
    assert isinstance(told(actuator)[-1], SpinCommand)
    assert over(actuator, rest_ns + REST_NS) == []
    assert TestCommand() not in told(actuator), "no test while a reel is to turn"
