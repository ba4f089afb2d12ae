"""What the reports of an evening and of a fleet print alike of the rounds of each table: misfires, pace, calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audit.misfires import Misfire, PaceLine
from command_line.report_page import of_hours, share, table_of
from feed.calls import CallLine
from feed.pace import IDLE_NS, STEPS
from hal.clock import NS_PER_S

HOUR_NS: Final = 3600 * NS_PER_S
CALL_HEADS: Final = ("called", "before", "least", "late", "settled after", "longest", "late wagers")


def misfire_table(rows: Sequence[Misfire]) -> str:
    """Refused rounds by cause, device and hour, with the trend, and what the next made good; empty without any."""
    cells = [
        (
            one.table,
            one.cause,
            one.device or "–",
            f"{one.times:,}",
            share(one.times, one.rounds),
            ", ".join(f"{hour}: {times}" for hour, times in one.hours.items()),
            ("fewer", "–", "more")[one.trend + 1],
            share(one.made_good, one.followed),
        )
        for one in rows
    ]
    heads = ("table", "cause", "device", "rounds", "of all", "in the hour from", "trend", "made good")
    note = (
        "The device is that whose fault refused the round. “Made good” is the share after which the next round had a "
        "result, of those after which one was played. Where nothing changes, chance names a trend of any row in one of "
        "a hundred such reports (ours)."
    )
    return f'{table_of(heads, cells, numbers=(3, 4, 7), wrap=(5,))}<p class="note">{note}</p>' if cells else ""


def pace_table(lines: Sequence[PaceLine]) -> str:
    """Games and cards an hour of play, idle time, and the median of each step; empty where nothing was played."""
    dealt = any(one.cards for one in lines)
    rows = [
        (
            one.table,
            f"{one.games * HOUR_NS / one.played_ns:.1f}",
            of_hours(one.played_ns),
            *([f"{one.cards * HOUR_NS / one.played_ns:.0f}" if one.cards else "–"] if dealt else []),
            of_hours(one.idle_ns) if one.idle_ns else "–",
            *(f"{one.medians_s[name]:.0f} s" if name in one.medians_s else "–" for name in STEPS),
        )
        for one in lines
        if one.played_ns
    ]
    if not rows:
        return ""
    heads = ("table", "results an hour", "in play", *(["cards an hour"] if dealt else []), "idle", *STEPS)
    note = (
        "In play: from the opening of each round until it is settled. Idle: bets were open for longer than "
        f"{IDLE_NS // NS_PER_S} s (ours). Betting, play and paying are medians."
    )
    return f'<h3>Pace</h3>{table_of(heads, rows, numbers=range(1, len(heads)))}<p class="note">{note}</p>'


def call_table(head: str, lines: Sequence[tuple[str, CallLine]]) -> str:
    """How long before play bets were closed, and when they were settled; empty without any."""
    rows = [(name, *_call_cells(line)) for name, line in lines]
    return table_of((head, *CALL_HEADS), rows, numbers=range(1, 8)) if rows else ""


def _call_cells(line: CallLine) -> list[str]:
    def seconds(value: float | None) -> str:
        return "–" if value is None else f"{value:.1f} s"

    return [
        f"{line.called:,}",
        seconds(line.margin_s),
        seconds(line.least_s),
        f"{line.late:,}",
        seconds(line.settling_s),
        seconds(line.longest_s),
        f"{line.late_wagers:,}",
    ]


CALL_NOTE: Final = (
    '<p class="note">Called before: from the dealer\'s call until the ball was known to have left the track '
    "(roulette), or the wheel, the dice or the deal began; medians, and the least: negative where the call was late. "
    "Late: the round judged its call late, or that none had come. Settled after: from there until a person settled the "
    "bets. Late wagers are those that a sensor detected after the call. All of it is ours; the rule alone judges a "
    "late call.</p>"
)
