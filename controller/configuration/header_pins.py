"""Where the pins are: on the 40-pin header of a Raspberry Pi, an Arduino Nano or Uno, and a Raspberry Pi Pico."""

from __future__ import annotations

from typing import Final, NamedTuple

# The 40-pin header of a Raspberry Pi (all models since the B+ of 2014)
#
# Pin 1 is at the end of the board with the corner; odd pins are the inner row. Numbers of GPIOs are the chip's own
# (Broadcom), which the kernel names `GPIO17` and so on; they are not the numbers of the pins.


class HeaderPin(NamedTuple):
    """One pin of the header."""

    number: int
    label: str
    """`3V3`, `5V`, `GND`, or the GPIO: `GPIO17`."""
    gpio: int | None
    special: str = ""
    """The other function of the pin, where it has one."""


_FUNCTIONS = {
    0: "ID EEPROM of a HAT",
    1: "ID EEPROM of a HAT",
    2: "I2C data, fixed pull-up",
    3: "I2C clock, fixed pull-up",
    7: "SPI CE1",
    8: "SPI CE0",
    9: "SPI MISO",
    10: "SPI MOSI",
    11: "SPI clock",
    14: "UART TX, console",
    15: "UART RX, console",
}

_GPIO_OF_PIN = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25,
    23: 11, 24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip

_POWER = {1: "3V3", 2: "5V", 4: "5V", 17: "3V3"}

HEADER: tuple[HeaderPin, ...] = tuple(
    HeaderPin(pin, f"GPIO{_GPIO_OF_PIN[pin]}", _GPIO_OF_PIN[pin], _FUNCTIONS.get(_GPIO_OF_PIN[pin], ""))
    if pin in _GPIO_OF_PIN
    else HeaderPin(pin, _POWER.get(pin, "GND"), None)
    for pin in range(1, 41)
)
"""The pins 1 to 40, in order."""

PIN_OF_GPIO = {gpio: pin for pin, gpio in _GPIO_OF_PIN.items()}

RESERVED = frozenset({0, 1})
"""GPIOs with which the firmware reads the EEPROM of a HAT at every start."""

SERIAL_CONSOLE = {14: "TXD", 15: "RXD"}
"""The pins of the serial port, on which a Pi may have a console: it drives TXD at every start."""

FIXED_PULL_UP = frozenset({2, 3})
"""GPIOs with 1.8 kΩ to 3V3 on the board: a pull-down has no effect there."""

PLAIN_FIRST = (17, 27, 22, 23, 24, 25, 5, 6, 12, 13, 16, 19, 20, 21, 26, 18, 4, 7, 8, 9, 10, 11, 15, 14)
"""GPIOs in the order in which they are proposed: those without another use first."""


def nearest_ground(pin: int) -> int:
    """The ground pin nearest to a pin of the header."""
    grounds = [each.number for each in HEADER if each.label == "GND"]
    return min(grounds, key=lambda ground: (abs((ground - 1) // 2 - (pin - 1) // 2), ground % 2 != pin % 2, ground))


# The Arduino Nano and Uno, the boards that are sold with an ATmega328P, and their clones
#
# The label printed beside a pin is not the chip's own name of it. Both boards print the same labels.

_PRINTED: Final = {
    **{f"D{bit}": f"D{bit}" for bit in range(8)},
    **{f"B{bit}": f"D{8 + bit}" for bit in range(6)},
    **{f"C{bit}": f"A{bit}" for bit in range(6)},
    # Of the converter alone, and of a Nano alone.
    "A6": "A6",
    "A7": "A7",
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
"""Both rows of a Nano seen from above, beginning at its USB socket."""

LINK: Final = {"RX0": "(USB)", "TX1": "(USB)"}
"""Pins of the serial link to the Pi: nothing else may be wired to them."""


PICO: Final[tuple[tuple[str, str], ...]] = (
    ("GP0", "VBUS"),
    ("GP1", "VSYS"),
    ("GND", "GND"),
    ("GP2", "3V3_EN"),
    ("GP3", "3V3"),
    ("GP4", "VREF"),
    ("GP5", "GP28"),
    ("GND", "AGND"),
    ("GP6", "GP27"),
    ("GP7", "GP26"),
    ("GP8", "RUN"),
    ("GP9", "GP22"),
    ("GND", "GND"),
    ("GP10", "GP21"),
    ("GP11", "GP20"),
    ("GP12", "GP19"),
    ("GP13", "GP18"),
    ("GND", "GND"),
    ("GP14", "GP17"),
    ("GP15", "GP16"),
)
"""Both rows of a Raspberry Pi Pico seen from above, beginning at its USB socket: 1 to 20 on the left, 40 to 21 on the
right (Raspberry Pi Pico Datasheet, 2.1)."""

PICO_NUMBERS: Final = (range(1, 21), range(40, 20, -1))
"""The numbers of the pins in both rows."""


def pico_pin(label: str) -> str:
    """A pin of a Pico with its number on the module, as `GP8 (11)`; of `GND` each of them, as `GND (3, 8)`."""
    numbers = [
        number
        for side, count in zip(zip(*PICO, strict=True), PICO_NUMBERS, strict=True)
        for each, number in zip(side, count, strict=True)
        if each == label
    ]
    return f"{label} ({', '.join(map(str, sorted(numbers)))})"


PICO_FRAM: Final = {"GP20": "FRAM, data", "GP21": "FRAM, clock"}
PICO_OWN: Final = {"GP0": "its serial line, data out", "GP1": "its serial line, data in", **PICO_FRAM}
"""Pins of a Pico's serial link to the Pi and of its FRAM (docs/boards-pico.md)."""


def printed(pin: str) -> str:
    """The label printed beside a pin of the chip: `D11` for `B3`.

    Raises:
        KeyError: such a board has no such pin.
    """
    return _PRINTED[pin]
