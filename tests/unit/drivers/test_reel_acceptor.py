"""Tokens of an acceptor on a reel board: what its counter means, and what it is told, over sessions and refusals."""

from __future__ import annotations

import pytest

from drivers.base.board_counter import AGAIN_NS, AcceptSet, TokensCounted
from drivers.base.driver import SensorAlive, SensorDead
from drivers.base.sensor_tests import SensorsTested
from drivers.base.spun_reels import ReelFailed
from drivers.base.token_pulses import PulseNotCounted
from drivers.reels.actuator import TRY_AGAIN_NS, ReelsActuator
from drivers.reels.reels import Reels, ReelsConfig
from hal.board.carried import RefusedCommand, carried, command_in
from hal.board.message import BoardCommand, BoardReport
from hal.board.messages import (
    KINDS,
    AcceptCommand,
    AcceptorCommand,
    AllSafeCommand,
    CountsCommand,
    CountsReport,
    IdentityAnswer,
    RefusalCode,
    SensorsReport,
    SpinCommand,
    TestCommand,
)
from hal.carried_link import CARRIED
from hal.values import Edge, EdgesLost, Frame, Loss, SendFrame
from simulators.reels.board import ReelBoard

MS = 1_000_000
IDENTITY = IdentityAnswer.unpack(bytes(IdentityAnswer.layout.size))
TOKEN = 1 << [name for name, _ in KINDS["reel"].inputs].index("token")


class Wire:
    """Driver and actuator of reels, with the bytes between them and their boards."""

    def __init__(self, config: ReelsConfig | None = None) -> None:
        config = config or ReelsConfig(acceptor=True)
        self.driver, self.actuator = Reels(config), ReelsActuator(config)
        self.actuator.set_up(20, 200)
        self.now_ns = 0

    def report(self, report: BoardReport | IdentityAnswer | RefusedCommand, link: str = "reels") -> list[object]:
        self.now_ns += MS
        return self._taken(self.driver.frame(Frame(link, carried(report), self.now_ns)))

    def away(self) -> list[object]:
        self.now_ns += MS
        return self._taken(self.driver.lost(EdgesLost("reels", Loss.UNPLUGGED, self.now_ns)))

    def up(self, tokens_in: int = 0) -> list[object]:
        self.report(IDENTITY)
        return self.report(CountsReport(tokens_in, 0, 0, 0))

    def accept(self, wanted: bool) -> None:
        assert self.actuator.acceptor is not None
        self.actuator.acceptor.accept(wanted, self.now_ns)

    def restore(self, counter: int) -> None:
        assert self.actuator.acceptor is not None
        self.actuator.acceptor.restore(counter)

    def wait(self, for_ns: int) -> None:
        self.now_ns += for_ns
        self.actuator.due(self.now_ns)

    def told(self) -> list[BoardCommand]:
        outputs, self.actuator.outputs = self.actuator.outputs, []
        said = [command_in(one.data) for one in outputs if isinstance(one, SendFrame)]
        return [one for one in said if not isinstance(one, TestCommand)]

    def _taken(self, seen: list) -> list[object]:  # type: ignore[type-arg]
        found: list[object] = []
        for one in seen:
            found += self.actuator.observe(one) if type(one) in self.actuator.observes else [one]
        return [one for one in found if not isinstance(one, SensorsTested)]


def test_the_link_of_a_reel_board_carries_its_counter_and_its_test() -> None:
    assert {CountsReport, SensorsReport} <= set(CARRIED["reel"])


def test_reels_without_an_acceptor_are_told_nothing_of_one_and_count_nothing() -> None:
    wire = Wire(ReelsConfig())
    assert wire.up(7) == []
    assert wire.report(SensorsReport(0xFF, TOKEN, TOKEN)) == []
    assert wire.told() == []
    assert "token_in" not in wire.driver.lines


