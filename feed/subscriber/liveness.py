"""Stale, halted, or only quiet: a table that has nothing to say still sends its heartbeat."""

from __future__ import annotations

from typing import Final

from feed.subscriber.items import Fresh, Halted, Item, Stale

HALTED: Final = "halted"
"""The `state` of the heartbeats of a service whose journal failed."""

STALE_NS: Final = 3_000_000_000
"""Without a heartbeat for so long, what is known may be old (ours; a heartbeat comes each second)."""


class Liveness:
    """Whether a table's publisher can be heard."""

    def __init__(self, table: str, items: list[Item], now_ns: int) -> None:
        self.stale = False
        self._table = table
        self._items = items
        self._heard_ns = now_ns
        self._ever = False
        self._halted = False

    def heard(self, now_ns: int) -> None:
        """Something came from the publisher."""
        silent_ns, self._heard_ns = now_ns - self._heard_ns, now_ns
        self._ever = True
        if self.stale:
            self.stale = False
            self._items.append(Fresh(table=self._table, silent_ns=silent_ns))

    def told(self, state: str) -> None:
        """A heartbeat says how the table stands; that it is halted is said once."""
        halted, self._halted = self._halted, state == HALTED
        if self._halted and not halted:
            self._items.append(Halted(table=self._table))

    def forget(self) -> None:
        """What was said of the table is to be forgotten: what still holds is said again."""
        self._halted = False

    def tick(self, now_ns: int) -> None:
        """Time has passed."""
        silent_ns = now_ns - self._heard_ns
        if not self.stale and silent_ns >= STALE_NS:
            self.stale = True
            self._items.append(Stale(table=self._table, silent_ns=silent_ns, heard=self._ever))
