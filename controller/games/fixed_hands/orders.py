"""Orders of games whose hands have a fixed number of cards: a hand that was dealt wrongly."""

from __future__ import annotations

from typing import Final

import msgspec

from controller.games.cards.hands_order import HANDS, positions_named
from controller.games.cards.orders import ORDERS as ORDERS_OF_CARDS
from controller.games.cards.orders import card_game
from controller.games.cards.progressive import NotPayableError
from controller.games.cards.words import paid_words
from controller.games.fixed_hands.rounds import FixedHandsGame
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb
from controller.table.phase import RUNNING, SETTLING

DEALER: Final = "dealer"


def misdeal(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A hand was dealt a wrong number of cards: a player's is void, with the dealer's every one.

    A player's may be found when it is turned over, after the dealer's: until the round is settled.
    """
    game = card_game(lifecycle, "misdeal")
    if not isinstance(game, FixedHandsGame) or game.rules.misdeal is None:
        raise OrderRefused(f"misdeal: {game.card_rules.section} says nothing of a wrong number of cards")
    name = given["hand"]
    if game.phase not in ((RUNNING,) if name == DEALER else (RUNNING, SETTLING)):
        raise OrderRefused(f"misdeal: round {game.round} is not being dealt")
    if name == DEALER:
        game.void_by_hand(t_ns, given.get("why", ""), "dealer_misdeal")
        return "every hand is void; shuffle the cards"
    hands = game.hands or 0
    if not name.isascii() or not name.isdigit() or not 1 <= int(name[:4]) <= hands:
        raise OrderRefused(f"misdeal: hand is {name!r}; expected 1 to {hands}, or dealer")
    game.misdealt(t_ns, int(name))
    what = f"hand {name} is void ({game.rules.misdeal.cite})"
    if game.phase is SETTLING:
        return f"{what}: name the dealer's cards as they lie, correct round={game.round} cards=…"
    return f"{what}; the dealer's cards are called by a person"


def progressive_pay(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor validates a progressive payout: it is paid, and recorded."""
    game = card_game(lifecycle, "progressive_pay")
    if not isinstance(game, FixedHandsGame):
        raise OrderRefused("progressive_pay: this table has no progressive wager")
    positions = {*positions_named("progressive_pay", given["positions"])}
    try:
        payment = game.pay_progressive(t_ns, given["hand"], positions, given["by"], given.get("why", ""))
    except NotPayableError as refused:
        raise OrderRefused(f"progressive_pay: {refused}") from refused
    return paid_words(msgspec.structs.asdict(payment))


ORDERS: Final = (
    *ORDERS_OF_CARDS,
    HANDS,
    Verb("misdeal", misdeal, needs=("hand", "by"), takes=("why",)),
    Verb("progressive_pay", progressive_pay, needs=("hand", "positions", "by"), takes=("why",)),
)
