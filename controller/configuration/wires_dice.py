"""Which wire of which part goes to each line of a device of the dice tables, and what its levels mean."""

from __future__ import annotations

from drivers.base.device_spec import BoardPlace, LineUse
from drivers.dice.cage import SHAKE as CAGE_SHAKE
from drivers.dice.cage import CageConfig
from drivers.dice.chute import ChuteConfig
from drivers.dice.keypad import CLEAR, ENTER, VALUES, DiceKeypadConfig
from drivers.dice.reader import DiceReaderConfig
from drivers.dice.shaker import COVER, SHAKE, ShakerConfig


def cage_lines(config: CageConfig) -> dict[str, LineUse]:
    """The lines of a cage: what senses that it is inverted, and the shake sensor on its frame."""
    shake = LineUse("shake sensor of the cage", "something knocked at it", "output of the vibration switch")
    if config.sensing == "encoder":
        slot = "a slot is in front of the sensor"
        return {
            "cage_a": LineUse("encoder of the cage's axle, channel A", slot, "encoder output A"),
            "cage_b": LineUse("encoder of the cage's axle, channel B", slot, "encoder output B"),
            CAGE_SHAKE: shake,
        }
    if config.sensing == "level":
        turn = LineUse("tilt switch on the cage", "it stands one way up, 0 = the other", "output of the switch")
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
        COVER: LineUse("cover of the shaker", "the cover is on", "output of the cover's switch"),
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
