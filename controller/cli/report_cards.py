"""What a report of an evening has of cards: readers, decks and shufflers of each table."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from command_line.report_page import table_of
from controller.journal.evening import TableEvening
from feed.card_record import MISREADS_IN_1000, ORDER_KEPT, TROUBLES, CardRecord


def cards_section(tables: Sequence[TableEvening]) -> str:
    """The section of tables with cards."""
    readers = [(one.label, *_reader(one.cards)) for one in tables]
    decks = [(one.label, *row) for one in tables for row in _decks(one.cards)]
    orders = [(one.label, *_orders(one)) for one in tables if one.cards.orders.judged]
    heads = ("table", "cards", "not read", "in 1,000", "odds", "which")
    note = (
        f"Of the cards that rounds needed. Odds: of a bet that more than {MISREADS_IN_1000:g} in 1,000 are not read "
        "(ours); a table warns from 1,000 : 1 on, by the bound of its own [watch]. Which "
        "card it was is known where a shuffler opened its order."
    )
    found = f'{table_of(heads, readers, numbers=range(1, 5), wrap=(5,))}<p class="note">{note}</p>'
    heads = ("table", "deck", "loads", "cards", "not read", "jammed or pushed back")
    note = "Since this journal began. Wear is stated where it is clear."
    worn = table_of((*heads, "wear"), decks, numbers=range(2, 6), wrap=(6,))
    found += f'<h3>Decks</h3>{worn}<p class="note">{note}</p>'
    if orders:
        of_orders = ("table", "orders compared", "pairs kept in the last ten", "warnings")
        found += f"<h3>Orders of shufflers</h3>{table_of(of_orders, orders, numbers=(1, 2, 3))}"
    return found


def _reader(record: CardRecord) -> tuple[object, ...]:
    named = ", ".join(f"{card} {times}" for card, times in record.unread.most_common())
    odds = f"{exp(min(record.odds, 40.0)):,.0f} : 1" if record.odds > 0 else "–"
    return f"{record.cards:,}", record.misreads, f"{1000 * record.misreads / record.cards:.1f}", odds, named or "–"


def _decks(record: CardRecord) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for deck in record.decks.values():
        if deck.cards:
            worn = [deck.words(of, found) for of in TROUBLES if (found := deck.worn(of)) is not None]
            counts = (f"{deck.loads:,}", f"{deck.cards:,}", deck.misreads, deck.drawing)
            rows.append((deck.name or "all cards", *counts, "; ".join(worn) or "–"))
    return rows


def _orders(table: TableEvening) -> tuple[object, ...]:
    orders = table.cards.orders
    warned = sum(getattr(event.data, "warning", "") == ORDER_KEPT for event in table.warnings)
    return orders.judged, f"{orders.kept:.0f}, {orders.expected:.0f} expected", warned
