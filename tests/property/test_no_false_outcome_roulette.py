"""No valid outcome from an invalid run, and no wrong pocket: a roulette wheel whose lines are corrupted in every way.

The truth comes from `tests.oracle`, which knows neither the drivers nor the simulators. What no software can see is
listed, with the reason, in `tests.oracle.invisible`; the last tests here show the same mistakes seen on the
recommended geometry.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import corruptions, judge, roulette
from tests.oracle.invisible import looks_rightly_placed, why_invisible
from tests.oracle.motion import T_NS
from tests.oracle.rounds import roulette_round, wheel_life_round

CHUNK = 100
CHUNKS = 2
"""The soak continues from the same seeds to a million runs (`tests.soak.corrupted_rounds`)."""

RECOMMENDED = roulette.Wheel(sensors_deg=(0.0, 100.0, 220.0), beams=1)


def check(seeds: range) -> None:
    """Judges the runs of these seeds; a failure names each seed."""
    judged = [roulette_round(seed) for seed in seeds]
    assert [r.report() for r in judged if r.wrong] == []
    assert sum(r.outcomes for r in judged) > len(judged) // 20  # else nothing would have been tried


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_outcome_of_a_corrupted_roulette_wheel_is_false(chunk: int) -> None:
    check(range(chunk * CHUNK, (chunk + 1) * CHUNK))


@pytest.mark.parametrize(
    ("seed", "what"),
    [
        (400_940, "noise where the ball's fourth turn would have ended"),
        (403_291, "two balls, and a pass of one lost"),
        (502_481, "the index moved after the round was void"),
        (502_497, "the index moved while a ball ran out that had been refused"),
        (127_804, "a second ball lay in a pocket while a missing index left the angle unproven"),
        (50_750, "the index moved after it had crossed once, within the first counts of the rotor"),
        (179_827, "the index moved, and an edge that came twice seemed to explain it"),
        (195_693, "a second ball was read in its pocket before the direction of the first was known"),
        (236_093, "an object that came before the ball's first pass, and stayed"),
        (218_454, "a rotor under three turns a minute whose sensors bounced"),
        (336_494, "an object that left the beam after the ball's first pass, in the same batch of edges"),
        (340_824, "a second ball in a pocket, of which the head's changes were lost while the first one ran"),
        (388_805, "a slow ball that passes twice before one that runs on"),
        (410_889, "a second ball that covers the sensors together with the first for six passes"),
        (421_873, "a slow ball and one that runs on, whose first passes are between each other"),
        (532_111, "a ball that drops beside one that ran before it, and goes on in its place"),
        (572_473, "a pulse of noise before the ball's first pass"),
        (574_108, "the index moved by a pocket in the turn in which three slots were lost"),
        (616_359, "two pulses of noise as wide as the ball's, a little before it would have passed again"),
        (684_082, "two slow balls over two sensors: the wide first pass of one, and one more later"),
        (259_174, "two slow balls over two sensors: the first pass of one beside those of the other"),
    ],
    ids=lambda value: str(value),
)
def test_what_once_gave_a_false_outcome_gives_none(seed: int, what: str) -> None:
    judged = roulette_round(seed)
    assert (judged.wrong, what) == ([], what)


@pytest.mark.parametrize(
    ("seed", "what"),
    [
        (112_697, "three pulses of one sensor as if a ball made laps past the others"),
        (587_481, "a ball that drops after three passes, of which two were given up"),
        (817_125, "noise half as wide as the ball's pulses before the first pass"),
        (867_687, "a ball read in a pocket after a first pass that was given up"),
        (1_277_521, "an index that slipped in a turn in which two edges were lost, one before the run"),
        (1_287_327, "a second ball that is slower, with passes before and after the first ones of the other"),
    ],
    ids=lambda value: str(value),
)
def test_what_once_gave_a_false_outcome_on_a_worn_wheel_gives_none(seed: int, what: str) -> None:
    judged = wheel_life_round(seed)
    assert (judged.wrong, what) == ([], what)


@pytest.mark.parametrize(("seed", "reported"), [(2167, False), (11_449, True), (16_825, False)])
def test_an_object_that_one_beam_lost_is_told_by_the_loss_or_seen_by_a_second_beam(seed: int, reported: bool) -> None:
    """The same run and the same corruption of its lines, and beside them a second beam."""
    assert roulette_round(seed).invisible == (not reported)
    rng, again = Random(seed), Random(seed)
    spins, _ = rng.choice((1, 1, 1, 2)), again.choice((1, 1, 1, 2))
    run = roulette.make_run(rng, spins=spins)
    made = rng.choice(corruptions.ALL)(run.edges, rng)
    two = roulette.make_run(again, replace(roulette.random_wheel(again), beams=2), spins=spins)
    edges = [*made.edges, *(edge for edge in two.edges if edge.line == "object_2")]
    made = made._replace(edges=sorted(edges, key=T_NS))
    assert judge.false_roulette_outcomes(two, judge.roulette_events(two, made)) == []


def test_no_outcome_of_a_corrupted_wheel_of_the_recommended_geometry_is_false() -> None:
    judged = [roulette_round(seed, recommended=True) for seed in range(60)]
    assert [(r.report(), r.invisible) for r in judged if r.wrong or r.invisible] == []
    assert sum(r.outcomes for r in judged) > 6


@pytest.mark.parametrize("corruption", corruptions.ALL, ids=lambda c: c.__name__)
def test_no_outcome_is_false_under(corruption: corruptions.Corruption) -> None:
    judged = [roulette_round(1_000_000 + seed, corruption) for seed in range(6)]
    assert [r.report() for r in judged if r.wrong] == []


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(9, 16),
    corruption=st.sampled_from(corruptions.ALL),
    kind=st.sampled_from(roulette.KINDS),
)
def test_no_outcome_is_false_near_four_turns(
    seed: int, count: int, corruption: corruptions.Corruption, kind: str
) -> None:
    rng = Random(seed)
    run = roulette.make_run(rng, RECOMMENDED, count=count, kinds=(kind, "plain"))
    made = corruption(run.edges, rng)
    if why_invisible(run.wheel, made) is not None:
        return
    assert judge.false_roulette_outcomes(run, judge.roulette_events(run, made), made) == []


@pytest.mark.parametrize("pair", [*combinations((1, 2, 3), 2)])
@pytest.mark.parametrize("kind", ["plain", "with_rotor"])
def test_two_exchanged_track_sensors_are_seen_on_the_recommended_geometry(pair: tuple[int, int], kind: str) -> None:
    assert not looks_rightly_placed(RECOMMENDED.sensors_deg, (pair[0] - 1, pair[1] - 1))
    for seed in range(12):
        rng = Random(seed)
        run = roulette.make_run(rng, RECOMMENDED, kinds=(kind,), count=rng.randint(10, 42))
        made = corruptions.swapped(f"ball_{pair[0]}", f"ball_{pair[1]}")(run.edges, rng)
        assert judge.false_roulette_outcomes(run, judge.roulette_events(run, made), made) == []


@pytest.mark.parametrize("pair", [*combinations((1, 2, 3), 2)])
def test_two_exchanged_track_sensors_are_invisible_where_they_stand_equally_spaced(pair: tuple[int, int]) -> None:
    """Why the exception is needed: the ball with the rotor is, edge for edge, a ball against it."""
    wheel = roulette.Wheel(sensors_deg=(0.0, 120.0, 240.0))
    assert looks_rightly_placed(wheel.sensors_deg, (pair[0] - 1, pair[1] - 1))
    run = roulette.make_run(Random(1), wheel, kinds=("with_rotor",), count=25)
    made = corruptions.swapped(f"ball_{pair[0]}", f"ball_{pair[1]}")(run.edges, Random(1))
    said = judge.roulette_events(run, made)
    assert [s.type for s in judge.verdicts(said)] == ["round.outcome"]


def test_exchanged_a_and_b_of_the_rotor_are_seen_on_the_recommended_geometry() -> None:
    for seed in range(6):
        rng = Random(seed)
        run = roulette.make_run(rng, RECOMMENDED, kinds=(("plain", "with_rotor")[seed % 2],), count=25)
        made = corruptions.swapped("rotor_a", "rotor_b")(run.edges, rng)
        assert why_invisible(run.wheel, made) is None
        said = judge.roulette_events(run, made)
        assert [s.data for s in said if s.type == "round.outcome"] == []
