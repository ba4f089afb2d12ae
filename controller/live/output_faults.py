"""Reports outputs that refuse a command as faults of their devices.

    set ──► refused by the board, or its wire cannot be written ──► held safe ──► a fault of its device
                                                                       ▲                │ a supervisor clears it
                                                                       └── refused ◄── tried again: may be set

The effect shows in the game: a wheel that does not turn has no result. So this fault does not block play by itself, as
in a replay, which has no outputs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Final

from controller.configuration.values import TableConfig
from controller.table.table import Table
from feed.events import Event
from hal.outputs import Outputs

log = logging.getLogger(__name__)

OUTPUT_REFUSED: Final = "output_refused"


class OutputFaults:
    """Watches all outputs of one table."""

    def __init__(self, config: TableConfig, outputs: Iterable[Outputs]) -> None:
        """The outputs need not be open yet."""
        self._config = config
        self._outputs = list(outputs)
        self._reported: dict[str, str] = {}
        """The outputs whose fault was reported, with their devices."""
        self._unsent: dict[str, str] = {}
        """Why a chain of lamps could not be commanded, until that fault is cleared."""

    def report_unsent(self, chain: str, why: str) -> None:
        """A chain of lamps could not be commanded: a fault of its device, like a refusal."""
        self._unsent[chain] = why

    def report(self, table: Table, t_ns: int) -> list[Event]:
        """Reports outputs that refuse since the last call, and releases those whose fault was cleared."""
        standing = {one.device for one in table.faults.standing if one.fault == OUTPUT_REFUSED}
        released = [name for name, device in self._reported.items() if device not in standing]
        for name in released:
            del self._reported[name]
            if self._unsent.pop(name, None) is None:
                self._of(name).clear([name])
        events: list[Event] = []
        refused = [(name, why) for name, why in self._refusals() if name not in self._reported]
        for name, why in refused:
            events += self._report(name, why, table, t_ns)
        if released or refused:
            table.outputs_refused(self._reported)
        return events

    def _report(self, name: str, why: str, table: Table, t_ns: int) -> list[Event]:
        """Latches the fault; where the device has it for another output already, a warning reports this one."""
        device = self._reported[name] = _device_of(name, self._config)
        detail = f"output {name}{_place(name, self._config)}: {why}; put that right, then clear {device}"
        log.error("table %s: %s", self._config.id, detail)
        events = table.raise_fault(device, OUTPUT_REFUSED, detail, t_ns, blocks_play=False)
        return events or table.warn(device, OUTPUT_REFUSED, detail, t_ns)

    def _refusals(self) -> Iterator[tuple[str, str]]:
        for outputs in self._outputs:
            yield from outputs.refusals.items()
        yield from self._unsent.items()

    def _of(self, name: str) -> Outputs:
        return next(outputs for outputs in self._outputs if name in outputs.names)


def _device_of(line: str, config: TableConfig) -> str:
    """The device that uses this line."""
    for device in config.devices.values():
        if line in device.lines:
            return device.name
    return f"output.{line}"


def _place(line: str, config: TableConfig) -> str:
    terminal = config.terminals.get(line)
    return "" if terminal is None else f" (board {terminal.board}, output {terminal.number})"
