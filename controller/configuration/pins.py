"""Resolves the entries of `[pins]` to GPIOs of the Pi, and checks them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from controller.configuration.declaration import value_text
from controller.configuration.header_pins import (
    FIXED_PULL_UP,
    HEADER,
    PIN_OF_GPIO,
    PLAIN_FIRST,
    RESERVED,
    SERIAL_CONSOLE,
)
from controller.configuration.problems import ConfigFinding
from controller.configuration.sections import PinSection, Pull
from hal.lines import HEADER_CHIP_LABELS, LineSpec
from hal.outputs import OutputSpec

_GPIO_NAME = re.compile(r"GPIO(?P<gpio>\d{1,2})\Z")


class GpioPin(NamedTuple):
    """The pin of a line on a GPIO chip. At least one of `gpio` and `name` is known."""

    line: str
    chip: str | None
    """The chip's label; None where the backend knows only one chip (gpiozero) or none (sim)."""
    gpio: int | None
    """The line's offset on the chip, which on a Pi's own chip is the number of the GPIO."""
    name: str | None
    header: int | None
    """The pin of the 40-pin header, where the line is on it."""
    pull: Pull
    inverted: bool
    debounce_us: int

    @property
    def place(self) -> tuple[str | None, int | str | None]:
        """Identifies the wire: no two lines may share it. A header pin is one wire with every backend."""
        if self.header is not None:
            return "header", self.header
        return self.chip, self.wire

    @property
    def wire(self) -> int | str | None:
        """The wire as `hal` names it."""
        return self.name if self.gpio is None else self.gpio

    def spec(self) -> LineSpec:
        """The description of an input line for `hal`."""
        return LineSpec(self.line, self.wire, self.chip, self.pull, self.inverted, self.debounce_us * 1000)

    def output_spec(self, drives: str) -> OutputSpec:
        """The description of an output line for `hal`; `drives` is what hangs on it."""
        return OutputSpec(self.line, self.wire, drives, chip=self.chip, inverted=self.inverted)


def resolve(
    line: str, section: PinSection, chip: str | None, *, recorded: bool = False
) -> tuple[GpioPin | None, list[ConfigFinding]]:
    """Finds the pin of one entry of `[pins]`; `chip` is that of `[lines]`.

    Where the lines are `recorded`, a name is that of a variable of the capture, not of a pin.

    Returns:
        The pin, or None if there is no such pin, and all errors and warnings.
    """

    chip = section.chip or chip
    path = ("pins", line)
    on_header = chip is None or chip in HEADER_CHIP_LABELS
    gpio, name = section.gpio, section.name
    if recorded and name is not None:
        return GpioPin(line, chip, None, name, None, "none", section.inverted, section.debounce_us), []
    findings: list[ConfigFinding] = []
    if section.header is not None:
        gpio, findings = _gpio_of_header(line, section.header, chip, on_header)
    elif name is not None and on_header:
        match = _GPIO_NAME.match(name)
        if match is None:
            fix = 'write the name that the header\'s chip gives the line, such as "GPIO17"'
            findings = [ConfigFinding((*path, "name"), f"the header has no line {value_text(name)}", fix)]
        else:
            gpio = int(match["gpio"])
    if findings:
        return None, findings
    if gpio is not None and gpio < 0:
        return None, [ConfigFinding((*path, "gpio"), f"{gpio} is not a GPIO", "write a number from 0 to 27")]
    if on_header and gpio not in PIN_OF_GPIO:
        key = "name" if name is not None else "gpio"
        return None, [ConfigFinding((*path, key), f"GPIO{gpio} is not on the 40-pin header", _not_on_header(gpio))]
    pull: Pull = section.pull or ("up" if section.inverted else "down")
    header = PIN_OF_GPIO[gpio] if on_header and gpio is not None else None
    findings = _warnings(line, gpio, section) if on_header else []
    return GpioPin(line, chip, gpio, name, header, pull, section.inverted, section.debounce_us), findings


def shared(pins: Iterable[GpioPin]) -> list[tuple[GpioPin, GpioPin]]:
    """Each pin whose wire an earlier line has already, with that earlier pin."""
    first: dict[tuple[str | None, int | str | None], GpioPin] = {}
    twice: list[tuple[GpioPin, GpioPin]] = []
    for pin in pins:
        other = first.setdefault(pin.place, pin)
        if other is not pin:
            twice.append((pin, other))
    return twice


def propose(
    lines: Iterable[str], taken: Mapping[str, GpioPin], chip: str | None = None, pulled_up: Collection[str] = ()
) -> dict[str, GpioPin]:
    """Proposes pins for lines that have none: GPIOs without another use first, without those of `taken`; with the
    resistor to + for those of `pulled_up`.

    Lines for which the header has no free pin are not in the result.
    """
    used = {pin.gpio for pin in taken.values()}
    free = [gpio for gpio in PLAIN_FIRST if gpio not in used]
    return {
        line: GpioPin(line, chip, gpio, None, PIN_OF_GPIO[gpio], "up" if line in pulled_up else "down", False, 0)
        for line, gpio in zip(lines, free, strict=False)
    }


def _gpio_of_header(
    line: str, number: int, chip: str | None, on_header: bool
) -> tuple[int | None, list[ConfigFinding]]:
    path = ("pins", line, "header")
    if not on_header:
        wrong = f"the chip {value_text(chip)} is not that of the 40-pin header"
        return None, [ConfigFinding(path, wrong, "write the line's offset on that chip as gpio, or its name")]
    if not 1 <= number <= len(HEADER):
        return None, [ConfigFinding(path, f"the header has no pin {number}", "write a pin from 1 to 40")]
    pin = HEADER[number - 1]
    if pin.gpio is None:
        fix = "choose a pin with a GPIO; feltwire pins draws the header"
        if number in PIN_OF_GPIO:
            fix = f"GPIO{number} is header pin {PIN_OF_GPIO[number]}: write {{ gpio = {number} }} if you meant that"
        return None, [ConfigFinding(path, f"pin {number} of the header is {pin.label}, not a GPIO", fix)]
    return pin.gpio, []


def _not_on_header(gpio: int | None) -> str:
    if gpio is not None and 28 <= gpio <= len(HEADER) and HEADER[gpio - 1].gpio is not None:
        return f"the header has GPIO0 to GPIO27; write {{ header = {gpio} }} if you meant the pin"
    return "the header has GPIO0 to GPIO27"


def _warnings(line: str, gpio: int | None, section: PinSection) -> list[ConfigFinding]:
    path = ("pins", line)
    if gpio in RESERVED:
        wrong = f"GPIO{gpio} is reserved for the EEPROM of a HAT, and driven at every start"
        return [ConfigFinding(path, wrong, "choose another pin, if there is one", "warning")]
    if gpio in SERIAL_CONSOLE:
        wrong = (
            f"GPIO{gpio} is {SERIAL_CONSOLE[gpio]} of the serial port: a console there drives or reads it at a start"
        )
        fix = "choose another pin, or switch the console off: raspi-config, Interface Options, Serial Port"
        return [ConfigFinding(path, wrong, fix, "warning")]
    if gpio in FIXED_PULL_UP and (section.pull == "down" or (section.pull is None and not section.inverted)):
        wrong = f"GPIO{gpio} has a fixed pull-up on the board, so an unplugged line is high"
        return [ConfigFinding(path, wrong, "choose another pin, or wire it inverted", "warning")]
    return []
