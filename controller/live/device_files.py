"""The device files of the computer that tables use: GPIO chips and serial ports, by what they are called now.

A sandbox allows device files by these names. A chip's number changes with the kernel, and a port's with what is plugged
in first, so the names are looked up each time the computer starts and each time something is plugged in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.configuration.values import TableConfig
from hal.backends.gpiod_chip import chip_path, gpio_devices
from hal.lines import LineError


class DeviceFile(NamedTuple):
    """One device file, and what for."""

    wanted: str
    """What the tables' files name: a chip by its label, or a port."""
    path: str | None
    """Its device file now; None where it is not there."""
    why: str
    """Where there is none, why and what to do."""
    tables: tuple[str, ...]


FindChip = Callable[[str | None], str]
"""The device file of the chip of a label, None for the header's; raises `LineError`."""


def find_chip(label: str | None) -> str:
    """As `FindChip`, on this computer."""
    return chip_path(label, gpio_devices)


def device_files(tables: Iterable[TableConfig], find: FindChip) -> list[DeviceFile]:
    """The device files that these tables use, chips first, each once.

    Simulated tables use none, and neither does a port that is not a file: `socket://`, `rfc2217://`.
    """
    chips: dict[str | None, list[str]] = {}
    ports: dict[str, list[str]] = {}
    for table in (one for one in tables if one.live and not one.simulated):
        for label in _chips(table):
            chips.setdefault(label, []).append(table.id)
        for port in _ports(table):
            ports.setdefault(port, []).append(table.id)
    return [*_found_chips(chips, find), *(_port(port, owners) for port, owners in ports.items())]


def _chips(table: TableConfig) -> Sequence[str | None]:
    return table.backend.chips(list(dict.fromkeys(pin.chip for pin in table.pins.values())), table.lines.factory)


def _ports(table: TableConfig) -> Sequence[str]:
    factory = table.backend.opened_file(table.lines.factory)
    ports = [*(one.port for one in table.boards.values()), *(one.port for one in table.links.values())]
    return [port for port in dict.fromkeys((factory or "", *ports)) if port.startswith("/")]


def _found_chips(chips: Mapping[str | None, Sequence[str]], find: FindChip) -> Iterable[DeviceFile]:
    for label, owners in chips.items():
        wanted = "the chip of the header" if label is None else f'chip "{label}"'
        try:
            yield DeviceFile(wanted, find(label), "", tuple(owners))
        except LineError as error:
            yield DeviceFile(wanted, None, str(error), tuple(owners))


def _port(port: str, owners: Sequence[str]) -> DeviceFile:
    """A port by its id is a link; what is opened is the file behind it."""
    path = Path(port)
    if path.exists():
        return DeviceFile(port, str(path.resolve()), "", tuple(owners))
    return DeviceFile(port, None, "it is not plugged in", tuple(owners))
