"""The shoe of a table of cards: what it reports goes one way down, through its books to the round.

    driver ──► count of a shuffling shoe ──► ledger ──► book ──► the round
               what is inside                place      doubt: no card of these decks

No book calls back: each takes what the one before it gives. A card that cannot be what it seems continues with a doubt,
and the round decides what follows.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import msgspec

from controller.games.cards.ledger import CardLedger
from controller.games.cards.shoe_book import ShoeBook, ShoeDoubt
from controller.games.cards.stock import ContinuousStock
from controller.table.faults import Fault
from controller.table.report import Report
from drivers.base.driver import Observation
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CompartmentsOpen,
    LineGarbled,
    ShoeRestarted,
    ShoeTroubled,
    ShoeUntroubled,
)
from feed.state import TableState

SHOE: Final = "shoe"
TROUBLES: Final = {"jam": "shoe_jam", "empty": "shoe_empty", "lid": "shoe_open"}
"""The faults of a shoe that gives no card."""
CHANGES_KEPT: Final = 256
"""Changes of the compartments of a double shoe that are kept (ours): a card is reported seconds after it left."""


class CardShoe:
    """The shoe of one table, with its books."""

    def __init__(self, report: Report, ledger: CardLedger, book: ShoeBook, stock: ContinuousStock | None) -> None:
        """`stock` is the count of a continuous shuffling shoe; None for any other."""
        self._report = report
        self.ledger = ledger
        self.book = book
        self.stock = stock
        self._compartment_changes: deque[CompartmentsOpen] = deque(maxlen=CHANGES_KEPT)
        """The last changes of the compartments of a double shoe, oldest first."""

    def restore(self, state: TableState) -> None:
        """What the journal has of the cards in the shoe."""
        if self.stock is not None:
            self.stock.restore(state)
        if state.stack is not None:
            self.ledger.restore(state.stack)

    def loaded(self, t_ns: int, **how: object) -> None:
        """Shuffled cards are in the shoe; `how` are fields of `StackLoaded`."""
        self.ledger.loaded(t_ns, **how)
        if self.stock is not None:
            self.stock.loaded(t_ns)
            self.ledger.doubtful()  # a place says nothing of a card that is shuffled with others all the time

    def left(self, seen: CardDealt, *, booked: bool) -> CardDealt:
        """A card has left: returns it, with a doubt where it cannot be of these decks.

        It is `booked` unless it left at a table that is shut.
        """
        if self.stock is not None:
            seen = self.stock.left(seen)
        self.ledger.left(seen)
        if self.stock is not None or not booked:
            return seen
        doubt = self.book.take(None if seen.card is None else seen.card.expose())
        if doubt is None or seen.doubt:
            return seen
        return msgspec.structs.replace(seen, doubt=doubt.reason, detail=doubt.detail)

    def doubt_of(self, seen: Observation) -> ShoeDoubt | None:
        """Why cards may have left unseen, or come back: then the books do not know which card is the next one."""
        if isinstance(seen, CardsLost):
            if self.stock is not None:
                self.stock.lost()
            doubt = ShoeDoubt(seen.reason, seen.detail)
        elif isinstance(seen, ShoeRestarted):
            self.book.forget()
            doubt = ShoeDoubt("card_count", "the count of the shoe went down: it was switched off, or replaced")
        elif isinstance(seen, CardPushedBack) and seen.was_out:
            if self.stock is not None:
                self.stock.put_back(seen.t_ns)
            self.book.forget()
            doubt = ShoeDoubt("card_returned", "a card was pushed into the shoe")
        else:
            return None
        self.ledger.doubtful()
        return doubt

    def watch(self, seen: Observation) -> None:
        """Reports what keeps the shoe from giving a card, and what people should know of it."""
        t_ns, report = seen.t_ns, self._report
        if isinstance(seen, ShoeTroubled):
            report.fault(Fault(t_ns, TROUBLES[seen.trouble], seen.detail, cause=seen.trouble, device=SHOE))
        elif isinstance(seen, ShoeUntroubled):
            report.cause_gone(t_ns, seen.trouble, SHOE)
        elif isinstance(seen, CardPushedBack):
            drawn = "a card was drawn to the mouth and pushed back"
            report.warn(t_ns, SHOE, "card_pushed_back", "a card was pushed into the shoe" if seen.was_out else drawn)
        elif isinstance(seen, CompartmentsOpen):
            self._compartment_changes.append(seen)
            if len(seen.sides) > 1:
                detail = "both compartments of the double shoe are open"
                report.fault(Fault(t_ns, "two_compartments_open", detail, cause="compartments", device=SHOE))
            else:
                report.cause_gone(t_ns, "compartments", SHOE)
        elif isinstance(seen, LineGarbled):
            report.warn(t_ns, seen.device, "line_garbled", seen.cause)

    def compartments_open(self, t_ns: int) -> tuple[int, ...] | None:
        """The compartments of a double shoe that were open at a time; None where that is not known (any more)."""
        return next((seen.sides for seen in reversed(self._compartment_changes) if seen.t_ns <= t_ns), None)
