"""The report that is printed after an event: one HTML file for A4, which loads nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from typing import Final, NamedTuple

import msgspec

from command_line.report_charts import GREY, OPEN, SHUT, Bar, OpenTimes, bars, open_times
from command_line.report_page import (
    document,
    escaped,
    explanation,
    figure,
    measured,
    of_hours,
    of_time,
    of_zone,
    share,
    table_of,
)
from command_line.report_rounds import CALL_NOTE, call_table, misfire_table, pace_table
from feed.shakes import HEADS
from fleet.cli.bias_chart import counts
from fleet.statistics.bias import EFFECTS, FALSE_ALARM, POWER, FairnessTest
from fleet.statistics.summary import CorrectionLine, FaultLine, RefusalLine, Summary, TableLine
from hal.clock import NS_PER_S
from hal.wording import counted, noun_for, times

HOUR_NS: Final = 3600 * NS_PER_S
MOST_FAULTS: Final = 200
"""Faults and corrections that are printed one by one (ours); all of them are counted."""
MOST_COUNTS: Final = 8
"""Charts of counts of devices of which nothing is suspected (ours): those with the least p."""
MANY_MISSED: Final = 0.01
"""Share of passes without a pulse from which on a track sensor is looked at (ours)."""
MANY_WARNINGS: Final = 3
"""Warnings of one kind at one device from which on it is looked at (ours): fewer are what people do."""
FAR_OFF: Final = 0.2
"""Mean distance from the middle of a pocket or space from which on its sensors are looked at (ours)."""
SET_CLOCK_NS: Final = 2 * NS_PER_S
"""A wall clock that went so far apart from that of the edges was set (ours)."""


class FleetHeading(NamedTuple):
    """What is at the top."""

    title: str
    made_ns: int
    """When it was made, nanoseconds since 1970."""
    zone: tzinfo
    software: str


def report_page(summary: Summary, heading: FleetHeading, house_words: Callable[[str], str]) -> str:
    """The report; `house_words` is what is added to a table's name, by its rules."""
    return _Page(summary, heading, house_words).text()


def of_result(text: str) -> str:
    """A result in a few words: `pocket 17, index 4`."""
    try:
        values = msgspec.json.decode(text, type=dict[str, object])
    except msgspec.MsgspecError:
        return text
    return ", ".join(f"{name} {_value(value)}" for name, value in values.items() if name != "index")


def _value(value: object) -> str:
    if isinstance(value, list):
        return " ".join(_value(one) for one in value)
    if isinstance(value, dict):
        return " ".join(f"{name} {_value(one)}" for name, one in value.items())
    return str(value)


class Advice(NamedTuple):
    """Something to look at in the workshop."""

    where: str
    why: str
    do: str


def advice(summary: Summary) -> list[Advice]:
    """What to look at, the worst first."""
    found = [
        Advice(
            f"{one.name}",
            f"falls unfair: {one.test} {one.worst.value} came {times(one.worst.count)}, {one.worst.expected:.1f} "
            f"expected (p {one.adjusted_p:.1g} over all tests)",
            "change the dice, or level and inspect the wheel; count on before it is used again",
        )
        for one in summary.bias
        if one.suspected
    ]
    found += [
        Advice(f"{one.venue}/{one.table} wheel", one.words, "level the wheel; inspect track and deflectors")
        for one in summary.zones
        if one.suspected
    ]
    found += [
        Advice(f"{one.venue}/{one.table} dice", f"shaken less well: {one.words}", "look at how they are shaken")
        for one in summary.shaken
        if one.suspected
    ]
    found += [
        Advice(
            f"{one.venue}/{one.table} shoe",
            f"cards not read in {one.misreads} of {one.rounds:,} rounds, {one.expected:.1f} expected by all tables of "
            "the game",
            "clean its reader, and look at its cards",
        )
        for one in summary.readers
        if one.suspected
    ]
    found += [
        Advice(f"{one.venue}/{one.table} wheel", one.words, "clean or exchange that part before its limit")
        for one in summary.wear
        if one.words
    ]
    by_place: dict[tuple[str, str, str], list[str]] = {}
    for entry in summary.fault_log:
        by_place.setdefault((f"{entry.venue}/{entry.table}", entry.device, entry.fault), []).append(entry.detail)
    for (table, device, fault), details in sorted(by_place.items(), key=lambda item: (-len(item[1]), item[0])):
        row = explanation(fault, "fault")
        found.append(
            Advice(
                f"{table} {device}",
                f"{fault}, {times(len(details))}: {details[-1]}",
                row.to_do if row else "see its detail in the list of faults",
            )
        )
    for warned in summary.warnings:
        if warned.count < MANY_WARNINGS and not warned.warning.endswith("_bias"):
            continue
        row = explanation(warned.warning, "warning")
        stated = f"{warned.warning}, {times(warned.count)}: {warned.detail}"
        found.append(Advice(f"{warned.venue}/{warned.table} {warned.device}", stated, row.to_do if row else "–"))
    for line in summary.tables:
        table = f"{line.venue}/{line.table}"
        if line.passes and line.missed_passes > MANY_MISSED * (line.passes + line.missed_passes):
            share = line.missed_passes / (line.passes + line.missed_passes)
            stated = f"{share:.1%} of the ball's passes gave no pulse"
            found.append(Advice(f"{table} track sensors", stated, "clean and adjust the track sensors"))
        if line.off_center is not None and line.off_center > FAR_OFF:
            stated = f"rests {line.off_center:.2f} off the middle on average"
            found.append(Advice(f"{table} wheel", stated, "calibrate it again: index mark and encoder"))
    return found


