"""The pusher board, its own binary on the emulated chip: tokens, the win chute, tilt, the shelf's motor, the hopper."""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterator
from itertools import pairwise

import pytest

from drivers.base.driver import Observation, SensorHealth
from drivers.base.token_pulses import PulseNotCounted, TokenPulses
from hal.board.messages import (
    KINDS,
    AcceptCommand,
    AcceptorCommand,
    AllSafeCommand,
    CoinReport,
    CountsAnswer,
    CountsCommand,
    CountsReport,
    Flag,
    HopperCommand,
    HopperReport,
    MotorCommand,
    MotorLimitCommand,
    MotorReport,
    PayCommand,
    RefusalCode,
    SensorsReport,
    SetCommand,
    StateReport,
    TestCommand,
    WatchCommand,
)
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import Hopper, Shaft

MOTOR, HOPPER, ACCEPT, ALARM = 1, 2, 3, 4
TOLD, LONGEST, HOME, STALL, DEADMAN, INTERLOCK, OVERLOAD = range(7)
IDLE, PAYING, EMPTY, RUNAWAY, UNPROVEN, CUT_SHORT, JAMMED = range(7)
HOPPER_BACK, HOPPER_CURRENT, HOPPER_ERROR = (
    dict(KINDS["pusher"].hopper_pins)[wire] for wire in ("back", "current", "error")
)
MOTOR_CURRENT = KINDS["pusher"].motor_current_pin
HOLD_UP_MS = 300
"""What supply.h asks of the supply."""
READY_MS = 300
"""A new board's store has its first bank by then."""


@pytest.fixture
def pusher() -> Iterator[KindBench]:
    with KindBench("pusher") as bench:
        bench.run(READY_MS)
        bench.reported.clear()
        yield bench


def counts(bench: KindBench) -> tuple[int, int, int, int]:
    """Tokens in, paid out, won, tilts: as kept."""
    answer = bench.ask(CountsCommand())
    assert isinstance(answer, CountsAnswer)
    return answer.first, answer.second, answer.third, answer.fourth


def fault(bench: KindBench) -> bool:
    bench.run(120)
    return bool(bench.last(StateReport).flags & Flag.FAULT)


# --- tokens -----------------------------------------------------------------------------------------------------------


def doubted(width_ms: float, pulse_ms: int = 0) -> bool:
    """Whether the service takes a pulse for one that the board does not count, and a token may be in."""
    pulses, found = TokenPulses("token_in", pulse_ms, 5_000_000_000), list[Observation]()
    for level, t_ms in ((0, 0.0), (1, 100.0), (0, 103.0), (1, 104.0), (0, 104.0 + width_ms)):
        pulses.due(round(t_ms * 1e6) - 1, SensorHealth(), found)
        pulses.edge(level, round(t_ms * 1e6))
    pulses.due(2_000_000_000, SensorHealth(), found)
    return [type(one) for one in found] == [PulseNotCounted]


@pytest.mark.parametrize("width_ms", [20.1, 25, 45, 65, 100, 120, 200, 249.9])
def test_a_pulse_of_a_token_counts(pusher: KindBench, width_ms: float) -> None:
    pusher.pulse("token", width_ms)
    pusher.run(width_ms + 30)
    assert counts(pusher) == (1, 0, 0, 0)
    assert [report.first for report in pusher.reports(CountsReport)] == [1], "told when it is kept"
    assert not doubted(width_ms)


@pytest.mark.parametrize("width_ms", [0.01, 1, 4, 6, 15, 19.9, 250.1, 400])
def test_a_pulse_of_a_wrong_width_counts_as_none(pusher: KindBench, width_ms: float) -> None:
    pusher.pulse("token", width_ms)
    pusher.run(width_ms + 30)
    assert counts(pusher) == (0, 0, 0, 0)
    assert not pusher.reports(CountsReport)
    assert doubted(width_ms) == (width_ms > 20), "shorter is noise"


@pytest.mark.parametrize("width_ms", [25, 45, 65, 100, 200, 350, 500])
def test_pulses_of_a_known_width_count_within_a_fifth_of_it(pusher: KindBench, width_ms: int) -> None:
    pusher.ask(AcceptorCommand(width_ms, 0))
    least_ms, most_ms = max(20, 0.8 * width_ms), 1.2 * width_ms
    expected = 0
    for pulse_ms, good in ((least_ms - 0.2, 0), (least_ms + 0.2, 1), (most_ms - 0.2, 1), (most_ms + 0.2, 0)):
        pusher.pulse("token", pulse_ms)
        pusher.run(pulse_ms + 30)
        expected += good
        assert counts(pusher)[0] == expected, pulse_ms
        assert doubted(pulse_ms, width_ms) == (not good and pulse_ms >= 20), pulse_ms


def test_the_pulses_of_a_train_are_one_coin_of_their_number_and_each_is_counted(pusher: KindBench) -> None:
    pusher.ask(AcceptorCommand(45, 150))
    for pulses in (1, 5, 2, 20):
        for number in range(pulses):
            pusher.pulse("token", 45, number * 100)
        pusher.run(pulses * 100 + 400)
    assert pusher.reports(CoinReport) == [
        CoinReport(number, pulses) for number, pulses in enumerate((1, 5, 2, 20), start=1)
    ]
    assert counts(pusher)[0] == 28


def test_what_an_acceptor_cannot_be_is_refused_and_a_new_session_begins_with_the_usual(pusher: KindBench) -> None:
    for wrong in (AcceptorCommand(24, 0), AcceptorCommand(501, 0), AcceptorCommand(45, 19), AcceptorCommand(45, 1_001)):
        assert pusher.refused(wrong) == RefusalCode.WRONG_VALUE
    pusher.ask(AcceptorCommand(500, 0))
    pusher.open(2)
    pusher.pulse("token", 45)
    pusher.run(100)
    assert counts(pusher)[0] == 1
    assert pusher.reports(CoinReport) == []


