"""Orders of every table with an automated shaker: a supervisor orders whether it counts as being there."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from controller.games.dice.tossed_dice import TossedDice
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_of_game


class PlacedShaker(Protocol):
    """An automated shaker that may be on the table, or not."""

    @property
    def tossed(self) -> TossedDice:
        """The shaker, and whether it is there."""

    def place(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """It was put on the table, or taken away; `by` is who ordered it."""


@runtime_checkable
class TossedGame(Protocol):
    """A game of which an automated shaker may toss the dice."""

    @property
    def shaker(self) -> PlacedShaker | None:
        """The automated shaker; None where the table has none."""


def shaker_removed(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor states that the automated shaker was taken from the table: dice go by hand."""
    return _place(lifecycle, "shaker_removed", given, t_ns, present=False)


def shaker_placed(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor states that the automated shaker is on the table again."""
    return _place(lifecycle, "shaker_placed", given, t_ns, present=True)


def _place(lifecycle: TableLifecycle, verb: str, given: GivenKeys, t_ns: int, *, present: bool) -> str:
    game = lifecycle.game
    if not isinstance(game, TossedGame):
        raise not_of_game(verb, lifecycle)
    if game.shaker is None:
        raise OrderRefused(f"{verb}: the table has no automated shaker")
    if game.shaker.tossed.present_sensor:
        raise OrderRefused(f"{verb}: its sensor reports whether it is on the table (automated_shaker_present)")
    rounds = lifecycle.rounds
    if rounds.undecided and rounds.called_ns is not None:
        raise OrderRefused(f'{verb}: "No more bets" was called for round {rounds.number}; wait for its verdict')
    game.shaker.place(t_ns, present=present, by=given["by"])
    return f"the automated shaker {'is on' if present else 'was removed from'} the table"


ORDERS = (
    Verb("shaker_removed", shaker_removed, needs=("by",)),
    Verb("shaker_placed", shaker_placed, needs=("by",)),
)
