"""The service's answers to a supervisor: live fails only when the process itself cannot go on, never for a table.

livez fails   the loop of the tables has not run for 2.5 s; the journal's writer has failed, or has not finished a
              commit for 2.5 s; a socket of the feed, the history or the commands does not work any more
readyz fails  while the service starts or stops, when it is not live, and while a fault shuts a table
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from controller.service.counters import HALTED
from feed.state import OPEN, SHUT
from hal.clock import NS_PER_S, Clock
from hal.probes import LIFE_NS, ProbeState, Pulse


class Vitals(NamedTuple):
    """What the process needs to go on, as it is now."""

    failure: str | None = None
    """Why the journal's writer has failed."""
    waiting_since_ns: int | None = None
    """When the oldest event was submitted that is not durable."""
    socket_problem: str | None = None
    """Why a socket does not work any more."""
    serving: bool = True
    """Whether the sockets are open, and the service is not stopping."""


class ServiceProbes:
    """The probes of the service."""

    def __init__(self, clock: Clock, pulse: Pulse, vitals: Callable[[], Vitals], states: Mapping[str, str]) -> None:
        """`states` is the state of each table, by its id."""
        self._clock = clock
        self._pulse = pulse
        self._vitals = vitals
        self._states = states

    def live(self) -> ProbeState:
        """Whether the process itself can go on."""
        vitals = self._vitals()
        return ProbeState(problems=self._problems(vitals))

    def ready(self, table: str | None) -> ProbeState:
        """Whether events are published now, and no fault shuts a table; or whether this `table` plays.

        A table that a person closed is nothing that is wrong with the service, but it does not play.
        """
        vitals = self._vitals()
        states = dict(self._states)
        details = {"tables": states if table is None else {table: states.get(table)}}
        if table is not None and table not in states:
            return ProbeState((f'no table "{table}"; there are: {", ".join(states) or "none"}',), unknown=True)
        problems = [*self._problems(vitals)]
        if not vitals.serving:
            problems.append("the service starts or stops: its sockets are not open")
        if table is None:
            problems += [f"table {one} is {state}" for one, state in states.items() if state in (SHUT, HALTED)]
        elif states[table] != OPEN:
            problems.append(f"table {table} is {states[table]}")
        return ProbeState(problems, details=details)

    def _problems(self, vitals: Vitals) -> list[str]:
        problems = [one for one in (self._pulse.problem, vitals.failure, vitals.socket_problem) if one]
        if vitals.waiting_since_ns is not None:
            waiting_ns = self._clock.now_ns() - vitals.waiting_since_ns
            if waiting_ns > LIFE_NS:
                problems.append(f"the journal has not finished a commit for {waiting_ns / NS_PER_S:.1f} s")
        return problems
