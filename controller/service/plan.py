"""What a service is asked to run, and the tables made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.configuration.values import TableConfig
from controller.journal.recovery import Recovered
from controller.live import LiveTable
from controller.service.places import Places
from controller.wiring import Wiring, wire
from feed.allow_list import Role
from feed.endpoints import Endpoints
from hal.clock import Clock
from hal.lines import LineError


class Plan(NamedTuple):
    """What a service is asked to run."""

    configs: Sequence[TableConfig]
    places: Places
    endpoints: Endpoints
    keys: Path | None = None
    local_role: Role = "supervisor"
    faults: Sequence[Mapping[int | None, str]] = ()
    """Faults of simulated devices, for each table."""
    seed: int = 1
    schema: bytes = b"{}"
    """JSON Schema of the events, for whoever asks the history server."""


def tables_of(
    plan: Plan, recovered: Mapping[str, Recovered], clock: Clock, epoch: str, wake: Callable[[], None]
) -> Iterator[LiveTable]:
    """The tables, each as the journal left it. Their wires are not opened yet."""
    for number, config in enumerate(plan.configs):
        found = recovered.get(config.id)
        state = None if found is None or not found.head.seq else found.state
        faults = plan.faults[number] if plan.faults else {}
        wiring, failure = _wired(config, clock, faults, plan.seed + number)
        yield LiveTable(config, wiring, clock, epoch=epoch, state=state, failure=failure, wake=wake)


def _wired(
    config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int
) -> tuple[Wiring, LineError | None]:
    """A table's wires; or none, and why this computer cannot have them at all."""
    try:
        return wire(config, clock, faults, seed), None
    except LineError as error:
        return Wiring(), error
