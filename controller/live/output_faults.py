"""Outputs that did not do what they were told, as faults of their devices.

    set ──► refused by the board, or its wire cannot be written ──► held safe ──► a fault of its device
                                                                       ▲                │ a supervisor clears it
                                                                       └── refused ◄── tried again: may be set

What such an output is for shows in the game: a wheel that does not turn has no result. So this fault stops no play by
itself, as in a replay, which has no outputs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Final

from controller.configuration.values import TableConfig
from controller.games.catalogue import DEVICE
from controller.table.table import Table
from feed.events import Event
from hal.outputs import Outputs

log = logging.getLogger(__name__)

OUTPUT_REFUSED: Final = "output_refused"


class OutputFaults:
    """All outputs of one table."""

    def __init__(self, config: TableConfig, outputs: Iterable[Outputs]) -> None:
        """Takes what there is; nothing needs to be open yet."""
        self._config = config
        self._outputs = list(outputs)
        self._told: dict[str, str] = {}
        """The outputs of which a fault was told, with their devices."""
        self._untold: dict[str, str] = {}
        """Why a chain of lamps could not be told what to light, until that fault is cleared."""

    def cannot_be_told(self, chain: str, why: str) -> None:
        """A chain of lamps could not be told what to light: that is a fault of its device, like a refusal."""
        self._untold[chain] = why

    def tell(self, table: Table, t_ns: int) -> list[Event]:
        """Tells of outputs that refuse since the last time, and frees those whose fault was cleared."""
        standing = {one.device for one in table.faults.standing if one.fault == OUTPUT_REFUSED}
        for name in [name for name, device in self._told.items() if device not in standing]:
            del self._told[name]
            if self._untold.pop(name, None) is None:
                self._of(name).clear([name])
        said: list[Event] = []
        for name, why in self._refusals():
            if name not in self._told:
                said += self._tell(name, why, table, t_ns)
        return said

    def _tell(self, name: str, why: str, table: Table, t_ns: int) -> list[Event]:
        """Latches the fault; where the device has it for another output already, a warning tells of this one."""
        device = self._told[name] = _device_of(name, self._config)
        detail = f"output {name}{_place(name, self._config)}: {why}; put that right, then clear {device}"
        log.error("table %s: %s", self._config.id, detail)
        said = table.raise_fault(device, OUTPUT_REFUSED, detail, t_ns, blocks_play=False)
        return said or table.warn(device, OUTPUT_REFUSED, detail, t_ns)

    def _refusals(self) -> Iterator[tuple[str, str]]:
        for outputs in self._outputs:
            yield from outputs.refusals.items()
        yield from self._untold.items()

    def _of(self, name: str) -> Outputs:
        return next(outputs for outputs in self._outputs if name in outputs.names)


def _device_of(line: str, config: TableConfig) -> str:
    """The device that wants this line."""
    for device in config.devices.values():
        if line in DEVICE[device.driver].lines(device.config):
            return device.name
    return f"output.{line}"


def _place(line: str, config: TableConfig) -> str:
    terminal = config.terminals.get(line)
    return "" if terminal is None else f" (board {terminal.board}, output {terminal.number})"
