from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from simulators.base.motion import Path
from simulators.base.truth import SimRound, Truth
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.money_wheel.wheel import MoneyWheelSimulator
from simulators.wheel.flapper import (
    coast_to_slow,
    random_flapper,
    rest_against_flapper,
    rest_on_peg,
    speed_for_travel,
    varied_flapper,
)
from tests.fakes.line_reading import LineFollower

SPACE_DEG = 7.2


def spun(seed: int, turns: float = 4.0) -> tuple[Path, int]:
    """A spin to rest, and how many segments of it are fast."""
    rng = Random(seed)
    flapper = random_flapper(SPACE_DEG, rng)
    path = Path(0.0, 0.0, rng.choice((1, -1)) * speed_for_travel(flapper, 360.0 * turns))
    coast_to_slow(path, flapper)
    fast = len(path.segments)
    rest_against_flapper(path, flapper)
    return path, fast


@pytest.mark.parametrize("seed", range(8))
def test_energy_only_falls_while_the_wheel_rocks(seed: int) -> None:
    rng = Random(seed)
    flapper = random_flapper(SPACE_DEG, rng)
    path, fast = spun(seed)
    energies = [flapper.energy(s.angle_deg, s.speed_deg_s) for s in path.segments[fast:]]
    assert all(after < before for before, after in pairwise(energies))


@pytest.mark.parametrize("seed", range(8))
def test_the_wheel_rocks_a_few_times_and_rolls_back_less_than_a_space_and_a_half(seed: int) -> None:
    path, _ = spun(seed)
    speeds = [s.speed_deg_s for s in path.segments if s.speed_deg_s != 0.0]
    turns = sum(1 for before, after in pairwise(speeds) if before * after < 0.0)
    angles = [s.angle_deg for s in path.segments]
    furthest = max(angles, key=abs)
    assert 1 <= turns <= 20
    assert abs(furthest - path.angle_deg) <= 1.5 * SPACE_DEG
    assert path.speed_deg_s == 0.0


@pytest.mark.parametrize("seed", range(8))
def test_the_wheel_rests_between_two_pegs(seed: int) -> None:
    path, _ = spun(seed)
    from_middle = (path.angle_deg / SPACE_DEG + 0.5) % 1.0 - 0.5
    assert abs(from_middle) < 0.4


@pytest.mark.parametrize("seed", range(8))
def test_the_fast_wheel_slows_as_published_wheels_do(seed: int) -> None:
    path, fast = spun(seed, 6.0)
    first, last = path.segments[0], path.segments[fast - 1]
    loss = (abs(first.speed_deg_s) - abs(last.speed_deg_s)) / (last.start_s - first.start_s) / 360.0
    assert 0.09 <= loss <= 0.18


def test_a_caught_flapper_stops_the_wheel_at_a_peg() -> None:
    flapper = varied_flapper(random_flapper(SPACE_DEG, Random(1)), Random(2))
    for speed in (140.0, -140.0):
        path = Path(0.0, 3.0, speed)
        rest_on_peg(path, flapper, 0.1)
        assert (path.angle_deg - 0.1) / SPACE_DEG % 1.0 == pytest.approx(0.5)
        assert path.speed_deg_s == 0.0


def played(
    geometry: MoneyWheelGeometry, fault: str | None, seed: int, rounds: int
) -> list[tuple[SimRound, LineFollower]]:
    """Rounds, each with its lines followed to its end."""
    simulator = MoneyWheelSimulator(geometry, seed)
    follower = LineFollower("wheel_a", "wheel_b", "wheel_index", geometry.encoder_slots)
    follower.take_all(simulator.start().edges)
    out: list[tuple[SimRound, LineFollower]] = []
    for _ in range(rounds):
        follower.steps.clear()
        one = simulator.round(fault)
        follower.take_all(one.batch.edges)
        snapshot = LineFollower("wheel_a", "wheel_b", "wheel_index", geometry.encoder_slots)
        snapshot.count, snapshot.zero, snapshot.steps = follower.count, follower.zero, list(follower.steps)
        snapshot.index_counts = list(follower.index_counts)
        out.append((one, snapshot))
    return out


