"""The ball in the track: its direction, its travel, and when it left."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Observation
from drivers.roulette.ball_hypothesis import Pass
from drivers.roulette.ball_track import BallRuns, BallTrack
from drivers.roulette.device import ForeignObject
from drivers.roulette.pocket_head import PocketHead
from drivers.roulette.rotor import Rotor
from hal.values import Edge

S = 1_000_000_000
THREE = (0.0, 120.0, 240.0)
UNEQUAL = (0.0, 100.0, 220.0)
REAL_A = (0.680, 0.634, 0.703, 0.706, 0.800, 0.795, 0.901, 1.009, 1.196, 1.818, 1.946, 2.001, 2.276)
"""Lap times of a spin filmed in a live casino (public data)."""


def passes(
    sensors: Sequence[float], laps_s: Sequence[float], *, way: int = 1, first: int = 0, parts: int | None = None
) -> list[Pass]:
    """The passes of a ball with these lap times, from its first at sensor `first` on; `parts` limits their number."""
    n = len(sensors)
    t_s, sensor = 1.0, first
    found = [Pass(sensor, round(t_s * S), round(0.01 * laps_s[0] * S))]
    for lap_s in laps_s:
        for _ in range(n):
            after = (sensor + way) % n
            ahead = (sensors[after] - sensors[sensor]) * way % 360.0 or 360.0
            t_s += lap_s * ahead / 360.0
            sensor = after
            found.append(Pass(sensor, round(t_s * S), round(0.01 * lap_s * S)))
    return found[:parts]


def followed(sensors: Sequence[float], seen: Sequence[Pass]) -> BallTrack:
    track = BallTrack(sensors)
    for one in seen:
        track.handle_pass(one)
    return track


def travel(track: BallTrack) -> float:
    hypothesis = track.hypothesis
    assert hypothesis is not None
    return hypothesis.travel_deg / 360


@pytest.mark.parametrize(
    "sensors", [THREE, UNEQUAL, (0.0, 90.0, 180.0, 270.0), (0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0)]
)
@pytest.mark.parametrize("way", [1, -1])
def test_the_third_pass_at_the_latest_proves_the_direction(sensors: tuple[float, ...], way: int) -> None:
    track = followed(sensors, passes(sensors, [0.7], way=way)[:3])
    assert track.direction == way


def test_two_passes_prove_the_direction_where_the_other_way_would_be_too_fast() -> None:
    """Sensors 0 and 1 in 0.1 s: the other way round it would be a lap in 0.15 s."""
    assert followed(THREE, passes(THREE, [0.4], way=1)[:2]).direction == 1
    assert followed(THREE, passes(THREE, [1.0], way=1)[:2]).direction is None


@pytest.mark.parametrize("way", [1, -1])
def test_travel_is_counted_from_the_first_pass_to_the_last(way: int) -> None:
    assert travel(followed(THREE, passes(THREE, REAL_A, way=way))) == pytest.approx(13.0)
    assert travel(followed(THREE, passes(THREE, REAL_A, way=way, parts=13))) == pytest.approx(4.0)
    assert travel(followed(THREE, passes(THREE, REAL_A, way=way, parts=12))) == pytest.approx(11 / 3)


@pytest.mark.parametrize("sensors", [THREE, UNEQUAL])
@pytest.mark.parametrize("missed", range(2, 38))
def test_any_one_missed_pass_of_a_real_spin_leaves_its_travel(sensors: tuple[float, ...], missed: int) -> None:
    seen = passes(sensors, REAL_A)
    track = followed(sensors, seen[:missed] + seen[missed + 1 :])
    assert track.direction == 1
    assert travel(track) == pytest.approx(13.0)
    hypothesis = track.hypothesis
    assert hypothesis is not None
    assert (hypothesis.missed, hypothesis.travel_high_deg / 360 >= 13.0 - 1e-9) == (1, True)
    assert track.unexplained == []


def test_pulses_of_one_sensor_as_of_a_ball_that_the_others_missed_count_no_travel_before_the_ball_is_seen() -> None:
    """Noise a lap apart, as fast and as wide as the ball; the sensor between it and the ball's first pass is silent."""
    seen = passes(UNEQUAL, [1.0] * 4)[1:]
    noise = [Pass(2, seen[0].t_ns - round(laps * S), 10_000_000) for laps in (2.667, 1.667, 0.667)]
    for pulses in range(1, 4):
        assert travel(followed(UNEQUAL, [*noise[-pulses:], *seen])) == pytest.approx(3 + 260 / 360)


