"""What goes wrong with one card of a deal, by the name of its fault: as the cards are put in, at the card, beside it.

before the deal ──► the card: what is drawn ──► how it leaves the shoe ──► what happens beside it
                       └── or the shoe gives no card any more
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, Final

from drivers.cards.card_wire import CUTTING_CARD, JOKER, UNREAD
from simulators.cards.shoe import EMPTY, JAM, LID, OUTSIDE, ShoeSimulator

if TYPE_CHECKING:
    from simulators.cards.card_table import CardTableSimulator

SILENT_S: Final = 6.0
"""This long the link is silent: longer than the controller lets it be."""
UNPLUGGED_S: Final = 2.5

Dead = tuple[str, ...]
"""Barriers that see nothing."""
Stacked = Callable[[ShoeSimulator, int, Random], None]
"""The cards in a shoe are not as they should be; the deal takes this many at least."""
Draws = Callable[["CardTableSimulator", float], tuple[list[str], float]]
"""What a dealer draws at a time in place of one card; returns it, and when it is out."""
Leaves = Callable[[ShoeSimulator, str, float, Dead], float]
"""How a card leaves the shoe at a time; returns when it is out."""
Beside = Callable[[ShoeSimulator, float], None]
"""What happens once a card is out."""
Ends = Callable[["CardTableSimulator", float], float]
"""The shoe gives no card any more; returns when it would again."""

NO_CARD_S: Final = 4.0
"""This long a shoe gives no card (ours)."""


# --- before the deal ------------------------------------------------------------------------------------------------


def _cutting_card_early(shoe: ShoeSimulator, least: int, rng: Random) -> None:
    if CUTTING_CARD in shoe.cards:
        shoe.cards.remove(CUTTING_CARD)
    shoe.cards.insert(len(shoe.cards) - rng.randrange(max(least, 1)), CUTTING_CARD)


STACKED: Final[Mapping[str, Stacked]] = {"cut_card_early": _cutting_card_early}
DEAD: Final[Mapping[str, Dead]] = {"dead_barrier": (OUTSIDE,)}
"""Barriers that see nothing in the whole deal."""


# --- the card -------------------------------------------------------------------------------------------------------


def _joker(table: CardTableSimulator, at_s: float) -> tuple[list[str], float]:
    table.shoe.add(JOKER)
    card, out_s = table.draw(at_s)
    return [card], out_s


def _twin(table: CardTableSimulator, at_s: float) -> tuple[list[str], float]:
    """The next card, below the cutting card where that is on top, has its twin under it."""
    shoe = table.shoe
    under = 2 if shoe.cards[-1] == CUTTING_CARD else 1
    shoe.add(shoe.cards[-under], under)
    card, out_s = table.draw(at_s)
    return [card], out_s


def _two_at_once(table: CardTableSimulator, at_s: float) -> tuple[list[str], float]:
    first, second = table.take(at_s), table.take(at_s)
    out_s = table.shoe.out(first, at_s, beside=0.5)
    table.shoe.name(second, out_s + 0.05)
    return [first, second], out_s


DRAWS: Final[Mapping[str, Draws]] = {"foreign_card": _joker, "card_twice": _twin, "two_cards_at_once": _two_at_once}
LAST: Final = frozenset({"foreign_card"})
"""Faults whose card is the last one of the round."""


def _returned(shoe: ShoeSimulator, card: str, at_s: float, dead: Dead) -> float:
    out_s = shoe.out(card, at_s)
    return shoe.out(card, shoe.returned(out_s + 0.4) + 0.4, dead=dead)


LEAVES: Final[Mapping[str, Leaves]] = {
    "card_pushed_back": lambda shoe, card, at_s, dead: shoe.out(card, shoe.pushed_back(at_s) + 0.2, dead=dead),
    "card_returned": _returned,
    "line_lost": lambda shoe, card, at_s, dead: shoe.lost_line(card, at_s),
    "line_corrupted": lambda shoe, card, at_s, dead: shoe.corrupted_line(card, at_s),
    "line_repeated": lambda shoe, card, at_s, dead: shoe.repeated_line(card, at_s),
    "misread": lambda shoe, card, at_s, dead: shoe.out(card, at_s, line=UNREAD, dead=dead),
}
BESIDE: Final[Mapping[str, Beside]] = {
    "shoe_restarted": lambda shoe, out_s: shoe.restarted(out_s + 0.1),
    "cable_pulled": lambda shoe, out_s: shoe.unplugged(out_s + 0.1, out_s + UNPLUGGED_S),
    "silent_link": lambda shoe, out_s: shoe.silent_link(out_s + 0.1, out_s + SILENT_S),
}


# --- no card any more -----------------------------------------------------------------------------------------------


def _jam(table: CardTableSimulator, at_s: float) -> float:
    end_s = _jam_inside(table, at_s)
    table.shoe.stuck(at_s, end_s)
    return end_s


def _jam_inside(table: CardTableSimulator, at_s: float) -> float:
    end_s = at_s + NO_CARD_S + table.geometry.jam_s
    if not table.geometry.continuous:  # there it is pushed back
        table.take(at_s)
    # The contact closes before the stack is taken for a short one.
    table.shoe.trouble(JAM, at_s + min(1.0, table.geometry.stack_s / 2), end_s + 0.1)
    return end_s


def _lid_opened(table: CardTableSimulator, at_s: float) -> float:
    table.shoe.trouble(LID, at_s, at_s + NO_CARD_S)
    return at_s + NO_CARD_S


def _short_stack(table: CardTableSimulator, at_s: float) -> float:
    return at_s + NO_CARD_S + table.geometry.stack_s  # the stack ends here, and no card follows


def _both_open(table: CardTableSimulator, at_s: float) -> float:
    table.shoe.open_both(at_s, at_s + NO_CARD_S)
    return at_s + NO_CARD_S


def _empty(table: CardTableSimulator, at_s: float) -> float:
    if not table.geometry.continuous:  # there its feed gives no card, though there are some
        table.shoe.cards.clear()
    table.shoe.trouble(EMPTY, at_s, at_s + NO_CARD_S)
    return at_s + NO_CARD_S


ENDS: Final[Mapping[str, Ends]] = {
    "jam": _jam,
    "jam_inside": _jam_inside,
    "lid_opened": _lid_opened,
    "short_stack": _short_stack,
    "both_compartments": _both_open,
    "shoe_empty": _empty,
}
"""Every fault after which no card of the round is dealt."""
