"""One table on open wires: merges its sources by time, feeds the table, and returns its events.

sources ──┐
          ├─► Merge ─► Ring
commands ─┘     └────► Table ─► events, results ─► the service: journal, then feed
                                     └── once they are durable ──► IndicatorOutputs ─► lamps and display
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from controller.calibration.table_calibration import (
    CAUSE,
    DEVICE_NAME,
    NOT_CALIBRATED,
    WAIVED,
    CalibrationState,
    calibrated,
)
from controller.certification.certificate import NOT_NEEDED, CertificateState
from controller.configuration.values import TableConfig
from controller.games.assembly import table_for
from controller.games.base.spec import spec_of
from controller.live.board_watch import BoardWatch
from controller.live.certificate_watch import CertificateWatch
from controller.live.indicators import IndicatorOutputs
from controller.live.line_memory import LineMemory
from controller.live.output_dispatcher import OutputDispatcher
from controller.live.output_faults import OutputFaults
from controller.live.pending_faults import PendingFaults, ServiceFault
from controller.live.wire_watch import WIRES, WIRES_FAILED, WireWatch
from controller.live.wiring import Wiring
from controller.table.authority import Sender, may
from controller.table.commands import command_of
from controller.table.durable import JOURNALLED, journalled
from controller.table.faults import LatchedFault
from controller.table.orders.order import CommandResult
from controller.table.salts import KeyedSalts
from controller.table.table import Table
from drivers.base.observed import Listener
from drivers.dealer.indicators import NoMoreBetsLamp, NumberDisplay
from feed.events import Event, StackLoaded
from feed.state import TableState
from hal.backends.reopening import RetryTimer
from hal.clock import Clock, wall_time
from hal.lines import LineError, LineSource
from hal.merge import Merge
from hal.values import Batch, Edge, Rare


class NotifyingSink:
    """Delivers to the merge, and notifies that something came."""

    def __init__(self, merge: Merge, wake: Callable[[], None]) -> None:
        self._merge = merge
        self._wake = wake

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Delivers values to the merge."""
        self._merge.deliver(source, edges, rare)
        self._wake()


class NullSink:
    """The sink of a link that only sends."""

    def deliver(self, source: str, edges: Sequence[object], rare: Sequence[object]) -> None:
        """Drops what a display answers."""


log = logging.getLogger(__name__)

COMMANDS: Final = "commands"
"""The source of commands: merged, kept in the ring and replayed like any other."""
NOT_HAD: Final = "the wires that were not had"
"""The cause of the fault of a table without its wires."""
START_AGAIN: Final = "start the service again once this is fixed"
TRIED_AGAIN: Final = "they are tried again by themselves; once this is fixed, a supervisor clears it"
SERVICE_DEVICES: Final = frozenset({WIRES, "clock", "disk", "journal"})
"""Devices whose faults the service itself raises; the bench's own supervisor leaves them to people."""
UNASKED: Final = CalibrationState("not needed", "not needed")
"""Of a table whose calibration nobody asked for."""
BENCH_SUPERVISOR: Final = "simulated-supervisor"


class TickResult(NamedTuple):
    """The outcome of one tick."""

    events: Sequence[Event]
    results: Sequence[CommandResult]
    until_ns: int
    """The time up to which the lines were processed."""


class KnownTable(NamedTuple):
    """What is known of a table before it begins, beside its configuration."""

    state: TableState | None = None
    """What the journal holds of it."""
    calibration: CalibrationState = UNASKED
    """Without a calibration that fits it stays shut; with one its devices have what was measured."""
    certificate: CertificateState = NOT_NEEDED
    """A machine that is not what was certified stays shut."""
    salts: KeyedSalts | None = None
    """Of commitments to cards; without them they are random, and gone with the process."""


NOTHING_KNOWN: Final = KnownTable()


class Onlooker(NamedTuple):
    """Who is shown what a table reads, as the bench wants it."""

    batch: Callable[[Batch], None]
    """Is shown each batch of the lines."""
    listener: Listener
    """Is shown what the drivers report."""


