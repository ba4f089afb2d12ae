"""What each input of a board reads, from its netlist in ngspice; and where firmware or emulator hold it for another.

    netlist ──► deck of the whole input side, once at rest, once open, once shorted; `sense` on, then off
            ──► levels at the chip ──► simulators/board/wiring.py, which the emulated boards feed their sensors by

A money board's firmware tests its lines by `sense`. It needs of each: low at rest; high at rest without the feed; high
when open, with the feed; low when shorted, without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from firmware.hardware import parts as p
from firmware.hardware.blocks import V12, CarrierBoard
from firmware.hardware.circuit import Circuit, CircuitPart
from firmware.hardware.controllers import Controller
from firmware.hardware.firmware_times import KINDS, settle_ms
from firmware.hardware.manifest_pins import kind, pins_of
from firmware.hardware.simulations import SLOT_RATIO, rail_of, sense_volt
from firmware.hardware.spice import Corner, deck, models, node, rails, run

State = Literal["rest", "open", "shorted"]
STATES: Final[tuple[State, ...]] = ("rest", "open", "shorted")
SUPERVISOR: Final = "power_fail"
OFF_MS: Final = 2
"""When the feed goes off; until then all capacitors are charged."""


def worst_of(controller: Controller) -> Corner:
    """Thresholds that both levels find hardest to pass, weak transistors, dirty optos, and a low supply of a Pico."""
    return Corner(logic=controller.least, up=controller.up[1], down=controller.down[0], gain=160.0, ctr=SLOT_RATIO)


class InputLevels(NamedTuple):
    """The levels of an input at the chip, each with the sensors' feed on and off, and its pin of the chip."""

    pin: str
    rest: tuple[int, int]
    open: tuple[int, int]
    shorted: tuple[int, int]


class LevelError(ValueError):
    """A level between low and high: the board, the input, and its volts."""


def _rows(board: Circuit) -> set[str]:
    return {row.name for sheet in board.sheets for row in sheet.rows}


def inputs_of(board: CarrierBoard) -> list[str]:
    """The inputs that a wire of the field comes to; all but the supervisor's."""
    return [entry[0] for entry in kind(board.kind)["inputs"] if entry[0] != SUPERVISOR]


def is_optical(board: CarrierBoard, use: str) -> bool:
    """Whether its connector feeds a bare opto."""
    return f"{use}_led" in board.nets()


def feed_of(board: CarrierBoard) -> str:
    """The net by which the firmware switches the sensors' feed: its pin's or its control output's; a board that is not
    of a money machine has none, and `sense` is a net without parts.
    """
    control: list[str] = kind(board.kind).get("control", [])
    if "sense" in control:
        register = next(part for part in board.parts.values() if part.type is p.HC595)
        return register.nets[p.HC595_OUTPUTS[control.index("sense")]]
    return board.module.nets[board.served["sense"]] if "sense" in board.served else "sense"


def end_ohm(adapter: Circuit) -> float:
    """The resistance in series with an output of an adapter, whose line a tested input takes."""
    return sum(part.type.number for part in adapter.tagged("out_1") if part.type.symbol == "resistor")


def at_terminals(board: CarrierBoard, use: str, state: State, ended: float | None = None) -> str:
    """What hangs at an input: an opto, or an open collector; at a tested input behind the resistor that it ends in."""
    wire = node(f"{use}_wire")
    if state == "open":
        return f"Ropen_{node(use)} {wire} 0 1e9"
    if state == "shorted":
        return f"Rshort_{node(use)} {wire} 0 0.1"
    if is_optical(board, use) and ended is None:
        return f"Xopto_{node(use)} {node(use + '_led')} 0 {wire} 0 OPTO"
    tested = f"{use}_test" in _rows(board)
    ohm = max(ended if ended is not None and is_optical(board, use) else p.R470.number if tested else 0.0, 0.01)
    return f"Rend_{node(use)} {wire} e_{node(use)} {ohm}\nVend_{node(use)} e_{node(use)} 0 0.4"


