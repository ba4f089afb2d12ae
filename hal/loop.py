"""An asyncio loop on virtual time: when nothing is ready, its clock jumps to the next timer.

A test or a simulation runs the same coroutines as a live table, hours in milliseconds, with the same result each
time:

    ready callbacks? ──yes──► run them
          │ no
    readable file descriptor? ──yes──► serve it          (a pty or a socket in a test)
          │ no
    outside work under way? ──yes──► wait for it, time stops   (a thread, or `hold_time`)
          │ no
    a timer? ──yes──► the clock jumps to it, or to an earlier event of a `VirtualWorld`
          │ no
    StalledError: everything waits for something that can never happen

Only documented extension points of asyncio are used: the loop's `selector`, and `time()`.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar, TypeVarTuple, Unpack

from hal.clock import NS_PER_S, VirtualClock

OUTSIDE_PATIENCE_S = 20.0
"""Real seconds that the loop waits for outside work before it raises `StalledError` (ours)."""

QUIET_NS = 600 * NS_PER_S
"""How long all worlds may be idle while the loop waits for nothing else (ours)."""

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class StalledError(RuntimeError):
    """A virtual loop has nothing ready, nothing scheduled and nothing to wait for; names what is pending."""


class LeakedTasksError(RuntimeError):
    """The main coroutine ended while tasks that it started were still running; names them."""


class VirtualWorld(Protocol):
    """A simulated peer behind a file descriptor, in the loop's virtual time: an emulated board behind a pty."""

    def pass_to(self, t_ns: int) -> int:
        """Advances its time from the clock's to `t_ns`, or until it has output; returns the time reached."""

    def make_readable(self, t_ns: int) -> None:
        """Makes descriptors readable with its output up to `t_ns`, which is now the clock's time."""


class _JumpingSelector(selectors.BaseSelector):
    """Serves file descriptors like a plain selector, but advances virtual time instead of waiting.

    It uses poll, which sees at once what was written to the other end of a pty; epoll sees it only after a kernel
    thread has run.
    """

    def __init__(self, idle: Callable[[float | None], float]) -> None:
        """`idle(timeout_s)` is called when nothing is readable: returns real seconds to wait, or 0 after a jump."""
        self._real = selectors.PollSelector()
        self._idle = idle

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        patience_s = self._idle(timeout)
        if patience_s == 0:
            return []
        ready = self._real.select(patience_s)
        if not ready:
            raise StalledError(
                f"virtual loop: outside work was announced, but none ended within {patience_s:g} s of real "
                "time; end the thread, or leave `hold_time`"
            )
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An asyncio loop on a `VirtualClock`; see the module docstring for how it advances time.

    `time()` is the clock's time in seconds. Nothing else may advance the clock while the loop runs.
    """

    def __init__(self, clock: VirtualClock | None = None) -> None:
        self.clock = clock if clock is not None else VirtualClock()
        self._outside = 0
        self._worlds: list[VirtualWorld] = []
        super().__init__(_JumpingSelector(self._pass_time))

    def time(self) -> float:
        """The virtual time in seconds."""
        return self.clock.now_ns() / NS_PER_S

    @contextmanager
    def hold_time(self) -> Iterator[None]:
        """While held, the loop waits for file descriptors and threads instead of jumping to its next timer.

        For input from outside: bytes through a pty, which the kernel delivers at an arbitrary real time.
        """
        self._outside += 1
        try:
            yield
        finally:
            self._outside -= 1

    def join(self, world: VirtualWorld) -> None:
        """Adds a world, whose time is advanced before each jump of the clock.

        With several worlds, one may be ahead of the time to which another lets the clock jump: its output then waits
        for the clock, and the loop's input reaches it slightly late.
        """
        self._worlds.append(world)

    def part(self, world: VirtualWorld) -> None:
        """Removes a world."""
        self._worlds.remove(world)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """As asyncio's; virtual time is held until the function has returned."""
        future = super().run_in_executor(executor, func, *args)
        self._outside += 1
        future.add_done_callback(self._came_back)
        return future

    async def shutdown_default_executor(self, *args: Any, **kwargs: Any) -> None:
        """As asyncio's; virtual time is held until the threads have ended."""
        with self.hold_time():
            await super().shutdown_default_executor(*args, **kwargs)

    def pending(self) -> list[str]:
        """The tasks that have not ended: name, coroutine and the line where each waits."""
        return sorted(_describe(task) for task in asyncio.all_tasks(self))

    def _came_back(self, _future: asyncio.Future[Any]) -> None:
        self._outside -= 1

    def _pass_time(self, timeout_s: float | None) -> float:
        if self._outside:
            return OUTSIDE_PATIENCE_S
        now_ns = self.clock.now_ns()
        # At least 1 ns: a remainder that rounds to 0 would loop for ever.
        wait_ns = QUIET_NS if timeout_s is None else max(1, round(timeout_s * NS_PER_S))
        to_ns = now_ns + wait_ns
        for world in self._worlds:
            to_ns = max(now_ns, min(to_ns, world.pass_to(to_ns)))
        if timeout_s is None and to_ns == now_ns + QUIET_NS:
            waiting = "; ".join(self.pending()) or "no task at all"
            raise StalledError(
                "virtual loop: nothing is ready and nothing is scheduled, so what is awaited can never come "
                f"(wait for file descriptors under `hold_time`). Pending: {waiting}"
            )
        self.clock.advance_to(to_ns)
        for world in self._worlds:
            world.make_readable(to_ns)
        return 0


def run_virtual(main: Coroutine[Any, Any, T], clock: VirtualClock | None = None) -> T:
    """Runs `main` to its end on a virtual loop and returns its result.

    Raises:
        StalledError: `main` waits for something that can never happen.
        LeakedTasksError: `main` ended but left tasks running that were not cancelled.
    """
    loop = VirtualLoop(clock)
    try:
        result = loop.run_until_complete(main)
        # Tasks that `main` cancelled, or that end at the same time, get a few iterations to end.
        loop.run_until_complete(_let_cancelled_end(loop))
        leaked = loop.pending()
        if leaked:
            raise LeakedTasksError(
                f"main ended, but {len(leaked)} task(s) still run: {'; '.join(leaked)}; await or cancel them"
            )
        return result
    finally:
        try:
            _cancel_all(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()


async def sleep_ns(duration_ns: int) -> None:
    """Sleeps for `duration_ns` on the running loop, virtual or real: the only way to wait outside `hal`."""
    await asyncio.sleep(duration_ns / NS_PER_S)


async def _let_cancelled_end(loop: VirtualLoop) -> None:
    for _ in range(3):
        await asyncio.sleep(0)
    me = asyncio.current_task()
    cancelled = [task for task in asyncio.all_tasks(loop) if task is not me and task.cancelling()]
    if cancelled:
        await asyncio.wait(cancelled)


def _cancel_all(loop: VirtualLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


def _describe(task: asyncio.Task[Any]) -> str:
    stack = task.get_stack(limit=1)
    where = f" at {stack[0].f_code.co_filename}:{stack[0].f_lineno}" if stack else ""
    coroutine = task.get_coro()
    what = getattr(coroutine, "__qualname__", repr(coroutine))
    return f"{task.get_name()} ({what}{where})"
