"""What a supervisor of processes learns: live fails for the process alone, ready for its tables."""

from __future__ import annotations

import pytest

from controller.service.probes import ServiceProbes, Vitals
from hal.clock import NS_PER_S, VirtualClock
from hal.probes import LIFE_NS, Pulse


class World:
    """A service as its probes see it."""

    def __init__(self, **states: str) -> None:
        self.clock = VirtualClock()
        self.pulse = Pulse(self.clock, "the loop of the tables")
        self.vitals = Vitals()
        self.states = states
        self.probes = ServiceProbes(self.clock, self.pulse, lambda: self.vitals, self.states)

    def live(self) -> list[str]:
        return list(self.probes.live().problems)

    def ready(self, table: str | None = None) -> list[str]:
        return list(self.probes.ready(table).problems)


def test_a_service_that_only_begins_is_live_and_not_ready() -> None:
    world = World(wheel="closed")
    world.vitals = Vitals(serving=False)
    world.clock.advance_to(600 * NS_PER_S)
    assert world.live() == []
    assert world.ready() == ["the service starts or stops: its sockets are not open"]


@pytest.mark.parametrize("state", ["shut", "closed", "open"])
def test_no_state_of_a_table_ends_the_life_of_the_others(state: str) -> None:
    world = World(wheel=state, roulette="open")
    assert world.live() == []


def test_ready_names_the_table_that_a_fault_shuts_and_not_one_that_a_person_closed() -> None:
    world = World(wheel="shut", roulette="closed", dice="open")
    assert world.ready() == ["table wheel is shut"]
    assert world.ready("roulette") == ["table roulette is closed"]
    assert world.ready("dice") == []


def test_a_table_that_is_not_there_is_unknown_and_the_others_are_named() -> None:
    state = World(wheel="open").probes.ready("whel")
    assert state.unknown
    assert list(state.problems) == ['no table "whel"; there are: wheel']


def test_a_loop_that_does_not_run_ends_the_life_within_three_seconds() -> None:
    world = World(wheel="open")
    world.pulse.beat()
    world.clock.advance_to(LIFE_NS)
    assert world.live() == []
    world.clock.advance_to(3 * NS_PER_S)
    assert world.live() == ["the loop of the tables has not run for 3.0 s"]
    world.pulse.beat()
    assert world.live() == []


def test_the_silence_of_a_loop_that_ended_in_order_is_no_hang() -> None:
    world = World(wheel="open")
    world.pulse.beat()
    world.pulse.end()
    world.clock.advance_to(60 * NS_PER_S)
    assert world.live() == []


def test_a_commit_that_hangs_ends_the_life_within_three_seconds() -> None:
    world = World(wheel="open")
    world.vitals = Vitals(waiting_since_ns=0)
    world.clock.advance_to(LIFE_NS)
    assert world.live() == []
    world.clock.advance_to(3 * NS_PER_S)
    assert world.live() == ["the journal has not finished a commit for 3.0 s"]


def test_a_journal_that_failed_and_a_socket_that_does_not_work_end_the_life() -> None:
    world = World(wheel="halted")
    world.vitals = Vitals(failure="the journal cannot be written: disk full", socket_problem="feed: gone")
    assert world.live() == ["the journal cannot be written: disk full", "feed: gone"]
    assert "table wheel is halted" in world.ready()
