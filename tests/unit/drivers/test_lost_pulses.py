"""Edges of one line in a row: their times distinguish a turn, a bounce and a lost pulse."""

from __future__ import annotations

import pytest

from drivers.wheel.lost_pulses import NONE, Chain, Offsets, Rocking, still_goes_for, two_counts_on_ns
from drivers.wheel.quadrature import QuadratureDecoder
from drivers.wheel.slowing import CountGap, Lost, Stopping

MS = 1_000_000
TAU = 10 * MS
LEAST_SLOWING = 5.0 * 400 / 360 * 1e-18
"""Of a disc of 100 slots, in counts per nanosecond squared."""


def chain(*after_ns: int, tau_ns: int = TAU, before_ns: int = TAU, backs: int | None = None) -> Chain:
    """Edges of line a this long after the first one, of a disc that turned positive at 10 ms a count."""
    times = (1000 * MS, *(1000 * MS + t for t in after_ns))
    return Chain("a", 1, tau_ns, before_ns, times[0], len(after_ns) if backs is None else backs, times)


def test_a_disc_that_does_not_slow_crosses_two_counts_in_twice_the_time_of_one() -> None:
    assert two_counts_on_ns(TAU, TAU) == pytest.approx(2 * TAU)


def test_a_disc_that_slows_takes_longer_for_the_next_two() -> None:
    expected = two_counts_on_ns(9 * MS, 10 * MS)
    assert expected is not None
    assert 2 * TAU < expected < 3 * TAU


@pytest.mark.parametrize(("before_ns", "tau_ns"), [(5 * MS, 20 * MS), (0, TAU), (TAU, 0)])
def test_of_a_disc_that_stops_first_or_has_no_speed_nothing_is_expected(before_ns: int, tau_ns: int) -> None:
    assert two_counts_on_ns(before_ns, tau_ns) is None


def test_edges_back_at_once_are_a_bounce_and_hide_nothing() -> None:
    bounced = chain(MS, 2 * MS)
    assert bounced.is_bounce()
    assert not bounced.turned
    assert bounced.ended_onwards(bounced.times_ns[-1] + TAU) == NONE


