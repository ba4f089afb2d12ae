"""One evening of a journal: what its tables did in a span of time, folded from the records of one computer.

    records, oldest first ──► every table: rounds and their verdicts in force, faults until they are cleared, when it
                              was open, meters, inspections; and what people ordered

A round belongs to the time of its verdict, and counts as the journal has it at its end: a correction of the next
morning is in the report of the evening.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from audit.errors import RUN_VERIFY, JournalError
from audit.labels import table_label
from audit.misfires import PlayedRounds
from audit.queries import Selection, last_written, select, tables
from audit.records import COMMANDS, Record
from audit.wall_span import WallSpan
from feed.card_record import MISREADS_IN_1000, CardRecord
from feed.data import StatisticsKey, WatchCounts
from feed.drop_zone import Arc, Zone, arc_of, bowl_of, judged
from feed.events import (
    CaptureFile,
    CarriedStateChanged,
    DeviceCleared,
    DeviceCondition,
    DeviceFault,
    DeviceWarning,
    Event,
    EventError,
    InspectionFailed,
    InspectionPassed,
    MachineEvent,
    Outcome,
    ProcedureViolation,
    RoundCorrected,
    RoundDisputed,
    TableClosed,
    TableOpened,
    Unknown,
    Unresolved,
    Verdict,
    Void,
    WearHistory,
    decode,
)
from feed.excess import FALSE_ALARM
from feed.shakes import Shake
from feed.statistics import PastOutcome, Statistics, statistics_of

_NS: Final = 1_000_000_000
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")

Progress = Callable[[int, int], None]


class TimeSpan(NamedTuple):
    """A span of time, nanoseconds since 1970; the end is not in it."""

    since_ns: int
    until_ns: int

    def has(self, time_ns: int) -> bool:
        return self.since_ns <= time_ns < self.until_ns


class EveningFault(NamedTuple):
    """A fault, and when it was cleared, if it was."""

    event: Event
    """The first of it."""
    data: DeviceFault
    """The one that shut the table, where that is a later one."""
    cleared: Event | None
    by: str


class SentCommand(NamedTuple):
    """A command of a person, as the service recorded it."""

    time_ns: int
    table: str
    sender: str
    role: str
    words: str
    """The command with its keys."""
    verb: str
    accepted: bool
    reason: str


@dataclass(slots=True)
class TableEvening:
    """What one table did, with one game."""

    table: str
    game: str = ""
    changed: bool = False
    """Whether it had another game too in the same evening, which is an evening of its own."""
    simulated: bool = False
    rules: list[str] = field(default_factory=list)
    """The profiles that it played by, in order."""
    software: list[str] = field(default_factory=list)
    events: int = 0
    first_seq: int = 0
    last_seq: int = 0
    verdicts: dict[int, Event] = field(default_factory=dict)
    """By round: the event of its verdict."""
    stands: dict[int, Verdict] = field(default_factory=dict)
    """By round: what is in force of it."""
    corrected: list[Event] = field(default_factory=list)
    disputed: list[Event] = field(default_factory=list)
    faults: list[EveningFault] = field(default_factory=list)
    warnings: list[Event] = field(default_factory=list)
    violations: list[Event] = field(default_factory=list)
    inspections: list[Event] = field(default_factory=list)
    wear: WearHistory | None = None
    """The wear of its wheel, as published last; None where it has none."""
    counts: WatchCounts | None = None
    """What the watch has counted, as published last."""
    arcs: Counter[Arc] = field(default_factory=Counter)
    """Where the balls of its wheel left the track, since the journal began or the wheel was exchanged."""
    opened: list[tuple[int, int]] = field(default_factory=list)
    """When it was open, by the wall clock."""
    open_ns: int = 0
    """How long it was open, by the clock that times the edges."""
    shut: list[tuple[int, int]] = field(default_factory=list)
    """When a fault shut it while it was open, by the wall clock."""
    shut_ns: int = 0
    """How long a fault shut it, by the clock that times the edges."""
    machine_before: MachineEvent | None = None
    """The last event of a machine before the span."""
    machine: list[MachineEvent] = field(default_factory=list)
    meter_before: int | None = None
    """The progressive meter at first, in cents; None where the table has none."""
    meter: int | None = None
    """The progressive meter at the end, in cents."""
    payouts: list[Event] = field(default_factory=list)
    """The payouts of progressive wagers."""
    keys: list[StatisticsKey] = field(default_factory=list)
    played: PlayedRounds = field(default_factory=PlayedRounds)
    """Its rounds with their steps and calls."""
    cards: CardRecord = field(default_factory=lambda: CardRecord(MISREADS_IN_1000, FALSE_ALARM))
    """What its rounds show of reader and shuffler, and of its decks since the journal began."""

    @property
    def label(self) -> str:
        """The table, and its game where it had another one too."""
        return table_label(self.table, self.game, changed=self.changed)

    @property
    def shakes(self) -> list[Shake]:
        """How the dice of proven results were shaken, in order."""
        return [shake for one in self.played.rounds(self.label) for shake in one.shakes]

    def take_condition(self, history: WearHistory) -> None:
        """The condition of its device was published."""
        if history.spins or history.begun or self.wear is not None:
            self.wear = history
        before, counts = self.counts, history.counts
        if counts is not None:
            if before is not None and (before.since, _bowl(before)) != (counts.since, _bowl(counts)):
                self.arcs.clear()
            self.counts = counts

    @property
    def zone(self) -> Zone | str:
        """The drop zone of its wheel, or why there is none."""
        bowl = [] if self.counts is None else _bowl(self.counts)
        return judged({arc: times for arc, times in self.arcs.items() if not bowl or arc in bowl}, bowl)

    def standing(self, verdict: str) -> int:
        """How many rounds have this verdict in force."""
        return sum(one.verdict == verdict for one in self.stands.values())

    @property
    def statistics(self) -> Statistics:
        """How often each value came, over every result in force."""
        outcomes = [
            PastOutcome(round=number, time=self.verdicts[number].time, result=one.result)
            for number, one in sorted(self.stands.items())
            if one.result is not None
        ]
        return statistics_of(self.keys, outcomes)

    @property
    def captures(self) -> list[tuple[Event, CaptureFile]]:
        """The captures that events name, each once."""
        named: dict[str, tuple[Event, CaptureFile]] = {}
        events = [*self.verdicts.values(), *(one.event for one in self.faults), *self.corrected, *self.disputed]
        pairs: list[tuple[Event, Any]] = [(one, one.data) for one in events]
        for event, data in [*pairs, *((one.event, one.data) for one in self.faults)]:
            capture = getattr(data, "capture", None) or getattr(getattr(data, "evidence", None), "capture", None)
            if capture is not None:
                named.setdefault(capture.file, (event, capture))
        return list(named.values())


def _bowl(counts: WatchCounts) -> list[Arc]:
    """Every arc between two track sensors; empty where that is not known."""
    return [] if counts.zone is None else bowl_of(counts.zone)


class Evening(NamedTuple):
    """What the tables of one journal did in a span of time."""

    span: TimeSpan
    tables: list[TableEvening]
    commands: list[SentCommand]
    unknown: Counter[str]
    """Types of events that this version does not know."""


def ns_of(time: str) -> int:
    """A time of the journal, nanoseconds since 1970."""
    apart = datetime.fromisoformat(time) - _EPOCH
    return (apart.days * 86_400 + apart.seconds) * _NS + apart.microseconds * 1000


def record_time_ns(path: Path, record: Record) -> int:
    """The time of a record of a file that is not verified, nanoseconds since 1970.

    Raises:
        JournalError: what is there is not a time.
    """
    return _time_ns(path, record, record.time)


def _time_ns(path: Path, record: Record, time: str) -> int:
    try:
        return ns_of(time)
    except (ValueError, TypeError) as error:
        what = f"the time of record {record.seq} of {record.chain} is not one ({time[:60]!r})"
        raise JournalError(path, what, "run `feltwire journal verify` to see more") from error


def last_time_ns(path: Path) -> int:
    """When the last event was written.

    Raises:
        JournalError: the journal cannot be read, or has no event.
    """
    for record in last_written(path, 1):
        return record_time_ns(path, record)
    raise JournalError(path, "it has no event yet", "there is nothing to report before a table opens")


def read_evening(
    path: Path, span: TimeSpan, chosen: Collection[str] = (), progress: Progress = lambda done, total: None
) -> Evening:
    """Reads all of a journal, and folds what is in the span; `chosen` are the tables, all of them where it is empty.

    Raises:
        JournalError: the journal cannot be read, has no such table, or holds something that is not an event.
    """
    known = tables(path)
    for table in chosen:
        if table not in known or table == COMMANDS:
            there = ", ".join(one for one in known if one != COMMANDS) or "none"
            raise JournalError(path, f"it has no table {table}", f"give one that it has: {there}")
    wanted = chosen or [one for one in known if one != COMMANDS]
    folds = {table: _Fold(table, span) for table in wanted}
    commands: list[SentCommand] = []
    unknown: Counter[str] = Counter()
    for one in select(path, Selection(tables=[*wanted, *([COMMANDS] if COMMANDS in known else [])])):
        if one.record.chain == COMMANDS:
            sent = _sent(path, one.record)
            if span.has(sent.time_ns) and (sent.table in folds or not sent.table):
                commands.append(sent)
        else:
            event = _event(path, one.record)
            now_ns = _time_ns(path, one.record, event.time)
            if isinstance(event.data, Unknown) and span.has(now_ns):
                unknown[event.type] += 1
            folds[one.record.chain].take(event, one.record.seq, now_ns)
        if one.done % 1000 == 0:
            progress(one.done, one.total)
    made = [one for fold in folds.values() for one in fold.ended()]
    return Evening(span, made, commands, unknown)


class _Moment(NamedTuple):
    """When an event was, by the wall clock and by the one that times the edges."""

    wall_ns: int
    mono_ns: int


class _Fold:
    """Folds the events of one table, for each game that it had."""

    def __init__(self, table: str, span: TimeSpan) -> None:
        self._table = table
        self._span = span
        self._games: dict[str, TableEvening] = {}
        self._made = TableEvening(table)
        """That of the game that it has."""
        self._faults: list[EveningFault] = []
        self._epoch = ""
        self._last = _Moment(0, 0)
        self._open: _Moment | None = None
        self._shut: _Moment | None = None
        self._standing: dict[tuple[str, str], tuple[Event, DeviceFault]] = {}
        """The faults that are latched."""

    def take(self, event: Event, seq: int, now_ns: int) -> None:
        """Takes the next event, of this time."""
        data = event.data
        inside = self._span.has(now_ns)
        epoch = event.id.rsplit(".", 2)[1]
        if epoch != self._epoch:
            # Nothing is known of the time between two starts: the table was open until the last event.
            self._close(self._last)
            self._epoch = epoch
            self._made = made = self._games.setdefault(data.game, TableEvening(self._table, data.game))
            made.played.restarted()
        made = self._made
        self._last = now = _Moment(now_ns, data.mono_ns)
        if now_ns < self._span.until_ns:
            if inside and not made.events:
                made.cards.begin()
            made.cards.see(data)
        if inside:
            made.simulated = made.simulated or data.simulated
            made.events += 1
            made.first_seq = made.first_seq or seq
            made.last_seq = seq
            made.played.take(data, now_ns)
        self._state(event, now, inside=inside)
        match data:
            case Outcome():
                if now_ns < self._span.until_ns and (arc := arc_of(data.evidence)) is not None:
                    made.arcs[arc] += 1
                self._verdict(event, data.round, Verdict(verdict="outcome", result=data.result), inside=inside)
            case Void():
                self._verdict(event, data.round, Verdict(verdict="void", reason=data.reason), inside=inside)
            case Unresolved():
                self._verdict(event, data.round, Verdict(verdict="unresolved", reason=data.reason), inside=inside)
            case RoundCorrected() if data.round in made.verdicts:
                made.corrected.append(event)
                made.stands[data.round] = data.to
            case RoundDisputed() if data.round in made.verdicts or inside:
                made.disputed.append(event)
            case DeviceWarning() if inside:
                made.warnings.append(event)
            case DeviceCondition() if now_ns < self._span.until_ns:
                made.take_condition(data.history)
            case ProcedureViolation() if inside:
                made.violations.append(event)
            case InspectionPassed() | InspectionFailed() if inside:
                made.inspections.append(event)
            case MachineEvent():
                if inside:
                    made.machine.append(data)
                elif now_ns < self._span.since_ns:
                    made.machine_before = data
            case CarriedStateChanged(course={"meter_cents": int(cents)}) if now_ns < self._span.until_ns:
                made.meter = cents
                if not inside or made.meter_before is None:
                    made.meter_before = cents
                if inside and data.act == "progressive_paid":
                    made.payouts.append(event)

    def ended(self) -> list[TableEvening]:
        """What the table did in the span with each of its games, once the last event was taken."""
        self._close(self._last)
        for event, fault in self._standing.values():
            self._fault(EveningFault(event, fault, None, ""))
        played = {game: one for game, one in self._games.items() if one.events}
        for one in sorted(self._faults, key=lambda one: ns_of(one.event.time)):
            # One of a day with another game is listed with what it shut since.
            played.get(one.event.data.game, self._made).faults.append(one)
        for made in played.values():
            made.changed = len(played) > 1
        return [*played.values()]

    def _fault(self, fault: EveningFault) -> None:
        """A fault counts where it was in the span, also one of the day before."""
        ended_ns = None if fault.cleared is None else ns_of(fault.cleared.time)
        if ns_of(fault.event.time) < self._span.until_ns and (ended_ns is None or ended_ns >= self._span.since_ns):
            self._faults.append(fault)

    def _verdict(self, event: Event, number: int, verdict: Verdict, *, inside: bool) -> None:
        if inside:
            self._made.verdicts[number] = event
            self._made.stands[number] = verdict

    def _state(self, event: Event, now: _Moment, *, inside: bool) -> None:
        """Whether the table is open, and whether a fault shuts it."""
        data, made = event.data, self._made
        match data:
            case TableOpened():
                if now.wall_ns < self._span.until_ns:
                    made.keys = data.statistics
                    # What it was opened with before the span counts too: it played on with that.
                    made.rules = [*(one for one in made.rules if inside and one != data.rules), data.rules]
                    made.software = [*(one for one in made.software if inside and one != data.software), data.software]
                self._open = now
                self._shut = now if self._blocked else None
            case TableClosed():
                self._close(now)
            case DeviceFault():
                # One that was before a restart is published again, and is the same fault; so is one that shuts the
                # table only later.
                first, latched = self._standing.get((data.device, data.fault), (event, data))
                shuts = data if data.blocks_play and not latched.blocks_play else latched
                self._standing[data.device, data.fault] = (first, shuts)
                if self._blocked and self._open is not None and self._shut is None:
                    self._shut = now
            case DeviceCleared():
                found = self._standing.pop((data.device, data.fault), None)
                if found is not None:
                    self._fault(EveningFault(*found, event, data.by))
                if not self._blocked:
                    self._end_shut(now)

    @property
    def _blocked(self) -> bool:
        return any(fault.blocks_play for _, fault in self._standing.values())

    def _close(self, now: _Moment) -> None:
        self._end_shut(now)
        if self._open is not None:
            self._made.open_ns += self._add(self._made.opened, self._open, now)
            self._open = None

    def _end_shut(self, now: _Moment) -> None:
        if self._shut is not None:
            self._made.shut_ns += self._add(self._made.shut, self._shut, now)
            self._shut = None

    def _add(self, spans: list[tuple[int, int]], start: _Moment, end: _Moment) -> int:
        """Adds what is of it in the span that is asked for, and returns its length."""
        span = WallSpan(start.wall_ns, end.wall_ns, max(0, end.mono_ns - start.mono_ns))
        first, last = span.clipped(*self._span)
        if first < last:
            spans.append((first, last))
        return span.within(*self._span)


def _event(path: Path, record: Record) -> Event:
    try:
        return decode(record.body)
    except EventError as error:
        raise JournalError(
            path, f"a record of {record.chain} is {error}", "run `feltwire journal verify` to see more"
        ) from error


def _sent(path: Path, record: Record) -> SentCommand:
    try:
        fields = msgspec.json.decode(record.body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise JournalError(path, f"record {record.seq} of {COMMANDS} is not a command ({error})", RUN_VERIFY) from error
    verb = str(fields.get("command", "?"))
    given = "".join(f" {key}={value}" for key, value in dict(fields.get("given") or {}).items() if key != "by")
    return SentCommand(
        record_time_ns(path, record),
        str(fields.get("table", "")),
        str(fields.get("sender", "?")),
        str(fields.get("role", "?")),
        verb + given,
        verb,
        bool(fields.get("accepted", True)),
        str(fields.get("reason", "")),
    )
