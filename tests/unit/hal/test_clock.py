from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from hal.clock import (
    NS_PER_S,
    CalendarWatch,
    FastClock,
    KnownCalendar,
    SystemClock,
    TurnClock,
    VirtualClock,
    kernel_clock_is_disciplined,
    system_calls_are_filtered,
    time_of_day_ms,
)


def test_the_system_clock_never_goes_back() -> None:
    clock = SystemClock()
    times = [clock.now_ns() for _ in range(1000)]
    assert times == sorted(times)


def test_the_system_clock_is_the_kernels_monotonic_clock(mocker: MockerFixture) -> None:
    mocker.patch("hal.clock.time.monotonic_ns", return_value=42)
    assert SystemClock().now_ns() == 42


def test_the_wall_time_of_an_earlier_instant_is_that_much_earlier(mocker: MockerFixture) -> None:
    mocker.patch("hal.clock.time.monotonic_ns", return_value=5_000)
    mocker.patch("hal.clock.time.time_ns", return_value=1_000_000)
    clock = SystemClock()
    assert clock.wall_time_ns() == 1_000_000
    assert clock.wall_time_ns(at_ns=2_000) == 997_000


def test_a_virtual_clock_stands_still_until_it_is_advanced() -> None:
    clock = VirtualClock(7)
    assert (clock.now_ns(), clock.now_ns()) == (7, 7)
    clock.advance_to(9)
    assert clock.now_ns() == 9
    clock.advance_to(9)
    assert clock.now_ns() == 9


def test_a_virtual_clock_refuses_to_go_back_and_keeps_its_time() -> None:
    clock = VirtualClock(9)
    with pytest.raises(ValueError, match="from 9 ns to 8 ns"):
        clock.advance_to(8)
    assert clock.now_ns() == 9


def test_the_wall_time_of_a_virtual_clock_began_at_the_epoch() -> None:
    clock = VirtualClock()
    clock.advance_to(1_500_000_000)
    assert clock.wall_time_ns() == 1_500_000_000
    assert clock.wall_time_ns(at_ns=3) == 3


def calendar(folder: Path, *, disciplined: bool = False) -> CalendarWatch:
    return CalendarWatch(folder / "rtc", folder / "synchronized", lambda: disciplined)


def test_a_calendar_is_not_known_to_be_set_without_any_proof(tmp_path: Path) -> None:
    assert not calendar(tmp_path).is_set()


@pytest.mark.parametrize(("hctosys", "known"), [("1\n", True), ("0\n", False), ("", False)])
def test_a_calendar_is_set_where_the_kernel_took_it_from_a_clock_chip(
    tmp_path: Path, hctosys: str, known: bool
) -> None:
    (tmp_path / "rtc" / "rtc0").mkdir(parents=True)
    (tmp_path / "rtc" / "rtc0" / "hctosys").write_text(hctosys)
    assert calendar(tmp_path).is_set() is known


def test_a_calendar_that_ntp_has_set_stays_set(tmp_path: Path) -> None:
    watch = calendar(tmp_path)
    assert not watch.is_set()
    (tmp_path / "synchronized").touch()
    assert watch.is_set()
    (tmp_path / "synchronized").unlink()
    assert watch.is_set()
    assert calendar(tmp_path, disciplined=True).is_set()


@pytest.mark.parametrize(
    ("state", "status", "disciplined"),
    [(0, 0x2001, True), (5, 0x2041, False), (0, 0x0040, False), (-1, 0, False)],
    ids=["by NTP", "not synchronised", "flag alone", "not allowed to ask"],
)
def test_the_kernels_clock_is_disciplined_unless_it_says_otherwise(
    mocker: MockerFixture, state: int, status: int, disciplined: bool
) -> None:
    class Libc:
        @staticmethod
        def adjtimex(timex: Any) -> int:
            timex._obj.status = status
            return state

    mocker.patch("hal.clock.ctypes.CDLL", return_value=Libc)
    mocker.patch("hal.clock.system_calls_are_filtered", return_value=False)
    assert kernel_clock_is_disciplined() is disciplined


def test_the_kernel_is_not_asked_under_a_filter_that_may_end_the_process(mocker: MockerFixture, tmp_path: Path) -> None:
    libc = mocker.patch("hal.clock.ctypes.CDLL").return_value
    mocker.patch("hal.clock.system_calls_are_filtered", return_value=True)
    assert not kernel_clock_is_disciplined()
    libc.adjtimex.assert_not_called()
    status = tmp_path / "status"
    assert system_calls_are_filtered(status)
    for mode, filtered in ((0, False), (2, True)):
        status.write_text(f"Name:\tpython\nSeccomp:\t{mode}\nSeccomp_filters:\t0\n")
        assert system_calls_are_filtered(status) is filtered


def test_a_clock_whose_speed_changes_goes_on_from_where_it_is() -> None:
    system = VirtualClock(100)
    clock = FastClock(10, system)
    system.advance_to(110)
    assert clock.now_ns() == 200
    clock.set_speed(0.5)
    assert (clock.now_ns(), clock.speed) == (200, 0.5)
    system.advance_to(130)
    assert clock.now_ns() == 210


def test_a_clock_at_speed_0_stands_still_and_has_a_calendar() -> None:
    system = VirtualClock(100)
    clock = FastClock(2, system)
    clock.set_speed(0)
    system.advance_to(500)
    assert clock.now_ns() == 100
    assert clock.wall_time_ns(at_ns=100) == 500
    clock.set_speed(1)
    system.advance_to(501)
    assert clock.now_ns() == 101
    assert clock.wall_time_ns(at_ns=101) == 501


def test_a_turn_clock_makes_up_for_a_part_of_what_it_missed_and_leaves_out_the_rest() -> None:
    system = VirtualClock(1_000)
    clock = TurnClock(10, system, most_ns=300)
    system.advance_to(1_200)
    assert clock.now_ns() == 1_000, "it moves by turns alone"
    assert (clock.turn(), clock.now_ns()) == (0, 3_000)
    system.advance_to(9_200)
    assert (clock.turn(), clock.now_ns()) == (7_700, 6_000)
    assert clock.wall_time_ns() == 9_200
    assert clock.wall_time_ns(3_000) == 8_900, "never before what the turn before has"
    system.advance_to(9_300)
    assert (clock.turn(holds=True), clock.now_ns()) == (100, 6_000)


def test_the_time_of_day_is_that_of_the_computers_calendar_and_zone() -> None:
    clock = VirtualClock(1_800_000_000 * NS_PER_S + 123_000_000)
    hands = datetime.fromtimestamp(1_800_000_000).strftime("%H:%M:%S")
    hours, minutes, seconds = map(int, hands.split(":"))
    assert time_of_day_ms(clock) == ((hours * 60 + minutes) * 60 + seconds) * 1000 + 123


def test_no_time_is_known_until_the_calendar_is_set(tmp_path: Path) -> None:
    clock = VirtualClock(1_800_000_000 * NS_PER_S)
    known = KnownCalendar(clock, calendar(tmp_path))
    assert (known.time_of_day_ms(), known.wall_time()) == (None, None)
    (tmp_path / "synchronized").touch()
    assert (known.time_of_day_ms(), known.wall_time()) == (time_of_day_ms(clock), "2027-01-15T08:00:00.000000Z")
