import asyncio
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.clock import NS_PER_S, VirtualClock
from hal.loop import LeakedTasksError, StalledError, VirtualLoop, run_virtual, sleep_ns

DAY_NS = 24 * 3600 * NS_PER_S


def test_a_week_passes_at_once() -> None:
    clock = VirtualClock()

    async def main() -> str:
        await sleep_ns(7 * DAY_NS)
        return "done"

    assert run_virtual(main(), clock) == "done"
    assert clock.now_ns() == 7 * DAY_NS


@given(st.lists(st.integers(0, DAY_NS), max_size=20), st.integers(0, DAY_NS))
def test_timers_fire_in_order_and_to_the_nanosecond(delays_ns: list[int], start_ns: int) -> None:
    clock = VirtualClock(start_ns)
    fired: list[tuple[int, int]] = []

    async def wait(delay_ns: int) -> None:
        await sleep_ns(delay_ns)
        fired.append((delay_ns, clock.now_ns() - start_ns))

    async def main() -> None:
        await asyncio.gather(*(wait(delay_ns) for delay_ns in delays_ns))

    run_virtual(main(), clock)
    assert [asked for asked, _ in fired] == sorted(delays_ns)
    # asyncio runs together what is due within its resolution of 1 ns.
    assert all(abs(asked - seen) <= 1 for asked, seen in fired)


def test_the_same_run_gives_the_same_times() -> None:
    def run() -> list[int]:
        clock = VirtualClock()
        seen: list[int] = []

        async def tick(period_ns: int) -> None:
            for _ in range(50):
                await sleep_ns(period_ns)
                seen.append(clock.now_ns())

        async def main() -> None:
            await asyncio.gather(tick(3_333_333), tick(10_000_001))

        run_virtual(main(), clock)
        return seen

    assert run() == run()


def test_waiting_for_what_can_never_come_is_an_error_that_names_the_waiter() -> None:
    async def dealer_that_waits_for_ever() -> None:
        await asyncio.get_running_loop().create_future()

    async def main() -> None:
        await asyncio.create_task(dealer_that_waits_for_ever(), name="dealer")

    with pytest.raises(StalledError, match=r"dealer \(.*dealer_that_waits_for_ever at .*test_loop.py:\d+\)"):
        run_virtual(main())


def test_a_task_left_running_makes_it_fail_and_is_named() -> None:
    async def main() -> None:
        task = asyncio.create_task(sleep_ns(NS_PER_S), name="forgotten")
        assert not task.done()

    with pytest.raises(LeakedTasksError, match="forgotten"):
        run_virtual(main())


def test_a_task_that_main_cancelled_is_not_a_leak() -> None:
    cleaned: list[str] = []

    async def worker() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await sleep_ns(NS_PER_S)
            cleaned.append("worker")

    async def main() -> None:
        task = asyncio.create_task(worker())
        await sleep_ns(1)
        task.cancel()

    run_virtual(main())
    assert cleaned == ["worker"]


def test_the_error_of_main_comes_out() -> None:
    async def main() -> None:
        await sleep_ns(1)
        raise KeyError("peg")

    with pytest.raises(KeyError, match="peg"):
        run_virtual(main())


def test_a_readable_file_descriptor_is_served_before_time_jumps() -> None:
    clock = VirtualClock()
    read_fd, write_fd = os.pipe()
    read_at_ns: list[int] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        got = loop.create_future()

        def on_readable() -> None:
            read_at_ns.append(clock.now_ns())
            got.set_result(os.read(read_fd, 10))
            loop.remove_reader(read_fd)

        loop.add_reader(read_fd, on_readable)
        loop.call_later(5, os.write, write_fd, b"x")
        timer = loop.call_later(5.000_000_001, read_at_ns.append, -1)
        assert await got == b"x"
        timer.cancel()

    try:
        run_virtual(main(), clock)
    finally:
        os.close(read_fd)
        os.close(write_fd)
    assert read_at_ns == [5 * NS_PER_S]


