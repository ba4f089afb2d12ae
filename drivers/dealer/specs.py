"""The dealer's buttons, the lamp of the call and the number display as devices: their lines, and what makes them."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.base.device_spec import Device, DeviceSpec, LineUse
from drivers.dealer.buttons import BUTTONS, Buttons, ButtonsConfig
from drivers.dealer.indicators import LampConfig, NoMoreBetsLamp, NumberDisplay, NumberDisplayConfig
from drivers.dealer.movements import buttons_movements

_BUTTONS = {
    "dealer_no_more_bets": 'the dealer\'s button for the call "No more bets"',
    "dealer_settled": "the dealer's button for a settled round",
    "dealer_void": "the dealer's button for a void round",
    "supervisor_key": "the supervisor's key",
}


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
            contact=True,
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


def _make_buttons(keys: ButtonsConfig, name: str, parts: Sequence[str]) -> Device:
    """`parts` are the buttons that the table has."""
    return Device(Buttons(tuple(parts), keys.debounce_ms))


def _show_events(keys: object, name: str, parts: Sequence[str]) -> Device:
    """What only shows durable events: the service drives it after the journal (`controller.live.indicators`)."""
    return Device()


BUTTON_BOX = DeviceSpec(
    name="buttons", keys=ButtonsConfig, lines=buttons_lines, make=_make_buttons, movements=buttons_movements
)
LAMP = DeviceSpec(name="lamp", keys=LampConfig, lines=lamp_lines, make=_show_events)
NUMBER_DISPLAY = DeviceSpec(
    name="number_display", keys=NumberDisplayConfig, lines=number_display_lines, make=_show_events
)
