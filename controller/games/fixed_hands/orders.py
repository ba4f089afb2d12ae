"""Orders of games whose hands have a fixed number of cards: a hand that was dealt wrongly."""

from __future__ import annotations

from typing import Final

import msgspec

from controller.games.cards.hands_order import HANDS, positions_named
from controller.games.cards.orders import ORDERS as ORDERS_OF_CARDS
from controller.games.cards.orders import card_game
from controller.games.cards.progressive import NotPayableError
from controller.games.cards.words import paid_words
from controller.games.fixed_hands.rounds import FixedHands
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb
from controller.table.phase import RUNNING, SETTLING

DEALER: Final = "dealer"


def misdeal(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A hand was dealt a wrong number of cards: a player's is void, with the dealer's every one.

    A player's may be found when it is turned over, after the dealer's: until the round is settled.
    """
    game = card_game(lifecycle, "misdeal")
    rounds, own = game.rounds, game.hands
    if not isinstance(own, FixedHands) or own.rules.misdeal is None:
        raise OrderRefused(f"misdeal: {game.rules.section} says nothing of a wrong number of cards")
    name = given["hand"]
    if rounds.phase not in ((RUNNING,) if name == DEALER else (RUNNING, SETTLING)):
        raise OrderRefused(f"misdeal: round {rounds.number} is not being dealt")
    if name == DEALER:
        rounds.void_by_hand(t_ns, given.get("why", ""), "dealer_misdeal")
        return "every hand is void; shuffle the cards"
    hands = game.cards.declared_hands or 0
    if not name.isascii() or not name.isdigit() or not 1 <= int(name[:4]) <= hands:
        raise OrderRefused(f"misdeal: hand is {name!r}; expected 1 to {hands}, or dealer")
    own.misdealt(t_ns, int(name))
    what = f"hand {name} is void ({own.rules.misdeal.cite})"
    if rounds.phase is SETTLING:
        return f"{what}: name the dealer's cards as they lie, correct round={rounds.number} cards=…"
    return f"{what}; the dealer's cards are called by a person"


def progressive_pay(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor validates a progressive payout: it is paid, and recorded."""
    game = card_game(lifecycle, "progressive_pay")
    if not isinstance(game.hands, FixedHands):
        raise OrderRefused("progressive_pay: this table has no progressive wager")
    positions = {*positions_named("progressive_pay", given["positions"])}
    try:
        payment = game.hands.pay_progressive(given["hand"], positions, given["by"], given.get("why", ""))
    except NotPayableError as refused:
        raise OrderRefused(f"progressive_pay: {refused}") from refused
    game.carrying.changed(t_ns, "progressive_paid", given["by"])
    return paid_words(msgspec.structs.asdict(payment))


ORDERS: Final = (
    *ORDERS_OF_CARDS,
    HANDS,
    Verb("misdeal", misdeal, needs=("hand", "by"), takes=("why",)),
    Verb("progressive_pay", progressive_pay, needs=("hand", "positions", "by"), takes=("why",)),
)
