"""The events of a fleet in numbers: tables, games an hour, refusals, faults, corrections, bias, and what is
missing.

    outcome     the result in force: one that was corrected counts as corrected, one that was made void not at all
    bias        of rounds with a proven result only: what a dealer called after it was unresolved is not among them
    refusal     a round that the controller made void or left unresolved, whatever a person made of it later
    time        a round belongs to the time of its first verdict; a later correction of it counts whenever it came

Real and simulated tables are never in one summary.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any, Final

import duckdb
import msgspec

from audit.labels import table_label
from audit.misfires import Misfire, PaceLine
from audit.wall_span import WallSpan
from feed import excess
from feed.calls import CallLine
from feed.data import StatisticsKey
from feed.drop_zone import Arc, Zone, judged
from feed.events import WearHistory
from feed.fairness import Plan
from feed.shakes import STINT, Shake, shaken
from feed.wear import worn
from fleet.statistics.bias import FALSE_ALARM, Counted, FairnessTest, judge, samples_of
from fleet.statistics.dataset import IN_TIME, Choice, Dataset, HeldTable
from fleet.statistics.games import CountedGame
from fleet.statistics.hours import TYPES, Hours, Moment, hours_of
from fleet.statistics.played import PlayedLine, played
from fleet.statistics.readers import CardReaderLine, Counts, judge_readers
from fleet.statistics.spans import missing
from fleet.subjects import TableName

OURS: Final = "ours"
MOST_LISTED: Final = 10_000
"""Faults and corrections that are listed one by one (ours); all of them are counted."""
_HOUR_NS: Final = 3600 * 1_000_000_000
_PAGE: Final = 10_000
BY_HAND: Final = "by hand"
"""The type of dice that no device throws."""


class TableLine(msgspec.Struct, kw_only=True):
    """One table, with one game."""

    venue: str
    table: str
    game: str
    changed: bool = False
    """Whether it had another game too, which is a line of its own."""
    rules: str = ""
    devices: list[dict[str, str]] = []
    """As it published them last."""
    events: int = 0
    first_ns: int | None = None
    last_ns: int | None = None
    starts: int = 0
    """Starts of its service."""
    open_ns: int = 0
    shut_ns: int = 0
    rounds: int = 0
    outcomes: int = 0
    voids: int = 0
    unresolved: int = 0
    """Rounds that nobody has called as far as the events go."""
    corrected: int = 0
    """Rounds whose outcome or void a person found wrong."""
    called: int = 0
    """Rounds that were unresolved and that a person called."""
    faults: int = 0
    violations: int = 0
    warnings: int = 0
    passes: int = 0
    missed_passes: int = 0
    off_center: float | None = None
    """The mean, in pockets or spaces."""

    @property
    def label(self) -> str:
        """The table, and its game where it had another one too."""
        return table_label(self.table, self.game, changed=self.changed)

    @property
    def games_an_hour(self) -> float | None:
        """Outcomes for an hour in which it was open; None where it was not open."""
        return self.outcomes * _HOUR_NS / self.open_ns if self.open_ns else None


class GameLine(msgspec.Struct, frozen=True):
    """All tables of one game."""

    game: str
    tables: int
    rounds: int
    outcomes: int
    open_ns: int

    @property
    def games_an_hour(self) -> float | None:
        """Outcomes of one table in an hour in which it was open."""
        return self.outcomes * _HOUR_NS / self.open_ns if self.open_ns else None


class RefusalLine(msgspec.Struct, frozen=True):
    """Rounds refused for one reason, or departures from a procedure."""

    verdict: str
    """`void`, `unresolved` or `violation`."""
    reason: str
    rule: str
    games: list[str]
    count: int
    tables: int
    overruled: int
    """Of these rounds, how many a person gave a result."""

    @property
    def ours(self) -> bool:
        """No rule asks for it: our own caution does."""
        return self.rule == OURS


class FaultLine(msgspec.Struct, frozen=True):
    """One fault of one kind of part, over all tables that have it."""

    driver: str
    device: str
    fault: str
    count: int
    blocked: int
    """How many of them shut a table."""
    tables: int
    """On how many it came."""
    fitted: int
    """How many tables have the part."""
    hours_between: float | None
    """Hours in which one of those tables was open, for each fault."""
    shut_ns: int
    """How long tables were shut while one was latched."""


class FaultEntry(msgspec.Struct, frozen=True):
    """One fault."""

    time_ns: int
    venue: str
    table: str
    device: str
    fault: str
    detail: str
    blocks: bool
    cleared_ns: int | None
    cleared_by: str
    game: str


class CorrectionLine(msgspec.Struct, frozen=True):
    """One correction."""

    time_ns: int | None
    venue: str
    table: str
    game: str
    round: int | None
    from_verdict: str
    from_result: str
    verdict: str
    result: str
    confirmed: bool
    by: str
    why: str


class Warned(msgspec.Struct, frozen=True):
    """Warnings of one kind at one device."""

    venue: str
    table: str
    device: str
    warning: str
    count: int
    last_ns: int | None
    detail: str
    """Of the last one."""


class DropZone(msgspec.Struct, frozen=True):
    """Where the ball of one table leaves the track most strikingly often, over all of its proven spins."""

    venue: str
    table: str
    spins: int
    words: str
    p: float
    """Over the directions that were looked at."""
    adjusted_p: float
    """... and over all tables of the report."""
    suspected: bool


class ZoneNotJudged(msgspec.Struct, frozen=True):
    """A table in whose spins no drop zone could be looked for."""

    venue: str
    table: str
    spins: int
    why: str


class ShakenDice(msgspec.Struct, frozen=True):
    """How well the dice of one table are shaken, by one of its devices."""

    venue: str
    table: str
    tumbles: int
    medians: tuple[float | None, ...]
    """Time in seconds, pulses, turns and unevenness; null where the device does not measure it."""
    words: str
    """What fell behind most clearly in the later half; empty where the halves are not compared."""
    adjusted_p: float
    """... over all measures and all devices of the report."""
    suspected: bool


class WornWheel(msgspec.Struct, frozen=True):
    """What of a table's wheel is worn, by all that its last published history has."""

    venue: str
    table: str
    measured: int
    """Spins that were measured."""
    words: str
    """The part, how far it is, and when it reaches its limit; empty where nothing is worn."""


