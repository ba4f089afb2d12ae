"""The order that declares how many hands are dealt: nobody but people knows it."""

from __future__ import annotations

from typing import Final

from controller.games.cards.game import CardGame
from controller.games.cards.orders import card_game, refuse_while_dealt
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb
from hal.wording import counted


def hands(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer declares how many hands are dealt to players, from this round on."""
    game = card_game(lifecycle, "hands")
    most = game.terms.deal.most_hands
    if not most:
        raise OrderRefused("hands: this game has no hands of players to declare")
    refuse_while_dealt(game, "hands")
    text = given["count"]
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:4]) <= most:
        raise OrderRefused(f"hands: count is {text!r}; expected 1 to {most}")
    positions = None
    if "positions" in given:
        positions = positions_named("hands", given["positions"])
    try:
        _seat(game, int(text), positions)
    except ValueError as wrong:
        raise OrderRefused(f"hands: positions is {given.get('positions')!r}: {wrong}") from wrong
    game.cards.declared_hands = int(text)
    game.carrying.changed(t_ns, "hands", given["by"])
    return f"{counted(int(text), 'hand')} from round {game.rounds.number} on"


def _seat(game: CardGame, hands: int, positions: list[int] | None) -> None:
    """This many hands are dealt from now on, at these positions of the layout; None where they were not named.

    Raises:
        ValueError: the table does not have them.
    """
    if game.progressive is not None:
        game.progressive.seat(hands, positions)
    elif positions is not None:
        raise ValueError("this table has no acceptors of progressive wagers, and so no positions")


def positions_named(verb: str, text: str) -> list[int]:
    """The positions of a layout that a person names: `2-5`, in any order.

    Raises:
        OrderRefused: these are not positions.
    """
    names = text.split("-")
    if any(not name.isascii() or not name.isdigit() or len(name) > 2 for name in names):
        raise OrderRefused(f"{verb}: positions is {text!r}; expected numbers, such as 2-5")
    return [int(name) for name in names]


HANDS: Final = Verb("hands", hands, needs=("count", "by"), takes=("positions",))
