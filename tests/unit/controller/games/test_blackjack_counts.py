"""The dealer's hand of blackjack against an oracle that tries every value of every ace."""

from __future__ import annotations

from itertools import product

import pytest

from controller.games.blackjack.counts import complete, hand_of, natural, total, well_dealt

RANKS = "A23456789TJQK"


def counts(cards: tuple[str, ...]) -> set[int]:
    """Every count of a hand."""
    worth = [(1, 11) if card == "A" else (min(RANKS.index(card) + 1, 10),) for card in cards]
    return {sum(values) for values in product(*worth)}


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_hand_counts_the_best_that_does_not_exceed_21(size: int) -> None:
    for ranks in product(RANKS, repeat=size):
        every = counts(ranks)
        best = max((one for one in every if one <= 21), default=min(every))
        hand = [f"{rank}s" for rank in ranks]
        assert total(hand) == best, ranks
        assert complete(hand) == (best >= 17), ranks
        assert natural(hand) == (size == 2 and best == 21), ranks


@pytest.mark.parametrize(
    ("cards", "well"),
    [
        ("Ts 7d", True),
        ("As 6d", True),  # a soft 17 stays
        ("Ts 6d", False),
        ("Ts 6d 5h", True),
        ("Ts 7d 2h", False),
        ("Ts", False),
        ("As Ad As As As As As", True),  # 17 in the end, with one ace of eleven
    ],
)
def test_a_dealers_hand_ends_at_17_and_not_before(cards: str, well: bool) -> None:
    assert well_dealt(cards.split()) is well


def test_a_natural_is_an_ace_and_a_ten_in_two_cards() -> None:
    assert hand_of(["As", "Kd"]) == {"cards": ["As", "Kd"], "total": 21, "blackjack": True}
    assert not hand_of(["7s", "7d", "7h"])["blackjack"]
