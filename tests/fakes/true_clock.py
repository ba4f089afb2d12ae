"""The true time of a board's clock, and the clock exchanges that a host has with the board."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from hal.board.clock import ClockMap
from hal.board.messages import ClockAnswer

MS = 1_000_000
S = 1000 * MS
BYTE_NS = 40_000
COMMAND_BYTES = 7
ANSWER_BYTES = 17

Latency = Callable[[Random], float]
"""Nanoseconds that one way takes beyond its time on the wire."""


class Sample(NamedTuple):
    """A tick, and the host time at which the board's clock reached it."""

    ticks: int
    t_ns: float


class TrueClock:
    """A clock that is off, and drifts; `now_ns` is the host's time, which it does not know."""

    def __init__(self, rng: Random, ppm: float, wander_ppm_s: float = 0.0, ticks: int = 0) -> None:
        """Its rate changes by up to `wander_ppm_s` a second, and turns at random."""
        self.now_ns = 0.0
        self.rate = 1 + ppm * 1e-6
        self._rng = rng
        self._most = wander_ppm_s * 1e-15
        self._wander = rng.uniform(-self._most, self._most)
        self._turns_ns = 0.0
        self._ticks = float(ticks)

    def wait(self, for_ns: float) -> None:
        """Time passes."""
        while for_ns > 0:
            if self.now_ns >= self._turns_ns:
                self._wander = self._rng.choice((-1, 1, self._rng.uniform(-1, 1))) * self._most
                self._turns_ns = self.now_ns + self._rng.uniform(0.2, 20) * S
            step_ns = min(for_ns, max(self._turns_ns - self.now_ns, 1.0))
            self._ticks += (self.rate + self._wander * step_ns / 2) * step_ns / 500
            self.rate += self._wander * step_ns
            self.now_ns += step_ns
            for_ns -= step_ns

    def jump(self, ticks: int) -> None:
        """It suddenly shows another time."""
        self._ticks += ticks

    def sample(self) -> Sample:
        """The tick that it shows."""
        ticks = int(self._ticks)
        return Sample(ticks, self.now_ns - (self._ticks - ticks) * 500 / self.rate)


class Exchanges:
    """A host that reads a board's clock: exchanges go to `map`, and `samples` has instants between them."""

    def __init__(self, map_: ClockMap, clock: TrueClock, rng: Random, out: Latency, back: Latency) -> None:
        self.map = map_
        self.clock = clock
        self.out = out
        self.back = back
        self.samples: list[Sample] = []
        """Of the board's time since the last exchange but one."""
        self._rng = rng

    def one(self, then_ns: float) -> None:
        """One exchange, and time up to the next."""
        clock, rng = self.clock, self._rng
        sent_ns = int(clock.now_ns)
        clock.wait(self.out(rng) + COMMAND_BYTES * BYTE_NS)
        received = clock.sample().ticks
        clock.wait(rng.uniform(0.02, 3) * MS)
        self._note()
        begun = clock.sample().ticks
        clock.wait(ANSWER_BYTES * BYTE_NS / clock.rate + self.back(rng))
        self._note()
        answer = ClockAnswer(received & 0xFFFFFFFF, received >> 32, min(begun - received, 65535))
        self.map.exchange(sent_ns, int(clock.now_ns) + 1, answer, COMMAND_BYTES, ANSWER_BYTES)
        left_ns = sent_ns + then_ns - clock.now_ns
        for _ in range(3):
            clock.wait(max(left_ns / 3, rng.uniform(0, MS)))
            self._note()

    def _note(self) -> None:
        self.samples.append(self.clock.sample())
        del self.samples[:-8]