def test_a_contact_that_bounces_makes_one_token(pusher: KindBench) -> None:
    for at_ms in (0, 1, 2.5, 52, 53.5):
        pusher.pulse("token", 0.5, at_ms)
    pusher.pulse("token", 45, 4)
    pusher.pulse("token", 3, 48)
    pusher.run(100)
    assert counts(pusher) == (1, 0, 0, 0)


def test_tokens_one_after_the_other_all_count(pusher: KindBench) -> None:
    for number in range(100):
        pusher.pulse("token", 25, number * 35)
    pusher.run(100 * 35 + 50)
    assert counts(pusher) == (100, 0, 0, 0)


def test_a_token_that_was_on_its_way_counts_though_the_acceptor_was_inhibited(pusher: KindBench) -> None:
    pusher.ask(AcceptCommand(1))
    pusher.pulse("token", 50)
    pusher.run(10)
    pusher.ask(AcceptCommand(0))
    pusher.run(80)
    assert counts(pusher) == (1, 0, 0, 0)


def test_a_line_of_tokens_that_is_held_is_a_fault_until_it_is_let_go(pusher: KindBench) -> None:
    pusher.put("token", 1)
    pusher.run(400)
    assert fault(pusher)
    pusher.put("token", 0)
    assert not fault(pusher)
    assert counts(pusher) == (0, 0, 0, 0)


def test_the_acceptor_takes_tokens_only_when_told(pusher: KindBench) -> None:
    assert pusher.output("accept") == 0
    pusher.ask(AcceptCommand(1))
    assert pusher.output("accept") == 1
    pusher.ask(AcceptCommand(0))
    assert pusher.output("accept") == 0
    assert pusher.refused(AcceptCommand(2)) == RefusalCode.WRONG_VALUE


# --- the win chute ----------------------------------------------------------------------------------------------------


def passage(
    bench: KindBench, first: str, second: str, at_ms: float = 0, *, lag_ms: float = 8, dark_ms: float = 20
) -> None:
    """A token darkens one beam, both, the other, none."""
    bench.pulse(first, dark_ms, at_ms)
    bench.pulse(second, dark_ms, at_ms + lag_ms)


def test_a_token_that_falls_through_the_chute_is_won(pusher: KindBench) -> None:
    for number in range(5):
        passage(pusher, "win_a", "win_b", number * 60)
    pusher.run(400)
    assert counts(pusher) == (0, 0, 5, 0)


def test_a_token_that_goes_backwards_is_nothing(pusher: KindBench) -> None:
    passage(pusher, "win_b", "win_a")
    pusher.run(100)
    assert counts(pusher) == (0, 0, 0, 0)


def test_only_one_beam_is_nothing(pusher: KindBench) -> None:
    pusher.pulse("win_a", 20)
    pusher.pulse("win_b", 20, 50)
    pusher.run(150)
    assert counts(pusher) == (0, 0, 0, 0)


def test_a_token_that_goes_half_way_and_back_is_nothing(pusher: KindBench) -> None:
    pusher.pulse("win_a", 40)
    pusher.pulse("win_b", 20, 10)
    pusher.run(100)
    assert counts(pusher) == (0, 0, 0, 0)


def test_beams_that_change_at_one_time_prove_no_direction(pusher: KindBench) -> None:
    for beam in ("win_a", "win_b"):
        pusher.pulse(beam, 20)
    pusher.run(100)
    assert counts(pusher) == (0, 0, 0, 0)


def test_a_chute_that_stays_dark_is_a_fault_and_the_token_still_counts_when_it_comes(pusher: KindBench) -> None:
    pusher.put("win_a", 1)
    pusher.put("win_b", 1, 5)
    pusher.run(3_200)
    assert fault(pusher)
    pusher.put("win_a", 0)
    pusher.put("win_b", 0, 5)
    assert not fault(pusher)
    assert counts(pusher) == (0, 0, 1, 0)


@pytest.mark.parametrize("begins", ["a session", "watching"])
@pytest.mark.parametrize("after_ms", [-1, 0, 1, 3, 7, 8, 9, 15, 19.8, 20.2, 27.9, 28.1])
def test_what_passes_while_the_host_begins_something_is_counted(
    pusher: KindBench, begins: str, after_ms: float
) -> None:
    passage(pusher, "win_a", "win_b", 2)
    pusher.pulse("token", 21, 5)
    pusher.run(2 + after_ms)
    if begins == "a session":
        pusher.open(2)
    else:
        pusher.ask(WatchCommand(0xFF, 0xFF))
    pusher.run(60)
    assert counts(pusher) == (1, 0, 1, 0)


# --- tilt -------------------------------------------------------------------------------------------------------------


def test_a_tilt_counts_once_however_the_bob_swings(pusher: KindBench) -> None:
    for swing in range(6):
        pusher.pulse("tilt", 10, swing * 300)
    pusher.run(2_000)
    assert counts(pusher) == (0, 0, 0, 1)
    pusher.run(3_100)
    pusher.pulse("tilt", 10)
    pusher.run(50)
    assert counts(pusher) == (0, 0, 0, 2)


def test_a_spike_is_no_tilt(pusher: KindBench) -> None:
    pusher.pulse("tilt", 1)
    pusher.run(50)
    assert counts(pusher) == (0, 0, 0, 0)


