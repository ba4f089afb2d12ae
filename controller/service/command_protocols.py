"""Who stands on either side of the desk: senders with their requests, tables with their answers, and the service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from controller.journal.errors import JournalError
from controller.service.command_record import identity_of
from controller.service.requests import CommandAnswer, Request
from feed.allow_list import Sender

Reply = Callable[[CommandAnswer], None]
"""Is called once, with what became of a request."""

OnRecordFound = Callable[[bytes | JournalError | None], None]
"""Is called with the journal's record of a command, with None where there is none, or with why that cannot be told."""
FindRecord = Callable[[str, OnRecordFound], None]
"""Looks in the journal for a command by its identity. It does not block: it answers later, or at once."""


class SentRequest(NamedTuple):
    """A request and who sent it."""

    request: Request
    sender: Sender
    scope: str
    """Whose ids its id is one of: the key's name, or the computer's own."""

    @property
    def identity(self) -> str:
        """Under which the journal finds it again."""
        return identity_of(self.scope, self.request)


class CommandResult(Protocol):
    """What a table answers to an order."""

    @property
    def id(self) -> str:
        """The identity that the order carried."""

    @property
    def accepted(self) -> bool:
        """Whether it was carried out."""

    @property
    def reason(self) -> str:
        """Why not."""

    @property
    def event_ids(self) -> tuple[str, ...]:
        """The events that it caused."""


class CommandedTable(Protocol):
    """A table, as far as commands go."""

    def command(self, verb: str, given: Mapping[str, str], command_id: str) -> str | None:
        """Hands a command to the table; returns why not, if it takes none now."""

    def may(self, sender: Sender, verb: str) -> str | None:
        """Why this sender may not send this; None if they may."""


class ServiceControl(Protocol):
    """The service, as far as commands go."""

    def status(self) -> dict[str, Any]:
        """How the service is."""

    def quit(self, by: str) -> None:
        """Ends the service in order."""
