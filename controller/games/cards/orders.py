"""Orders of every table of cards: shuffled cards, cards drawn in error, hands, and the stages of a round."""

from __future__ import annotations

import re
from typing import Final

from controller.games.cards.cutting import cut_wrong, cutting_card_wrong
from controller.games.cards.game import CardGame
from controller.games.cards.on_table import USES
from controller.games.cards.shuffling import LoadRefusedError
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_of_game, not_one_of
from controller.table.phase import RUNNING
from hal.wording import counted

METHODS: Final = ("shuffler", "hand")
DECK_NAME: Final = re.compile(r"[a-z0-9]{1,12}")
"""How a dealer names a deck: `1`, `red`."""


def new_shoe(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Shuffled and cut cards are in the shoe; cards burned before the table is cleared do not count."""
    game = card_game(lifecycle, "new_shoe")
    refuse_while_dealt(game, "new_shoe")
    deck = given.get("deck", "")
    if deck and DECK_NAME.fullmatch(deck) is None:
        raise OrderRefused(f"new_shoe: deck {deck!r}: name it with up to 12 small letters or digits, such as red")
    procedure = game.rules.procedure
    wrong = (
        cut_wrong(procedure, len(game.stack), _number("cut", given)) if "cut" in given else None,
        cutting_card_wrong(procedure, len(game.stack), _number("behind", given)) if "behind" in given else None,
    )
    for why in wrong:
        if why is not None:
            raise OrderRefused(f"new_shoe: {why}; cut the cards again")
    taken = _from_shuffler(game, given, t_ns)
    batch = None if game.shuffler is None else game.shuffler.in_play
    how = {"method": "hand" if batch is None else "shuffler", "batch": batch}
    keyed = {key: int(given[key]) for key in ("cut", "behind") if key in given}
    due = game.new_shoe(t_ns, given["by"], deck, **how, **keyed)
    burn = game.shoe.book.burn_due
    if due:
        what = f"burn {burn} of them" if burn else "burn what the house burns"
        return f"the cards are shuffled{taken}; {what}, then clear device=shoe"
    return f"the cards are shuffled{taken}" + (f"; burn {burn} of them" if burn else "; none were due")


def _from_shuffler(game: CardGame, given: GivenKeys, t_ns: int) -> str:
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
    game = card_game(lifecycle, "break_up")
    if game.rounds.phase is RUNNING or game.dealing.excess:
        raise OrderRefused(f"break_up: round {game.rounds.number} is being dealt or decided: finish it, or void it")
    return f"the stack is broken up; {counted(game.break_up(t_ns), 'card')} opened"


def shuffler_removed(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The shuffler is off the table, where no sensor reports it: the cards may be shuffled by hand."""
    return _moved(lifecycle, "shuffler_removed", given["by"], t_ns, to_table=False)


def shuffler_placed(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The shuffler is at the table again, where no sensor reports it."""
    return _moved(lifecycle, "shuffler_placed", given["by"], t_ns, to_table=True)


def _moved(lifecycle: TableLifecycle, verb: str, by: str, t_ns: int, *, to_table: bool) -> str:
    game = card_game(lifecycle, verb)
    shuffler = game.shuffler
    if shuffler is None:
        raise OrderRefused(f"{verb}: this table has no shuffler")
    if shuffler.sensed:
        raise OrderRefused(f"{verb}: its sensor reports where the shuffler is (present_sensor)")
    shuffler.moved(to_table=to_table)
    game.carrying.shuffler_moved(t_ns, by, to_table=to_table)
    return "the shuffler is at the table" if to_table else "the shuffler is removed from the table"


def _number(key: str, given: GivenKeys) -> int:
    text = given[key]
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise OrderRefused(f"new_shoe: {key} is {text!r}; expected a number of cards")
    return int(text)


def reshuffle(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor has the cards shuffled before another round is dealt."""
    game = card_game(lifecycle, "reshuffle")
    return _due(game, t_ns, f"{given['by']} has the cards shuffled")


def new_dealer(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Another dealer has come to the table: by the text the cards are shuffled."""
    game = card_game(lifecycle, "new_dealer")
    relief = game.rules.relief
    if relief is None:
        raise OrderRefused(f"new_dealer: {game.rules.section} has nothing done with the cards then")
    return _due(game, t_ns, f"{given['by']} relieves another dealer ({relief.cite})")


def excess_card(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Cards that were drawn in error are discarded, or used as the next ones."""
    game = card_game(lifecycle, "excess_card")
    dealing, use = game.dealing, USES.get(given["use"])
    if use is None or use not in dealing.uses:
        raise OrderRefused(f"excess_card: {not_one_of('use', given['use'], dealing.uses)}")
    if not dealing.excess:
        raise OrderRefused("excess_card: no card has left that belongs to nothing")
    return dealing.use_excess(t_ns, use)


def face_up_card(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer found a card face up in the shoe, or drew one: it is not used."""
    game = card_game(lifecycle, "face_up_card")
    if game.rules.face_up is None:
        raise OrderRefused(f"face_up_card: {game.rules.section} says nothing of a card that is found face up")
    which = given["card"]
    if which not in ("next", "last"):
        raise OrderRefused(f"face_up_card: {not_one_of('card', which, ('next', 'last'))}")
    if not game.rounds.undecided:
        number = game.rounds.number
        raise OrderRefused(f"face_up_card: round {number} is not being dealt; correct its result, if it is wrong")
    if which == "last" and not game.dealing.take_back():
        raise OrderRefused("face_up_card: no card of this round has left that could be taken back")
    return game.dealing.found_face_up(t_ns, next_card=which == "next")


def announce(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer announces the next stage of the round, or acts on it: closes raises, turns a card, plays the hand."""
    game = card_game(lifecycle, "announce")
    stage = game.dealing.stage
    if stage is None:
        raise OrderRefused(f"announce: round {game.rounds.number} has nothing to announce now")
    game.dealing.announce(t_ns, "dealer")
    return stage


def card_game(lifecycle: TableLifecycle, verb: str) -> CardGame:
    """The game, where it is one of cards.

    Raises:
        OrderRefused: it is not.
    """
    game = lifecycle.game
    if not isinstance(game, CardGame):
        raise not_of_game(verb, lifecycle)
    return game


def refuse_while_dealt(game: CardGame, verb: str) -> None:
    """Raises `OrderRefused` while a round is being dealt."""
    if game.rounds.phase is RUNNING:
        raise OrderRefused(f"{verb}: round {game.rounds.number} is being dealt: finish it, or void it")


def _due(game: CardGame, t_ns: int, why: str) -> str:
    if game.terms.fresh_each_round:
        return "each round is dealt from shuffled cards: new_shoe before the next one"
    news = game.reshuffle.order(t_ns, why, at_once=True)
    return "the cards are shuffled before another round is dealt" if news else "the cards are to be shuffled already"


ORDERS: Final = (
    Verb("new_shoe", new_shoe, needs=("by",), takes=("deck", "method", "cut", "behind")),
    Verb("break_up", break_up, needs=("by",)),
    Verb("shuffler_removed", shuffler_removed, needs=("by",)),
    Verb("shuffler_placed", shuffler_placed, needs=("by",)),
    Verb("excess_card", excess_card, needs=("use", "by")),
    Verb("face_up_card", face_up_card, needs=("card", "by")),
    Verb("announce", announce, needs=("by",)),
    Verb("reshuffle", reshuffle, needs=("by",)),
    Verb("new_dealer", new_dealer, needs=("by",)),
)