def test_a_tilt_inhibits_tokens_and_the_shelf_until_the_host_wants_them_again(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    pusher.ask(AcceptCommand(1))
    pusher.ask(MotorCommand(100, 0, 0))
    pusher.run(300)
    pusher.pulse("tilt", 30)
    pusher.run(10)
    assert pusher.output("accept") == 0
    assert pusher.output("motor") == 0
    assert pusher.last(MotorReport).why == INTERLOCK
    assert pusher.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE
    assert pusher.refused(MotorCommand(100, 0, 0)) == RefusalCode.NOT_SAFE
    assert pusher.refused(SetCommand(MOTOR, 255, 0)) == RefusalCode.NOT_SAFE
    assert pusher.refused(SetCommand(ACCEPT, 255, 0)) == RefusalCode.NOT_SAFE
    pusher.run(3_200)
    assert pusher.output("accept") == 0, "it does not begin again by itself"
    pusher.ask(AcceptCommand(1))
    pusher.ask(MotorCommand(100, 0, 0))
    assert pusher.output("motor") > 0


# --- the shelf's motor ------------------------------------------------------------------------------------------------


def test_the_motor_turns_and_tells_how_far(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    pusher.ask(MotorCommand(127, 0, 0))
    assert pusher.output("motor") == 1
    pusher.run(1_000)
    reports = pusher.reports(MotorReport)
    assert 9 <= len(reports) <= 12, "about every 100 ms"
    assert reports[-1].speed == 127
    assert 17 <= reports[-1].pulses <= 20
    pusher.ask(MotorCommand(0, 0, 0))
    pusher.run(20)
    assert pusher.output("motor") == 0
    assert (pusher.last(MotorReport).speed, reports[-1].why) == (0, TOLD)


def test_the_motor_goes_as_fast_as_told(pusher: KindBench) -> None:
    pusher.ask(MotorCommand(63, 0, 0))
    assert pusher.output("motor") == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("start", [MotorCommand(80, 0, 0), SetCommand(MOTOR, 161, 0)])
def test_a_motor_that_does_not_turn_is_stopped_and_says_why(
    pusher: KindBench, start: MotorCommand | SetCommand
) -> None:
    pusher.ask(start)
    began_ns = pusher.now_ns
    pusher.output_changes("motor")
    pusher.run(600)
    stopped = [change for change in pusher.output_changes("motor") if change.level == 0]
    assert 395 <= (stopped[0].t_ns - began_ns) / 1e6 <= 410
    report = pusher.last(MotorReport)
    assert (report.speed, report.why) == (0, STALL)
    assert fault(pusher)
    assert pusher.refused(start) == RefusalCode.HELD_SAFE
    pusher.ask(MotorCommand(0, 0, 0))
    assert not fault(pusher)
    pusher.ask(start)


def test_a_motor_that_gets_stuck_on_its_way_is_stopped(pusher: KindBench) -> None:
    shaft = Shaft("motor", "shaft", period_ms=50)
    pusher.worlds.append(shaft)
    pusher.ask(MotorCommand(80, 0, 0))
    pusher.run(1_000)
    shaft.stuck = True
    pusher.run(460)
    assert pusher.output("motor") == 0
    assert pusher.last(MotorReport).why == STALL


def test_a_blocked_shelf_rings_the_alarm_until_it_is_reset_by_hand(pusher: KindBench) -> None:
    pusher.ask(MotorCommand(80, 0, 0))
    assert pusher.output("alarm") == 0
    pusher.run(600)
    assert (pusher.output("motor"), pusher.output("alarm")) == (0, 1)
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    pusher.run(5_000)
    assert (pusher.output("motor"), pusher.output("alarm")) == (0, 1), (
        "it waits for a person, also where it is free again"
    )
    pusher.ask(MotorCommand(0, 0, 0))
    pusher.run(20)
    assert pusher.output("alarm") == 0
    pusher.ask(MotorCommand(80, 0, 0))
    pusher.run(1_000)
    assert (pusher.output("motor") > 0, pusher.output("alarm")) == (True, 0)


def test_an_alarm_that_the_host_wants_stays_when_the_shelf_is_reset(pusher: KindBench) -> None:
    pusher.ask(SetCommand(ALARM, 255, 0))
    pusher.ask(MotorCommand(80, 0, 0))
    pusher.run(600)
    pusher.ask(MotorCommand(0, 0, 0))
    pusher.run(20)
    assert pusher.output("alarm") == 1
    pusher.ask(MotorCommand(80, 0, 0))
    pusher.ask(SetCommand(ALARM, 0, 0))
    pusher.run(600)
    assert pusher.output("alarm") == 1
    pusher.ask(SetCommand(ALARM, 255, 0))
    pusher.ask(MotorCommand(0, 0, 0))
    pusher.run(20)
    assert pusher.output("alarm") == 1, "the host has taken it over"


def test_an_alarm_of_the_shelf_ends_with_the_dead_man_and_the_shelf_stays_held(pusher: KindBench) -> None:
    pusher.ask(MotorCommand(80, 0, 0))
    pusher.run(600)
    pusher.talks = False
    pusher.run(600)
    assert pusher.output("alarm") == 0
    pusher.talks = True
    pusher.ask(AllSafeCommand())
    assert pusher.refused(MotorCommand(80, 0, 0)) == RefusalCode.HELD_SAFE
    assert fault(pusher)


LIMIT = 72
"""3.5 A over 0.1 Ω, of 1023 at 5 V."""


def draws(bench: KindBench, reading: float, in_ms: float = 0) -> None:
    """The mean voltage of the shelf's shunt, as the converter reads it."""
    bench.board.supply(MOTOR_CURRENT, (reading + 0.5) / 1024, bench.now_ns + round(in_ms * 1e6))


@pytest.mark.parametrize(("speed", "reading"), [(127, 73), (127, 1023), (63, 37), (20, 19)])
def test_a_shelf_that_draws_too_much_is_switched_off_in_time_and_says_why(
    pusher: KindBench, speed: int, reading: int
) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    pusher.ask(MotorLimitCommand(LIMIT))
    pusher.ask(MotorCommand(speed, 0, 0))
    pusher.run(700)
    assert pusher.output("motor") > 0
    pusher.output_changes("motor")
    draws(pusher, reading)
    began_ns = pusher.now_ns
    pusher.run(300)
    stopped = [change for change in pusher.output_changes("motor") if change.level == 0]
    assert 198 <= (stopped[0].t_ns - began_ns) / 1e6 <= 210
    assert pusher.output("alarm") == 1
    report = pusher.last(MotorReport)
    assert (report.speed, report.why) == (0, OVERLOAD)
    assert fault(pusher)
    assert pusher.refused(MotorCommand(speed, 0, 0)) == RefusalCode.HELD_SAFE
    draws(pusher, 0)
    pusher.ask(MotorCommand(0, 0, 0))
    assert not fault(pusher)
    pusher.ask(MotorCommand(speed, 0, 0))
    pusher.run(500)
    assert pusher.output("motor") > 0


@pytest.mark.parametrize(("speed", "reading"), [(127, 72), (63, 34), (5, 17)])
def test_a_shelf_within_its_limit_goes_on(pusher: KindBench, speed: int, reading: int) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    draws(pusher, reading)
    pusher.ask(MotorLimitCommand(LIMIT))
    pusher.ask(MotorCommand(speed, 0, 0))
    pusher.run(2_000)
    assert pusher.output("motor") > 0


def test_the_current_of_a_start_stops_no_shelf(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    pusher.ask(MotorLimitCommand(LIMIT))
    draws(pusher, 200)
    for each in range(10):
        draws(pusher, 0, 180 + each * 200)
        draws(pusher, 200, 200 + each * 200)
    draws(pusher, 0, 2_180)
    pusher.ask(MotorCommand(127, 0, 0))
    pusher.run(2_500)
    assert pusher.output("motor") == 1


def test_no_current_is_looked_at_without_a_limit_or_after_a_new_session(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    draws(pusher, 1023)
    pusher.ask(MotorCommand(127, 0, 0))
    pusher.run(500)
    assert pusher.output("motor") == 1
    assert pusher.refused(MotorLimitCommand(1_023)) == RefusalCode.WRONG_VALUE
    pusher.ask(MotorLimitCommand(LIMIT))
    pusher.open(2)
    pusher.ask(MotorCommand(127, 0, 0))
    pusher.run(500)
    assert pusher.output("motor") == 1


@pytest.mark.parametrize("over", ["shelf", "hopper"])
def test_shelf_and_hopper_are_measured_in_turns_and_only_the_one_that_draws_too_much_stops(
    pusher: KindBench, over: str
) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    hopper(pusher)
    pusher.ask(MotorLimitCommand(LIMIT))
    pusher.ask(HopperCommand(143, 0, 500, 0))
    pusher.ask(MotorCommand(127, 0, 0))
    pusher.ask(PayCommand(1, 50))
    pusher.run(1_000)
    assert (pusher.output("motor"), pusher.output("hopper")) == (1, 1)
    if over == "shelf":
        draws(pusher, 90)
    else:
        pusher.board.supply(HOPPER_CURRENT, 0.6)
    pusher.run(260)
    assert (pusher.output("motor"), pusher.output("hopper")) == ((0, 1) if over == "shelf" else (1, 0))


def test_the_motor_stops_at_home_when_asked_to(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50, home="home", pulses_a_turn=10))
    pusher.ask(MotorCommand(80, 0, 1))
    pusher.run(1_000)
    report = pusher.last(MotorReport)
    assert (report.speed, report.why, report.turns) == (0, HOME, 1)
    pusher.ask(MotorCommand(80, 0, 1))
    pusher.run(1_000)
    assert pusher.last(MotorReport).turns == 2, "from home it turns once round"


def test_the_motor_stops_when_its_time_is_over(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    pusher.ask(MotorCommand(80, 300, 0))
    pusher.run(320)
    assert pusher.output("motor") == 0
    assert pusher.last(MotorReport).why == LONGEST
    pusher.ask(MotorCommand(80, 300, 0))


def test_the_motor_stops_with_the_dead_man(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    pusher.ask(MotorCommand(80, 0, 0))
    pusher.talks = False
    pusher.run(505)
    assert pusher.output("motor") == 0
    assert pusher.last(MotorReport).why == DEADMAN


def test_a_pusher_has_no_way_back(pusher: KindBench) -> None:
    assert pusher.refused(MotorCommand(-1, 0, 0)) == RefusalCode.WRONG_VALUE
    assert pusher.refused(MotorCommand(-128, 0, 0)) == RefusalCode.WRONG_VALUE
    assert pusher.refused(MotorCommand(5, 0, 2)) == RefusalCode.WRONG_VALUE


# --- the hopper -------------------------------------------------------------------------------------------------------


def hopper(bench: KindBench, tokens: int = 1_000, period_ms: float = 140) -> Hopper:
    world = Hopper("hopper", "hopper_coin", tokens=tokens, period_ms=period_ms)
    bench.worlds.append(world)
    return world


def stand(bench: KindBench) -> tuple[int, int, int, int, int]:
    """How the last payout stands, by the last report: its number, asked, seen, at most, and the state."""
    report = bench.last(HopperReport)
    return report.payout, report.asked, report.seen, report.at_most, report.state


def ran_ms(bench: KindBench) -> float:
    """For how long the hopper's motor was on in all, since the changes were forgotten."""
    ran = since = 0
    for change in bench.output_changes("hopper"):
        if change.level:
            since = change.t_ns
        elif since:
            ran, since = ran + change.t_ns - since, 0
    return ran / 1e6


def test_a_payout_pays_what_was_asked_and_tells_each_token(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 7))
    pusher.run(2_000)
    assert world.paid == 7
    assert counts(pusher) == (0, 7, 0, 0)
    reports = pusher.reports(HopperReport)
    assert {(report.payout, report.asked, report.error) for report in reports} == {(30, 7, 0)}
    stands = list(dict.fromkeys((report.seen, report.at_most, report.state) for report in reports))
    assert stands == [*((seen, seen, PAYING) for seen in range(7)), (7, 7, IDLE)]


def test_a_payout_is_kept_before_its_motor_starts(pusher: KindBench) -> None:
    pusher.ask(PayCommand(0x3039, 7))
    while pusher.output("hopper") == 0:
        pusher.run(0.5)
    assert bytes((0x39, 0x30, 7)) in pusher.board.eeprom


def test_a_repeated_payout_is_not_paid_again(pusher: KindBench) -> None:
    world = hopper(pusher)
    for wait_ms in (200, 2_000, 2_000):
        pusher.ask(PayCommand(30, 3))
        pusher.run(wait_ms)
    assert world.paid == 3
    assert stand(pusher) == (30, 3, 3, 3, IDLE)


@pytest.mark.parametrize("wrong", [PayCommand(30, 4), PayCommand(29, 3), PayCommand(31, 0), PayCommand(0, 3)])
def test_a_payout_that_cannot_be_meant_is_refused(pusher: KindBench, wrong: PayCommand) -> None:
    """Another count under the same number, a number of former times, no tokens, no number."""
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 3))
    pusher.run(2_000)
    assert pusher.refused(wrong) == RefusalCode.WRONG_VALUE
    pusher.run(1_000)
    assert world.paid == 3


def test_numbers_of_payouts_begin_again_after_the_highest(pusher: KindBench) -> None:
    world = hopper(pusher, period_ms=60)
    for number in (65_534, 65_535, 1):
        pusher.ask(PayCommand(number, 1))
        pusher.run(500)
    assert world.paid == 3


def test_another_payout_waits_for_the_one_before(pusher: KindBench) -> None:
    hopper(pusher)
    pusher.ask(PayCommand(30, 3))
    assert pusher.refused(PayCommand(31, 3)) == RefusalCode.BUSY
    pusher.run(2_000)
    pusher.ask(PayCommand(31, 3))


def test_an_empty_hopper_is_told_with_what_was_paid_and_pays_the_rest_under_a_new_number_only(
    pusher: KindBench,
) -> None:
    world = hopper(pusher, tokens=2)
    pusher.ask(PayCommand(30, 5))
    pusher.run(2_500)
    assert pusher.output("hopper") == 0
    assert stand(pusher) == (30, 5, 2, 2, EMPTY), "its sensor is proven, so no more than it saw were paid"
    assert fault(pusher)
    world.tokens = 100
    pusher.ask(PayCommand(30, 5))
    pusher.run(2_000)
    assert world.paid == 2, "the same number is not carried out again"
    pusher.ask(PayCommand(31, 3))
    pusher.run(2_000)
    assert world.paid == 5
    assert stand(pusher) == (31, 3, 3, 3, IDLE)
    assert not fault(pusher)


@pytest.mark.parametrize("token_ms", [None, 60, 143, 500])
def test_how_long_the_motor_runs_without_a_token_follows_from_the_hoppers_speed(
    pusher: KindBench, token_ms: int | None
) -> None:
    if token_ms:
        pusher.ask(HopperCommand(token_ms, 0, 0, 0))
    pusher.changes.clear()
    pusher.ask(PayCommand(30, 5))
    pusher.run(4_000)
    assert ran_ms(pusher) == pytest.approx(500 + 4 * (token_ms or 143), abs=5)
    assert stand(pusher) == (30, 5, 0, 0, EMPTY)


def test_a_hopper_that_gets_empty_stops_within_four_tokens_time(pusher: KindBench) -> None:
    hopper(pusher, tokens=3, period_ms=143)
    pusher.ask(PayCommand(30, 5))
    pusher.run(3_000)
    last_ns = max(t_ns for report, t_ns in pusher.reports_at(HopperReport) if report.state == PAYING)
    off_ns = next(change.t_ns for change in pusher.output_changes("hopper")[::-1] if change.level == 0)
    assert (off_ns - last_ns) / 1e6 < 4 * 143 + 10


def test_with_the_sensors_wire_cut_nothing_is_paid_at_all(pusher: KindBench) -> None:
    """The hopper would pay 20 tokens in 3 s."""
    world = hopper(pusher)
    pusher.cut("hopper_coin")
    pusher.run(20)
    pusher.changes.clear()
    pusher.ask(PayCommand(30, 20))
    pusher.run(4_000)
    assert (world.paid, ran_ms(pusher)) == (0, 0)
    assert stand(pusher) == (30, 20, 0, 0, UNPROVEN)
    assert pusher.last(SensorsReport).dark == 1 << 5
    pusher.ask(PayCommand(30, 20))
    pusher.run(1_000)
    assert world.paid == 0
    assert fault(pusher)


@pytest.mark.parametrize("after_ms", [200, 380, 520, 660])
def test_a_wire_that_is_cut_in_a_payout_stops_it_and_bounds_what_was_paid(pusher: KindBench, after_ms: int) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 20))
    pusher.run(after_ms)
    while pusher.now_ns <= world.clear_ns:
        pusher.run(1)
    world.seen = False
    pusher.cut("hopper_coin")
    pusher.run(3_000)
    number, asked, seen, at_most, state = stand(pusher)
    assert (number, asked, state) == (30, 20, UNPROVEN)
    assert seen - 1 <= world.paid <= at_most <= seen + 4, "the cut itself may look like one token, and was perhaps one"
    assert world.paid <= after_ms / 140 + 2
    assert fault(pusher)
    paid = world.paid
    pusher.ask(PayCommand(30, 20))
    pusher.run(2_000)
    assert world.paid == paid, "what may have been paid is not paid again"