def space_of(follower: LineFollower, geometry: MoneyWheelGeometry) -> int:
    """The design's convention: round((H - angle) × n/360) mod n."""
    return round((geometry.indicator_deg - follower.angle_deg()) * geometry.spaces / 360.0) % geometry.spaces


@pytest.mark.parametrize(
    "geometry",
    [
        MoneyWheelGeometry(),
        MoneyWheelGeometry(encoder_slots=150, index_width_deg=5.0, settled_button=True),
        MoneyWheelGeometry(indicator_deg=90.0, no_more_bets_button=False),
        MoneyWheelGeometry(spaces=54, encoder_slots=108, indicator_deg=-17.0),
    ],
)
def test_the_lines_of_clean_rounds_name_the_true_space_and_the_true_revolutions(geometry: MoneyWheelGeometry) -> None:
    for one, follower in played(geometry, None, 11, 6):
        assert one.truth.valid, one.truth
        assert space_of(follower, geometry) == one.truth.result
        counts = [count for _, count in follower.steps]
        travel = (max(counts) - min(counts)) / (4.0 * geometry.encoder_slots)
        # A wind-up is in the counts' range too, and is less than half a turn.
        assert -0.01 <= travel - one.truth.revolutions < 0.5
        assert abs(one.truth.measurable - one.truth.revolutions) < 1.0 / geometry.encoder_slots


def test_every_index_stands_at_the_same_count() -> None:
    for _, follower in played(MoneyWheelGeometry(), None, 5, 6):
        assert len({count % 400 for count in follower.index_counts}) == 1


def test_an_index_offset_moves_the_index_and_not_the_encoder() -> None:
    moved = played(MoneyWheelGeometry(index_offset_deg=1.8), None, 5, 1)[0]
    plain = played(MoneyWheelGeometry(), None, 5, 1)[0]
    assert moved[1].steps == plain[1].steps
    assert {c % 400 for c in moved[1].index_counts} == {(c + 2) % 400 for c in plain[1].index_counts}


def truths(fault: str, geometry: MoneyWheelGeometry | None = None, rounds: int = 8) -> list[Truth]:
    return [one.truth for one, _ in played(geometry or MoneyWheelGeometry(), fault, 3, rounds)]


def test_a_short_spin_turns_less_than_three_times() -> None:
    assert all(not t.valid and t.revolutions < 3.0 and "wheel_revolutions" in t.reasons for t in truths("short_spin"))


def test_a_spin_near_the_limit_is_valid_from_three_turns_on() -> None:
    near = truths("near_limit", rounds=20)
    assert {t.valid for t in near} == {True, False}
    assert all(t.valid == (t.revolutions >= 3.0) for t in near)


def test_a_wound_up_spin_counts_from_the_extreme_of_the_wind_up() -> None:
    for one, follower in played(MoneyWheelGeometry(), "wind_up", 4, 6):
        counts = [count for _, count in follower.steps]
        first = counts[0]
        furthest = max(counts, key=lambda count: abs(count - first))
        extreme = min(counts) if furthest > first else max(counts)
        assert one.truth.valid
        assert 8 <= abs(extreme - first) <= 200
        assert one.truth.revolutions == pytest.approx(abs(furthest - extreme) / 400.0, abs=0.006)


def test_a_reversed_spin_goes_back_by_more_than_a_space_and_a_half() -> None:
    for one, follower in played(MoneyWheelGeometry(), "reversed_spin", 4, 6):
        counts = [count for _, count in follower.steps]
        furthest = max(counts, key=lambda count: abs(count - counts[0]))
        assert abs(furthest - follower.count) > 1.5 * 8
        assert not one.truth.valid
        assert "wheel_reversed" in one.truth.reasons


def test_between_spaces_the_wheel_rests_at_a_peg() -> None:
    for one, follower in played(MoneyWheelGeometry(), "between_spaces", 4, 6):
        place = -follower.angle_deg() / SPACE_DEG % 1.0
        assert abs(place - 0.5) <= 0.05 + 0.5 / 8
        assert not one.truth.valid
        assert "indicator_between_spaces" in one.truth.reasons


