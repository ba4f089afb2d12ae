"""Orders of a machine with a screen: the last plays are recalled on it."""

from __future__ import annotations

from controller.games.machines.game import MachineGame
from controller.games.machines.skill_stop import PlayRecall, SkillStopPlays
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_of_game


def recall_begin(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person has the last plays shown on the screen: nothing is played until that ends (AGCO 13.1.1 to 13.1.4)."""
    against = _recall(lifecycle, "recall_begin").begin(t_ns, given["by"])
    if against is not None:
        raise OrderRefused(f"recall_begin: {against}")
    return "the last plays are on the screen until recall_end"


def recall_end(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person has seen the last plays."""
    against = _recall(lifecycle, "recall_end").end(t_ns, given["by"])
    if against is not None:
        raise OrderRefused(f"recall_end: {against}")
    return "the last plays are off the screen"


def _recall(lifecycle: TableLifecycle, verb: str) -> PlayRecall:
    plays = lifecycle.game.plays if isinstance(lifecycle.game, MachineGame) else None
    if not isinstance(plays, SkillStopPlays):
        raise not_of_game(verb, lifecycle)
    return plays.recall


RECALL_ORDERS = (
    Verb("recall_begin", recall_begin, needs=("by",)),
    Verb("recall_end", recall_end, needs=("by",)),
)
