"""The chips that boards have: what differs of the link to them.

The messages are the same; a chip's serial line has a rate of its own, which its port of the firmware sets
(firmware/ports). An adapter, or the pins of a computer, are at the other end of the line; or the chip's own USB is the
line, which has no rate.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hal.board.messages import BAUD
from hal.clock import NS_PER_S

BITS_A_BYTE: Final = 10
"""8N1."""


class Chip(NamedTuple):
    """What a board is built on."""

    name: str
    about: str
    hz: int
    """Cycles a second."""
    baud: int
    supply_v: float
    """The supply against which it measures its analogue channels."""
    usb: bool = False
    """Whether its own USB is its line: `baud` is what the port is opened with, and means nothing there."""

    @property
    def byte_ns(self) -> int:
        """The least time of a byte on its line; 0 for USB, which gives and takes many at once."""
        return 0 if self.usb else BITS_A_BYTE * NS_PER_S // self.baud


ATMEGA328P: Final = Chip("atmega328p", "Arduino Nano or Uno", 16_000_000, BAUD, 5.0)
RP2040: Final = Chip("rp2040", "Raspberry Pi Pico", 125_000_000, 1_000_000, 3.3)
RP2350: Final = Chip("rp2350", "Raspberry Pi Pico 2", 125_000_000, 1_000_000, 3.3)
RP2040_USB: Final = Chip("rp2040_usb", "Raspberry Pi Pico at its own USB socket", 125_000_000, 1_000_000, 3.3, True)
CHIPS: Final = {chip.name: chip for chip in (ATMEGA328P, RP2040, RP2040_USB, RP2350)}
PICOS: Final = (RP2040.name, RP2040_USB.name, RP2350.name)
"""The chips on a Pico's module: a Pico 2 has the same pins and levels."""

PICO_GPIO: Final = {
    **{f"B{bit}": 2 + bit for bit in range(6)},
    **{f"D{bit}": 6 + bit for bit in range(2, 8)},
    **{"C0": 14, "C1": 15, "C2": 26, "C3": 27, "C4": 22, "C5": 18},
}
"""Where the dictionary's pins are on a Pico (firmware/ports/rp2040/port_inline.h, docs/boards-pico.md)."""
FIRST_ADC_GPIO: Final = 26
PICO_ADC: Final = {"C2": 0, "C3": 1, "C4": 2, "C5": 3, "A6": 2}
"""Which channel of its converter they are: 0 to 2 are GP26 to GP28, 3 is at no pin. No kind has both C4 and A6 as
analogue pins."""
