"""The pusher board, its own binary on the emulated chip: tokens, the win chute, tilt, the shelf's motor, the hopper."""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterator

import pytest

from hal.board.messages import (
    AcceptCommand,
    AllSafeCommand,
    CountsAnswer,
    CountsCommand,
    CountsReport,
    Flag,
    HopperReport,
    MotorCommand,
    MotorReport,
    PayCommand,
    RefusalCode,
    SetCommand,
    StateReport,
    WatchCommand,
)
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import Hopper, Shaft

MOTOR, HOPPER, ACCEPT, ALARM = 1, 2, 3, 4
TOLD, LONGEST, HOME, STALL, DEADMAN, INTERLOCK = range(6)
IDLE, PAYING, EMPTY, RUNAWAY = range(4)
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


@pytest.mark.parametrize("width_ms", [20.1, 25, 45, 65, 100, 120, 200, 249.9])
def test_a_pulse_of_a_token_counts(pusher: KindBench, width_ms: float) -> None:
    pusher.pulse("token", width_ms)
    pusher.run(width_ms + 30)
    assert counts(pusher) == (1, 0, 0, 0)
    assert [report.first for report in pusher.reports(CountsReport)] == [1], "told when it is kept"


@pytest.mark.parametrize("width_ms", [0.01, 1, 4, 6, 15, 19.9, 250.1, 400])
def test_a_pulse_of_a_wrong_width_counts_as_none(pusher: KindBench, width_ms: float) -> None:
    pusher.pulse("token", width_ms)
    pusher.run(width_ms + 30)
    assert counts(pusher) == (0, 0, 0, 0)
    assert not pusher.reports(CountsReport)


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
    pusher.put("token", 0)
    pusher.run(400)
    assert fault(pusher)
    pusher.put("token", 1)
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


def passage(bench: KindBench, first: str, second: str, at_ms: float = 0) -> None:
    """A token darkens one beam, both, the other, none."""
    bench.pulse(first, 20, at_ms)
    bench.pulse(second, 20, at_ms + 8)


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
    pusher.put("win_a", 0)
    pusher.put("win_b", 0, 5)
    pusher.run(3_200)
    assert fault(pusher)
    pusher.put("win_a", 1)
    pusher.put("win_b", 1, 5)
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


def test_a_payout_pays_what_was_asked_and_tells_each_token(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 7))
    pusher.run(2_000)
    assert world.paid == 7
    assert counts(pusher) == (0, 7, 0, 0)
    reports = pusher.reports(HopperReport)
    assert [(report.payout, report.paid, report.left, report.state) for report in reports] == [
        *((30, paid, 7 - paid, PAYING) for paid in range(7)),
        (30, 7, 0, IDLE),
    ]


def test_a_payout_is_kept_before_its_motor_starts(pusher: KindBench) -> None:
    pusher.ask(PayCommand(0x3039, 7))
    while pusher.output("hopper") == 0:
        pusher.run(0.5)
    assert bytes((0x39, 0x30, 7)) in pusher.board.eeprom


def test_a_repeated_payout_is_not_paid_again(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 3))
    pusher.run(200)
    pusher.ask(PayCommand(30, 3))
    pusher.run(2_000)
    pusher.ask(PayCommand(30, 3))
    pusher.run(2_000)
    assert world.paid == 3
    assert pusher.last(HopperReport).left == 0


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


def test_an_empty_hopper_is_told_and_the_rest_can_be_asked_for(pusher: KindBench) -> None:
    world = hopper(pusher, tokens=2)
    pusher.ask(PayCommand(30, 5))
    pusher.run(3_500)
    assert pusher.output("hopper") == 0
    report = pusher.last(HopperReport)
    assert (report.paid, report.left, report.state) == (2, 3, EMPTY)
    assert fault(pusher)
    world.tokens = 100
    pusher.ask(PayCommand(30, 5))
    pusher.run(2_000)
    assert world.paid == 5
    assert pusher.last(HopperReport).left == 0
    assert not fault(pusher)


