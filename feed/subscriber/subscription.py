"""Follows all tables of one service, or some: frames in, items and frames out. No I/O, no clock.

    topics            what to subscribe to
    on_feed           [topic][body] that came on the SUB socket
    on_history        an answer that came on the DEALER socket
    on_time           time has passed, and all that came until then was given
    requests          frames to send on the DEALER socket
    take              items for the reader

Tables are found by what they say, and by asking the history for its list. A table and a simulated one of the same name
are two: the simulated one is called `sim/<table>` here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from feed import wire
from feed.events import Event, EventError, Heartbeat, decode
from feed.state import Snapshot
from feed.subscriber.follower import Follower, PendingRequest
from feed.subscriber.items import SIMULATED, Fact, Item, Notice, NotShown, Position, Trouble, Waiting
from feed.subscriber.stream import KEPT

VERSION: Final = "v1/"

WAITING_NS: Final = 1_000_000_000
"""Nothing heard for so long after the start: that is told (ours)."""
REOPEN_NS: Final = 5_000_000_000
"""Nothing heard for so long: the sockets are opened anew (ours). A publisher that froze keeps its connections; only a
new one can reach its successor."""

AT_ONCE: Final = 4
"""Requests that are out at one time: as many as the history server lets one asker have waiting."""

Since = Mapping[str, Position | tuple[str, int] | tuple[str, int, str]] | int | None


class Subscription:
    """What is followed of one service."""

    def __init__(
        self,
        endpoint: str,
        *,
        tables: Collection[str] | None = None,
        since: Since = None,
        simulated: bool | None = False,
        kept: int = KEPT,
        now_ns: int = 0,
    ) -> None:
        """See `feed.subscriber.Subscriber` for `tables`, `since` and `simulated`; `endpoint` is for notices only."""
        self._endpoint = endpoint
        self._tables = None if tables is None else frozenset(tables)
        self._since = since
        self._kinds = (False, True) if simulated is None else (simulated,)
        self._kept = kept
        self._followers: dict[str, Follower] = {}
        self._numbers = 0
        self._directory = PendingRequest()
        self._directory_known = False
        self._looked_up: dict[str, PendingRequest] = {}
        """Tables of the list of which it is not known yet whether they are simulated."""
        self._items: list[Item] = []
        self._heard_ns = self._opened_ns = now_ns
        self._heard = self._waiting_notified = False
        self.malformed = 0
        """Messages that were no events; they are passed over."""

    @property
    def topics(self) -> list[bytes]:
        """The prefixes to subscribe to. Each ends in a slash, so that `roulette-1` does not bring `roulette-10`."""
        roots = [(SIMULATED if kind else "") + VERSION for kind in self._kinds]
        if self._tables is None:
            return [root.encode() for root in roots]
        return [f"{root}{table}/".encode() for root in roots for table in sorted(self._tables)]

    @property
    def stale(self) -> frozenset[str]:
        """The tables whose heartbeat is missing."""
        return frozenset(name for name, follower in self._followers.items() if follower.liveness.stale)

    def take(self) -> list[Item]:
        """The items since the last call, in order."""
        items, self._items = self._items, []
        return items

    # --- from the sockets ----------------------------------------------------------------------------------------

    def on_feed(self, frames: Sequence[bytes], now_ns: int) -> None:
        """A message of the feed."""
        self._heard_ns = now_ns
        if not self._heard:
            # Somebody is there: what was asked in vain is asked at once.
            self._heard = True
            self._directory.forget()
        event = _event(frames[1]) if len(frames) == 2 else None
        if event is None or frames[0] != event.topic.encode():
            self.malformed += 1
            return
        data = event.data
        if data.simulated not in self._kinds or not self._wants(data.table):
            return
        follower = self._follower(data.table, data.simulated, now_ns)
        if isinstance(data, Heartbeat):
            follower.heartbeat(data, now_ns)
        else:
            follower.fact(Fact(event, frames[1]), now_ns)
        self._collect(follower)

    def on_history(self, frames: Sequence[bytes], now_ns: int) -> None:
        """A message of the history server."""
        try:
            answer = wire.decode_answer(frames)
        except wire.WireError:
            self.malformed += 1
            return
        for follower in self._followers.values():
            if follower.asking.request_id == answer.request_id:
                follower.answer(answer, _content(answer), now_ns)
                self._collect(follower)
                return
        if self._directory.is_answer(answer.request_id, now_ns):
            self._on_directory(answer, now_ns)
        else:
            self._on_look_up(answer, now_ns)

    def on_time(self, now_ns: int) -> None:
        """Time has passed, and all that came until now was given."""
        if not self._heard and not self._waiting_notified and now_ns - self._opened_ns >= WAITING_NS:
            self._waiting_notified = True
            self._items.append(Waiting(table="", endpoint=self._endpoint))
        for follower in self._followers.values():
            follower.tick(now_ns)
            self._collect(follower)
        for asking in (self._directory, *self._looked_up.values()):
            if asking.overdue(now_ns):
                asking.failed(now_ns)

    # --- to the sockets ------------------------------------------------------------------------------------------

    def requests(self, now_ns: int) -> list[list[bytes]]:
        """Requests that are to be sent now."""
        return [wire.encode_request(request) for request in self._requests(now_ns)]

    def not_sent(self, request_id: bytes, now_ns: int) -> None:
        """A request could not be sent; it is asked again a little later."""
        for asking in self._all_asking():
            if asking.request_id == request_id:
                asking.failed(now_ns)

    def should_reopen(self, now_ns: int) -> bool:
        """Whether the sockets are to be opened anew, because nothing at all has come for long."""
        return now_ns - max(self._heard_ns, self._opened_ns) >= REOPEN_NS

    def reopened(self, now_ns: int) -> None:
        """The sockets were opened anew."""
        self._opened_ns = now_ns
        for asking in self._all_asking():
            asking.forget()

    def _requests(self, now_ns: int) -> Iterator[wire.HistoryRequest]:
        free = AT_ONCE - sum(asking.request_id is not None for asking in self._all_asking())
        if free > 0 and not self._directory_known and self._directory.may_ask(now_ns):
            free -= 1
            request_id = self._next_id()
            self._directory.asked(request_id, now_ns)
            yield wire.AskTables(request_id)
        for table, asking in self._looked_up.items():
            if free > 0 and asking.may_ask(now_ns):
                free -= 1
                request_id = self._next_id()
                asking.asked(request_id, now_ns)
                yield wire.AskSnapshot(request_id, table)
        for follower in self._followers.values():
            if free <= 0:
                return
            request = follower.ask(self._next_id(), now_ns)
            if request is not None:
                free -= 1
                yield request

    def _all_asking(self) -> Iterator[PendingRequest]:
        yield self._directory
        yield from self._looked_up.values()
        for follower in self._followers.values():
            yield follower.asking

    def _next_id(self) -> bytes:
        self._numbers += 1
        return b"%d" % self._numbers

    # --- which tables there are ----------------------------------------------------------------------------------

    def _wants(self, table: str) -> bool:
        return self._tables is None or table in self._tables

    def _follower(self, table: str, simulated: bool, now_ns: int) -> Follower:
        name = (SIMULATED if simulated else "") + table
        follower = self._followers.get(name)
        if follower is None:
            start = self._start_of(name)
            follower = Follower(table, simulated=simulated, start=start, now_ns=now_ns, kept=self._kept)
            self._followers[name] = follower
        return follower

    def _start_of(self, name: str) -> Position | None:
        if self._since is None or isinstance(self._since, int):
            return None if self._since is None else Position("", self._since)
        place = self._since.get(name)
        return None if place is None else Position(*place)

    def _on_directory(self, answer: wire.HistoryAnswer, now_ns: int) -> None:
        if not isinstance(answer, wire.TablesAnswer):
            self._directory.failed(now_ns)
            if self._directory.failures == 1:
                self._items.append(Trouble(table="", detail="the history does not say which tables it has"))
            return
        self._directory.answered()
        self._directory_known = True
        # Somebody is there, though no table may have said anything yet.
        self._waiting_notified = True
        self._looked_up = {table: PendingRequest() for table in answer.tables if self._wants(table)}
        for table in sorted((self._tables or frozenset()).difference(answer.tables)):
            there = ", ".join(answer.tables) or "none"
            self._items.append(
                Trouble(table=table, detail=f"no such table has said anything here yet; there are: {there}")
            )

    def _on_look_up(self, answer: wire.HistoryAnswer, now_ns: int) -> None:
        table = next((name for name, one in self._looked_up.items() if one.is_answer(answer.request_id, now_ns)), None)
        if table is None:
            return
        snapshot = _content(answer)
        if not isinstance(snapshot, Snapshot):
            self._looked_up[table].failed(now_ns)
            return
        del self._looked_up[table]
        if snapshot.simulated in self._kinds:
            follower = self._follower(table, snapshot.simulated, now_ns)
            follower.exists()
            self._collect(follower)
        else:
            self._items.append(NotShown(table=table, simulated=snapshot.simulated))

    def _collect(self, follower: Follower) -> None:
        if not follower.simulated:
            self._items += follower.items
        else:
            self._items += [_marked(item) for item in follower.items]
        follower.items.clear()


def _marked(item: Item) -> Item:
    """A notice of a simulated table says so."""
    return msgspec.structs.replace(item, table=SIMULATED + item.table) if isinstance(item, Notice) else item


def _event(body: bytes) -> Event | None:
    try:
        return decode(body)
    except EventError:
        return None


def _content(answer: wire.HistoryAnswer) -> Fact | Snapshot | None:
    """What the body of an answer says; None where it has none, or it cannot be read."""
    if isinstance(answer, wire.EventAnswer):
        event = _event(answer.body)
        return None if event is None or event.topic.encode() != answer.topic else Fact(event, answer.body)
    if isinstance(answer, wire.JsonAnswer) and answer.kind == "snapshot":
        try:
            return msgspec.json.decode(answer.body, type=Snapshot)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
    return None
