"""The serial ports of this computer, by the names that stay when plugs are changed over."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from serial.tools import list_ports

BY_ID = Path("/dev/serial/by-id")
"""Where udev keeps a link to each serial port on USB, named after what is plugged in."""


class SerialPort(NamedTuple):
    """One port that there is now."""

    name: str
    """Its link by id where it has one, else its device."""
    device: str
    """The device, which may be another one after the next start: `/dev/ttyUSB0`."""
    about: str
    """What the plug says of itself; empty where it says nothing."""
    usb: bool
    """Whether it is on USB, as boards are."""


def serial_ports(by_id: Path = BY_ID) -> list[SerialPort]:
    """All ports that there are, those on USB first, then by name."""
    links = {str(link.resolve()): str(link) for link in sorted(by_id.iterdir())} if by_id.is_dir() else {}
    found = [
        SerialPort(links.get(port.device, port.device), port.device, _about(port.product), port.vid is not None)
        for port in list_ports.comports()
    ]
    return sorted(found, key=lambda port: (not port.usb, port.name))


def _about(product: str | None) -> str:
    return "" if product is None or product == "n/a" else product
