"""How long an event takes from a table to a subscriber, next to what it cannot be faster than.

Each turn does one of each, one after the other, on one disk and to one subscriber in a process of its own, so that a
slow moment of the machine hits all of them. Time is that which passes, on the clock that all processes share.

    hop         pyzmq alone: XPUB ─► SUB
    fdatasync   append 256 bytes, fdatasync
    sqlite      one row of 256 bytes: WAL, synchronous=FULL
    ours        Pipeline.put ─► journal, durable ─► XPUB ─► SUB
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import monotonic_ns, process_time_ns
from typing import NamedTuple

import zmq
from nacl.signing import SigningKey

from audit.errors import JournalError
from benchmarks.bare_disk import bare_append, bare_sqlite
from controller.journal.journal import Journal
from controller.journal.writer import Done, Heads
from controller.service.counters import ServiceCounters
from controller.service.pipeline import Pipeline
from feed import events
from feed.endpoints import Endpoints
from feed.events import Event, encode, type_of
from feed.publisher import Publisher
from hal.clock import SystemClock

HOP = b"hop/"
TABLE = "roulette-1"
EPOCH = "0123456789abcdef"
PATIENCE_S = 60
ON_THE_WAY = 1000
"""Events that are submitted and not durable yet, at most."""
WARM_UP = 5
"""Turns that do not count."""


class LatencyRig:
    """A journal, a pipeline and a feed on one folder, and subscribers in processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.get_running_loop()
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.endpoints = Endpoints.parse(f"ipc://{folder}/run")
        self.publisher = Publisher(self.context, self.endpoints, queue=1_000_000)
        self.publisher.bind()
        self.journal = Journal.open(
            folder / "journal.sqlite", SigningKey.generate(), clock=SystemClock(), deliver=self._deliver
        )
        self.pipeline = Pipeline(
            self.journal, self.publisher, SystemClock(), ServiceCounters(), heads={}, halted=self._halted
        )
        self.acks = self.context.socket(zmq.PULL)
        self.acks.bind(f"ipc://{folder}/acks")
        self._awaited: deque[asyncio.Future[int]] = deque()
        self.loop.add_reader(self.acks.fileno(), self._take_acks)
        self._folder = folder
        self._sequence = 0

    @contextmanager
    def subscribers(self, count: int, every: int) -> Iterator[None]:
        """This many subscribers; each reports when it received every nth message."""
        words = [sys.executable, "-m", "benchmarks.service_peer", self.endpoints.feed, f"ipc://{self._folder}/acks"]
        process = subprocess.Popen([*words, str(count), str(every)])
        try:
            yield
        finally:
            process.kill()
            process.wait()

    async def joined(self, count: int) -> None:
        """Waits until this many subscribers are there."""
        while self.publisher.subscriptions < count:
            await asyncio.sleep(0.005)

    def ack(self) -> asyncio.Future[int]:
        """When a subscriber will have received what it is to acknowledge.

        Asked for before anything is sent: the loop's thread has nothing left to do then but to wait, as in a service at
        rest, and the benchmark's own bookkeeping keeps no other thread from Python.
        """
        future = self.loop.create_future()
        limit = self.loop.call_later(PATIENCE_S, self._give_up, future)
        future.add_done_callback(lambda _done: limit.cancel())
        self._awaited.append(future)
        return future

    def next_event(self) -> Event:
        """An event of the usual size."""
        self._sequence += 1
        number = self._sequence
        return Event(
            id=f"{TABLE}.{EPOCH}.{number}",
            source=f"/tables/{TABLE}",
            type=type_of(events.NoMoreBets),
            subject=f"round/{number}",
            time="2030-01-01T20:00:00.000000Z",
            sequence=f"{number:020d}",
            data=events.NoMoreBets(
                table=TABLE, game="roulette", simulated=True, mono_ns=number, round=number, by="dealer", rule="20.32(d)"
            ),
        )

    def close(self) -> None:
        self.loop.remove_reader(self.acks.fileno())
        self.journal.close()
        self.publisher.close()
        self.context.destroy(linger=0)

    def _take_acks(self) -> None:
        while True:
            try:
                received_ns = int(self.acks.recv(zmq.NOBLOCK))
            except zmq.Again:
                return
            self._awaited.popleft().set_result(received_ns)

    @staticmethod
    def _give_up(future: asyncio.Future[int]) -> None:
        future.set_exception(TimeoutError(f"no subscriber acknowledged within {PATIENCE_S} s"))

    def _deliver(self, done: Done, result: Heads | JournalError) -> None:
        self.loop.call_soon_threadsafe(done, result)

    def _halted(self, failure: JournalError) -> None:
        raise failure


def _timed(work: Callable[[], None]) -> int:
    begin = monotonic_ns()
    work()
    return monotonic_ns() - begin


