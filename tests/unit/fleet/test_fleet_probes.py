"""The probes of a relay: live while its loop runs, ready while it relays what it was given."""

from __future__ import annotations

import pytest

from feed.subscriber import Position
from fleet.connection import NatsAddress
from fleet.metrics import RelayProbes
from fleet.relay import Relay, RelayedService, RelayPlan, RewrittenBy, _Lane
from hal.clock import NS_PER_S, VirtualClock
from hal.probes import Pulse

SERVICE = "ipc:///run/feltwire"


class World:
    """A relay of one service with one table, and its probes."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        plan = RelayPlan(NatsAddress("127.0.0.1", 4222, tls=False), "hall", (RelayedService(SERVICE),), "relay")
        self.relay = Relay(plan, self.clock)
        self.pulse = Pulse(self.clock, "the loop of the relay")
        self.probes = RelayProbes(self.relay, self.pulse)
        progress = self.relay.progress
        progress.connected = True
        progress.received.add(SERVICE)
        self.lane = progress.lanes["wheel-1"] = _Lane(SERVICE, Position("e", 7))
        self.lane.caught_up = True

    def ready(self, table: str | None = None) -> list[str]:
        return list(self.probes.ready(table).problems)


def test_a_relay_that_relays_is_live_and_ready() -> None:
    world = World()
    assert world.probes.live().passed
    assert world.ready() == world.ready("wheel-1") == []


def test_nats_a_service_and_a_table_that_are_away_are_named_and_end_no_life() -> None:
    world = World()
    world.relay.progress.connected = False
    world.relay.progress.received.clear()
    world.relay.progress.rewritten["wheel-1"] = RewrittenBy(SERVICE, "event 3 is another one")
    assert world.ready() == [
        "NATS is not connected",
        f"nothing is received from {SERVICE}",
        "table wheel-1 is rewritten",
    ]
    assert world.probes.live().passed


@pytest.mark.parametrize("table", ["whel-1", ""])
def test_a_table_that_is_not_there_is_unknown(table: str) -> None:
    state = World().probes.ready(table)
    assert state.unknown
    assert list(state.problems) == [f'no table "{table}"; there are: wheel-1']


def test_a_loop_that_does_not_run_ends_the_life() -> None:
    world = World()
    world.pulse.beat()
    world.clock.advance_to(3 * NS_PER_S)
    assert list(world.probes.live().problems) == ["the loop of the relay has not run for 3.0 s"]
