"""The backends of this project, as the catalogue lists them. Their libraries are imported when lines are opened."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from hal.backend_spec import BackendSpec, Label, OpenPins, Pins
from hal.clock import Clock
from hal.lines import by_chip

if TYPE_CHECKING:
    from hal.backends.gpiozero_factory import SharedFactory

DEFAULT_FACTORY: Final = "lgpio"
"""The pin factory of gpiozero that works on every Pi."""
MEMORY: Final = "/dev/gpiomem"
_OF_FACTORY: Final[dict[str, str | None]] = {"native": MEMORY, "rpigpio": MEMORY, "pigpio": None}
"""What gpiozero's pin factories open that do not open a chip; pigpio asks a daemon over the network."""


def _open_gpiod(pins: Pins, clock: Clock) -> OpenPins:
    from hal.backends.gpiod import GpiodLines
    from hal.outputs_gpiod import GpiodOutputs

    chips = by_chip(pins.inputs).items()
    sources = [GpiodLines(specs, clock, name=f"{pins.name}:{chip or 'header'}") for chip, specs in chips]
    return OpenPins(sources, GpiodOutputs(pins.outputs) if pins.outputs else None)


def _open_gpiozero(pins: Pins, clock: Clock) -> OpenPins:
    from hal.backends.gpiozero import GpiozeroLines
    from hal.outputs_gpiozero import GpiozeroOutputs

    shared = _factory(pins.factory or DEFAULT_FACTORY)
    factory = shared.current()
    sources = (
        [GpiozeroLines(pins.inputs, clock, factory, name=f"{pins.name}:gpiozero", shared=shared)] if pins.inputs else []
    )
    return OpenPins(sources, GpiozeroOutputs(pins.outputs, factory, shared=shared) if pins.outputs else None)


@cache
def _factory(name: str) -> SharedFactory:
    """gpiozero's factory, of which a process has one: it claims the chip, and is closed with the process."""
    from hal.backends.gpiozero_factory import SharedFactory

    return SharedFactory(name)


def _chip_of_factory(labels: Sequence[Label], factory: str | None) -> Sequence[Label]:
    """The chip of the header, unless the factory opens none."""
    return [] if factory in _OF_FACTORY else [None]


GPIOD: Final = BackendSpec(
    name="gpiod",
    wires="pins",
    meant=("raspberry pi", "raspberrypi", "pi", "rpi", "gpio", "libgpiod", "rpi.gpio", "pins"),
    open=_open_gpiod,
)
GPIOZERO: Final = BackendSpec(
    name="gpiozero",
    wires="pins",
    open=_open_gpiozero,
    names_chips=False,
    factories=_OF_FACTORY,
    chips=_chip_of_factory,
)
BOARDS: Final = BackendSpec(name="board", wires="boards", meant=("arduino", "nano", "boards"))
SIMULATED: Final = BackendSpec(name="sim", wires="simulated", meant=("simulator", "simulated", "simulation"))
RECORDED: Final = BackendSpec(name="capture", wires="recorded", meant=("replay", "vcd", "recorded"))
