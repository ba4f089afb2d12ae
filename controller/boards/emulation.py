"""Emulates the boards of a table: real firmware in emulated chips, with a simulated table on their pins.

table.toml ──► a copy whose boards are emulated, on ports in a folder ──► feltwire run
               ├─ link shoe:   pty ◄── a simulated device ◄────────────────────┐
               ├─ board wheel: pty ◄─► firmware in an emulated chip ◄── pins ──► one simulated table: wheel, ball,
               └─ board desk:  pty ◄─► ...                          ◄── pins ──► dice, motor, keys, lamps and dealer
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from controller.boards.uf2 import TARGETS
from controller.configuration.document import toml_text
from controller.configuration.terminals import place_of
from controller.configuration.values import TableConfig
from controller.games.assembly import framed_by_device, geometry_of
from drivers.dealer.indicators import NumberDisplay
from hal.board.chips import CHIPS, PICOS, RP2040, RP2350
from hal.board.messages import KINDS
from simulators.base.truth import TableSimulator
from simulators.board.emulated import elf_of, emulator_of
from simulators.board.library import EmulationError
from simulators.board.lines_to_pins import AnalogueWire, PinWire, PinWiring
from simulators.board.machines import Machine, ScannedKeypad
from simulators.board.played_link import LinkOnPty, share_of
from simulators.board.played_table import PlayedTable, SharedTable, check_faults
from simulators.board.serve import STEP_NS, RealTime, Time, serve

Show = Callable[[str], None]


def port_of(folder: Path, board: str) -> Path:
    """The path of an emulated board's port."""
    return folder / board


def link_port_of(folder: Path, link: str) -> Path:
    """The path of the port of a simulated device that has a link of its own."""
    return folder / f"link-{link}"


def emulated_copy(values: Mapping[str, Any], folder: Path) -> str:
    """The TOML of a table with its boards and links on ports in a folder; the table opens by itself."""
    boards = {name: _emulated(board, port_of(folder, name)) for name, board in values["board"].items()}
    table = {**values["table"], "opens": "at_start"}
    if table.get("inspection", "none") != "none":
        table = {key: value for key, value in table.items() if key != "inspection"}
    copied = {**values, "table": table, "lines": {**values["lines"], "backend": "board"}, "board": boards}
    if "links" in values:
        links = values["links"].items()
        copied["links"] = {name: {**link, "port": str(link_port_of(folder, name))} for name, link in links}
    return toml_text(copied)


def _emulated(board: Mapping[str, Any], port: Path) -> dict[str, Any]:
    """The section of an emulated board, which has no serial number."""
    return {key: value for key, value in board.items() if key != "serial"} | {"port": str(port), "emulated": True}


def wiring_of(config: TableConfig, board: str) -> PinWiring:
    """Which line of a table is on which pin of one of its boards."""
    kind, supply_v = KINDS[config.boards[board].kind], config.boards[board].reference_v
    pins: dict[str, PinWire] = {}
    keys: dict[str, int] = {}
    analogues: dict[str, AnalogueWire] = {}
    for line, terminal in config.terminals.items():
        pin = place_of(terminal, kind).pin
        if terminal.board != board:
            continue
        if not pin:
            keys[line] = terminal.number - kind.first_key_line
        elif terminal.side == "input":
            pins[line] = PinWire(pin, terminal.inverted)
        elif terminal.side == "analogue":
            low, high = (-terminal.zero_v * terminal.per_v, (supply_v - terminal.zero_v) * terminal.per_v)
            analogues[line] = AnalogueWire(pin, low, high)
    return PinWiring(pins, analogues, keys)


def machines_of(config: TableConfig, board: str, table: SharedTable) -> list[Machine]:
    """What hangs on one of a table's boards: the simulated table, and the keypad where it has one."""
    kind, wiring = KINDS[config.boards[board].kind], wiring_of(config, board)
    keypad = ScannedKeypad(kind.key_columns, kind.key_rows) if wiring.keys else None
    outputs = {
        place_of(one, kind).pin: (one.line, config.uses[one.line].drives)
        for one in config.terminals.values()
        if one.board == board and one.side == "output" and one.line in config.uses
    }
    for link in config.carried_by(board):
        pins = dict(zip((name for name, _ in kind.outputs), kind.output_pins, strict=True))
        for number in range(1, kind.reels + 1):
            outputs[pins[f"reel_{number}"]] = (f"{link}.{number}", "motor")
        if kind.name == "reel":
            outputs[pins["accept"]] = (f"{link}.accept", "motor")
        if kind.name == "pusher":
            outputs |= {pins[name]: (f"{link}.{name}", "motor") for name in ("motor", "hopper", "accept")}
    machines: list[Machine] = [PlayedTable(table, board, wiring, outputs, keypad)]
    if keypad is not None:
        machines.append(keypad)
    return machines


