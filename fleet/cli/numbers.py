"""A summary of a fleet for a terminal: a line for each table, refusal, fault and test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from command_line.plain_output import show
from command_line.report_page import of_hours, of_time, of_zone
from fleet.cli.report import advice
from fleet.statistics.bias import FALSE_ALARM, POWER, FairnessTest
from fleet.statistics.summary import Summary
from hal.plain_text import plain
from hal.wording import counted, noun_for, times


def show_summary(summary: Summary, zone: tzinfo, house_words: Callable[[str], str]) -> None:
    """Prints it; `house_words` is what is added to a table's name, by its rules."""
    times = [time for line in summary.tables for time in (line.first_ns, line.last_ns) if time is not None]
    if not times:
        show("no event is in what was asked for")
    else:
        if summary.simulated:
            show("SIMULATED ", fg="yellow", bold=True, nl=False)
        span = f"{of_time(min(times), zone)} to {of_time(max(times), zone)}, {of_zone(zone, max(times))}"
        show(f"{counted(summary.table_count, 'table')}, {span}")
    _show_tables(summary, house_words)
    _show_refusals_and_faults(summary)
    _show_bias(summary)
    found = advice(summary)
    if found:
        show("to look at", bold=True)
        for item in found:
            show(f"  {item.where}: {item.why}; {item.do}")
    _show_doubts(summary)


def _show_tables(summary: Summary, house_words: Callable[[str], str]) -> None:
    rows = []
    for line in summary.tables:
        rate = "–" if line.games_an_hour is None else f"{line.games_an_hour:.1f}"
        shut = of_hours(line.shut_ns) if line.shut_ns else "–"
        name = f"{line.venue}/{line.label}{house_words(line.rules)}"
        rows.append(
            (
                *(
                    name,
                    of_hours(line.open_ns),
                    shut,
                    f"{line.outcomes:,}",
                    rate,
                ),
                *(line.voids, line.unresolved, line.corrected, line.faults),
            )
        )
    _columns(("tables", "open", "shut", "results", "an hour", "void", "open end", "corrected", "faults"), rows)


def _show_refusals_and_faults(summary: Summary) -> None:
    _columns(
        ("refused", "times", "tables", "by"),
        [
            (f"{one.reason} ({one.verdict})", f"{one.count:,}", one.tables, "ours" if one.ours else one.rule)
            for one in summary.refusals
        ],
    )
    _columns(
        ("faults", "times", "tables", "hours between"),
        [
            (
                f"{one.driver or one.device} {one.fault}",
                one.count,
                f"{one.tables} of {one.fitted}",
                "–" if one.hours_between is None else f"{one.hours_between:,.1f}",
            )
            for one in summary.faults
        ],
    )


def _show_bias(summary: Summary) -> None:
    if not summary.bias:
        return
    _columns(
        ("bias", "counted", "rounds", "p", "adjusted", "would find"),
        [(_name(tested), *_tested(tested)) for tested in summary.bias],
        red=[at for at, tested in enumerate(summary.bias) if tested.suspected],
    )
    show(f"  suspected: adjusted below {FALSE_ALARM:g}; would find: how much more often one place has to come")
    show(f"  for the test to show it with {POWER:.0%} certainty")


def _name(one: FairnessTest) -> str:
    return f"{one.name}, {one.devices} together" if one.scope == "type" else one.name


def _tested(one: FairnessTest) -> Sequence[object]:
    if one.p is None or one.adjusted_p is None:
        return one.test, f"{one.rounds:,}", "too few", "–", "–"
    find = "–" if one.would_find is None else f"+{one.would_find:.0%}"
    return one.test, f"{one.rounds:,}", f"{one.p:.2g}", f"{one.adjusted_p:.2g}", find


def _show_doubts(summary: Summary) -> None:
    notes = []
    for one in summary.doubts:
        gaps = sum(last - first + 1 for first, last in one.missing)
        stated = [f"{counted(gaps, 'event')} {noun_for(gaps, 'is', 'are')} missing"] if gaps else []
        stated += [one.end] if one.end else []
        stated += [f"its clock was set back, {times(one.clock_back)}"] if one.clock_back else []
        if stated:
            notes.append(f"{one.venue}/{one.table}: {'; '.join(stated)}")
    for kind, count in summary.unknown_types.items():
        notes.append(f"{counted(count, 'event')} of {kind}, which this software does not know")
    unreadable = len(summary.unreadable) + summary.unreadable_more
    if unreadable:
        notes.append(f"{counted(unreadable, 'message')} not read as an event, and left out")
    for note in notes:
        show(f"note: {note}", fg="yellow")


def _columns(heads: Sequence[str], rows: Sequence[Sequence[object]], red: Sequence[int] = ()) -> None:
    """Prints rows below their heads, each column as wide as it needs; nothing where there is no row."""
    if not rows:
        return
    cells = [[plain(str(value)) for value in row] for row in rows]
    widths = [max(len(head), *(len(row[at]) for row in cells)) for at, head in enumerate(heads)]
    widths[0] += 2
    show(_line(heads, widths), bold=True)
    for at, row in enumerate(cells):
        show(_line([f"  {row[0]}", *row[1:]], widths), fg="red" if at in red else None)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = f"{cells[0]:<{widths[0]}}"
    return first + "".join(f"  {cell:>{width}}" for cell, width in zip(cells[1:], widths[1:], strict=True))
