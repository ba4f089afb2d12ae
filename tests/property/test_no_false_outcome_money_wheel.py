"""No valid outcome from an invalid run, and no wrong space: a money wheel whose lines are corrupted in every way.

The truth comes from `tests.oracle`, which knows neither the drivers nor the simulators. What no software can see is
listed, with the reason, in `tests.oracle.invisible`; the last tests here show the same mistakes seen on other geometry.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import corruptions, judge, money
from tests.oracle.invisible import MIRROR_COUNTS, index_looks_right
from tests.oracle.rounds import money_round, uneven_marks

CHUNK = 100
CHUNKS = 2
"""The soak continues from the same seeds to a million runs (`tests.soak.corrupted_rounds`)."""


def check(seeds: range) -> None:
    """Judges the runs of these seeds; a failure names each seed."""
    judged = [money_round(seed) for seed in seeds]
    assert [r.report() for r in judged if r.wrong] == []
    assert sum(r.outcomes for r in judged) > len(judged) // 20  # else nothing would have been tried


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_outcome_of_a_corrupted_money_wheel_is_false(chunk: int) -> None:
    check(range(chunk * CHUNK, (chunk + 1) * CHUNK))


SEEN_ONCE = (
    42589, 18056, 39921, 44509, 48376, 56376, 82499, 86111, 69887, 91040, 5000525, 26915, 118139, 120814,
    140896, 157587, 169976, 220848, 239066, 250672, 254071, 293124, 302272, 340960,
    374443, 364210, 450506, 451857, 479008, 564782, 609826, 613198, 3009067,
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEN_ONCE)
def test_no_outcome_is_false_of_a_run_that_once_gave_one(seed: int) -> None:
    """42589: its edges end half a second before the wheel is at its furthest, for longer than a rest takes. 18056: they
    end where it turned back, as those of a wheel at rest do. 39921, 44509: it was held nearly as long as a rest.
    48376: after a gap it comes back where it left at full speed. 56376: a wind-up of which the better part was lost.
    82499: one line was stuck in a wind-up. 86111: a wind-up whose edges ended at speed, so that it seemed a spin.
    69887: three slots lost after a turn of a rocking wheel. 91040: one pulse lost there, on two slots a space. 5000525:
    a pulse of noise before the spin, taken for its beginning. 26915: turned back within milliseconds. 118139: a line
    stuck for one count in the last turn, so that it seemed to come back by three counts and then went on. 120814: as
    5000525, with a pulse of 23 ms. 140896: as 18056, from the edge at which it turned. 157587:
    a wind-up whose edges ended at a speed at which no hand stops a wheel. 169976: B was stuck while the wheel rocked.
    220848: as 91040, for three edges. 239066: as 18056, from two counts before it turned. 250672: B was stuck while it
    was pushed back. 254071: a pulse of noise at rest completed the third turn. 293124: noise on A and B in turn hid the
    rest until a nudge. 302272: the index moved a turn after it had proven the count again, and the losses before that
    excused it. 340960: A stuck for two counts, from where it had just risen. 374443: as 18056, the wheel did not turn.
    364210: B was stuck for its last 0.2 s. 450506: its edges end at speed, and one comes back more than a second later.
    451857: as 91040, for an edge that came early. 479008: a wind-up whose first edges were lost. 564782: B was
    stuck while it came back. 609826: its last six counts were lost. 613198: the last edge of B was lost. 3009067:
    three slots were lost of a quick wheel, and the index came later by as many counts.
    """
    assert money_round(seed).wrong == []


def test_an_index_that_moved_between_spins_gives_no_false_outcome() -> None:
    """Seed 103334: it moved by a space while the wheel stood, and a turn by hand might have lost as many counts."""
    assert money_round(103_334).wrong == []


def test_no_outcome_of_a_disc_made_by_hand_is_false() -> None:
    judged = [money_round(seed, marks_off=uneven_marks(Random(seed))) for seed in range(300_000, 300_060)]
    assert [r.report() for r in judged if r.wrong] == []
    assert any(r.outcomes for r in judged)


@pytest.mark.parametrize("slots", [100, 200])
def test_a_disc_made_by_hand_plays(slots: int) -> None:
    """A and B a quarter of a count off: nineteen spins of twenty have their verdict."""
    rounds = undecided = 0
    for seed in range(20):
        rng = Random(seed)
        wheel = money.Wheel(slots=slots, marks_off=(0.0, 0.25, 0.0, 0.25))
        run = money.make_run(rng, wheel, clean=True, spins=3)
        made = corruptions.Corrupted(list(run.edges), [], "nothing")
        seen = judge.money_events(run, made, rng)
        assert judge.false_money_outcomes(run, seen, made) == []
        rounds += len(run.spins)
        undecided += sum(verdict.type == "round.unresolved" for verdict in judge.verdicts(seen))
    assert undecided * 20 <= rounds


@pytest.mark.parametrize("corruption", corruptions.ALL, ids=lambda c: c.__name__)
def test_no_outcome_is_false_under(corruption: corruptions.Corruption) -> None:
    judged = [money_round(1_000_000 + seed, corruption) for seed in range(6)]
    assert [r.report() for r in judged if r.wrong] == []


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    turns=st.floats(2.5, 3.5),
    corruption=st.sampled_from(corruptions.ALL),
    kind=st.sampled_from(("plain", "wound_up", "reversed")),
)
def test_no_outcome_is_false_near_three_turns(
    seed: int, turns: float, corruption: corruptions.Corruption, kind: str
) -> None:
    rng = Random(seed)
    wheel = money.Wheel(index_width_deg=1.35)  # on which every exchange is seen
    run = money.make_run(rng, wheel, turns=turns, kinds=(kind,))
    made = corruption(run.edges, rng)
    if made.wiring == ("invert", "wheel_b"):
        return
    assert judge.false_money_outcomes(run, judge.money_events(run, made), made) == []


MISTAKES = {
    ("swap", "a", "b"): corruptions.swapped("wheel_a", "wheel_b"),
    ("invert", "a"): corruptions.inverted("wheel_a"),
    ("invert", "b"): corruptions.inverted("wheel_b"),
}


SLOTS = money.Wheel().slots
VISIBLE = [
    (mistake, width_deg)
    for width_deg in (0.72, 1.35, 2.25, 3.0, 4.3)
    for mistake in MISTAKES
    if not index_looks_right(mistake, width_deg, SLOTS)
]
"""On the other widths the mirrored index looks like the right one, and calibration must exclude the mistake."""


@pytest.mark.parametrize(("mistake", "width_deg"), VISIBLE)
def test_a_wiring_mistake_is_seen_wherever_the_mirrored_index_looks_wrong(
    mistake: tuple[str, ...], width_deg: float
) -> None:
    wheel = money.Wheel(index_width_deg=width_deg)
    for seed in range(5):
        rng = Random(seed)
        run = money.make_run(rng, wheel, clean=True, kinds=("plain",), turns=3.6)
        made = MISTAKES[mistake](run.edges, rng)
        said = judge.money_events(run, made)
        heard = judge.verdicts(said)
        assert "round.outcome" not in {v.type for v in heard}
        assert {v.reason for v in heard} & {"encoder_slip", "sensor_missing"}


def test_an_exchange_of_a_and_b_is_seen_on_the_recommended_geometry() -> None:
    recommended = replace(money.Wheel(), index_width_deg=1.35)  # ends inside a quarter where both A and B are high
    assert not index_looks_right(("swap", "a", "b"), recommended.index_width_deg, recommended.slots)
    assert all(mistake in MIRROR_COUNTS for mistake in MISTAKES)
