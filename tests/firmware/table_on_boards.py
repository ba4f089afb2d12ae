"""A live table whose boards are emulated.

    table.toml ──► LiveTable ◄── merge ◄── BoardLines ◄── BoardLink ◄── pyserial ◄── pty ◄── UART ┐
                       └── lamps ──► BoardOutputs ──► BoardLink ──► pyserial ──► pty ──► UART ──► firmware
    batches: what the lines do ──────────────────────────────────────────────────────► pins ──────┘

All of it on one virtual loop. The batches' times are the loop's: boards and table begin at 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from controller.boards.emulation import emulated_copy, port_of, wiring_of
from controller.live.wiring import Wiring, wire
from hal.backends.board import BoardLines
from hal.board.link import BoardLink
from hal.values import Edge, Rare
from simulators.board.adapter import EXACT, Adapter
from simulators.board.emulated import EmulatedBoard, PinChange
from simulators.board.lines_to_pins import LinesPlayer
from simulators.board.link_faults import NO_FAULTS, ByteFaults
from simulators.board.lockstep import LockStep
from simulators.board.played_link import LinkOnPty
from tests.firmware.emulated import board
from tests.firmware.live_evening import LiveEvening, PlayedBatches, TableEvening
from tests.tables.bench import configured


class Conditions(NamedTuple):
    """What is on a port, and what the way to it is like."""

    adapter: Adapter = EXACT
    to_board: ByteFaults = NO_FAULTS
    to_host: ByteFaults = NO_FAULTS
    seed: int = 0
    clock_hz: int | None = None
    """Of a board's crystal; without it what it should be."""
    kind: str | None = None
    """The kind of the board, where it is not what the file says."""


class Overheard(BoardLines):
    """The lines of a board, whose deliveries are kept."""

    edges: list[Edge]
    rare: list[Rare]
    errors_ns: list[int]
    """At each delivery of edges: how far their times may be wrong, as the lines say it."""

    def _deliver(self, edges: list[Edge], rare: list[Rare]) -> None:
        self.edges += edges
        self.rare += rare
        if edges and self.error_ns is not None:
            self.errors_ns.append(self.error_ns)
        super()._deliver(edges, rare)


def overhear(source: object) -> Overheard:
    """Keeps what a board's lines deliver from now on."""
    assert type(source) is BoardLines
    source.__class__ = Overheard
    assert isinstance(source, Overheard)
    source.edges, source.rare, source.errors_ns = [], [], []
    return source


class TableOnBoards(LiveEvening):
    """The table, and its boards by their names in the file."""

    def __init__(
        self,
        values: Mapping[str, Any],
        folder: Path,
        evening: TableEvening,
        conditions: Conditions | None = None,
        *,
        supervised: bool = True,
    ) -> None:
        """`values` are those of a table's file on boards; their ports become those of the emulated ones in `folder`."""
        super().__init__(configured(emulated_copy(values, folder)), evening, supervised=supervised)
        self.boards: dict[str, EmulatedBoard] = {}
        self.steps: dict[str, LockStep] = {}
        self.lines: dict[str, Overheard] = {}
        self.changes: dict[str, list[PinChange]] = {}
        """What each board's outputs did; known at the end."""
        self._folder = folder
        self._conditions = conditions or Conditions()

    def _wire(self, opened: ExitStack) -> Wiring:
        for name in self.config.boards:
            self._plug_in(name, opened)
        played = PlayedBatches(self.evening.batches)
        ports = {link: Path(one.port) for link, one in self.config.links.items()}
        self._play_links(opened, [LinkOnPty(played, link, port) for link, port in ports.items()])
        wiring = wire(self.config, self.clock, {}, 1)
        lines = [source for source in wiring.sources if isinstance(source, BoardLines)]
        self.lines = {name: overhear(source) for name, source in zip(self.config.boards, lines, strict=True)}
        self.links = {name: link for name, link in wiring.boards.items() if isinstance(link, BoardLink)}
        return wiring

    async def _ended(self) -> None:
        for link in self.links.values():
            await link.wait_closed()
        self.changes = {name: chip.take_changes() for name, chip in self.boards.items()}

    def _board(self, name: str) -> EmulatedBoard:
        """Makes a board, with whatever hangs on it beside its lines."""
        is_like = self._conditions
        wanted = self.config.boards[name]
        return board(is_like.kind or wanted.kind, clock_hz=is_like.clock_hz, chip=wanted.chip)

    def _plug_in(self, name: str, opened: ExitStack) -> None:
        is_like = self._conditions
        chip = opened.enter_context(self._board(name))
        step = opened.enter_context(
            LockStep(
                chip,
                port_of(self._folder, name),
                adapter=is_like.adapter,
                to_board=is_like.to_board,
                to_host=is_like.to_host,
                seed=is_like.seed,
            )
        )
        step.play(LinesPlayer(chip, wiring_of(self.config, name), self.evening.batches))
        self.boards[name], self.steps[name] = chip, step


def errors_ns(table: TableOnBoards) -> list[int]:
    """How far the time of each edge that was delivered is from when the wire changed; every change must be there."""
    errors: list[int] = []
    for name, heard in table.lines.items():
        for line in wiring_of(table.config, name).pins:
            told = [edge for edge in heard.edges if edge.line == line]
            found = told.pop(0)
            changes = [change for change in _changes(table.evening, line) if change.t_ns > found.t_ns]
            assert [edge.level for edge in told] == [change.level for change in changes], f"line {line}"
            errors += [edge.t_ns - change.t_ns for edge, change in zip(told, changes, strict=True)]
    return errors


def _changes(evening: TableEvening, line: str) -> list[Edge]:
    """What the wire of a line does: two equal levels in a row are not a change."""
    levels = [edge for batch in evening.batches for edge in batch.edges if edge.line == line]
    return [edge for before, edge in pairwise(levels) if edge.level != before.level]
