"""Which wire of which part goes to each line of a device, and what its levels mean (design, section 3)."""

from __future__ import annotations

from drivers.base.device_spec import LineUse
from drivers.dealer.buttons import BUTTONS, ButtonsConfig
from drivers.dealer.indicators import LampConfig, NoMoreBetsLamp, NumberDisplay, NumberDisplayConfig
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.roulette.device import RouletteWheelConfig
from drivers.roulette.star_x import StarXConfig

_SLOT = "a slot is in front of the sensor"
_BUTTONS = {
    "dealer_no_more_bets": 'the dealer\'s button for the call "No more bets"',
    "dealer_settled": "the dealer's button for a settled round",
    "dealer_void": "the dealer's button for a void round",
    "supervisor_key": "the supervisor's key",
}


def money_wheel_lines(config: MoneyWheelConfig) -> dict[str, LineUse]:
    """The lines of a money wheel."""
    if config.sensing == "pegs":
        return {
            "wheel_peg": LineUse("one pulse a peg", "a peg is in front of the sensor", "output of the peg sensor"),
            "wheel_index": _index("wheel"),
        }
    return _encoder("wheel")


def roulette_wheel_lines(config: RouletteWheelConfig) -> dict[str, LineUse]:
    """The lines of a roulette wheel, one for each track sensor."""
    lines = _encoder("rotor")
    for number, angle in enumerate(config.ball_sensors_deg, 1):
        purpose = f"track sensor {number}, at {angle:g}° on the bowl"
        lines[f"ball_{number}"] = LineUse(purpose, "the ball is in front of it", f"output of track sensor {number}")
    purpose = f"pocket reading head, at {config.pocket_head_deg:g}° on the bowl"
    lines["pocket"] = LineUse(purpose, "the pocket that holds the ball passes", "output of the reading head")
    seen = "something that is not the ball is in the wheel"
    lines["object"] = LineUse("beam for foreign objects", seen, "output of the beam's receiver", required=False)
    for axis in ("x", "y"):
        purpose = f"inclination of the wheel along {axis}"
        lines[f"level_{axis}"] = LineUse(purpose, "degrees", f"{axis} of the inclinometer", "analogue", required=False)
    return lines


def star_x_lines(config: StarXConfig) -> dict[str, LineUse]:
    """The serial link of an automatic wheel."""
    return {config.link: LineUse("status of the automatic wheel", "9600 8N1", "RS-232 port of the wheel", "link")}


def buttons_lines(config: ButtonsConfig) -> dict[str, LineUse]:
    """The buttons that the file names, or else all there can be: those that are wired are there."""
    named = config.buttons
    return {
        button: LineUse(
            _BUTTONS[button],
            "pressed",
            "one contact; the other to 3V3",
            required=named is not None,
            wire_inverted="one contact; the other to ground",
        )
        for button in (BUTTONS if named is None else dict.fromkeys(named))
    }


def lamp_lines(config: LampConfig) -> dict[str, LineUse]:
    """The line of the "no more bets" lamp."""
    del config  # a lamp has no keys that change its wires
    wire = "input of the lamp's driver or relay; a pin gives a few mA only"
    return {NoMoreBetsLamp.line: LineUse('lamp "No more bets"', "lit", wire, "output")}


def number_display_lines(config: NumberDisplayConfig) -> dict[str, LineUse]:
    """The serial link of a display."""
    del config  # a display has no keys that change its wires
    return {NumberDisplay.link: LineUse("winning number display", "9600 8N1", "serial port of the display", "link")}


def _encoder(part: str) -> dict[str, LineUse]:
    return {
        f"{part}_a": LineUse(f"encoder of the {part}, channel A", _SLOT, "encoder output A"),
        f"{part}_b": LineUse(f"encoder of the {part}, channel B", _SLOT, "encoder output B"),
        f"{part}_index": _index(part),
    }


def _index(part: str) -> LineUse:
    return LineUse(
        f"index of the {part}, once a turn", "the mark is in front of the sensor", "output of the index sensor"
    )