@pytest.mark.parametrize("tokens", [0, 1, 3])
def test_a_sensor_that_is_shorted_in_a_payout_stops_it_and_bounds_what_was_paid(pusher: KindBench, tokens: int) -> None:
    """Its line says rest, whatever passes: tokens of the jam's time can go by, and the test afterwards finds it."""
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 20))
    while world.paid < tokens:
        pusher.run(5)
    pusher.run(60)
    world.seen = False
    pusher.short("hopper_coin")
    pusher.run(4_000)
    number, asked, seen, at_most, state = stand(pusher)
    assert (number, asked, seen, state) == (30, 20, tokens, UNPROVEN)
    assert tokens < world.paid <= at_most <= tokens + 13
    assert pusher.last(SensorsReport).shorted == 1 << 5
    assert fault(pusher)


def test_a_shorted_sensor_pays_nothing_at_all(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.short("hopper_coin")
    pusher.ask(PayCommand(30, 5))
    pusher.run(2_000)
    assert world.paid == 0
    assert stand(pusher) == (30, 5, 0, 0, UNPROVEN)
    pusher.mend("hopper_coin")
    pusher.ask(PayCommand(31, 5))
    pusher.run(2_000)
    assert world.paid == 5
    assert not fault(pusher)


def test_tokens_that_come_unasked_are_counted_and_told(pusher: KindBench) -> None:
    for number in range(3):
        pusher.pulse("hopper_coin", 30, 200 * number)
    pusher.run(700)
    assert counts(pusher) == (0, 3, 0, 0)
    assert pusher.last(HopperReport).state == RUNAWAY
    assert fault(pusher)
    assert pusher.refused(PayCommand(1, 1)) == RefusalCode.NOT_SAFE
    pusher.ask(AllSafeCommand())
    assert fault(pusher), "only who looks at the hopper says that it is well"
    pusher.ask(SetCommand(HOPPER, 0, 0))
    assert not fault(pusher)
    pusher.ask(PayCommand(1, 1))


def test_a_token_that_falls_after_the_motor_is_off_is_counted_and_no_runaway(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 2))
    while world.paid < 2:
        pusher.run(10)
    pusher.run(100)
    pusher.pulse("hopper_coin", 30)
    pusher.run(100)
    assert stand(pusher) == (30, 2, 3, 3, IDLE)
    assert counts(pusher) == (0, 3, 0, 0)


