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
from feed.events import Event, Outcome, Settled, Unresolved, Void
from hal.clock import VirtualClock
from tests.shares import one_in

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
S: Final = 1_000_000_000
LONGEST_S: Final = 150
"""A round and what is published about it, at the slowest table."""
AFTER_S: Final = 20
"""Played after the first round is settled."""


RANDOM: Final = frozenset({"commitment", "nonce", "root", "salt", "salts"})
"""What is random in each run: the salts of cards that lie face down."""


def _simulated() -> list[TableConfig]:
    found = []
    for path in sorted(EXAMPLES.glob("*.toml")):
        report = check_text(path.read_text())
        found += [config for config in report.tables if config.lines.backend == "sim"]
    return found


TABLES: Final = _simulated()


def _events(config: TableConfig, next_tick_ns: Callable[[int], int], until_ns: int | None) -> tuple[list[Event], int]:
    """What a table publishes, looked at when `next_tick_ns` says, and until when: some time after its first round."""
    clock = VirtualClock(S)
    table = LiveTable(config, wire(config, clock, {}, 5), clock, epoch="00ff00ff00ff00ff")
    table.open_wires()
    events = list(table.open())
    table.show(events)
    end_ns = clock.now_ns() + LONGEST_S * S if until_ns is None else until_ns
    while clock.now_ns() < end_ns:
        clock.advance_to(min(end_ns, next_tick_ns(clock.now_ns())))
        said = table.tick().events
        table.show(said)
        events += said
        if until_ns is None and any(isinstance(event.data, Settled) for event in said):
            end_ns = min(end_ns, clock.now_ns() + AFTER_S * S)
    return [event for event in events if type(event.data).kind != "heartbeat"], end_ns


def _content(event: Event) -> tuple[str, object]:
    """What an event says, without its times: a simulated motor turns on in the steps in which it is asked."""
    data = event.data
    if isinstance(data, Void | Unresolved | Outcome):
        return type(data).kind, (data.round, getattr(data, "reason", None), getattr(data, "result", None))
    said = msgspec.to_builtins(data).items()
    return type(data).kind, {key: value for key, value in said if not _is_time(key) and key not in RANDOM}


def _is_time(key: str) -> bool:
    return key.endswith(("_ns", "_s", "_hz", "rpm"))


@pytest.mark.parametrize("config", one_in(2, (pytest.param(config, id=config.id) for config in TABLES)))
def test_the_events_of_a_simulated_table_do_not_depend_on_when_it_is_looked_at(config: TableConfig) -> None:
    lateness = random.Random(3)
    in_time, until_ns = _events(config, lambda now_ns: now_ns + S // 50, None)
    late, _ = _events(config, lambda now_ns: now_ns + lateness.randrange(S // 50, 5 * S), until_ns)
    assert any(isinstance(event.data, Settled) for event in in_time), "nothing was played"
    assert [_content(event) for event in late] == [_content(event) for event in in_time]
