"""A simulated live table gives equal events however late a busy computer looks at it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest

from controller.configuration.values import TableConfig
from controller.games.load import check_text
from controller.live.live_table import LiveTable
from controller.live.wiring import wire
from feed.events import Event
from hal.clock import VirtualClock

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
S: Final = 1_000_000_000
PLAYED_S: Final = 150


def _simulated() -> list[TableConfig]:
    found = []
    for path in sorted(EXAMPLES.glob("*.toml")):
        report = check_text(path.read_text())
        found += [config for config in report.tables if config.lines.backend == "sim"]
    return found


TABLES: Final = _simulated()


def _events(config: TableConfig, next_tick_ns: Callable[[int], int]) -> list[Event]:
    """What a table publishes in the time played, looked at when `next_tick_ns` says."""
    clock = VirtualClock(S)
    table = LiveTable(config, wire(config, clock, {}, 5), clock, epoch="00ff00ff00ff00ff")
    table.open_wires()
    events = list(table.open())
    until_ns = clock.now_ns() + PLAYED_S * S
    while clock.now_ns() < until_ns:
        clock.advance_to(min(until_ns, next_tick_ns(clock.now_ns())))
        events += table.tick().events
    return [event for event in events if type(event.data).kind != "heartbeat"]


def _content(event: Event) -> dict[str, object]:
    """An event's data to the nearest microsecond: an answer is dated a nanosecond after what was delivered."""
    data = msgspec.to_builtins(event.data)
    return {key: round(value / 1000) if key.endswith("_ns") else value for key, value in data.items()}


@pytest.mark.parametrize("config", TABLES, ids=[config.id for config in TABLES])
def test_the_events_of_a_simulated_table_do_not_depend_on_when_it_is_looked_at(config: TableConfig) -> None:
    lateness = random.Random(3)
    in_time = _events(config, lambda now_ns: now_ns + S // 50)
    late = _events(config, lambda now_ns: now_ns + lateness.randrange(S // 50, 5 * S))
    assert any(type(event.data).kind == "round.settled" for event in in_time), "nothing was played"
    assert [_content(event) for event in late] == [_content(event) for event in in_time]
