"""What a table would have said of a capture. Nothing is journalled or published.

The wires that a capture declares decide what the table has: without `dealer_no_more_bets` the controller calls, and
`ball_1` … `ball_n` say how many track sensors there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from controller.configuration.values import DeviceConfig, TableConfig
from controller.games.assembly import table_for
from drivers.dealer.buttons import BUTTONS
from drivers.dealer.indicators import NumberDisplay
from drivers.roulette.device import RouletteWheelConfig
from feed.events import Event
from hal.capture.errors import CaptureError
from hal.capture.header import COMMAND, LOST, CaptureHeader, VariableKind
from hal.capture.vcd_reader import open_capture

READINGS = frozenset({"level_x", "level_y"})
LINKS = frozenset({"wheel_serial", "number_display"})
MOST_SENSORS = 8
"""Track sensors that a capture may have."""


def replay(config: TableConfig, paths: Sequence[Path]) -> Iterator[list[Event]]:
    """Replays captures, each on a fresh table; rounds and events count on. Yields the events of each file.

    A file is read to its end before its events are given, so a capture that is wrong anywhere says nothing.

    Raises:
        CaptureError: a file is wrong, or lacks a wire that the table needs.
    """
    sequence = ephemeral = rounds = 0
    for path in paths:
        with open_capture(path) as capture:
            names = _names(config, capture.header, path)
            lines = set(names.values())
            fitted = _fitted(config, lines, path)
            table = table_for(
                fitted,
                epoch="replay",
                simulated=True,
                wires=lines,
                opens=True,
                sequence=sequence,
                ephemeral=ephemeral,
                rounds=rounds,
            )
            said: list[Event] = []
            opened = False
            for batch in capture.batches(names):
                if not opened:
                    opened = True
                    first = [values[0].t_ns for values in (batch.edges, batch.rare) if values]
                    said += table.open(min(first, default=batch.until_ns))
                said += table.feed(batch)
        if not opened:
            raise CaptureError(path, None, "the capture holds no time at all", "record it again")
        sequence, ephemeral, rounds = table.sequence, table.ephemeral, table.game.round
        yield said


def _names(config: TableConfig, header: CaptureHeader, path: Path) -> dict[str, str]:
    """Which variable of the file is which line: `[pins] line = { name = "…" }`, or the line's own name."""
    names: dict[str, str] = {}
    declared: dict[str, VariableKind] = {}
    for variable in header.variables:
        declared[variable.name] = declared[variable.path] = variable.kind
    for line in _known_lines(config):
        pin = config.pins.get(line)
        mapped = None if pin is None else pin.name
        name = mapped if mapped is not None and mapped in declared else line
        if name in declared:
            _check_kind(line, name, declared[name], path, is_link=_is_link(config, line))
            names[name] = line
    for special in (COMMAND, LOST):
        if any(variable.name == special and variable.kind is VariableKind.STRING for variable in header.variables):
            names[special] = special
    return names


def _is_link(config: TableConfig, line: str) -> bool:
    return line in LINKS or (line in config.uses and config.uses[line].kind == "link")


def _check_kind(line: str, name: str, kind: VariableKind, path: Path, *, is_link: bool) -> None:
    """A digital line is a wire, an inclination a real, a link a string."""
    expected = VariableKind.REAL if line in READINGS else VariableKind.STRING if is_link else VariableKind.WIRE
    if kind is not expected:
        cause = f"{name} is declared as a {kind}, and the line {line} is a {expected}"
        raise CaptureError(path, None, cause, f"declare it as a {expected}")


def _known_lines(config: TableConfig) -> list[str]:
    lines = dict.fromkeys((*config.uses, *BUTTONS))
    wheel = config.devices.get("wheel")
    if wheel is not None and isinstance(wheel.config, RouletteWheelConfig):
        lines.update(dict.fromkeys(f"ball_{i + 1}" for i in range(MOST_SENSORS)))
        lines.update(dict.fromkeys(("object", "level_x", "level_y")))
    return list(lines)


def _fitted(config: TableConfig, lines: Collection[str], path: Path) -> TableConfig:
    """The configuration as the capture's wires have it.

    Raises:
        CaptureError: the capture lacks a wire that the device needs.
    """
    wheel = config.devices.get("wheel")
    if wheel is not None and isinstance(wheel.config, RouletteWheelConfig):
        sensors = _sensors(lines, path)
        config = config._replace(devices=_with_sensors(config.devices, wheel, sensors, path))
    # What the table shows, its buttons and its number of track sensors are the capture's to have or not.
    optional = {*BUTTONS, NumberDisplay.link}
    missing = [
        line
        for line, use in config.uses.items()
        if use.required
        and use.kind != "output"
        and line not in lines
        and line not in optional
        and not line.startswith("ball_")
    ]
    if missing:
        raise CaptureError(
            path,
            None,
            f"the capture declares no wire {', '.join(missing)}, which a table of {config.game} needs",
            'name the wires so, or map each under [pins], as in wheel_a = { name = "D0" }',
        )
    return config


def _sensors(lines: Collection[str], path: Path) -> int:
    there = [i + 1 for i in range(MOST_SENSORS) if f"ball_{i + 1}" in lines]
    if there and there[-1] != len(there):
        missing = next(i for i in range(1, there[-1]) if i not in there)
        cause = f"the capture declares the wire ball_{there[-1]} and no wire ball_{missing}"
        raise CaptureError(path, None, cause, "number the track sensors from ball_1 without a gap")
    return len(there)


def _with_sensors(
    devices: Mapping[str, DeviceConfig], wheel: DeviceConfig, number: int, path: Path
) -> dict[str, DeviceConfig]:
    keys = wheel.keys(RouletteWheelConfig)
    if number == len(keys.ball_sensors_deg):
        return dict(devices)
    if number < 2:
        cause = f"the capture declares {number} wires ball_1, ball_2, …; a track needs at least two sensors"
        raise CaptureError(path, None, cause, "record the wires of all track sensors")
    if keys.ball_sensors_deg != RouletteWheelConfig().ball_sensors_deg:
        cause = f"the capture has {number} track sensors, the configuration {len(keys.ball_sensors_deg)}"
        raise CaptureError(path, None, cause, "give device.wheel.ball_sensors_deg one angle for each")
    equal = tuple(360 * i / number for i in range(number))
    config = msgspec.structs.replace(keys, ball_sensors_deg=equal)
    wrong = config.problems()
    if wrong:
        _, what, fix = wrong[0]
        raise CaptureError(path, None, what, f"give device.wheel.ball_sensors_deg: {fix}")
    return {**devices, wheel.name: wheel._replace(config=config)}