def test_a_nudge_is_less_than_half_a_turn_and_leaves_the_result() -> None:
    for one, follower in played(MoneyWheelGeometry(), "wheel_nudged_at_rest", 4, 8):
        gaps = [(later - earlier, i) for i, ((earlier, _), (later, _)) in enumerate(pairwise(follower.steps))]
        pause_ns, at = max(gaps)
        assert pause_ns > 1.5e9
        counts = [count for _, count in follower.steps]
        moved = min(abs(counts[at] - counts[0]), abs(counts[-1] - counts[at + 1]))
        assert 5 < moved < 200
        assert one.truth.valid


def test_without_a_call_the_spin_is_invalid_and_with_a_late_one_too() -> None:
    for fault, presses in (("spun_early", 0), ("late_call", 2)):
        for one, follower in played(MoneyWheelGeometry(), fault, 4, 4):
            calls = [e for e in one.batch.edges if e.line == "dealer_no_more_bets"]
            assert len(calls) == presses
            assert all(e.t_ns > follower.steps[0][0] for e in calls)
            assert one.truth.reasons == ("spun_before_no_more_bets",)


def test_the_call_comes_before_the_spin_and_the_settled_button_after_it_rested() -> None:
    geometry = MoneyWheelGeometry(settled_button=True)
    for one, follower in played(geometry, None, 4, 5):
        call, _, settled, _ = [e for e in one.batch.edges if e.line.startswith("dealer_")]
        moving = [t_ns for t_ns, _ in follower.steps]
        assert call.line == "dealer_no_more_bets"
        assert call.t_ns < moving[0]
        assert settled.line == "dealer_settled"
        assert settled.t_ns > moving[-1] + 1_500_000_000
        assert one.batch.until_ns > settled.t_ns + 2_000_000_000


def test_pegs_give_one_pulse_a_peg() -> None:
    geometry = MoneyWheelGeometry(sensing="pegs")
    simulator = MoneyWheelSimulator(geometry, 8)
    assert simulator.lines == ("wheel_peg", "wheel_index", "dealer_no_more_bets")
    simulator.start()
    for _ in range(4):
        one = simulator.round()
        rises = sum(1 for e in one.batch.edges if e.line == "wheel_peg" and e.level)
        # Rocking may bring the last pegs by again.
        assert one.truth.revolutions * 50 - 2 <= rises <= (one.truth.revolutions + 1.0) * 50


def test_a_slip_shows_at_the_index() -> None:
    for seed in range(6):
        _, follower = played(MoneyWheelGeometry(), "index_slip", seed, 1)[0]
        # By a whole turn of counts it would not show; no slip is as long as that.
        assert len({count % 400 for count in follower.index_counts}) == 2


def test_a_late_slip_gives_a_wrong_space_and_mostly_shows_only_as_a_pause() -> None:
    hidden = 0
    for seed in range(10):
        one, follower = played(MoneyWheelGeometry(), "late_slip", seed, 1)[0]
        if len({count % 400 for count in follower.index_counts}) > 1:
            continue
        hidden += 1
        assert space_of(follower, MoneyWheelGeometry()) != one.truth.result
        times = [t_ns for t_ns, _ in follower.steps]
        gaps = [after - before for before, after in pairwise(times)]
        # The pause: much longer than the counts before it and after it.
        assert any(gap > 5 * max(gaps[i - 3 : i] + gaps[i + 1 : i + 4]) for i, gap in enumerate(gaps) if i > 3)
    assert hidden >= 4


@pytest.mark.parametrize("fault", ["index_slip", "late_slip"])
@pytest.mark.parametrize("seed", range(6))
def test_an_encoder_that_slipped_is_mounted_anew_in_the_next_round(fault: str, seed: int) -> None:
    """Then the index stands at one count again, and with the slots as they stood."""
    simulator = MoneyWheelSimulator(MoneyWheelGeometry(), seed)
    follower = LineFollower("wheel_a", "wheel_b", "wheel_index", 100)
    follower.take_all(simulator.start().edges)
    follower.take_all(simulator.round().batch.edges)
    before = follower.index_counts[-1]
    follower.take_all(simulator.round(fault).batch.edges)
    follower.take_all(simulator.round().batch.edges)
    known = len(follower.index_counts)
    one = simulator.round()
    assert one.truth.reasons == ()
    follower.take_all(one.batch.edges)
    places = {count % 400 for count in follower.index_counts[known:]}
    assert len(places) == 1
    assert places.pop() % 4 == before % 4
