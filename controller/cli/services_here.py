"""The services of this computer, and which tables each runs: commands beside a service ask it, and steal nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any, NamedTuple

from controller.cli.local_services import running_bases

TIMEOUT_S = 3.0
"""How long a service may take to answer (ours)."""


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


def service_of(table: str, found: Sequence[ServiceHere]) -> ServiceHere | None:
    """The service that runs a table; None where none does."""
    return next((service for service in found if table in service.tables), None)


def _status(base: str) -> dict[str, Any] | None:
    from controller.cli.send import ask_service
    from controller.service.requests import Request, encode_request
    from feed.endpoints import EndpointError, Endpoints

    try:
        endpoints = Endpoints.parse(base)
    except EndpointError:
        return None
    request = Request(id=token_hex(8), command="status")
    answer = ask_service(endpoints, None, request, encode_request(request), TIMEOUT_S)
    return None if answer is None or not answer.accepted else answer.status


def refusal(table: str, service: ServiceHere, wanted: str) -> str:
    """Why a command leaves the lines of a running table alone, and what to do."""
    return (
        f"the service at {service.base} runs table {table} and holds its lines; {wanted}: close the table "
        f"(feltwire send close reason=… --table {table}), stop the service (sudo systemctl stop feltwire, or feltwire "
        "send quit), and try again"
    )
