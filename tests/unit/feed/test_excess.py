"""A stake on hits at fair prices: what it is worth on the average where nothing is wrong, and where something is."""

from __future__ import annotations

from itertools import product
from math import exp, isclose, log

import pytest

from feed.excess import FACTORS, Excess, mean_of_logs


def test_the_stake_is_worth_what_it_was_whatever_each_trial_was_bet_at() -> None:
    """The chance of the next trial depends on the hits before it, as it may."""
    worth = 0.0
    for hits in product((0, 1), repeat=6):
        stake, likely, seen = Excess(), 1.0, 0
        for hit in hits:
            chance = (0.1, 0.5, 0.9)[seen % 3]
            stake.take(chance, hit)
            likely *= chance if hit else 1 - chance
            seen += hit
        worth += likely * exp(stake.log_odds)
    assert isclose(worth, 1.0, rel_tol=1e-12)


def test_trials_in_one_call_are_those_one_by_one() -> None:
    chances, hits = [0.0, 0.25, 0.5, 1.0], [0, 1, 0, 1]
    one_by_one, together = Excess(), Excess()
    for chance, hit in zip(chances, hits, strict=True):
        one_by_one.take(chance, hit)
    together.take_each(chances, 2)
    assert together.log_odds == pytest.approx(one_by_one.log_odds)
    assert (together.trials, together.hits, together.expected) == (4, 2, 1.75)
    many = Excess()
    many.take(0.01, 3, 200)
    assert many.log_odds == pytest.approx(
        mean_of_logs(3 * log(one) - 200 * log(1 + 0.01 * (one - 1)) for one in FACTORS)
    )


def test_hits_at_ten_times_their_chance_are_found_and_at_their_chance_never() -> None:
    found, sound = Excess(), Excess()
    found.take(0.002, 10, 500)
    sound.take(0.002, 10, 5000)
    assert found.log_odds > log(1000)
    assert sound.log_odds < 0
