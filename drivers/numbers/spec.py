"""The number generator as a device: its link, and what makes it."""

from __future__ import annotations

from drivers.base.device_spec import DeviceSpec, LineUse, by_keys_and_name
from drivers.numbers.generator import NumberGenerator, NumberGeneratorConfig


def number_generator_lines(config: NumberGeneratorConfig) -> dict[str, LineUse]:
    """The link of a generator."""
    return {config.link: LineUse("number generator", "9600 8N1", "serial port of the generator", "link")}


NUMBER_GENERATOR = DeviceSpec(
    name="number_generator",
    keys=NumberGeneratorConfig,
    lines=number_generator_lines,
    make=by_keys_and_name(NumberGenerator),
)
