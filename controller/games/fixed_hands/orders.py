"""Orders of games whose hands have a fixed number of cards: a hand that was dealt wrongly."""

from __future__ import annotations

from typing import Final

from controller.games.cards.hands_order import HANDS
from controller.games.cards.orders import ORDERS as ORDERS_OF_CARDS
from controller.games.cards.orders import card_game
from controller.games.cards.progressive import NotPayableError
from controller.games.fixed_hands.rounds import FixedHandsGame
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb
from controller.table.phase import RUNNING

DEALER: Final = "dealer"


def misdeal(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A hand was dealt a wrong number of cards: a player's is void, with the dealer's every one."""
    game = card_game(lifecycle, "misdeal")
    if not isinstance(game, FixedHandsGame) or game.rules.misdeal is None:
        raise OrderRefused(f"misdeal: {game.card_rules.section} says nothing of a wrong number of cards")
    if game.phase is not RUNNING:
        raise OrderRefused(f"misdeal: round {game.round} is not being dealt")
    name = given["hand"]
    if name == DEALER:
        game.void_by_hand(t_ns, given.get("why", ""), "dealer_misdeal")
        return "every hand is void; shuffle the cards"
    hands = game.hands or 0
    if not name.isascii() or not name.isdigit() or not 1 <= int(name[:4]) <= hands:
        raise OrderRefused(f"misdeal: hand is {name!r}; expected 1 to {hands}, or dealer")
    game.misdealt(t_ns, int(name))
    return f"hand {name} is void ({game.rules.misdeal.cite}); the dealer's cards are called by a person"


def progressive_pay(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor validates a progressive payout: it is paid, and recorded."""
    game = card_game(lifecycle, "progressive_pay")
    if not isinstance(game, FixedHandsGame):
        raise OrderRefused("progressive_pay: this table has no progressive wager")
    names = given["positions"].split("-")
    if any(not name.isascii() or not name.isdigit() or len(name) > 2 for name in names):
        raise OrderRefused(f"progressive_pay: positions is {given['positions']!r}; expected numbers, such as 2-5")
    try:
        payment = game.pay_progressive(t_ns, given["hand"], {int(name) for name in names}, given["by"])
    except NotPayableError as refused:
        raise OrderRefused(f"progressive_pay: {refused}") from refused
    paid = ", ".join(f"position {place}: {cents / 100:,.2f}" for place, cents in payment.paid.items())
    return f"{payment.hand.replace('_', ' ')} paid ({paid})"


ORDERS: Final = (
    *ORDERS_OF_CARDS,
    HANDS,
    Verb("misdeal", misdeal, needs=("hand", "by"), takes=("why",)),
    Verb("progressive_pay", progressive_pay, needs=("hand", "positions", "by")),
)