@pytest.mark.parametrize(("tau_ns", "shortest_ns"), [(TAU, TAU // 2), (8 * TAU, 25 * MS)])
def test_an_edge_bounces_that_is_back_within_half_a_count_and_within_25_ms(tau_ns: int, shortest_ns: int) -> None:
    for back_ns, bounced in ((shortest_ns - 1, True), (shortest_ns, False)):
        assert chain(back_ns, back_ns + tau_ns, tau_ns=tau_ns).is_bounce() is bounced


def test_edges_two_counts_apart_that_go_on_hide_a_pulse_of_the_other_line() -> None:
    lost = chain(20 * MS, 40 * MS)
    assert not lost.is_bounce()
    assert lost.ended_onwards(lost.times_ns[-1] + TAU) == Offsets(0, 4)


def test_the_offsets_of_a_disc_that_turned_the_other_way_are_negative() -> None:
    lost = chain(20 * MS, 40 * MS)._replace(direction=-1)
    assert lost.ended_onwards(lost.times_ns[-1] + TAU) == Offsets(-4, 0)


def test_two_lost_pulses_are_eight_counts() -> None:
    lost = chain(20 * MS, 40 * MS, 60 * MS, 80 * MS)
    assert lost.ended_onwards(lost.times_ns[-1] + TAU) == Offsets(0, 8)


def test_a_disc_that_comes_back_as_fast_as_it_went_has_turned_here() -> None:
    turned = chain(20 * MS)
    assert turned.turned
    assert turned.ended_turned(turned.times_ns[-1] + TAU, False, None) == NONE


def test_a_disc_that_comes_back_slowly_at_the_time_of_two_counts_more_may_have_gone_on() -> None:
    turned = chain(20 * MS)
    assert turned.ended_turned(turned.times_ns[-1] + 3 * TAU, False, None) == Offsets(0, 4)


def test_a_disc_that_comes_back_slowly_at_another_time_has_turned_here() -> None:
    turned = chain(80 * MS)
    assert turned.ended_turned(turned.times_ns[-1] + 3 * TAU, False, None) == NONE


def test_a_disc_that_rocks_and_comes_back_early_had_already_reversed() -> None:
    turned = chain(20 * MS)
    assert turned.ended_turned(turned.times_ns[-1] + TAU // 2, True, None) == Offsets(-4, 0)


def test_a_wobble_that_ends_the_other_way_leaves_both_sides_in_doubt() -> None:
    assert chain(20 * MS, 40 * MS, 60 * MS).ended_turned(2000 * MS, False, None) == Offsets(-4, 8)


def test_a_spring_takes_the_same_time_for_each_swing() -> None:
    rocking = Rocking(turned_ns=1000 * MS, lasted_ns=100 * MS, swing=6)
    assert not rocking.turns_again_at(1050 * MS)
    assert rocking.turns_again_at(1080 * MS)


def test_a_swing_that_ends_too_soon_may_hide_a_pulse() -> None:
    turned = chain(20 * MS)
    soon = Rocking(turned.turn_ns - 10 * MS, 100 * MS, 6)
    late = Rocking(turned.turn_ns - 100 * MS, 100 * MS, 6)
    assert turned.ended_turned(2000 * MS, True, soon) == Offsets(0, 4)
    assert turned.ended_turned(2000 * MS, True, late) == NONE


def test_at_rest_a_bounce_hides_nothing() -> None:
    assert chain(MS).at_rest(100, None, LEAST_SLOWING) == NONE


def test_at_rest_an_edge_back_at_the_time_of_two_counts_more_may_have_been_the_far_side_of_a_pulse() -> None:
    slowing = chain(25 * MS)._replace(before_ns=9 * MS)
    assert slowing.at_rest(100, None, LEAST_SLOWING) == Offsets(0, 4)
    assert chain(60 * MS)._replace(before_ns=9 * MS).at_rest(100, None, LEAST_SLOWING) == NONE


def test_at_rest_a_disc_that_would_have_gone_on_for_long_hides_nothing() -> None:
    assert chain(20 * MS).at_rest(100, None, LEAST_SLOWING) == NONE  # it does not slow at all


def test_at_rest_a_swing_that_a_hidden_pulse_would_make_longer_than_the_last_hides_none() -> None:
    resting = chain(20 * MS)
    soon = Rocking(resting.turn_ns - 10 * MS, 100 * MS, 6)
    assert resting.at_rest(5, soon, LEAST_SLOWING) == NONE
    assert resting.at_rest(4, soon, LEAST_SLOWING) == Offsets(0, 4)


def test_edges_that_pause_for_longer_than_a_turn_takes_hide_whole_slots_on_either_side() -> None:
    paused = chain(200 * MS)
    assert paused.ended_turned(paused.times_ns[-1] + TAU, False, None) == Offsets(-24, 24)
    assert chain(50 * MS).ended_turned(1060 * MS, False, None) == NONE


def test_the_counts_in_a_gap_are_those_at_the_speed_before_it_in_whole_slots() -> None:
    assert [chain(gap_ms * MS).counts_in_gap() for gap_ms in (39, 40, 200)] == [4, 8, 24]


@pytest.mark.parametrize(("swing", "more"), [(2, 0), (3, 6)])
def test_a_disc_of_few_counts_may_go_on_from_the_third_count_of_a_swing(swing: int, more: int) -> None:
    disc = QuadratureDecoder("a", "b")
    disc.t1_ns, disc.t2_ns, disc.t3_ns, disc.t4_ns = (-n * TAU for n in range(4))
    assert Stopping(32).may_go_on(disc, swing, None) == more


def test_a_disc_that_was_not_slowing_and_comes_back_early_was_not_there() -> None:
    turned = chain(8 * MS)
    assert turned.ended_turned(turned.times_ns[-1] + 3 * MS, False, None) == Offsets(-4, 4)


def test_a_pause_within_edges_that_go_on_hides_whole_slots() -> None:
    paused = chain(200 * MS, 220 * MS)
    assert paused.ended_onwards(paused.times_ns[-1] + TAU) == Offsets(0, 20)


def test_a_disc_that_would_have_stopped_short_of_three_counts_turned_where_it_seems_to() -> None:
    stopping = chain(26 * MS)._replace(before_ns=7 * MS)
    assert stopping.ended_turned(stopping.times_ns[-1] + 3 * TAU, False, None) == NONE


def test_at_rest_edges_of_one_line_that_keep_slowing_are_those_of_a_disc_whose_other_line_is_silent() -> None:
    silent = chain(20 * MS, 45 * MS, 85 * MS)
    assert silent.at_rest(100, None, LEAST_SLOWING) == Offsets(0, 8)
    assert chain(20 * MS, 320 * MS, 350 * MS).at_rest(100, None, LEAST_SLOWING) == NONE


def test_at_rest_swings_that_no_spring_makes_hide_a_slot_for_each_two_of_them_on_either_side() -> None:
    uneven = chain(100 * MS, 200 * MS, 210 * MS, 220 * MS, 230 * MS)
    assert uneven.at_rest(100, None, LEAST_SLOWING) == Offsets(-12, 12)


def test_at_rest_a_disc_too_slow_to_go_so_far_wobbled() -> None:
    crawling = chain(500 * MS, 1100 * MS, 1900 * MS, tau_ns=250 * MS, before_ns=240 * MS)
    assert crawling.at_rest(100, None, LEAST_SLOWING) == NONE


def test_a_count_that_noise_cut_in_two_is_taken_as_two_even_ones() -> None:
    assert chain(20 * MS)._replace(before_ns=1 * MS, tau_ns=39 * MS).slowed == (20 * MS, 20 * MS)
    assert chain(20 * MS)._replace(before_ns=40 * MS, tau_ns=5 * MS).slowed == (40 * MS, 40 * MS)


def test_the_counts_of_a_disc_that_stops_evenly_predict_how_far_it_still_goes() -> None:
    times = [-round((left / 1e-18) ** 0.5) for left in (1, 2, 3, 4)]
    assert still_goes_for(*times) == pytest.approx(1, abs=0.25)
    assert still_goes_for(0, -TAU, -2 * TAU, -3 * TAU) > 1e9


@pytest.mark.parametrize(("before_ns", "after_ns"), [(TAU, 2 * TAU), (2 * TAU, TAU)])
def test_a_gap_hides_as_many_slots_as_fit_at_the_greater_of_the_speeds_beside_it(before_ns: int, after_ns: int) -> None:
    """Ten counts of the quicker kind; the slips that it explains are those of even speeds between the two."""
    gap = CountGap(0, 10 * TAU, before_ns, float("inf"))
    assert gap.lost(after_ns, 1) == Lost(0, 12, (4, 8))
    assert gap.lost(after_ns, -1) == Lost(-12, 0, (-8, -4))
