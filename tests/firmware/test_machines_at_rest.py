"""Machines at the pins of an emulated board are not called while they have nothing to do, and miss nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controller.boards.emulation import emulated_copy, shared_table
from controller.games.assembly import geometry_of
from hal.values import RunMotor
from simulators.board.emulated import PinChange
from simulators.board.machines import NEVER_NS, MachineBoard, PinDriver
from tests.firmware.emulated import DDRB, MS, built
from tests.firmware.live_evening import example
from tests.tables.bench import configured

SLICE_NS = MS


class Noting:
    """Notes when it looks, and the outputs that changed before."""

    every_ns = SLICE_NS

    def __init__(self, watched: tuple[str, ...], rests_until_ns: int = NEVER_NS) -> None:
        self.watched = watched
        self._due_ns = rests_until_ns
        self.looks: list[tuple[int, list[str]]] = []

    @property
    def rests_until_ns(self) -> int:
        return self._due_ns if len(self.looks) < 2 else NEVER_NS

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        self.looks.append((board.now_ns, [change.pin for change in changes]))


def looks_of(machine: Noting) -> list[tuple[int, list[str]]]:
    """Its looks, in milliseconds, at a board whose output B0 begins after 5 ms, until it has run for 20 ms."""
    with MachineBoard(built("probe.elf"), [machine]) as board:
        board.run_until(MS)
        board.take_sent()
        machine.looks.clear()
        board.receive(bytes((ord("d"), DDRB, 1)), 5 * MS)
        board.run_until(20 * MS)
    return [(t_ns // MS, pins) for t_ns, pins in machine.looks]


def test_an_output_that_is_watched_is_seen_at_the_end_of_its_slice() -> None:
    assert looks_of(Noting(("B0",))) == [(6, ["B0"]), (20, [])]


def test_an_output_that_is_not_watched_is_seen_at_the_end() -> None:
    assert looks_of(Noting(("B1",))) == [(20, ["B0"])]


def test_a_machine_looks_when_it_has_something_to_do() -> None:
    assert looks_of(Noting((), 3 * MS))[:1] == [(3, [])]


def test_a_table_rests_until_its_next_value_but_not_while_its_cage_turns() -> None:
    config = configured(emulated_copy(example("beat_the_dealer_board"), Path("/nowhere")))
    table = shared_table(geometry_of(config).simulator(1), config, {})
    assert table.next_value_ns("table") == 0
    table.take("table", 0)
    quiet_ns = table.next_value_ns("table")
    assert quiet_ns > 0
    table.command(RunMotor("motor", 1.0, MS))
    assert table.next_value_ns("table") == 0
    table.take("table", 2 * MS)
    table.command(RunMotor("motor", 0.0, 3 * MS))
    table.take("table", 4 * MS)
    assert table.next_value_ns("table") > 0
