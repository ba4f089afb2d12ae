"""The roulette wheels as devices: their lines, and what makes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import msgspec

from drivers.base.device_spec import (
    DeviceSpec,
    LineUse,
    Recorded,
    RecordedError,
    WiredFinding,
    by_keys,
    by_keys_and_name,
)
from drivers.base.movement import LineBounds
from drivers.roulette.ball_track import track_lines
from drivers.roulette.device import RouletteWheelConfig
from drivers.roulette.movements import movements, star_x_movements, with_measured
from drivers.roulette.object_beams import object_lines
from drivers.roulette.star_x import StarXConfig, StarXWheel
from drivers.roulette.wheel import RouletteWheel
from drivers.wheel.encoder_lines import encoder_bounds, encoder_lines, index_findings


def roulette_wheel_lines(config: RouletteWheelConfig) -> dict[str, LineUse]:
    """The lines of a roulette wheel, one for each track sensor."""
    lines = encoder_lines("rotor")
    for number, angle in enumerate(config.ball_sensors_deg, 1):
        purpose = f"track sensor {number}, at {angle:g}° on the bowl"
        lines[f"ball_{number}"] = LineUse(
            purpose,
            "the ball is in front of it",
            f"output of track sensor {number}",
            counted_by="one for each angle of ball_sensors_deg",
        )
    purpose = f"pocket reading head, at {config.pocket_head_deg:g}° on the bowl"
    passes = "the pocket that holds the ball passes"
    lines["pocket"] = LineUse(purpose, passes, "output of the reading head", rests_low=False)
    seen = "something that is not the ball is in the wheel"
    for number, line in enumerate(object_lines(config.object_beams), 1):
        lines[line] = LineUse(
            "beam for foreign objects" if config.object_beams == 1 else f"beam {number} for foreign objects",
            seen,
            "output of the beam's receiver",
            required=config.object_beams > 1,
            counted_by="" if number == 1 else "object_beams = 2",
            second_by="object_beams = 2 in [device.wheel]" if config.object_beams == 1 else "",
        )
    for axis in ("x", "y"):
        purpose = f"inclination of the wheel along {axis}"
        lines[f"level_{axis}"] = LineUse(purpose, "degrees", f"{axis} of the inclinometer", "analogue", required=False)
    return lines


def star_x_lines(config: StarXConfig) -> dict[str, LineUse]:
    """The serial link of an automatic wheel."""
    return {config.link: LineUse("status of the automatic wheel", "9600 8N1", "RS-232 port of the wheel", "link")}


_MIRRORED_DEG = 10.0
"""Track sensors this near to the places of the mirrored circle count as there (ours): passes do not distinguish
them."""


def roulette_wheel_on_wires(config: RouletteWheelConfig, given: Collection[str]) -> list[WiredFinding]:
    """The angles of real track sensors are measured, not presumed, and no exchange of two may pass unseen."""
    found = index_findings("rotor", config.index_width_deg, config.slots)
    if "ball_sensors_deg" not in given:
        fix = "add the angle on the bowl at which each sensor faces the track: ball_sensors_deg = [0, 80, 200]"
        return [*found, WiredFinding("ball_sensors_deg", "is missing, and real wires need it", fix, missing=True)]
    hidden = [f"ball_{i + 1} and ball_{j + 1}" for i, j in _hidden_exchanges(config.ball_sensors_deg)]
    if hidden:
        wrong = (
            f"with {' or '.join(hidden)} exchanged, the sensors are those of the mirrored track: a ball that runs with "
            "the rotor would be taken for a good one"
        )
        fix = "put three or more at unequal gaps, such as [0, 80, 200]"
        found.append(WiredFinding("ball_sensors_deg", wrong, fix))
    return found


def _hidden_exchanges(angles_deg: Sequence[float]) -> list[tuple[int, int]]:
    """The pairs of sensors whose exchange mirrors the circle: all others stay where their mirror images are."""
    hidden = []
    for i, j in combinations(range(len(angles_deg)), 2):
        exchanged = list(angles_deg)
        exchanged[i], exchanged[j] = exchanged[j], exchanged[i]
        axis = angles_deg[i] + angles_deg[j]
        images = (axis - angle for angle in angles_deg)
        if all(_apart_deg(a, b) <= _MIRRORED_DEG for a, b in zip(exchanged, images, strict=True)):
            hidden.append((i, j))
    return hidden


def _apart_deg(first: float, second: float) -> float:
    return abs((first - second + 180) % 360 - 180)


MOST_RPM = 60.0
"""A rotor turns no faster (ours): three times what wheels are spun with."""
MOST_LAPS_HZ = 3.0
"""A ball laps no faster (ours; measured balls are launched with 1.4 to 2.4 laps a second)."""


def roulette_wheel_bounds(config: RouletteWheelConfig) -> dict[str, LineBounds]:
    """How fast the lines of a roulette wheel change. A ball of 18 mm on a track of 0.34 m covers 3 degrees of it."""
    bounds = encoder_bounds("rotor", config.slots, config.index_width_deg, MOST_RPM)
    ball = LineBounds(2 * MOST_LAPS_HZ, 1e6 / MOST_LAPS_HZ * 0.003, f"a ball at {MOST_LAPS_HZ:g} laps a second")
    return bounds | {f"ball_{number}": ball for number in range(1, len(config.ball_sensors_deg) + 1)}


MOST_SENSORS = 8
"""Track sensors that a capture may have."""


def _recorded_keys(keys: RouletteWheelConfig, name: str, lines: Collection[str]) -> RouletteWheelConfig:
    """The keys for as many track sensors and object beams as a capture has.

    Sensors are at equal angles, unless the configuration gives others.
    """
    keys = msgspec.structs.replace(keys, object_beams=2 if object_lines(2)[1] in lines else 1)
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
    make=by_keys(RouletteWheel),
    recorded=Recorded((*track_lines(MOST_SENSORS), *object_lines(2)), _recorded_keys),
    on_wires=roulette_wheel_on_wires,
    movements=movements,
    measured=with_measured,
    bounds=roulette_wheel_bounds,
)
STAR_X = DeviceSpec(
    name="star_x",
    keys=StarXConfig,
    lines=star_x_lines,
    make=by_keys_and_name(StarXWheel),
    movements=lambda keys, wired: star_x_movements(keys),
)
