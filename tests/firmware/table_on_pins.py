"""The same table on GPIO lines of a kernel in memory: the twin with which one on boards is compared.

What a board has and the pins of a computer have not, an inclinometer, comes from a source of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from copy import deepcopy
from itertools import chain, count
from pathlib import Path
from typing import Any

from controller.boards.emulation import link_port_of
from controller.configuration.document import toml_text
from controller.live.wiring import Wiring
from hal.backends.gpiod import GpiodLines
from hal.backends.sim import SimLines
from hal.framing import LineFramer
from hal.lines import LineSource
from hal.serial_link import SerialLink, SerialSettings
from hal.values import Edge, EdgesLost, Loss, Reading
from simulators.board.played_link import LinkOnPty
from tests.fakes.fake_gpiod import FakeKernel
from tests.firmware.live_evening import LiveEvening, PlayedBatches, TableEvening
from tests.tables.bench import configured

NOWHERE = Path("/nowhere")
FIRST_PIN = 4
PULLED_UP = 1
"""The wire of a line whose cable is out."""


def on_pins(values: Mapping[str, Any], folder: Path) -> str:
    """A table's file on boards as one on the pins of a Pi: other wires, and nothing else; its links on ports there."""
    made = deepcopy(dict(values))
    numbers = count(FIRST_PIN)
    pins: dict[str, dict[str, Any]] = {}
    for line, terminal in made.pop("pins").items():
        if "analogue" not in terminal:
            pins[line] = {"gpio": next(numbers)}
        if "input" in terminal:
            pins[line] |= {"pull": "up", "inverted": terminal.get("inverted", False)}
    del made["board"]
    for name, link in made.get("links", {}).items():
        link["port"] = str(link_port_of(folder, name))
    return toml_text(
        {**made, "table": {**made["table"], "opens": "at_start"}, "lines": {"backend": "gpiod"}, "pins": pins}
    )


class TableOnPins(LiveEvening):
    """The table, on the kernel's lines."""

    def __init__(
        self, values: Mapping[str, Any], evening: TableEvening, folder: Path = NOWHERE, *, supervised: bool = True
    ) -> None:
        """`values` are those of a table's file on boards; the ports of its links are made in `folder`."""
        super().__init__(configured(on_pins(values, folder)), evening, supervised=supervised)
        self._kernel = FakeKernel()
        self._chip = self._kernel.add_chip()
        changes = chain.from_iterable((*batch.edges, *batch.rare) for batch in evening.batches)
        self._happens = deque(sorted(changes, key=lambda value: value.t_ns))

    def _wire(self, opened: ExitStack) -> Wiring:
        opened.enter_context(self._kernel.installed())
        pins = {line: pin for line, pin in self.config.pins.items() if self.config.uses[line].kind == "input"}
        self._wires = {line: (int(pin.gpio or 0), pin.inverted) for line, pin in pins.items()}
        for offset, _ in self._wires.values():
            self._chip.drive(offset, PULLED_UP, 0)
        self._passes(0)
        devices = self._kernel.devices
        sources: list[LineSource] = [GpiodLines([pin.spec() for pin in pins.values()], self.clock, devices=devices)]
        readings = {value.line for value in self._happens if isinstance(value, Reading)}
        self._readings = SimLines((), readings=readings)
        if readings:
            sources.append(self._readings)
        wiring = Wiring(sources)
        played = PlayedBatches(self.evening.batches)
        ports = {link: Path(one.port) for link, one in self.config.links.items()}
        self._play_links(opened, [LinkOnPty(played, link, port) for link, port in ports.items()])
        for name, link in self.config.links.items():
            wiring.links[name] = SerialLink(name, link.port, self.clock, LineFramer(), SerialSettings(link.baud))
        wiring.sources += wiring.links.values()
        return wiring

    def _passes(self, t_ns: int) -> None:
        due = []
        while self._happens and self._happens[0].t_ns <= t_ns:
            due.append(self._happens.popleft())
        for value in due:
            if isinstance(value, Edge) and value.line in self._wires:
                offset, inverted = self._wires[value.line]
                self._chip.drive(offset, value.level ^ inverted, value.t_ns)
            elif isinstance(value, EdgesLost) and value.cause is Loss.UNPLUGGED and value.line in self._wires:
                self._chip.drive(self._wires[value.line][0], PULLED_UP, value.t_ns)
        if t_ns:
            self._readings.play([], [value for value in due if isinstance(value, Reading)], t_ns)
