"""Live tables: sources merged by time, fed to the table, and what it says handed on.

sources ─► Merge ─► Ring
              └───► Table ─► events ─► whoever listens (a line for people; journal and feed in their time)
                               └─────► Signals ─► lamps and display
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from secrets import token_hex
from typing import Final

from controller.assemble import table_for
from controller.configuration.values import TableConfig
from controller.signals import Signals
from controller.wiring import Wiring, wire
from drivers.indicators import NoMoreBetsLamp, NumberDisplay, SendFrame, SetLine
from feed.events import Event
from hal.capture.ring import Ring
from hal.clock import Clock
from hal.lines import LineError, LineSource
from hal.loop import sleep_ns
from hal.merge import Merge
from hal.serial_link import LinkError
from hal.values import Batch, Command

log = logging.getLogger(__name__)

TICK_NS: Final = 20_000_000
"""How often a table looks whether time has passed (ours): a fiftieth of a second, as a person sees it."""

Listener = Callable[[Sequence[Event]], None]
"""Takes events in order. The journal will be the first of them, and the feed behind it."""


class LiveTable:
    """One table on open wires."""

    def __init__(self, config: TableConfig, wiring: Wiring, clock: Clock, listener: Listener) -> None:
        self.config = config
        self._wiring = wiring
        self._clock = clock
        self._listener = listener
        self._merge = Merge()
        self._table = table_for(
            config,
            epoch=token_hex(8),
            simulated=config.lines.backend == "sim",
            time_of=self._wall_time,
            wires=config.buttons if config.live else None,
        )
        self._sources: list[LineSource] = list(wiring.sources)
        self.ring: Ring | None = None
        """The last minutes of the lines; None before anything came."""
        uses = config.uses
        lamp = NoMoreBetsLamp() if NoMoreBetsLamp.line in uses and NoMoreBetsLamp.line in config.pins else None
        display = NumberDisplay() if NumberDisplay.link in wiring.links else None
        self._signals = Signals(lamp, display)

    def open(self) -> None:
        """Opens the wires, then the table. What was opened is closed again if not all can be.

        Raises:
            LineError: a line or a port cannot be had.
        """
        try:
            for source in self._sources:
                self._merge.add(source.name, source.max_lateness_ns, source.lines)
                source.open(self._merge)
            display = self._wiring.links.get(NumberDisplay.link)
            if display is not None:
                display.open(_Deaf())
            if self._wiring.outputs is not None:
                self._wiring.outputs.open()
        except LineError:
            self._close_wires()
            raise
        self._say(self._table.open(self._clock.now_ns()))

    def tick(self) -> None:
        """Takes what the sources have, and lets time pass."""
        now_ns = self._clock.now_ns()
        for source in [*self._sources]:
            if source.failed is not None:
                log.error("table %s: %s", self.config.id, source.failed)
                self._sources.remove(source)
                self._merge.remove(source.name, now_ns)
            else:
                self._merge.until(source.name, source.delivered_until(now_ns))
        batch = self._merge.take()
        if batch is not None:
            if self.ring is None:
                firsts = [values[0].t_ns for values in (batch.edges, batch.rare) if values]
                self.ring = Ring(min(firsts, default=batch.until_ns))
            self.ring.append(batch)
            self._say(self._table.feed(batch))

    def supervise(self, by: str) -> None:
        """Clears the faults whose causes are gone, in the name of a person or of the simulation."""
        t_ns = max(self._merge.watermark_ns, 0)
        for device in dict.fromkeys(fault.device for fault in self._table.faults.standing):
            if not any(self._table.faults.causes(device, fault.fault) for fault in self._table.faults.standing):
                self._say(self._table.feed(Batch([], [Command(f"clear device={device} by={by}", t_ns)], t_ns)))

    def close(self, reason: str) -> None:
        """Makes the outputs safe and closes the wires, then closes the table."""
        self._close_wires()
        self._say(self._table.close(self._clock.now_ns(), reason))

    def _close_wires(self) -> None:
        with ExitStack() as closing:
            for source in self._sources:
                closing.callback(source.close)
            display = self._wiring.links.get(NumberDisplay.link)
            if display is not None:
                closing.callback(display.close)
            if self._wiring.outputs is not None:
                # Called first: the stack is undone from its end.
                closing.callback(self._wiring.outputs.close)

    def _say(self, said: Sequence[Event]) -> None:
        if not said:
            return
        self._listener(said)
        for command in self._signals.of(said):
            self._show(command)

    def _show(self, command: SetLine | SendFrame) -> None:
        """A lamp that fails stops no game: it is told in the log, and tried again with the next command."""
        try:
            if isinstance(command, SetLine):
                if self._wiring.outputs is not None:
                    self._wiring.outputs.set(command.line, 1.0 if command.on else 0.0)
            else:
                self._wiring.links[command.link].write(command.data)
        except (LineError, LinkError) as error:
            log.warning("table %s: %s", self.config.id, error)

    def _wall_time(self, t_ns: int) -> str:
        moment = datetime.fromtimestamp(self._clock.wall_time_ns(t_ns) / 1e9, UTC)
        return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


class _Deaf:
    """A sink for a link that only sends."""

    def deliver(self, source: str, edges: Sequence[object], rare: Sequence[object]) -> None:
        """What a display answers is of no use."""


async def run_tables(
    configs: Sequence[TableConfig],
    clock: Clock,
    listener: Listener,
    *,
    stopped: Callable[[], bool],
    faults: Sequence[Mapping[int | None, str]],
    seed: int,
) -> None:
    """Runs tables until `stopped`. One table's failure to open does not keep the others shut.

    Raises:
        LineError: no table could be opened.
    """
    tables: list[LiveTable] = []
    failures: list[LineError] = []
    for number, config in enumerate(configs):
        try:
            table = LiveTable(config, wire(config, clock, faults[number], seed + number), clock, listener)
            table.open()
        except LineError as error:
            log.error("table %s stays shut: %s", config.id, error)
            failures.append(error)
        else:
            tables.append(table)
    if not tables:
        raise LineError("no table could be opened: " + "; ".join(str(error) for error in failures))
    try:
        while not stopped():
            await sleep_ns(TICK_NS)
            for table in tables:
                table.tick()
                if table.config.lines.backend == "sim":
                    table.supervise("simulated-supervisor")
    finally:
        with ExitStack() as closing:
            for table in tables:
                closing.callback(table.close, "the service stops")
