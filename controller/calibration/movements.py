"""The movements of a table, and the digest of what a device's calibration depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from controller.configuration.device import DeviceConfig
from controller.configuration.values import TableConfig
from drivers.base.movement import Movement
from hal.board.chips import ATMEGA328P


def lines_of(config: TableConfig, device: DeviceConfig) -> list[str]:
    """The lines of a device that the table's file wires: pins, terminals and serial ports."""
    return [line for line in device.lines if config.wired(line) or line in config.links]


def movements_of(config: TableConfig) -> dict[str, list[Movement]]:
    """The movements that prove each device of a table; a device that needs none is left out."""
    found: dict[str, list[Movement]] = {}
    for name, device in config.devices.items():
        wired = lines_of(config, device) if config.live else list(device.lines)
        made = list(device.spec.movements(device.config, wired))
        if made:
            found[name] = made
    return found


def places_of(config: TableConfig, device: DeviceConfig) -> dict[str, list[object]]:
    """Where each line of a device goes: its pin, its terminal or its port, and how it is read there."""
    places: dict[str, list[object]] = {}
    for line in sorted(lines_of(config, device)):
        if line in config.pins:
            pin = config.pins[line]
            places[line] = [pin.chip, pin.wire, pin.inverted, pin.debounce_us]
        elif line in config.terminals:
            end = config.terminals[line]
            places[line] = [end.board, end.side, end.number, end.inverted, end.zero_v, end.per_v]
        elif line in config.links:
            places[line] = [config.links[line].port]
    return places


def digest_of(config: TableConfig, device: DeviceConfig) -> str:
    """SHA-256 over what a device's calibration depends on: its keys, and where each of its lines goes."""
    places = places_of(config, device)
    boards: dict[str, object] = {}
    for line in places:
        if line in config.terminals and line not in config.pins:
            name = config.terminals[line].board
            board = config.boards[name]
            boards[name] = [board.kind, board.serial, board.reference_v]
            if board.chip != ATMEGA328P.name:
                boards[name] = [board.kind, board.serial, board.reference_v, board.chip]
    content: Mapping[str, object] = {
        "driver": device.driver,
        "keys": msgspec.to_builtins(device.config),
        "backend": config.lines.backend,
        "places": places,
        "boards": boards,
    }
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()
