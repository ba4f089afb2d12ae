"""Orders of sic bo: what is lit and operated for an inspection, the age of the dice, and who settles what failed."""

from __future__ import annotations

from collections.abc import Callable

from controller.games.sic_bo.inspection import NotNowError
from controller.games.sic_bo.rounds import SicBoGame
from controller.table.lifecycle import LifecycleState, TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_of_game
from controller.table.phase import OPEN, SHUT


def inspect_dice(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Three values are entered, and all their areas light, to be looked at and read back (9.5(a)1)."""
    game = _sic_bo(lifecycle, "inspect_dice")
    if lifecycle.state is not LifecycleState.INSPECTING:
        raise OrderRefused("inspect_dice: no inspection is under way; begin with inspect_start")
    try:
        dice = game.rules.named(given["dice"])
    except ValueError as error:
        raise OrderRefused(f"inspect_dice: {error}") from error
    return _done("inspect_dice", lambda: game.upkeep.light(dice, given["by"], t_ns, shut=game.rounds.phase is SHUT))


def lamp_test(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """All lamps are lit, and read back."""
    game = _sic_bo(lifecycle, "lamp_test")
    return _done("lamp_test", lambda: game.upkeep.light(None, given["by"], t_ns, shut=game.rounds.phase is SHUT))


def operate_shaker(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The automated shaker is operated once, while it is inspected (13:69F-9.5(a)2, (b))."""
    game = _sic_bo(lifecycle, "operate_shaker")
    if lifecycle.state is not LifecycleState.INSPECTING and not game.upkeep.inspection.shift_due:
        raise OrderRefused("operate_shaker: nothing is inspected; begin with inspect_start, or with shift_begins")
    return _done("operate_shaker", lambda: game.upkeep.operate(given["by"], t_ns, shut=game.rounds.phase is SHUT))


def shift_begins(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A shift begins: play stops until the automated shaker was operated often enough (13:69F-9.5(b))."""
    game = _sic_bo(lifecycle, "shift_begins")
    at_once = game.rounds.phase is OPEN and game.rounds.called_ns is None
    after = f"play stops when round {game.rounds.number} is over: then" if game.rounds.undecided else "play stops:"
    then = _done("shift_begins", lambda: game.upkeep.begin_shift(given["by"], t_ns))
    return f"{'the table is shut:' if at_once else after} {then}"


def dice_placed(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Dice were placed in the shaker, now or `age_h` hours ago (13:69F-9.1)."""
    game = _sic_bo(lifecycle, "dice_placed")
    hours = given.get("age_h", "0")
    number = hours.replace(".", "", 1)
    if not (number.isascii() and number.isdecimal() and len(hours) <= 8):
        raise OrderRefused(f"dice_placed: age_h is {hours!r}; expected hours, such as 2.5")
    return _done("dice_placed", lambda: game.upkeep.place_dice(float(hours), given["by"], t_ns))


def settle_attended(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor is present, and has a round settled whose lamps failed (9.6(b))."""
    game = _sic_bo(lifecycle, "settle_attended")
    number = game.rounds.number
    if not game.settle_attended(t_ns, "supervisor"):
        against = f": {game.settle_refused}" if game.settle_refused is not None else "; settle it with settle"
        raise OrderRefused(f"settle_attended: no round waits for a supervisor{against}")
    return f"round {number} is settled; play ceases until lamp_board is repaired and cleared"


def _sic_bo(lifecycle: TableLifecycle, verb: str) -> SicBoGame:
    game = lifecycle.game
    if not isinstance(game, SicBoGame):
        raise not_of_game(verb, lifecycle)
    return game


def _done(verb: str, act: Callable[[], str]) -> str:
    try:
        return act()
    except NotNowError as error:
        raise OrderRefused(f"{verb}: {error}") from error


ORDERS = (
    Verb("inspect_dice", inspect_dice, needs=("dice", "by")),
    Verb("lamp_test", lamp_test, needs=("by",)),
    Verb("operate_shaker", operate_shaker, needs=("by",)),
    Verb("shift_begins", shift_begins, needs=("by",)),
    Verb("dice_placed", dice_placed, needs=("by",), takes=("age_h",)),
    Verb("settle_attended", settle_attended, needs=("by",)),
)
