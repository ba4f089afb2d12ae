"""What an order has kept of the one before: exact chances, also of copies, unknown cards and ranks; what is found."""

from __future__ import annotations

from cmath import exp as turn
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import permutations
from math import exp, isclose, log, pi
from random import Random

import pytest

from drivers.cards.card_wire import DECK
from feed.excess import Excess
from feed.shuffle_order import (
    ORDERS,
    Known,
    OrderWatch,
    alike,
    log_survival,
    pairs_kept,
    places_kept,
    runs_kept,
)

FALSE_ALARM = 0.001
Chances = Callable[[Known, Sequence[str]], tuple[list[float], int]]
Shuffle = Callable[[list[str], Random], list[str]]

ORDERS_BEFORE: list[list[str | None]] = [
    ["As", "2s", "3s", "4s", "5s", "6s"],
    ["As", "As", "2s", "3s", "2s", "2s"],
    ["As", None, "2s", "2s", None, "3s"],
    ["A", "A", "2", "3", "3", "3"],
    [None, None, None, "As", "As", None],
]
AFTER = [
    ("As", "2s", "3s", "4s", "5s", "6s"),
    ("As", "As", "2s", "2s", "2s", "3s"),
    ("As", "2s", "2s", "3s", "3s", "4s"),
    ("As", "Ah", "2h", "3s", "3d", "3c"),
    ("As", "As", "2s", "2s", "3s", "4s"),
]


CASES = [*zip(ORDERS_BEFORE, AFTER, strict=True)]


@pytest.mark.parametrize("chances", [pairs_kept, runs_kept], ids=["pairs", "runs"])
@pytest.mark.parametrize(("before", "cards"), CASES)
def test_over_all_orders_a_stake_on_what_is_kept_is_worth_what_it_was(
    chances: Chances, before: list[str | None], cards: tuple[str, ...]
) -> None:
    worth, expected, kept, number = 0.0, 0.0, 0, 0
    for order in permutations(cards):
        stake = Excess()
        stake.take_each(*chances(*alike(before, order)))
        worth += exp(stake.log_odds)
        expected += stake.expected
        kept += stake.hits
        number += 1
    assert isclose(worth / number, 1.0, rel_tol=1e-9)
    assert isclose(expected, kept, rel_tol=1e-9)
    assert kept > 0


def larger(before: Known, cards: Sequence[str]) -> float:
    """The larger mean of the two exponential variables, of 1 on the average, by the scores of the cards."""
    ordered, after = alike(before, cards)
    places: dict[str, list[complex]] = {}
    for at, card in enumerate(ordered):
        if card is not None:
            places.setdefault(card, []).append(turn(2j * pi * at / len(ordered)))
    scores = [sum(places[card]) / len(places[card]) if card in places else 0j for card in after]
    middle = sum(scores) / len(scores)
    off = [one - middle for one in scores]
    return 1 + abs(sum(one * one for one in off)) / sum(abs(one) ** 2 for one in off)


@pytest.mark.parametrize(("decks", "known"), [(1, 13), (2, 52)])
def test_places_of_fair_shuffles_are_not_suspected_more_often_where_a_part_of_the_order_is_known(
    decks: int, known: int
) -> None:
    """The dealt part of a shoe is one arc of the circle, so that both directions vary together."""
    rng, number, cards = Random(1), 2000, [*DECK] * decks
    values = []
    for _ in range(number):
        before = [*rng.sample(cards, known), *[None] * (len(cards) - known)]
        values.append(places_kept(before, rng.sample(cards, len(cards))))
    assert sum(log_survival(value, 2) < log(0.01) for value in values) <= 0.01 * number


@pytest.mark.parametrize(("before", "cards"), CASES)
def test_over_all_orders_the_mean_of_the_correlation_of_places_is_that_of_two_exponential_variables(
    before: list[str | None], cards: tuple[str, ...]
) -> None:
    values = [places_kept(*alike(before, order)) for order in permutations(cards)]
    # The exact mean, 2 where all places are known and differ, over that of the larger variable.
    assert isclose(sum(values) / len(values), 2.0 / larger(before, cards), rel_tol=1e-9)