class _Page:
    def __init__(self, summary: Summary, heading: FleetHeading, house_words: Callable[[str], str]) -> None:
        self._summary = summary
        self._heading = heading
        self._house_words = house_words
        self._zone = heading.zone

    def text(self) -> str:
        sections: list[tuple[str, Callable[[], str]]] = [
            ("Summary", self._overview),
            ("Tables", self._tables),
            ("Refused rounds", self._refusals),
            ("Faults", self._faults),
            ("Wear and bias", self._bias),
            ("What to look at in the workshop", self._workshop),
            ("Corrections and calls", self._corrections),
            ("What these numbers do not know", self._doubts),
            ("How this was computed", self._method),
        ]
        written = [(title, write()) for title, write in sections]
        return document(self._heading.title, self._head(), written)

    def _head(self) -> str:
        summary, zone = self._summary, self._zone
        times = [time for line in summary.tables for time in (line.first_ns, line.last_ns) if time is not None]
        span = f"{of_time(min(times), zone)} to {of_time(max(times), zone)}" if times else "no event"
        venues = ", ".join(sorted({line.venue for line in summary.tables})) or "none"
        chosen = []
        if summary.since_ns is not None:
            chosen.append(f"from {of_time(summary.since_ns, zone)}")
        if summary.until_ns is not None:
            chosen.append(f"until before {of_time(summary.until_ns, zone)}")
        asked = f" (asked for: {' '.join(chosen)})" if chosen else ""
        banner = '<p class="simulated">SIMULATED TABLES: no real game was played</p>' if summary.simulated else ""
        when = of_time(self._heading.made_ns, zone)
        known = escaped(of_zone(zone, max(times, default=self._heading.made_ns)))
        made = f"{escaped(when)} by {escaped(self._heading.software)}"
        return (
            f"<header><h1>{escaped(self._heading.title)}</h1>{banner}<dl><dt>Venues</dt><dd>{escaped(venues)}</dd>"
            f"<dt>Events</dt><dd>{escaped(span)}{escaped(asked)}</dd>"
            f"<dt>Times</dt><dd>{known}, by the clocks of the tables' computers</dd>"
            f"<dt>Made</dt><dd>{made}</dd></dl></header>"
        )

    # --- sections ------------------------------------------------------------------------------------------------

    def _overview(self) -> str:
        summary = self._summary
        if not summary.tables:
            return "<p>No event of a table is in what was asked for.</p>"
        lines = summary.tables
        open_ns = sum(line.open_ns for line in lines)
        shut_ns = sum(line.shut_ns for line in lines)
        rounds = sum(line.rounds for line in lines)
        refused = sum(one.count for one in summary.refusals if one.verdict != "violation")
        faults = sum(line.faults for line in lines)
        suspected = [one for one in summary.bias if one.suspected]
        open_ended = [one for one in summary.doubts if one.end or one.missing]
        outcomes = sum(line.outcomes for line in lines)
        figures = [
            (str(summary.table_count), noun_for(summary.table_count, "table")),
            (f"{open_ns / HOUR_NS:,.1f} h", "open, over all tables"),
            (f"{outcomes:,}", "games with a result"),
            (_rate(outcomes * HOUR_NS / open_ns if open_ns else None), "games an hour and table"),
            (f"{refused:,}", f"rounds refused, {share(refused, rounds)}"),
            (f"{faults:,}", noun_for(faults, "fault")),
            (of_hours(shut_ns), f"shut by faults, {share(shut_ns, open_ns)}"),
            (f"{sum(line.corrected for line in lines):,}", "results corrected"),
        ]
        tiles = "".join(f"<li><b>{escaped(figure)}</b><span>{escaped(words)}</span></li>" for figure, words in figures)
        if suspected:
            bias = f"Not fair by these counts: {', '.join(one.name for one in suspected)} (section 5)."
        elif any(one.p is not None for one in summary.bias):
            bias = "No wheel and no dice are suspected; section 5 states how large a bias these games would show."
        else:
            bias = "There are too few games for any test of wheels and dice."
        whole = (
            f"Events of {counted(len(open_ended), 'table')} are missing, or may be: section 8 has which."
            if open_ended
            else "Of every table all events are here, up to its last heartbeat."
        )
        chart = open_times(
            [
                OpenTimes(
                    self._table(line),
                    summary.opened[summary.name_of(line)],
                    summary.shut[summary.name_of(line)],
                )
                for line in lines
            ],
            self._zone,
        )
        drawn = figure(chart, "When each table was open; red where a fault shut it.") if chart else ""
        return f'<ul class="tiles">{tiles}</ul><p>{escaped(bias)} {escaped(whole)}</p>{drawn}'

    def _tables(self) -> str:
        lines = self._summary.tables
        rows = [
            (
                self._table(line),
                _game(line.game),
                of_hours(line.open_ns),
                of_hours(line.shut_ns) if line.shut_ns else "–",
                f"{line.rounds:,}",
                f"{line.outcomes:,}",
                _rate(line.games_an_hour),
                f"{line.voids:,}",
                f"{line.unresolved:,}",
                f"{line.called:,}",
                f"{line.corrected:,}",
                f"{line.faults:,}",
            )
            for line in lines
        ]
        heads = ("table", "game", "open", "shut", "rounds", "results", "an hour", "void", "open end", "called")
        table = table_of((*heads, "corrected", "faults"), rows, numbers=range(2, 12))
        games = table_of(
            ("game", "tables", "rounds", "results", "an hour and table"),
            [
                (
                    _game(one.game),
                    one.tables,
                    f"{one.rounds:,}",
                    f"{one.outcomes:,}",
                    _rate(one.games_an_hour),
                )
                for one in self._summary.games
            ],
            numbers=range(1, 5),
        )
        rates = sorted(
            (
                Bar(self._table(line), line.games_an_hour or 0.0, f"{_rate(line.games_an_hour)} · {_game(line.game)}")
                for line in lines
            ),
            key=lambda bar: -bar.value,
        )
        drawn = figure(bars(rates, "games an hour"), "Games with a result for an hour in which the table was open.")
        note = (
            '<p class="note">“Open end” are rounds that stay unresolved as far as the events go; “called” are those '
            "that were unresolved and that a person called.</p>"
        )
        return f"{table}{note}{drawn}<h3>By game</h3>{games}{pace_table(self._summary.pace)}{self._calls()}"

    def _calls(self) -> str:
        listed = call_table("table", list(self._summary.calls.items()))
        return f"<h3>Calls and settling</h3>{listed}{CALL_NOTE}" if listed else ""

    def _refusals(self) -> str:
        summary = self._summary
        rounds = sum(line.rounds for line in summary.tables)
        refusals = [one for one in summary.refusals if one.verdict != "violation"]
        violations = [one for one in summary.refusals if one.verdict == "violation"]
        if not refusals and not violations:
            return "<p>No round was refused, and no procedure departed from.</p>"
        state = sum(one.count for one in refusals if not one.ours)
        ours = sum(one.count for one in refusals if one.ours)
        stated = (
            f"<p>{counted(state, 'round')} refused by a rule of the State; "
            f"{counted(ours, 'round')} by our own caution, "
            "where no rule asks for it: a result that is not proven is not given.</p>"
        )
        drawn = figure(
            bars(
                [
                    Bar(one.reason, one.count, f"{one.count:,} · {'ours' if one.ours else one.rule}", _of_source(one))
                    for one in refusals[:20]
                ],
                "refusals by reason",
            ),
            "Refused rounds by reason: blue by a rule of the State, grey by our own caution.",
        )
        heads = ("reason", "meaning", "verdict", "asked for by", "rounds", "of 1,000", "tables", "result given")
        table = table_of(heads, [_refusal_row(one, rounds) for one in refusals], numbers=range(4, 8), wrap=(1,))
        departed = table_of(
            ("procedure", "meaning", "rule", "times", "tables"),
            [(one.reason, _meaning(one.reason, one), one.rule, one.count, one.tables) for one in violations],
            numbers=range(3, 5),
            wrap=(1,),
        )
        more = f"<h3>Departures from procedure</h3><p>They alone void nothing.</p>{departed}" if violations else ""
        listed = misfire_table(summary.misfires[:MOST_FAULTS])
        misfires = f"<h3>Misfires</h3>{_left_out(len(summary.misfires), MOST_FAULTS)}{listed}" if listed else ""
        return f"{stated}{drawn if refusals else ''}{table if refusals else ''}{misfires}{more}"

    def _faults(self) -> str:
        summary = self._summary
        if not summary.faults:
            return "<p>No fault.</p>"
        heads = ("part", "fault", "faults", "that shut", "tables", "hours between", "shut for")
        table = table_of(heads, [_fault_row(one) for one in summary.faults], numbers=range(2, 7))
        drawn = figure(
            bars(
                [
                    Bar(f"{one.driver or one.device} {one.fault}", one.count, f"{one.count:,}", _of_part(one))
                    for one in summary.faults[:20]
                ],
                "faults by part",
            ),
            "Faults by part: red where it shut a table.",
        )
        log = table_of(
            ("time", "table", "part", "fault", "seen", "shut until"),
            [
                (
                    of_time(one.time_ns, self._zone),
                    f"{one.venue}/{one.table}",
                    one.device,
                    one.fault,
                    one.detail,
                    _cleared(one.cleared_ns, one.cleared_by, self._zone) if one.blocks else "did not shut",
                )
                for one in summary.fault_log[:MOST_FAULTS]
            ],
            wrap=(4, 5),
        )
        total = sum(one.count for one in summary.faults)
        note = (
            '<p class="note">“Hours between” are the hours in which tables with that part were open, for each fault. '
            "Few faults make it a rough number: with three, the true one may be a third of it or five times as much "
            "(95 %).</p>"
        )
        return f"{table}{note}{drawn}<h3>Each fault</h3>{_left_out(total, MOST_FAULTS)}{log}"

    def _bias(self) -> str:
        summary = self._summary
        lines = [line for line in summary.tables if line.passes or line.off_center is not None or line.warnings]
        parts = []
        if summary.bias:
            made = sum(one.p is not None for one in summary.bias)
            parts.append(
                f"<p>{counted(made, 'test')}. A device is suspected where p, adjusted for all of them, is below "
                f"{FALSE_ALARM:g}: with fair equipment that happens in one report of {1 / FALSE_ALARM:.0f}. “Would "
                f"find” is how much more often one place has to come for this test to show it with {POWER:.0%} "
                "certainty: what is not suspected may have a smaller bias.</p>"
            )
            heads = ("device", "counted", "rounds", "χ²", "df", "p", "adjusted", "furthest off", "would find")
            parts.append(table_of(heads, [_bias_row(one) for one in summary.bias], numbers=range(2, 7), wrap=(7,)))
            parts.append(self._rounds_needed())
            shown = [one for one in summary.bias if one.suspected or one.scope == "type"]
            others = sorted((one for one in summary.bias if one not in shown), key=lambda one: one.p or 2.0)
            charts = [
                counts(
                    one, f"{one.name}: {one.test}, {one.falls:,} counted" + (" – SUSPECTED" if one.suspected else "")
                )
                for one in [*shown, *others[:MOST_COUNTS]]
                if one.falls
            ]
            words = "Bars: how often each value came. Lines: what is expected, in a band of two standard deviations."
            parts.append("".join(figure(chart, "") for chart in charts) + f'<p class="note">{words}</p>')
            if len(others) > MOST_COUNTS:
                parts.append(f'<p class="note">{len(others) - MOST_COUNTS} more are in the table alone.</p>')
        else:
            parts.append("<p>No game of wheels or dice has a result here.</p>")
        if summary.zones:
            parts.append("<h3>Drop zones</h3>")
            zone_heads = ("table", "spins", "p", "adjusted", "most striking third of the bowl")
            zones = [
                (
                    f"{one.venue}/{one.table}",
                    f"{one.spins:,}",
                    f"{one.p:.2g}",
                    f"{one.adjusted_p:.2g}{' SUSPECTED' if one.suspected else ''}",
                    one.words,
                )
                for one in summary.zones
            ]
            parts.append(table_of(zone_heads, zones, numbers=(1, 2, 3), wrap=(4,)))
        if summary.zones_not_judged:
            parts.append("<h3>Drop zones that are not judged</h3>")
            rows = [(f"{one.venue}/{one.table}", f"{one.spins:,}", one.why) for one in summary.zones_not_judged]
            parts.append(table_of(("table", "spins", "why"), rows, numbers=(1,), wrap=(2,)))
        if summary.shaken:
            parts.append("<h3>How dice are shaken</h3>")
            shaken = [
                (
                    f"{one.venue}/{one.table}",
                    f"{one.tumbles:,}",
                    *measured(one.medians),
                    f"{one.adjusted_p:.2g}{' SUSPECTED' if one.suspected else ''}" if one.words else "–",
                    one.words,
                )
                for one in summary.shaken
            ]
            shaken_heads = ("table", "tumbles", *HEADS, "adjusted", "most striking in the later half")
            parts.append(table_of(shaken_heads, shaken, numbers=range(1, 7), wrap=(7,)))
        if summary.readers:
            parts.append("<h3>Readers of cards</h3>")
            readers = [
                (
                    f"{one.venue}/{one.table}",
                    _game(one.game),
                    f"{one.rounds:,}",
                    one.misreads,
                    "–" if one.expected is None else f"{one.expected:.1f}",
                    "–" if one.p is None else f"{one.p:.2g}",
                    "–" if one.adjusted_p is None else f"{one.adjusted_p:.2g}{' SUSPECTED' if one.suspected else ''}",
                )
                for one in summary.readers
            ]
            reader_heads = ("table", "game", "rounds", "card not read", "expected", "p", "adjusted")
            parts.append(table_of(reader_heads, readers, numbers=range(2, 7)))
        if summary.wear:
            parts.append("<h3>Wear of wheels</h3>")
            worn_rows = [
                (f"{one.venue}/{one.table}", f"{one.measured:,}", one.words or "nothing is worn, or not learnt yet")
                for one in summary.wear
            ]
            parts.append(table_of(("table", "measured spins", "worn"), worn_rows, numbers=(1,), wrap=(2,)))
        if lines:
            parts.append("<h3>Measures of wear</h3>")
            parts.append(
                table_of(
                    ("table", "passes of the ball", "without a pulse", "off the middle, mean", "warnings"),
                    [
                        (
                            self._table(line),
                            f"{line.passes:,}" if line.passes else "–",
                            share(line.missed_passes, line.passes + line.missed_passes) if line.passes else "–",
                            "–" if line.off_center is None else f"{line.off_center:.2f}",
                            line.warnings,
                        )
                        for line in lines
                    ],
                    numbers=range(1, 5),
                )
            )
        if summary.warnings:
            parts.append("<h3>Warnings of the tables themselves</h3>")
            parts.append(
                table_of(
                    ("table", "part", "warning", "times", "last", "stated then"),
                    [
                        (
                            f"{one.venue}/{one.table}",
                            one.device,
                            one.warning,
                            one.count,
                            of_time(one.last_ns, self._zone),
                            one.detail,
                        )
                        for one in summary.warnings
                    ],
                    numbers=(3,),
                    wrap=(5,),
                )
            )
        return "".join(parts)

    def _rounds_needed(self) -> str:
        """How many rounds each kind of test wants."""
        known: dict[tuple[str, int], FairnessTest] = {}
        for one in self._summary.bias:
            if one.rounds_for and one.rounds:
                known.setdefault((one.test, len(one.categories)), one)
        if not known:
            return ""
        heads = ("one value of", *(f"comes {effect:.0%} more often" for effect in EFFECTS))
        rows = [
            (f"{test}, {size} values", *(f"{one.rounds_for[f'{effect:g}']:,}" for effect in EFFECTS))
            for (test, size), one in sorted(known.items())
        ]
        return f"<h3>Rounds until a bias shows</h3>{table_of(heads, rows, numbers=range(1, 5))}"

    def _workshop(self) -> str:
        found = advice(self._summary)
        if not found:
            return "<p>Nothing: no fault, no warning, and nothing suspected.</p>"
        rows = [("☐", one.where, one.why, one.do) for one in found]
        return table_of(("", "where", "why", "what to do"), rows, wrap=(2, 3))

    def _corrections(self) -> str:
        summary = self._summary
        if not summary.corrections:
            return "<p>No verdict was corrected or called.</p>"
        rows = [_correction_row(one, self._zone) for one in summary.corrections[:MOST_FAULTS]]
        heads = ("time", "table", "round", "from", "to", "by", "stated")
        return _left_out(len(summary.corrections), MOST_FAULTS) + table_of(heads, rows, numbers=(2,), wrap=(3, 4, 6))

    def _doubts(self) -> str:
        summary = self._summary
        rows = []
        for one in summary.doubts:
            stated = []
            if one.missing:
                spans = ", ".join(
                    f"{first} to {last}" if last > first else str(first) for first, last in one.missing[:10]
                )
                more = f" and {len(one.missing) - 10} more gaps" if len(one.missing) > 10 else ""
                stated.append(f"events {spans}{more} are missing")
            stated += [one.end] if one.end else []
            if one.clock_back:
                back = of_hours(one.clock_back_ns)
                stated.append(f"its clock was set back {times(one.clock_back)}, by up to {back}: times overlap")
            elif one.clock_apart_ns is not None and one.clock_apart_ns > SET_CLOCK_NS and not summary.simulated:
                # Simulated time may run faster than the wall clock.
                stated.append(f"its clock was set forward by up to {of_hours(one.clock_apart_ns)} while it ran")
            if one.without_time:
                stated.append(f"{counted(one.without_time, 'event')} without a readable time")
            if one.unopened:
                stated.append(f"{counted(one.unopened, 'outcome')} not tested for bias: their opening is missing")
            wrong = summary.misread.get(f"{one.venue}/{one.table}", 0)
            if wrong:
                stated.append(f"{counted(wrong, 'outcome')} not tested for bias: not known as a result of the game")
            if stated:
                rows.append((f"{one.venue}/{one.table}", "; ".join(stated)))
        vouched = sum(not one.end and not one.missing for one in summary.doubts)
        parts = [
            f"<p>Tables of which every event is here, the last one vouched for by a heartbeat: {vouched} of "
            f"{len(summary.doubts)}. Whether events were changed, <code>feltwire fleet verify</code> shows.</p>"
        ]
        if rows:
            parts.append(table_of(("table", "what is not known"), rows, wrap=(1,)))
        if summary.unknown_types:
            kinds = ", ".join(f"{kind} ({count:,})" for kind, count in summary.unknown_types.items())
            sentence = "Events of types that this software does not know; no figure but the number of events has them"
            parts.append(f"<p>{sentence}: {escaped(kinds)}.</p>")
        if summary.unreadable:
            total = len(summary.unreadable) + summary.unreadable_more
            items = "".join(
                f"<li>{escaped(where)}: {escaped(why)}</li>" for where, why in list(summary.unreadable.items())[:10]
            )
            more = f"<p>… and {total - 10} more.</p>" if total > 10 else ""
            parts.append(f"<p>{counted(total, 'message')} that are not events:</p><ul>{items}</ul>{more}")
        return "".join(parts)

    def _method(self) -> str:
        return _METHOD

    def _table(self, line: TableLine) -> str:
        """Its name, and that it plays by the house's own rules."""
        return f"{line.venue}/{line.label}{self._house_words(line.rules)}"