def check_built(config: TableConfig) -> None:
    """Checks that the emulator and the firmware of the table's boards were built.

    Raises:
        EmulationError: one of them is missing, or nothing emulates a board's chip.
    """
    for name, board in config.boards.items():
        chip = CHIPS[board.chip]
        if chip is RP2350:
            raise EmulationError(
                f"emulated board: nothing emulates the {chip.about} of board {name}; its pins and its line are those "
                f'of a Pico: write chip = "{RP2040.name}" in a copy of the table, and emulate that'
            )
        missing = [path for path in (emulator_of(chip), elf_of(board.kind, chip)) if not path.exists()]
        if missing:
            make, needs = (
                (f"make {TARGETS[chip.name]} pico-emulator", "gcc-arm-none-eabi, nodejs and npm")
                if chip.name in PICOS
                else ("make firmware", "gcc-avr, avr-libc, libsimavr-dev and libelf-dev")
            )
            raise EmulationError(
                f"emulated board: there is no {missing[0]}; build firmware and emulator with: {make} (it needs {needs})"
            )


def shared_table(simulator: TableSimulator, config: TableConfig, faults: Mapping[int | None, str]) -> SharedTable:
    """The simulated table of all boards and links of a file."""
    return SharedTable(simulator, faults, [*config.boards, *map(share_of, config.links)])


def links_of(config: TableConfig, folder: Path, table: SharedTable) -> list[LinkOnPty]:
    """The devices of a table that have links of their own."""
    return [LinkOnPty(table, link, link_port_of(folder, link)) for link in config.links]


def check_links(config: TableConfig) -> None:
    """Checks that a simulated device replaces each link of a table.

    Raises:
        EmulationError: one has none.
    """
    played = {*geometry_of(config).simulator(0).lines, NumberDisplay.link}  # a display sends nothing
    missing = [link for link in config.links if link not in played or framed_by_device(link, config)]
    if missing:
        raise EmulationError(
            f"emulated board: nothing replaces what is on the link {', '.join(missing)}; run the table with "
            "feltwire simulate TABLE.toml"
        )


def check_playable(faults: Mapping[int | None, str]) -> None:
    """Checks that these faults exist on emulated boards.

    Raises:
        EmulationError: one cannot; the message states what to do instead.
    """
    missing = check_faults(faults)
    if missing:
        raise EmulationError(
            f"emulated board: its lamps have no fault {', '.join(missing)}; these are of a chain in memory: run "
            "feltwire simulate TABLE.toml with them"
        )


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
    table = shared_table(geometry_of(config).simulator(seed), config, faults)
    links = links_of(config, folder, table)
    lives = [
        threading.Thread(
            target=_live, args=(config, name, folder, table, until_stopped, show, failures), name=f"board {name}"
        )
        for name in config.boards
    ]
    if links:
        lives.append(threading.Thread(target=_live_links, args=(links, until_stopped, failures), name="links"))
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


def _live_links(links: Sequence[LinkOnPty], time: Time, failures: list[BaseException]) -> None:
    """Runs the devices that have links of their own, on one thread."""
    now_ns = 0
    try:
        with suppress(_StoppedError):
            for link in links:
                link.plug_in()
            while True:
                now_ns += STEP_NS
                time.wait_until(now_ns)
                for link in links:
                    link.step(now_ns)
    except OSError as error:
        failures.append(error)
    finally:
        for link in links:
            link.pull()


def _live(
    config: TableConfig,
    name: str,
    folder: Path,
    table: SharedTable,
    time: Time,
    show: Show,
    failures: list[BaseException],
) -> None:
    """Runs one board, on its own thread."""
    try:
        with suppress(_StoppedError):
            board = config.boards[name]
            serve(
                KINDS[board.kind],
                port_of(folder, name),
                elf=elf_of(board.kind, CHIPS[board.chip]),
                machines=machines_of(config, name, table),
                on_opened=lambda opened: show(f"board {name}: its port was {'opened' if opened else 'closed'}"),
                time=time,
            )
    except (EmulationError, OSError) as error:
        failures.append(error)
