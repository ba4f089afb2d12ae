"""The reels' driver and actuator: frames of any bytes, buttons, home sensors, refusals, and what is overdue."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import SensorDead
from drivers.base.sensor_tests import SensorsTested
from drivers.base.spun_reels import ReelFailed, ReelStands
from drivers.reels.actuator import ReelsActuator
from drivers.reels.reels import (
    HomeCame,
    ReelRefused,
    Reels,
    ReelsConfig,
    ReelSeen,
    ReelsReachable,
    ReelsUnreachable,
    StopPressed,
)
from drivers.reels.reels_wire import RAMP_STEPS, brake_steps, links_of, place_of, ramp_ticks, reel_at, stopping_steps
from hal.board.carried import RefusedCommand, carried, command_in, report_in
from hal.board.message import MessageError
from hal.board.messages import (
    AllSafeCommand,
    ArmCommand,
    IdentityAnswer,
    ReelCommand,
    ReelReport,
    RefusalCode,
    SetCommand,
    SpinCommand,
    StopCommand,
    TestCommand,
)
from hal.values import Edge, EdgesLost, Frame, Loss, SendFrame

MS = 1_000_000
S = 1_000_000_000
UNKNOWN = 0xFFFF
IDENTITY = IdentityAnswer.unpack(bytes(IdentityAnswer.layout.size))


def report(
    reel: int, step: int = UNKNOWN, *, moving: int = 0, slips: int = 0, button: int = 0, off: int = 0, why: int = 0
) -> ReelReport:
    return ReelReport(0, reel, moving, step, slips, button, off, 0, why)


class Bench:
    """Driver and actuator of three reels, or more, at one time after another."""

    def __init__(self, reels: int = 3) -> None:
        config = ReelsConfig(reels=reels)
        self.driver, self.actuator = Reels(config), ReelsActuator(config)
        self.actuator.set_up(20, 200)
        self.t_ns = S
        self.found: list[object] = []
        for link in links_of(reels):
            self.send(link, carried(IDENTITY))

    def send(self, link: str, data: bytes, later_ns: int = MS) -> list[object]:
        self.t_ns += later_ns
        return self._observe(self.driver.frame(Frame(link, data, self.t_ns)))

    def say(self, reel: int, step: int = UNKNOWN, *, later_ns: int = MS, **more: int) -> list[object]:
        link, local = place_of(reel)
        return self.send(link, carried(report(local, step, **more)), later_ns)

    def press(self, reel: int, t_ns: int) -> None:
        """A button goes down; its next edge comes with a later press."""
        edges = [Edge(f"stop_{reel}", 0, t_ns - 1), Edge(f"stop_{reel}", 1, t_ns)]
        self._observe(self.driver.edges(edges))
        self.t_ns = t_ns

    def home(self, reel: int) -> None:
        for level in (0, 1):
            self.t_ns += MS
            self._observe(self.driver.edges([Edge(f"reel_{reel}_home", level, self.t_ns)]))

    def told(self) -> list[object]:
        outputs, self.actuator.outputs = self.actuator.outputs, []
        said = [command_in(one.data) for one in outputs if isinstance(one, SendFrame)]
        return [one for one in said if not isinstance(one, TestCommand)]

    def wait(self, seconds: float) -> list[object]:
        self.t_ns += round(seconds * S)
        found = self._observe(self.driver.due(self.t_ns))
        while self.actuator.next_due_ns <= self.t_ns:
            found += self.actuator.due(self.t_ns)
        return [one for one in found if not isinstance(one, SensorsTested)]

    def _observe(self, seen: list) -> list[object]:  # type: ignore[type-arg]
        found: list[object] = []
        for one in seen:
            found += self.actuator.observe(one) if type(one) in self.actuator.observes else [one]
        return [one for one in found if not isinstance(one, SensorsTested)]


# --- messages as frames ----------------------------------------------------------------------------------------------


@given(st.binary(max_size=40))
@settings(max_examples=100)
def test_any_bytes_are_a_message_or_refused_as_none(data: bytes) -> None:
    for read in (report_in, command_in):
        try:
            message = read(data)
        except MessageError:
            continue
        if data[0] != 128 + 1:  # a report of edges has what comes after its fields in it
            assert data.startswith(carried(message)[:1])


@given(st.integers(1, 3), st.integers(0, 1), st.integers(1, 9))
def test_a_refused_command_is_carried_with_its_fields(reel: int, on: int, why: int) -> None:
    assert report_in(carried(RefusedCommand(why, ArmCommand(reel, on)))) == RefusedCommand(why, ArmCommand(reel, on))


# --- the driver ------------------------------------------------------------------------------------------------------

VALUES = st.one_of(
    st.builds(Edge, st.sampled_from(["reel_1_home", "stop_2", "stop_9", "door"]), st.integers(0, 1), st.just(0)),
    st.builds(Frame, st.sampled_from(["reels", "reels_2", "cctalk"]), st.binary(max_size=24), st.just(0)),
    st.builds(EdgesLost, st.sampled_from(["reels", "stop_1", "reel_2_home"]), st.sampled_from(list(Loss)), st.just(0)),
)


@given(st.lists(st.tuples(VALUES, st.integers(1, 3_000)), max_size=30))
@settings(max_examples=100)
def test_whatever_comes_is_reported_in_order_and_raises_nothing(values: list[tuple[object, int]]) -> None:
    bench = Bench()
    driver, t_ns, last_ns = bench.driver, bench.t_ns, 0
    bench.actuator.spin(1, t_ns)
    bench.actuator.place(2, 7, t_ns)
    for value, later_ms in values:
        t_ns += later_ms * MS
        if isinstance(value, Edge):
            found = driver.edges([value._replace(t_ns=t_ns)])
        elif isinstance(value, Frame):
            found = driver.frame(value._replace(t_ns=t_ns))
        else:
            assert isinstance(value, EdgesLost)
            found = driver.lost(value._replace(t_ns=t_ns))
        for one in [*found, *driver.due(t_ns)]:
            assert last_ns <= one.t_ns <= t_ns
            last_ns = one.t_ns
            if type(one) in bench.actuator.observes:
                bench.actuator.observe(one)
        while bench.actuator.next_due_ns <= t_ns:
            bench.actuator.due(t_ns)
    for output in bench.actuator.outputs:
        assert isinstance(output, SendFrame)
        command_in(output.data)


def test_a_button_counts_when_it_has_held_for_a_millisecond() -> None:
    driver = Reels(ReelsConfig())
    driver.edges([Edge("stop_2", 0, 0)])
    assert driver.edges([Edge("stop_2", 1, S), Edge("stop_2", 0, S + MS - 1)]) == []
    assert driver.due(2 * S) == []
    driver.edges([Edge("stop_2", 1, 3 * S)])
    (pressed,) = driver.due(3 * S + MS)
    assert (type(pressed), pressed.t_ns) == (StopPressed, 3 * S + MS)
    (stuck,) = driver.due(9 * S)
    assert isinstance(stuck, SensorDead)
    assert (stuck.line, stuck.fault, stuck.t_ns) == ("stop_2", "sensor_stuck", 8 * S)


@pytest.mark.parametrize("reported_ms", [0.6, 1.0, 1.4])
def test_a_press_and_the_report_of_the_stop_may_come_in_either_order(reported_ms: float) -> None:
    bench = Bench()
    bench.actuator.spin(1, bench.t_ns)
    bench.say(1, 5, moving=1)
    bench.home(1)
    bench.say(1, 20, moving=1)  # armed now
    button = bench.t_ns + MS
    bench.press(1, button)
    bench.say(1, 30, moving=1, button=1, later_ns=round(reported_ms * MS))
    bench.wait(0.02)
    bench.press(1, bench.t_ns + MS)  # a second press stops nothing
    bench.wait(0.02)
    found = bench.say(1, 50, button=1)
    assert [(one.by_player, one.pressed_ns) for one in found if isinstance(one, ReelStands)] == [(True, button)]


def test_reports_of_a_reel_that_is_not_there_are_left_alone() -> None:
    driver = Reels(ReelsConfig(reels=4))
    assert [type(one) for one in driver.frame(Frame("reels_2", carried(report(1, 5)), 1))] == [ReelSeen]
    assert driver.frame(Frame("reels_2", carried(report(2, 5)), 2)) == []
    assert driver.frame(Frame("reels", carried(report(0, 5)), 3)) == []
    (seen,) = driver.frame(Frame("reels", b"\xff\x00", 4))
    assert isinstance(seen, ReelsUnreachable)
    assert "ff 00" in seen.detail
    (up,) = driver.frame(Frame("reels", carried(IDENTITY), 5))
    assert isinstance(up, ReelsReachable)


def test_home_comes_once_a_turn_and_not_as_it_is_first_seen() -> None:
    driver = Reels(ReelsConfig())
    assert driver.edges([Edge("reel_1_home", 1, 1)]) == []
    assert driver.edges([Edge("reel_1_home", 0, 2)]) == []
    assert [type(one) for one in driver.edges([Edge("reel_1_home", 1, 3)])] == [HomeCame]
    driver.lost(EdgesLost("reel_1_home", Loss.OVERFLOW, 4))
    assert driver.edges([Edge("reel_1_home", 1, 5)]) == []


def test_a_button_that_was_held_long_enough_is_pressed_before_a_later_loss_on_another_line() -> None:
    driver = Reels(ReelsConfig())
    driver.edges([Edge(line, 0, 1) for line in driver.lines if line.startswith("stop")])
    assert driver.edges([Edge("stop_1", 1, 1_000_000_000)]) == []
    (pressed,) = driver.lost(EdgesLost("reel_1_home", Loss.OVERFLOW, 1_500_000_000))
    assert isinstance(pressed, StopPressed)
    assert (pressed.reel, pressed.pressed_ns) == (1, 1_000_000_000)


# --- the actuator ----------------------------------------------------------------------------------------------------


def test_a_spin_configures_turns_and_arms_the_reel_once_its_home_has_come() -> None:
    bench = Bench()
    bench.actuator.spin(2, bench.t_ns)
    setting, spin = bench.told()
    assert setting == ReelCommand(2, 20, 500, 6, 200, 1, 50, 0, 1)
    assert spin == SpinCommand(2, 200, 30_000)
    bench.say(2, moving=1)
    bench.say(2, 30, moving=1)
    assert bench.told() == [], "home has not come in this turning"
    bench.home(2)
    bench.say(2, 3, moving=1)
    assert bench.told() == [ArmCommand(2, 1)]
    bench.say(2, 40, moving=1, button=1)
    (stands,) = bench.say(2, 70, button=1)
    assert isinstance(stands, ReelStands)
    assert (stands.reel, stands.stop, stands.by_player) == (2, 7, True)
    assert bench.actuator.due(bench.t_ns + 60 * S) == bench.told() == [], "nothing is awaited"


def test_a_reel_is_placed_by_a_stop_that_is_said_again_until_it_stands() -> None:
    bench = Bench(5)
    bench.actuator.place(5, 7, bench.t_ns)
    assert SpinCommand(2, 200, 30_000) in bench.told(), "it is the second of its board"
    bench.home(5)
    for _ in range(3):
        bench.say(5, 20, moving=1)
        assert bench.told() == [StopCommand(2, 70)]
    (stands,) = bench.say(5, 70)
    assert isinstance(stands, ReelStands)
    assert (stands.stop, stands.by_player) == (7, False)


def test_a_reel_whose_home_came_as_it_stopped_stands_where_it_was_to() -> None:
    """Home came a step early and corrected the count: it was at step 0 by the count that stopped it, and is at 1."""
    bench = Bench()
    bench.actuator.place(2, 0, bench.t_ns)
    bench.home(2)
    bench.say(2, 195, moving=1)
    (stands,) = bench.say(2, 1, off=-1)
    assert isinstance(stands, ReelStands)
    assert (stands.stop, stands.step) == (0, 1)
    assert bench.say(2, 1, off=-1) == []
    (moved,) = bench.say(2, 4, off=-1)
    assert isinstance(moved, ReelFailed)
    assert moved.fault == "reel_moved"


def test_commands_wait_until_the_board_is_up() -> None:
    config = ReelsConfig()
    actuator = ReelsActuator(config)
    actuator.place(1, 0, S)
    assert actuator.outputs == []
    actuator.observe(ReelsReachable(t_ns=2 * S, link="reels"))
    assert len(actuator.outputs) == 2
    late = ReelsActuator(config)
    late.place(1, 0, S)
    (failed,) = late.due(late.next_due_ns)
    assert isinstance(failed, ReelFailed)
    assert (failed.fault, "not up" in failed.detail) == ("reel_not_answering", True)


@pytest.mark.parametrize(
    ("last", "fault"),
    [
        ({"step": 70}, "reel_halted"),
        ({"step": 73, "button": 1}, "reel_halted"),
        ({"step": UNKNOWN, "button": 1}, "reel_halted"),
        ({"step": UNKNOWN, "why": 1}, "reel_jammed"),
        ({"step": UNKNOWN, "why": 2}, "reel_home_blocked"),
    ],
)
def test_what_stands_without_proof_is_a_fault_with_the_number_of_its_reel(last: dict[str, int], fault: str) -> None:
    bench = Bench()
    bench.actuator.spin(3, bench.t_ns)
    bench.say(3, moving=1)
    bench.home(3)
    bench.say(3, 10, moving=1)
    (failed,) = bench.say(3, **last)
    assert isinstance(failed, ReelFailed)
    assert (failed.reel, failed.fault) == (3, fault)
    assert failed.detail.startswith("reel 3: ")
    assert bench.actuator.stop_of(3) is None
    if "why" in last:
        bench.told()
        bench.actuator.place(3, 0, bench.t_ns)
        assert bench.told()[0] == SetCommand(3, 0, 0), "its fault is acknowledged first"


def test_a_reel_that_is_not_reported_in_time_has_failed() -> None:
    bench = Bench()
    bench.actuator.spin(1, bench.t_ns)
    assert bench.wait(1.4) == []
    (failed,) = bench.wait(0.2)
    assert isinstance(failed, ReelFailed)
    assert failed.fault == "reel_not_answering"
    bench.actuator.place(1, 0, bench.t_ns)
    bench.say(1, 5, moving=1)
    (failed,) = bench.wait(13)
    assert isinstance(failed, ReelFailed)
    assert failed.fault == "reel_not_answering"


@pytest.mark.parametrize("why", list(RefusalCode))
def test_a_refused_spin_is_a_fault_that_says_why(why: RefusalCode) -> None:
    bench = Bench()
    bench.actuator.spin(1, bench.t_ns)
    (failed,) = bench.send("reels", carried(RefusedCommand(why, SpinCommand(1, 200, 30_000))))
    assert isinstance(failed, ReelFailed)
    assert (failed.reel, failed.fault) == (1, "reel_halted")
    bench.told()
    bench.actuator.spin(1, bench.t_ns)
    first = bench.told()[0]
    assert isinstance(first, AllSafeCommand) == (why == RefusalCode.SILENT)
    assert isinstance(first, SetCommand) == (why == RefusalCode.HELD_SAFE)
    seen = bench.driver.frame(Frame("reels", carried(RefusedCommand(why, StopCommand(1, 0))), bench.t_ns))
    assert [type(one) for one in seen] == [ReelRefused]
    assert bench.actuator.observe(seen[0]) == [], "a stop that is refused is said again"


def test_a_button_that_its_board_does_not_prove_is_named_where_it_cannot_be_armed() -> None:
    bench = Bench()
    bench.actuator.spin(1, bench.t_ns)
    (failed,) = bench.send("reels", carried(RefusedCommand(RefusalCode.NOT_SAFE, ArmCommand(1, 1))))
    assert isinstance(failed, ReelFailed)
    assert "its stop button is not proven" in failed.detail


# --- how far a reel turns on -----------------------------------------------------------------------------------------


def test_the_ramp_is_that_of_the_boards() -> None:
    ticks = ramp_ticks()
    assert (ticks[0], ticks[1], ticks[-1], len(ticks)) == (25_000, 19_612, 4_963, RAMP_STEPS)
    assert ticks == sorted(ticks, reverse=True)
    assert [brake_steps(speed) for speed in (62, 80, 200, 267, 402)] == [1, 1, 10, 18, 40]
    assert stopping_steps(402) == 43


def test_every_reel_has_one_place() -> None:
    assert [place_of(reel) for reel in range(1, 6)] == [
        ("reels", 1),
        ("reels", 2),
        ("reels", 3),
        ("reels_2", 1),
        ("reels_2", 2),
    ]
    assert all(reel_at(*place_of(reel)) == reel for reel in range(1, 6))


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"home_least": 60}, "home_least"),
        ({"home_most": 200}, "home_most"),
        ({"turned_round": [4]}, "turned_round"),
    ],
)
def test_keys_that_contradict_each_other_are_named(keys: dict[str, object], key: str) -> None:
    assert [problem[0] for problem in ReelsConfig(**keys).problems()] == [key]  # type: ignore[arg-type]
