"""What is told of how complete the facts are: each gap when it opens and when it closes, each trouble once."""

from __future__ import annotations

from feed.subscriber.items import CaughtUp, Filled, Gap, Item, Missing, Position, Trouble


class GapNotices:
    """The notices of one table."""

    def __init__(self, table: str, items: list[Item]) -> None:
        self._table = table
        self._items = items
        self._caught_up = False
        self._gap: tuple[int, int] | None = None
        self._trouble = ""

    def lacking(self, first: int, last: int) -> None:
        """These did not come."""
        if first <= last:
            self._gap = (first, last)
            self._items.append(Gap(table=self._table, first=first, last=last))

    def missing(self, first: int, last: int) -> None:
        """These cannot be had."""
        self._items.append(Missing(table=self._table, first=first, last=last))

    def trouble(self, detail: str) -> None:
        """Something goes wrong, perhaps again."""
        if detail and detail != self._trouble:
            self._trouble = detail
            self._items.append(Trouble(table=self._table, detail=detail))

    def complete(self, position: Position) -> None:
        """All there is has been given."""
        self._trouble = ""
        if not self._caught_up:
            self._caught_up = True
            self._items.append(CaughtUp(table=self._table, position=position))
        elif self._gap is not None:
            self._items.append(Filled(table=self._table, first=self._gap[0], last=self._gap[1]))
        self._gap = None

    def begin_again(self, *, caught_up: bool) -> None:
        """What was said of a gap no longer counts; `caught_up` says whether that is to be said again, too."""
        self._gap = None
        self._caught_up = self._caught_up and caught_up
