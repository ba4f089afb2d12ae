"""The chart of a test for bias: how often each value came, as SVG for paper."""

from __future__ import annotations

from math import floor, log10, sqrt

from command_line.report_charts import EXPECTED, GRID, LABELS, OPEN, WIDTH
from command_line.svg_page import SvgPage
from fleet.statistics.bias import FairnessTest

WORST, BAND = "#c77700", "#e9e4d8"


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

    page.words(0, 11, title, size=LABELS, bold=True)
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


def _whole_ticks(most: float) -> list[float]:
    step = 10.0 ** floor(log10(most)) if most >= 1 else 1.0
    for factor in (0.2, 0.5, 1.0):
        if most / (step * factor) <= 5:
            step *= factor
            break
    step = max(1.0, step)
    return [step * number for number in range(int(most / step) + 1)]
