"""A bench on a clock that the test advances."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from controller.bench.simulation import simulate
from controller.bench_page.host import ENCODER, UPDATE_NS, BenchHost
from controller.bench_page.said import Said
from controller.configuration.values import TableConfig
from controller.games.load import check_text
from hal.capture.vcd_writer import CaptureLines, VcdWriter
from hal.clock import FastClock, VirtualClock
from hal.values import Batch, Edge

START_NS = 7_000_000_000

ROULETTE = '[table]\nid = "roulette-1"\ngame = "roulette"\n[lines]\nbackend = "sim"\n'
MONEY_WHEEL = '[table]\nid = "wheel-1"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n'


def config_of(text: str) -> TableConfig:
    return check_text(text).tables[0]


def captured(config: TableConfig, path: Path, fault: str, *, drop: int | None = None) -> Path:
    """A capture of one simulated round; without the edge number `drop` of the first line."""
    batches = [played.batch for played in simulate(config, 1, 1, {1: fault})]
    lines = sorted({edge.line for batch in batches for edge in batch.edges})
    reals = tuple(line for line in lines if line.startswith("level"))
    with path.open("w", encoding="ascii", newline="") as stream:
        writer = VcdWriter(stream, CaptureLines(wires=tuple(lines), reals=(*reals, "level_x", "level_y")))
        seen = 0
        for edges, rare, until_ns in batches:
            kept: list[Edge] = []
            for edge in edges:
                seen += edge.line == lines[-1]
                if drop is None or edge.line != lines[-1] or seen != drop:
                    kept.append(edge)
            writer.write(Batch(kept, rare, until_ns))
        writer.finish()
    return path


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
        """Lets time pass, with the updates of a running bench and a tick before each."""
        until_ns = self.system.now_ns() + round(seconds * 1e9)
        while self.system.now_ns() < until_ns:
            self.system.advance_to(self.system.now_ns() + UPDATE_NS)
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

    def act(self, action: str, **given: Any) -> Said:
        """Does something on the page."""
        return self.host.act({"action": action, **given})