# --- rows -------------------------------------------------------------------------------------------------------------


def _refusal_row(one: RefusalLine, rounds: int) -> tuple[object, ...]:
    by = "ours" if one.ours else one.rule
    of = f"{one.count * 1000 / rounds:.1f}" if rounds else "–"
    given = one.overruled or "–"
    return one.reason, _meaning(one.reason, one), one.verdict, by, f"{one.count:,}", of, one.tables, given


def _meaning(code: str, one: RefusalLine) -> str:
    row = explanation(code, one.verdict, one.games)
    return "" if row is None else row.meaning


def _of_source(one: RefusalLine) -> str:
    return GREY if one.ours else OPEN


def _of_part(one: FaultLine) -> str:
    return SHUT if one.blocked else GREY


def _fault_row(one: FaultLine) -> tuple[object, ...]:
    part = f"{one.device} ({one.driver})" if one.driver else one.device
    between = "–" if one.hours_between is None else f"{one.hours_between:,.1f}"
    return part, one.fault, one.count, one.blocked, f"{one.tables} of {one.fitted}", between, of_hours(one.shut_ns)


def _bias_row(one: FairnessTest) -> tuple[object, ...]:
    worst = f"{one.worst.value}: {one.worst.count}, {one.worst.expected:.1f} expected"
    name = f"{one.name}, {one.devices} together" if one.scope == "type" else one.name
    if one.p is None or one.chi_squared is None or one.adjusted_p is None:
        return name, one.test, f"{one.rounds:,}", "–", "–", "too few", "–", worst, "–"
    mark = " SUSPECTED" if one.suspected else ""
    if one.would_find is not None:
        find = f"+{one.would_find:.0%}"
    else:
        find = f"from {one.rounds_needed:,} rounds" if one.rounds_for else "–"
    values = (f"{one.chi_squared:.1f}", one.degrees, f"{one.p:.2g}", f"{one.adjusted_p:.2g}{mark}", worst, find)
    return name, one.test, f"{one.rounds:,}", *values


