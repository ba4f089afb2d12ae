"""The hands of red dog against an independent oracle: all 13^3 ordered deals of three ranks."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import pytest

from controller.games.red_dog.rules import RedDogRules
from controller.games.red_dog.spread import decided, spread_of, value
from controller.rules.profile import profile
from drivers.cards.card_wire import DECK

RANKS = "23456789TJQKA"
"""From the lowest to the highest, as 13:47-20.31(a)2ii has them."""
RULES = profile("njac-13:47-20").text("red_dog", RedDogRules)
PAID = {1: "5 to 1", 2: "4 to 1", 3: "2 to 1"}


def oracle(first: str, second: str, third: str) -> tuple[str, int | None, bool | None, str | None, int]:
    """Kind, spread, whether the players win, the odds, and how many cards are dealt, by counting the cards between."""
    low, high = sorted((RANKS.index(first), RANKS.index(second)))
    between = RANKS[low + 1 : high]
    if first == second:
        return ("three_of_a_kind", None, True, "11 to 1", 3) if third == first else ("pair", None, None, None, 3)
    if not between:
        return "consecutive", None, None, None, 2
    wins = third in between
    return "spread", len(between), wins, PAID.get(len(between), "1 to 1") if wins else None, 3


@pytest.mark.parametrize("first", RANKS)
def test_every_deal_of_three_ranks_is_decided_as_the_text_has_it(first: str) -> None:
    for second, third in product(RANKS, RANKS):
        kind, spread, wins, odds, cards = oracle(first, second, third)
        dealt = [f"{first}s", f"{second}h", f"{third}d"][:cards]
        result = decided(dealt)
        assert result is not None, dealt
        assert (result["kind"], result.get("spread"), result.get("wins")) == (kind, spread, wins), dealt
        assert {bet.odds for bet in RULES.winning(result)} == ({odds} if odds else set()), dealt
        assert {bet.bet for bet in RULES.winning(result)} == (
            set() if odds is None else {"wager"} if kind == "three_of_a_kind" else {"wager", "raise"}
        )
        assert bool(RULES.announcement(result)) == (kind != "spread")


def test_no_other_number_of_cards_is_a_round() -> None:
    for first, second in product(RANKS, RANKS):
        complete = decided([f"{first}s", f"{second}h"])
        assert (complete is not None) == (oracle(first, second, "2")[0] == "consecutive")
        if complete is not None:
            assert decided([f"{first}s", f"{second}h", "2d"]) is None
    assert decided([]) is decided(["9s"]) is decided(["2s", "9h", "4d", "5c"]) is None


def test_the_examples_of_the_text_are_its_spreads() -> None:
    assert spread_of("4s", "7d") == 2  # 20.31(d)11i
    assert spread_of("9s", "Kd") == 3  # 20.31(d)11ii
    assert spread_of("2s", "Ad") == 11
    assert [value(f"{rank}s") for rank in RANKS] == list(range(2, 15))


def test_the_deals_of_a_deck_come_as_often_as_they_are_counted() -> None:
    """By counting: of 52 × 51 first two cards 3/51 are a pair, and 2 × 12 × 16 consecutive."""
    kinds: Counter[str] = Counter()
    for first, second in permutations(DECK, 2):
        result = decided([first, second])
        kinds["consecutive" if result else "pair" if first[0] == second[0] else "spread"] += 1
    assert kinds == {"pair": 52 * 3, "consecutive": 2 * 12 * 16, "spread": 52 * 51 - 52 * 3 - 2 * 12 * 16}
