"""Orders of blackjack: that every player is bust."""

from __future__ import annotations

from typing import Final

from controller.games.blackjack.rounds import BlackjackHands
from controller.games.cards.hands_order import HANDS
from controller.games.cards.orders import ORDERS as ORDERS_OF_CARDS
from controller.games.cards.orders import card_game
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_of_game
from controller.table.phase import RUNNING


def all_bust(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Every player is bust: the dealer discards the own cards unseen."""
    game = card_game(lifecycle, "all_bust")
    if not isinstance(game.hands, BlackjackHands):
        raise not_of_game("all_bust", lifecycle)
    number = game.rounds.number
    verdict = game.hands.all_bust() if game.rounds.phase is RUNNING else None
    if verdict is None:
        raise OrderRefused(f"all_bust: in round {number} the players are not drawing")
    game.dealing.follow(t_ns, verdict)
    return f"round {number} is over; the hole card stays face down"


ORDERS: Final = (*ORDERS_OF_CARDS, HANDS, Verb("all_bust", all_bust, needs=("by",)))