async def _latencies(turns: int, folder: Path) -> dict[str, list[int]]:
    took: dict[str, list[int]] = {"hop": [], "fdatasync": [], "sqlite": [], "ours": []}
    rig = LatencyRig(folder)
    try:
        with (
            rig.subscribers(1, 1),
            ThreadPoolExecutor(1) as worker,
            bare_append(folder) as append,
            bare_sqlite(folder) as commit,
        ):
            await rig.joined(1)

            async def hop() -> int:
                acked = rig.ack()
                begin = monotonic_ns()
                rig.publisher.publish(HOP, b"x" * 256)
                return await acked - begin

            async def ours() -> int:
                event, acked = rig.next_event(), rig.ack()
                begin = monotonic_ns()
                rig.pipeline.put([event])
                return await acked - begin

            async def blocking(work: Callable[[], None]) -> int:
                # On a thread, as the journal's commit is: on some machines a disk answers sooner to one that is busy.
                return await rig.loop.run_in_executor(worker, _timed, work)

            subjects: list[tuple[str, Callable[[], Awaitable[int]]]] = [
                ("hop", hop),
                ("fdatasync", lambda: blocking(append)),
                ("sqlite", lambda: blocking(commit)),
                ("ours", ours),
            ]
            for turn in range(turns + WARM_UP):
                # A disk is quicker just after it was synced: each is the first of a turn as often as the others.
                at = turn % len(subjects)
                for name, subject in subjects[at:] + subjects[:at]:
                    took_ns = await subject()
                    if turn >= WARM_UP:
                        took[name].append(took_ns)
    finally:
        rig.close()
    return took


async def _sustained(count: int, subscribers: int, folder: Path) -> float:
    """Events a second until every subscriber has the last, with a bounded number on the way."""
    rig = LatencyRig(folder)
    waiting = asyncio.Semaphore(ON_THE_WAY)
    try:
        with rig.subscribers(subscribers, count):
            await rig.joined(subscribers)
            acked = [rig.ack() for _ in range(subscribers)]
            begin = monotonic_ns()
            for _ in range(count):
                await waiting.acquire()
                rig.pipeline.put([rig.next_event()], then=lambda failure: waiting.release())
            last = max([await one for one in acked])
    finally:
        rig.close()
    return count / ((last - begin) / 1e9)


class Sent(NamedTuple):
    """What it took to have events at all of many subscribers."""

    rate: float
    """Events a second."""
    sender_us: float
    """The processor time of the sending process, of all its threads, for each event."""


async def _fan_out(count: int, subscribers: int, bare_first: bool, folder: Path) -> tuple[Sent, Sent]:
    """Of a bare XPUB, and of a pipeline: the same bytes, by one socket, to the same subscribers."""
    rig = LatencyRig(folder)
    try:
        with rig.subscribers(subscribers, count):
            await rig.joined(subscribers)
            published = [rig.next_event() for _ in range(count)]
            messages = [(event.topic.encode(), encode(event)) for event in published]

            async def timed(send: Callable[[], Awaitable[None]]) -> Sent:
                acked = [rig.ack() for _ in range(subscribers)]
                begin, spent = monotonic_ns(), process_time_ns()
                await send()
                last = max([await one for one in acked])
                return Sent(count / ((last - begin) / 1e9), (process_time_ns() - spent) / count / 1e3)

            async def bare() -> None:
                socket = rig.publisher.socket.raw
                for topic, body in messages:
                    socket.send(topic, zmq.DONTWAIT | zmq.SNDMORE)
                    socket.send(body, zmq.DONTWAIT)

            async def ours() -> None:
                waiting = asyncio.Semaphore(ON_THE_WAY)
                for event in published:
                    await waiting.acquire()
                    rig.pipeline.put([event], then=lambda failure: waiting.release())

            if bare_first:
                of_bare = await timed(bare)
                return of_bare, await timed(ours)
            of_ours = await timed(ours)
            return await timed(bare), of_ours
    finally:
        rig.close()


def latencies(turns: int) -> dict[str, list[int]]:
    """Nanoseconds of every turn, for `hop`, `fdatasync`, `sqlite` and `ours`."""
    with tempfile.TemporaryDirectory(prefix="service-bench-") as name:
        return asyncio.run(_latencies(turns, Path(name)))


def sustained(count: int, subscribers: int) -> float:
    """Events a second, journalled and published, with this many subscribers."""
    with tempfile.TemporaryDirectory(prefix="service-bench-") as name:
        return asyncio.run(_sustained(count, subscribers, Path(name)))


def fan_out(count: int, subscribers: int, turns: int) -> dict[str, list[Sent]]:
    """Events to this many subscribers, of each turn: `bare`, of an XPUB that sends the same bytes to the same sockets
    and has no journal, and `ours`, each durable before it is sent. Each is the first in every other turn."""
    sent: dict[str, list[Sent]] = {"bare": [], "ours": []}
    for turn in range(turns):
        with tempfile.TemporaryDirectory(prefix="service-bench-") as name:
            bare, ours = asyncio.run(_fan_out(count, subscribers, turn % 2 == 0, Path(name)))
        sent["bare"].append(bare)
        sent["ours"].append(ours)
    return sent


def p50(took_ns: list[int]) -> float:
    """The median, in milliseconds."""
    return median(took_ns) / 1e6


def p99(took_ns: list[int]) -> float:
    """What 99 of 100 do not exceed, in milliseconds."""
    return sorted(took_ns)[min(len(took_ns) - 1, len(took_ns) * 99 // 100)] / 1e6
