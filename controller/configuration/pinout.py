"""The pin of every line of a table, as the file has it or as we propose it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from controller.configuration.pins import GpioPin, propose
from controller.configuration.values import TableConfig
from drivers.base.device_spec import LineUse


class Pinout(NamedTuple):
    """The pin of every line of a table."""

    uses: Mapping[str, LineUse]
    pins: Mapping[str, GpioPin]
    proposed: frozenset[str]
    """The lines whose pin is our proposal and not in the file."""


def pinout_of(config: TableConfig) -> Pinout:
    """The pinout of a table; where no wiring is required, pins are proposed for the lines that the file leaves out."""
    if config.live:
        return Pinout(config.uses, config.pins, frozenset())
    on_pins = [name for name, use in config.uses.items() if use.kind in {"input", "output"}]
    unwired = [name for name in on_pins if name not in config.pins]
    unwired.sort(key=lambda name: not config.uses[name].required)
    closed = [name for name in unwired if config.uses[name].closed_at_rest]
    proposal = propose(unwired, config.pins, pulled_up=closed)
    return Pinout(config.uses, {**config.pins, **proposal}, frozenset(proposal))
