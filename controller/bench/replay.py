"""What a table would have published of a capture. Nothing is journalled or published.

The wires that a capture declares decide what the table has: without `dealer_no_more_bets` the controller calls, and a
device whose sensors are numbered (`ball_1` … `ball_n`) has as many as the capture.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.configuration.device import DeviceConfig
from controller.configuration.values import TableConfig
from controller.games.assembly import secret_links, table_for
from controller.table.table import Table
from drivers.base.device_spec import RecordedError
from drivers.base.observed import Listener
from drivers.dealer.buttons import BUTTONS
from drivers.dealer.indicators import NumberDisplay
from feed.events import Event
from hal.capture.errors import CaptureError
from hal.capture.header import COMMAND, LOST, CaptureHeader, VariableKind
from hal.capture.secret import SEALED
from hal.capture.vcd_reader import BATCH_VALUES, open_capture
from hal.values import Batch


class ReplayStep(NamedTuple):
    """One batch of a capture, and what followed from it."""

    table: Table
    """The table, after the batch."""
    batch: Batch
    events: list[Event]


def replay(config: TableConfig, paths: Sequence[Path]) -> Iterator[list[Event]]:
    """Replays captures, each on a fresh table; rounds and events count on. Yields the events of each file.

    A file is read to its end before its events are given, so a capture that is wrong anywhere gives none.

    Raises:
        CaptureError: a file is wrong, or lacks a wire that the table needs.
    """
    sequence = ephemeral = rounds = 0
    for path in paths:
        events: list[Event] = []
        for step in replay_steps(config, path, sequence=sequence, ephemeral=ephemeral, rounds=rounds):
            events += step.events
        sequence, ephemeral, rounds = step.table.sequence, step.table.ephemeral, step.table.rounds.number
        yield events


def replay_steps(
    config: TableConfig,
    path: Path,
    *,
    sequence: int = 0,
    ephemeral: int = 0,
    rounds: int = 0,
    batch_values: int = BATCH_VALUES,
    listener: Listener | None = None,
) -> Iterator[ReplayStep]:
    """Replays one capture batch by batch; at least one. `batch_values` is how many values one holds, about; `listener`
    is shown what the drivers report.

    Raises:
        CaptureError: the file is wrong, or lacks a wire that the table needs.
    """
    opened = False
    with open_capture(path) as capture:
        names = _names(config, capture.header, path)
        lines = set(names.values())
        table = table_for(
            fitted(config, lines, path),
            epoch="replay",
            simulated=True,
            wires=lines,
            opens=True,
            sequence=sequence,
            ephemeral=ephemeral,
            rounds=rounds,
            listener=listener,
        )
        for batch in capture.batches(names, batch_values=batch_values):
            events: list[Event] = []
            if not opened:
                opened = True
                first = [values[0].t_ns for values in (batch.edges, batch.rare) if values]
                events += table.open(min(first, default=batch.until_ns))
            events += table.feed(batch)
            yield ReplayStep(table, batch, events)
    if not opened:
        raise CaptureError(path, None, "the capture holds no time at all", "record it again")


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
            _check_kind(config, line, name, declared[name], path)
            names[name] = line
    for special in (COMMAND, LOST):
        if any(variable.name == special and variable.kind is VariableKind.STRING for variable in header.variables):
            names[special] = special
    return names


def _check_kind(config: TableConfig, line: str, name: str, kind: VariableKind, path: Path) -> None:
    """A digital line is a wire, an analogue one a real, a link a string."""
    used = config.uses[line.removesuffix(SEALED)].kind if line.removesuffix(SEALED) in config.uses else "input"
    expected = {"analogue": VariableKind.REAL, "link": VariableKind.STRING}.get(used, VariableKind.WIRE)
    if kind is not expected:
        cause = f"{name} is declared as a {kind}, and the line {line} is a {expected}"
        raise CaptureError(path, None, cause, f"declare it as a {expected}")


def _known_lines(config: TableConfig) -> list[str]:
    sealed = [link + SEALED for link in secret_links(config)]
    return list(dict.fromkeys((*config.uses, *sealed, *BUTTONS, *_numbered_lines(config))))


def _numbered_lines(config: TableConfig) -> list[str]:
    """The lines of sensors of which a capture may have more or fewer than the configuration."""
    specs = [device.spec for device in config.devices.values()]
    return [line for spec in specs if spec.recorded is not None for line in spec.recorded.lines]


def fitted(config: TableConfig, lines: Collection[str], path: Path) -> TableConfig:
    """The configuration as the capture's wires have it.

    Raises:
        CaptureError: the capture lacks a wire that a device needs.
    """
    devices = {name: _device_fitted(device, lines, path) for name, device in config.devices.items()}
    # What the table shows, its buttons and its numbered sensors are the capture's to have or not.
    optional = {*BUTTONS, NumberDisplay.link, *_numbered_lines(config)}
    missing = [
        line
        for line, use in config.uses.items()
        if use.required and use.kind != "output" and line not in lines and line not in optional
    ]
    if missing:
        raise CaptureError(
            path,
            None,
            f"the capture declares no wire {', '.join(missing)}, which a table of {config.game} needs",
            'name the wires so, or map each under [pins], as in wheel_a = { name = "D0" }',
        )
    return config._replace(devices=devices)


def _device_fitted(device: DeviceConfig, lines: Collection[str], path: Path) -> DeviceConfig:
    recorded = device.spec.recorded
    if recorded is None:
        return device
    try:
        return device._replace(config=recorded.keys(device.config, device.name, lines))
    except RecordedError as error:
        raise CaptureError(path, None, error.cause, error.fix) from error
