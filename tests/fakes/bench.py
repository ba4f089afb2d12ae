"""A bench on a clock that the test advances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from controller.bench_page.host import ENCODER, TICK_NS, UPDATE_NS, BenchHost
from controller.games.load import check_text
from hal.clock import FastClock, VirtualClock

START_NS = 7_000_000_000

ROULETTE = '[table]\nid = "roulette-1"\ngame = "roulette"\n[lines]\nbackend = "sim"\n'
MONEY_WHEEL = '[table]\nid = "wheel-1"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n'


class SteppedBench:
    """A bench whose time passes only by `advance`."""

    def __init__(self, text: str, *, seed: int = 1) -> None:
        report = check_text(text)
        assert not report.errors, report.errors
        self.system = VirtualClock(START_NS)
        self.host = BenchHost(report.tables[0], FastClock(1.0, self.system), seed=seed)
        self.failed = self.host.open()
        self.updates: list[dict[str, Any]] = []
        self.sent: Callable[[bytes], None] = lambda update: None

    def advance(self, seconds: float) -> None:
        """Lets time pass, with ticks and updates as a running bench has them."""
        until_ns = self.system.now_ns() + round(seconds * 1e9)
        while self.system.now_ns() < until_ns:
            for _ in range(UPDATE_NS // TICK_NS):
                self.system.advance_to(self.system.now_ns() + TICK_NS)
                self.host.tick()
            encoded = ENCODER.encode(self.host.update())
            self.updates.append(msgspec.json.decode(encoded))
            self.sent(encoded)

    def until(self, found: Callable[[], bool], most_s: float = 300.0) -> None:
        """Lets time pass until something is so; fails where it never is."""
        passed = 0.0
        while not found():
            assert passed < most_s, "it did not come"
            self.advance(0.2)
            passed += 0.2

    @property
    def words(self) -> list[str]:
        """The words of every event so far."""
        return [event["words"] for update in self.updates for event in update.get("events", [])]

    def act(self, action: str, **given: Any) -> str:
        """Does something on the page."""
        return self.host.act({"action": action, **given})
