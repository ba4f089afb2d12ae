"""The tables that a subscriber follows, each with its `Follower`, whatever brings their messages: what the subscribers
of all transports have in common. No I/O, no clock.

    fact, heartbeat   handle what the transport receives of a table
    answer            handles a frame of the answer to a request
    tick              handles the passing of time
    requests          what to ask the history of each table now
    items             for the reader; a notice of a simulated table, or of a venue, is marked
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from .. import wire
from ..events import Event, EventError, Heartbeat, decode
from ..state import Snapshot, decode_snapshot
from .follower import Follower, PendingRequest
from .items import Fact, Item, Notice, Position, named
from .sequencer import MAX_KEPT

AT_ONCE: Final = 4
"""Requests pending at one time (ours)."""

Since = Mapping[str, Position | tuple[str, int] | tuple[str, int, str]] | int | None


class TableOf(NamedTuple):
    """One table: its id, its kind, and its venue where a subscriber follows several."""

    table: str
    simulated: bool
    venue: str = ""

    @property
    def name(self) -> str:
        """Its name in positions."""
        return named(self.table, simulated=self.simulated, venue=self.venue)


class FollowedTables:
    """The followers of tables, by name."""

    def __init__(
        self,
        items: list[Item],
        next_id: Callable[[], bytes],
        *,
        tables: Collection[str] | None,
        since: Since,
        simulated: bool | None,
        kept: int = MAX_KEPT,
    ) -> None:
        """Items are appended to `items`; `next_id` makes the id of a request. The others: see
        `feed.subscriber.Subscriber`."""
        self.wanted = None if tables is None else frozenset(tables)
        self.kinds = (False, True) if simulated is None else (simulated,)
        self._items = items
        self._next_id = next_id
        self._since = since
        self._kept = kept
        self._followers: dict[str, Follower] = {}
        self._places: dict[str, TableOf] = {}

    @property
    def stale(self) -> frozenset[str]:
        """The tables whose heartbeat is missing."""
        return frozenset(name for name, follower in self._followers.items() if follower.liveness.stale)

    def silent_ns(self, now_ns: int) -> dict[str, int | None]:
        """For each table how old what was delivered of it may be; None where that is not known."""
        return {name: follower.liveness.silent_ns(now_ns) for name, follower in self._followers.items()}

    def pending(self) -> Iterator[PendingRequest]:
        """The request of each table."""
        for follower in self._followers.values():
            yield follower.pending

    def wants(self, table: str, *, simulated: bool) -> bool:
        """Whether a table is one of those that are asked for."""
        return simulated in self.kinds and (self.wanted is None or table in self.wanted)

    def join_again(self, name: str) -> None:
        """A table begins with its snapshot, as if nothing of it had been delivered; the others go on.

        Raises:
            KeyError: no such table is followed.
        """
        self._followers[name].join_again()

    def follower(self, place: TableOf, now_ns: int) -> Follower:
        """The follower of a table, which begins to be followed."""
        name = place.name
        follower = self._followers.get(name)
        if follower is None:
            start = self._start_of(name)
            follower = Follower(place.table, simulated=place.simulated, start=start, now_ns=now_ns, kept=self._kept)
            self._followers[name] = follower
            self._places[name] = place
        return follower

    def exists(self, place: TableOf, now_ns: int) -> None:
        """The history has a table: it is asked though nothing was received of it yet."""
        self.follower(place, now_ns).set_existing()

    def fact(self, place: TableOf, fact: Fact, now_ns: int, *, live: bool = True) -> None:
        """Handles an event of a table."""
        follower = self.follower(place, now_ns)
        follower.fact(fact, now_ns, live=live)
        self.collect(place, follower)

    def heartbeat(self, place: TableOf, beat: Heartbeat, now_ns: int) -> None:
        """Handles a heartbeat of a table."""
        follower = self.follower(place, now_ns)
        follower.heartbeat(beat, now_ns)
        self.collect(place, follower)

    def answer(self, answer: wire.HistoryAnswer, now_ns: int) -> bool:
        """Handles a frame of an answer. Returns False where no table's request has its id."""
        for name, follower in self._followers.items():
            if follower.pending.request_id == answer.request_id:
                follower.answer(answer, content_of(answer), now_ns)
                self.collect(self._places[name], follower)
                return True
        return False

    def tick(self, now_ns: int) -> None:
        """Handles the passing of time, after every message received until now."""
        for name, follower in self._followers.items():
            follower.tick(now_ns)
            self.collect(self._places[name], follower)

    def requests(self, free: int, now_ns: int) -> Iterator[tuple[TableOf, wire.HistoryRequest]]:
        """The requests to send now, at most `free`."""
        for name, follower in self._followers.items():
            if free <= 0:
                return
            request = follower.ask(self._next_id(), now_ns)
            if request is not None:
                free -= 1
                yield self._places[name], request

    def collect(self, place: TableOf, follower: Follower) -> None:
        """Takes a follower's items, marked."""
        if place.simulated or place.venue:
            self._items += [_marked(item, place) for item in follower.items]
        else:
            self._items += follower.items
        follower.items.clear()

    def _start_of(self, name: str) -> Position | None:
        if self._since is None or isinstance(self._since, int):
            return None if self._since is None else Position("", self._since)
        place = self._since.get(name)
        return None if place is None else Position(*place)


def _marked(item: Item, place: TableOf) -> Item:
    """The item, marked as that of its venue, and a notice as that of a simulated table."""
    if isinstance(item, Notice):
        return msgspec.structs.replace(item, simulated=place.simulated, venue=place.venue)
    return item._replace(venue=place.venue) if place.venue else item


def event_of(body: bytes) -> Event | None:
    """The event of a body; None where it is none."""
    try:
        return decode(body)
    except EventError:
        return None


def content_of(answer: wire.HistoryAnswer) -> Fact | Snapshot | None:
    """The decoded body of an answer; None where it has none, or it cannot be read."""
    if isinstance(answer, wire.EventAnswer):
        event = event_of(answer.body)
        return None if event is None or event.topic.encode() != answer.topic else Fact(event, answer.body)
    if isinstance(answer, wire.JsonAnswer) and answer.kind == "snapshot":
        try:
            return decode_snapshot(answer.body)
        except ValueError:
            return None
    return None