class TableDoubt(msgspec.Struct, frozen=True):
    """What the numbers do not know of one table."""

    venue: str
    table: str
    missing: list[tuple[int, int]]
    """Events that are not here, first and last of each gap."""
    end: str
    """Why its end is not vouched for; empty where it is."""
    vouched_by: str
    clock_back: int
    """How often its clock was set back."""
    clock_back_ns: int
    """... at most by."""
    clock_apart_ns: int | None
    """How far wall clock and the clock of the edges went apart within one start, at most."""
    without_time: int
    unopened: int
    """Outcomes of a start whose opening is missing: what they can show is not known, so no bias is computed."""


class Summary(msgspec.Struct, kw_only=True):
    """All of it."""

    simulated: bool
    since_ns: int | None
    until_ns: int | None
    tables: list[TableLine]
    games: list[GameLine]
    refusals: list[RefusalLine]
    misfires: list[Misfire]
    """Refused rounds of each table by cause, device and hour of the day."""
    pace: list[PaceLine]
    calls: dict[str, CallLine]
    """When bets were called and settled, by table."""
    faults: list[FaultLine]
    fault_log: list[FaultEntry]
    corrections: list[CorrectionLine]
    warnings: list[Warned]
    bias: list[FairnessTest]
    zones: list[DropZone]
    zones_not_judged: list[ZoneNotJudged]
    shaken: list[ShakenDice]
    readers: list[CardReaderLine]
    wear: list[WornWheel]
    misread: dict[str, int]
    """Outcomes that are none of their game as this version knows it, by table."""
    doubts: list[TableDoubt]
    unknown_types: dict[str, int]
    """Events of types that this version does not know."""
    unreadable: dict[str, str]
    """Messages that are not events."""
    unreadable_more: int
    shut: dict[str, list[tuple[int, int]]]
    """When the table of each line was shut, by venue and label, and ... """
    opened: dict[str, list[tuple[int, int]]]
    """... when it was open: wall time, nanoseconds."""

    @property
    def table_count(self) -> int:
        """How many tables its lines are of."""
        return len({(line.venue, line.table) for line in self.tables})

    def name_of(self, line: TableLine) -> str:
        """As `TableName` has it, with the label in place of the table."""
        return str(TableName(line.venue, self.simulated, line.label))


