"""Items on their way to the reader, and the place up to which it has them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from feed.subscriber.items import Fact, Item, Joined, Missing, Position
from feed.subscriber.subscription import name_of


class Handed:
    """The queue between a subscription and its reader."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self.position: dict[str, Position] = {}
        """For each table the place after the last fact that was handed over."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, items: Iterable[Item]) -> None:
        """Puts items at the end."""
        self._items.extend(items)

    def next(self) -> Item:
        """Hands over the oldest item.

        Raises:
            IndexError: there is none.
        """
        item = self._items.popleft()
        match item:
            case Fact(event=event, head=head):
                if event.seq is not None:
                    self.position[name_of(event)] = Position(event.epoch, event.seq, head)
            case Joined(table=table, snapshot=snapshot):
                self.position[table] = Position(snapshot.epoch, snapshot.last)
            case Missing(table=table, last=last):
                self.position[table] = Position("", last)
        return item
