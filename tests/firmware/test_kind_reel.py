"""The reel board, its own binary on the emulated chip: ramps, home, skill stop, slips, tokens, lamps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from math import sqrt

import pytest

from hal.board.messages import (
    AcceptCommand,
    AllSafeCommand,
    ArmCommand,
    CountsAnswer,
    CountsCommand,
    Flag,
    LampsCommand,
    LampsReport,
    RampCommand,
    ReelCommand,
    ReelReport,
    RefusalCode,
    SensorsReport,
    SetCommand,
    SpinCommand,
    StateReport,
    StopCommand,
    TestCommand,
)
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import STEPS, Reel
from tests.shares import first_of, one_in

UNKNOWN = 65_535
AT_ONCE = 65_535
NO_HOME, BLOCKED = 1, 2
START, ACCELERATION = 80, 2_000
"""Steps a second, and a second: as stepper.h has them."""
READY_MS = 300
ANY_SPEED = 267
"""80 turns a minute."""


@pytest.fixture
def reel() -> Iterator[KindBench]:
    with KindBench("reel") as bench:
        bench.run(READY_MS)
        bench.reported.clear()
        yield bench


def wheel(
    bench: KindBench,
    number: int = 1,
    *,
    place: int = 57,
    flag: int = 3,
    steps: int = STEPS,
    turned_round: bool = False,
) -> Reel:
    world = Reel(number, place=place, flag=flag, steps=steps, turned_round=turned_round)
    bench.worlds.append(world)
    return world


def stand(bench: KindBench, number: int = 1) -> ReelReport:
    """The last report of a reel, which stands."""
    bench.run(20)
    report = [report for report in bench.reports(ReelReport) if report.reel == number][-1]
    assert report.moving == 0
    return report


def spun(bench: KindBench, number: int = 1, *, steps_per_s: int = ANY_SPEED, for_ms: float = 1_200) -> None:
    """Spins a reel long enough to know where home is."""
    bench.ask(SpinCommand(number, steps_per_s, 0))
    bench.run(for_ms)


def a_reel(
    number: int = 1,
    *,
    symbols: int = 20,
    spin_ms: int = 500,
    slip: int = 6,
    steps: int = STEPS,
    home: tuple[int, int] = (1, 50),
    turned_round: int = 0,
    held: int = 1,
) -> ReelCommand:
    """A reel as it is without the command, except for what is given."""
    return ReelCommand(number, symbols, spin_ms, slip, steps, *home, turned_round, held)


# --- turning ----------------------------------------------------------------------------------------------------------


def test_a_reel_grows_faster_by_the_ramp_and_then_turns_evenly(reel: KindBench) -> None:
    world = wheel(reel)
    asked_ns = reel.now_ns
    spun(reel, steps_per_s=400)
    assert world.steps[0] - asked_ns < 2e6
    intervals = [later - earlier for earlier, later in pairwise(world.steps)]
    for step, interval_ns in enumerate(intervals[:39]):
        assert interval_ns == pytest.approx(1e9 / sqrt(START**2 + 2 * ACCELERATION * step), abs=15_000)
    assert all(interval == pytest.approx(2.5e6, abs=15_000) for interval in intervals[41:])


def test_three_reels_keep_their_speeds_without_drift(reel: KindBench) -> None:
    worlds = [wheel(reel, number) for number in (1, 2, 3)]
    speeds = (400, 267, 397)
    for number, speed in enumerate(speeds, start=1):
        reel.ask(SpinCommand(number, speed, 0))
    reel.run(5_000)
    for world, speed in zip(worlds, speeds, strict=True):
        even = world.steps[60:]
        period_ns = (2_000_000 // speed) * 500
        assert (even[-1] - even[0]) / (len(even) - 1) == pytest.approx(period_ns, rel=1e-4)
        assert max(abs(even[i] - even[0] - i * period_ns) for i in range(len(even))) < 80_000


def test_the_pulses_of_steps_are_long_enough_for_any_driver(reel: KindBench) -> None:
    worlds = [wheel(reel, number) for number in (1, 2, 3)]
    for number in (1, 2, 3):
        reel.ask(SpinCommand(number, 400, 0))
    reel.run(1_000)
    assert len(worlds) == 3
    for number in (1, 2, 3):
        changes = reel.output_changes(f"reel_{number}")
        for earlier, later in pairwise(changes):
            assert later.t_ns - earlier.t_ns >= 2_000, "2 µs high, 2 µs low"


@pytest.mark.parametrize(
    "wrong", [SpinCommand(0, 200, 0), SpinCommand(4, 200, 0), SpinCommand(1, 61, 0), SpinCommand(1, 404, 0)]
)
def test_what_no_reel_can_do_is_refused(reel: KindBench, wrong: SpinCommand) -> None:
    assert reel.refused(wrong) == RefusalCode.WRONG_VALUE


def test_a_reel_that_turns_cannot_be_spun(reel: KindBench) -> None:
    wheel(reel)
    reel.ask(SpinCommand(1, 200, 0))
    assert reel.refused(SpinCommand(1, 100, 0)) == RefusalCode.BUSY
    assert reel.refused(SetCommand(1, 255, 0)) == RefusalCode.WRONG_VALUE


def test_where_a_reel_is_is_not_known_before_home_has_come(reel: KindBench) -> None:
    world = wheel(reel, place=10)
    reel.ask(SpinCommand(1, 100, 0))
    reel.run(500)
    assert reel.last(ReelReport).step == UNKNOWN
    reel.run(2_000)
    reports = reel.reports(ReelReport)
    assert reports[-1].step != UNKNOWN
    assert reports[-1].moving == 1
    assert abs(reports[-1].step - world.place) < 12
    assert 18 <= len(reports) <= 23, "about every 100 ms"


# --- stops ------------------------------------------------------------------------------------------------------------


PLACES = (0, 1, 2, 3, 50, 120, 198, 199)
"""Where home begins, where it has just ended, and the last steps before it, among others."""
QUICK_STOPS = [(400, 0), (400, 2), (400, 199), (150, 0), (62, 199)]


@pytest.mark.parametrize(
    ("speed", "step"),
    first_of(len(QUICK_STOPS), dict.fromkeys((*QUICK_STOPS, *product((400, 150, 62), PLACES)))),
)
def test_a_reel_stops_at_the_very_step(reel: KindBench, step: int, speed: int) -> None:
    world = wheel(reel)
    spun(reel, steps_per_s=speed, for_ms=700)
    reel.ask(StopCommand(1, step))
    reel.run(5_500 if speed < 100 else 3_500)
    report = stand(reel)
    assert world.place == step
    assert (report.step, report.slips, report.button) == (step, 0, 0)
    reel.ask(SpinCommand(1, speed, 0))
    reel.run(400)
    reel.ask(StopCommand(1, (step + 100) % STEPS))
    reel.run(7_000 if speed < 100 else 3_500)
    report = stand(reel)
    assert report.step == world.place == (step + 100) % STEPS
    assert report.slips == 0


def test_a_stop_before_home_is_known_waits_for_it(reel: KindBench) -> None:
    world = wheel(reel, place=20)
    reel.ask(SpinCommand(1, 300, 0))
    reel.run(50)
    reel.ask(StopCommand(1, 77))
    reel.run(3_000)
    assert stand(reel).step == world.place == 77


@pytest.mark.parametrize("phase_ms", [0.0, 4.4, 9.1, 13.3, 19.7])
def test_a_stop_as_soon_as_can_be_is_at_a_symbol(reel: KindBench, phase_ms: float) -> None:
    world = wheel(reel)
    spun(reel, steps_per_s=400, for_ms=1_200 + phase_ms)
    before = len(world.steps)
    reel.ask(StopCommand(1, AT_ONCE))
    reel.run(400)
    assert 39 <= len(world.steps) - before <= 53
    assert stand(reel).step == world.place
    assert world.place % 10 == 0


def test_a_stop_as_soon_as_can_be_before_home_is_known_brakes_by_the_ramp(reel: KindBench) -> None:
    world = wheel(reel, place=20)
    reel.ask(SpinCommand(1, 400, 0))
    reel.run(250)
    before = len(world.steps)
    reel.ask(StopCommand(1, AT_ONCE))
    reel.run(400)
    assert 38 <= len(world.steps) - before <= 42
    assert stand(reel).step == UNKNOWN


@pytest.mark.parametrize("wrong", [StopCommand(0, 5), StopCommand(4, 5), StopCommand(1, 200), StopCommand(1, 65_534)])
def test_a_stop_that_cannot_be_is_refused(reel: KindBench, wrong: StopCommand) -> None:
    assert reel.refused(wrong) == RefusalCode.WRONG_VALUE


def test_a_stop_of_a_reel_that_stands_is_nothing(reel: KindBench) -> None:
    reel.ask(StopCommand(1, 5))
    reel.ask(StopCommand(1, AT_ONCE))


# --- drivers and ramps ------------------------------------------------------------------------------------------------


def a_ramp(first: int, *ticks: int) -> RampCommand:
    """A part of a ramp."""
    return RampCommand(first, b"".join(each.to_bytes(2, "little") for each in (*ticks, *[0] * (16 - len(ticks)))))


STEEP = [20_000, 10_000, 6_000, 4_000, 3_000, 2_400, 2_000, 1_700]
STEEP += [1_500, 1_350, 1_250, 1_180, 1_120, 1_070, 1_030, 1_000]


@pytest.mark.parametrize(("steps", "symbols"), one_in(3, [(400, 20), (504, 21), (336, 16), (3_200, 20)]))
def test_half_steps_and_smaller_ones_stop_at_the_very_step(reel: KindBench, steps: int, symbols: int) -> None:
    speed = 402 if steps < 1_000 else 2_000
    if steps > 1_000:
        reel.ask(a_ramp(0, *STEEP))
    world = wheel(reel, place=steps - 60, steps=steps, flag=6)
    reel.ask(a_reel(symbols=symbols, steps=steps, home=(2, 40), slip=symbols))
    reel.ask(SpinCommand(1, speed, 0))
    reel.run(600)
    for aim in (steps // 3, steps - 1):
        reel.ask(StopCommand(1, aim))
        reel.run(3_400 if steps > 1_000 else 1_800)
        report = stand(reel)
        assert (report.step, report.slips, report.off) == (aim, 0, 0)
        assert world.place == aim
        reel.ask(SpinCommand(1, speed, 0))
        reel.run(20)


def test_a_ramp_of_the_hosts_is_followed_up_and_down(reel: KindBench) -> None:
    world = wheel(reel, steps=400, flag=6)
    reel.ask(a_reel(steps=400))
    assert reel.refused(SpinCommand(1, 2_000, 0)) == RefusalCode.WRONG_VALUE, "faster than the ramp"
    reel.ask(a_ramp(0, *STEEP))
    reel.ask(SpinCommand(1, 2_000, 0))
    reel.run(500)
    intervals = [later - earlier for earlier, later in pairwise(world.steps)]
    assert intervals[:15] == pytest.approx([ticks * 500 for ticks in STEEP[:15]], abs=15_000)
    assert intervals[16:] == pytest.approx([500_000] * len(intervals[16:]), abs=40_000)
    reel.ask(StopCommand(1, 123))
    reel.run(400)
    assert stand(reel).step == world.place == 123
    intervals = [later - earlier for earlier, later in pairwise(world.steps)]
    assert intervals[-15:] == pytest.approx([ticks * 500 for ticks in STEEP[14::-1]], abs=15_000)


def test_a_ramp_is_told_in_parts_and_is_the_usual_one_in_each_session(reel: KindBench) -> None:
    for first in (0, 16, 32, 48):
        reel.ask(a_ramp(first, *[20_000 - 200 * (first + each) for each in range(16)]))
    assert reel.refused(a_ramp(64, 5_000)) == RefusalCode.WRONG_VALUE
    assert reel.refused(SpinCommand(1, 400, 0)) == RefusalCode.WRONG_VALUE
    reel.open(2)
    reel.ask(SpinCommand(1, 400, 0))
    assert reel.refused(a_ramp(0, *STEEP)) == RefusalCode.BUSY


@pytest.mark.parametrize(
    "wrong",
    [
        a_ramp(0),
        a_ramp(0, 32_259),
        a_ramp(0, 5_000, 5_001),
        a_ramp(0, 5_000, 999),
        a_ramp(0, 5_000, 0, 4_000),
        a_ramp(7, 4_000),
        a_ramp(40, 5_000),
    ],
)
def test_what_is_no_ramp_is_refused(reel: KindBench, wrong: RampCommand) -> None:
    assert reel.refused(wrong) == RefusalCode.WRONG_VALUE
    reel.ask(SpinCommand(1, 402, 0))


def test_a_reel_that_is_mounted_the_other_way_is_turned_round(reel: KindBench) -> None:
    world = wheel(reel, turned_round=True)
    reel.ask(a_reel(turned_round=1))
    spun(reel)
    reel.ask(StopCommand(1, 70))
    reel.run(1_000)
    assert stand(reel).step == world.place == 70


def test_a_driver_is_on_from_the_first_step_and_off_where_a_reel_is_not_held(reel: KindBench) -> None:
    disabled = [reel.control(f"disable_{number}") for number in (1, 2, 3)]
    assert disabled == [1, 1, 1]
    worlds = [wheel(reel, number) for number in (1, 2)]
    reel.ask(a_reel(2, held=0))
    for number in (1, 2):
        reel.ask(SpinCommand(number, 300, 0))
    reel.run(1_500)
    for number in (1, 2):
        reel.ask(StopCommand(number, 50))
    reel.run(1_500)
    assert [world.place for world in worlds] == [50, 50]
    assert [reel.control(f"disable_{number}") for number in (1, 2, 3)] == [0, 1, 1]
    reel.ask(AllSafeCommand())
    reel.run(5)
    assert reel.control("disable_1") == 1


def test_when_the_supply_fails_the_drivers_go_off(reel: KindBench) -> None:
    wheel(reel)
    spun(reel)
    reel.put("power_fail", 1)
    reel.run(3)
    assert reel.control("disable_1") == 1
    assert reel.control("sense") == 1


def test_a_control_output_that_does_not_follow_is_a_fault_and_nothing_turns(reel: KindBench) -> None:
    disable_1 = 20
    reel.board.chain_faults(dead={disable_1})
    reel.run(250)
    assert reel.last(LampsReport).dead == lit(disable_1)
    assert reel.last(StateReport).flags & Flag.FAULT
    assert reel.refused(SpinCommand(1, 200, 0)) == RefusalCode.NOT_SAFE
    reel.board.chain_faults()
    reel.run(250)
    assert not reel.last(StateReport).flags & Flag.FAULT
    reel.ask(SpinCommand(1, 200, 0))


# --- home -------------------------------------------------------------------------------------------------------------


def test_a_home_that_is_too_short_is_none(reel: KindBench) -> None:
    world = wheel(reel, place=100, flag=6)
    reel.ask(a_reel(home=(4, 20)))
    spun(reel, for_ms=1_000)
    assert reel.last(ReelReport).home == 6
    reel.pulse("home_1", 8)
    reel.run(1_000)
    reel.ask(StopCommand(1, 33))
    reel.run(1_500)
    report = stand(reel)
    assert (report.step, report.slips, report.off) == (33, 0, 0)
    assert world.place == 33


def test_a_home_that_stays_dark_stops_the_reel_and_is_told(reel: KindBench) -> None:
    world = wheel(reel, flag=70)
    spun(reel, for_ms=2_000)
    report = stand(reel)
    assert (report.why, report.step) == (BLOCKED, UNKNOWN)
    assert world.steps[-1] < reel.now_ns - 100e6
    assert reel.refused(SpinCommand(1, 400, 0)) == RefusalCode.HELD_SAFE
    reel.ask(SetCommand(1, 0, 0))
    reel.ask(a_reel(home=(1, 80)))
    spun(reel, for_ms=2_000)
    assert reel.last(ReelReport).moving == 1


@pytest.mark.parametrize("lost", [3, 5, 9])
def test_how_far_home_was_off_is_told(reel: KindBench, lost: int) -> None:
    world = wheel(reel)
    spun(reel, for_ms=1_500)
    world.slips = lost
    reel.run(900)
    assert reel.last(ReelReport).off == lost


# --- the sensors prove themselves -------------------------------------------------------------------------------------

ALL_FED = 0x7F


def fault(bench: KindBench) -> bool:
    bench.run(120)
    return bool(bench.last(StateReport).flags & Flag.FAULT)


def test_at_the_start_and_after_each_game_every_sensor_is_tested(reel: KindBench) -> None:
    wheel(reel)
    reel.reset()
    reel.run(20)
    reel.open(2)
    reel.run(20)
    assert reel.last(SensorsReport) == SensorsReport(ALL_FED, 0, 0)
    spun(reel)
    reel.short("home_2")
    reel.ask(StopCommand(1, 50))
    reel.run(500)
    assert reel.reports(SensorsReport) == []
    reel.run(1_000)
    assert reel.last(SensorsReport) == SensorsReport(ALL_FED, 2, 0)
    assert fault(reel)
    assert reel.refused(SpinCommand(2, 200, 0)) == RefusalCode.NOT_SAFE
    reel.ask(SpinCommand(1, 200, 0))


def test_a_button_that_is_shorted_cannot_be_armed(reel: KindBench) -> None:
    wheel(reel)
    reel.short("stop_1")
    reel.ask(TestCommand())
    reel.run(20)
    assert reel.last(SensorsReport) == SensorsReport(ALL_FED, 8, 0)
    spun(reel)
    assert reel.refused(ArmCommand(1, 1)) == RefusalCode.NOT_SAFE
    assert reel.refused(TestCommand()) == RefusalCode.BUSY


def test_a_stop_button_whose_wire_is_cut_at_rest_is_a_fault(reel: KindBench) -> None:
    reel.cut("stop_3")
    reel.run(5_300)
    assert reel.last(SensorsReport) == SensorsReport(ALL_FED, 0, 1 << 5)
    assert fault(reel)
    reel.mend("stop_3")
    assert not fault(reel)


def test_a_token_whose_sensor_is_not_proven_is_not_taken(reel: KindBench) -> None:
    reel.cut("token")
    reel.ask(TestCommand())
    reel.run(400)
    assert reel.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE


@pytest.mark.parametrize("offset_ms", [0, 0.7, 1.6, 2.3])
def test_a_test_while_tokens_pass_neither_makes_nor_takes_one(reel: KindBench, offset_ms: float) -> None:
    for number in range(20):
        reel.pulse("token", 25, 10 + number * 61 + offset_ms)
    for _ in range(50):
        reel.ask(TestCommand())
        reel.run(25.3)
    assert reel.ask(CountsCommand()) == CountsAnswer(20, 0, 0, 0)


# --- skill stop -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("speed", "ramp_ms", "host"),
    one_in(5, ((*fast, host) for fast in ((100, 25), (267, 120), (400, 190)) for host in ("talks", "is silent"))),
)
def test_the_button_of_a_reel_stops_it_on_the_board_at_the_next_symbol_that_it_can_reach(
    reel: KindBench, speed: int, ramp_ms: float, host: str
) -> None:
    worlds = [wheel(reel, number) for number in (1, 2, 3)]
    for number in (1, 2, 3):
        reel.ask(SpinCommand(number, speed, 0))
    reel.run(3_000)
    reel.ask(ArmCommand(2, 1))
    reel.talks = host == "talks"
    pressed_ns = reel.now_ns
    reel.pulse("stop_2", 60)
    reel.run(400)
    last = worlds[1].steps[-1]
    assert (last - pressed_ns) / 1e6 <= ramp_ms + 14_000 / speed
    assert worlds[0].steps[-1] > reel.now_ns - 15e6, "the others turn on"
    assert worlds[2].steps[-1] > reel.now_ns - 15e6
    report = [report for report in reel.reports(ReelReport) if report.reel == 2][-1]
    assert (report.moving, report.button, report.step) == (0, 1, worlds[1].place)
    assert worlds[1].place % 10 == 0


@pytest.mark.parametrize(
    ("phase_ms", "symbols", "speed"),
    one_in(
        9,
        (
            (phase_ms, *wheel)
            for phase_ms in (0.0, 6.3, 13.7, 21.1, 28.9, 34.4, 43.1)
            for wheel in ((20, 267), (22, 267), (25, 400), (13, 100))
        ),
    ),
)
def test_wherever_the_button_is_pressed_the_reel_stands_at_a_symbol_within_the_slip_window(
    reel: KindBench, phase_ms: float, symbols: int, speed: int
) -> None:
    world = wheel(reel)
    reel.ask(a_reel(symbols=symbols, slip=7))
    spun(reel, steps_per_s=speed, for_ms=4_000)
    reel.ask(ArmCommand(1, 1))
    reel.run(phase_ms)
    before = len(world.steps)
    reel.pulse("stop_1", 60)
    reel.run(600)
    assert stand(reel).button == 1
    assert world.place in {number * STEPS // symbols for number in range(symbols)}
    assert len(world.steps) - before <= 7 * STEPS / symbols


def test_a_button_stops_nothing_until_the_host_has_armed_it(reel: KindBench) -> None:
    world = wheel(reel)
    spun(reel)
    reel.pulse("stop_1", 60)
    reel.run(400)
    assert world.steps[-1] > reel.now_ns - 10e6
    reel.ask(ArmCommand(1, 1))
    reel.ask(ArmCommand(1, 0))
    reel.pulse("stop_1", 60)
    reel.run(400)
    assert world.steps[-1] > reel.now_ns - 10e6


@pytest.mark.parametrize(("pressed_ms", "stops"), [(20, False), (900, False), (1_100, True)])
def test_a_button_stops_nothing_right_after_the_start(reel: KindBench, pressed_ms: int, stops: bool) -> None:
    world = wheel(reel)
    reel.ask(a_reel(spin_ms=1_000))
    reel.ask(SpinCommand(1, 400, 0))
    reel.ask(ArmCommand(1, 1))
    reel.run(pressed_ms)
    reel.pulse("stop_1", 60)
    reel.run(400)
    assert (world.steps[-1] < reel.now_ns - 100e6) == stops


def test_a_speed_that_overruns_the_slip_window_is_refused(reel: KindBench) -> None:
    reel.ask(a_reel(slip=4))
    assert reel.refused(SpinCommand(1, 400, 0)) == RefusalCode.WRONG_VALUE
    reel.ask(SpinCommand(1, 267, 0))
    assert reel.refused(a_reel()) == RefusalCode.BUSY


@pytest.mark.parametrize(
    "wrong",
    [
        a_reel(0),
        a_reel(4),
        a_reel(symbols=0),
        a_reel(symbols=101),
        a_reel(symbols=20, steps=39),
        a_reel(slip=0),
        a_reel(slip=21),
        a_reel(symbols=1, slip=1, steps=19),
        a_reel(steps=3_201),
        a_reel(home=(0, 50)),
        a_reel(home=(9, 8)),
        a_reel(home=(1, STEPS)),
        a_reel(turned_round=2),
        a_reel(held=2),
        ArmCommand(4, 1),
        ArmCommand(1, 2),
    ],
)
def test_what_no_reel_can_be_is_refused(reel: KindBench, wrong: ReelCommand | ArmCommand) -> None:
    assert reel.refused(wrong) == RefusalCode.WRONG_VALUE


def test_a_reel_that_stands_cannot_be_armed(reel: KindBench) -> None:
    assert reel.refused(ArmCommand(1, 1)) == RefusalCode.NOT_SAFE


def test_a_contact_that_bounces_stops_it_when_it_has_closed(reel: KindBench) -> None:
    world = wheel(reel)
    spun(reel)
    reel.ask(ArmCommand(1, 1))
    for at_ms in (0, 0.8, 1.6):
        reel.pulse("stop_1", 0.4, at_ms)
    reel.pulse("stop_1", 50, 2.5)
    reel.run(300)
    assert stand(reel).button == 1
    assert world.steps[-1] < reel.now_ns - 100e6


def test_a_spike_stops_nothing(reel: KindBench) -> None:
    world = wheel(reel)
    spun(reel)
    reel.ask(ArmCommand(1, 1))
    reel.pulse("stop_1", 0.5)
    reel.run(300)
    assert world.steps[-1] > reel.now_ns - 10e6


def test_a_button_that_was_held_before_the_spin_stops_nothing(reel: KindBench) -> None:
    world = wheel(reel)
    reel.put("stop_1", 1)
    reel.run(50)
    spun(reel)
    reel.ask(ArmCommand(1, 1))
    reel.run(300)
    assert world.steps[-1] > reel.now_ns - 10e6


def test_the_player_is_quicker_than_the_host(reel: KindBench) -> None:
    world = wheel(reel)
    spun(reel, steps_per_s=100, for_ms=3_000)
    reel.ask(StopCommand(1, (world.place + 150) % STEPS))
    reel.ask(ArmCommand(1, 1))
    reel.pulse("stop_1", 50, 20)
    reel.run(400)
    report = stand(reel)
    assert (report.button, report.step) == (1, world.place)
    spun(reel)
    assert reel.last(ReelReport).button == 0, "each spin begins anew"


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lost", "slips"), [(4, 0), (5, 0), (6, 1), (40, 1)])
def test_a_slip_of_more_than_half_a_symbol_counts_and_home_puts_it_right(
    reel: KindBench, lost: int, slips: int
) -> None:
    world = wheel(reel)
    spun(reel, for_ms=1_500)
    world.slips = lost
    reel.run(1_500)
    report = [report for report in reel.reports(ReelReport) if report.moving][-1]
    assert report.slips == slips
    reel.ask(StopCommand(1, 123))
    reel.run(2_000)
    assert stand(reel).step == world.place == 123


def test_two_turns_without_home_stop_the_reel(reel: KindBench) -> None:
    world = wheel(reel)
    world.blind = True
    reel.ask(SpinCommand(1, 400, 0))
    reel.run(1_500)
    report = stand(reel)
    assert (report.step, report.slips, report.why) == (UNKNOWN, 1, NO_HOME)
    assert 400 <= len(world.steps) <= 402
    reel.run(120)
    assert reel.last(StateReport).flags & Flag.FAULT
    assert reel.refused(SpinCommand(1, 400, 0)) == RefusalCode.HELD_SAFE
    reel.ask(SetCommand(1, 0, 0))
    reel.run(120)
    assert not reel.last(StateReport).flags & Flag.FAULT
    world.blind = False
    spun(reel)
    assert reel.last(ReelReport).step != UNKNOWN


def test_the_dead_man_stops_all_reels_and_their_places_are_not_known_any_more(reel: KindBench) -> None:
    worlds = [wheel(reel, number) for number in (1, 2, 3)]
    for number in (1, 2, 3):
        reel.ask(SpinCommand(number, 300, 0))
    reel.run(1_500)
    silent_ns = reel.now_ns
    reel.talks = False
    reel.run(800)
    for world in worlds:
        assert (world.steps[-1] - silent_ns) / 1e6 < 501
    assert {report.step for report in reel.reports(ReelReport)[-3:]} == {UNKNOWN}


def test_all_safe_stops_at_once(reel: KindBench) -> None:
    world = wheel(reel)
    spun(reel)
    reel.ask(AllSafeCommand())
    count = len(world.steps)
    reel.run(100)
    assert len(world.steps) == count
    assert stand(reel).step == UNKNOWN


def test_a_reel_whose_time_is_over_has_stopped_by_its_ramp(reel: KindBench) -> None:
    world = wheel(reel)
    reel.ask(SpinCommand(1, 400, 2_000))
    began_ns = reel.now_ns
    reel.run(2_100)
    assert 1_700e6 < world.steps[-1] - began_ns < 2_000e6
    assert stand(reel).step == world.place
    spun(reel)


def test_a_reel_set_to_0_stops(reel: KindBench) -> None:
    world = wheel(reel)
    spun(reel)
    reel.ask(SetCommand(1, 0, 0))
    count = len(world.steps)
    reel.run(100)
    assert len(world.steps) == count
    reel.ask(SpinCommand(1, 100, 0))


# --- tokens, supply ---------------------------------------------------------------------------------------------------


def test_tokens_count_and_survive(reel: KindBench) -> None:
    reel.ask(AcceptCommand(1))
    assert reel.output("accept") == 1
    for number in range(5):
        reel.pulse("token", 45, number * 100)
    reel.pulse("token", 10, 600)
    reel.run(800)
    assert reel.ask(CountsCommand()) == CountsAnswer(5, 0, 0, 0)
    with KindBench("reel", eeprom=reel.board.power_cut()) as later:
        assert later.ask(CountsCommand()) == CountsAnswer(5, 0, 0, 0)


def test_when_the_supply_fails_all_is_off_at_once(reel: KindBench) -> None:
    world = wheel(reel)
    reel.ask(AcceptCommand(1))
    spun(reel)
    failed_ns = reel.now_ns
    reel.put("power_fail", 1)
    reel.run(50)
    assert world.steps[-1] - failed_ns < 1e6
    assert reel.output("accept") == 0
    assert reel.refused(SpinCommand(1, 100, 0)) == RefusalCode.NOT_SAFE
    assert reel.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE
    reel.put("power_fail", 0)
    reel.run(110)
    spun(reel)


# --- lamps ------------------------------------------------------------------------------------------------------------


def lit(*numbers: int) -> bytes:
    return sum(1 << (number - 1) for number in numbers).to_bytes(8, "little")


def test_lamps_are_lit_and_read_back_while_reels_turn(reel: KindBench) -> None:
    wheel(reel)
    spun(reel)
    reel.ask(LampsCommand(lit(1, 8, 9, 16)))
    reel.run(30)
    assert reel.board.chain_out & 0xFFFF == 0b1000_0001_1000_0001
    assert reel.last(LampsReport) == LampsReport(lit(1, 8, 9, 16, *CONTROL_OF_REEL_1), lit(), lit())


CONTROL_OF_REEL_1 = (21, 22, 23)
"""Reel 1 turns: the drivers of 2 and 3 are disabled, the sensors are fed."""


def test_a_lamp_that_the_chain_has_not_is_refused(reel: KindBench) -> None:
    assert reel.refused(LampsCommand(lit(17))) == RefusalCode.WRONG_VALUE
