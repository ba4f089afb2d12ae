"""The ranks of poker hands: every class of five cards, counted against the known frequencies of 2,598,960 hands."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import comb, prod

import pytest

from controller.games.fixed_hands.poker import RANKS, qualifies, rank_of
from controller.games.fixed_hands.rules import CaribbeanStudRules
from controller.rules.profile import profile

LOW_TO_HIGH = "23456789TJQKA"
KNOWN = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
    "two_pairs": 123_552,
    "one_pair": 1_098_240,
    "high_card": 1_302_540,
}
SUITS = "shdc"


def dealt(ranks: tuple[str, ...]) -> list[str]:
    """Cards of these ranks, not all of one suit."""
    seen: Counter[str] = Counter()
    cards = []
    for number, rank in enumerate(ranks):
        suit = SUITS[seen[rank]] if ranks.count(rank) > 1 else SUITS[number % 2]
        seen[rank] += 1
        cards.append(rank + suit)
    return cards


def test_every_class_of_hands_comes_as_often_as_it_is_known_to() -> None:
    counts: Counter[str] = Counter()
    good: Counter[bool] = Counter()
    for ranks in combinations_with_replacement(LOW_TO_HIGH, 5):
        alike = Counter(ranks)
        if max(alike.values()) > 4:
            continue
        hands = prod(comb(4, times) for times in alike.values())
        if len(alike) == 5:
            flush = [f"{rank}s" for rank in ranks]
            counts[rank_of(flush)] += 4
            good[qualifies(flush)] += 4
            hands -= 4
        counts[rank_of(dealt(ranks))] += hands
        good[qualifies(dealt(ranks))] += hands
    assert counts == KNOWN
    assert good.total() == 2_598_960
    # Ace and king in five different ranks, neither in order nor of one suit: C(11,3) sets but the straight.
    assert good[True] == sum(KNOWN.values()) - KNOWN["high_card"] + (comb(11, 3) - 1) * (4**5 - 4)


def test_the_ranks_are_those_of_the_text_in_its_order() -> None:
    rules = profile("njac-13:47-20").text("caribbean_stud", CaribbeanStudRules)
    assert (*rules.ranks.value, "high_card") == RANKS == tuple(KNOWN)


@pytest.mark.parametrize(
    ("cards", "rank", "good"),
    [
        ("As Kd 4h 3c 2s", "high_card", True),
        ("As Qd Jh Tc 9s", "high_card", False),
        ("As 2d 3h 4c 5s", "straight", True),
        ("2s 2d 3h 4c 6s", "one_pair", True),
        ("Ts Js Qs Ks As", "royal_flush", True),
        ("As 2s 3s 4s 5s", "straight_flush", True),
        ("Ks As 2s 3s 4s", "flush", True),
    ],
)
def test_a_hand_of_ace_king_four_three_two_or_better_qualifies(cards: str, rank: str, good: bool) -> None:
    assert (rank_of(cards.split()), qualifies(cards.split())) == (rank, good)


def test_without_the_low_ace_five_to_ace_is_no_straight() -> None:
    hand = ["As", "2d", "3h", "4c", "5s"]
    assert (rank_of(hand, ace_low=False), qualifies(hand, ace_low=False)) == ("high_card", False)
