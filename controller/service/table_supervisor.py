"""Runs all tables of the service: a tick many times a second, and checks once a second.

every 20 ms   each table processes what its lines did, one after the other: between two of them others may work
every second  heartbeats; the calendar; free space on the disk; whether the computer keeps up

Where the computer does not keep up, work is bounded: in a turn simulated tables go on by `LATE_NS` at most, and they
wait while the journal is behind. What real wires did waits in their sources, with the times of the kernel.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from audit.records import COMMANDS
from audit.seals import SEALS
from controller.calibration.table_calibration import state_of
from controller.certification.certificate import certificate_of
from controller.configuration.values import TableConfig
from controller.games.assembly import secret_links
from controller.journal.recovery import RecoveredTable
from controller.live.live_table import NOT_HAD, KnownTable, LiveTable
from controller.live.pending_faults import ServiceFault
from controller.live.wire_watch import WIRES, WIRES_FAILED
from controller.live.wiring import Wiring, wire
from controller.service.clock_watch import BEHIND, ClockWatch
from controller.service.clock_watch import DEVICE as CLOCK
from controller.service.clock_watch import FAULT as CLOCK_JUMPED
from controller.service.counters import HALTED, ServiceCounters
from controller.service.crashes import at_table
from controller.service.disk_watch import CAUSE as NO_ROOM
from controller.service.disk_watch import DEVICE as DISK
from controller.service.disk_watch import FAULT as NEARLY_FULL
from controller.service.disk_watch import DiskWatch
from controller.service.load_watch import DEVICE as SERVICE
from controller.service.load_watch import WARNING as OVERLOADED
from controller.service.load_watch import LoadWatch
from controller.service.outbox import Outbox
from controller.service.pipeline import Pipeline
from controller.service.salt_files import salts_of
from controller.service.state_paths import StatePaths
from feed.allow_list import Role
from feed.endpoints import Endpoints
from feed.events import Event
from hal.clock import NS_PER_S, CalendarWatch, Clock, TurnClock
from hal.lines import LineError

SEAL_SECONDS: Final = 1
"""Between two seals of what was written (ours): after a crash at most this much was never sealed."""


class ServicePlan(NamedTuple):
    """What a service is asked to run."""

    configs: Sequence[TableConfig]
    paths: StatePaths
    endpoints: Endpoints
    keys: Path | None = None
    local_role: Role = "supervisor"
    faults: Sequence[Mapping[int | None, str]] = ()
    """Faults of simulated devices, for each table."""
    seed: int = 1
    speed: float = 1.0
    """Of simulated tables: times real time."""
    seal_seconds: int = SEAL_SECONDS
    """Events are sealed this often, where there were any."""
    head_to: Sequence[str] = ()
    """Where the heads of the journal are sent: paths, URLs, printers."""
    schema: bytes = b"{}"
    """JSON Schema of the events, which the history server sends."""


def tables_of(
    plan: ServicePlan,
    recovered: Mapping[str, RecoveredTable],
    clock: Clock,
    simulated: Clock,
    epoch: str,
    wake: Callable[[], None],
    salts: Executor,
    signer: bytes = b"",
) -> Iterator[LiveTable]:
    """The tables, restored from the journal. Their wires are not open yet. `simulated` is the clock of simulated ones.

    `signer` is the public half of the key that seals the journal: it signs the tables' calibrations too. `salts` writes
    the keys of the salts of cards.
    """
    calendar = CalendarWatch()
    for number, config in enumerate(plan.configs):
        found = recovered.get(config.id)
        state = None if found is None or not found.head.seq else found.state
        faults = plan.faults[number] if plan.faults else {}
        own = simulated if config.backend.simulated else clock
        yield LiveTable(
            config,
            _wired(config, own, faults, plan.seed + number),
            own,
            epoch=epoch,
            known=KnownTable(
                state,
                state_of(config, signer),
                certificate_of(config, signer),
                salts_of(plan.paths.salts, config.id, salts) if secret_links(config) else None,
            ),
            wake=wake,
            calendar_is_set=calendar.is_set,
        )


def _wired(config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int) -> Wiring:
    """A table's wires; or none, with why this computer cannot have them."""
    try:
        return wire(config, clock, faults, seed)
    except LineError as error:
        return Wiring(failure=error)


def tables_by_failure(failures: Mapping[str, LineError]) -> dict[str, list[str]]:
    """Each cause once, with the tables that have no wires because of it: a missing right concerns them all."""
    tables: dict[str, list[str]] = {}
    for table, failure in failures.items():
        tables.setdefault(str(failure), []).append(table)
    return tables