def test_a_payout_longer_than_the_hoppers_longest_time(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 255))
    pusher.run(255 * 140 + 500)
    assert world.paid == 255
    assert counts(pusher) == (0, 255, 0, 0)


def test_the_hopper_turns_for_a_payout_only(pusher: KindBench) -> None:
    assert pusher.refused(SetCommand(HOPPER, 255, 100)) == RefusalCode.WRONG_VALUE


def test_a_payout_that_the_dead_man_ends_is_cut_short_and_never_goes_on(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 9))
    pusher.run(300)
    pusher.talks = False
    pusher.run(1_300)
    assert pusher.output("hopper") == 0
    paid = world.paid
    assert 0 < paid < 9
    pusher.talks = True
    assert stand(pusher) == (30, 9, paid, paid, CUT_SHORT), "its sensor was proven after it: the count is exact"
    assert pusher.refused(PayCommand(30, 9)) == RefusalCode.SILENT
    pusher.ask(AllSafeCommand())
    pusher.ask(PayCommand(30, 9))
    pusher.run(2_000)
    assert world.paid == paid
    pusher.ask(PayCommand(31, 9 - paid))
    pusher.run(2_000)
    assert world.paid == 9


def test_after_a_reset_a_payout_that_was_under_way_is_a_fault_with_both_counts(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 6))
    pusher.run(500)
    pusher.reset()
    pusher.run(50)
    pusher.open(2)
    pusher.run(50)
    paid = world.paid
    assert 0 < paid < 6
    assert stand(pusher) == (30, 6, paid, paid + 2, CUT_SHORT)
    assert fault(pusher)
    pusher.ask(PayCommand(30, 6))
    pusher.run(2_000)
    assert world.paid == paid, "not by itself, and not by the same number"
    pusher.ask(SetCommand(HOPPER, 0, 0))
    assert not fault(pusher), "a person has seen to it"
    pusher.ask(PayCommand(31, 6 - paid))
    pusher.run(2_000)
    assert world.paid == 6
    assert counts(pusher) == (0, 6, 0, 0)


