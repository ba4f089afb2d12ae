"""Opens what a live table's configuration names: its lines, its links and its lamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from controller.configuration.values import TableConfig
from drivers.indicators import NumberDisplay
from hal.clock import Clock
from hal.framing import LineFramer
from hal.lines import LineSource, by_chip
from hal.outputs import Outputs
from hal.serial_link import SerialLink, SerialSettings

if TYPE_CHECKING:
    from gpiozero.pins import Factory

DEFAULT_FACTORY = "lgpio"
"""The pin factory of gpiozero that works on every Pi."""


@dataclass
class Wiring:
    """The open ends of one table."""

    sources: list[LineSource] = field(default_factory=list)
    links: dict[str, SerialLink] = field(default_factory=dict)
    outputs: Outputs | None = None


def wire(config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int) -> Wiring:
    """The sources and outputs of a table. Nothing is opened yet.

    `faults` and `seed` are for simulated devices, which are imported only where the configuration asks for them.

    Raises:
        hal.lines.LineError: a backend cannot be had on this computer.
    """
    if config.lines.backend == "sim":
        return Wiring(sources=[_simulated(config, clock, faults, seed)])
    wiring = Wiring()
    for name, link in config.links.items():
        settings = SerialSettings(baudrate=link.baud)
        wiring.links[name] = SerialLink(name, link.port, clock, LineFramer(), settings)
    wiring.sources += [link for name, link in wiring.links.items() if name != NumberDisplay.link]
    inputs = [pin.spec() for line, pin in config.pins.items() if config.uses[line].kind == "input"]
    outputs = [pin.output_spec() for line, pin in config.pins.items() if config.uses[line].kind == "output"]
    if config.lines.backend == "gpiod":
        from hal.backends.gpiod import GpiodLines
        from hal.outputs_gpiod import GpiodOutputs

        for chip, specs in by_chip(inputs).items():
            wiring.sources.append(GpiodLines(specs, clock, name=f"{config.id}:{chip or 'header'}"))
        if outputs:
            wiring.outputs = Outputs(outputs, GpiodOutputs(outputs), clock)
    elif config.lines.backend == "gpiozero":
        from hal.backends.gpiozero import GpiozeroLines
        from hal.outputs_gpiozero import GpiozeroOutputs

        factory = _factory(config.lines.factory or DEFAULT_FACTORY)
        if inputs:
            wiring.sources.append(GpiozeroLines(inputs, clock, factory, name=f"{config.id}:gpiozero"))
        if outputs:
            wiring.outputs = Outputs(outputs, GpiozeroOutputs(outputs, factory), clock)
    return wiring


@cache
def _factory(name: str) -> Factory:
    """gpiozero's factory, of which a process has one: it claims the chip, and is closed with the process."""
    from hal.backends.gpiozero_factory import load_factory

    return load_factory(name)


def _simulated(config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int) -> LineSource:
    from controller.simulation import geometry_of
    from simulators.source import SimulatedSource
    from simulators.table import simulator_for

    simulator = simulator_for(config.game, geometry_of(config), seed)
    return SimulatedSource(simulator, clock.now_ns(), dict(faults), name=f"{config.id}:sim")
