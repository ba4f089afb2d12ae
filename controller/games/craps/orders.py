"""Orders between two rolls of craps: `pass_dice`, `change_dice`, `roll_for_come`, `line_wager`."""

from __future__ import annotations

from controller.games.craps.between_rolls import Act
from controller.games.craps.rounds import CrapsGame
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_of_game, yes_or_no


def pass_dice(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The shooter passes the dice, by choice, or because a person who may order it did."""
    ordered = yes_or_no("pass_dice", "ordered", given)
    game = _act("pass_dice", lifecycle, given, t_ns, ordered=ordered)
    return f"the dice are offered to shooter {game.history.now.shooter}"


def change_dice(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A player calls for other dice."""
    game = _act("change_dice", lifecycle, given, t_ns)
    rule = game.rules.dice_change
    others = game.dice_set - game.rules.dice_count.value
    return f"the dice are changed {rule.value} ({rule.cite}); {others} others are in the dice cup"


def roll_for_come(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Nobody makes a line wager: the shooter rolls on for the come wagers that are left."""
    game = _act("roll_for_come", lifecycle, given, t_ns)
    points = " and ".join(map(str, game.history.now.come_points))
    return f"the shooter rolls for the come wagers on {points}"


def line_wager(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A player makes a pass or don't pass bet again."""
    _act("line_wager", lifecycle, given, t_ns)
    return "the next roll is a come out roll"


def _act(act: Act, lifecycle: TableLifecycle, given: GivenKeys, t_ns: int, *, ordered: bool = False) -> CrapsGame:
    game = lifecycle.game
    if not isinstance(game, CrapsGame):
        raise not_of_game(act, lifecycle)
    by = given["by"]
    against = game.between.act_refused(act, given.get("as", by), ordered=ordered)
    if against is not None:
        raise OrderRefused(f"{act}: {against}")
    try:
        game.between.act(t_ns, act, by, ordered=ordered)
    except ValueError as error:
        raise OrderRefused(f"{act}: {error}") from error
    return game


ORDERS = (
    Verb("pass_dice", pass_dice, needs=("by",), takes=("ordered", "as")),
    Verb("change_dice", change_dice, needs=("by",), takes=("as",)),
    Verb("roll_for_come", roll_for_come, needs=("by",), takes=("as",)),
    Verb("line_wager", line_wager, needs=("by",), takes=("as",)),
)
