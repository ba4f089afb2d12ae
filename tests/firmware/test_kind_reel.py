"""The reel board, its own binary on the emulated chip: ramps, home, skill stop, slips, tokens, lamps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import sqrt

import pytest

from hal.board.messages import (
    KINDS,
    AcceptCommand,
    AllSafeCommand,
    ArmCommand,
    CountsAnswer,
    CountsCommand,
    Flag,
    LampsCommand,
    LampsReport,
    ReelCommand,
    ReelReport,
    RefusalCode,
    SetCommand,
    SpinCommand,
    StateReport,
    StopCommand,
)
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import STEPS, LampChain, Reel

UNKNOWN = 65_535
AT_ONCE = 65_535
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


def wheel(bench: KindBench, number: int = 1, *, place: int = 57) -> Reel:
    world = Reel(number, place=place)
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
    "wrong", [SpinCommand(0, 200, 0), SpinCommand(4, 200, 0), SpinCommand(1, 61, 0), SpinCommand(1, 401, 0)]
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


@pytest.mark.parametrize("step", [0, 1, 2, 3, 50, 120, 198, 199])
@pytest.mark.parametrize("speed", [62, 150, 400])
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


def test_a_stop_at_once_brakes_by_the_ramp(reel: KindBench) -> None:
    world = wheel(reel)
    spun(reel, steps_per_s=400)
    before = len(world.steps)
    reel.ask(StopCommand(1, AT_ONCE))
    reel.run(400)
    assert 39 <= len(world.steps) - before <= 42
    assert stand(reel).step == world.place


@pytest.mark.parametrize("wrong", [StopCommand(0, 5), StopCommand(4, 5), StopCommand(1, 200), StopCommand(1, 65_534)])
def test_a_stop_that_cannot_be_is_refused(reel: KindBench, wrong: StopCommand) -> None:
    assert reel.refused(wrong) == RefusalCode.WRONG_VALUE


def test_a_stop_of_a_reel_that_stands_is_nothing(reel: KindBench) -> None:
    reel.ask(StopCommand(1, 5))
    reel.ask(StopCommand(1, AT_ONCE))


# --- skill stop -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "ramp_ms"), [(100, 25), (267, 120), (400, 190)])
@pytest.mark.parametrize("host", ["talks", "is silent"])
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


@pytest.mark.parametrize("phase_ms", [0.0, 6.3, 13.7, 21.1, 28.9, 34.4, 43.1])
@pytest.mark.parametrize(("symbols", "speed"), [(20, 267), (22, 267), (25, 400), (13, 100)])
def test_wherever_the_button_is_pressed_the_reel_stands_at_a_symbol_within_the_slip_window(
    reel: KindBench, phase_ms: float, symbols: int, speed: int
) -> None:
    world = wheel(reel)
    reel.ask(ReelCommand(1, symbols, 500, 7))
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
    reel.ask(ReelCommand(1, 20, 1_000, 6))
    reel.ask(SpinCommand(1, 400, 0))
    reel.ask(ArmCommand(1, 1))
    reel.run(pressed_ms)
    reel.pulse("stop_1", 60)
    reel.run(400)
    assert (world.steps[-1] < reel.now_ns - 100e6) == stops


def test_a_speed_that_overruns_the_slip_window_is_refused(reel: KindBench) -> None:
    reel.ask(ReelCommand(1, 20, 500, 4))
    assert reel.refused(SpinCommand(1, 400, 0)) == RefusalCode.WRONG_VALUE
    reel.ask(SpinCommand(1, 267, 0))
    assert reel.refused(ReelCommand(1, 20, 500, 6)) == RefusalCode.BUSY


@pytest.mark.parametrize(
    "wrong",
    [
        ReelCommand(0, 20, 0, 6),
        ReelCommand(4, 20, 0, 6),
        ReelCommand(1, 0, 0, 6),
        ReelCommand(1, 101, 0, 6),
        ReelCommand(1, 20, 0, 0),
        ReelCommand(1, 20, 0, 21),
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
    assert (report.step, report.slips) == (UNKNOWN, 1)
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


def lamps(bench: KindBench) -> LampChain:
    world = LampChain(dict(KINDS["reel"].lamp_pins), KINDS["reel"].lamps)
    bench.worlds.append(world)
    return world


def lit(*numbers: int) -> bytes:
    return sum(1 << (number - 1) for number in numbers).to_bytes(8, "little")


def test_lamps_are_lit_and_read_back_while_reels_turn(reel: KindBench) -> None:
    chain = lamps(reel)
    wheel(reel)
    spun(reel)
    reel.ask(LampsCommand(lit(1, 8, 9, 16)))
    reel.run(30)
    assert [number for number, on in enumerate(chain.lamps, start=1) if on] == [1, 8, 9, 16]
    assert reel.last(LampsReport) == LampsReport(lit(1, 8, 9, 16), lit(), lit())


def test_a_lamp_that_the_chain_has_not_is_refused(reel: KindBench) -> None:
    assert reel.refused(LampsCommand(lit(17))) == RefusalCode.WRONG_VALUE