def test_a_run_cut_short_by_the_first_passes_is_proven_only_from_where_it_is_seen() -> None:
    seen = passes(THREE, [0.7] * 6)
    assert travel(followed(THREE, [seen[0], *seen[3:]])) <= 6.0
    assert travel(followed(THREE, seen[3:])) == pytest.approx(5.0)


def test_where_misses_leave_two_explanations_the_smaller_travel_counts_and_both_are_reported() -> None:
    """Seen again at the same sensor after 1.7 laps' time: it slowed, or it made two laps."""
    seen = passes(THREE, [1.0, 1.0])
    track = followed(THREE, [*seen, Pass(0, seen[-1].t_ns + round(1.7 * S), 17_000_000)])
    hypothesis = track.hypothesis
    assert hypothesis is not None
    assert (hypothesis.travel_deg / 360, hypothesis.travel_high_deg / 360) == pytest.approx((3.0, 4.0))
    assert hypothesis.missed == 2


@pytest.mark.parametrize(("lap_s", "patience"), [(1.0, 3.6), (1.15, 2.8), (1.85, 2.8), (1.95, 1.8), (2.3, 1.8)])
def test_a_ball_is_overdue_by_its_speed(lap_s: float, patience: float) -> None:
    seen = passes(THREE, [lap_s])
    track = followed(THREE, seen)
    assert track.overdue_ns == pytest.approx(seen[-1].t_ns + patience * lap_s / 3 * S, abs=100)


def test_a_ball_is_overdue_at_the_next_sensor_and_not_at_its_own() -> None:
    seen = passes(UNEQUAL, [2.0])
    # From 0 degrees on the next sensor is 100 degrees away.
    assert followed(UNEQUAL, seen).overdue_ns == pytest.approx(seen[-1].t_ns + 1.8 * 2.0 * 100 / 360 * S, abs=100)


def test_a_ball_may_quicken_by_a_fifth_and_no_more() -> None:
    seen = passes(THREE, [1.0])
    usual = S / 3
    for share, taken in ((0.81, True), (0.78, False), (1.79, True), (1.85, False)):
        track = followed(THREE, seen)
        explained = track.handle_pass(Pass(1, seen[-1].t_ns + round(share * usual), 10_000_000))
        assert explained is (track.hypothesis if taken else None)


def test_passes_that_the_ball_cannot_make_are_unexplained_and_three_are_a_foreign_object() -> None:
    seen = passes(THREE, [1.0, 1.0])
    track = followed(THREE, seen)
    for k in range(3):
        assert not track.has_foreign_object
        assert not track.handle_pass(Pass(2, seen[-1].t_ns + (k + 1) * 20_000_000, 10_000_000))
    assert track.has_foreign_object
    assert travel(track) == pytest.approx(2.0)


