"""Looks at lines of a GPIO chip before anybody claims them: who holds them, and what drives them.

A line that follows the chip's own resistor both ways is driven by nothing: an open contact, an open collector at rest,
or a wire that is off. One that stays as it is, is driven.

    resistor up     1          1          0
    resistor down   0          1          0
                 nothing     high        low
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from hal.backends.gpiod_chip import CONSUMER, Devices, gpio_devices, line_offset, open_chip, require_gpiod
from hal.clock import NS_PER_S, SystemClock, wait_until_ns
from hal.lines import LineError, LineSpec, by_chip

SETTLE_NS: Final = NS_PER_S // 500
"""Between a change of the resistor and the reading (ours): 50 kΩ charge 10 nF of cable in half a millisecond."""

Driven = Literal["nothing", "high", "low"]


class ChipSeen(NamedTuple):
    """One GPIO chip of this computer."""

    path: str
    label: str
    """Empty where it cannot be opened."""
    lines: int
    refused: str = ""
    """Why it cannot be opened."""


class LineSeen(NamedTuple):
    """One line before it is claimed."""

    name: str
    chip: str
    offset: int
    consumer: str
    """Who holds it, as the kernel has it; empty where nobody does."""


def chips_seen(devices: Devices = gpio_devices) -> list[ChipSeen]:
    """The GPIO chips of this computer.

    Raises:
        LineError: the package `gpiod` is missing.
    """
    require_gpiod()
    import gpiod

    found: list[ChipSeen] = []
    for path in devices():
        try:
            with gpiod.Chip(path) as chip:
                info = chip.get_info()
                found.append(ChipSeen(path, info.label, info.num_lines))
        except OSError as error:
            found.append(ChipSeen(path, "", 0, error.strerror or str(error)))
    return found


def lines_seen(specs: Iterable[LineSpec], devices: Devices = gpio_devices) -> list[LineSeen]:
    """The lines of these specs as they are.

    Raises:
        LineError: a chip or a line is not there, or may not be opened; the message has what to do.
    """
    require_gpiod()
    found: list[LineSeen] = []
    for label, lines in by_chip(specs).items():
        with open_chip(label, devices) as chip:
            name = chip.get_info().label
            for spec in lines:
                offset = line_offset(chip, spec)
                info = chip.get_line_info(offset)
                found.append(LineSeen(spec.name, name, offset, (info.consumer or "the kernel") if info.used else ""))
    return found


def what_drives(specs: Sequence[LineSpec], devices: Devices = gpio_devices) -> dict[str, Driven]:
    """What drives each line at rest. The lines are claimed for a few milliseconds, as inputs.

    Raises:
        LineError: one cannot be claimed.
    """
    require_gpiod()
    import gpiod
    from gpiod.line import Bias, Direction

    levels: dict[str, list[int]] = {spec.name: [] for spec in specs}
    clock = SystemClock()
    for label, lines in by_chip(specs).items():
        with open_chip(label, devices) as chip:
            offsets = [line_offset(chip, spec) for spec in lines]
            for bias in (Bias.PULL_UP, Bias.PULL_DOWN):
                settings = gpiod.LineSettings(direction=Direction.INPUT, bias=bias)
                try:
                    with chip.request_lines(dict.fromkeys(offsets, settings), consumer=CONSUMER) as request:
                        wait_until_ns(clock, clock.now_ns() + SETTLE_NS)
                        values = request.get_values(offsets)
                except OSError as error:
                    names = ", ".join(spec.name for spec in lines)
                    raise LineError(f"the resistors of {names} cannot be set: {error.strerror}") from error
                for spec, value in zip(lines, values, strict=True):
                    levels[spec.name].append(int(bool(value)))
    return {name: _driven(*both) for name, both in levels.items()}


def _driven(with_up: int, with_down: int) -> Driven:
    if with_up and not with_down:
        return "nothing"
    return "high" if with_up else "low"
