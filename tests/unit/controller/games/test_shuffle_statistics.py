"""Statistics of a shuffler: a fair one is left alone, a shelf shuffler and a lazy one are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from math import isclose
from random import Random
from statistics import mean

import pytest

from controller.games.cards.shuffle_statistics import ShuffleWatch, chance_of, right_guesses
from drivers.cards.card_wire import DECK

Order = Sequence[str]


def fair(before: Order, rng: Random) -> list[str]:
    return rng.sample(list(before), len(before))


def shelf(before: Order, rng: Random, shelves: int = 10) -> list[str]:
    """Each card goes to the top or the bottom of one of ten shelves; the shelves are unloaded one after the other."""
    stacks: list[list[str]] = [[] for _ in range(shelves)]
    for card in before:
        stack = stacks[rng.randrange(shelves)]
        stack.insert(0 if rng.random() < 0.5 else len(stack), card)
    return [card for stack in stacks for card in stack]


def lazy(before: Order, rng: Random) -> list[str]:
    """A quarter of the deck stays where it is."""
    cards = list(before)
    kept = len(cards) // 4
    return cards[:kept] + rng.sample(cards[kept:], len(cards) - kept)


def warnings(shuffle: Callable[[Order, Random], list[str]], orders: int, seed: int, *, before: bool = True) -> set[str]:
    watch, rng = ShuffleWatch(DECK), Random(seed)
    found: set[str] = set()
    for _ in range(orders):
        found |= {warning for warning, _ in watch.shuffled(DECK if before else None, shuffle(DECK, rng))}
    return found


def test_a_shelf_shuffler_gives_about_nine_and_a_half_right_guesses_and_a_fair_one_four_and_a_half() -> None:
    rng = Random(1)
    assert 8.7 < mean(right_guesses(DECK, shelf(DECK, rng)) for _ in range(400)) < 10.3
    assert 4.2 < mean(right_guesses(DECK, fair(DECK, rng)) for _ in range(400)) < 4.9


def test_the_chance_is_exact_for_every_order_of_a_small_deck() -> None:
    deck = "abcde"
    guesses = [right_guesses(deck, order) for order in permutations(deck)]
    for right in range(6):
        assert isclose(chance_of(right, [5]), sum(one >= right for one in guesses) / 120, abs_tol=1e-12)


def test_a_shelf_shuffler_is_found_within_one_look() -> None:
    assert "shuffler_guessable" in warnings(shelf, 20, 1)


def test_a_shuffler_that_leaves_cards_where_they_are_is_found_by_their_positions() -> None:
    assert "shuffler_bias" in warnings(lazy, 200, 1, before=False)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_a_fair_shuffler_is_left_alone(seed: int) -> None:
    assert warnings(fair, 120, seed) == set()


def test_orders_of_other_cards_are_refused() -> None:
    with pytest.raises(ValueError, match="each card once"):
        right_guesses(["9s", "9s"], ["9s", "9s"])
    with pytest.raises(ValueError, match="each card once"):
        right_guesses(["9s", "2s"], ["9s", "3s"])


def test_several_decks_have_positions_and_no_guesses() -> None:
    stack = [*DECK, *DECK]
    watch, rng = ShuffleWatch(stack), Random(1)
    found = [one for _ in range(20) for one in watch.shuffled(stack, shelf(stack, rng))]
    assert "shuffler_guessable" not in {warning for warning, _ in found}
