"""Captures as levels on the wires of tables, read with the product that is installed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from controller.configuration.values import TableConfig
from controller.games.load import load
from hal.capture.vcd_reader import open_capture

NS = 1_000_000_000


def wires(config: TableConfig) -> dict[str, tuple[int, int]]:
    """Each input line of a table: its offset on the chip, and the level of the wire where the line is 0."""
    return {
        name: (int(pin.gpio or 0), int(pin.inverted)) for name, pin in config.pins.items() if not name.endswith("_lamp")
    }


def schedule(
    pairs: Iterable[tuple[Path, Path]], until_s: float | None = None
) -> tuple[dict[int, int], list[tuple[int, int, int]]]:
    """Captures as levels on the wires of their tables: those at the start, and the changes, in the order of time."""
    rest: dict[int, int] = {}
    changes: list[tuple[int, int, int]] = []
    for toml, capture in pairs:
        (config,) = load([toml])
        places = wires(config)
        rest |= dict(places.values())
        seen: set[str] = set()
        with open_capture(capture) as opened:
            for batch in opened.batches():
                for edge in batch.edges:
                    if edge.line not in places or (until_s is not None and edge.t_ns > until_s * NS):
                        continue
                    offset, inverted = places[edge.line]
                    if edge.line in seen:
                        changes.append((edge.t_ns, offset, edge.level ^ inverted))
                    else:
                        # The first value of a wire is its level at the start.
                        seen.add(edge.line)
                        rest[offset] = edge.level ^ inverted
    return rest, sorted(changes, key=lambda change: change[0])