def test_a_pulse_of_another_width_is_not_the_balls() -> None:
    seen = passes(THREE, [1.0])
    track = followed(THREE, seen)
    assert not track.handle_pass(Pass(1, seen[-1].t_ns + S // 3, 60_000_000))


@pytest.mark.parametrize(("lap_s", "direction"), [(0.34, None), (0.36, 1)])
def test_no_ball_makes_a_lap_in_less_than_0_35_seconds(lap_s: float, direction: int | None) -> None:
    track = followed(THREE, passes(THREE, [lap_s] * 3))
    assert track.direction == direction
    assert track.has_foreign_object == (direction is None)


def test_a_hand_at_the_first_sensor_does_not_keep_the_run_from_being_seen() -> None:
    seen = passes(THREE, REAL_A)
    hand = Pass(2, seen[0].t_ns - 40_000_000, 30_000_000)
    track = followed(THREE, [hand, *seen])
    assert track.direction == 1
    assert travel(track) >= 12.0


@pytest.mark.parametrize(("after_ns", "second"), [(-1, 0), (0, 1), (1, 1)])
def test_a_ball_in_a_pocket_from_the_first_pass_of_another_on_is_a_second_ball(after_ns: int, second: int) -> None:
    """What passed before that was a hand, as the passes show that prove the direction."""
    ball = passes(THREE, REAL_A[:1])
    runs = BallRuns(THREE, 4 * S, Rotor(100, 3.0, 38, 5.0), PocketHead(38, 0.0, 0.3), lambda _: None)
    found: list[Observation] = []
    for one in (Pass(2, ball[0].t_ns - 40_000_000, 30_000_000), *ball):
        line = f"ball_{one.sensor + 1}"
        if one is ball[0]:
            runs.see_pocket(one.t_ns + after_ns)
        runs.handle_edge(Edge(line, 1, one.t_ns), found)
        runs.handle_edge(Edge(line, 0, one.t_ns + one.width_ns), found)
    assert sum(isinstance(one, ForeignObject) for one in found) == second


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2)])
def test_swapped_sensors_show_at_unequal_angles(pair: tuple[int, int]) -> None:
    swap = {0: 0, 1: 1, 2: 2, pair[0]: pair[1], pair[1]: pair[0]}
    track = followed(UNEQUAL, [one._replace(sensor=swap[one.sensor]) for one in passes(UNEQUAL, REAL_A)])
    assert track.has_foreign_object or track.swapped() is not None


def test_swapped_sensors_at_equal_angles_look_like_a_ball_that_runs_the_other_way() -> None:
    """What no software can see: calibration excludes it."""
    swap = {0: 1, 1: 0, 2: 2}
    track = followed(THREE, [one._replace(sensor=swap[one.sensor]) for one in passes(THREE, REAL_A)])
    assert (track.direction, track.swapped()) == (-1, None)


@pytest.mark.parametrize("sensors", [THREE, UNEQUAL])
@pytest.mark.parametrize("way", [1, -1])
def test_sensors_in_their_places_are_not_reported_as_swapped(sensors: tuple[float, ...], way: int) -> None:
    assert followed(sensors, passes(sensors, REAL_A, way=way)).swapped() is None


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(0.85, 1.3), min_size=2, max_size=14),
    st.sampled_from([THREE, UNEQUAL, (0.0, 90.0, 180.0, 270.0)]),
    st.sampled_from([1, -1]),
    st.integers(0, 2),
)
def test_travel_is_never_more_than_the_ball_made(
    shares: list[float], sensors: tuple[float, ...], way: int, first: int
) -> None:
    lap_s, laps = 0.6, []
    for share in shares:
        lap_s = min(2.4, max(0.45, lap_s * share))
        laps.append(lap_s)
    track = followed(sensors, passes(sensors, laps, way=way, first=first))
    assert track.direction == way
    assert travel(track) <= len(laps) + 1e-9


@pytest.mark.parametrize(
    ("late", "width_ns"),
    [(1.0, 10_000_000), (1.4, 15_000_000), (0.88, 18_000_000)],
    ids=["too narrow for the ball", "slower than a ball on the track", "quicker than it was"],
)
def test_a_last_pass_that_may_be_noise_proves_nothing_until_the_ball_passes_again(late: float, width_ns: int) -> None:
    seen = passes(THREE, [2.0, 2.0])
    track = followed(THREE, [*seen, Pass(1, seen[-1].t_ns + round(late * 2 / 3 * S), width_ns)])
    hypothesis = track.hypothesis
    assert hypothesis is not None
    assert (hypothesis.travel_deg, hypothesis.doubted_deg) == pytest.approx((720.0, 120.0))
    assert track.handle_pass(Pass(2, hypothesis.last.t_ns + round(0.8 * S), 20_000_000)) is hypothesis
    assert (hypothesis.travel_deg, hypothesis.doubted_deg) == pytest.approx((960.0, 0.0))