def _correction_row(one: CorrectionLine, zone: tzinfo) -> tuple[object, ...]:
    before = of_result(one.from_result) if one.from_verdict == "outcome" else one.from_verdict
    after = of_result(one.result) if one.verdict == "outcome" else one.verdict
    return of_time(one.time_ns, zone), f"{one.venue}/{one.table}", one.round or "", before, after, one.by, one.why


def _cleared(time_ns: int | None, by: str, zone: tzinfo) -> str:
    return "not cleared" if time_ns is None else f"{of_time(time_ns, zone)}, {by}"


def _left_out(total: int, most: int) -> str:
    return f'<p class="note">The first {most} of {total:,}.</p>' if total > most else ""


def _game(name: str) -> str:
    return name.replace("_", " ")


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"


_METHOD: Final = f"""
<p>From the durable events of the tables, as they were published. A result in force counts: one that a person
corrected counts as corrected, one that was made void does not count. A round belongs to the time of its first verdict.
Hours are of the clock that times the edges, which nobody sets (of simulated play at a --speed, of what was played);
they run from the opening of a table to its closing, or
to the last event of that start of its service: a table that nobody closed was open a little longer than that.</p>
<p>Bias: Pearson’s χ² against exact probabilities, neighbouring places together while fewer than ten are expected; only
results that were proven, not those that a dealer called. p is adjusted after Holm for all tests of this report. A type
counts its devices together, each from its own index mark: it shows what the type has in common, and no fault of one
device. A drop zone and how dice are shaken are tested as a table’s own watch tests them (docs/watch.md), adjusted for
all tables; of shakes the later half against the earlier one, by the medians of 30 tumbles in a row. Readers of
cards are held against all tables of their game together (hypergeometric).
“Would find” is for one place that comes more often at the cost of all others alike, at the level that remains
to each test, with {POWER:.0%} power. The limits ({FALSE_ALARM:g}, {POWER:.0%}, ten) are ours; no rule gives any.</p>
"""