def test_what_is_kept_of_small_orders() -> None:
    assert pairs_kept("ABCDE", "ABEDC")[1] == 3  # AB, ED, DC
    assert runs_kept("ABCDE", "ADBEC")[1] == 3  # B after A, E after D, C after B
    assert runs_kept("ABCDE", "EDCBA")[1] == 0
    assert runs_kept("AABB", "ABAB")[1] == 2  # the second A after the first, and its B after that
    same, cut = places_kept("ABCDEFGH", "ABCDEFGH"), places_kept("ABCDEFGH", "FGHABCDE")
    assert same == pytest.approx(cut)
    assert same == pytest.approx(places_kept("ABCDEFGH", "HGFEDCBA"))
    assert places_kept([None] * 8, "ABCDEFGH") == 0.0


def test_ranks_are_compared_where_a_suit_is_not_known() -> None:
    assert alike(["9s", None, "JK"], ["9s", "JK"]) == (["9s", None, "JK"], ["9s", "JK"])
    assert alike(["9", None, "JK", "As"], ["9s", "JK"]) == (["9", None, "JK", "A"], ["9", "JK"])


def test_the_survival_of_a_sum_of_exponential_variables() -> None:
    assert exp(log_survival(3.0, 1)) == pytest.approx(exp(-3))
    assert exp(log_survival(3.0, 2)) == pytest.approx(4 * exp(-3))
    assert log_survival(0.0, 20) == pytest.approx(0.0)


def riffle(cards: list[str], rng: Random) -> list[str]:
    """The shuffle of Gilbert, Shannon and Reeds."""
    left = [rng.random() < 0.5 for _ in cards]
    top, rest = iter(cards[: sum(left)]), iter(cards[sum(left) :])
    return [next(top) if one else next(rest) for one in left]


def cut(cards: list[str], rng: Random) -> list[str]:
    at = rng.randrange(len(cards))
    return cards[at:] + cards[:at]


def fair(cards: list[str], rng: Random) -> list[str]:
    return rng.sample(cards, len(cards))


def nearby(cards: list[str], rng: Random) -> list[str]:
    """Each card stays near its place; no pair and no run is kept on purpose."""
    places = {at: at + rng.uniform(-26, 26) for at in range(len(cards))}
    return [cards[at] for at in sorted(places, key=places.__getitem__)]


def times(number: int, shuffle: Shuffle) -> Shuffle:
    return lambda cards, rng: reduce(lambda one, _: shuffle(one, rng), range(number), cards)


def found(shuffle: Shuffle, decks: int, seed: int, orders: int = ORDERS) -> dict[int, str]:
    """In which shuffle of a window something is found, and what."""
    rng, watch = Random(seed), OrderWatch(FALSE_ALARM)
    before = fair([*DECK] * decks, rng)
    said = {}
    for number in range(1, orders + 1):
        after = cut(shuffle(before, rng), rng)
        kept = watch.shuffled(before, after)
        if kept is not None:
            said[number] = kept.what
        before = after
    return said


@pytest.mark.parametrize("decks", [1, 8])
@pytest.mark.parametrize(
    "shuffle",
    [lambda cards, rng: cards, cut, lambda cards, rng: cards[::-1], riffle],
    ids=["as is", "cut", "turned", "riffle"],
)
def test_a_shuffler_that_does_not_shuffle_is_found_at_its_first_order(shuffle: Shuffle, decks: int) -> None:
    assert [*found(shuffle, decks, 1)] == [1]


def test_weak_shuffles_are_found_within_a_window_by_pairs_runs_or_places() -> None:
    assert set(found(times(5, riffle), 1, 1).values()) == {"runs"}
    assert set(found(lambda cards, rng: times(5, riffle)(cards[::-1], rng), 1, 1).values()) == {"runs"}
    assert set(found(times(3, riffle), 8, 1).values()) == {"pairs"}
    assert set(found(nearby, 1, 3).values()) == {"places"}


@pytest.mark.parametrize("decks", [1, 8])
def test_fair_shuffles_are_not_suspected(decks: int) -> None:
    assert found(fair, decks, 5, 40) == {}


def test_a_window_finds_something_once_and_the_next_one_again() -> None:
    assert [*found(riffle, 1, 1, 2 * ORDERS + 1)] == [1, ORDERS + 1, 2 * ORDERS + 1]