def test_how_a_payout_ended_is_there_again_after_the_power_was_off(pusher: KindBench) -> None:
    hopper(pusher, tokens=2)
    pusher.ask(PayCommand(30, 5))
    pusher.run(3_000)
    with KindBench("pusher", eeprom=pusher.board.power_cut()) as later:
        later.run(100)
        assert stand(later) == (30, 5, 2, 2, EMPTY)
        assert fault(later)
        later.ask(SetCommand(HOPPER, 0, 0))
        later.run(100)
        with KindBench("pusher", eeprom=later.board.power_cut()) as latest:
            latest.run(100)
            assert stand(latest) == (30, 5, 2, 2, IDLE)
            assert not fault(latest)


def test_a_jam_is_freed_by_turning_back(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(HopperCommand(143, 1, 0, 0))
    pusher.ask(PayCommand(30, 4))
    while world.paid < 2:
        pusher.run(5)
    world.tokens = 0  # jammed
    while pusher.board.output(HOPPER_BACK) == 0:
        pusher.run(5)
    pusher.run(150)
    world.tokens = 100
    pusher.run(3_000)
    assert world.paid == 4
    assert stand(pusher) == (30, 4, 4, 4, IDLE)
    assert pusher.board.output(HOPPER_BACK) == 0
    ways = [change for change in pusher.changes if change.pin in (HOPPER_BACK, pusher.pin_of("hopper"))]
    on = 0.0
    for change in ways:
        assert change.pin != HOPPER_BACK or not on, "its way round changes only while it is off"
        on = change.level or 0.0 if change.pin != HOPPER_BACK else on


def test_a_jam_that_is_not_freed_is_turned_back_twice_and_then_told(pusher: KindBench) -> None:
    pusher.ask(HopperCommand(143, 1, 0, 0))
    pusher.ask(PayCommand(30, 4))
    pusher.run(6_000)
    back = [change for change in pusher.changes if change.pin == HOPPER_BACK and change.level == 1]
    assert len(back) == 2
    assert stand(pusher) == (30, 4, 0, 0, EMPTY)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_motor_that_draws_more_than_its_limit_is_stopped(pusher: KindBench, share: float) -> None:
    hopper(pusher)
    pusher.ask(HopperCommand(143, 0, 512, 0))
    pusher.board.supply(HOPPER_CURRENT, share)
    pusher.changes.clear()
    pusher.ask(PayCommand(30, 4))
    pusher.run(3_000)
    if share < 0.5:
        assert stand(pusher) == (30, 4, 4, 4, IDLE)
    else:
        assert stand(pusher) == (30, 4, 0, 0, JAMMED)
        assert 20 < ran_ms(pusher) < 130


@pytest.mark.parametrize("pulses", [1, 3, 8])
def test_an_error_burst_of_the_hopper_ends_the_payout_and_is_told_by_its_pulses(pusher: KindBench, pulses: int) -> None:
    """NRI H2: 1 to 8 pulses, 10 ms on and 10 ms off, 100 ms between bursts."""
    world = hopper(pusher, tokens=2)
    pusher.put_pin(HOPPER_ERROR, 1)
    pusher.ask(HopperCommand(143, 0, 0, 1))
    pusher.ask(PayCommand(30, 9))
    pusher.run(400)
    for _ in range(2):
        for _ in range(pulses):
            pusher.put_pin(HOPPER_ERROR, 0)
            pusher.run(10)
            pusher.put_pin(HOPPER_ERROR, 1)
            pusher.run(10)
        pusher.run(100)
    pusher.run(700)
    report = pusher.last(HopperReport)
    assert (report.state, report.error, report.seen) == (JAMMED, pulses, world.paid)


def test_what_hangs_on_the_hopper_is_checked(pusher: KindBench) -> None:
    for wrong in (HopperCommand(39, 0, 0, 0), HopperCommand(1_001, 0, 0, 0), HopperCommand(143, 2, 0, 0)):
        assert pusher.refused(wrong) == RefusalCode.WRONG_VALUE
    assert pusher.refused(HopperCommand(143, 0, 1_023, 0)) == RefusalCode.WRONG_VALUE
    hopper(pusher)
    pusher.ask(PayCommand(30, 4))
    assert pusher.refused(HopperCommand(143, 0, 0, 0)) == RefusalCode.BUSY


# --- the sensors prove themselves -------------------------------------------------------------------------------------

TOKEN, WIN_A, WIN_B, SHAFT, TILT, HOPPER_COIN = (1 << bit for bit in range(6))
ALL_FED = 0x7F


def test_at_the_start_every_sensor_is_tested_and_all_are_proven(pusher: KindBench) -> None:
    pusher.reset()
    pusher.run(20)
    pusher.open(2)
    pusher.run(20)
    assert pusher.last(SensorsReport) == SensorsReport(ALL_FED, 0, 0)
    assert pusher.board.output(pusher.kind.sense_pin) == 1


@pytest.mark.parametrize("line", ["token", "win_a", "win_b", "tilt", "hopper_coin"])
def test_a_cut_wire_is_found_at_the_start_and_is_a_fault(pusher: KindBench, line: str) -> None:
    pusher.cut(line)
    pusher.reset()
    pusher.run(20)
    pusher.open(2)
    pusher.run(20)
    number = [name for name, _ in pusher.kind.inputs].index(line)
    assert pusher.last(SensorsReport) == SensorsReport(ALL_FED, 0, 1 << number)
    assert fault(pusher)
    if line in ("token", "tilt"):
        assert pusher.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE


@pytest.mark.parametrize("line", ["token", "win_a", "win_b", "shaft", "tilt", "hopper_coin", "home"])
def test_a_line_that_is_shorted_is_found_by_a_test_and_is_a_fault(pusher: KindBench, line: str) -> None:
    pusher.short(line)
    pusher.ask(TestCommand())
    pusher.run(20)
    number = [name for name, _ in pusher.kind.inputs].index(line)
    assert pusher.last(SensorsReport) == SensorsReport(ALL_FED, 1 << number, 0)
    assert fault(pusher)
    pusher.mend(line)
    pusher.ask(TestCommand())
    pusher.run(20)
    assert pusher.last(SensorsReport) == SensorsReport(ALL_FED, 0, 0)
    assert not fault(pusher)


@pytest.mark.parametrize("line", ["token", "win_a", "win_b"])
def test_a_wire_that_is_cut_in_play_is_a_fault(pusher: KindBench, line: str) -> None:
    pusher.cut(line)
    pusher.run(3_200)
    assert fault(pusher)


def test_a_tilt_contact_whose_wire_is_cut_tilts_the_machine_for_good(pusher: KindBench) -> None:
    pusher.cut("tilt")
    pusher.run(5_000)
    assert counts(pusher)[3] == 1
    assert pusher.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE


@pytest.mark.parametrize("offset_ms", [0, 0.7, 1.6, 2.3, 3.1, 4.2])
def test_a_test_while_tokens_pass_neither_makes_nor_takes_one(pusher: KindBench, offset_ms: float) -> None:
    """Edges of a test are none of the world's, and those of the world that it hides are not forgotten."""
    for number in range(40):
        at_ms = 10 + number * 61 + offset_ms
        pusher.pulse("token", 25, at_ms)
        passage(pusher, "win_a", "win_b", at_ms)
    for _ in range(100):
        pusher.ask(TestCommand())
        pusher.run(25.3)
    assert counts(pusher) == (40, 0, 40, 0)
    assert pusher.reports(MotorReport) == []


def test_a_token_that_enters_the_chute_in_a_test_is_won(pusher: KindBench) -> None:
    """Both beams get dark while the test still waits for the first of them: their order is known all the same."""
    begins_ms = []
    for number in range(45):
        pusher.changes.clear()
        at_ns = pusher.now_ns + 3_000_000
        passage(pusher, "win_a", "win_b", 3, lag_ms=3, dark_ms=9)
        pusher.run(2.9 - number * 0.1)
        pusher.ask(TestCommand())
        pusher.run(40)
        (off, *_) = [change.t_ns for change in pusher.output_changes_of(pusher.kind.sense_pin) if change.level == 0]
        begins_ms.append((at_ns - off) / 1e6)
        assert counts(pusher)[2] == number + 1, f"entered {begins_ms[-1]:.2f} ms after the test began"
    inside = sorted(ms for ms in begins_ms if -1 < ms < 3)
    assert len(inside) > 20
    assert max(later - earlier for earlier, later in pairwise(inside)) < 0.5


def test_a_test_lasts_as_long_as_the_lines_need(pusher: KindBench) -> None:
    """Where all sensors follow at once, their feed is off for less than a beam of the chute is ahead of the other."""
    pusher.changes.clear()
    pusher.ask(TestCommand())
    pusher.run(10)
    off, on = pusher.output_changes_of(pusher.kind.sense_pin)
    assert (off.level, on.level) == (0, 1)
    assert on.t_ns - off.t_ns < 1_000_000


def test_a_test_says_nothing_new_where_nothing_is_new(pusher: KindBench) -> None:
    for _ in range(3):
        pusher.ask(TestCommand())
        pusher.run(20)
    assert pusher.reports(SensorsReport) == []
    assert counts(pusher) == (0, 0, 0, 0)


# --- supply and store -------------------------------------------------------------------------------------------------


def test_when_the_supply_fails_all_is_off_at_once_and_nothing_begins(pusher: KindBench) -> None:
    pusher.worlds.append(Shaft("motor", "shaft", period_ms=50))
    hopper(pusher)
    pusher.ask(AcceptCommand(1))
    pusher.ask(MotorCommand(80, 0, 0))
    pusher.ask(SetCommand(ALARM, 255, 0))
    pusher.ask(PayCommand(30, 9))
    pusher.run(300)
    pusher.changes.clear()
    failed_ns = pusher.now_ns
    pusher.put("power_fail", 1)
    pusher.run(20)
    for output in ("accept", "motor", "hopper", "alarm"):
        off = [change for change in pusher.output_changes(output) if change.level == 0]
        assert (off[0].t_ns - failed_ns) / 1e6 < 1, output
    for command in (AcceptCommand(1), MotorCommand(80, 0, 0), PayCommand(31, 9)):
        assert pusher.refused(command) == RefusalCode.NOT_SAFE
    pusher.put("power_fail", 0)
    pusher.run(50)
    assert pusher.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE, "it must stay for a while"
    pusher.run(60)
    pusher.run(500)
    pusher.ask(AcceptCommand(1))
    paid = counts(pusher)[1]
    assert 0 < paid < 9
    pusher.ask(PayCommand(31, 9 - paid))
    pusher.run(2_000)
    assert counts(pusher)[1] == 9


def test_counters_survive_and_the_board_counts_its_starts(pusher: KindBench) -> None:
    pusher.pulse("token", 50)
    passage(pusher, "win_a", "win_b", 100)
    pusher.pulse("tilt", 20, 200)
    pusher.run(400)
    boots = pusher.identity().boots
    image = pusher.board.power_cut()
    with KindBench("pusher", eeprom=image) as later:
        assert counts(later) == (1, 0, 1, 1)
        assert later.identity().boots == boots + 1


def with_tokens_in(image: bytes, count: int) -> bytes:
    """A memory whose first bank began with this count; bytes as store_bank.h has them."""
    base = bytearray(image[1:38])
    base[5:9] = count.to_bytes(4, "little")
    base[-2:] = crc_hqx(base[:-2], 0xFFFF).to_bytes(2, "little")
    return image[:1] + bytes(base) + image[38:]


@pytest.mark.parametrize("found", [0x7FFF_FFFF, 0xFFFF_0000, 0xFFFF_FFFF])
def test_a_count_goes_on_from_whatever_it_has_reached(pusher: KindBench, found: int) -> None:
    """It is 32 bits, and begins again after the highest."""
    with KindBench("pusher", eeprom=with_tokens_in(pusher.board.power_cut(), found)) as later:
        later.run(READY_MS)
        assert counts(later) == (found, 0, 0, 0)
        later.pulse("token", 50)
        later.run(100)
        assert [report.first for report in later.reports(CountsReport)] == [(found + 1) % 2**32]


def test_a_store_that_has_failed_is_told_and_nothing_that_is_counted_begins() -> None:
    with KindBench("pusher") as bench:
        bench.run(READY_MS)
        image = bytearray(bench.board.power_cut())
    image[5] ^= 1
    with KindBench("pusher", eeprom=bytes(image)) as bench:
        bench.run(120)
        assert bench.last(StateReport).flags & Flag.STORE_FAILED
        for command in (AcceptCommand(1), PayCommand(1, 1), SetCommand(ACCEPT, 255, 0)):
            assert bench.refused(command) == RefusalCode.STORE_FAILED
        bench.ask(MotorCommand(80, 0, 0))


def test_a_new_board_takes_no_token_before_it_can_keep_one() -> None:
    with KindBench("pusher") as bench:
        assert bench.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE
        bench.run(READY_MS)
        bench.ask(AcceptCommand(1))


def test_an_event_is_kept_within_twelve_milliseconds_also_while_the_store_moves(pusher: KindBench) -> None:
    """5 ms for a byte of something else, 5 ms for its own, 2 ms until the main loop comes by."""
    pusher.run(300)
    decided = []
    for number in range(150):
        decided.append(pusher.now_ns + (number * 37 + 25 + 5) * 1_000_000)
        pusher.pulse("token", 25, number * 37)
    pusher.run(150 * 37 + 50)
    told = pusher.reports_at(CountsReport)
    assert [report.first for report, _ in told] == list(range(1, 151))
    late = [(t_ns - decided_ns) / 1e6 for (_, t_ns), decided_ns in zip(told, decided, strict=True)]
    assert min(late) > 0
    assert max(late) < 12


@pytest.mark.parametrize("move_ms", [None, *range(0, 200, 20)])
def test_the_hold_up_is_enough_for_everything_at_once(pusher: KindBench, move_ms: int | None) -> None:
    """The longest pulse, a token in the chute, one in the hopper's sensor and a tilt begin; and the store moves."""
    pusher.talks = False
    if move_ms is not None:
        pusher.reset()
        pusher.run(8 + move_ms)
    pusher.pulse("token", 249)
    pusher.pulse("hopper_coin", 30)
    passage(pusher, "win_a", "win_b")
    pusher.pulse("tilt", 10)
    pusher.run(0.5)
    pusher.put("power_fail", 1)
    pusher.run(HOLD_UP_MS)
    with KindBench("pusher", eeprom=pusher.board.power_cut()) as later:
        assert counts(later) == (1, 1, 1, 1)
