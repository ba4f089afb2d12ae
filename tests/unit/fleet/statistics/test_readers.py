"""Readers of cards that are held against each other: exact chances, what is suspected, and what is compared at all."""

from __future__ import annotations

from math import comb

import pytest

from fleet.statistics.readers import Counts, judge_readers, tail


@pytest.mark.parametrize("hits", range(6))
def test_the_chance_of_as_many_is_that_of_all_choices(hits: int) -> None:
    ways = sum(comb(5, one) * comb(15, 8 - one) for one in range(hits, 6))
    assert tail(hits, 5, 8, 20) == pytest.approx(ways / comb(20, 8))


def test_a_chance_without_a_choice_is_one() -> None:
    assert tail(3, 5, 18, 20) == 1.0
    assert tail(0, 0, 8, 20) == 1.0


def test_a_reader_that_is_worse_than_all_of_its_game_together_is_suspected() -> None:
    found = judge_readers(
        [
            Counts("hall", "b-1", "baccarat", 1000, 2),
            Counts("hall", "b-2", "baccarat", 1000, 14),
            Counts("hall", "b-3", "baccarat", 1000, 1),
            Counts("hall", "r-1", "roulette", 1000, 0),
            Counts("hall", "j-1", "blackjack", 1000, 30),
        ]
    )
    assert [(one.table, one.expected, one.suspected) for one in found] == [
        ("b-1", pytest.approx(17 / 3), False),
        ("b-2", pytest.approx(17 / 3), True),
        ("b-3", pytest.approx(17 / 3), False),
        ("j-1", None, False),
    ]
    assert found[1].adjusted_p == pytest.approx(3 * tail(14, 17, 1000, 3000))