class LiveTable:
    """One table. Its events are returned; `show` is called with them once they are durable."""

    def __init__(
        self,
        config: TableConfig,
        wiring: Wiring,
        clock: Clock,
        *,
        epoch: str,
        known: KnownTable = NOTHING_KNOWN,
        wake: Callable[[], None] = lambda: None,
        calendar_is_set: Callable[[], bool] = lambda: True,
        onlooker: Onlooker | None = None,
        opens: bool | None = None,
    ) -> None:
        """`wake` is called when an input came that should be processed soon. `opens` is as in `table_for`.

        `calendar_is_set` is whether the calendar is known to be set; simulated devices do not age by it.
        """
        self.calibration = known.calibration
        self.config = config = calibrated(config, known.calibration)
        self.id = config.id
        self.epoch = epoch
        self._wiring = wiring
        self._clock = clock
        self._merge = Merge()
        self._wake = wake
        self._onlooker = onlooker
        self._salts = KeyedSalts() if known.salts is None else known.salts
        self._table = table_for(
            config,
            epoch=epoch,
            simulated=self.simulated,
            time_of=partial(wall_time, clock),
            calendar_is_set=calendar_is_set if config.live else _always,
            salts=self._salts,
            wires=config.buttons if config.live else None,
            opens=opens,
            listener=None if onlooker is None else onlooker.listener,
        )
        if known.state is not None:
            self._table.restore(known.state)
        self._sources: list[LineSource] = list(wiring.sources)
        lines = [line for source in self._sources for line in source.lines]
        self.memory = LineMemory(config, lines, all(source.detects_loss for source in self._sources))
        """The last minutes of the lines."""
        self._boards = BoardWatch(config, wiring.boards, wake)
        self._certificate = CertificateWatch(config, known.certificate, clock.now_ns())
        self._output_faults = OutputFaults(config, wiring.all_outputs)
        self._dispatcher = OutputDispatcher(config.id, wiring, self._output_faults)
        self._pending: PendingFaults | None = None
        """Faults that the service found, while the table waits for its boards."""
        self._watched = False
        self._wires = WireWatch(config.id, wiring, self._display_again)
        self._retry: RetryTimer | None = None
        """When wires that could not be opened at the start are tried again; None where they are not."""
        self._moved = False
        self._begun_ns = 0
        """When the table began: its sources deliver what was before that a little later."""
        self._cleared_ns = -1
        """When the bench's supervisor ordered something last."""
        self._indicators = _indicators(config, wiring)

    @property
    def simulated(self) -> bool:
        """Whether its devices are simulated."""
        return self.config.simulated

    @property
    def table(self) -> Table:
        """The table itself, to be looked at."""
        return self._table

    @property
    def state(self) -> str:
        """`closed`, `inspecting`, `open`, or `shut` by a fault."""
        return self._table.state

    @property
    def faults(self) -> tuple[LatchedFault, ...]:
        return self._table.faults.standing

    @property
    def missing(self) -> list[str]:
        """Chips and ports that are lost, each with the cause."""
        return self._wires.missing if self._watched else []

    @property
    def certificate(self) -> str:
        """The state of its certificate, in words."""
        return self._certificate.words

    @property
    def remedy(self) -> str:
        """What brings back wires that could not be opened at the start, in words."""
        return START_AGAIN if self._wiring.failure is not None else TRIED_AGAIN

    def busy_within(self, ns: int) -> bool:
        """Whether its lines changed at the last tick, or a deadline comes within `ns`."""
        due_ns = self._table.next_due_ns
        return self._moved or (due_ns is not None and due_ns <= self.memory.until_ns + ns)

    # --- from opening to closing ---------------------------------------------------------------------------------

    def open_wires(self) -> None:
        """Opens lines, ports and outputs. What was opened is closed again if not all can be; `tick` tries again.

        Raises:
            LineError: a line or a port cannot be opened.
        """
        if self._wiring.failure is not None:
            raise self._wiring.failure
        merge = self._merge = Merge()
        try:
            self._boards.open(self._clock.now_ns())
            for source in self._sources:
                merge.add(source.name, source.max_lateness_ns, source.lines)
                source.open(NotifyingSink(merge, self._wake))
            if self._wiring.display is not None:
                self._wiring.display.open(NullSink())
            self._wiring.open_outputs()
        except LineError:
            retry = self._retry or RetryTimer()
            self.safe()
            self._retry = retry
            retry.failed(self._clock.now_ns())
            raise
        merge.add(COMMANDS)
        self._watched = True
        self._retry = None

    def open(self, standing: Sequence[ServiceFault] = ()) -> list[Event]:
        """Begins; the table is shut where the service found faults before.

        A table on boards begins with a later `tick`: bets do not open before its lines are there.
        """
        if self._watched and self._boards.awaited(self._clock.now_ns()):
            self._pending = PendingFaults(standing)
            return []
        return self._begin(PendingFaults(standing))

    def tick(self) -> TickResult:
        """Processes what the sources have delivered, up to now; a table that waited for its boards begins first, once
        they are there.
        """
        begun = self._begin_waiting()
        if self._retry is not None and self._retry.is_due(self._clock.now_ns()):
            self._open_wires_again()
        if not self._watched or self._pending is not None:
            return TickResult(begun, (), self.memory.until_ns)
        now_ns = self._clock.now_ns()
        gone = [source for source in self._sources if source.failed is not None]
        for source in gone:
            self._sources.remove(source)
            self._merge.remove(source.name, now_ns)
        self._dispatcher.retry_pending()
        if self._indicators.next_due_ns <= now_ns:
            self._dispatcher.carry_out(self._indicators.due(now_ns))
        reported = [
            *begun,
            *self._wires.report(self._table, self._now_ns()),
            *self._boards.report(self._table, self._now_ns()),
            *self._certificate.report(self._table, self._now_ns()),
            *self._output_faults.report(self._table, self._now_ns()),
        ]
        self._carry_out()
        result = self._advance(now_ns)
        failed = self._source_faults(gone)
        self._carry_out()
        return result._replace(events=[*reported, *result.events, *failed]) if reported or gone else result

    def close(self, reason: str) -> list[Event]:
        """Closes the table: carries out its last commands, makes the outputs safe, and closes the wires."""
        try:
            if self._pending is not None:
                return []  # it never began
            events = self._table.close(self._clock.now_ns(), reason)
            self._carry_out()
            return events
        finally:
            self.safe()

    def safe(self) -> None:
        """Stops the devices, makes the outputs safe and closes the wires, whatever the state of the journal.

        Nothing is received or carried out any more.
        """
        if self._watched:
            self._dispatcher.carry_out(self._table.rest(self._now_ns()))
        self._watched = False
        self._retry = None
        self._boards.close()
        self._wiring.close()

    # --- what people and the service do --------------------------------------------------------------------------

    def command(self, verb: str, given: Mapping[str, str], command_id: str = "") -> str | None:
        """Hands a command to the table; a later `tick` brings its answer. Returns why not, if it takes none now."""
        if verb == JOURNALLED:
            return f"{verb}: only the journal states what is durable"
        if not self._watched:
            return f"{self.config.id}: its wires are not open; fix what its fault names, then {self.remedy}"
        self._merge.deliver(COMMANDS, [], [command_of(verb, given, self._clock.now_ns(), command_id)])
        self._wake()
        return None

    def may(self, sender: Sender, verb: str, others: Sequence[str] = ()) -> str | None:
        """Why this sender may not send this to the table; None if they may.

        `others` are commands that are not the table's: the sender of an unknown one is shown them too.
        """
        verbs, own = [*self.order_names, *others], spec_of(self.config).order_authorities
        return may(sender, verb, self.config.game, self.config.rules, verbs=verbs, own=own)

    @property
    def order_names(self) -> list[str]:
        """The commands that its game takes."""
        return spec_of(self.config).order_names

    def supervise(self) -> None:
        """On the bench: orders what brings the table back, and clears faults whose causes are gone."""
        if self.memory.until_ns <= self._cleared_ns:
            return  # what was ordered last is not carried out yet
        for verb, given in self._table.recovery():
            self._cleared_ns = self._clock.now_ns()
            self.command(verb, {**given, "by": BENCH_SUPERVISOR})
        faults = self._table.faults
        for device in dict.fromkeys(fault.device for fault in faults.standing):
            causes = [faults.causes(device, fault.fault) for fault in faults.standing if fault.device == device]
            if device not in SERVICE_DEVICES and not any(causes):
                self._cleared_ns = self._clock.now_ns()
                self.command("clear", {"device": device, "by": BENCH_SUPERVISOR})

    def raise_fault(self, device: str, fault: str, detail: str, *, cause: str = "") -> list[Event]:
        """Latches a fault that the service found; while its cause is there it cannot be cleared."""
        if self._pending is not None:
            self._pending.add(ServiceFault(device, fault, detail, cause))
            return []
        events = self._table.raise_fault(device, fault, detail, self._now_ns(), cause=cause)
        self._carry_out()
        return events

    def warn(self, device: str, warning: str, detail: str) -> list[Event]:
        """Publishes a warning of what the service found; before the table begins, with its first events."""
        if self._pending is not None:
            self._pending.warn(ServiceFault(device, warning, detail))
            return []
        return self._table.warn(device, warning, detail, self._now_ns())

    def cause_gone(self, device: str, cause: str) -> None:
        """The cause of such a fault is gone: a person may clear it."""
        if self._pending is not None:
            self._pending.cause_gone(device, cause)
        self._table.cause_gone(device, cause)

    def heartbeat(self, last: int, head: str, state: str | None = None) -> Event:
        """The heartbeat event: the journal's last number and head."""
        return self._table.heartbeat(self._clock.now_ns(), last, head, state)

    def show(self, events: Sequence[Event]) -> None:
        """Shows durable events on lamps and display; keys of stacks that are dealt no more are forgotten.

        A machine that awaits it hears that they are durable.
        """
        loaded = sum(isinstance(event.data, StackLoaded) for event in events)
        if loaded:
            self._salts.loading_durable(loaded)
        if not self._watched:
            return
        self._dispatcher.carry_out(self._indicators.of(events))
        if self._table.awaits_journal and (stated := journalled(events, self._clock.now_ns())) is not None:
            self._merge.deliver(COMMANDS, [], [stated])
            self._wake()

    def _display_again(self, t_ns: int) -> None:
        self._dispatcher.carry_out(self._indicators.display_again(t_ns))

    def _open_wires_again(self) -> None:
        """Opens wires that could not be opened at the start, if they are there now: their fault may then be cleared."""
        try:
            self.open_wires()
        except LineError as error:
            log.debug("table %s: its wires cannot be opened yet: %s", self.config.id, error)
            return
        log.info("table %s: its wires are open now; a supervisor may clear %s", self.config.id, WIRES)
        self._boards.introduce(self._table)
        self._dispatcher.begin(self._table.rest(self._clock.now_ns()))
        self._table.cause_gone(WIRES, NOT_HAD)

    def _begin_waiting(self) -> list[Event]:
        """Begins a table that has waited for its boards, once they are there; otherwise does nothing."""
        if self._pending is None or self._boards.awaited(self._clock.now_ns()):
            return []
        standing, self._pending = self._pending, None
        return self._begin(standing)

    def _begin(self, standing: PendingFaults) -> list[Event]:
        if self.calibration.shuts:
            standing.add(ServiceFault(DEVICE_NAME, NOT_CALIBRATED, self.calibration.words, CAUSE))
        elif self.calibration.kind == "waived":
            standing.warn(ServiceFault(DEVICE_NAME, WAIVED, self.calibration.words))
        self._boards.introduce(self._table)
        now_ns = self._begun_ns = self._clock.now_ns()
        differs, waived = self._certificate.begin(), self._certificate.warning()
        if differs is not None:
            standing.add(differs)
        if waived is not None:
            standing.warn(waived)
        if self._watched:
            self._dispatcher.begin(self._table.rest(now_ns))
        events = standing.begin(self._table, now_ns)
        self._carry_out()
        return events

    def _advance(self, now_ns: int) -> TickResult:
        """Feeds the table with everything up to `now_ns`.

        Simulated devices that answer to outputs are played step by step, each output carried out before the next: their
        deadlines run on simulated time, however late a busy computer comes to this.
        """
        events: list[Event] = []
        results: list[CommandResult] = []
        until_ns = self.memory.until_ns
        for step_ns in self._steps(now_ns):
            for source in self._sources:
                self._merge.until(source.name, source.delivered_until(step_ns))
            self._merge.until(COMMANDS, step_ns)
            taken = self._take()
            self._carry_out()
            events += taken.events
            results += taken.results
            until_ns = taken.until_ns
        return TickResult(events, results, until_ns)

    def _steps(self, now_ns: int) -> Iterator[int]:
        simulated = self._wiring.simulated
        while simulated is not None and simulated.answers:
            dues = (simulated.next_value_ns, self._table.next_due_ns)
            step_ns = max(self.memory.until_ns + 1, min(due for due in (*dues, now_ns) if due is not None))
            if step_ns >= now_ns:
                break
            yield step_ns
        yield now_ns

    def _take(self) -> TickResult:
        """Feeds the table with everything that is complete."""
        batch = self._merge.take()
        if batch is None:
            return TickResult((), (), self.memory.until_ns)
        self.memory.pass_to(batch.until_ns)
        self._moved = bool(batch.edges or batch.rare)
        if not batch.edges and not batch.rare:
            due_ns = self._table.next_due_ns
            if due_ns is None or due_ns > batch.until_ns:
                # Time alone changes nothing before that.
                return TickResult((), (), self.memory.until_ns)
        self.memory.append(batch)
        if self._onlooker is not None:
            self._onlooker.batch(batch)
        events = self._table.feed(batch)
        self.memory.show(self._table.shown())
        return TickResult(events, self._table.answers(), batch.until_ns)

    def _source_faults(self, gone: Sequence[LineSource]) -> list[Event]:
        """Raises a fault for sources that failed. Their lines are reported as unplugged, which blocks play where a game
        needs them; so this fault does not block play itself, and verdicts are those of the lines, as in a replay.
        """
        events: list[Event] = []
        for source in gone:
            detail = f"{source.failed}; {START_AGAIN}"
            log.error("table %s: %s", self.config.id, detail)
            cause = f"what failed ({source.name})"
            events += self._table.raise_fault(
                WIRES, WIRES_FAILED, detail, self._now_ns(), blocks_play=False, cause=cause
            )
        return events

    def _now_ns(self) -> int:
        """The time up to which the table was fed, but not before it began; now where it was not fed."""
        if self._watched and self.memory.until_ns:
            return max(self.memory.until_ns, self._begun_ns)
        return self._clock.now_ns()

    def _carry_out(self) -> None:
        """Carries out the table's outputs; with closed wires they are dropped."""
        outputs = self._table.outputs()
        if self._watched:
            self._dispatcher.carry_out(outputs)


def _indicators(config: TableConfig, wiring: Wiring) -> IndicatorOutputs:
    lamp = NoMoreBetsLamp() if NoMoreBetsLamp.line in config.uses and config.wired(NoMoreBetsLamp.line) else None
    display = NumberDisplay() if NumberDisplay.link in wiring.links else None
    return IndicatorOutputs(lamp, display, spec_of(config).words.displayed)


def _always() -> bool:
    return True