log = logging.getLogger(__name__)

JOURNAL: Final = "journal"
HISTORY_CHANGED: Final = "history_changed"

TICK_NS: Final = 20_000_000
"""The time between ticks (ours): a fiftieth of a second, which a person does not notice."""
REST_NS: Final = 5 * TICK_NS
"""The same while nothing moves (ours): a service that waits for players should cost nothing."""
STILL_NS: Final = NS_PER_S
"""After this long without a change `REST_NS` applies (ours)."""
LATE_NS: Final = 15 * TICK_NS
"""A tick that comes this long after the one before is late (ours)."""
BEHIND_NS: Final = NS_PER_S
"""While an event has waited this long for the journal, the time of simulated tables stops (ours)."""


class TableSupervisor:
    """Runs the tables, and watches the clock and the disk."""

    def __init__(
        self,
        tables: Mapping[str, LiveTable],
        outboxes: Mapping[str, Outbox],
        pipeline: Pipeline,
        clock: Clock,
        clock_watch: ClockWatch,
        disk_watch: DiskWatch,
        counters: ServiceCounters,
        *,
        simulated: TurnClock | None = None,
    ) -> None:
        """`outboxes` take the events of the tables, by the same ids.

        `clock` is the computer's own, however fast simulated tables run; `simulated` is the clock of those.
        """
        self.tables = tables
        self._outboxes = outboxes
        self._pipeline = pipeline
        self._clock = clock
        self._clock_watch = clock_watch
        self._disk_watch = disk_watch
        self._counters = counters
        self._behind_of: str | None = None
        self._newest = ""
        """The time of the newest record when the tables were opened."""
        self._ticked_ns = clock.now_ns()
        self._second_ns = self._ticked_ns
        self._moved_ns = self._ticked_ns
        self._simulated = simulated
        self._load = self._new_load()

    @property
    def _halted(self) -> bool:
        return self._pipeline.failure is not None

    def _new_load(self) -> LoadWatch:
        return LoadWatch(self._ticked_ns, None if self._simulated is None else self._simulated.speed)

    @property
    def load(self) -> str:
        """By how much the computer is late, in words; empty where it keeps up."""
        return self._load.words

    def open_wires(self) -> dict[str, LineError]:
        """Opens the wires of every table; returns why tables have none, by table."""
        failures: dict[str, LineError] = {}
        for table in self.tables.values():
            with at_table(table.id):
                try:
                    table.open_wires()
                except LineError as error:
                    failures[table.id] = error
        return failures

    def open(
        self, failures: Mapping[str, LineError], last_time: str = "", lost: Mapping[str, object] = MappingProxyType({})
    ) -> None:
        """Opens every table; a table without wires is shut by a fault.

        `last_time` is that of the journal's newest record; `lost` is what it has lost of each table.
        """
        self._newest = last_time
        behind = self._clock_watch.behind(last_time)
        for failed, ids in tables_by_failure(failures).items():
            log.error("table %s stays shut: %s; %s", ", ".join(ids), failed, self.tables[ids[0]].remedy)
        for table in self.tables.values():
            standing: list[ServiceFault] = []
            failure = failures.get(table.id)
            if failure is not None:
                detail = f"{failure}; {table.remedy}"
                standing.append(ServiceFault(WIRES, WIRES_FAILED, detail, NOT_HAD))
            if behind is not None:
                standing.append(ServiceFault(CLOCK, CLOCK_JUMPED, behind, BEHIND))
            gone = lost.get(table.id) or lost.get(COMMANDS) or lost.get(SEALS)
            if gone is not None:
                detail = (
                    f"{gone}; replace the card or disk, or find out who wrote to the file "
                    "(`feltwire journal verify`), then clear it"
                )
                standing.append(ServiceFault("journal", "history_lost", detail))
            with at_table(table.id):
                self._put(table, table.open(standing))
        if behind is not None:
            log.error("play stays stopped: %s", behind)
            self._behind_of = last_time
        # A start may take long: nothing of it is lateness.
        if self._simulated is not None:
            self._simulated.turn()
        self._ticked_ns = self._clock.now_ns()
        self._load = self._new_load()

    def tick(self) -> bool:
        """Runs a tick of every table; returns whether a second has passed since it last returned true."""
        for _ in self.turn():
            pass
        return self.each_second()

    def turn(self) -> Iterator[None]:
        """Runs a tick of one table after the other. After each the caller may let others work, or leave the rest."""
        now_ns = self._clock.now_ns()
        since_ns, self._ticked_ns = now_ns - self._ticked_ns, now_ns
        self._counters.longest_tick_ns = max(self._counters.longest_tick_ns, since_ns)
        if since_ns > LATE_NS:
            self._counters.late_ticks += 1
        late_ns = max(0, since_ns - LATE_NS)
        if self._simulated is not None:
            waiting_ns = self._pipeline.waiting_since_ns
            behind = waiting_ns is not None and now_ns - waiting_ns > BEHIND_NS
            late_ns = max(late_ns, self._simulated.turn(holds=behind))
        self._load.turned(now_ns, late_ns)
        if self._halted:
            return
        jumped = self._clock_watch.check()
        if jumped is not None:
            self._calendar_was_set(jumped)
        for table in self.tables.values():
            if self._halted:
                return
            with at_table(table.id):
                result = table.tick()
                self._outboxes[table.id].put(result.events, result.results, result.until_ns)
                if table.simulated:
                    table.supervise()
            yield

    def each_second(self) -> bool:
        """Does what is due once a second; returns whether it was."""
        now_ns = self._ticked_ns
        if now_ns < self._second_ns:
            return False
        # After a long stop there is one heartbeat, and not one for each second missed.
        self._second_ns = max(self._second_ns + NS_PER_S, now_ns + NS_PER_S // 2)
        self._each_second()
        return True

    def rest_ns(self) -> int:
        """How long until the next tick, unless an input comes."""
        if any(table.busy_within(REST_NS) for table in self.tables.values()):
            self._moved_ns = self._ticked_ns
        return TICK_NS if self._ticked_ns - self._moved_ns < STILL_NS else REST_NS

    def safe(self) -> None:
        """Makes every table's outputs safe and closes its wires; an error at one does not keep the others from it."""
        with ExitStack() as every:
            for table in self.tables.values():
                every.callback(table.safe)

    def close(self, reason: str) -> None:
        """Closes every table."""
        for table in self.tables.values():
            self._put(table, table.close(reason))

    def _each_second(self) -> None:
        if not self._halted:
            self._watch_calendar()
            found = self._disk_watch.check()
            if found is not None:
                self._raise_everywhere(DISK, NEARLY_FULL, found, cause=NO_ROOM)
            elif self._disk_watch.has_room_again():
                for table in self.tables.values():
                    table.cause_gone(DISK, NO_ROOM)
            overload = self._load.check()
            if overload is not None:
                for table in self.tables.values():
                    self._put(table, table.warn(SERVICE, OVERLOADED, overload))
        for table in self.tables.values():
            self._counters.faults[table.id] = tuple((one.device, one.fault) for one in table.faults)
            self._counters.states[table.id] = HALTED if self._halted else table.state
        # After the counters: whoever has a heartbeat finds them on the monitoring port.
        for table in self.tables.values():
            self._beat(table)

    def _put(self, table: LiveTable, events: Sequence[Event]) -> None:
        self._outboxes[table.id].put_from_service(events)

    def _beat(self, table: LiveTable) -> None:
        """Sends a heartbeat, once the first event of this start is published: before that there is no head."""
        if self._halted or self._pipeline.head(table.id).epoch == table.epoch:
            state = HALTED if self._halted else None
            self._pipeline.beat(table.id, lambda head: table.heartbeat(head.seq, head.hash, state))

    def history_was_changed(self, what: object) -> None:
        """Stops play: records that the journal holds are not as they were written."""
        detail = f"{what}; find out who wrote to the file, then clear it"
        self._raise_everywhere(JOURNAL, HISTORY_CHANGED, detail)

    def _calendar_was_set(self, jumped: str) -> None:
        """Stops play; where the calendar is before the newest record now, the fault stays latched until it has passed
        that."""
        newest = max(self._newest, self._clock_watch.newest)
        behind = self._clock_watch.behind(newest)
        if behind is not None:
            self._behind_of = newest
            self._raise_everywhere(CLOCK, CLOCK_JUMPED, f"{jumped}: {behind}", cause=BEHIND)
        else:
            self._raise_everywhere(CLOCK, CLOCK_JUMPED, jumped)

    def _watch_calendar(self) -> None:
        if self._behind_of is not None and self._clock_watch.behind(self._behind_of) is None:
            self._behind_of = None
            log.info("the calendar is past the journal's newest record again: a supervisor may clear %s", CLOCK_JUMPED)
            for table in self.tables.values():
                table.cause_gone(CLOCK, BEHIND)

    def _raise_everywhere(self, device: str, fault: str, detail: str, *, cause: str = "") -> None:
        log.error("every table is stopped: %s", detail)
        for table in self.tables.values():
            self._put(table, table.raise_fault(device, fault, detail, cause=cause))
