"""The equipment of dice tables as devices: their lines, what makes them, and how their links are cut into frames."""

from __future__ import annotations

from dataclasses import replace

from drivers.base.device_spec import BoardPlace, DeviceSpec, LineUse, by_keys, by_keys_and_count
from drivers.dice.automated_shaker import (
    BUSY,
    FAULT,
    PRESENT,
    START,
    AutomatedShaker,
    AutomatedShakerConfig,
    ShakerActuator,
)
from drivers.dice.cage import SHAKE as CAGE_SHAKE
from drivers.dice.cage import Cage, CageConfig
from drivers.dice.cage_motor import HOME, MOTOR, SHAFT, CageMotor, CageMotorActuator, CageMotorConfig
from drivers.dice.chute import Chute, ChuteConfig
from drivers.dice.frame_wire import ShakerFramer
from drivers.dice.keypad import CLEAR, ENTER, VALUES, DiceKeypad, DiceKeypadConfig
from drivers.dice.movements import (
    automated_shaker_movements,
    cage_movements,
    chute_movements,
    dice_keypad_movements,
    dice_reader_movements,
    shaker_movements,
)
from drivers.dice.reader import DiceReader, DiceReaderConfig, ReaderActuator, framer_of
from drivers.dice.shaker import COVER, SHAKE, Shaker, ShakerConfig
from hal.framing import Framer


def cage_lines(config: CageConfig) -> dict[str, LineUse]:
    """The lines of a cage: what senses that it is inverted, and the shake sensor on its frame."""
    shake = LineUse("shake sensor of the cage", "something knocked at it", "output of the vibration switch")
    if config.sensing == "encoder":
        slot = "a slot is in front of the sensor"
        return {
            "cage_a": LineUse("encoder of the cage's axle, channel A", slot, "encoder output A", rests_low=False),
            "cage_b": LineUse("encoder of the cage's axle, channel B", slot, "encoder output B", rests_low=False),
            CAGE_SHAKE: shake,
        }
    if config.sensing == "level":
        turn = LineUse(
            "tilt switch on the cage", "it is one way up, 0 = the other", "output of the switch", rests_low=False
        )
    else:
        turn = LineUse("sensor of inversions", "the mark passes, once an inversion", "output of the sensor")
    return {"cage_turn": turn, CAGE_SHAKE: shake}


def chute_lines(config: ChuteConfig) -> dict[str, LineUse]:
    """The lines of a chute: one beam a baffle."""
    return {
        f"chute_{baffle}": LineUse(
            f"beam at baffle {baffle} of the chute" + (", the uppermost" if baffle == 1 else ""),
            "a die breaks the beam",
            f"output of the receiver at baffle {baffle}",
        )
        for baffle in range(1, config.baffles + 1)
    }


def shaker_lines(config: ShakerConfig) -> dict[str, LineUse]:
    """The lines of a manual shaker."""
    del config  # a shaker has no keys that change its wires
    return {
        COVER: LineUse("cover of the shaker", "the cover is on", "output of the cover's switch", rests_low=False),
        SHAKE: LineUse("shake sensor of the shaker", "it is jerked", "output of the shake switch"),
    }


def dice_keypad_lines(config: DiceKeypadConfig) -> dict[str, LineUse]:
    """The lines of a keypad: a contact a key, of wires of its own or of a board that scans it."""
    del config  # a keypad has no keys that change its wires
    names = {line: str(value) for line, value in VALUES.items()} | {ENTER: "enter", CLEAR: "clear"}
    wire, inverted = "one contact; the other to 3V3", "one contact; the other to ground"
    return {
        line: LineUse(
            f"keypad, key {name if name.isdecimal() else name.upper()}",
            "pressed",
            wire,
            wire_inverted=inverted,
            at=BoardPlace("table", f"key {name}"),
        )
        for line, name in names.items()
    }


def dice_reader_lines(config: DiceReaderConfig) -> dict[str, LineUse]:
    """The serial link of a reading board."""
    return {config.link: LineUse("reading board of the dice", "9600 8N1", "serial port of the board", "link")}


