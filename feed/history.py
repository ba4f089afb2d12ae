"""What the history server asks of whoever keeps the events: the journal, or a list in a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

UNKNOWN_TABLE = "unknown_table"
"""No table of this name was ever journalled here."""
REWRITTEN = "rewritten"
"""The event after which more was asked is not in the history: it is beyond its end, or has another epoch."""
UNAVAILABLE = "unavailable"
"""The history cannot be read now."""


class HistoryError(Exception):
    """The history cannot be read; says why. Implementations raise it and nothing else: an asker gets `unavailable`."""


class Page(NamedTuple):
    """Durable events of one table, in order and without a gap."""

    events: Sequence[tuple[bytes, bytes]]
    """Topic and body of each, exactly as they were published."""
    epoch: str
    """Of the last event that is held."""
    last: int
    """`seq` of the last event that is held; 0 when there is none."""
    head: str
    """Hash of the last event that is held, the head of the chain, in hexadecimal."""
    problem: str | None = None
    """Why there are no events: one of the codes of this module."""
    detail: str = ""
    """The problem in words."""
    after: int | None = None
    """The events begin after this `seq`. It differs from what was asked where older history has been archived away;
    None where it is what was asked."""


class History(Protocol):
    """Reads what was journalled. Its calls block; the server makes all of them from one other thread.

    Raises:
        HistoryError: it cannot be read now.
    """

    def tables(self) -> list[str]:
        """The tables that have events."""

    def snapshot(self, table: str) -> bytes | None:
        """Where a table stands after its last durable event, as JSON; None for a table that is not known."""

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        """At most `limit` events with a `seq` above `after`, the lowest first.

        `epoch` is that of the event at `after`, or empty where the asker does not know it; with a wrong one the page
        has the problem `rewritten`. `after` is 0 for all there are.
        """
