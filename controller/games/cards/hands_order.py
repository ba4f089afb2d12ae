"""The order that declares how many hands are dealt: nobody but people knows it."""

from __future__ import annotations

from typing import Final

from controller.games.cards.orders import card_game, refuse_while_dealt
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb
from controller.table.wording import counted


def hands(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer declares how many hands are dealt to players, from this round on."""
    game = card_game(lifecycle, "hands")
    if not game.most_hands:
        raise OrderRefused("hands: this game has no hands of players to declare")
    refuse_while_dealt(game, "hands")
    text = given["count"]
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:4]) <= game.most_hands:
        raise OrderRefused(f"hands: count is {text!r}; expected 1 to {game.most_hands}")
    game.hands = int(text)
    game.carry(t_ns, "hands", given["by"])
    return f"{counted(game.hands, 'hand')} from round {game.round} on"


HANDS: Final = Verb("hands", hands, needs=("count", "by"))
