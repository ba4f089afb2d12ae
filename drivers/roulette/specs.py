"""The roulette wheels as devices: their lines, and what makes them."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.base.device_spec import Device, DeviceSpec, LineUse
from drivers.roulette.device import RouletteWheelConfig
from drivers.roulette.star_x import StarXConfig, StarXWheel
from drivers.roulette.wheel import RouletteWheel
from drivers.wheel.encoder_lines import encoder_lines


def roulette_wheel_lines(config: RouletteWheelConfig) -> dict[str, LineUse]:
    """The lines of a roulette wheel, one for each track sensor."""
    lines = encoder_lines("rotor")
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


def _make_wheel(keys: RouletteWheelConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(RouletteWheel(keys))


def _make_star_x(keys: StarXConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(StarXWheel(name, keys))


ROULETTE_WHEEL = DeviceSpec(
    name="roulette_wheel", keys=RouletteWheelConfig, lines=roulette_wheel_lines, make=_make_wheel
)
STAR_X = DeviceSpec(name="star_x", keys=StarXConfig, lines=star_x_lines, make=_make_star_x)
