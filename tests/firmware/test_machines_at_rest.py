"""Machines at the pins of an emulated board are not called while they have nothing to do, and miss nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from controller.boards.emulation import emulated_copy, shared_table, wiring_of
from controller.games.assembly import geometry_of
from hal.values import RunMotor
from simulators.board import library
from simulators.board.emulated import PinChange
from simulators.board.library import EmulationError
from simulators.board.machines import NEVER_NS, MachineBoard, PinDriver
from simulators.board.played_table import PlayedTable
from simulators.reels.table import ReelsSimulator
from tests.firmware.emulated import DDRB, FIRMWARE, MS, PORTB, built
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
        self.rests: list[int] = []
        """Up to when it was told that it had rested, in milliseconds."""

    @property
    def rests_until_ns(self) -> int:
        return self._due_ns if len(self.looks) < 2 else NEVER_NS

    def rested(self, until_ns: int) -> None:
        self.rests.append(until_ns // MS)

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        self.looks.append((board.now_ns, [change.pin for change in changes]))


def looks_of(machine: Noting) -> list[tuple[int, list[str]]]:
    """Its looks, in milliseconds, at a board whose output B0 begins after 5 ms, until it has run for 20 ms."""
    with MachineBoard(built("probe.elf"), [machine]) as board:
        board.run_until(MS)
        board.take_sent()
        machine.looks.clear()
        machine.rests.clear()
        board.receive(bytes((ord("d"), DDRB, 1)), 5 * MS)
        board.run_until(20 * MS)
    return [(t_ns // MS, pins) for t_ns, pins in machine.looks]


def test_an_output_that_is_watched_is_seen_at_the_end_of_its_slice() -> None:
    machine = Noting(("B0",))
    assert looks_of(machine) == [(6, ["B0"]), (20, [])]
    assert machine.rests == [5, 19], "where the slices began, after which it looked"


def test_a_board_whose_crystal_stands_has_machines_as_before() -> None:
    machine = Noting(("B0",))
    with MachineBoard(built("probe.elf"), [machine]) as board:
        board.freeze(on=True)
        board.run_until(3 * MS)
    assert [t_ns for t_ns, _ in machine.looks] == [MS, 2 * MS, 3 * MS]


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


class Reel(MachineBoard):
    """A board whose B0 steps the first reel of a simulated machine; it keeps when it was driven to what."""

    def __init__(self, machine: PlayedTable) -> None:
        super().__init__(built("probe.elf"), [machine])
        self.driven: list[tuple[str, int | None, int]] = []

    def drive_many(self, levels: Iterable[tuple[str, int | None, int]]) -> None:
        planned = list(levels)
        self.driven += planned
        super().drive_many(planned)


class Restless(PlayedTable):
    """The same table, asked after each slice."""

    rests_until_ns = 0


def driven_by(kind: type[PlayedTable]) -> list[tuple[str, int | None, int]]:
    """What a reel that is stepped past its home sensor drives, on a board that runs for odd times."""
    config = configured(emulated_copy(example("skill_stop_reel_board"), Path("/nowhere")))
    simulator = geometry_of(config).simulator(1)
    assert isinstance(simulator, ReelsSimulator)
    simulator.bodies[1].place = simulator.geometry.steps - 3
    table = shared_table(simulator, config, {})
    machine = kind(table, "reels", wiring_of(config, "reels"), {"B0": ("reels.1", "motor")})
    with Reel(machine) as board:
        board.receive(bytes((ord("d"), DDRB, 1)), 5 * MS)
        for at in range(30):
            board.receive(bytes((ord("d"), PORTB, (at + 1) % 2)), 20 * MS + at * 7_330_001)
        for until_ns in range(13_370_000, 300 * MS, 13_370_000):
            while board.now_ns < until_ns:
                board.run_until(until_ns)
        return board.driven


def test_what_a_table_drives_is_the_same_whether_it_rests_or_is_asked_after_each_slice() -> None:
    driven = driven_by(PlayedTable)
    assert driven == driven_by(Restless)
    assert [level for pin, level, t_ns in driven if t_ns > 30 * MS] == [1, 0], "the flag came, and went"


def test_a_table_rests_no_longer_than_its_round_whatever_answers_later() -> None:
    config = configured(emulated_copy(example("skill_stop_reel_board"), Path("/nowhere")))
    simulator, twin = (geometry_of(config).simulator(1) for _ in range(2))
    assert isinstance(twin, ReelsSimulator)
    ends_ns = twin.start().until_ns
    table = shared_table(simulator, config, {})
    table.take("reels", 0)
    assert twin.next_answer_ns is not None
    assert table.next_value_ns("reels") == ends_ns < twin.next_answer_ns


def test_a_library_of_other_sources_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    built("libsimboard.so")
    load = library.library.__wrapped__
    load()
    with monkeypatch.context() as patch, pytest.raises(EmulationError, match="of other sources than these"):
        patch.setitem(library._FUNCTIONS, "board_of_tomorrow", (None, []))
        load()
    monkeypatch.setattr(library, "_key", lambda: "0123456789abcdef")
    with pytest.raises(EmulationError, match="of other sources than these; build it again: make -C firmware emulator"):
        load()


def test_a_library_of_other_sources_is_made_again_although_it_is_younger(tmp_path: Path) -> None:
    made = tmp_path / "libsimboard.so"

    def is_fresh() -> bool:
        os.utime(made, (4_000_000_000, 4_000_000_000))
        command = ["make", "-q", "-f", "emulator.mk", str(made), f"BUILD={tmp_path}"]
        return subprocess.run(command, cwd=FIRMWARE, capture_output=True, check=False).returncode == 0

    made.write_bytes(built("libsimboard.so").read_bytes())
    assert is_fresh()
    made.write_bytes(made.read_bytes().replace(library._key().encode(), b"0123456789abcdef"))
    assert not is_fresh()
