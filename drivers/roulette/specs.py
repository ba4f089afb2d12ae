"""The roulette wheels as devices: their lines, and what makes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from drivers.base.device_spec import Device, DeviceSpec, LineUse, Recorded, RecordedError
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


MOST_SENSORS = 8
"""Track sensors that a capture may have."""


def _recorded_keys(keys: RouletteWheelConfig, name: str, lines: Collection[str]) -> RouletteWheelConfig:
    """The keys for as many track sensors as a capture has: at equal angles, unless the configuration gives others."""
    there = [number for number in range(1, MOST_SENSORS + 1) if f"ball_{number}" in lines]
    if there and there[-1] != len(there):
        missing = next(number for number in range(1, there[-1]) if number not in there)
        cause = f"the capture declares the wire ball_{there[-1]} and no wire ball_{missing}"
        raise RecordedError(cause, "number the track sensors from ball_1 without a gap")
    if len(there) == len(keys.ball_sensors_deg):
        return keys
    if len(there) < 2:
        cause = f"the capture declares {len(there)} wires ball_1, ball_2, …; a track needs at least two sensors"
        raise RecordedError(cause, "record the wires of all track sensors")
    if keys.ball_sensors_deg != RouletteWheelConfig().ball_sensors_deg:
        cause = f"the capture has {len(there)} track sensors, the configuration {len(keys.ball_sensors_deg)}"
        raise RecordedError(cause, f"give device.{name}.ball_sensors_deg one angle for each")
    equal = tuple(360 * i / len(there) for i in range(len(there)))
    fitted = msgspec.structs.replace(keys, ball_sensors_deg=equal)
    for _, cause, fix in fitted.problems():
        raise RecordedError(cause, f"give device.{name}.ball_sensors_deg: {fix}")
    return fitted


ROULETTE_WHEEL = DeviceSpec(
    name="roulette_wheel",
    keys=RouletteWheelConfig,
    lines=roulette_wheel_lines,
    make=_make_wheel,
    recorded=Recorded(tuple(f"ball_{number}" for number in range(1, MOST_SENSORS + 1)), _recorded_keys),
)
STAR_X = DeviceSpec(name="star_x", keys=StarXConfig, lines=star_x_lines, make=_make_star_x)
