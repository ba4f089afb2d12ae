"""No tumbler says that dice were tumbled when they were not, however its lines are corrupted.

The truth comes from `tests.oracle.tumbling`, which lists what no software can see.
"""

from __future__ import annotations

import pytest

from tests.oracle.corruptions import Corruption, nothing
from tests.oracle.tumbling import ANY, TUMBLERS, judge

SEEDS = 6
SOAK_SEEDS = 1_000


def check(tumbler: str, corruption: Corruption, seeds: range) -> tuple[int, int]:
    """Judges the runs of these seeds: how many tumbles were claimed, and how many there were."""
    judged = [judge(tumbler, seed, corruption) for seed in seeds]
    assert [(seed, one.what, one.false) for seed, one in zip(seeds, judged, strict=True) if one.false] == []
    return sum(one.tumbled for one in judged), sum(one.good for one in judged)


@pytest.mark.parametrize("tumbler", TUMBLERS)
@pytest.mark.parametrize("corruption", ANY, ids=lambda c: c.__name__)
def test_no_tumble_is_false_under(tumbler: str, corruption: Corruption) -> None:
    check(tumbler, corruption, range(SEEDS))


@pytest.mark.soak
@pytest.mark.parametrize("tumbler", TUMBLERS)
@pytest.mark.parametrize("corruption", ANY, ids=lambda c: c.__name__)
def test_no_tumble_of_many_is_false_under(tumbler: str, corruption: Corruption) -> None:
    check(tumbler, corruption, range(SEEDS, SOAK_SEEDS))


@pytest.mark.parametrize("tumbler", TUMBLERS)
def test_on_clean_lines_every_tumble_is_told(tumbler: str) -> None:
    claimed, good = check(tumbler, nothing, range(1000, 1060))
    assert claimed == good > 20