def summarize(dataset: Dataset, choice: Choice, games: Mapping[str, CountedGame], zone: tzinfo = UTC) -> Summary:
    """Computes a summary. A bias is looked for in the results of the games that are given; hours of the day are of the
    zone.

    Raises:
        DatasetError: the files cannot be read.
    """
    with dataset.opened(choice) as sql:
        sql.execute(_ROUNDS)
        lines = [*_tables(sql)]
        hours = hours_of(_moments(sql, choice.simulated))
        times = Counter((line.venue, line.table) for line in lines)
        opened, shut = dict[str, list[tuple[int, int]]](), dict[str, list[tuple[int, int]]]()
        for line in lines:
            line.changed = times[line.venue, line.table] > 1
            spans = hours.get(TableName(line.venue, choice.simulated, line.table), Hours([], [], []))
            name = str(TableName(line.venue, choice.simulated, line.label))
            line.open_ns, opened[name] = _within(spans.open, line.game, choice)
            line.shut_ns, shut[name] = _within(spans.shut, line.game, choice)
        bias, misread, unopened = _bias(sql, games)
        log = _fault_log(hours, choice)
        names = {
            (line.venue, line.table, line.game): PlayedLine(f"{line.venue}/{line.label}", line.outcomes)
            for line in lines
        }
        rounds = played(sql, names, zone)
        zones, zones_not_judged = _zones(sql)
        return Summary(
            simulated=choice.simulated,
            since_ns=choice.since_ns,
            until_ns=choice.until_ns,
            tables=lines,
            games=_games(lines),
            refusals=_refusals(sql),
            misfires=rounds.misfires,
            pace=rounds.pace,
            calls=rounds.calls,
            faults=_faults(lines, hours, log, choice),
            fault_log=log[:MOST_LISTED],
            corrections=_corrections(sql),
            warnings=[Warned(*row) for row in sql.execute(_WARNINGS).fetchall()],
            bias=bias,
            zones=zones,
            zones_not_judged=zones_not_judged,
            shaken=_shaken(sql),
            readers=_readers(sql),
            wear=[*_wear(sql)],
            misread=misread,
            doubts=_doubts(sql, dataset, choice, unopened),
            unknown_types=dict(sql.execute(_UNKNOWN).fetchall()),
            unreadable=dataset.contents.unreadable,
            unreadable_more=dataset.contents.unreadable_more,
            shut=shut,
            opened=opened,
        )


# --- rounds and tables ------------------------------------------------------------------------------------------------

_ROUNDS: Final = f"""
CREATE TEMP TABLE round AS
SELECT * FROM (
  SELECT venue, "table", round,
    arg_min(game, seq) AS game,
    arg_min(epoch, seq) AS epoch,
    arg_min(time, seq) AS time,
    arg_max(struct_pack(verdict := verdict, result := result), seq) AS stands,
    coalesce(bool_or(type = 'round.outcome'), false) AS proven,
    count(*) FILTER (type = 'round.corrected' AND from_verdict <> 'unresolved') AS corrections,
    count(*) FILTER (type = 'round.corrected' AND from_verdict = 'unresolved') AS calls
  FROM event
  WHERE round IS NOT NULL AND verdict IS NOT NULL
  GROUP BY venue, "table", round
) WHERE {IN_TIME}
"""

