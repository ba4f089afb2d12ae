"""Edges on the pins of a wheel board: what its firmware tells through pyserial is what happened, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from hal.backends.board import BoardLines
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.messages import KINDS
from hal.clock import VirtualClock
from hal.lines import LineSpec
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.values import Batch, Edge, Rare
from simulators.board.lines_to_pins import LinesPlayer, wired_in_order
from simulators.board.lockstep import LockStep
from tests.firmware.emulated import MS, S, board

WHEEL = KINDS["wheel"]
BEGINS_NS = 8 * S
"""The edges begin when the board's clock is known."""
WITHIN_NS = 20_000


class Told:
    """A sink that keeps what it was given."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.edges += edges
        self.rare += rare


def told_by_the_board(path: Path, lines: Sequence[str], batch: Batch, ppm: int) -> Told:
    """What comes through the port when the lines do this on the board's pins."""

    async def main() -> Told:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        clock, told = loop.clock, Told()
        hz = 16_000_000 + 16 * ppm
        with board("wheel", clock_hz=hz) as chip, LockStep(chip, path) as step:
            step.play(LinesPlayer(chip, wired_in_order(WHEEL, lines), [batch]))
            link = BoardLink("wheel", str(path), ExpectedBoard(WHEEL, None, None), clock, draw=lambda: 7)
            inputs = [LineSpec(line, number, board="wheel") for number, line in enumerate(lines, 1)]
            source = BoardLines(inputs, link, clock)
            source.open(told)
            while clock.now_ns() < batch.until_ns + S:
                await sleep_ns(50 * MS)
                source.delivered_until(clock.now_ns())
                # A room that grows warmer: 1 ppm in 5 s.
                chip.set_clock_hz(round(hz + 16 * clock.now_ns() / (5 * S)))
            source.close()
            await link.wait_closed()
            assert (chip.overruns, chip.resets) == (0, 0)
        return told

    return run_virtual(main(), VirtualClock())


def scattered(seed: int, lines: Sequence[str], from_ns: int, count: int) -> Batch:
    """Changes of lines at irregular times, 150 a second."""
    rng, levels, t_ns, edges = Random(seed), dict.fromkeys(lines, 0), from_ns, []
    for _ in range(count):
        t_ns += 100_000 + round(rng.expovariate(150) * S)
        line = rng.choice(lines)
        levels[line] ^= 1
        edges.append(Edge(line, levels[line], t_ns))
    return Batch(edges, [], t_ns)


@pytest.mark.parametrize("ppm", [0, -120])
def test_every_edge_comes_through_within_20_microseconds_while_the_crystal_drifts(tmp_path: Path, ppm: int) -> None:
    lines = ("wheel_a", "wheel_b", "wheel_index", "pocket", "ball_1", "ball_2", "ball_3", "tilt")
    happened = scattered(ppm, lines, BEGINS_NS, 1_500)
    told = told_by_the_board(tmp_path / "port", lines, happened, ppm)
    assert told.rare == []
    found, came = told.edges[: len(lines)], told.edges[len(lines) :]
    assert {edge.level for edge in found} == {0}
    assert [(edge.line, edge.level) for edge in came] == [(edge.line, edge.level) for edge in happened.edges]
    errors_ns = [abs(edge.t_ns - change.t_ns) for edge, change in zip(came, happened.edges, strict=True)]
    assert max(errors_ns) < WITHIN_NS
