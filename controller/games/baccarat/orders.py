"""Orders of baccarat: a new shoe, its shuffler, the stack, and what becomes of a card that was dealt in excess."""

from __future__ import annotations

from typing import Final, get_args

from controller.games.baccarat.rounds import BaccaratGame, Use
from controller.games.cards.cutting import cut_wrong, cutting_card_wrong
from controller.games.cards.shuffling import LoadRefusedError
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_one_of
from controller.table.phase import RUNNING
from controller.table.wording import counted

METHODS: Final = ("shuffler", "hand")
USES: Final[dict[str, Use]] = {use: use for use in get_args(Use)}


def new_shoe(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Shuffled and cut cards are in the shoe; cards burned before the table is cleared count for nothing."""
    game = _baccarat(lifecycle, "new_shoe")
    if game.phase is RUNNING:
        raise OrderRefused(f"new_shoe: round {game.round} is being dealt: finish it, or void it")
    wrong = (
        cut_wrong(game.procedure, game.stack, _number("cut", given)) if "cut" in given else None,
        cutting_card_wrong(game.procedure, game.stack, _number("behind", given)) if "behind" in given else None,
    )
    for why in wrong:
        if why is not None:
            raise OrderRefused(f"new_shoe: {why}; cut the cards again")
    taken = _from_shuffler(game, given, t_ns)
    method = "shuffler" if taken and game.shuffler is not None and game.shuffler.in_play is not None else "hand"
    batch = None if game.shuffler is None else game.shuffler.in_play
    keyed = {key: int(given[key]) for key in ("cut", "behind") if key in given}
    if game.new_shoe(t_ns, by=given["by"], method=method, batch=batch, **keyed):
        return f"the cards are shuffled{taken}; burn what the house burns, then clear device=shoe"
    return f"the cards are shuffled{taken}; none were due"


def _from_shuffler(game: BaccaratGame, given: GivenKeys, t_ns: int) -> str:
    """Where the table has a shuffler, its batch is taken, or the cards were shuffled by hand."""
    method = given.get("method", "hand" if game.shuffler is None else "shuffler")
    if method not in METHODS:
        raise OrderRefused(f"new_shoe: {not_one_of('method', method, METHODS)}")
    if game.shuffler is None:
        if method == "shuffler":
            raise OrderRefused("new_shoe: this table has no shuffler; shuffle by hand (method=hand)")
        return ""
    try:
        return f" ({game.shuffler.take(t_ns, by_hand=method == 'hand')})"
    except LoadRefusedError as refused:
        raise OrderRefused(f"new_shoe: {refused}") from refused


def break_up(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The stack is broken up: what left it unexposed is opened, and it is not dealt any more."""
    game = _baccarat(lifecycle, "break_up")
    if game.phase is RUNNING or game.excess:
        raise OrderRefused(f"break_up: round {game.round} is being dealt or decided: finish it, or void it")
    return f"the stack is broken up; {counted(game.break_up(t_ns), 'card')} opened"


def shuffler_removed(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The shuffler is off the table, where no sensor reports it: the cards may be shuffled by hand."""
    return _moved(lifecycle, "shuffler_removed", to_table=False)


def shuffler_placed(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The shuffler stands at the table again, where no sensor reports it."""
    return _moved(lifecycle, "shuffler_placed", to_table=True)


def _moved(lifecycle: TableLifecycle, verb: str, *, to_table: bool) -> str:
    shuffler = _baccarat(lifecycle, verb).shuffler
    if shuffler is None:
        raise OrderRefused(f"{verb}: this table has no shuffler")
    if shuffler.sensed:
        raise OrderRefused(f"{verb}: its sensor reports where the shuffler stands (present_sensor)")
    shuffler.moved(to_table=to_table)
    return "the shuffler stands at the table" if to_table else "the shuffler is removed from the table"


def _number(key: str, given: GivenKeys) -> int:
    text = given[key]
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise OrderRefused(f"new_shoe: {key} is {text!r}; expected a number of cards")
    return int(text)


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
    Verb("new_shoe", new_shoe, needs=("by",), takes=("method", "cut", "behind")),
    Verb("break_up", break_up, needs=("by",)),
    Verb("shuffler_removed", shuffler_removed, needs=("by",)),
    Verb("shuffler_placed", shuffler_placed, needs=("by",)),
    Verb("excess_card", excess_card, needs=("use", "by")),
)
