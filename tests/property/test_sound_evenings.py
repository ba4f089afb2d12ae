"""Sound rounds at one table, one after another as an evening has them: each has its outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.bench.simulation import Score, simulate
from tests.tables.bench import configured

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.toml"))
ROUNDS = 500
"""An evening of a quick game, or some of a slow one."""
ONE_SPIN_IN = 250
"""A money wheel of 100 slots leaves about one sound spin in 400 to the dealer: the edges of a wheel that rocks at its
end can be those of one that lost a pulse."""


def scored(name: str, rounds: int, seed: int) -> Score:
    """What sound rounds of an example were judged to be."""
    score = Score()
    for played in simulate(configured((EXAMPLES / f"{name}.toml").read_text()), rounds, seed, {}):
        score.add(played)
    assert score.rounds == rounds
    assert score.unsupported == []
    return score


def test_a_rotor_that_is_turned_one_way_and_then_the_other_makes_no_ball_of_an_earlier_round_a_second_one() -> None:
    assert scored("house_roulette", 100, 11).refused == []


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", NAMES)
def test_sound_rounds_of_evenings_have_their_outcomes(name: str, seed: int) -> None:
    refused = scored(name, ROUNDS, seed).refused
    assert len(refused) <= (ROUNDS // ONE_SPIN_IN if "money_wheel" in name else 0), refused