_TABLES: Final = """
WITH line AS (
  SELECT venue, "table", game, min(seq) AS first_seq, count(*) AS events, epoch_ns(min(time)) AS first_ns,
    epoch_ns(max(time)) AS last_ns, count(DISTINCT epoch) AS starts,
    count(*) FILTER (type = 'device.fault' AND NOT coalesce(before_restart, false)) AS faults,
    count(*) FILTER (type = 'procedure.violation') AS violations,
    count(*) FILTER (type = 'device.warning') AS warnings,
    coalesce(sum(passes), 0)::BIGINT AS passes, coalesce(sum(missed_passes), 0)::BIGINT AS missed_passes,
    avg(abs(off_center)) AS off_center
  FROM chosen GROUP BY venue, "table", game
), opening AS (
  SELECT venue, "table", game, arg_max(rules, seq) AS rules, arg_max(devices, seq) AS devices
  FROM event WHERE type = 'table.opened' GROUP BY venue, "table", game
), verdicts AS (
  SELECT venue, "table", game, count(*) AS rounds,
    count(*) FILTER (stands.verdict = 'outcome') AS outcomes,
    count(*) FILTER (stands.verdict = 'void') AS voids,
    count(*) FILTER (stands.verdict = 'unresolved') AS unresolved,
    count(*) FILTER (corrections > 0) AS corrected,
    count(*) FILTER (calls > 0) AS called
  FROM round GROUP BY venue, "table", game
)
SELECT venue, "table", game, rules, devices, events, first_ns, last_ns, starts, coalesce(rounds, 0),
  coalesce(outcomes, 0), coalesce(voids, 0), coalesce(unresolved, 0), coalesce(corrected, 0), coalesce(called, 0),
  faults, violations, warnings, passes, missed_passes, off_center
FROM line LEFT JOIN opening USING (venue, "table", game) LEFT JOIN verdicts USING (venue, "table", game)
ORDER BY venue, "table", first_seq
"""


_TABLE_COLUMNS: Final = (
    *("venue", "table", "game", "rules", "devices", "events", "first_ns", "last_ns", "starts", "rounds", "outcomes"),
    *("voids", "unresolved", "corrected", "called", "faults", "violations", "warnings", "passes", "missed_passes"),
    "off_center",
)


def _tables(sql: duckdb.DuckDBPyConnection) -> Iterator[TableLine]:
    for row in sql.execute(_TABLES).fetchall():
        values = dict(zip(_TABLE_COLUMNS, row, strict=True))
        values["rules"] = values["rules"] or ""
        values["devices"] = _devices(values["devices"])
        yield TableLine(**values)


def _devices(text: str | None) -> list[dict[str, str]]:
    return [] if text is None else msgspec.json.decode(text, type=list[dict[str, str]])


def _games(lines: Iterable[TableLine]) -> list[GameLine]:
    of_game: dict[str, list[TableLine]] = {}
    for line in lines:
        of_game.setdefault(line.game, []).append(line)
    return [
        GameLine(
            game,
            len(of),
            sum(one.rounds for one in of),
            sum(one.outcomes for one in of),
            sum(one.open_ns for one in of),
        )
        for game, of in sorted(of_game.items())
    ]


# --- refusals, corrections, warnings ----------------------------------------------------------------------------------

