"""`feltwire journal report`: one evening of one computer as a page to print, from its journal alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from audit.captures import CaptureReport, check_captures
from audit.errors import JournalError
from audit.findings import AuditReport
from audit.misfires import PlayedRound, misfires
from audit.queries import Selection, parse_moment, select, tables
from audit.records import COMMANDS
from audit.shifts import Shift, ShiftsError, by_dealer, read_shifts
from audit.verify import verify
from command_line.exit_codes import NOT_VERIFIED
from command_line.options import public_keys, zone_option
from command_line.plain_output import show
from command_line.reading_journals import exit_on_journal_error, progress_bar
from command_line.report_charts import OpenTimes, open_times
from command_line.report_file import ReportFile
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
from controller.captures.capture_store import SUFFIX
from controller.cli.report_cards import cards_section
from controller.journal.evening import (
    Evening,
    SentCommand,
    TableEvening,
    TimeSpan,
    last_time_ns,
    ns_of,
    read_evening,
    record_time_ns,
)
from controller.rules.house import rules_words
from controller.rules.profile import is_house
from controller.service.event_lines import rule_words, verdict_words, words_of
from controller.service.state_paths import CAPTURES
from controller.table.bias import FALSE_ALARM
from feed.calls import call_line
from feed.data import Meters, RoundCorrected, RoundDisputed, Unresolved, Verdict, Void
from feed.drop_zone import Zone
from feed.events import Event
from feed.shakes import HEADS, shaken
from feed.wear import worn
from hal.clock import NS_PER_S, SystemClock
from hal.version import SOFTWARE
from hal.wording import counted, noun_for

DAY_BEGINS: Final = 12
"""The hour at which one evening ends and the next begins (ours): no game is played over noon."""
BY_HAND: Final = frozenset({"hand_paid", "reconciled", "stake_refunded", "debt_collected", "debt_waived"})
"""Acts of a machine in which a person decides about tokens."""
MOST: Final = 300
"""How many of one kind are printed one by one, at most (ours); all are counted."""
MOST_VALUES: Final = 60
"""Of a field that has more values than a wheel, those that never came are left out (ours)."""
ROUTINE: Final = frozenset({"no_more_bets", "settle"})
"""Commands that each round has: they are counted."""


class Heading(NamedTuple):
    """What is at the top."""

    title: str
    path: str
    made_ns: int
    """When it was made, nanoseconds since 1970."""
    zone: tzinfo
    software: str
    every_round: bool = False
    """Whether each round is listed."""
    shifts: Sequence[Shift] = ()
    """Who dealt when; without any, no dealer is named."""


def evening_page(evening: Evening, audit: AuditReport, kept: CaptureReport | None, heading: Heading) -> str:
    """The report; `kept` is what became of the captures, None where their folder is not beside the journal."""
    return _Page(evening, audit, kept, heading).text()


def day_of(last_ns: int, zone: tzinfo) -> TimeSpan:
    """The evening that a time belongs to: from noon to noon in the zone."""
    last = datetime.fromtimestamp(last_ns // NS_PER_S, UTC).astimezone(zone)
    noon = last.replace(hour=DAY_BEGINS, minute=0, second=0, microsecond=0)
    since = noon if last >= noon else noon - timedelta(days=1)
    return TimeSpan(_ns(since), _ns(since + timedelta(days=1)))


def _ns(moment: datetime) -> int:
    return round(moment.timestamp()) * NS_PER_S


class _Page:
    def __init__(self, evening: Evening, audit: AuditReport, kept: CaptureReport | None, heading: Heading) -> None:
        self._evening = evening
        self._audit = audit
        self._kept = kept
        self._heading = heading
        self._tables = evening.tables

    def text(self) -> str:
        sections: list[tuple[str, Callable[[], str]]] = [
            ("Summary", self._summary),
            ("Tables", self._of_tables),
            ("Results", self._results),
            ("Rounds without a result", self._refused),
            ("Misfires", self._misfires),
            ("Calls and settling", self._calls),
            *([("How dice were shaken", self._shaken)] if any(one.shakes for one in self._tables) else []),
            *([("Cards", self._cards)] if any(one.cards.cards for one in self._tables) else []),
            ("Corrections, calls and disputes", self._rulings),
            ("Faults", self._faults),
            *([("Machines", self._machines)] if any(one.machine for one in self._tables) else []),
            *(
                [("Progressive wagers", self._progressive)]
                if any(one.meter is not None for one in self._tables)
                else []
            ),
            ("Inspections, warnings and procedure", self._watched),
            ("Orders of people", self._orders),
            ("Captures", self._captures),
            *([("Every round", self._rounds)] if self._heading.every_round else []),
            ("How it is proven, and what it cannot show", self._proof),
        ]
        return document(self._heading.title, self._head(), [(title, write()) for title, write in sections])

    def _time(self, event: Event) -> str:
        return of_time(ns_of(event.time), self._heading.zone)

    def _head(self) -> str:
        heading, span = self._heading, self._evening.span
        simulated = [one.label for one in self._tables if one.simulated]
        banners = self._banner("SIMULATED", simulated, "no real game was played")
        by_house = [one.label for one in self._tables if any(map(is_house, one.rules))]
        banners += self._banner("HOUSE RULES", by_house, "not those of the State of New Jersey")
        if not self._audit.ok:
            words = f"THE JOURNAL DOES NOT VERIFY: {self._audit.first}. Nothing below is proven."
            banners += f'<p class="simulated">{escaped(words)}</p>'
        if self._kept is not None and self._kept.wrong:
            words = f"CAPTURES WERE CHANGED: {self._kept.wrong[0]}"
            banners += f'<p class="simulated">{escaped(words)}</p>'
        ids = ", ".join(_ids(self._tables)) or "none"
        rows = [
            ("Tables", ids),
            ("Time", f"{of_time(span.since_ns, heading.zone)} until before {of_time(span.until_ns, heading.zone)}"),
            ("Zone", f"{of_zone(heading.zone, span.since_ns)}, by the clock of the tables' computer"),
            ("Journal", heading.path),
            ("Made", f"{of_time(heading.made_ns, heading.zone)} by {heading.software}"),
        ]
        listed = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(words)}</dd>" for name, words in rows)
        return f"<header><h1>{escaped(heading.title)}</h1>{banners}<dl>{listed}</dl></header>"

    def _banner(self, mark: str, tables: Sequence[str], words: str) -> str:
        """A mark of some tables, which are named where there are others; empty where it is of none."""
        of = "" if len(tables) == len(self._tables) else f" ({', '.join(tables)})"
        return f'<p class="simulated">{escaped(f"{mark}{of}: {words}")}</p>' if tables else ""

    # --- sections ----------------------------------------------------------------------------------------------------

    def _summary(self) -> str:
        tables = self._tables
        if not tables:
            return "<p>The journal has no event of a table in this time.</p>"
        rounds = sum(len(one.verdicts) for one in tables)
        results = sum(one.standing("outcome") for one in tables)
        voids = sum(one.standing("void") for one in tables)
        open_ended = sum(one.standing("unresolved") for one in tables)
        corrected = sum(len(_corrections(one)) for one in tables)
        disputes, faults = sum(len(one.disputed) for one in tables), sum(len(one.faults) for one in tables)
        open_ns, shut_ns = sum(one.open_ns for one in tables), sum(one.shut_ns for one in tables)
        figures = [
            (str(len(_ids(tables))), noun_for(len(_ids(tables)), "table")),
            (of_hours(open_ns), "open, over all tables"),
            (f"{rounds:,}", f"{noun_for(rounds, 'round')} with a verdict"),
            (f"{results:,}", f"{noun_for(results, 'result')} in force, {share(results, rounds)}"),
            (f"{voids:,}", f"void, {share(voids, rounds)}"),
            (f"{open_ended:,}", "left unresolved"),
            (f"{corrected:,}", "corrected"),
            (f"{disputes:,}", noun_for(disputes, "dispute")),
            (f"{faults:,}", noun_for(faults, "fault")),
            (of_hours(shut_ns), f"shut by faults, {share(shut_ns, open_ns)}"),
        ]
        tiles = "".join(f"<li><b>{escaped(figure)}</b><span>{escaped(words)}</span></li>" for figure, words in figures)
        chart = open_times([OpenTimes(one.label, one.opened, one.shut) for one in tables], self._heading.zone)
        caption = "When each table was open; red where a fault shut it."
        return f'<ul class="tiles">{tiles}</ul><p>{self._verified()}</p>{figure(chart, caption) if chart else ""}'

    def _verified(self) -> str:
        audit = self._audit
        if not audit.ok:
            return (
                f"<b>The journal does not verify</b>: {counted(len(audit.findings), 'finding')}, in the last section."
            )
        whose = "with the key that was given" if audit.keys_given else "with the key in the file"
        whole = (
            "was changed, removed or inserted"
            if audit.end_is_proven
            else "was changed or inserted, nor any removed before its end; what may be cut off there, nothing shows"
        )
        verified = f"The journal verifies {whose}: nothing of its {audit.records:,} records {whole}"
        if not audit.unproven:
            return f"{verified}."
        records = counted(audit.unproven, "record")
        return f"{verified}; <b>of {records} no seal shows that</b>: the last section has which."

    def _of_tables(self) -> str:
        heads = ("table", "game", "rules", "open", "shut", "rounds", "results", "void", "unresolved", "corrected")
        rows = [
            (
                one.table,
                one.game.replace("_", " "),
                ", ".join(map(rules_words, one.rules)) or "–",
                of_hours(one.open_ns),
                of_hours(one.shut_ns) if one.shut_ns else "–",
                f"{len(one.verdicts):,}",
                f"{one.standing('outcome'):,}",
                f"{one.standing('void'):,}",
                f"{one.standing('unresolved'):,}",
                f"{len(_corrections(one)):,}",
            )
            for one in self._tables
        ]
        note = (
            "A round belongs to the time of its verdict, and counts as the journal has it at its end. Hours are of the "
            "clock that times the edges, which nobody sets; of simulated play at a --speed, of what was played."
        )
        pace = pace_table([one.played.pace_line(one.label, one.standing("outcome")) for one in self._tables])
        return f'{table_of(heads, rows, numbers=range(3, 10))}<p class="note">{note}</p>{pace}'

    def _results(self) -> str:
        parts = []
        for one in self._tables:
            statistics = one.statistics
            if not statistics.outcomes:
                continue
            parts.append(f"<h3>{escaped(one.label)}: {counted(statistics.outcomes, 'result')}</h3>")
            for each in statistics.fields:
                shown = [one for one in each.counts if one.count or len(each.counts) <= MOST_VALUES]
                rest = "" if len(shown) == len(each.counts) else "; values that were never measured are left out"
                cells = "".join(
                    f"<li{'' if value.count else ' class=zero'}>{escaped(value.value)}<b>{value.count}</b></li>"
                    for value in shown
                )
                parts.append(
                    f'<p class="note">{escaped(each.field.replace("_", " "))}{rest}</p><ul class="counts">{cells}</ul>'
                )
        return "".join(parts) or "<p>No round has a result.</p>"

    def _refused(self) -> str:
        rows = []
        for one in self._tables:
            for number, event in sorted(one.verdicts.items()):
                data = event.data
                if not isinstance(data, Void | Unresolved):
                    continue
                kind = "void" if isinstance(data, Void) else "unresolved"
                row = explanation(data.reason, kind, (one.game,))
                stands = one.stands[number]
                rows.append(
                    (
                        self._time(event),
                        one.table,
                        number,
                        f"{kind}: {data.reason}",
                        "" if row is None else row.meaning,
                        rule_words(data.rule),
                        "" if stands == _first(data) else verdict_words(one.game, stands),
                    )
                )
        if not rows:
            return "<p>Every round has a result.</p>"
        heads = ("time", "table", "round", "verdict", "meaning", "rule", "called or corrected to")
        note = "“House rule”: no text asks for it; a result that is not proven is not given."
        return f'{_listed(heads, sorted(rows), numbers=(2,), wrap=(4, 6))}<p class="note">{note}</p>'

    def _misfires(self) -> str:
        """Refused rounds by cause, device, hour and table, with the trend, and what the next round made good."""
        found = misfires([one.played.rounds(one.label) for one in self._tables], self._hour)
        return (misfire_table(found) or "<p>No round was refused.</p>") + self._dealers()

    def _calls(self) -> str:
        """How long before the ball fell, or play began, "No more bets" was called, and when bets were settled."""
        tables = [(one.label, one.played.rounds(one.label)) for one in self._tables]
        lines = [(name, line) for name, of in tables if (line := call_line(one.call for one in of)) is not None]
        if not lines:
            return "<p>Nobody called or settled by a button, and no wager was late.</p>"
        late = [f"{name} round {one.number}" for name, of in tables for one in of if one.call.late]
        named = f"<p>Called late, or not at all: {escaped('; '.join(late))}.</p>" if late else ""
        return f"{call_table('table', lines)}{named}{CALL_NOTE}"

    def _shaken(self) -> str:
        """How well the dice of each table were shaken, and what fell in the later half of the evening."""
        rows = [
            (one.label, f"{of.number:,}", *measured(of.medians), "–" if of.fell is None else of.fell.words)
            for one in self._tables
            for of in shaken(one.shakes)
        ]
        heads = ("table", "tumbles", *HEADS, "most striking in the later half")
        note = (
            "Medians over the tumbles of proven results; the rule judges none of it, all of it is ours. p takes every "
            "tumble for one by itself: where the dealer changed in between, it is smaller than chance has it."
        )
        return table_of(heads, rows, numbers=range(1, 6), wrap=(6,)) + f'<p class="note">{note}</p>'

    def _cards(self) -> str:
        return cards_section([one for one in self._tables if one.cards.cards])

    def _dealers(self) -> str:
        shifts = self._heading.shifts
        if not shifts:
            return ""
        played = played_rounds(self._tables)
        dealers = by_dealer(played, shifts)
        rows = [
            (
                one.dealer,
                f"{len(one.played):,}",
                f"{one.refused:,}",
                share(one.refused, len(one.played)),
                ", ".join(f"{cause} {times}" for cause, times in one.causes.items()),
            )
            for one in dealers
        ]
        heads = ("dealer", "rounds", "refused", "of all", "causes")
        others = len(played) - sum(len(one.played) for one in dealers)
        note = "By the house's own list of shifts, which no event, topic or board has. Do not publish this page."
        if others:
            note += f" {counted(others, 'round')} in no shift of the list."
        table = table_of(heads, rows, numbers=(1, 2, 3), wrap=(4,))
        calls = [(one.dealer, call_line(of.call for of in one.played)) for one in dealers]
        table += call_table("dealer", [(name, line) for name, line in calls if line is not None])
        shakes = [
            (one.dealer, f"{of.number:,}", *measured(of.medians))
            for one in dealers
            for of in shaken([shake for played in one.played for shake in played.shakes])
        ]
        if shakes:
            table += table_of(("dealer", "tumbles", *HEADS), shakes, numbers=range(1, 6))
        return f'<h3>By dealer</h3>{table}<p class="note">{note}</p>'

    def _hour(self, time_ns: int) -> str:
        return of_time(time_ns, self._heading.zone)[:13] + ":00"

    def _rulings(self) -> str:
        rows: list[tuple[int, tuple[object, ...]]] = []
        for one in self._tables:
            for event in [*one.corrected, *one.disputed]:
                data = event.data
                if isinstance(data, RoundCorrected):
                    what = "called" if data.confirmed else "corrected"
                    before, after = verdict_words(one.game, data.from_), verdict_words(one.game, data.to)
                elif isinstance(data, RoundDisputed):
                    what, before, after = "disputed", verdict_words(one.game, data.stands), "unchanged"
                else:
                    continue
                words = (self._time(event), one.table, data.round, what, before, after, data.by, data.why)
                rows.append((ns_of(event.time), words))
        if not rows:
            return "<p>Nobody corrected, called or disputed a round.</p>"
        heads = ("time", "table", "round", "", "from", "to", "by", "stated")
        return _listed(heads, [row for _, row in sorted(rows)], numbers=(2,), wrap=(7,))

    def _faults(self) -> str:
        rows = []
        for one in self._tables:
            for fault in one.faults:
                data = fault.data
                until = f"{self._time(fault.cleared)}, {fault.by}" if fault.cleared is not None else "not cleared"
                seen = (self._time(fault.event), one.table, data.device, data.fault, data.detail)
                rows.append((*seen, until if data.blocks_play else f"did not shut; {until}"))
        if not rows:
            return "<p>No fault.</p>"
        heads = ("time", "table", "part", "fault", "seen", "shut until, cleared by")
        return _listed(heads, sorted(rows), wrap=(4, 5))

    def _machines(self) -> str:
        parts = []
        for one in self._tables:
            if not one.machine:
                continue
            last = one.machine[-1]
            before = one.machine_before.meters if one.machine_before is not None else None
            rows = [
                (
                    name.replace("_", " "),
                    _meter(before, name),
                    _meter(last.meters, name),
                    _moved(before, last.meters, name),
                )
                for name in Meters.__struct_fields__
            ]
            paid = [event for event in one.machine if event.act in BY_HAND]
            corrected = [event.detail for event in one.machine if event.act == "corrected"]
            debt = f", {counted(last.debt, 'token')} were owed by players" if last.debt else ""
            parts.append(
                f"<h3>{escaped(one.label)}</h3>"
                f"{table_of(('meter', 'before', 'after', 'moved'), rows, numbers=range(1, 4))}"
            )
            acts = "; ".join(f"{event.act.replace('_', ' ')} {event.tokens} by {event.by or '?'}" for event in paid)
            parts.append(
                f"<p>{counted(last.credits, 'token')} belonged to the player at the end{debt}. "
                f"Paid or counted by hand: {escaped(acts or 'nothing')}. "
                f"Corrected: {escaped('; '.join(corrected) or 'nothing')}.</p>"
            )
        return "".join(parts)

    def _progressive(self) -> str:
        meters, rows = [], []
        for one in self._tables:
            if one.meter is not None and one.meter_before is not None:
                meters.append((one.label, _money(one.meter_before), _money(one.meter), f"{len(one.payouts):,}"))
            for event in one.payouts:
                data: Any = event.data
                fell = _money(data.course["payment"]["from_meter"])
                rows.append((self._time(event), one.table, data.round, words_of(event), fell))
        heads = ("time", "table", "round", "payout", "of it from the meter")
        listed = _listed(heads, sorted(rows), numbers=(2, 4), wrap=(3,)) if rows else "<p>Nothing was paid.</p>"
        return table_of(("table", "meter at first", "at the end", "payouts"), meters, numbers=(1, 2, 3)) + listed

    def _watched(self) -> str:
        parts = []
        looked = [(self._time(event), one.table, words_of(event)) for one in self._tables for event in one.inspections]
        parts.append("<h3>Inspections</h3>")
        parts.append(_listed(("time", "table", "what"), sorted(looked), wrap=(2,)) if looked else "<p>None.</p>")
        counted: dict[tuple[str, str, str, str], list[str]] = {}
        for one in self._tables:
            for event in [*one.warnings, *one.violations]:
                data: Any = event.data
                where = getattr(data, "device", "procedure")
                code = getattr(data, "warning", None) or data.reason
                counted.setdefault((one.table, where, code, getattr(data, "rule", "")), []).append(data.detail)
        rows = [
            (table, where, code, rule_words(rule) if rule else "–", len(details), details[-1])
            for (table, where, code, rule), details in sorted(counted.items())
        ]
        parts.append("<h3>Warnings, and departures from procedure</h3>")
        heads = ("table", "part", "warning", "rule", "times", "stated last")
        parts.append(table_of(heads, rows, numbers=(4,), wrap=(5,)) if rows else "<p>None.</p>")
        measured = [(one.label, one.wear) for one in self._tables if one.wear is not None]
        if measured:
            found = [
                (table, f"{sum(history.spins):,}", words)
                for table, history in measured
                for words in [one.words for one in worn(history, FALSE_ALARM)] or ["nothing is worn, or not learnt yet"]
            ]
            parts.append("<h3>Wear of wheels</h3>")
            parts.append(table_of(("table", "measured spins", "worn"), found, numbers=(1,), wrap=(2,)))
        return "".join(parts) + self._zones()

    def _zones(self) -> str:
        """Where the balls of each roulette wheel leave the track."""
        zones = [(one.label, one.arcs.total(), one.zone) for one in self._tables if one.arcs]
        if not zones:
            return ""
        rows = []
        tests = sum(isinstance(zone, Zone) for _, _, zone in zones)
        for label, spins, zone in zones:
            words = zone if isinstance(zone, str) else zone.words
            suspected = isinstance(zone, Zone) and zone.p * tests < FALSE_ALARM
            rows.append((label, f"{spins:,}", "SUSPECTED" if suspected else "–", words))
        note = (
            "Of proven spins in which no sensor missed the ball, since this journal began or the wheel was exchanged; "
            f"suspected where chance gives it in one of {1 / FALSE_ALARM:,.0f} such reports at level wheels."
        )
        heads = ("table", "spins", "", "most striking third")
        listed = table_of(heads, rows, numbers=(1,), wrap=(3,))
        return f'<h3>Drop zones of wheels</h3>{listed}<p class="note">{note}</p>'

    def _orders(self) -> str:
        shown = [one for one in self._evening.commands if one.verb not in ROUTINE or not one.accepted]
        routine = len(self._evening.commands) - len(shown)
        rows = [self._order(one) for one in shown]
        left = f"<p>Calls and settlements by command, which are not listed: {routine:,}.</p>" if routine else ""
        if not rows:
            return f"<p>Nobody sent another command.</p>{left}"
        return _listed(("time", "table", "who", "command", "answer"), rows, wrap=(3, 4)) + left

    def _order(self, one: SentCommand) -> tuple[object, ...]:
        who = f"{one.sender} ({one.role})"
        answer = one.reason if one.accepted else f"REFUSED: {one.reason}"
        return of_time(one.time_ns, self._heading.zone), one.table or "service", who, one.words, answer

    def _captures(self) -> str:
        rows = [
            (
                one.table,
                getattr(event.data, "round", None) or "–",
                capture.file,
                capture.sha256,
                "yes" if capture.complete else "no",
            )
            for one in self._tables
            for event, capture in one.captures
        ]
        if not rows:
            return "<p>No event names a capture.</p>"
        note = (
            "Files below the computer’s folder captures/; <code>sha256sum FILE</code> gives the same sum. "
            "<code>feltwire replay TABLE.toml FILE</code> judges the round again; whole: it begins early enough."
        )
        heads = ("table", "round", "file", "SHA-256", "whole")
        return f'{self._compared()}{_listed(heads, rows, numbers=(1,), wrap=(2, 3))}<p class="note">{note}</p>'

    def _compared(self) -> str:
        """What became of all captures that the journal names."""
        if self._kept is None:
            return "<p>The files are not beside this journal, and were not compared with it.</p>"
        kept = self._kept
        changed = "".join(f"<li>{escaped(one)}</li>" for one in kept.wrong)
        return (
            f"<p>Of all captures that this journal names, {kept.good:,} are as it names them, {len(kept.wrong):,} are "
            f"changed and {kept.gone:,} are not there: the oldest are deleted when their folder is full.</p>"
            f"{f'<ul>{changed}</ul>' if changed else ''}"
        )

    def _rounds(self) -> str:
        rows = []
        for one in self._tables:
            for number, event in sorted(one.verdicts.items()):
                was: Any = event.data
                stands = verdict_words(one.game, one.stands[number])
                rows.append((self._time(event), one.table, number, stands, rule_words(was.rule)))
        return table_of(
            ("time", "table", "round", "verdict", "rule"), sorted(rows), numbers=(2,), wrap=(3,), whole=(0, 1)
        )

    def _proof(self) -> str:
        audit = self._audit
        rows = [
            (
                chain.chain,
                _span_of([one for one in self._tables if one.table == chain.chain]),
                f"{chain.first} to {chain.last}",
                chain.sealed,
                chain.head,
            )
            for chain in audit.chains
        ]
        heads = ("chain", "of this time", "in the file", "sealed up to", "head of the file")
        found = "".join(f"<li>{escaped(one)}</li>" for one in audit.findings)
        notes = "".join(f"<li>{escaped(one)}</li>" for one in audit.notes)
        keys = ", ".join(audit.public_keys) or "none"
        unknown = ", ".join(f"{kind} ({count:,})" for kind, count in self._evening.unknown.items())
        more = f"<p>Events of types that this software does not know, which are in no figure: {escaped(unknown)}.</p>"
        return (
            f"<p>{self._verified()} Seals are of the key <code>{escaped(keys)}</code>: compare it with the one that "
            f"you keep, or give that with <code>--key</code>.</p>{f'<ul>{found}</ul>' if found else ''}"
            f"{f'<ul class=note>{notes}</ul>' if notes else ''}"
            f"{table_of(heads, rows, numbers=(3,), wrap=(4,), whole=(0, 1, 2))}"
            f"{_METHOD}{more if unknown else ''}{self._signatures()}"
        )

    def _signatures(self) -> str:
        """The lines to sign on. They may be alone on the last sheet, so they state what is signed."""
        heading = self._heading
        made = of_time(heading.made_ns, heading.zone)
        signed = f"Report \u201c{heading.title}\u201d of {heading.path}, made {made}"
        return f'<div class="signatures"><p>{escaped(signed)}</p>{_LINES_TO_SIGN}</div>'


def played_rounds(tables: Sequence[TableEvening]) -> list[PlayedRound]:
    """Every round with the verdict that it reached, of its table by id, as shifts name it."""
    return [played for one in tables for played in one.played.rounds(one.table)]


def _ids(tables: Sequence[TableEvening]) -> list[str]:
    """The tables, each once."""
    return list(dict.fromkeys(one.table for one in tables))


def _span_of(games: Sequence[TableEvening]) -> str:
    """The first and the last event of one table, over all its games."""
    return f"{min(one.first_seq for one in games)} to {max(one.last_seq for one in games)}" if games else "–"


def _first(data: Void | Unresolved) -> Verdict:
    """The verdict as it was reached."""
    return Verdict(verdict="void" if isinstance(data, Void) else "unresolved", reason=data.reason)


def _corrections(table: TableEvening) -> list[Event]:
    """The corrections of a verdict; a call of an unresolved round is none."""
    return [one for one in table.corrected if isinstance(one.data, RoundCorrected) and not one.data.confirmed]


def _money(cents: int) -> str:
    """Units of money: `10,001.40`."""
    return f"{cents / 100:,.2f}"


def _meter(meters: Meters | None, name: str) -> str:
    return "–" if meters is None else f"{getattr(meters, name):,}"


def _moved(before: Meters | None, after: Meters, name: str) -> str:
    """How far a meter moved: after its seven digits it begins at 0 again. What was waived may be given after all."""
    moved = (getattr(after, name) - (0 if before is None else getattr(before, name))) % 10_000_000
    if name == "tokens_waived" and moved > 5_000_000:
        moved -= 10_000_000
    return f"{moved:,}" if moved else "–"


def _listed(
    heads: Sequence[str], rows: Sequence[Sequence[object]], *, numbers: Sequence[int] = (), wrap: Sequence[int] = ()
) -> str:
    """A table of the first rows; time and table, in the first two columns, are not broken."""
    left = f'<p class="note">The first {MOST} of {len(rows):,}.</p>' if len(rows) > MOST else ""
    return left + table_of(heads, rows[:MOST], numbers=numbers, wrap=wrap, whole=(0, 1))


_METHOD: Final = """
<p>All figures are of the durable events in this journal, each chained to the one before by a hash and sealed by the
computer's key; docs/journal.md states how to check that with other tools. What the journal cannot show: who had the
computer's key; that its last seals were not cut off, unless a head that left the computer is compared
(<code>feltwire journal verify --head</code>); the exact time, which is the computer's clock; what players staked and
were paid where people take the bets; and what no sensor sees.</p>
"""
_LINES_TO_SIGN: Final = """
<table><tbody><tr><td>Prepared by</td><td></td><td>Date</td><td></td></tr>
<tr><td>Reviewed by</td><td></td><td>Date</td><td></td></tr></tbody></table>
"""


@click.command("report")
@click.argument("path", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.option("--table", "chosen", metavar="TABLE", multiple=True, help="Only of this table; repeat for more.")
@click.option("--since", metavar="TIME", help="Not before this day or time, in the zone.")
@click.option("--until", metavar="TIME", help="Before this day or time, in the zone.")
@zone_option("UTC")
@click.option(
    "--key", "keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Public key of the seals; repeat."
)
@click.option("--every-round", is_flag=True, help="List every round with its verdict, too.")
@click.option(
    "--dealers",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Count refused rounds by dealer, too: FILE has the shifts, by id, and is its owner's alone (mode 0600).",
)
@click.option("--title", help='The heading.  [default: "Casino night, DATE"]')
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="A new .html or .pdf file."
)
def report_command(
    path: Path,
    chosen: tuple[str, ...],
    since: str | None,
    until: str | None,
    zone: tzinfo,
    keys: tuple[bytes, ...],
    every_round: bool,
    dealers: Path | None,
    title: str | None,
    output: Path | None,
) -> None:
    """Write the report of an evening, to print, sign and file: from this computer's journal alone.

    It has every table's hours, rounds and results, the rounds that were refused, corrected or disputed, misfires by
    cause and hour, readers, decks and shufflers of cards, faults and who cleared them, meters of machines, orders of
    people, captures with their SHA-256, and whether the journal verifies, with the heads of its chains. The service
    may be running. Hours are of the clock that times the edges, as in the statistics of a fleet: where a service
    simulated at a --speed, they are of what was played, and not of the wall clock.

    Without --since and --until it is the evening of the last event, from noon to noon in the zone. Without -o it
    writes casino-night-DATE.html. A .pdf is printed by Chromium, where that is installed.

    \b
    Examples:
        feltwire journal report ~/.local/state/feltwire/journal.sqlite --zone America/New_York
        feltwire journal report journal.sqlite -o night.pdf --title "St. Mary's, July 4"
        feltwire journal report journal.sqlite --since 2026-07-03 --until 2026-07-06 --key signing.pub

    Exit codes: 0; 1 if Chromium prints nothing; 2 for what cannot be used; 3 for a journal that does not verify, or
    captures beside it that are not as it names them: the report is written, and says so at its top.
    """
    with exit_on_journal_error():
        shifts = [] if dealers is None else _shifts(dealers, path)
        span = day_of(last_time_ns(path), zone) if since is None and until is None else _asked(since, until, zone)
        day = of_time(span.since_ns, zone)[:10]
        output = Path(f"casino-night-{day}.html") if output is None else output
        printed = ReportFile(output, private=bool(shifts))
        with progress_bar("verifying") as bar:
            audit = verify(path, keys=keys, **({} if bar is None else bar._asdict()))
        kept = _compared(path)
        with progress_bar("reading") as bar:
            evening = read_evening(path, span, chosen, **({} if bar is None else {"progress": bar.progress}))
    name, now_ns = SOFTWARE, SystemClock().wall_time_ns()
    heading = Heading(title or f"Casino night, {day}", str(path), now_ns, zone, name, every_round, shifts)
    printed.write(evening_page(evening, audit, kept, heading))
    rounds = sum(len(one.verdicts) for one in evening.tables)
    show(f"{output}: {counted(len(_ids(evening.tables)), 'table')}, {counted(rounds, 'round')}")
    if not evening.tables:
        show(f"no table has an event in this time: {_covered(path, zone)}", fg="yellow", err=True)
    if not audit.ok:
        show(f"{path} DOES NOT VERIFY: {audit.first}", fg="red", err=True)
    if kept is not None and kept.wrong:
        show(f"CAPTURES WERE CHANGED: {kept.wrong[0]}", fg="red", err=True)
    if not audit.ok or (kept is not None and kept.wrong):
        sys.exit(NOT_VERIFIED)


def _shifts(dealers: Path, path: Path) -> list[Shift]:
    """The shifts of a list, of tables of this journal."""
    try:
        return read_shifts(dealers, [one for one in tables(path) if one != COMMANDS])
    except ShiftsError as error:
        raise click.BadParameter(str(error), param_hint="--dealers") from error


def _covered(path: Path, zone: tzinfo) -> str:
    first = next(select(path, Selection()), None)
    if first is None:
        return f"{path} has no event yet"
    begin, end = record_time_ns(path, first.record), last_time_ns(path)
    return f"{path} has events from {of_time(begin, zone)} to {of_time(end, zone)}"


def _compared(path: Path) -> CaptureReport | None:
    """Compares the captures beside the journal, where they are there, with what it names."""
    folder = path.parent / CAPTURES
    if not folder.is_dir():
        return None
    try:
        return check_captures([path], folder, SUFFIX)
    except OSError as error:
        raise JournalError(
            folder, f"captures cannot be read ({error.strerror})", "look at who may read there"
        ) from error


def _asked(since: str | None, until: str | None, zone: tzinfo) -> TimeSpan:
    ends = []
    for option, text, default in (("--since", since, 0), ("--until", until, SystemClock().wall_time_ns() + NS_PER_S)):
        try:
            ends.append(default if text is None else _ns(parse_moment(text, zone)))
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint=option) from error
    if ends[0] >= ends[1]:
        raise click.BadParameter("it must come after --since", param_hint="--until")
    return TimeSpan(*ends)
