"""Tables of a service in virtual time, from wires to feed, on a journal in memory: no loop, no thread, no socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.captures.capture_archive import Ready
from controller.captures.capture_store import CaptureRequest, RenderedCapture, render
from controller.configuration.values import TableConfig
from controller.live.live_table import KnownTable, LiveTable
from controller.live.wiring import Wiring, wire
from controller.service.clock_watch import ClockWatch
from controller.service.command_handler import CommandHandler
from controller.service.command_server import LOCAL
from controller.service.disk_watch import DiskWatch
from controller.service.outbox import Outbox
from controller.service.requests import CommandAnswer, Request
from controller.service.table_supervisor import LATE_NS, TICK_NS, TableSupervisor
from feed.allow_list import KeyOwner
from feed.events import decode
from feed.state import TableState
from hal.clock import Clock, TurnClock, VirtualClock
from hal.lines import LineError
from tests.fakes.service import MemoryJournal, PipelineBench
from tests.tables.bench import EventList

ANN = KeyOwner("ann", "supervisor", "A")


class InlineKeeper:
    """Renders captures at once, and keeps them in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, RenderedCapture] = {}

    def keep(self, case: CaptureRequest, ready: Ready) -> None:
        rendered = render(case)
        self.kept[rendered.name.file] = rendered
        ready(rendered.name)

    def write(self, folder: Path, file: str) -> Path:
        """A kept capture as a file."""
        path = folder / Path(file).name
        path.write_bytes(self.kept[file].data)
        return path


class NoService:
    """A service without status, which cannot be ended."""

    def status(self) -> dict[str, Any]:
        return {}

    def quit(self, by: str) -> None:
        raise AssertionError("nobody ends it")


class VirtualService:
    """Tables and the way of their events."""

    def __init__(
        self,
        configs: Sequence[TableConfig],
        *,
        clock: VirtualClock | None = None,
        real: Clock | None = None,
        wirings: Sequence[Wiring] | None = None,
        faults: Sequence[Mapping[int | None, str]] | None = None,
        seed: int = 1,
        journal: MemoryJournal | None = None,
        epoch: str = "00ff00ff00ff00ff",
        free: Callable[[], int] = lambda: 10**10,
        speed: float | None = None,
    ) -> None:
        """With a `journal` the tables go on from what it holds; with a `speed` they have their own clock."""
        self.clock = clock or VirtualClock(1_000_000_000)
        self.paced = None if speed is None else TurnClock(speed, self.clock, LATE_NS)
        self.bench = PipelineBench()
        if journal is not None:
            self.bench.journal = journal
        self.bench.clock = self.clock
        self.keeper = InlineKeeper()
        self.answers: list[CommandAnswer] = []
        bench = self.bench
        # The stand-in's own pipeline is put together again, on the clock and the journal of this hall.
        self.pipeline = bench.pipeline = type(bench.pipeline)(
            bench.journal, bench.feed, self.clock, bench.counters, heads=bench.journal.heads, halted=self._halt
        )
        self.tables: dict[str, LiveTable] = {}
        self.handler = CommandHandler(
            self.tables,
            NoService(),
            self.pipeline,
            self.clock,
            bench.counters,
            epoch=epoch,
            now=lambda: "1970-01-01T00:00:00Z",
            find=bench.journal.recall,
        )
        for number, config in enumerate(configs):
            plan = faults[number] if faults else {}
            own = self.clock if self.paced is None else self.paced
            wiring = wirings[number] if wirings else wire(config, own, plan, seed + number)
            state = _state(config.id, bench.journal)
            self.tables[config.id] = LiveTable(config, wiring, own, epoch=epoch, known=KnownTable(state))
        self.outboxes = {
            table.id: Outbox(self.pipeline, self.handler, self.keeper, table.memory, table.show)
            for table in self.tables.values()
        }
        watched = real or self.clock
        self.supervisor = TableSupervisor(
            self.tables,
            self.outboxes,
            self.pipeline,
            watched,
            ClockWatch(watched),
            DiskWatch(free, watched),
            bench.counters,
            simulated=self.paced,
        )

    @property
    def paced_ns(self) -> int:
        """The time of simulated tables that have a clock of their own."""
        assert self.paced is not None
        return self.paced.now_ns()

    @property
    def journal(self) -> MemoryJournal:
        return self.bench.journal

    @property
    def said(self) -> EventList:
        """Everything published but heartbeats."""
        return EventList(event for event in self.bench.feed.events if type(event.data).kind != "heartbeat")

    def of(self, table: str) -> EventList:
        return EventList(event for event in self.said if event.data.table == table)

    def open(self, last_time: str = "", lost: Mapping[str, object] | None = None) -> dict[str, LineError]:
        """Opens the tables; returns why some have no wires."""
        failures = self.supervisor.open_wires()
        self.supervisor.open(failures, last_time, lost or {})
        return failures

    def run(self, seconds: float, step_ns: int = TICK_NS, each: Callable[[], None] = lambda: None) -> EventList:
        """Lets this many seconds pass, a look at a time."""
        until_ns = self.clock.now_ns() + round(seconds * 1e9)
        while self.clock.now_ns() < until_ns:
            self.clock.advance_to(min(until_ns, self.clock.now_ns() + step_ns))
            each()
            self.supervisor.tick()
        return self.said

    def send(self, command: str, *, table: str = "", request_id: str = "7", **given: str) -> None:
        request = Request(id=request_id, table=table, command=command, given=given)
        self.handler.receive(request, ANN, LOCAL, self.answers.append)

    def _halt(self, failure: Exception) -> None:
        self.supervisor.safe()


def _state(table: str, journal: MemoryJournal) -> TableState | None:
    """What the journal tells of a table."""
    entries = journal.of(table)
    if not entries:
        return None
    state = TableState(table)
    for entry in entries:
        state.apply(decode(entry.body))
    return state