def volts(
    board: CarrierBoard, states: Mapping[str, State], corner: Corner | None = None, *, ended: float | None = None
) -> dict[str, tuple[float, float]]:
    """V at the pin of the chip of each input, the feed on and off, with its terminals in a state (default: at rest).

    Both as the firmware's self-test reads them: the feed goes off, and on again, and each is given `SENSORS_SETTLE_MS`.

    `ended`: the jumpers of the optical inputs are fitted, and each has an open collector with this resistance for its
    opto.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    settle, uses, corner = settle_ms(), inputs_of(board), corner or worst_of(board.controller)
    pins = _pins(board)
    chip = {use: f"c{number}" for number, use in enumerate(pins)}
    measures = {
        f"{chip[use]}{name}": f"find v({pin}) at={at}"
        for use, pin in pins.items()
        for name, at in (("off", f"{OFF_MS + settle}m"), ("on", f"{OFF_MS + 2 * settle}m"))
    }
    lines = [
        *input_side(board, corner, ended=ended),
        *rails(board, corner),
        *(at_terminals(board, use, states.get(use, "rest"), ended) for use in uses),
    ]
    found = run(f"{board.name}: what its inputs read", lines, f"tran 50u {OFF_MS + 2 * settle + 1}m", measures)
    return {use: (found[f"{chip[use]}on"], found[f"{chip[use]}off"]) for use in pins}


def _pins(board: CarrierBoard) -> dict[str, str]:
    uses = [*inputs_of(board), SUPERVISOR]
    return {use: node(board.module.nets[board.served[use]]) for use in uses if use in board.served}


def input_side(
    board: CarrierBoard,
    corner: Corner,
    *,
    ended: float | None = None,
    vary: Callable[[CircuitPart], float] = lambda part: 1.0,
    more: Sequence[str] = (),
) -> list[str]:
    """The deck of all that is between the terminals of the sensors and the chip, and `more` rows, without the supplies.

    The feed goes off at `OFF_MS`, and on again when the lines have had their time.
    """
    there, uses = _rows(board), inputs_of(board)
    with_end = [use for use in uses if is_optical(board, use)] if ended is not None else []
    common = ["pull", "field", "logic", "sense", "sense_limit", "line_test", SUPERVISOR]
    own = [row for use in uses for row in (use, f"{use}_feed", f"{use}_emitter", f"{use}_test")]
    jumpers = [
        part.ref for use in with_end for part in board.tagged(f"{use}_test") if part.type.symbol == "jumper"
    ]  # fmt: skip
    return [
        *models(corner),
        *deck(board, [row for row in (*common, *own, *more) if row in there], closed=jumpers, vary=vary),
        f"V12 {node(V12)} 0 12",
        f"Vsense {node(feed_of(board))} 0 PULSE({sense_volt(board, corner)} 0 {OFF_MS}m 1u 1u {settle_ms()}m 1)",
        *(f"Rchip{number} {pin} 0 10meg" for number, pin in enumerate(_pins(board).values())),
    ]


def _level(board: CarrierBoard, use: str, volt: float, corner: Corner) -> int:
    rail = rail_of(board, corner)
    if volt < board.controller.low_most * rail:
        return 0
    if volt > board.controller.high_least * rail:
        return 1
    raise LevelError(f"{board.name}: {use} is at {volt:.2f} V, neither low nor high for the chip")


def lines_of(
    board: CarrierBoard, corner: Corner | None = None, *, ended: float | None = None
) -> dict[str, InputLevels]:
    """Every input of a board as the netlist makes it; `ended` as for `volts`.

    Raises:
        SimulationError: ngspice is missing or failed.
        WiringError: an input is neither low nor high.
    """

    at_worst = corner or worst_of(board.controller)

    def read(states: Mapping[str, State]) -> dict[str, tuple[int, int]]:
        return {
            use: (_level(board, use, on, at_worst), _level(board, use, off, at_worst))
            for use, (on, off) in volts(board, states, at_worst, ended=ended).items()
        }

    uses = inputs_of(board)
    rest, opened, shorted = (read(dict.fromkeys(uses, state)) for state in STATES)
    # Which pin a wire comes to: the inputs are opened by the bits of their numbers, and each pin reads a number.
    codes = dict.fromkeys(rest, 0)
    for bit in range(len(uses).bit_length()):
        some: dict[str, State] = {use: "open" for number, use in enumerate(uses, 1) if number >> bit & 1}
        for use, (on, _) in read(some).items():
            codes[use] |= on << bit
    came_to = {number: use for use, number in codes.items()}
    numbers = {use: number for number, use in enumerate(uses, 1)} | {SUPERVISOR: 0}
    found: dict[str, InputLevels] = {}
    chip_pins = {module: chip for chip, module in board.controller.pins.items()}
    for use in rest:
        at = came_to.get(numbers[use])
        if at is None:
            raise LevelError(f"{board.name}: {use} reaches no pin of the chip by itself; the pins read {codes}")
        found[use] = InputLevels(chip_pins[board.served[at]], rest[at], opened[at], shorted[at])
    return found


# What firmware and emulator hold them for


def tested_by_firmware(name: str) -> set[str]:
    """The inputs that a kind's self-test wants to follow the feed; none where it has no feed.

    Raises:
        ValueError: the kind's source feeds sensors, and does not name them in the form that is known.
    """
    path = KINDS / f"{name}.c"
    text = path.read_text(encoding="utf-8")
    if "sensors_begin(" not in text:
        return set()
    found = re.search(r"#define TESTED \(KIND_\w+_ACTIVE_HIGH & \(uint8_t\)~INPUT_BIT\(\w+?_IN_(\w+)\)\)", text)
    if found is None or "sensors_begin(TESTED)" not in text:
        raise ValueError(f"{path}: it does not name the inputs that it tests")
    return set(kind(name)["active_high"]) - {found[1].lower()}


def differences(
    board: CarrierBoard,
    lines: Mapping[str, InputLevels],
    *,
    firmware_tests: set[str],
    firmware_pins: Mapping[str, str],
    emulator: Mapping[str, InputLevels],
) -> Iterator[str]:
    """Where a netlist's lines are not what the firmware needs, or what the emulator feeds; a sentence each."""
    for use, line in lines.items():
        if firmware_pins.get(use) != line.pin:
            yield f"{board.name}: {use} is at {line.pin}, and for the firmware at {firmware_pins.get(use)}"
        if use != SUPERVISOR and line.open != (1, 1):
            yield f"{board.name}: {use} reads {line.open} when its wire is cut: a cut is not found"
        if use != SUPERVISOR and line.shorted != (0, 0):
            yield f"{board.name}: {use} reads {line.shorted} when its wire is shorted: a short is not found"
        wanted = (0, 1) if use in firmware_tests else (0, 0)
        if line.rest != wanted:
            yield f"{board.name}: {use} reads {line.rest} at rest, feed on and off; the firmware wants {wanted}"
        if emulator.get(use) != line:
            yield f"{board.name}: {use}: the emulator has {emulator.get(use)}, the netlist {line}"
    for use in sorted((set(firmware_pins) | set(emulator)) - set(lines)):
        yield f"{board.name}: {use}: the netlist has no such input"


