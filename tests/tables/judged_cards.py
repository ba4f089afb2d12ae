"""Rounds of a simulated table of cards, of which some have a fault, held against the truth of the simulator."""

from __future__ import annotations

import random

from controller.bench.simulation import Score, simulate
from controller.configuration.values import TableConfig
from feed import events


def judge(config: TableConfig, fault: str, rounds: int, seed: int) -> Score:
    """Plays rounds of which some have the fault; every verdict but an outcome has a reason of the truth."""
    rng = random.Random(seed)
    score = Score()
    plan: dict[int | None, str] = {number: fault for number in range(1, rounds + 1) if rng.random() < 0.4}
    for played in simulate(config, rounds, seed, {1: fault, **plan}):
        score.add(played)
        if played.truth is None:
            continue
        refused = [one.data for one in played.events if isinstance(one.data, events.Void | events.Unresolved)]
        assert [one.reason for one in refused if one.reason not in played.truth.reasons] == [], played.truth
    assert score.unsupported == []
    assert score.refused == []
    assert score.verdicts.total() == rounds, score.verdicts
    return score