def test_two_passes_of_another_ball_leave_proven_only_what_came_before_them() -> None:
    seen = passes(THREE, [1.0, 1.0, 1.0])
    others = [Pass(seen[i].sensor, seen[i].t_ns + S // 30, seen[i].width_ns) for i in (4, 7)]
    track = followed(THREE, sorted([*seen, *others], key=lambda p: p.t_ns))
    hypothesis = track.hypothesis
    assert hypothesis is not None
    assert (len(track.unexplained), track.has_foreign_object) == (2, False)
    assert (hypothesis.travel_deg, hypothesis.doubted_deg) == pytest.approx((480.0, 600.0))
    one = followed(THREE, sorted([*seen, others[0]], key=lambda p: p.t_ns)).hypothesis
    assert one is not None
    assert (one.travel_deg, one.doubted_deg) == pytest.approx((1080.0, 0.0))


def another_ball(first: int, t_s: float, lap_s: float, width_s: float, number: int = 3) -> list[Pass]:
    """The first passes of a ball of its own, from sensor `first` on at one speed; its pulses are `width_s` long."""
    n = len(THREE)
    return [Pass((first + k) % n, round((t_s + k * lap_s / n) * S), round(width_s * S)) for k in range(number)]


def test_passes_of_another_ball_that_were_given_up_leave_nothing_proven() -> None:
    """The passes of a ball that drops at once lie between the first of one that runs on, and restart its run."""
    ball = passes(THREE, REAL_A)
    slow = another_ball(1, 0.3, 2.1, 0.012, 2)
    track = followed(THREE, sorted([*slow, *ball], key=lambda one: one.t_ns))
    assert (track.false_starts, track.direction) == (1, 1)
    assert travel(track) == 0.0
    hypothesis = track.hypothesis
    assert hypothesis is not None
    assert hypothesis.travel_high_deg == pytest.approx(13 * 360.0)


@pytest.mark.parametrize(
    ("sensor", "early_s", "width_ms", "own"),
    [
        (0, 0.0, 7.0, True), (0, 0.05, 12.6, True), (0, 0.0, 15.0, False), (0, 0.0, 3.0, False),
        (0, 0.07, 7.0, False), (0, -0.12, 7.0, False), (2, 0.2267, 7.0, False),
    ],
    ids=["as it came", "slower, and wide for it", "wider", "narrower", "too slow", "too quick", "past a sensor"],
)  # fmt: skip
def test_two_passes_of_another_ball_leave_nothing_proven_where_the_first_was_given_up(
    sensor: int, early_s: float, width_ms: float, own: bool
) -> None:
    """The second of two that were given up is the ball's own where it fits by time and width."""
    ball = passes(THREE, REAL_A)
    second = Pass(sensor, ball[0].t_ns - round(early_s * S), round(width_ms * 1e6))
    track = followed(THREE, [Pass((sensor + 2) % 3, second.t_ns - 2 * S, 15_000_000), second, *ball[1:]])
    assert (track.false_starts, track.direction) == (1, 1)
    assert travel(track) == pytest.approx(12 + 2 / 3 if own else 0.0)


@pytest.mark.parametrize(
    ("width_ms", "apart_s", "laps"),
    [(12, 0.63, 0.0), (12, 0.04, 13.0), (30, 0.63, 13.0)],
    ids=["as of one ball", "sooner than any ball", "wider than the ball's"],
)
def test_two_passes_that_fit_no_other_leave_nothing_proven_where_they_may_be_one_balls(
    width_ms: int, apart_s: float, laps: float
) -> None:
    """The fingers that launch a ball may pass a sensor too: once, or twice in a moment."""
    ball = passes(THREE, REAL_A)
    beside = [Pass(2, ball[0].t_ns - round(early_s * S), width_ms * 1_000_000) for early_s in (0.1 + apart_s, 0.1)]
    track = followed(THREE, [*beside, *ball])
    assert track.direction == 1
    assert travel(track) == pytest.approx(laps)


def test_two_passes_at_once_that_were_given_up_are_not_its_own() -> None:
    ball = passes(THREE, REAL_A)
    slow = [Pass(1, ball[0].t_ns - round(0.7 * S), 12_000_000), Pass(2, ball[0].t_ns, 12_000_000)]
    track = followed(THREE, [*slow, *ball])
    assert (track.false_starts, track.direction) == (1, 1)
    assert travel(track) == 0.0


@pytest.mark.parametrize(("before_ns", "second"), [(-1, 1), (1, 0)])
def test_a_ball_in_a_pocket_since_a_first_pass_that_was_given_up_is_a_second_ball(before_ns: int, second: int) -> None:
    """Noise two seconds before takes the ball's first pass with it; the ball has run since then all the same."""
    ball = passes(UNEQUAL, REAL_A[:2])
    runs = BallRuns(UNEQUAL, 4 * S, Rotor(100, 3.0, 38, 5.0), PocketHead(38, 0.0, 0.3), lambda _: None)
    found: list[Observation] = []
    for one in (Pass(2, ball[0].t_ns - round(1.4 * S), 3_000_000), *ball):
        line = f"ball_{one.sensor + 1}"
        if one is ball[0]:
            runs.see_pocket(one.t_ns - before_ns)
        runs.handle_edge(Edge(line, 1, one.t_ns), found)
        runs.handle_edge(Edge(line, 0, one.t_ns + one.width_ns), found)
    assert sum(isinstance(one, ForeignObject) for one in found) == second


@pytest.mark.parametrize("sensors", [THREE, UNEQUAL])
def test_one_pulse_before_the_ball_leaves_the_travel_of_nearly_every_spin_proven(sensors: tuple[float, ...]) -> None:
    """A hand or noise, at any sensor, as wide as a ball's pulse: it and the ball's first pass often fit each other."""
    seen = passes(sensors, REAL_A)
    travels = [
        travel(followed(sensors, [Pass(sensor, seen[0].t_ns - tenths * S // 10, width_ms * 1_000_000), *seen]))
        for sensor in range(3)
        for tenths in range(1, 10)
        for width_ms in (4, 7, 12, 30)
    ]
    assert sum(laps < 4 for laps in travels) <= len(travels) // 12
    assert max(travels) < 14.0


@pytest.mark.parametrize(("wider", "laps"), [(1.0, 13.0), (1.2, 13.0), (1.6, 2.0)])
def test_a_second_ball_beside_the_first_shows_as_one_pass_and_then_as_wider_pulses(wider: float, laps: float) -> None:
    """They cover a sensor together: what came before is proven, and no more."""
    seen = passes(THREE, REAL_A)
    beside = Pass(seen[6].sensor, seen[6].t_ns + round(0.03 * S), seen[6].width_ns)
    pairs = [one._replace(width_ns=round(wider * one.width_ns)) for one in seen[7:13]]
    track = followed(THREE, [*seen[:7], beside, *pairs, *seen[13:]])
    assert travel(track) == pytest.approx(laps)


@pytest.mark.parametrize(("early_s", "laps"), [(0.0, 13.0), (0.03, 3.0)])
def test_a_ball_that_quickens_within_a_lap_after_a_pass_of_another_leaves_proven_what_came_before(
    early_s: float, laps: float
) -> None:
    """The first ball drops after that pass; the second comes just before it, and is followed from there on."""
    seen = passes(THREE, REAL_A)
    beside = Pass(seen[9].sensor, seen[9].t_ns + round(0.12 * S), seen[9].width_ns)
    since = [one._replace(t_ns=one.t_ns - round(early_s * S)) for one in seen[11:]]
    track = followed(THREE, [*seen[:10], beside, seen[10], *since])
    assert travel(track) == pytest.approx(laps)


@pytest.mark.parametrize(("early_s", "laps"), [(0.0, 13.0), (0.05, 3.0)])
def test_a_pass_of_another_ball_where_the_ball_quickened_leaves_proven_what_came_before(
    early_s: float, laps: float
) -> None:
    """The first ball drops after its last pass; the second ran half a lap before it, and is followed from there on."""
    seen = passes(THREE, REAL_A)
    since = [one._replace(t_ns=one.t_ns - round(early_s * S)) for one in seen[10:]]
    dropped = Pass(since[0].sensor, since[0].t_ns + round(0.12 * S), since[0].width_ns)
    track = followed(THREE, [*seen[:10], since[0], dropped, *since[1:]])
    assert travel(track) == pytest.approx(laps)


@pytest.mark.parametrize(("wider", "laps"), [(0.72, 12.0), (0.82, 12 + 1 / 3), (1.2, 12 + 1 / 3), (1.4, 12.0)])
def test_a_last_pulse_that_is_wider_or_narrower_than_the_ball_proves_no_travel(wider: float, laps: float) -> None:
    *seen, last = passes(THREE, REAL_A)[:38]
    track = followed(THREE, [*seen, last._replace(width_ns=round(wider * last.width_ns))])
    assert travel(track) == pytest.approx(laps)


@pytest.mark.parametrize(("width_ms", "laps"), [(1.1, 13.0), (3.7, 13.0), (6.0, 13.0 + 1 / 3)])
def test_a_pulse_of_noise_before_the_first_pass_proves_no_travel(width_ms: float, laps: float) -> None:
    seen = passes(THREE, REAL_A, first=1)
    noise = Pass(0, seen[0].t_ns - round(0.22 * S), round(width_ms * 1e6))
    assert travel(followed(THREE, [noise, *seen])) == pytest.approx(laps)


@pytest.mark.parametrize(("width_ms", "laps"), [(8.0, 13.0), (11.0, 0.0)])
def test_a_wider_first_pulse_and_another_pass_later_are_a_second_ball(width_ms: float, laps: float) -> None:
    seen = passes(THREE, REAL_A)
    slow = [
        Pass(2, seen[0].t_ns - round(0.25 * S), round(width_ms * 1e6)),
        Pass(0, seen[3].t_ns + round(0.1 * S), round(11.0 * 1e6)),
    ]
    track = followed(THREE, sorted([*slow, *seen], key=lambda one: one.t_ns))
    assert travel(track) == pytest.approx(laps, abs=0.34)


@pytest.mark.parametrize(
    ("lap_s", "faster_s", "legs", "proven"), [(2.0, 1.7, 4, 35), (2.0, 1.7, 16, 7), (1.0, 0.85, 16, 47)]
)
def test_near_its_drop_a_ball_that_stays_faster_for_over_a_lap_is_another(
    lap_s: float, faster_s: float, legs: int, proven: int
) -> None:
    """Past eight sensors: 7 legs, then so many faster ones, then 24 as before."""
    eight = tuple(45.0 * place for place in range(8))
    t_ns, seen = S, [Pass(0, S, round(0.01 * lap_s * S))]
    for leg, one_s in enumerate([*[lap_s] * 7, *[faster_s] * legs, *[lap_s] * 24]):
        t_ns += round(one_s / 8 * S)
        seen.append(Pass((leg + 1) % 8, t_ns, round(0.01 * one_s * S)))
    assert travel(followed(eight, seen)) == pytest.approx(proven / 8)


@pytest.mark.parametrize(("given_up", "beside", "laps"), [(2, 0, 0.0), (0, 2, 2.0), (1, 1, 13.0), (2, 1, 0.0)])
def test_two_passes_as_wide_as_those_of_a_slower_ball_are_a_second_ball(
    given_up: int, beside: int, laps: float
) -> None:
    """It makes a lap in 1.9 s, and its pulses are nearly three times as wide as the first ones of the ball."""
    seen = passes(THREE, REAL_A)
    wide_ns = round(0.01 * 1.9 * S)
    before = [Pass(2 - k, seen[0].t_ns - round((0.1 + 1.9 / 3 * k) * S), wide_ns) for k in range(given_up)]
    after = [Pass(k, seen[6].t_ns + round((0.12 + 1.9 / 3 * k) * S), wide_ns) for k in range(beside)]
    track = followed(THREE, sorted([*before, *after, *seen], key=lambda one: one.t_ns))
    assert travel(track) == pytest.approx(laps, abs=0.34)