def firmware_pins(name: str) -> dict[str, str]:
    """The pin of the chip of each of the firmware's inputs."""
    pins = pins_of(name)
    return {entry[0]: pins[entry[0]] for entry in kind(name)["inputs"]}


# For the emulator


def module(boards: Mapping[str, Mapping[str, InputLevels]]) -> str:
    """The emulator's table as Python, of the lines of each kind of board."""
    found = [
        '"""What the inputs of the carrier boards read.',
        "",
        "Made from their netlists by `python -m firmware.hardware --figures`. Do not edit: change the circuit.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "from typing import Final, NamedTuple",
        "",
        "",
        "class Line(NamedTuple):",
        '    """The levels of an input at the chip, with the sensors\' feed on and off, and its pin of the chip."""',
        "",
        "    pin: str",
        "    rest: tuple[int, int]",
        "    open: tuple[int, int]",
        "    shorted: tuple[int, int]",
        "",
        "    @property",
        "    def is_fed(self) -> bool:",
        '        """Whether a sensor at rest pulls it low only while it is fed."""',
        "        return self.rest == (0, 1)",
        "",
        "",
        "LINES: Final[Mapping[str, Mapping[str, Line]]] = {",
    ]
    for name, lines in boards.items():
        found.append(f'    "{name}": {{')
        found += [
            f'        "{use}": Line("{line.pin}", {line.rest}, {line.open}, {line.shorted}),'
            for use, line in lines.items()
        ]
        found.append("    },")
    return "\n".join([*found, "}", '"""By kind of board and input."""', ""])
