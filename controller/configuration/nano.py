"""The pins of the boards that are sold with an ATmega328P: the Arduino Nano and Uno, and their clones.

What is printed beside a pin is not the chip's own name of it. Both boards print the same; the drawing is of a Nano seen
from above, with its USB socket at the top.
"""

from __future__ import annotations

from typing import Final

_PRINTED: Final = {
    **{f"D{bit}": f"D{bit}" for bit in range(8)},
    **{f"B{bit}": f"D{8 + bit}" for bit in range(6)},
    **{f"C{bit}": f"A{bit}" for bit in range(6)},
}

NANO: Final[tuple[tuple[str, str], ...]] = (
    ("D13", "D12"),
    ("3V3", "D11"),
    ("REF", "D10"),
    ("A0", "D9"),
    ("A1", "D8"),
    ("A2", "D7"),
    ("A3", "D6"),
    ("A4", "D5"),
    ("A5", "D4"),
    ("A6", "D3"),
    ("A7", "D2"),
    ("5V", "GND"),
    ("RST", "RST"),
    ("GND", "RX0"),
    ("VIN", "TX1"),
)
"""Both rows of a Nano, from its USB socket on."""

LINK: Final = {"RX0": "(USB)", "TX1": "(USB)"}
"""Pins that the link to the Pi needs: nothing else may be wired to them."""


def printed(pin: str) -> str:
    """What a board prints beside a pin of the chip: `B3` is `D11`.

    Raises:
        KeyError: such a board has no such pin.
    """
    return _PRINTED[pin]
