"""Dice tables as state machines: hypothesis chooses what dealers, sensors and faults do, and shrinks what goes wrong.

What is done, and what may come of it, is that of the lives in `test_tumbled_life`, `test_sic_bo_tables` and
`test_craps_table_life`. A quick share runs always; in the soak each table takes 50,000 steps.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from feed import events
from tests.property import test_craps_table_life as craps
from tests.property import test_sic_bo_tables as sic_bo
from tests.property import test_tumbled_life as tumbled

LUCK = st.randoms(use_true_random=False)
"""Where an act itself has a choice, hypothesis makes it."""


class Cage(RuleBasedStateMachine):
    """Chuck-a-luck with a cage and a keypad."""

    def __init__(self) -> None:
        super().__init__()
        self.evening = tumbled.Evening(3, Random(0))

    @rule(what=st.sampled_from(tumbled.STEPS), luck=LUCK)
    def happens(self, what: str, luck: Random) -> None:
        self.evening.rng = luck
        self.evening.step(what)

    def teardown(self) -> None:
        self.evening.rng = Random(0)
        tumbled.end(self.evening)


class SicBo(RuleBasedStateMachine):
    """Sic bo, with every kind of shaker and of values."""

    @initialize(name=st.sampled_from(sorted(sic_bo.TABLES)))
    def opens(self, name: str) -> None:
        self.bench = sic_bo.bench_of(name)
        self.judge = sic_bo.Judge(self.bench)

    @rule(luck=LUCK)
    def happens(self, luck: Random) -> None:
        sic_bo.act(self.bench, luck)

    @rule(away_s=st.sampled_from([1.0, 60.0, 4 * 3600.0, 30 * 3600.0]))
    def is_started_again(self, away_s: float) -> None:
        self.bench = self.bench.rebooted(away_s)
        self.judge = sic_bo.Judge(self.bench, self.judge)

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        sic_bo.bring_back(self.bench)
        before = len(self.bench.said.of(events.Outcome))
        sic_bo.play(self.bench, "4-2-1")
        assert len(self.bench.said.of(events.Outcome)) == before + 1, self.bench.said.story()[-14:]
        assert not self.bench.answers.lines_on, "an output was left on"


class Craps(RuleBasedStateMachine):
    """Craps and mini-craps, keyed, read by a board, or both."""

    @initialize(seed=st.integers(0, 5))
    def opens(self, seed: int) -> None:
        self.life = craps.Life(seed)

    @rule(luck=LUCK)
    def happens(self, luck: Random) -> None:
        self.life.rng = luck
        self.life.step()

    def teardown(self) -> None:
        if hasattr(self, "life"):
            self.life.rng = Random(0)
            self.life.back_to_play()


MACHINES = (Cage, SicBo, Craps)


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_that_happens_at_a_table_gives_what_the_rules_do_not_allow(
    machine: type[RuleBasedStateMachine],
) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=8, stateful_step_count=25, deadline=None))


@pytest.mark.soak
@pytest.mark.parametrize("machine", MACHINES)
def test_fifty_thousand_steps_at_a_table_give_nothing_that_the_rules_do_not_allow(
    machine: type[RuleBasedStateMachine],
) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=1_000, stateful_step_count=50, deadline=None))