def test_time_stands_still_while_a_thread_works() -> None:
    clock = VirtualClock()
    go_on = threading.Event()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        hour = loop.call_later(3600, go_on.set)
        # The thread ends because the loop lets it, not because the hour has passed.
        work = loop.run_in_executor(None, go_on.wait)
        loop.call_soon(go_on.set)
        assert await work
        assert clock.now_ns() == 0
        hour.cancel()

    run_virtual(main(), clock)
    assert clock.now_ns() == 0


def test_time_stands_still_while_it_is_held() -> None:
    clock = VirtualClock()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        told = asyncio.Event()
        hour = loop.call_later(3600, told.set)
        thread = threading.Thread(target=loop.call_soon_threadsafe, args=(told.set,))
        with loop.hold_time():
            thread.start()
            await told.wait()
        thread.join()
        hour.cancel()

    run_virtual(main(), clock)
    assert clock.now_ns() == 0


def test_outside_work_that_never_ends_is_an_error_and_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hal.loop.OUTSIDE_PATIENCE_S", 0.001)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        with loop.hold_time():
            await loop.create_future()

    with pytest.raises(StalledError, match="outside work"):
        run_virtual(main())


class Speaker:
    """A world that writes to a pipe at its times."""

    def __init__(self, clock: VirtualClock, times_ns: list[int]) -> None:
        self.read_end, self._write_end = os.pipe()
        self._clock = clock
        self._times_ns = times_ns
        self.asked: list[tuple[int, int]] = []

    def pass_to(self, t_ns: int) -> int:
        self.asked.append((self._clock.now_ns(), t_ns))
        return min([t_ns, *self._times_ns[:1]])

    def make_readable(self, t_ns: int) -> None:
        if self._times_ns and self._times_ns[0] <= t_ns:
            os.write(self._write_end, b"!")
            self._times_ns.pop(0)

    def close(self) -> None:
        os.close(self.read_end)
        os.close(self._write_end)


def listen_to(clock: VirtualClock, *worlds: Speaker, for_ns: int) -> list[tuple[int, int]]:
    """When each world was heard while the loop sleeps."""
    heard: list[tuple[int, int]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)

        def hear(number: int, world: Speaker) -> None:
            os.read(world.read_end, 1)
            heard.append((number, clock.now_ns()))

        for number, world in enumerate(worlds):
            loop.add_reader(world.read_end, hear, number, world)
            loop.join(world)
        await sleep_ns(for_ns)
        for world in worlds:
            loop.part(world)
            loop.remove_reader(world.read_end)
            world.close()
        await sleep_ns(NS_PER_S)

    run_virtual(main(), clock)
    return heard


def test_a_worlds_events_interleave_with_the_loops_timers() -> None:
    clock = VirtualClock()
    world = Speaker(clock, [5, 5, 700, NS_PER_S, 3 * NS_PER_S])
    assert listen_to(clock, world, for_ns=2 * NS_PER_S) == [(0, 5), (0, 5), (0, 700), (0, NS_PER_S)]
    assert clock.now_ns() == 3 * NS_PER_S
    assert all(now_ns < t_ns for now_ns, t_ns in world.asked)


def test_of_two_worlds_the_earlier_event_comes_first() -> None:
    clock = VirtualClock()
    one, other = Speaker(clock, [10, 40]), Speaker(clock, [20, 30])
    assert listen_to(clock, one, other, for_ns=100) == [(0, 10), (1, 20), (1, 30), (0, 40)]


def test_a_loop_that_waits_for_a_world_alone_waits_long_but_not_for_ever() -> None:
    clock = VirtualClock()
    world = Speaker(clock, [3 * 60 * NS_PER_S])

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        heard = asyncio.Event()
        loop.join(world)
        loop.add_reader(world.read_end, heard.set)
        await heard.wait()
        loop.remove_reader(world.read_end)
        assert clock.now_ns() == 3 * 60 * NS_PER_S
        await loop.create_future()

    with pytest.raises(StalledError, match="nothing is scheduled"):
        run_virtual(main(), clock)
    world.close()