def test_a_jam_is_told_after_three_seconds(pusher: KindBench) -> None:
    pusher.ask(PayCommand(30, 5))
    pusher.run(3_200)
    changes = pusher.output_changes("hopper")
    on, off = changes[-2], changes[-1]
    assert (on.level, off.level) == (1, 0)
    assert 2_990 <= (off.t_ns - on.t_ns) / 1e6 <= 3_010


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
    report = pusher.last(HopperReport)
    assert (report.paid, report.left, report.state) == (3, 0, IDLE)
    assert counts(pusher) == (0, 3, 0, 0)


def test_a_payout_longer_than_the_hoppers_longest_time(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 255))
    pusher.run(255 * 140 + 500)
    assert world.paid == 255
    assert counts(pusher) == (0, 255, 0, 0)


def test_the_hopper_turns_for_a_payout_only(pusher: KindBench) -> None:
    assert pusher.refused(SetCommand(HOPPER, 255, 100)) == RefusalCode.WRONG_VALUE


def test_a_payout_that_the_dead_man_ends_can_be_paid_to_its_end(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 9))
    pusher.run(300)
    pusher.talks = False
    pusher.run(800)
    assert pusher.output("hopper") == 0
    paid = world.paid
    assert 0 < paid < 9
    pusher.talks = True
    report = pusher.last(HopperReport)
    assert (report.paid, report.left, report.state) == (paid, 9 - paid, IDLE)
    assert pusher.refused(PayCommand(30, 9)) == RefusalCode.SILENT
    pusher.ask(AllSafeCommand())
    pusher.ask(PayCommand(30, 9))
    pusher.run(2_000)
    assert world.paid == 9


def test_after_a_reset_the_host_hears_what_is_left_and_the_same_payout_pays_it(pusher: KindBench) -> None:
    world = hopper(pusher)
    pusher.ask(PayCommand(30, 6))
    pusher.run(500)
    pusher.reset()
    pusher.run(50)
    pusher.open(2)
    pusher.run(50)
    paid = world.paid
    assert 0 < paid < 6
    report = pusher.last(HopperReport)
    assert (report.payout, report.paid, report.left, report.state) == (30, paid, 6 - paid, IDLE)
    assert pusher.output("hopper") == 0
    pusher.ask(PayCommand(30, 6))
    pusher.run(2_000)
    assert world.paid == 6
    assert counts(pusher) == (0, 6, 0, 0)


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
    pusher.put("power_fail", 0)
    pusher.run(20)
    for output in ("accept", "motor", "hopper", "alarm"):
        off = [change for change in pusher.output_changes(output) if change.level == 0]
        assert (off[0].t_ns - failed_ns) / 1e6 < 1, output
    for command in (AcceptCommand(1), MotorCommand(80, 0, 0), PayCommand(30, 9), PayCommand(31, 9)):
        assert pusher.refused(command) == RefusalCode.NOT_SAFE
    pusher.put("power_fail", 1)
    pusher.run(50)
    assert pusher.refused(AcceptCommand(1)) == RefusalCode.NOT_SAFE, "it must stay for a while"
    pusher.run(60)
    pusher.ask(AcceptCommand(1))
    pusher.ask(PayCommand(30, 9))
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
    base = bytearray(image[1:35])
    base[3:7] = count.to_bytes(4, "little")
    base[-2:] = crc_hqx(base[:-2], 0xFFFF).to_bytes(2, "little")
    return image[:1] + bytes(base) + image[35:]


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
        pusher.run(3 + move_ms)
    pusher.pulse("token", 249)
    pusher.pulse("hopper_coin", 30)
    passage(pusher, "win_a", "win_b")
    pusher.pulse("tilt", 10)
    pusher.run(0.5)
    pusher.put("power_fail", 0)
    pusher.run(HOLD_UP_MS)
    with KindBench("pusher", eeprom=pusher.board.power_cut()) as later:
        assert counts(later) == (1, 1, 1, 1)
