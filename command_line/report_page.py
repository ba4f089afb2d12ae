"""What every report that is printed has: one HTML file for A4 that loads nothing, tables, and times in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from html import escape
from pathlib import Path
from typing import Final

from feed.reasons import Explained, explained
from hal.clock import NS_PER_S
from hal.plain_text import plain

STYLE: Final = Path(__file__).with_name("report_page.css")
"""How the page looks, also on paper."""
_BREAKS: Final = re.compile(r"([_/](?=[a-z]))")
"""Where a code may be broken: between its words, and nowhere else."""


def document(title: str, head: str, sections: Sequence[tuple[str, str]]) -> str:
    """The file: a head, and numbered sections, each with its title and its HTML."""
    body = "".join(
        f'<section><h2><span class="number">{number}</span> {escaped(name)}</h2>{written}</section>'
        for number, (name, written) in enumerate(sections, 1)
    )
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escaped(title)}</title>'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{style}</style></head><body>{head}{body}</body></html>\n"
    )


def of_time(time_ns: int | None, zone: tzinfo) -> str:
    """`2026-07-04 21:30:07`, in the zone."""
    if time_ns is None:
        return "?"
    moment = datetime.fromtimestamp(time_ns // NS_PER_S, UTC).astimezone(zone)
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def of_zone(zone: tzinfo, time_ns: int) -> str:
    """`America/New_York (UTC-04:00)`."""
    moment = datetime.fromtimestamp(time_ns // NS_PER_S, UTC).astimezone(zone)
    offset = moment.strftime("%z")
    return f"{zone} (UTC{offset[:3]}:{offset[3:]})" if str(zone) != "UTC" else "UTC"


def of_hours(length_ns: int) -> str:
    """`3 h 07 min`, `45 s`."""
    seconds = round(length_ns / NS_PER_S)
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min {seconds % 60:02d} s"


def explanation(code: str, event: str, games: Iterable[str] = ()) -> Explained | None:
    """What docs/reasons.md has of a code, for this kind of event and these games before others."""
    rows = explained().get(code, ())
    words = [game.replace("_", " ") for game in games]

    def fits(row: Explained) -> tuple[bool, bool]:
        return event in row.event, any(word in row.game or row.game in ("all", word) for word in words)

    return max(rows, key=fits, default=None)


def share(part: float, whole: float) -> str:
    """`2.5%`; a dash of nothing."""
    return f"{part / whole:.1%}" if whole else "–"


def measured(medians: Sequence[float | None]) -> list[str]:
    """The medians of how dice were shaken, in the order of `feed.shakes.HEADS`; a dash of what is not measured."""
    forms = ("{:.2f} s", "{:g}", "{:g}", "{:.2f}")
    return ["–" if value is None else form.format(value) for form, value in zip(forms, medians, strict=True)]


def escaped(text: object) -> str:
    """A text as HTML, with what cannot be seen as escapes."""
    return escape(plain(str(text)))


def _cell(value: object) -> str:
    return _BREAKS.sub(r"\1<wbr>", escaped(value))


def figure(svg: str, words: str) -> str:
    """A chart with its caption; nothing without a chart."""
    caption = f"<figcaption>{escaped(words)}</figcaption>" if words else ""
    return f"<figure>{svg}{caption}</figure>" if svg else ""


def table_of(
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    numbers: Iterable[int] = (),
    wrap: Iterable[int] = (),
    whole: Iterable[int] = (),
) -> str:
    """A table, whose head is printed again on each page: columns of numbers are right-aligned, others may be broken
    anywhere or nowhere."""
    kinds = {at: kind for kind, columns in (("k", whole), ("w", wrap), ("n", numbers)) for at in columns}
    classes = {at: f' class="{kinds[at]}"' if at in kinds else "" for at in range(len(heads))}
    # A code is broken between its words where it must be, and nowhere else.
    head = "".join(f"<th{classes[at]}>{escaped(words)}</th>" for at, words in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(f"<td{classes[at]}>{_cell(cell)}</td>" for at, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