def test_the_acceptor_takes_tokens_once_its_counter_is_known_in_each_session() -> None:
    wire = Wire(ReelsConfig(acceptor=True, pulse_ms=50))
    wire.accept(True)
    assert wire.told() == []
    wire.report(IDENTITY)
    assert wire.told() == [AcceptorCommand(50, 0), CountsCommand()]
    wire.report(CountsReport(3, 0, 0, 0))
    assert wire.told() == [AcceptCommand(1)]
    wire.away()
    wire.wait(2 * AGAIN_NS)
    assert wire.told() == []
    wire.up(3)
    assert wire.told() == [AcceptorCommand(50, 0), CountsCommand(), AcceptCommand(1)]


@pytest.mark.parametrize(
    ("before", "now", "tokens", "doubt"),
    [(5, 5, None, False), (5, 7, 2, False), (0xFFFFFFFF, 1, 2, False), (7, 5, 0, True), (5, 200_000, 0, True)],
)
def test_the_counter_since_the_last_record_is_the_tokens(
    before: int, now: int, tokens: int | None, doubt: bool
) -> None:
    wire = Wire()
    wire.restore(before)
    counted = [one for one in wire.up(now) if isinstance(one, TokensCounted)]
    assert [(one.tokens, bool(one.doubt)) for one in counted] == ([] if tokens is None else [(tokens, doubt)])


def test_a_counter_that_is_reported_again_brings_no_token_again() -> None:
    wire = Wire()
    wire.restore(0)
    wire.accept(True)
    assert wire.up(0) == [AcceptSet(t_ns=wire.now_ns, accepting=True, counter=0)]
    (token,) = wire.report(CountsReport(1, 0, 0, 0))
    assert isinstance(token, TokensCounted)
    assert (token.before, token.counter, token.tokens) == (0, 1, 1)
    assert wire.report(CountsReport(1, 0, 0, 0)) == []
    wire.away()
    assert wire.up(1) == []


def test_the_counter_of_the_second_board_is_nobodys() -> None:
    wire = Wire(ReelsConfig(reels=5, acceptor=True))
    wire.report(IDENTITY, "reels_2")
    assert wire.told() == []
    assert wire.report(CountsReport(9, 0, 0, 0), "reels_2") == []


def test_that_it_takes_tokens_is_commanded_again_and_after_a_refusal_soon() -> None:
    wire = Wire()
    wire.accept(True)
    wire.up()
    wire.told()
    wire.wait(AGAIN_NS)
    assert wire.told() == [AcceptCommand(1)]
    wire.report(RefusedCommand(RefusalCode.NOT_SAFE, AcceptCommand(1)))
    wire.wait(TRY_AGAIN_NS)
    assert wire.told() == [AcceptCommand(1)]
    wire.accept(False)
    wire.told()
    wire.wait(AGAIN_NS)
    assert wire.told() == []


def test_an_acceptor_is_on_beyond_the_longest_time_of_its_board() -> None:
    wire, board = Wire(), ReelBoard("reels", lambda reel: 0, lambda reel, t_ns: None, 3)
    wire.accept(True)
    board.begin(MS)
    off = 0
    while wire.now_ns < 25 * 3600 * 1000 * MS:
        wire.now_ns = min(wire.actuator.next_due_ns, board.next_ns, wire.now_ns + 30_000 * MS)
        while board.next_ns <= wire.now_ns:
            board.run_next()
        frames, board.frames = board.frames, []
        for frame in frames:
            wire._taken(wire.driver.frame(frame))
        wire.actuator.due(wire.now_ns)
        outputs, wire.actuator.outputs = wire.actuator.outputs, []
        for output in outputs:
            assert isinstance(output, SendFrame)
            board.command(output.data, wire.now_ns)
        off += not board.accepts
    assert board.accepts
    assert off < 10


def test_a_counter_that_was_not_told_is_asked_for_again() -> None:
    wire = Wire()
    wire.accept(True)
    wire.report(IDENTITY)
    wire.told()
    wire.report(RefusedCommand(0, CountsCommand()))
    wire.wait(TRY_AGAIN_NS)
    assert wire.told() == [CountsCommand()]


