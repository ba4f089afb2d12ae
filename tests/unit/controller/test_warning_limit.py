"""Warnings that repeat: the first ones are published, the others counted, and none is lost without a count."""

from __future__ import annotations

import pytest

from controller.table.warning_limit import MOST, WINDOW_NS, WarningLimit
from drivers.base.driver import NEVER_NS
from feed.events import DeviceWarning
from tests.oracle.motion import ns
from tests.tables.bench import TableBench, events_of_run
from tests.tables.roulette_lines import RouletteLines, roulette_toml

NOISE = "the object beam is interrupted"


def noisy(until_s: float) -> RouletteLines:
    """A turning wheel without a ball; noise on its object beam from 9 s on, 45 times."""
    lines = RouletteLines().turn(until_s)
    for k in range(45):
        lines.see("object", 9.0 + k, 0.3)
    return lines


@pytest.mark.parametrize("cuts_s", [(), tuple(range(100))])
def test_noise_is_a_few_warnings_and_their_count_a_minute_after_the_first(cuts_s: tuple[int, ...]) -> None:
    lines = noisy(100.0)
    said = events_of_run(roulette_toml(), lines.edges(), [], lines.now_ns, [ns(cut_s) for cut_s in cuts_s])
    warnings = said.of(DeviceWarning)
    assert [one.detail for one in warnings] == [*[NOISE] * MOST, f"{NOISE} (15 more of these within 60 s)"]
    assert {(one.device, one.warning) for one in warnings} == {("wheel", "object_in_wheel")}
    assert warnings[-1].mono_ns == warnings[0].mono_ns + WINDOW_NS


def test_a_table_that_ends_publishes_the_count() -> None:
    lines = noisy(60.0)
    bench = TableBench(roulette_toml())
    bench.feed(lines.edges(), [], lines.now_ns)
    closing = bench.table.close(lines.now_ns, "stopped")
    assert [one.data.detail for one in closing if isinstance(one.data, DeviceWarning)] == [
        f"{NOISE} (15 more of these within 51 s)"
    ]


def warning(t_ns: int, **fields: object) -> DeviceWarning:
    common = {"table": "t", "game": "roulette", "simulated": False, "device": "d", "warning": "w", "detail": "x"}
    return DeviceWarning(**{**common, "mono_ns": t_ns, **fields})  # type: ignore[arg-type]


def test_another_device_warning_detail_or_round_is_another_warning() -> None:
    limit = WarningLimit()
    assert [limit.admits(warning(k)) for k in range(MOST + 1)] == [True] * MOST + [False]
    others = ({"device": "e"}, {"warning": "v"}, {"detail": "y"}, {"round": 1})
    assert all(limit.admits(warning(MOST + 1, **other)) for other in others)
    assert limit.due_ns == WINDOW_NS


def test_the_time_begins_again_with_the_first_warning_after_it() -> None:
    limit = WarningLimit()
    assert all(limit.admits(warning(k * WINDOW_NS // 2)) for k in range(12))
    assert limit.due_ns == NEVER_NS
    assert limit.due(6 * WINDOW_NS) == []
    assert not limit._repeated, "nothing is kept of what is over"


def test_what_comes_before_the_count_was_published_belongs_to_it() -> None:
    limit = WarningLimit()
    for k in range(MOST + 1):
        limit.admits(warning(k))
    assert not limit.admits(warning(2 * WINDOW_NS))
    assert [one.detail for one in limit.due(2 * WINDOW_NS)] == ["x (2 more of these within 120 s)"]
    assert limit.admits(warning(2 * WINDOW_NS + 1))