_REFUSALS: Final = """
SELECT kind, reason, rule, list_sort(list(DISTINCT game)), count(*), count(DISTINCT (venue, "table")),
  count(*) FILTER (kind <> 'violation' AND stands.verdict = 'outcome')
FROM (
  SELECT CASE type WHEN 'procedure.violation' THEN 'violation' ELSE verdict END AS kind,
    coalesce(reason, '') AS reason, coalesce(rule, '') AS rule, game, venue, "table", round
  FROM chosen WHERE type IN ('round.void', 'round.unresolved', 'procedure.violation')
) LEFT JOIN round USING (venue, "table", round, game)
GROUP BY kind, reason, rule ORDER BY count(*) DESC, kind, reason, rule
"""
_CORRECTIONS: Final = f"""
SELECT epoch_ns(time), venue, "table", game, round, coalesce(from_verdict, ''), coalesce(from_result, ''), verdict,
  coalesce(result, ''), coalesce(confirmed, false), coalesce("by", ''), coalesce(detail, '')
FROM chosen WHERE type = 'round.corrected' ORDER BY venue, "table", seq LIMIT {MOST_LISTED}
"""
_WARNINGS: Final = """
SELECT venue, "table", coalesce(device, ''), coalesce(warning, ''), count(*), epoch_ns(max(time)),
  coalesce(arg_max(detail, seq), '')
FROM chosen WHERE type = 'device.warning'
GROUP BY venue, "table", device, warning ORDER BY count(*) DESC, venue, "table", device, warning
"""
_UNKNOWN: Final = "SELECT type, count(*) FROM chosen WHERE NOT known GROUP BY type ORDER BY type"


def _refusals(sql: duckdb.DuckDBPyConnection) -> list[RefusalLine]:
    return [RefusalLine(*row) for row in sql.execute(_REFUSALS).fetchall()]


def _corrections(sql: duckdb.DuckDBPyConnection) -> list[CorrectionLine]:
    return [CorrectionLine(*row) for row in sql.execute(_CORRECTIONS).fetchall()]


# --- hours and faults -------------------------------------------------------------------------------------------------

_MOMENTS: Final = f"""
SELECT venue, "table", seq, epoch, type, epoch_ns(time), mono_ns, coalesce(device, ''), coalesce(fault, ''),
  coalesce(blocks_play, false), coalesce(before_restart, false), coalesce("by", ''), coalesce(detail, ''), game
FROM event
WHERE time IS NOT NULL AND (type IN {TYPES} OR (venue, "table", seq) IN (
  SELECT (venue, "table", max(seq)) FROM event WHERE time IS NOT NULL GROUP BY venue, "table", epoch))
ORDER BY venue, "table", seq
"""


def _moments(sql: duckdb.DuckDBPyConnection, simulated: bool) -> Iterator[Moment]:
    result = sql.execute(_MOMENTS)
    while rows := result.fetchmany(_PAGE):
        for venue, table, *rest in rows:
            yield Moment(TableName(venue, simulated, table), *rest)


def _fault_log(hours: Mapping[TableName, Hours], choice: Choice) -> list[FaultEntry]:
    found = [
        FaultEntry(
            one.time_ns,
            name.venue,
            name.table,
            one.device,
            one.fault,
            one.detail,
            one.blocks,
            one.cleared_ns,
            one.cleared_by,
            one.game,
        )
        for name, of in hours.items()
        for one in of.faults
        if _in_time(one.time_ns, choice)
    ]
    return sorted(found, key=lambda one: (one.time_ns, one.venue, one.table))