def test_a_board_that_fell_silent_is_made_safe_first_but_never_under_a_reel_that_turns() -> None:
    wire = Wire()
    wire.accept(True)
    wire.up()
    wire.told()
    wire.actuator.spin(1, wire.now_ns)
    wire.told()
    wire.report(RefusedCommand(RefusalCode.SILENT, AcceptCommand(1)))
    wire.wait(TRY_AGAIN_NS)
    assert AllSafeCommand() not in wire.told()
    wire.actuator.halt(1, wire.now_ns)
    wire.away()
    wire.up()
    wire.told()
    wire.report(RefusedCommand(RefusalCode.SILENT, AcceptCommand(1)))
    wire.wait(TRY_AGAIN_NS)
    assert wire.told() == [AllSafeCommand(), AcceptCommand(1)]


def test_a_spin_that_is_refused_fails_its_reel_beside_an_acceptor_too() -> None:
    wire = Wire()
    wire.up()
    wire.actuator.spin(1, wire.now_ns)
    spun = wire.told()[-1]
    assert isinstance(spun, SpinCommand)
    (failed,) = wire.report(RefusedCommand(RefusalCode.SILENT, spun))
    assert isinstance(failed, ReelFailed)
    assert (failed.reel, failed.fault) == (1, "reel_halted")


def test_what_makes_the_board_safe_before_a_reel_spins_leaves_the_acceptor_on() -> None:
    wire = Wire()
    wire.accept(True)
    wire.up()
    wire.told()
    wire.report(RefusedCommand(RefusalCode.SILENT, AcceptCommand(1)))
    wire.actuator.spin(1, wire.now_ns)
    told = wire.told()
    assert told[:2] == [AllSafeCommand(), AcceptCommand(1)]
    assert isinstance(told[-1], SpinCommand)


def test_an_acceptor_that_its_board_finds_dark_is_a_dead_line_until_it_is_not() -> None:
    wire = Wire()
    wire.up()
    (dead,) = wire.report(SensorsReport(0x7F, 0, TOKEN))
    assert isinstance(dead, SensorDead)
    assert (dead.line, dead.fault) == ("token_in", "sensor_stuck")
    assert "cut, dead, or active" in dead.detail
    assert wire.report(SensorsReport(0x7F, 0, TOKEN)) == []
    assert [type(one) for one in wire.report(SensorsReport(0x7F, 0, 0))] == [SensorAlive]


def test_what_is_lost_of_its_line_is_counted_by_its_board_all_the_same() -> None:
    driver = Wire().driver
    assert driver.lost(EdgesLost("token_in", Loss.OVERFLOW, MS)) == []
    assert [type(one) for one in driver.lost(EdgesLost("token_in", Loss.UNPLUGGED, 2 * MS))] == [SensorDead]
    assert [type(one) for one in driver.edges([Edge("token_in", 0, 3 * MS)])] == [SensorAlive]


@pytest.mark.parametrize(("acceptor", "pulse_ms", "keys"), [(False, 50, ["pulse_ms"]), (True, 20, ["pulse_ms"])])
def test_keys_that_contradict_each_other_are_named(acceptor: bool, pulse_ms: int, keys: list[str]) -> None:
    assert [problem[0] for problem in ReelsConfig(acceptor=acceptor, pulse_ms=pulse_ms).problems()] == keys


def test_an_acceptors_line_that_stays_active_is_stuck_and_a_pulse_of_another_width_a_doubt() -> None:
    driver, found = Reels(ReelsConfig(acceptor=True, pulse_ms=50)), list[object]()
    for level, t_ms in ((0, 0), (1, 100), (0, 150), (1, 200), (0, 265), (1, 300), (0, 9_000), (1, 9_100), (0, 9_150)):
        found += driver.edges([Edge("token_in", level, t_ms * MS)])
    found += driver.due(20_000 * MS)
    doubt, stuck, alive = found
    assert isinstance(doubt, PulseNotCounted)
    assert "had 65.0 ms, and its board counts 40 to 60 ms" in doubt.detail
    assert isinstance(stuck, SensorDead)
    assert (stuck.line, stuck.fault, stuck.t_ns) == ("token_in", "sensor_stuck", 5_300 * MS)
    assert alive == SensorAlive(t_ns=9_000 * MS, line="token_in")
