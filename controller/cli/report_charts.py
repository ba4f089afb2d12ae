"""The charts of a report, as SVG for paper: when tables were open, bars, and counts beside what is expected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from math import floor, log10, sqrt
from typing import Final, NamedTuple

from controller.cli.svg_page import SvgPage
from controller.statistics.bias import FairnessTest
from hal.clock import NS_PER_S

WIDTH: Final = 680
"""Of a chart, in the units of a page: that of the text on A4."""
OPEN, SHUT, WORST, GREY = "#2f6690", "#b3261e", "#c77700", "#8a8a8a"
EXPECTED, GRID, BAND = "#444444", "#d9d9d9", "#e9e4d8"

_LABEL: Final = 170
_ROW: Final = 17
_SIZE: Final = 9.5
_STEPS_S: Final = (60, 300, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000)
_MOST_TICKS: Final = 8
_APART: Final = 0.3
"""Units of the page between two spans that can be seen apart."""
_DAY_S: Final = 86_400


class OpenTimes(NamedTuple):
    """One row of the chart of open times."""

    label: str
    opened: Sequence[tuple[int, int]]
    """Wall time, nanoseconds since 1970."""
    shut: Sequence[tuple[int, int]]


def open_times(rows: Sequence[OpenTimes], zone: tzinfo) -> str:
    """A bar for each time in which a table was open, red where a fault shut it."""
    ends = [end for row in rows for span in row.opened for end in span]
    if not ends:
        return ""
    first, last = min(ends), max(max(ends), min(ends) + NS_PER_S)
    page = SvgPage(WIDTH, 30 + _ROW * len(rows), "when tables were open")
    wide = WIDTH - _LABEL - 12

    def at(time_ns: int) -> float:
        return _LABEL + wide * (time_ns - first) / (last - first)

    bottom = 6 + _ROW * len(rows)
    for tick, label in _ticks(first, last, zone):
        page.line((at(tick), 2), (at(tick), bottom + 3), color=GRID, width=0.7)
        page.words(at(tick), bottom + 14, label, size=8, anchor="middle", color=EXPECTED)
    for number, row in enumerate(rows):
        y = 4 + _ROW * number
        page.words(_LABEL - 8, y + 10, _short(row.label), size=_SIZE, anchor="end")
        for spans, color in ((row.opened, OPEN), (row.shut, SHUT)):
            for left, right in _drawn([(at(start), at(end)) for start, end in spans]):
                page.box(left, y + 2, max(0.8, right - left), 10, fill=color, color=color, stroke=0.2)
    return page.text()


def _drawn(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans on paper: those that nobody can see apart are one."""
    found: list[tuple[float, float]] = []
    for left, right in spans:
        if found and left - found[-1][1] < _APART:
            found[-1] = (found[-1][0], max(right, found[-1][1]))
        else:
            found.append((left, right))
    return found


class Bar(NamedTuple):
    """One bar."""

    label: str
    value: float
    stated: str
    """Behind the bar."""
    color: str = OPEN


def bars(rows: Sequence[Bar], title: str) -> str:
    """Bars from the left, each with its value in words."""
    most = max((row.value for row in rows), default=0.0)
    if most <= 0:
        return ""
    page = SvgPage(WIDTH, 8 + _ROW * len(rows), title)
    wide = WIDTH - _LABEL - 150
    for number, row in enumerate(rows):
        y = 4 + _ROW * number
        page.words(_LABEL - 8, y + 10, _short(row.label), size=_SIZE, anchor="end")
        length = wide * row.value / most
        if length > 0:
            page.box(_LABEL, y + 2, length, 10, fill=row.color, color=row.color, stroke=0.2)
        page.words(_LABEL + length + 6, y + 10.5, row.stated, size=_SIZE)
    return page.text()


def counts(tested: FairnessTest, title: str) -> str:
    """How often each value came, beside what is expected and the band of two standard deviations around it."""
    high, left = 92.0, 34.0
    page = SvgPage(WIDTH, high + 36, title)
    falls = tested.falls
    spreads = [
        2 * sqrt(one.expected * (1 - one.expected / falls)) if falls and one.expected < falls else 0.0
        for one in tested.categories
    ]
    tops = [max(one.count, one.expected + spread) for one, spread in zip(tested.categories, spreads, strict=True)]
    most = max([1.0, *tops])
    wide = (WIDTH - left - 4) / len(tested.categories)

    def at(value: float) -> float:
        return 18 + high - high * value / most

    page.words(0, 11, title, size=_SIZE, bold=True)
    for tick in _whole_ticks(most):
        page.line((left, at(tick)), (WIDTH, at(tick)), color=GRID, width=0.6)
        page.words(left - 4, at(tick) + 3, f"{tick:g}", size=8, anchor="end", color=EXPECTED)
    for number, (one, spread) in enumerate(zip(tested.categories, spreads, strict=True)):
        x = left + wide * number
        color = WORST if tested.suspected and one.value == tested.worst.value else OPEN
        low, high_at = max(0.0, one.expected - spread), one.expected + spread
        page.box(x, at(high_at), wide, at(low) - at(high_at), fill=BAND, color=BAND, stroke=0)
        if one.count:
            page.box(
                x + wide * 0.22, at(one.count), wide * 0.56, at(0) - at(one.count), fill=color, color=color, stroke=0
            )
        middle = x + wide / 2
        page.line((x + wide * 0.05, at(one.expected)), (x + wide * 0.95, at(one.expected)), color=EXPECTED, width=1.2)
        if len(tested.categories) <= 40 or number % 5 == 0:
            page.words(middle, high + 29, str(one.value), size=7.5, anchor="middle")
    return page.text()


def _short(label: str) -> str:
    return label if len(label) <= 32 else f"{label[:31]}…"


def _ticks(first_ns: int, last_ns: int, zone: tzinfo) -> list[tuple[int, str]]:
    """Times for an axis, at whole hours or days of the zone."""
    span_s = (last_ns - first_ns) / NS_PER_S
    step = next((one for one in _STEPS_S if span_s / one <= _MOST_TICKS), _STEPS_S[-1])
    while span_s / step > _MOST_TICKS:
        step *= 2
    start = datetime.fromtimestamp(first_ns // NS_PER_S, UTC).astimezone(zone)
    offset = start.utcoffset()
    shift = 0 if offset is None else round(offset.total_seconds())
    tick = (first_ns // NS_PER_S + shift) // step * step + step - shift
    found = []
    while tick * NS_PER_S <= last_ns:
        moment = datetime.fromtimestamp(tick, UTC).astimezone(zone)
        found.append((tick * NS_PER_S, moment.strftime("%b %d" if step >= _DAY_S else "%H:%M")))
        tick += step
    return found


def _whole_ticks(most: float) -> list[float]:
    step = 10.0 ** floor(log10(most)) if most >= 1 else 1.0
    for factor in (0.2, 0.5, 1.0):
        if most / (step * factor) <= 5:
            step *= factor
            break
    step = max(1.0, step)
    return [step * number for number in range(int(most / step) + 1)]