def _faults(
    lines: Sequence[TableLine], hours: Mapping[TableName, Hours], log: list[FaultEntry], choice: Choice
) -> list[FaultLine]:
    fitted: dict[tuple[str, str], list[TableLine]] = {}
    drivers: dict[tuple[str, str, str, str], str] = {}
    for line in lines:
        for part in line.devices:
            name, driver = part.get("device", ""), part.get("driver", "")
            drivers[line.venue, line.table, line.game, name] = driver
            fitted.setdefault((driver, name), []).append(line)
    entries: dict[tuple[str, str, str], list[FaultEntry]] = {}
    for entry in log:
        driver = drivers.get((entry.venue, entry.table, entry.game, entry.device), "")
        entries.setdefault((driver, entry.device, entry.fault), []).append(entry)
    found = []
    for (driver, device, fault), of in entries.items():
        where = {(one.venue, one.table) for one in of}
        having = fitted.get((driver, device), []) if driver else []
        open_ns = sum(line.open_ns for line in having)
        shut_ns = 0
        for one in of:
            if one.blocks:
                shut_ns += _shut_by(one, hours[TableName(one.venue, choice.simulated, one.table)].shut)
        found.append(
            FaultLine(
                driver,
                device,
                fault,
                len(of),
                sum(one.blocks for one in of),
                len(where),
                len({(line.venue, line.table) for line in having}) or len(where),
                open_ns / _HOUR_NS / len(of) if open_ns else None,
                shut_ns,
            )
        )
    return sorted(found, key=lambda one: (-one.count, one.driver, one.device, one.fault))


def _shut_by(fault: FaultEntry, shut: list[WallSpan]) -> int:
    """How long a table was shut while a fault was latched; the spans come one after the other."""
    first = bisect_right(shut, fault.time_ns, key=lambda span: span.start_ns)
    length = 0
    for at in range(max(0, first - 1), len(shut)):
        span = shut[at]
        if fault.cleared_ns is not None and span.start_ns >= fault.cleared_ns:
            break
        length += span.within(fault.time_ns, fault.cleared_ns)
    return length


def _in_time(time_ns: int, choice: Choice) -> bool:
    since, until = choice.since_ns, choice.until_ns
    return (since is None or time_ns >= since) and (until is None or time_ns < until)


def _within(spans: Iterable[WallSpan], game: str, choice: Choice) -> tuple[int, list[tuple[int, int]]]:
    """How long a game was on in the time that is asked for, and when by the wall clock."""
    of = [one for one in spans if one.game == game]
    clipped = (one.clipped(choice.since_ns, choice.until_ns) for one in of)
    length_ns = sum(one.within(choice.since_ns, choice.until_ns) for one in of)
    return length_ns, [(start, end) for start, end in clipped if end > start]


# --- bias -------------------------------------------------------------------------------------------------------------

_RESULTS: Final = """
SELECT venue, "table", game, start.statistics, coalesce(start.devices, ''), stands.result, count(*)
FROM round LEFT JOIN (
  SELECT venue, "table", epoch, arg_max(statistics, seq) AS statistics, arg_max(devices, seq) AS devices
  FROM event WHERE type IN ('table.opened', 'table.closed') GROUP BY venue, "table", epoch
) AS start USING (venue, "table", epoch)
WHERE proven AND stands.verdict = 'outcome' AND list_contains(?, game)
GROUP BY ALL ORDER BY ALL
"""


def _bias(
    sql: duckdb.DuckDBPyConnection, games: Mapping[str, CountedGame]
) -> tuple[list[FairnessTest], dict[str, int], dict[tuple[str, str], int]]:
    watched = [name for name, spec in games.items() if spec.falls_in or spec.published_bias(()) is not None]
    devices: dict[tuple[str, ...], Counted] = {}
    types: dict[tuple[str, ...], Counted] = {}
    misread: dict[str, int] = {}
    unopened: dict[tuple[str, str], int] = {}
    result = sql.execute(_RESULTS, [watched])
    while rows := result.fetchmany(_PAGE):
        for venue, table, game, statistics, listed, text, times in rows:
            plan = None if statistics is None else _plan(games[game], statistics)
            if plan is None:
                unopened[venue, table] = unopened.get((venue, table), 0) + times
                continue
            samples = samples_of(plan, msgspec.json.decode(text or "{}", type=dict[str, Any]))
            if samples is None:
                misread[f"{venue}/{table}"] = misread.get(f"{venue}/{table}", 0) + times
                continue
            driver, identity = _falls_in(games[game], _devices(listed or None))
            known = f", board {identity}" if identity else ""
            device = f"{venue}/{table} {plan.device}{known}"
            one = devices.setdefault((device, statistics), Counted("device", device, plan))
            one.take(device, samples, times)
            kind = f"{driver}, {game}"
            # Only what can show the same is counted together: a wheel with two zeros is not a wheel with one.
            all_of = types.setdefault((kind, statistics), Counted("type", kind, plan))
            all_of.take(device, samples, times)
    # Of a type with one device the test would be that of the device again.
    pooled = [one for one in types.values() if len(one.devices) > 1]
    return judge([*pooled, *devices.values()]), misread, unopened


