"""A wheel board and its host's end: what lines do at the pins comes out as edges and losses, by the real firmware.

    batches ──► pins ──► firmware in its chip ──► UART ──► pty ──► pyserial ──► BoardLink ──► BoardLines ─► Heard
                                                                              └─ overheard: numbers and bytes ──────┘

All of it in virtual time, in lock-step: what is heard, and when, is the same on any computer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hal.backends.board import BoardLines
from hal.board import frames
from hal.board.errors import BoardError
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink, Tap
from hal.board.message import BoardAnswer
from hal.board.messages import KINDS, REPORTS, AliveCommand, EdgesReport, StateReport
from hal.clock import VirtualClock
from hal.lines import LineSpec
from hal.loop import run_virtual, sleep_ns
from hal.values import Batch, Edge, EdgesLost, Rare
from simulators.board.adapter import EXACT, Adapter
from simulators.board.emulated import EmulatedBoard
from simulators.board.lines_to_pins import LinesPlayer, wired_in_order
from simulators.board.lockstep import LockStep

WHEEL = KINDS["wheel"]
BEGINS_NS = 2_500_000_000
"""From when on the board's clock is known, over any adapter: what is to be heard should happen later."""
LOOK_NS = 100_000_000
AFTER_NS = 500_000_000
"""This long after the last edge everything was heard."""


@dataclass
class Heard:
    """What came of it."""

    found: list[Edge] = field(default_factory=list)
    """The levels with which it began."""
    edges: list[Edge] = field(default_factory=list)
    lost: list[EdgesLost] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    """Numbers of edges that came over the wire, those of the levels found included."""
    following: int = 0
    """The number of the next edge, as the board last reported it: it has seen, or missed, this many."""
    edge_bytes: int = 0
    """Bytes on the wire of the reports of edges."""
    errors_ns: list[int] = field(default_factory=list)
    """The bound of the error of times, as the lines state it, at each delivery."""
    round_trips_ns: list[int] = field(default_factory=list)
    """From the writing of a command to the reading of its answer."""

    @property
    def missing(self) -> int:
        """Edges that the board numbered, and never reported."""
        return self.following - len(self.numbers)

    @property
    def seen(self) -> int:
        """Edges that arrived, and edges reported as missing, without the levels found."""
        return self.following - len(self.found)


class _Ear(BoardLines):
    """The board's lines, with what they know of the error of their times."""

    heard: Heard

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Keeps what was delivered: it is its own sink."""
        heard = self.heard
        for edge in edges:
            known = len(heard.found) == len(self.lines)
            (heard.edges if known else heard.found).append(edge)
        heard.lost += [value for value in rare if isinstance(value, EdgesLost)]
        if edges and self.error_ns is not None:
            heard.errors_ns.append(self.error_ns)


def hear(
    chip: EmulatedBoard,
    path: Path,
    lines: Sequence[str],
    batches: Iterable[Batch],
    until_ns: int,
    *,
    adapter: Adapter = EXACT,
    ask_every_ns: int = 0,
) -> Heard:
    """Plays batches at the pins of a wheel board, which begins at 0; its port is at `path`.

    Lines are on the inputs in their order. With `ask_every_ns` commands are sent meanwhile, and their way is timed.
    """
    heard = Heard()

    async def main() -> None:
        clock = asyncio.get_running_loop().clock  # type: ignore[attr-defined]
        with LockStep(chip, path, adapter=adapter) as step:
            step.play(LinesPlayer(chip, wired_in_order(WHEEL, lines), batches))
            link = BoardLink(
                "wheel",
                str(path),
                ExpectedBoard(WHEEL, None, None),
                clock,
                chip=chip.chip,
                draw=lambda: 1,
                tap=_overhear(heard),
            )
            specs = [LineSpec(line, number, board="wheel") for number, line in enumerate(lines, 1)]
            ear = _Ear(specs, link, clock)
            ear.heard = heard
            ear.open(ear)
            while clock.now_ns() < until_ns + AFTER_NS:
                await sleep_ns(ask_every_ns or LOOK_NS)
                ear.delivered_until(clock.now_ns())
                if ask_every_ns and link.status.up:
                    _ask(link, clock, heard)
            ear.close()
            await link.wait_closed()

    run_virtual(main())
    return heard


def _ask(link: BoardLink, clock: VirtualClock, heard: Heard) -> None:
    sent_ns = clock.now_ns()

    def answered(result: BoardAnswer | BoardError) -> None:
        if not isinstance(result, BoardError):
            heard.round_trips_ns.append(clock.now_ns() - sent_ns)

    link.submit(AliveCommand(), answered)


def _overhear(heard: Heard) -> Tap:
    def tap(direction: str, data: bytes, t_ns: int) -> None:
        if direction != "from":
            return
        frame = frames.decode(data)
        report = REPORTS.get(frame.id)
        if report is EdgesReport:
            edges = EdgesReport.unpack(frame.fields)
            heard.numbers.update(range(edges.first, edges.first + edges.count))
            heard.edge_bytes += len(data) + 1
        elif report is StateReport:
            # What is reported after the lines were closed, and begins again, may still be under way.
            heard.following = max(heard.following, StateReport.unpack(frame.fields).next)

    return tap
