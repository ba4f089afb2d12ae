"""The watches of the calendar and of the disk: each finding is reported once, and its end too."""

from __future__ import annotations

import pytest

from audit.errors import JournalError
from controller.service.clock_watch import JUMP_NS, ClockWatch
from controller.service.disk_watch import ENOUGH_BYTES, EVERY_NS, LOW_BYTES, STOP_BYTES, DiskWatch
from hal.clock import NS_PER_S, FastClock, VirtualClock
from tests.fakes.service import FULL, SetClock


def test_a_calendar_that_runs_with_the_clock_is_no_jump() -> None:
    clock = SetClock()
    watch = ClockWatch(clock)
    for _ in range(100):
        clock.pass_by(NS_PER_S)
        assert watch.check() is None


@pytest.mark.parametrize(
    ("jump_ns", "way"), [(JUMP_NS + NS_PER_S, "forward by 3.0 s"), (-3600 * NS_PER_S, "back by 3600.0 s")]
)
def test_a_calendar_that_is_set_is_reported_once(jump_ns: int, way: str) -> None:
    clock = SetClock()
    watch = ClockWatch(clock)
    clock.wall += jump_ns
    said = watch.check()
    assert said is not None
    assert way in said
    clock.pass_by(NS_PER_S)
    assert watch.check() is None


def test_slewing_is_no_jump() -> None:
    clock = SetClock()
    watch = ClockWatch(clock)
    for _ in range(1000):
        clock.pass_by(NS_PER_S)
        # NTP slews by 500 parts in a million at most.
        clock.wall += NS_PER_S // 2000
        assert watch.check() is None


def test_a_process_that_is_held_up_between_two_readings_takes_it_for_no_jump() -> None:
    clock = SetClock()
    watch = ClockWatch(clock)

    def stopped() -> None:
        clock.held_up = lambda: None
        clock.pass_by(60 * NS_PER_S)

    clock.held_up = stopped
    assert watch.check() is None
    assert watch.check() is None


def test_a_fast_clock_of_simulated_tables_trips_nothing() -> None:
    watch = ClockWatch(VirtualClock())
    assert watch.check() is None
    fast = FastClock(1000)
    assert abs(fast.wall_time_ns(fast.now_ns()) - fast.wall_time_ns()) < JUMP_NS


def test_a_calendar_before_the_journals_last_record_is_reported_until_it_is_past_it() -> None:
    clock = SetClock()
    watch = ClockWatch(clock)
    said = watch.behind("2030-01-01T00:00:00.000000Z")
    assert said is not None
    assert "2023-11-14" in said
    assert "2030-01-01" in said
    clock.wall = 1_900_000_000 * NS_PER_S
    assert watch.behind("2030-01-01T00:00:00.000000Z") is None
    assert watch.behind("") is None, "a new journal"


class Disk:
    def __init__(self) -> None:
        self.free: int | JournalError = 10**9

    def __call__(self) -> int:
        if isinstance(self.free, JournalError):
            raise self.free
        return self.free


def test_play_stops_while_the_stop_can_still_be_journalled(caplog: pytest.LogCaptureFixture) -> None:
    clock, disk = VirtualClock(), Disk()
    watch = DiskWatch(disk, clock)

    def later() -> str | None:
        clock.advance_to(clock.now_ns() + EVERY_NS)
        return watch.check()

    assert watch.check() is None
    disk.free = STOP_BYTES * 3
    assert later() is None
    assert "only 48 MB left" in caplog.text
    disk.free = STOP_BYTES - 1
    said = later()
    assert said is not None
    assert "free space" in said
    assert later() is None, "said once"
    disk.free = ENOUGH_BYTES - 1
    assert later() is None
    assert not watch.has_room_again(), "a little more is not enough"
    disk.free = ENOUGH_BYTES
    assert later() is None
    assert watch.has_room_again()
    assert not watch.has_room_again(), "said once"
    disk.free = 0
    assert later() is not None


def test_a_writer_that_fills_the_disk_before_the_next_reading_stops_play() -> None:
    clock, disk = VirtualClock(), Disk()
    watch = DiskWatch(disk, clock)
    disk.free = STOP_BYTES * 4
    assert watch.check() is None
    for free, stops in ((STOP_BYTES * 3, False), (STOP_BYTES * 2 - 1, True)):
        clock.advance_to(clock.now_ns() + EVERY_NS)
        disk.free = free
        assert (watch.check() is not None) is stops


def test_much_that_is_written_where_enough_is_left_stops_nothing() -> None:
    clock, disk = VirtualClock(), Disk()
    watch = DiskWatch(disk, clock)
    disk.free = 100 * LOW_BYTES
    assert watch.check() is None
    clock.advance_to(clock.now_ns() + EVERY_NS)
    disk.free = LOW_BYTES
    assert watch.check() is None


def test_that_little_is_left_is_logged_once_in_ten_minutes_and_names_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    clock, disk = VirtualClock(), Disk()
    watch = DiskWatch(disk, clock)
    disk.free = LOW_BYTES - 1
    for _ in range(700):
        assert watch.check() is None
        clock.advance_to(clock.now_ns() + NS_PER_S)
    assert caplog.text.count("has only 255 MB left, and play stops at 16 MB") == 2
    assert "supervisor" not in caplog.text


def test_the_disk_is_read_once_a_second() -> None:
    clock, asked = VirtualClock(), []

    def free() -> int:
        asked.append(clock.now_ns())
        return 10**9

    watch = DiskWatch(free, clock)
    for tenth in range(30):
        clock.advance_to(tenth * NS_PER_S // 10)
        watch.check()
    assert len(asked) == 3


def test_a_disk_that_cannot_be_read_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    disk = Disk()
    disk.free = FULL
    assert DiskWatch(disk, VirtualClock()).check() is None
    assert "the disk is full" in caplog.text