_ARCS: Final = """
SELECT venue, "table", left_track_deg, left_track_doubt_deg, count(*)
FROM chosen WHERE type = 'round.outcome' AND left_track_deg IS NOT NULL AND left_track_doubt_deg IS NOT NULL
  AND coalesce(missed_passes, 0) = 0
GROUP BY ALL ORDER BY ALL
"""


def _zones(sql: duckdb.DuckDBPyConnection) -> tuple[list[DropZone], list[ZoneNotJudged]]:
    """The drop zone of every table whose spins can be judged, and the tables whose spins cannot.

    Events do not state where the sensors are: the bowl is known where its arcs all had a ball.
    """
    counts: dict[tuple[str, str], dict[Arc, int]] = {}
    for venue, table, deg, doubt_deg, times in sql.execute(_ARCS).fetchall():
        if 0 < doubt_deg <= 180:
            counts.setdefault((venue, table), {})[Arc(deg, doubt_deg)] = times
    zones: dict[tuple[str, str], Zone] = {}
    not_judged = []
    for (venue, table), of in counts.items():
        zone = judged(of)
        if isinstance(zone, Zone):
            zones[venue, table] = zone
        else:
            not_judged.append(ZoneNotJudged(venue, table, sum(of.values()), zone))
    found = []
    for (venue, table), zone in zones.items():
        adjusted = min(1.0, zone.p * len(zones))
        found.append(DropZone(venue, table, zone.spins, zone.words, zone.p, adjusted, adjusted < FALSE_ALARM))
    return found, not_judged


_SHAKES: Final = """
SELECT venue, "table", moved_s, pulses, turns, unevenness FROM chosen
WHERE type = 'round.outcome' AND (moved_s IS NOT NULL OR pulses IS NOT NULL OR turns IS NOT NULL)
ORDER BY venue, "table", seq
"""


def _shaken(sql: duckdb.DuckDBPyConnection) -> list[ShakenDice]:
    """How well dice are shaken at every table."""
    tables: dict[tuple[str, str], list[Shake]] = {}
    for venue, table, *measured in sql.execute(_SHAKES).fetchall():
        tables.setdefault((venue, table), []).append(Shake(*measured))
    devices = [(place, one) for place, shakes in tables.items() for one in shaken(shakes, STINT)]
    compared = sum(one.fell is not None for _, one in devices)
    found = []
    for (venue, table), one in devices:
        fell, p = ("", 1.0) if one.fell is None else (one.fell.words, min(1.0, one.fell.p * compared))
        found.append(ShakenDice(venue, table, one.number, one.medians, fell, p, p < FALSE_ALARM))
    return found


_MISREADS: Final = """
SELECT venue, "table", game, count(*), count(*) FILTER (type = 'round.unresolved' AND reason = 'card_unread')
FROM chosen WHERE type IN ('round.outcome', 'round.void', 'round.unresolved')
GROUP BY ALL ORDER BY ALL
"""


def _readers(sql: duckdb.DuckDBPyConnection) -> list[CardReaderLine]:
    """How often cards were not read, at every table of a game with cards."""
    return judge_readers(Counts(*row) for row in sql.execute(_MISREADS).fetchall())


