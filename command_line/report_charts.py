"""The charts of a report, as SVG for paper: when tables were open, and bars."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, NamedTuple

from command_line.svg_page import SvgPage
from hal.clock import NS_PER_S

WIDTH: Final = 680
"""Of a chart, in the units of a page: that of the text on A4."""
OPEN, SHUT, GREY = "#2f6690", "#b3261e", "#8a8a8a"
EXPECTED, GRID = "#444444", "#d9d9d9"

_LABEL: Final = 170
_ROW: Final = 17
LABELS: Final = 9.5
"""The size of the words."""
_STEPS_S: Final = (
    1,
    5,
    15,
    30,
    60,
    300,
    900,
    1800,
    3600,
    7200,
    14_400,
    21_600,
    43_200,
    86_400,
    172_800,
    604_800,
    2_592_000,
)
_MOST_TICKS: Final = 8
_APART: Final = 0.3
"""Units of the page between two spans that can be seen apart."""
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400
_EPOCH: Final = datetime(1970, 1, 1)


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
        page.words(_LABEL - 8, y + 10, _short(row.label), size=LABELS, anchor="end")
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
        page.words(_LABEL - 8, y + 10, _short(row.label), size=LABELS, anchor="end")
        length = wide * row.value / most
        if length > 0:
            page.box(_LABEL, y + 2, length, 10, fill=row.color, color=row.color, stroke=0.2)
        page.words(_LABEL + length + 6, y + 10.5, row.stated, size=LABELS)
    return page.text()


def _short(label: str) -> str:
    return label if len(label) <= 32 else f"{label[:31]}…"


def _ticks(first_ns: int, last_ns: int, zone: tzinfo) -> list[tuple[int, str]]:
    """Times for an axis, at whole hours or days of the zone."""
    span_s = (last_ns - first_ns) / NS_PER_S
    step = next((one for one in _STEPS_S if span_s / one <= _MOST_TICKS), _STEPS_S[-1])
    while span_s / step > _MOST_TICKS:
        step *= 2
    shown = "%b %d" if step >= _DAY_S else "%H:%M" if step >= _MINUTE_S else "%H:%M:%S"
    found = []
    moment = _whole(datetime.fromtimestamp(first_ns // NS_PER_S, UTC).astimezone(zone), step)
    while (tick := round(moment.timestamp())) * NS_PER_S <= last_ns:
        if tick * NS_PER_S > first_ns:
            found.append((tick * NS_PER_S, datetime.fromtimestamp(tick, UTC).astimezone(zone).strftime(shown)))
        if step > _HOUR_S:
            # By the clock on the wall: a day in which it is set has 23 or 25 hours.
            moment += timedelta(seconds=step)
        else:
            moment = datetime.fromtimestamp(tick + step, UTC).astimezone(zone)
    return found


def _whole(moment: datetime, step_s: int) -> datetime:
    """The last whole step of the clock on the wall."""
    since = moment.replace(tzinfo=None) - _EPOCH
    return moment - since % timedelta(seconds=step_s)
