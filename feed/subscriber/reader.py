"""What a blocking subscriber and one on an asyncio loop have in common: the connection, and where it is."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import zmq

from ..endpoints import Endpoints
from ..state import TableState
from .items import Item, ItemQueue, NotShown, Position
from .sockets import SubscriberSockets
from .subscription import Subscription
from .tables import Since

if TYPE_CHECKING:
    from ..keys import ClientCurve

log = logging.getLogger(__name__)

TICK_MS: Final = 250
"""The resolution of the subscription's time. It is counted in ticks, so that a program that was stopped does not take
its own pause for the publisher's silence."""


class FeedReader:
    """A connection to one service: its sockets, its subscription, and the items that its reader has not taken yet."""

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        tables: Collection[str] | None = None,
        since: Since = None,
        simulated: bool | None = False,
        curve: ClientCurve | None = None,
        heartbeats: bool = False,
    ) -> None:
        """Connects; the service may start later.

        Args:
            endpoint: the service's base address; without one, that of the services on this computer.
            tables: their ids; None for all that the service has.
            since: where to continue, `{table: (epoch, seq)}` as returned by `position`, or one number for all tables
                (0 for the whole history). Without it, a table begins with `Joined`, which carries its snapshot.
            simulated: False for real tables, True for simulated ones, None for both. A table of the other kind is the
                notice `NotShown`; where there is nothing else to follow, a warning is logged too.
            curve: the keys, over `tcp://`.
            heartbeats: whether heartbeats are delivered too, as facts: for a program that passes the feed on.

        Raises:
            EndpointError: the address cannot be used.
        """
        endpoints = Endpoints.default() if endpoint is None else Endpoints.parse(endpoint)
        shown = endpoint or endpoints.feed.removesuffix("/feed")
        self._subscription = Subscription(shown, tables=tables, since=since, simulated=simulated, heartbeats=heartbeats)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets = SubscriberSockets(self._context, endpoints, self._subscription, curve)
        self._queue = ItemQueue()
        self._now_ns = 0
        self._warned = False
        self._prepare()

    def _prepare(self) -> None:
        """Makes what this kind of subscriber has beside its connection."""

    @property
    def position(self) -> dict[str, Position]:
        """The position of each table after the last item delivered: to be stored, and passed as `since`."""
        return dict(self._queue.position)

    @property
    def states(self) -> Mapping[str, TableState]:
        """The state of each table after the last item delivered: phase, faults, last outcomes, statistics.

        It is kept current for a table that began with its snapshot or its first event. After `Rewritten` a table whose
        state was overtaken has none: `join_again` begins with a snapshot.
        """
        return MappingProxyType(self._queue.states)

    @property
    def stale(self) -> frozenset[str]:
        """The tables whose heartbeat is missing: their facts may be out of date."""
        return self._subscription.stale

    @property
    def silent_ns(self) -> Mapping[str, int | None]:
        """For each table how old what was delivered of it may be, in ticks of `TICK_MS`: since a message after which no
        event was missing. A table whose heartbeats announce events that do not arrive grows old, as a silent one does.
        None where that is not known. For a board that has to state earlier than `Stale` does that its numbers are old.
        """
        return self._subscription.silent_ns(self._now_ns)

    @property
    def refused(self) -> str:
        """Why the service does not let this reader in, as in `Refused`; empty where it does, or nothing is known."""
        return self._subscription.refused

    def join_again(self, name: str) -> None:
        """Begins one table with its snapshot: `Joined` is delivered, and then the facts after it. For a reader that
        keeps a table's state, after `Rewritten` or `Missing`. The other tables go on. Facts of the table that were not
        read are discarded, and so are notices of how complete they are; `Stale`, `Fresh`, `Halted` and `Trouble` are
        not.

        Args:
            name: as in `position`: that of a simulated table begins with `sim/`.

        Raises:
            KeyError: no such table was found yet.
        """
        self._subscription.join_again(name)
        self._queue.discard(name)

    def _exchange(self) -> bool:
        more = self._sockets.exchange(self._now_ns)
        items = self._subscription.take()
        self._warn_of_nothing(items)
        self._queue.add(items)
        if not more and self._subscription.should_reopen(self._now_ns):
            self._sockets.reopen(self._now_ns)
        return more

    def _warn_of_nothing(self, items: Iterable[Item]) -> None:
        """Warns once where every table is of the kind that is not asked for: a program that reads facts alone would
        wait for ever, and its author would not know why."""
        if self._warned or self._subscription.silent_ns(self._now_ns):
            return
        for item in items:
            if isinstance(item, NotShown):
                self._warned = True
                log.warning("nothing to follow yet: %s", item)
                return

    def _disconnect(self) -> None:
        self._sockets.close()
        self._context.term()
