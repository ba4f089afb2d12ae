"""The life of a service: checked, opened, running, halted where its journal fails, and stopped in order.

    checks ─► journal ─► tables restored ─► wires ─► sockets ─► READY ─► ticks, heartbeats ─► stop
      │ a check fails                                                              │ journal fails
      └──► exit 1, logs why                                                  └──► HALTED: outputs safe, heartbeats only

It starts the same way after a crash as after an orderly stop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from secrets import token_hex
from typing import Any, Final

from audit.errors import JournalDamaged, JournalError
from audit.records import Head
from controller.captures.capture_archive import CaptureArchive
from controller.journal.history import JournalHistory
from controller.journal.journal import Journal
from controller.journal.whole_check import WholeCheck
from controller.live.live_table import LiveTable
from controller.service.clock_watch import ClockWatch
from controller.service.command_handler import CommandHandler
from controller.service.command_record import RecordFinder
from controller.service.counters import HALTED, LiveNumbers, ServiceCounters
from controller.service.disk_watch import DiskWatch
from controller.service.head_sender import HeadSender
from controller.service.opening import (
    OpenedJournal,
    StartupCheckError,
    StoppedAtStartError,
    check_same_kind,
    check_scheduling,
    check_state,
    open_capture_store,
    open_journal,
)
from controller.service.outbox import Outbox
from controller.service.pipeline import OnPublished, Pipeline
from controller.service.probes import ServiceProbes, Vitals
from controller.service.sockets import Sockets
from controller.service.systemd import Systemd
from controller.service.table_supervisor import (
    LATE_NS,
    TICK_NS,
    ServicePlan,
    TableSupervisor,
    tables_by_failure,
    tables_of,
)
from controller.table.faults import LatchedFault
from hal.clock import NS_PER_S, Clock, TurnClock, wall_time
from hal.loop import sleep_ns
from hal.probes import Pulse
from hal.wording import counted

log = logging.getLogger(__name__)

STUCK_NS: Final = 20 * NS_PER_S
"""A commit that takes longer than this stops the watchdog (ours): the disk, or the writer, hangs."""
SLICE_NS: Final = TICK_NS
"""After this long the tables give way to the sockets, the journal and signals (ours)."""
DRAIN_NS: Final = 10 * NS_PER_S
"""How long the stop waits for what is still being written (ours)."""
ENDS: Final = "the service stops"


class Service:
    """One service; `run` is its whole life."""

    def __init__(
        self,
        plan: ServicePlan,
        real: Clock,
        systemd: Systemd,
        counters: ServiceCounters,
        on_published: OnPublished,
        *,
        fit: Callable[[], object] = lambda: None,
    ) -> None:
        """`real` is the computer's clock; simulated tables have one of their own, at the plan's speed. `fit` is called
        when all checks have passed: it opens what must not be open before.
        """
        self._plan = plan
        self._real = real
        self._simulated = TurnClock(plan.speed, real, LATE_NS)
        self._systemd = systemd
        self._counters = counters
        self._on_published = on_published
        self._fit = fit
        self._error: BaseException | None = None
        """An unhandled exception in a callback; it ends the service."""
        self._epoch = token_hex(8)
        self._start_ns = real.now_ns()
        self._pulse = Pulse(real, "the loop of the tables")
        self._serving = False
        """Whether the sockets are open, and the service is not stopping."""
        self.probes = ServiceProbes(real, self._pulse, self._vitals, counters.states)
        """What a supervisor of processes may ask, on any thread."""
        self._unchecked = ""
        """What is not known of the journal's older records; empty where all are verified."""
        self._heads = HeadSender(plan.head_to, real)
        self._seal_ns = self._start_ns
        """When what was written is sealed next; half a second early, as seconds are not counted exactly."""
        self._salts = ThreadPoolExecutor(1, "salts")
        """Writes the keys of salts, one after the other; it has no thread before the first."""
        self._stop = asyncio.Event()
        self._woken = asyncio.Event()
        self._pipeline: Pipeline | None = None
        self._supervisor: TableSupervisor | None = None
        self._handler: CommandHandler | None = None
        self._sockets: Sockets | None = None

    def stop(self, why: str = ENDS) -> None:
        """Stops the service in order; it may be called before it is open."""
        if not self._stop.is_set():
            log.info("stopping: %s", why)
            self._stop.set()
            self._woken.set()

    async def run(self) -> None:
        """Runs until it is stopped.

        Raises:
            StartupCheckError: a check failed; nothing was bound.
            JournalError: the journal cannot be used; nothing was bound.
        """
        plan = self._plan
        asyncio.get_running_loop().set_exception_handler(self._on_loop_error)
        check_scheduling()
        check_state(plan.paths)
        sockets = self._sockets = Sockets(plan.endpoints, plan.keys, plan.local_role)
        try:
            found = await open_journal(plan.paths, self._real, self._systemd.starting, self._stop.is_set)
            await self._run_on(found, sockets)
        except StoppedAtStartError:
            log.info("stopped before anything was opened")
        finally:
            sockets.drop()

    def status(self) -> dict[str, Any]:
        """The state of the service, as `feltwire send status` shows it."""
        tables = [] if self._supervisor is None else [*self._supervisor.tables.values()]
        about = {
            "epoch": self._epoch,
            "uptime_s": round((self._real.now_ns() - self._start_ns) / NS_PER_S, 1),
            "journal": str(self._plan.paths.journal),
            "verified": self._unchecked or "all records",
        }
        problem = None if self._sockets is None else self._sockets.problem
        load = "" if self._supervisor is None else self._supervisor.load
        return about | status_of(tables, self._pipeline, problem, self._counters, load)

    def _vitals(self) -> Vitals:
        pipeline, sockets = self._pipeline, self._sockets
        failure = None if pipeline is None else pipeline.failure
        return Vitals(
            failure=None if failure is None else f"the journal cannot be written: {failure}",
            waiting_since_ns=None if pipeline is None else pipeline.waiting_since_ns,
            socket_problem=None if sockets is None else sockets.problem,
            serving=self._serving,
        )

    def quit(self, by: str) -> None:
        """Stops the service on a command."""
        self.stop(f"{by} sent quit")

    def live(self) -> LiveNumbers:
        """The numbers that the monitoring port reads at each scrape."""
        sockets = self._sockets
        if sockets is None:
            return LiveNumbers()
        return LiveNumbers(
            subscribers=sockets.publisher.socket.connections,
            connections_refused=sockets.refused,
            connections_ended=sockets.ended,
            feed_malformed=sockets.publisher.malformed,
        )

    # --- from start to end ---------------------------------------------------------------------------------------

    async def _run_on(self, found: OpenedJournal, sockets: Sockets) -> None:
        """Runs with an open journal, and closes it."""
        history = JournalHistory(self._plan.paths.journal)
        recall = RecordFinder(found.journal.find_command)
        try:
            check_same_kind(self._plan.configs, found)
            archive = CaptureArchive(open_capture_store(self._plan.paths), self._counters.captures)
            supervisor = self._set_up(found, sockets, archive, history, recall)
            try:
                with self._checking(found.journal, supervisor):
                    await self._work(supervisor, found, sockets)
            except BaseException:
                # Whatever it is: all outputs go safe first.
                supervisor.safe()
                raise
            await self._end(supervisor, archive)
            recall.close()
            await self._close_journal(found)
            if self._pipeline is not None:
                await self._heads.end(self._heads_now(self._pipeline, found.journal))
            # What the journal committed while it closed is queued on the loop now, and is sent.
            await sleep_ns(0)
            await sockets.close()
            log.info("stopped")
        except StartupCheckError:
            await self._close_journal(found)
            raise
        finally:
            recall.close()
            history.close()

    def _set_up(
        self,
        found: OpenedJournal,
        sockets: Sockets,
        archive: CaptureArchive,
        history: JournalHistory,
        recall: RecordFinder,
    ) -> TableSupervisor:
        """Makes the parts of the service. Nothing is open yet."""
        tables: dict[str, LiveTable] = {}
        pipeline = self._pipeline = Pipeline(
            found.journal,
            sockets.publisher,
            self._real,
            self._counters,
            heads=found.heads,
            halted=self._halt,
            on_published=self._on_published,
        )
        handler = self._handler = CommandHandler(
            tables,
            self,
            pipeline,
            self._real,
            self._counters,
            epoch=self._epoch,
            now=partial(wall_time, self._real),
            find=recall,
        )
        for table in tables_of(
            self._plan,
            found.journal.recovered,
            self._real,
            self._simulated,
            self._epoch,
            self._woken.set,
            self._salts,
            found.signer,
        ):
            tables[table.id] = table
        outboxes = {table.id: Outbox(pipeline, handler, archive, table.memory, table.show) for table in tables.values()}
        sockets.prepare(history, handler, self._real, self._counters, self._plan.schema)
        self._supervisor = TableSupervisor(
            tables,
            outboxes,
            pipeline,
            self._real,
            ClockWatch(self._real),
            DiskWatch(found.journal.free_bytes, self._real),
            self._counters,
            simulated=self._simulated if any(config.backend.simulated for config in self._plan.configs) else None,
        )
        return self._supervisor

    async def _check_history(self, check: WholeCheck, supervisor: TableSupervisor) -> None:
        """Verifies the records that the start did not read, a piece after the other."""
        loop = asyncio.get_running_loop()
        try:
            while await loop.run_in_executor(None, check.piece):
                self._unchecked = f"all but the first {check.until}, of which {check.done} were verified until now"
                await sleep_ns(TICK_NS)
        except JournalDamaged as error:
            self._unchecked = str(error)
            supervisor.history_was_changed(error)
        except JournalError as error:
            self._unchecked = str(error)
            log.error("the older records of the journal were not verified: %s", error)
        else:
            self._unchecked = ""
            log.info("the first %d records of the journal are verified now, and with them all of it", check.until)

    @contextmanager
    def _checking(self, journal: Journal, supervisor: TableSupervisor) -> Iterator[None]:
        """Verifies, as long as the block lasts, what the start did not read."""
        check = journal.whole_check()
        if check is None:
            yield
            return
        log.info("the journal was read after record %d; the records before are verified meanwhile", check.until)
        task = asyncio.get_running_loop().create_task(self._check_history(check, supervisor))
        try:
            yield
        finally:
            task.cancel()
            check.interrupt()
            check.close()

    async def _work(self, supervisor: TableSupervisor, found: OpenedJournal, sockets: Sockets) -> None:
        failures = supervisor.open_wires()
        if len(failures) == len(supervisor.tables):
            raise StartupCheckError(
                "no table could be opened: "
                + "; ".join(f"{', '.join(tables)}: {failed}" for failed, tables in tables_by_failure(failures).items())
            )
        sockets.bind()
        self._fit()
        supervisor.open(failures, found.journal.last_time, found.journal.lost)
        self._systemd.ready()
        self._serving = True
        while not self._stop.is_set():
            self._pulse.beat()
            await self._turn(supervisor)
            if supervisor.each_second():
                self._watch_journal(found.journal)
                self._each_second(sockets, found.journal.failure)
            await self._rest(supervisor.rest_ns())
            if self._error is not None:
                raise self._error

    async def _turn(self, supervisor: TableSupervisor) -> None:
        """Runs a tick of every table. A long one gives way between two tables: to a stop, which ends it, first."""
        until_ns = self._real.now_ns() + SLICE_NS
        for _ in supervisor.turn():
            self._pulse.beat()
            if self._real.now_ns() >= until_ns:
                await sleep_ns(0)
                until_ns = self._real.now_ns() + SLICE_NS
            if self._stop.is_set() or self._error is not None:
                return

    async def _rest(self, rest_ns: int) -> None:
        """Waits for the next tick; an input ends the longer rest."""
        if rest_ns <= TICK_NS:
            await sleep_ns(rest_ns)
            return
        self._woken.clear()
        waker = asyncio.get_running_loop().call_later(rest_ns / NS_PER_S, self._woken.set)
        await self._woken.wait()
        waker.cancel()

    def _watch_journal(self, journal: Journal) -> None:
        """Each second: its files are there, and what was written is sealed."""
        journal.check_files()
        now_ns = self._real.now_ns()
        if now_ns >= self._seal_ns:
            self._seal_ns = now_ns + self._plan.seal_seconds * NS_PER_S - NS_PER_S // 2
            journal.seal()
        if self._pipeline is not None:
            self._heads.check(self._heads_now(self._pipeline, journal))

    def _heads_now(self, pipeline: Pipeline, journal: Journal) -> dict[str, Head]:
        """What has left the machine proves that nothing before it was made again."""
        return {**pipeline.heads, **journal.seals}

    def _each_second(self, sockets: Sockets, failure: JournalError | None) -> None:
        if failure is not None and self._pipeline is not None and self._pipeline.waiting_since_ns is None:
            # It failed outside a commit, so no submission reports it.
            self._pipeline.halt(failure)
        sockets.reload_keys()
        since_ns = None if self._pipeline is None else self._pipeline.waiting_since_ns
        if since_ns is None or self._real.now_ns() - since_ns < STUCK_NS:
            self._systemd.alive()
        else:
            log.error("the journal has not finished a commit for %d s", STUCK_NS // NS_PER_S)
        tables = {} if self._supervisor is None else self._supervisor.tables
        faults = {table.id: table.faults for table in tables.values()}
        failure = None if self._pipeline is None else self._pipeline.failure
        load = "" if self._supervisor is None else self._supervisor.load
        self._systemd.status(
            status_line(
                failure, sockets.problem, self._counters.states, faults, sockets.publisher.socket.connections, load
            )
        )

    async def _end(self, supervisor: TableSupervisor, archive: CaptureArchive) -> None:
        """Closes the tables, answers every command, and waits until all of it is durable."""
        self._serving = False
        self._pulse.end()
        self._systemd.stopping()
        if self._handler is not None:
            self._handler.end()
        if self._pipeline is not None and self._pipeline.failure is None:
            supervisor.close(ENDS)
        await archive.close()
        if self._handler is not None:
            self._handler.dismiss()
        await self._drained()

    async def _close_journal(self, found: OpenedJournal) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._salts.shutdown)
        try:
            await asyncio.get_running_loop().run_in_executor(None, found.journal.close)
        except JournalError as error:
            log.error("%s", error)

    async def _drained(self) -> None:
        """Waits until every event is durable and published, or `DRAIN_NS` has passed."""
        begin_ns = self._real.now_ns()
        while self._pipeline is not None and self._pipeline.waiting_since_ns is not None:
            if self._real.now_ns() - begin_ns > DRAIN_NS:
                log.error("the last events were not durable after %d s", DRAIN_NS // NS_PER_S)
                return
            await sleep_ns(TICK_NS // 4)

    def _halt(self, failure: JournalError) -> None:
        """Stops every table: nothing can be journalled any more."""
        log.critical("HALTED: every table is stopped, and nothing is published: %s", failure)
        if self._supervisor is not None:
            self._supervisor.safe()
        if self._handler is not None:
            self._handler.halt(failure)
        self._systemd.status(f"HALTED: {failure}")

    def _on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handles an unexpected exception in a callback. What it left half done is unknown, so the service ends as in a
        crash, and starts again from what is durable.
        """
        loop.default_exception_handler(context)
        error = context.get("exception")
        if error is not None and "handle" in context:
            self._error = error
            self._woken.set()


def status_of(
    tables: Sequence[LiveTable],
    pipeline: Pipeline | None,
    problem: str | None,
    counters: ServiceCounters,
    load: str = "",
) -> dict[str, Any]:
    """The state of the service and of each table, with counters. `problem` is that of a socket; `load` is by how much
    the computer is late, in words.
    """
    failure = None if pipeline is None else pipeline.failure
    shown: dict[str, Any] = {}
    if pipeline is not None:
        for table in tables:
            head = pipeline.head(table.id)
            shown[table.id] = {
                "state": HALTED if failure is not None else table.state,
                "last": head.seq,
                "head": head.hash,
                "faults": [f"{fault.device}: {fault.fault}: {fault.detail}" for fault in table.faults],
                "missing": table.missing,
                "calibration": table.calibration.words,
                "certificate": table.certificate,
                "live": table.config.live,
                "simulated": table.config.simulated,
            }
    return {
        "state": HALTED if failure is not None else "running",
        "problem": str(failure) if failure is not None else problem or "",
        "tables": shown,
        "commits": counters.commits,
        "waiting": counters.waiting,
        "longest_commit_ms": round(counters.longest_commit_ns / 1e6, 1),
        "commands": dict(counters.commands),
        "captures": dict(counters.captures),
        "late_ticks": counters.late_ticks,
        "overloaded": load,
    }


def status_line(
    failure: JournalError | None,
    problem: str | None,
    states: Mapping[str, str],
    faults: Mapping[str, Sequence[LatchedFault]],
    subscribers: int,
    load: str = "",
) -> str:
    """The state in one line, for systemd: what prevents play comes first, since the line is cut at its end."""
    if failure is not None:
        return f"HALTED: {failure}"
    if problem:
        return f"PROBLEM: {problem}"
    standing = [f"{table} {one.device} {one.fault}" for table, latched in faults.items() for one in latched]
    shown = f"FAULTS: {', '.join(standing)}; " if standing else ""
    shown += f"OVERLOADED: {load}; " if load else ""
    shown += ", ".join(f"{table} {state}" for table, state in states.items())
    return f"{shown}; {counted(subscribers, 'subscriber')}"
