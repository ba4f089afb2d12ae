"""Orders of baccarat: a new shoe, and what becomes of a card that was dealt in excess."""

from __future__ import annotations

from typing import Final, get_args

from controller.games.baccarat.rounds import BaccaratGame, Use
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_one_of
from controller.table.phase import RUNNING
from controller.table.wording import counted

USES: Final[dict[str, Use]] = {use: use for use in get_args(Use)}


def new_shoe(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Shuffled and cut cards are in the shoe; cards burned before the table is cleared count for nothing."""
    game = _baccarat(lifecycle, "new_shoe")
    if game.phase is RUNNING:
        raise OrderRefused(f"new_shoe: round {game.round} is being dealt: finish it, or void it")
    if game.new_shoe(t_ns):
        return "the cards are shuffled; burn what the house burns, then clear device=shoe"
    return "the cards are shuffled; none were due"


def excess_card(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Cards that left when both hands were complete are discarded, or begin the next round."""
    game = _baccarat(lifecycle, "excess_card")
    use = USES.get(given["use"])
    if use is None:
        raise OrderRefused(f"excess_card: {not_one_of('use', given['use'], USES)}")
    if not game.excess:
        raise OrderRefused("excess_card: no card has left that belongs to neither hand")
    cards = counted(game.use_excess(t_ns, use), "card")
    return f"{cards} discarded" if use == "discard" else f"{cards} for the next round"


def _baccarat(lifecycle: TableLifecycle, verb: str) -> BaccaratGame:
    game = lifecycle.game
    if not isinstance(game, BaccaratGame):
        raise OrderRefused(f"{verb}: this table has no shoe; it is for baccarat and mini_baccarat")
    return game


ORDERS = (
    Verb("new_shoe", new_shoe, needs=("by",)),
    Verb("excess_card", excess_card, needs=("use", "by")),
)
