"""More tables, or a faster simulation, than the computer can bear: work is bounded, stated, and ended by a stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.live.live_table import LiveTable, TickResult
from controller.service.counters import ServiceCounters
from controller.service.load_watch import AGAIN_NS, WINDOW_NS, LoadWatch
from controller.service.service import SLICE_NS, Service
from controller.service.state_paths import state_paths_for
from controller.service.systemd import Systemd
from controller.service.table_supervisor import LATE_NS, ServicePlan
from feed import events
from feed.endpoints import Endpoints
from hal.clock import NS_PER_S, SystemClock, VirtualClock
from tests.fakes.virtual_service import VirtualService
from tests.tables.bench import configured
from tests.tables.money_lines import money_toml
from tests.tables.roulette_lines import roulette_toml

TABLES = [configured(money_toml()), configured(roulette_toml())]
SPEED = 10.0


def slow(hall: VirtualService, real_per_simulated: float) -> None:
    """Each table takes so much of the computer's time for the simulated time that it plays."""

    def costing(table: LiveTable, tick: Callable[[], TickResult]) -> Callable[[], TickResult]:
        def run() -> TickResult:
            before_ns = table.memory.until_ns or hall.paced_ns
            result = tick()
            played_ns = table.memory.until_ns - before_ns
            hall.clock.advance_to(hall.clock.now_ns() + round(played_ns * real_per_simulated))
            return result

        return run

    for table in hall.tables.values():
        table.tick = costing(table, table.tick)  # type: ignore[method-assign]


def test_a_turn_of_an_overloaded_service_is_bounded_and_its_lateness_is_stated() -> None:
    hall = VirtualService(TABLES, speed=SPEED)
    hall.open()
    slow(hall, 0.1)  # two seconds of work in each second
    hall.run(60)
    # What a turn may make up for, at that cost, and no more however long it lasts.
    assert hall.bench.counters.longest_tick_ns <= LATE_NS * SPEED * 0.1 * len(TABLES) + LATE_NS
    for table in hall.tables:
        warning = hall.of(table).one(events.DeviceWarning)
        assert (warning.device, warning.warning) == ("service", "overloaded")
        assert "simulated tables run 5." in warning.detail
    assert "does not keep up" in hall.supervisor.load
    assert hall.said.verdicts(), "they are played on"


def test_a_service_that_keeps_up_loses_no_simulated_time_and_warns_of_nothing() -> None:
    hall = VirtualService(TABLES, speed=SPEED)
    begun_ns = hall.paced_ns
    hall.open()
    slow(hall, 0.01)
    hall.run(30)
    assert hall.said.of(events.DeviceWarning) == []
    assert hall.supervisor.load == ""
    assert hall.paced_ns - begun_ns == pytest.approx(30 * SPEED * NS_PER_S, rel=0.02)


def test_a_start_that_takes_long_is_no_overload() -> None:
    hall = VirtualService(TABLES, speed=SPEED)
    hall.clock.advance_to(hall.clock.now_ns() + 30 * NS_PER_S)
    hall.open()
    hall.run(15)
    assert hall.said.of(events.DeviceWarning) == []
    assert hall.bench.counters.late_ticks == 0


def test_simulated_time_waits_for_a_journal_that_is_behind() -> None:
    hall = VirtualService(TABLES, speed=SPEED)
    hall.open()
    hall.run(5)
    hall.journal.by_itself = False
    hall.run(30)
    waited_ns = hall.paced_ns
    hall.run(30)
    assert hall.paced_ns == waited_ns
    hall.journal.commit()
    hall.journal.by_itself = True
    hall.run(5)
    assert hall.paced_ns > waited_ns


def test_an_overload_is_warned_of_once_and_its_words_go_when_it_is_over() -> None:
    watch = LoadWatch(0)
    warned: list[str] = []

    def window(late_ns: int) -> str:
        watch.turned(now.now_ns() + WINDOW_NS, late_ns)
        now.advance_to(now.now_ns() + WINDOW_NS)
        warned.extend(filter(None, [watch.check()]))
        return watch.words

    now = VirtualClock(0)
    assert window(NS_PER_S // 2) == ""
    assert "late by 3.0 s in 10.0 s" in window(3 * NS_PER_S)
    assert "late by 0.5 s" in window(NS_PER_S // 2), "it ends where next to nothing is late"
    assert window(0) == ""
    assert window(3 * NS_PER_S)
    assert len(warned) == 1, "another overload within a minute is not published again"
    assert window(0) == ""
    now.advance_to(now.now_ns() + AGAIN_NS)
    window(5 * NS_PER_S * 10)
    assert len(warned) == 2


class Busy(SystemClock):
    """A computer's clock that can be made to be late."""

    late_ns = 0

    def now_ns(self) -> int:
        return super().now_ns() + self.late_ns


def test_a_stop_comes_before_the_tables_of_a_long_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configs = [configured(money_toml().replace("wheel-1", f"wheel-{number}")) for number in range(1, 13)]
    plan = ServicePlan(configs, state_paths_for(tmp_path / "state", configs), Endpoints.parse(f"ipc://{tmp_path}/run"))
    clock, ticked, asked = Busy(), list[str](), list[int]()
    made = Service(plan, clock, Systemd({}), ServiceCounters(), lambda event, body: None)
    tick = LiveTable.tick

    def costly(table: LiveTable) -> TickResult:
        result = tick(table)
        ticked.append(table.id)
        clock.late_ns += SLICE_NS  # every table takes too long
        if not asked:
            asked.append(len(ticked))
            asyncio.get_running_loop().call_soon(made.stop)  # as a signal comes: on the loop
        return result

    monkeypatch.setattr(LiveTable, "tick", costly)
    asyncio.run(made.run())
    assert len(ticked) - asked[0] <= 1
