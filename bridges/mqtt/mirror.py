"""What a broker is to hold now, from the items of a subscriber. No I/O, no clock.

    take        handles an item
    passes      what to publish now, in passes: each is complete at the broker before the next begins
    renew       publishes all of it again: it expires, and a client that subscribed late may have missed it

A table is named as live only after its state was published, and no longer before its state is stale: nobody finds an
old state of a table that is stated to be live.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from bridges.following import has_plain_names
from bridges.mqtt.keys import MqttKeys
from bridges.mqtt.messages import (
    BrokerMessage,
    Signal,
    StateMessage,
    discovery,
    encode_state,
    state_message,
    status,
)
from feed.events import Heartbeat
from feed.state import TableState
from feed.subscriber import Fact, Fresh, Item, Missing, Rewritten, Stale

log = logging.getLogger(__name__)

GONE_AFTER: Final = 30
"""Heartbeats of another table, one a second, after which a table without any since the service's start is not among its
tables any more (ours): a first event may wait for the disk, and no commit takes 20 s at a service that is well."""


class _Table:
    """What is known of a table beside its state."""

    def __init__(self) -> None:
        self.as_of = ""
        self.beat: Heartbeat | None = None
        self.stale = False

    def signal(self, state: TableState | None) -> Signal:
        if self.stale or self.beat is None:
            return "stale"
        if self.beat.state == "halted":
            return "halted"
        if state is None or state.last < self.beat.last:
            return "behind"
        return "live"


class Mirror:
    """The messages of one bridge."""

    def __init__(self, keys: MqttKeys, states: Mapping[str, TableState], join_again: Callable[[str], None]) -> None:
        """`states` and `join_again` are those of the subscriber."""
        self._keys = keys
        self._states = states
        self._join_again = join_again
        self._tables: dict[str, _Table] = {}
        self._dirty: set[str] = set()
        """The tables of which something was received since the last pass."""
        self._held: dict[str, StateMessage] = {}
        """By table, what the broker was given since the last renewal."""
        self._shown: dict[str, bytes] = {}
        """By table, how Home Assistant was told to show it."""
        self._status: BrokerMessage | None = None
        self._named: dict[str, Signal] = {}
        """The tables that the broker names, since it was connected."""
        self._epoch = self._leader = ""
        """The start of the service, and the table whose heartbeat was its first."""
        self._beats = 0
        """Heartbeats of that table since then."""

    @property
    def signals(self) -> dict[str, Signal]:
        """The signal of each table that the service has: of another one the journal knows, and of which no heartbeat
        comes, there is nothing to show, nor of one that the service was started without."""
        return {
            name: table.signal(self._states.get(name))
            for name, table in sorted(self._tables.items())
            if name in self._states and table.beat is not None and not self._is_gone(table.beat)
        }

    @property
    def will(self) -> BrokerMessage:
        """The status that names no table."""
        return status(self._keys.prefix, {})._replace(expires=False)

    def take(self, item: Item) -> None:
        """Handles an item, which `states` have applied."""
        if (not isinstance(item, Fact) and not item.table) or not has_plain_names(item):
            return
        table = self._tables.setdefault(item.name, _Table())
        self._dirty.add(item.name)
        match item:
            case Fact(event=event):
                table.as_of = event.time
                if isinstance(event.data, Heartbeat):
                    table.beat = event.data
                    self._count(item.name, event.data)
            case Stale():
                table.stale = True
            case Fresh():
                table.stale = False
            case Missing() | Rewritten():
                self._join_again(item.name)

    def _count(self, name: str, beat: Heartbeat) -> None:
        """Counts how long the service has run since its start: all its tables send heartbeats of one epoch."""
        if beat.epoch != self._epoch:
            self._epoch, self._leader, self._beats = beat.epoch, name, 0
        if name != self._leader:
            return
        self._beats += 1
        if self._beats == GONE_AFTER:
            for other, table in self._tables.items():
                if table.beat is not None and self._is_gone(table.beat):
                    log.warning("%s: the service was started without it: it is not named any more", other)

    def _is_gone(self, beat: Heartbeat) -> bool:
        """Whether a table whose last heartbeat this was is not among those of the service any more. That it is silent
        is not enough: so it is where the service is."""
        return beat.epoch != self._epoch and self._beats >= GONE_AFTER

    def forget(self) -> None:
        """Another connection: the broker may hold none of it, or what is older."""
        self._named = {}
        self.renew(shown=True)

    def renew(self, *, shown: bool = False) -> None:
        """Everything that expires is published again; with `shown` also how tables are shown."""
        if shown:
            self._shown.clear()
        self._held.clear()
        self._status = None
        self._dirty.update(self._tables)

    def passes(self) -> Iterator[list[BrokerMessage]]:
        """What the broker lacks, in passes. Ask for the next one when the broker has the one before; what is given
        counts as held."""
        signals = self.signals
        lost = {name for name in self._named if signals.get(name) != self._named[name]}
        if lost or self._status is None:
            # At first only what was named and is still so.
            yield from self._name({name: one for name, one in self._named.items() if name not in lost})
        changed = [*self._changed(signals)]
        if changed:
            yield changed
        # Published was each state with its signal of before; what has another one by now is named in the next passes.
        now = self.signals
        yield from self._name({name: one for name, one in signals.items() if now.get(name) == one})

    def _changed(self, signals: dict[str, Signal]) -> Iterator[BrokerMessage]:
        # A person may remove the entities of a table that is gone; they are there again once it is back.
        self._shown = {name: payload for name, payload in self._shown.items() if name in signals}
        for name in sorted(self._dirty & signals.keys()):
            state, signal = self._states[name], signals[name]
            shown = discovery(self._keys, name, state)
            if self._shown.get(name) != shown.payload:
                self._shown[name] = shown.payload
                yield shown
            message = state_message(state, signal)
            if self._held.get(name) != message:
                self._held[name] = message
                yield encode_state(self._keys.prefix, name, message, self._tables[name].as_of)
        self._dirty.clear()

    def _name(self, signals: dict[str, Signal]) -> Iterator[list[BrokerMessage]]:
        message = status(self._keys.prefix, signals)
        if message != self._status:
            self._status, self._named = message, signals
            yield [message]
