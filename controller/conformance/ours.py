"""Our own decoder for the conformance suite: lines in, events out, as any other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from controller.bench.replay import fitted
from controller.conformance.captures import Suite
from controller.conformance.line_text import BEGIN, LineTextError, batches
from controller.games.assembly import table_for
from controller.games.load import check_text
from controller.table.table import Table
from feed.events import encode


def declaration(suite: Suite) -> bytes:
    """The line with which our decoder declares itself: it handles every device of the suite."""
    return msgspec.json.encode({"decoder": "feltwire", "suite": suite.version, "devices": suite.devices})


def answers(lines: Iterable[str]) -> Iterator[bytes]:
    """What our table answers to a capture, line by line; `lines` begin with its header.

    Raises:
        LineTextError: the lines are not of the format, or their table has a mistake.
        hal.capture.errors.CaptureError: a line that the table needs is missing.
    """
    lines = iter(lines)
    table = _table(lines)
    opened = False
    for batch in batches(lines):
        events = []
        if not opened:
            opened = True
            first = [values[0].t_ns for values in (batch.edges, batch.rare) if values]
            events += table.open(min(first, default=batch.until_ns))
        events += table.feed(batch)
        # A table has outputs too; in a capture, what the devices answered is on the lines.
        table.outputs()
        yield from map(encode, events)
        yield msgspec.json.encode({"until": batch.until_ns})


def _table(lines: Iterator[str]) -> Table:
    """The table that a header describes."""
    keys: list[str] = []
    wires: list[str] = []
    name = ""
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == BEGIN:
            break
        if kind == "table":
            keys.append(rest)
        elif kind == "line":
            wires.append(rest)
        elif kind == "capture":
            name = rest
    report = check_text("\n".join(keys), name)
    if report.errors:
        raise LineTextError("; ".join(map(str, report.errors)))
    config = fitted(report.tables[0], wires, Path(name))
    return table_for(config, epoch="replay", simulated=True, wires=wires, opens=True)