_LAST_WEAR: Final = """
SELECT venue, "table", arg_max(wear, seq) FROM chosen WHERE type = 'device.condition' AND wear IS NOT NULL
GROUP BY venue, "table", game ORDER BY venue, "table", game
"""


def _wear(sql: duckdb.DuckDBPyConnection) -> Iterator[WornWheel]:
    """The wear of every wheel: its last history has all evenings since it was learnt, and is judged as at its table."""
    for venue, table, text in sql.execute(_LAST_WEAR).fetchall():
        history = msgspec.json.decode(text, type=WearHistory)
        for words in [one.words for one in worn(history, excess.FALSE_ALARM)] or [""]:
            yield WornWheel(venue, table, sum(history.spins), words)


def _plan(game: CountedGame, statistics: str) -> Plan | None:
    try:
        keys = msgspec.json.decode(statistics, type=list[StatisticsKey])
    except msgspec.MsgspecError:
        return None
    return game.published_bias(keys)


def _falls_in(game: CountedGame, devices: list[dict[str, str]]) -> tuple[str, str]:
    """Driver and board of the device in which it turns or falls."""
    by_name = {one.get("device", ""): one for one in devices}
    for name in game.falls_in:
        if name in by_name:
            return by_name[name].get("driver", ""), by_name[name].get("identity", "")
    return BY_HAND, ""


# --- what is not known ------------------------------------------------------------------------------------------------

# From a millisecond on: older Feltwires rounded the times of events, and ran back by a microsecond.
_CLOCKS: Final = """
SELECT venue, "table", count(*) FILTER (back >= 1000000), coalesce(max(back) FILTER (back >= 1000000), 0),
  max(apart), count(*) FILTER (time IS NULL)
FROM (
  SELECT venue, "table", time,
    epoch_ns(lag(time) OVER table_ordered) - epoch_ns(time) AS back,
    CASE WHEN lag(epoch) OVER table_ordered = epoch THEN
      abs((epoch_ns(time) - epoch_ns(lag(time) OVER table_ordered)) - (mono_ns - lag(mono_ns) OVER table_ordered)) END
      AS apart
  FROM event WINDOW table_ordered AS (PARTITION BY venue, "table" ORDER BY seq)
) GROUP BY venue, "table"
"""


def _doubts(
    sql: duckdb.DuckDBPyConnection, dataset: Dataset, choice: Choice, unopened: Mapping[tuple[str, str], int]
) -> list[TableDoubt]:
    clocks = {(venue, table): rest for venue, table, *rest in sql.execute(_CLOCKS).fetchall()}
    found = []
    for held in sorted(dataset.contents.tables, key=lambda one: one.name):
        if not choice.has(held.name):
            continue
        back, most, apart, without = clocks.get((held.venue, held.table), (0, 0, None, 0))
        end, vouched_by = _end_of(held)
        found.append(
            TableDoubt(
                held.venue,
                held.table,
                missing(held.held),
                end,
                vouched_by,
                back,
                most,
                apart,
                without,
                unopened.get((held.venue, held.table), 0),
            )
        )
    return found


def _end_of(held: HeldTable) -> tuple[str, str]:
    """Why the end of a table is not vouched for, or what vouches for it."""
    last = held.held[-1][1] if held.held else 0
    beat = held.announced
    if beat is None:
        return "no heartbeat of it was seen: events after the last one may be missing", ""
    if beat.last > last:
        return f"its heartbeat of {beat.time} announces event {beat.last}, and the last one here is {last}", ""
    if beat.last < last:
        return f"events after {beat.last} came after its last heartbeat, of {beat.time}", ""
    if held.head is None or held.head[0] != last:
        return f"its heartbeat of {beat.time} announces event {last}, but events before it are missing", ""
    if held.head[1] != beat.head:
        return f"the head of its heartbeat of {beat.time} is not that of the events here: run feltwire fleet verify", ""
    return "", f"its heartbeat of {beat.time}"
