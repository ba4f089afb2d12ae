"""What of the cards a restart must not lose beside rounds and faults: it is carried in the journal at each change."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.games.cards.on_table import CardsOnTable
from controller.games.cards.progressive import ProgressiveProcedure
from controller.games.cards.reshuffle import Reshuffle
from controller.games.cards.shoe_book import ShoeBook
from controller.games.cards.shuffling import ShufflerProcedure
from controller.table.report import Report
from feed import events
from feed.state import TableState


class CarriedCards(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a table of cards carries over a restart."""

    hands: int | None = None
    """How many hands are dealt to players; None where nobody has declared it, or where it means nothing."""
    deck: str = ""
    """The deck in use, by the name that the dealer gives it; empty where nobody has named it."""
    burn_due: int = 0
    """Cards to burn before any is dealt."""
    shuffled: bool | None = None
    """Whether the cards that are dealt next were shuffled; None where each shoe is dealt to its cutting card."""
    shuffler_removed: bool = False
    """Whether a supervisor has ordered that the shuffler is off the table, where no sensor reports its place."""


class CardCarrying:
    """Publishes what one table of cards carries, and takes it back after a restart."""

    def __init__(
        self,
        report: Report,
        cards: CardsOnTable,
        reshuffle: Reshuffle,
        book: ShoeBook,
        progressive: ProgressiveProcedure | None,
        shuffler: ShufflerProcedure | None,
        *,
        fresh_each_round: bool,
        carries: bool,
    ) -> None:
        """Without `carries` nothing of the cards is carried: the place of the shuffler is, where a person orders it."""
        self._report = report
        self._cards = cards
        self._reshuffle = reshuffle
        self._book = book
        self._progressive = progressive
        self._shuffler = shuffler
        self._fresh = fresh_each_round
        self._carries = carries

    @property
    def state(self) -> dict[str, Any] | None:
        """What a restart must not lose; None where there is nothing."""
        removed = self._shuffler is not None and self._shuffler.removed_by_order
        if not self._carries:
            return msgspec.to_builtins(CarriedCards(shuffler_removed=removed)) or None
        carried = CarriedCards(
            hands=self._cards.declared_hands,
            deck=self._reshuffle.deck_in_use,
            burn_due=self._book.burn_due,
            shuffled=self._reshuffle.shuffled if self._fresh else None,
            shuffler_removed=removed,
        )
        values: dict[str, Any] = msgspec.to_builtins(carried)
        return values if self._progressive is None else values | self._progressive.carried

    def changed(self, t_ns: int, act: str, by: str = "") -> None:
        """Publishes that what is carried of the cards has changed, and by whose act."""
        if self._carries:
            self._publish(t_ns, act, by)

    def shuffler_moved(self, t_ns: int, by: str, *, to_table: bool) -> None:
        """Publishes that a supervisor has ordered where the shuffler is."""
        self._publish(t_ns, "shuffler_placed" if to_table else "shuffler_removed", by)

    def _publish(self, t_ns: int, act: str, by: str) -> None:
        self._report.event(events.CarriedStateChanged, t_ns, act=act, course=self.state or {}, by=by)

    def restore(self, state: TableState) -> None:
        """Takes back what was carried last; nothing where this version does not read it."""
        carried = state.course if state.course is not None else state.rounds[-1].course if state.rounds else None
        if carried is None:
            return
        if self._progressive is not None:
            self._progressive.restore(carried)
        try:
            cards = msgspec.convert(carried, CarriedCards)
        except msgspec.ValidationError:
            return
        if self._shuffler is not None and cards.shuffler_removed and not self._shuffler.sensed:
            self._shuffler.moved(to_table=False)
        if not self._carries:
            return
        self._cards.declared_hands, self._reshuffle.deck_in_use = cards.hands, cards.deck
        self._book.burn_due = cards.burn_due
        if cards.shuffled is not None:
            self._reshuffle.shuffled = cards.shuffled
