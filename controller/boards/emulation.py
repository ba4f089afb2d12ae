"""Emulates the boards of a table: real firmware in emulated chips, with a simulated table on their pins.

table.toml ──► a copy whose boards are emulated, on ports in a folder ──► feltwire run
               ├─ board wheel: pty ◄─► firmware in an emulated chip ◄── pins ── simulated wheel, ball and dealer
               └─ board desk:  pty ◄─► ...                                      (the same, with the same seed)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from controller.configuration.document import toml_text
from controller.configuration.lamp_chains import board_of_lamps
from controller.configuration.terminals import place_of
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from hal.board.messages import KINDS
from hal.outputs import MOVING
from simulators.base.table import simulator_for
from simulators.board.library import LIBRARY, EmulationError
from simulators.board.lines_to_pins import AnalogueWire, PinWire, PinWiring
from simulators.board.serve import RealTime, Time, serve

Show = Callable[[str], None]


def port_of(folder: Path, board: str) -> Path:
    """The path of an emulated board's port."""
    return folder / board


def emulated_copy(values: Mapping[str, Any], folder: Path) -> str:
    """The TOML of a table with its boards on emulated ports in a folder; the table opens by itself."""
    boards = {name: _emulated(board, port_of(folder, name)) for name, board in values["board"].items()}
    table = {**values["table"], "opens": "at_start"}
    if table.get("inspection", "none") != "none":
        table = {key: value for key, value in table.items() if key != "inspection"}
    return toml_text({**values, "table": table, "lines": {**values["lines"], "backend": "board"}, "board": boards})


def _emulated(board: Mapping[str, Any], port: Path) -> dict[str, Any]:
    """The section of an emulated board, which has no serial number."""
    return {key: value for key, value in board.items() if key != "serial"} | {"port": str(port), "emulated": True}


def wiring_of(config: TableConfig, board: str) -> PinWiring:
    """Which line of a table is on which pin of one of its boards."""
    kind, supply_v = KINDS[config.boards[board].kind], config.boards[board].supply_v
    pins: dict[str, PinWire] = {}
    analogues: dict[str, AnalogueWire] = {}
    for line, terminal in config.terminals.items():
        pin = place_of(terminal, kind).pin
        if terminal.board != board or not pin:
            continue  # a key of a keypad has no pin of its own, and is not emulated
        if terminal.side == "input":
            pins[line] = PinWire(pin, terminal.inverted)
        elif terminal.side == "analogue":
            low, high = (-terminal.zero_v * terminal.per_v, (supply_v - terminal.zero_v) * terminal.per_v)
            analogues[line] = AnalogueWire(pin, low, high)
    return PinWiring(pins, analogues)


def check_built(config: TableConfig) -> None:
    """Checks that the emulator and the firmware of the table's boards were built.

    Raises:
        EmulationError: one of them is missing.
    """
    needed = [LIBRARY, *(LIBRARY.with_name(f"{board.kind}.elf") for board in config.boards.values())]
    missing = [path for path in needed if not path.is_file()]
    if missing:
        raise EmulationError(
            f"emulated board: there is no {missing[0]}; build firmware and emulator with: make firmware (it needs "
            "gcc-avr, avr-libc, libsimavr-dev and libelf-dev)"
        )


def check_playable(config: TableConfig) -> None:
    """Checks that everything on the table's boards can be emulated: sensors and contacts at pins can.

    Raises:
        EmulationError: something cannot; the message states what to do instead.
    """
    missing = [part for name in config.boards for part in _not_emulated(config, name)]
    if missing:
        raise EmulationError(
            f"emulated board: the table cannot play, because these are not emulated: {'; '.join(missing)}. Play it "
            'without boards: write backend = "sim" in [lines] of a copy of the file, and run feltwire simulate COPY'
        )


def _not_emulated(config: TableConfig, board: str) -> Iterator[str]:
    """The devices on a board of a table that cannot be emulated, in words."""
    kind = KINDS[config.boards[board].kind]
    terminals = [one for one in config.terminals.values() if one.board == board and one.line in config.uses]
    keys = [one.line for one in terminals if not place_of(one, kind).pin]
    moving = [one.line for one in terminals if config.uses[one.line].drives in MOVING]
    if keys:
        yield f"the keypad of the board {board} ({', '.join(keys)})"
    if board_of_lamps(config.devices, config.boards) == board:
        yield f"the lamp chain of the board {board}"
    if moving:
        yield f"what the board {board} moves ({', '.join(moving)})"


def emulate(
    config: TableConfig,
    folder: Path,
    *,
    seed: int,
    faults: Mapping[int | None, str],
    stop: threading.Event,
    show: Show,
    time: Time | None = None,
) -> None:
    """Runs the emulated boards of a table on ports in `folder` until `stop` is set.

    Raises:
        EmulationError: the program of a board crashed.
        OSError: a port cannot be created there.
    """
    until_stopped = _UntilStopped(time or RealTime(), stop)
    failures: list[BaseException] = []
    lives = [
        threading.Thread(
            target=_live, args=(config, name, folder, seed, faults, until_stopped, show, failures), name=f"board {name}"
        )
        for name in config.boards
    ]
    for life in lives:
        life.start()
    try:
        for life in lives:
            while life.is_alive():
                # With a timeout, because Ctrl-C is handled only between two waits.
                life.join(0.2)
    finally:
        stop.set()
        for life in lives:
            life.join()
    if failures:
        raise failures[0]


class _StoppedError(Exception):
    """The emulation was stopped."""


class _UntilStopped:
    """A `Time` that raises `_StoppedError` once `stop` is set."""

    def __init__(self, time: Time, stop: threading.Event) -> None:
        self._time = time
        self._stop = stop

    def now_ns(self) -> int:
        """The current time."""
        return self._time.now_ns()

    def wait_until(self, t_ns: int) -> None:
        """Waits until `t_ns`; raises if it was stopped."""
        if self._stop.is_set():
            raise _StoppedError
        self._time.wait_until(t_ns)


def _live(
    config: TableConfig,
    name: str,
    folder: Path,
    seed: int,
    faults: Mapping[int | None, str],
    time: Time,
    show: Show,
    failures: list[BaseException],
) -> None:
    """Runs one board, on its own thread. Each has a simulated table of the same seed, so all play the same rounds."""
    simulator = simulator_for(config.game, geometry_of(config), seed)
    try:
        with suppress(_StoppedError):
            serve(
                KINDS[config.boards[name].kind],
                port_of(folder, name),
                simulator=simulator,
                wiring=wiring_of(config, name),
                faults=dict(faults),
                on_opened=lambda opened: show(f"board {name}: its port was {'opened' if opened else 'closed'}"),
                time=time,
            )
    except (EmulationError, OSError) as error:
        failures.append(error)
