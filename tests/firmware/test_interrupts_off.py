"""How long interrupts are off on each board while it is busy, and how late its edges are dated for that."""

from __future__ import annotations

import tomllib
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from hal.board.edge_stream import unpack
from hal.board.message import BoardCommand
from hal.board.messages import (
    KINDS,
    AcceptCommand,
    CountCommand,
    EdgesReport,
    LampsCommand,
    MotorCommand,
    SampleCommand,
    SetCommand,
    SpinCommand,
)
from tests.firmware.avr_board import TICK_NS, AvrBoard
from tests.firmware.conftest import FIRMWARE
from tests.firmware.emulated import MS

CLOSED = {
    name: kind["closed_cycles"]
    for name, kind in tomllib.loads((FIRMWARE / "wire" / "messages.toml").read_text())["kind"].items()
}
"""The stated bounds, in cycles."""
SECONDS = 2
TICK_ERROR_NS = 1_000
"""Of the test's own knowledge of the board's clock: ticks of 0.5 µs, at both ends."""
QUIET = 7
"""The last input of boards that handle money warns of a power cut: it stays at rest."""
REST = {"wheel": 0, "table": 0, "reel": 0, "pusher": 0}
"""The level of the inputs at rest."""


class Busy(NamedTuple):
    """What was measured."""

    closed: int
    """Cycles."""
    errors_ns: list[float]
    """Of each dated edge: how much later it was dated than it was."""


def orders(kind: str) -> list[BoardCommand]:
    """All that keeps a kind busy."""
    given: dict[str, list[BoardCommand]] = {
        "wheel": [CountCommand(1, 2, 3), SampleCommand(15, 1), *(SetCommand(n, 255, 0) for n in range(1, 5))],
        "table": [MotorCommand(90, 0, 0), LampsCommand(b"\xa5" * 8)],
        "reel": [*(SpinCommand(reel, 400, 0) for reel in (1, 2, 3)), AcceptCommand(1), LampsCommand(b"\xff" * 8)],
        "pusher": [MotorCommand(100, 0, 0), AcceptCommand(1), SetCommand(4, 255, 0)],
    }
    return given[kind]


@cache
def busy(kind: str) -> Busy:
    """A board with edges on all inputs, in no step with it, while it does all it can."""
    draw = Random(1)
    rest = REST[kind]
    money = bool(KINDS[kind].counters)
    lines, spread = range(QUIET if money else 8), 2 if money else 1  # their store of edges is half as large
    with AvrBoard(kind, watch=0xFF) as board:
        board.chip.drive_many((board.pin(line), rest, board.chip.now_ns) for line in range(8))
        board.live(300 * MS)
        t_ns, levels = board.chip.now_ns + 5 * MS, [rest] * 8
        plan: list[tuple[int, int, int]] = []
        while t_ns < board.chip.now_ns + SECONDS * 1000 * MS:
            line = draw.choice(lines)
            levels[line] ^= 1
            plan.append((line, levels[line], t_ns))
            t_ns += spread * draw.choice((draw.randint(12_000, 60_000), draw.randint(60_000, 3 * MS)))
        board.chip.drive_many((board.pin(line), level, at_ns) for line, level, at_ns in plan)
        before = len(board.said)
        board.chip.longest_closed()
        while board.chip.now_ns < plan[-1][2]:
            for order in orders(kind):
                board.tell(order)
            board.live(60 * MS)
        closed, _ = board.chip.longest_closed()
        board.live(80 * MS)
        told: list[tuple[int, int, float]] = []
        for report in board.reports(EdgesReport, before):
            for edge in unpack(report):
                if edge.line < 8:
                    told.append((edge.line, edge.level, board.zero_ns + TICK_NS * (report.time + edge.after)))
        assert [edge[:2] for edge in told] == [edge[:2] for edge in plan], "an edge was lost: no time can be compared"
        return Busy(closed, [ours[2] - true[2] for ours, true in zip(told, plan, strict=True)])


@pytest.mark.parametrize("kind", KINDS)
def test_interrupts_are_off_no_longer_than_is_stated(kind: str) -> None:
    closed = busy(kind).closed
    assert closed <= CLOSED[kind]
    assert closed >= 0.6 * CLOSED[kind], "the bound says nothing if it is that far off"


@pytest.mark.parametrize("kind", KINDS)
def test_edges_are_dated_within_the_stated_bound(kind: str) -> None:
    errors = busy(kind).errors_ns
    assert max(errors) < KINDS[kind].late_ns + TICK_ERROR_NS
    assert min(errors) > -3_000, "what is taken off for the way to the clock is not too much"
