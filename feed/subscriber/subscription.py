"""Follows all tables of one service, or some: frames in, items and frames out. No I/O, no clock.

    topics            the prefixes to subscribe to
    on_feed           handles [topic][body] of the SUB socket
    on_history        handles an answer of the DEALER socket
    on_time           handles the passing of time, after all messages received until then
    requests          frames to send on the DEALER socket
    take              items for the reader

Tables are found by their messages, and by the history's list. A real table and a simulated one of the same name are
two: the simulated one is called `sim/<table>` here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from .. import wire
from ..events import Heartbeat
from ..state import Snapshot
from .follower import PendingRequest
from .items import SIMULATED, Fact, Item, NotShown, Refused, Trouble, Waiting
from .sequencer import MAX_KEPT
from .tables import AT_ONCE, FollowedTables, Since, TableOf, content_of, event_of

VERSION: Final = "v1/"

WAITING_NS: Final = 1_000_000_000
"""Without a message for this long after the start, `Waiting` is notified (ours)."""
REOPEN_NS: Final = 5_000_000_000
"""Without a message for this long, the sockets are opened again (ours). A frozen publisher keeps its connections; only
a new one reaches its successor."""


class Subscription:
    """Follows the tables of one service."""

    def __init__(
        self,
        endpoint: str,
        *,
        tables: Collection[str] | None = None,
        since: Since = None,
        simulated: bool | None = False,
        heartbeats: bool = False,
        kept: int = MAX_KEPT,
        now_ns: int = 0,
    ) -> None:
        """See `feed.subscriber.Subscriber` for `tables`, `since`, `simulated` and `heartbeats`; `endpoint` is for
        notices only."""
        self._endpoint = endpoint
        self._heartbeats = heartbeats
        self._numbers = 0
        self._items: list[Item] = []
        self._tables = FollowedTables(
            self._items, self._next_id, tables=tables, since=since, simulated=simulated, kept=kept
        )
        self._table_list = PendingRequest()
        self._table_list_known = False
        self._listed: set[str] = set()
        """The tables of the list."""
        self._missed: set[str] = set()
        """The tables that are wanted, and that the list did not have: each is notified once."""
        self._lookups: dict[str, PendingRequest] = {}
        """Tables of the list whose snapshot, which states whether they are simulated, is not known yet."""
        self._received_ns = self._opened_ns = now_ns
        self._received = self._waiting_notified = False
        self.refused = ""
        """Why the service does not let this reader in; empty where it does, or that is not known."""
        self.malformed = 0
        """Messages that are not events; they are ignored."""

    @property
    def topics(self) -> list[bytes]:
        """The prefixes to subscribe to. Each ends in a slash, so that `table-1` does not match `table-10`."""
        roots = [(SIMULATED if kind else "") + VERSION for kind in self._tables.kinds]
        if self._tables.wanted is None:
            return [root.encode() for root in roots]
        return [f"{root}{table}/".encode() for root in roots for table in sorted(self._tables.wanted)]

    @property
    def stale(self) -> frozenset[str]:
        """The tables whose heartbeat is missing."""
        return self._tables.stale

    def silent_ns(self, now_ns: int) -> dict[str, int | None]:
        """For each table how old what was delivered of it may be; None where that is not known."""
        return self._tables.silent_ns(now_ns)

    def take(self) -> list[Item]:
        """The items since the last call, in order."""
        items = self._items[:]
        self._items.clear()
        return items

    def join_again(self, name: str) -> None:
        """A table begins with its snapshot, as if nothing of it had been delivered; the others go on.

        Raises:
            KeyError: no such table is followed.
        """
        self._tables.join_again(name)

    # --- received ------------------------------------------------------------------------------------------------

    def on_feed(self, frames: Sequence[bytes], now_ns: int) -> None:
        """Handles a message of the feed."""
        self._received_ns = now_ns
        if not self._received:
            # A service runs there: the list is requested at once.
            self._received = True
            self._table_list.reset()
        event = event_of(frames[1]) if len(frames) == 2 else None
        if event is None or frames[0] != event.topic.encode():
            self.malformed += 1
            return
        data = event.data
        if not self._tables.wants(data.table, simulated=data.simulated):
            return
        place = TableOf(data.table, data.simulated)
        if not isinstance(data, Heartbeat):
            self._tables.fact(place, Fact(event, frames[1]), now_ns)
            return
        self._tables.heartbeat(place, data, now_ns)
        if self._heartbeats:
            self._items.append(Fact(event, frames[1]))

    def on_history(self, frames: Sequence[bytes], now_ns: int) -> None:
        """Handles a message of the history server."""
        try:
            answer = wire.decode_answer(frames)
        except wire.WireError:
            self.malformed += 1
            return
        if self._tables.answer(answer, now_ns):
            return
        if self._table_list.is_answer(answer.request_id, now_ns):
            self._on_table_list(answer, now_ns)
        else:
            self._on_lookup(answer, now_ns)

    def on_time(self, now_ns: int) -> None:
        """Handles the passing of time, after every message received until now."""
        if not self._received and not self._waiting_notified and now_ns - self._opened_ns >= WAITING_NS:
            self._waiting_notified = True
            self._items.append(Waiting(table="", endpoint=self._endpoint))
        self._tables.tick(now_ns)
        for pending in (self._table_list, *self._lookups.values()):
            if pending.overdue(now_ns):
                pending.failed(now_ns)

    def on_refused(self, why: str) -> None:
        """Handles what is known of the handshake: why the service does not let this reader in, or an empty text.
        Each reason is notified once, until the reader was let in."""
        if why and why != self.refused:
            # What is waited for is known, and more than that nothing was received.
            self._waiting_notified = True
            self._items.append(Refused(table="", endpoint=self._endpoint, why=why))
        self.refused = why

    # --- sent ----------------------------------------------------------------------------------------------------

    def requests(self, now_ns: int) -> list[list[bytes]]:
        """The frames of the requests to send now."""
        return [wire.encode_request(request) for request in self._requests(now_ns)]

    def not_sent(self, request_id: bytes, now_ns: int) -> None:
        """A request could not be sent; it is repeated later."""
        for pending in self._all_pending():
            if pending.request_id == request_id:
                pending.failed(now_ns)

    def should_reopen(self, now_ns: int) -> bool:
        """Whether the sockets are to be opened again, because nothing was received for `REOPEN_NS`."""
        return now_ns - max(self._received_ns, self._opened_ns) >= REOPEN_NS

    def reopened(self, now_ns: int) -> None:
        """The sockets were opened again."""
        self._opened_ns = now_ns
        for pending in self._all_pending():
            pending.reset()

    def _requests(self, now_ns: int) -> Iterator[wire.HistoryRequest]:
        free = AT_ONCE - sum(pending.request_id is not None for pending in self._all_pending())
        if free > 0 and not self._table_list_known and self._table_list.may_send(now_ns):
            free -= 1
            request_id = self._next_id()
            self._table_list.sent(request_id, now_ns)
            yield wire.AskTables(request_id)
        for table, pending in self._lookups.items():
            if free > 0 and pending.may_send(now_ns):
                free -= 1
                request_id = self._next_id()
                pending.sent(request_id, now_ns)
                yield wire.AskSnapshot(request_id, table)
        for _, request in self._tables.requests(free, now_ns):
            yield request

    def _all_pending(self) -> Iterator[PendingRequest]:
        yield self._table_list
        yield from self._lookups.values()
        yield from self._tables.pending()

    def _next_id(self) -> bytes:
        self._numbers += 1
        return b"%d" % self._numbers

    # --- the tables ----------------------------------------------------------------------------------------------

    def _on_table_list(self, answer: wire.HistoryAnswer, now_ns: int) -> None:
        if not isinstance(answer, wire.TablesAnswer):
            self._table_list.failed(now_ns)
            if self._table_list.failures == 1:
                self._items.append(Trouble(table="", detail="the history does not list its tables"))
            return
        # A service runs there, though no table may have events yet.
        self._waiting_notified = True
        wanted = self._tables.wanted
        found = [table for table in answer.tables if wanted is None or table in wanted]
        for table in found:
            if table not in self._listed:
                self._lookups[table] = PendingRequest()
        self._listed.update(found)
        missing = sorted((wanted or frozenset()).difference(answer.tables))
        if not found or missing:
            # A table of the kind that is not followed is found by the list alone: it is requested again, until it has
            # one, so that the reader hears that it is not shown.
            self._table_list.failed(now_ns)
        else:
            self._table_list.completed()
            self._table_list_known = True
        for table in missing:
            if table in self._missed:
                continue
            self._missed.add(table)
            there = ", ".join(answer.tables) or "none"
            self._items.append(Trouble(table=table, detail=f"no such table has events here yet; there are: {there}"))

    def _on_lookup(self, answer: wire.HistoryAnswer, now_ns: int) -> None:
        table = next((name for name, one in self._lookups.items() if one.is_answer(answer.request_id, now_ns)), None)
        if table is None:
            return
        snapshot = content_of(answer)
        if not isinstance(snapshot, Snapshot):
            self._lookups[table].failed(now_ns)
            return
        del self._lookups[table]
        if snapshot.simulated in self._tables.kinds:
            self._tables.exists(TableOf(table, snapshot.simulated), now_ns)
        else:
            self._items.append(NotShown(table=table, simulated=snapshot.simulated))