def cage_motor_lines(config: CageMotorConfig) -> dict[str, LineUse]:
    """The lines of the motor of a cage: its drive, and what senses it."""
    del config  # a motor has no keys that change its wires
    driver = "input of a motor driver with a supply of its own; 10 kΩ from there to GND"
    mark, sensor = "the mark is before it, once a turn", "output of the sensor"
    return {
        MOTOR: LineUse("motor of the cage", "it turns", driver, "output", drives="motor", at=_own("motor")),
        HOME: LineUse("home sensor of the cage", mark, sensor, rests_low=False, at=_own("home", active_low=True)),
        SHAFT: LineUse(
            "sensor of the motor's shaft",
            "a slot is before it",
            sensor,
            rests_low=False,
            at=_own("shaft", active_low=True),
        ),
    }


def _own(name: str, *, active_low: bool = False) -> BoardPlace:
    """The board stops the motor itself, by sensors of its own (docs/boards-wiring.md): at other terminals it cannot."""
    return BoardPlace("table", name, active_low)


def automated_shaker_lines(config: AutomatedShakerConfig) -> dict[str, LineUse]:
    """The lines of an automated shaker, or its serial link; and the sensor of its place, where it has one."""
    lines: dict[str, LineUse] = {}
    if config.control == "serial":
        lines[config.link] = LineUse("automated shaker", "9600 8N1", "serial port of the shaker", "link")
    else:
        start = "input START of the shaker"
        lines[START] = LineUse("start of the automated shaker", "a pulse starts it", start, "output", drives="signal")
        lines[BUSY] = LineUse("automated shaker, at work", "it tosses", "output BUSY of the shaker")
        lines[FAULT] = LineUse("automated shaker, fault", "it has failed", "output FAULT of the shaker")
    if config.present_sensor:
        lines[PRESENT] = LineUse(
            "place of the automated shaker", "it is there", "output of the place's switch", rests_low=False
        )
    return lines


def _reader_framing(keys: DiceReaderConfig) -> Framer:
    return framer_of(keys.format)


def _shaker_framing(keys: AutomatedShakerConfig) -> Framer:
    return ShakerFramer()


CAGE = DeviceSpec(
    name="cage",
    keys=CageConfig,
    lines=cage_lines,
    make=by_keys(Cage),
    movements=lambda keys, wired: cage_movements(keys),
)
CHUTE = DeviceSpec(
    name="chute",
    keys=ChuteConfig,
    lines=chute_lines,
    make=by_keys_and_count(Chute),
    movements=lambda keys, wired: chute_movements(keys),
)
CAGE_MOTOR = DeviceSpec(
    name="cage_motor",
    keys=CageMotorConfig,
    lines=cage_motor_lines,
    make=by_keys(CageMotor, CageMotorActuator),
    started_by_call=True,
)
SHAKER = DeviceSpec(
    name="shaker",
    keys=ShakerConfig,
    lines=shaker_lines,
    make=by_keys(Shaker),
    movements=lambda keys, wired: shaker_movements(keys),
)
# Of these the rules have the title alone (`controller.rules.titles`): sensed as the manual shaker of sic bo is.
PAI_GOW_SHAKER = replace(SHAKER, name="pai_gow_shaker")
PAI_GOW_POKER_SHAKER = replace(SHAKER, name="pai_gow_poker_shaker")
MINI_DICE_SHAKER = replace(SHAKER, name="mini_dice_shaker")
AUTOMATED_SHAKER = DeviceSpec(
    name="automated_shaker",
    keys=AutomatedShakerConfig,
    lines=automated_shaker_lines,
    make=by_keys(AutomatedShaker, ShakerActuator),
    framing=_shaker_framing,
    started_by_call=True,
    movements=lambda keys, wired: automated_shaker_movements(keys),
)
DICE_KEYPAD = DeviceSpec(
    name="dice_keypad",
    keys=DiceKeypadConfig,
    lines=dice_keypad_lines,
    make=by_keys_and_count(DiceKeypad),
    movements=lambda keys, wired: dice_keypad_movements(keys),
)
DICE_READER = DeviceSpec(
    name="dice_reader",
    keys=DiceReaderConfig,
    lines=dice_reader_lines,
    make=by_keys_and_count(DiceReader, ReaderActuator),
    framing=_reader_framing,
    movements=lambda keys, wired: dice_reader_movements(keys),
)
