"""The services of this computer, and which tables each runs: commands beside a service ask it, and steal nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from typing import Any, NamedTuple

from command_line.local_services import running_bases
from controller.configuration.values import TableConfig
from hal.plain_text import plain

TIMEOUT_S = 3.0
"""How long a service may take to answer (ours)."""
INSTALLED = "ipc:///run/feltwire"
"""The address of the service that the package installs (`RuntimeDirectory=` of its unit)."""


class ServiceHere(NamedTuple):
    """A service that runs on this computer."""

    base: str
    status: dict[str, Any] | None
    """What it answers to `status`; None where it did not answer, or its folder may not be entered."""

    @property
    def tables(self) -> dict[str, Any]:
        """The tables that it runs, as it reports them."""
        return {} if self.status is None else dict(self.status.get("tables", {}))


def services(bases: Callable[[], Sequence[str]] = running_bases) -> list[ServiceHere]:
    """The services that listen on this computer, each asked for its status."""
    return [ServiceHere(base, _status(base)) for base in bases()]


def service_of(config: TableConfig, found: Sequence[ServiceHere]) -> ServiceHere | None:
    """The service that runs a table; None where none does.

    A simulated table and one on real wires may have the same id, and are two tables: the one holds no line of the
    other.
    """
    wanted = {"live": config.live, "simulated": config.simulated}

    def runs(stands: Mapping[str, Any]) -> bool:
        # A service of an older version does not report what its tables are: its table may be this one.
        return all(stands.get(what, value) == value for what, value in wanted.items())

    return next((one for one in found if config.id in one.tables and runs(one.tables[config.id])), None)


def how_to_stop(service: ServiceHere) -> str:
    """The command that stops this service, and no other one."""
    own = f"feltwire send {plain(service.base)} quit"
    return f"sudo systemctl stop feltwire, or {own}" if service.base == INSTALLED else own


def _status(base: str) -> dict[str, Any] | None:
    from controller.cli.send import ask_service
    from controller.service.requests import Request
    from feed.endpoints import EndpointError, Endpoints

    try:
        endpoints = Endpoints.parse(base)
    except EndpointError:
        return None
    answer = ask_service(endpoints, None, Request(id=token_hex(8), command="status"), TIMEOUT_S)
    return None if answer is None or not answer.accepted else answer.status


def refusal(table: str, service: ServiceHere, wanted: str) -> str:
    """Why a command leaves the lines of a running table alone, and what to do."""
    return (
        f"the service at {service.base} runs table {table} and holds its lines; {wanted}: close the table "
        f"(feltwire send {plain(service.base)} close reason=… --table {table}), stop the service "
        f"({how_to_stop(service)}), and try again"
    )
