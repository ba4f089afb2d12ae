"""The pin of every line of the tables of one Pi, as their files have it or as we propose it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from controller.configuration.pins import GpioPin, propose, shared
from controller.configuration.values import TableConfig
from controller.configuration.wiring import pin_words
from drivers.base.device_spec import LineUse


class Pinout(NamedTuple):
    """The pin of every line of a table."""

    uses: Mapping[str, LineUse]
    pins: Mapping[str, GpioPin]
    proposed: frozenset[str]
    """The lines whose pin is our proposal and not in the file."""

    @property
    def on_header(self) -> dict[int, str]:
        """The line at each used pin of the header."""
        return {pin.header: line for line, pin in self.pins.items() if pin.header is not None}


def pinouts_of(configs: Sequence[TableConfig]) -> list[Pinout]:
    """The pinouts of the tables of one Pi: what is proposed for one is free in all others."""
    made: list[Pinout] = []
    for config in configs:
        others = [pin for one in configs if one is not config for pin in one.pins.values()]
        made.append(pinout_of(config, [*others, *(pin for one in made for pin in one.pins.values())]))
    return made


def shared_pins(configs: Sequence[TableConfig]) -> list[str]:
    """The wires that two of the tables have, in words."""
    owner = {id(pin): config.id for config in configs for pin in config.pins.values()}
    return [
        f"{owner[id(pin)]}: {pin.line} has the same wire as {other.line} of {owner[id(other)]} ({pin_words(pin)}); "
        "give each line a wire of its own"
        for pin, other in shared(pin for config in configs for pin in config.pins.values())
    ]


def pinout_of(config: TableConfig, taken: Collection[GpioPin] = ()) -> Pinout:
    """The pinout of a table; where no wiring is required, pins are proposed for the lines that the file leaves out,
    none of which is `taken`.
    """
    if config.live:
        return Pinout(config.uses, config.pins, frozenset())
    on_pins = [name for name, use in config.uses.items() if use.kind in {"input", "output"}]
    unwired = [name for name in on_pins if name not in config.pins]
    unwired.sort(key=lambda name: not config.uses[name].required)
    closed = [name for name in unwired if config.uses[name].closed_at_rest]
    elsewhere = {f"{number} {pin.line}": pin for number, pin in enumerate(taken)}
    proposal = propose(unwired, {**config.pins, **elsewhere}, pulled_up=closed)
    return Pinout(config.uses, {**config.pins, **proposal}, frozenset(proposal))
