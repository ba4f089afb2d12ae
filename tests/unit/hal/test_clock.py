import pytest
from pytest_mock import MockerFixture

from hal.clock import SystemClock, VirtualClock


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
