"""The map of a board's clock: when it can be used, what it does with what does not fit, how wide its numbers are."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from hal.board.clock import BOUND_FOR_NS, LONGEST_LEARNING_NS, ClockMap
from hal.board.messages import ClockAnswer
from tests.fakes.model_clock import rate_error_ppm
from tests.fakes.true_clock import MS, Exchanges, S, TrueClock

US = 1000


def ideal(ppm: float = 0.0, ticks: int = 0) -> Exchanges:
    return Exchanges(ClockMap(), TrueClock(Random(1), ppm, 0.0, ticks), Random(2), lambda r: 0.0, lambda r: 0.0)


def learnt(ppm: float = 0.0, ticks: int = 0) -> Exchanges:
    made = ideal(ppm, ticks)
    for _ in range(40):
        made.one(97 * MS)
    return made


def test_a_map_without_enough_exchanges_maps_nothing() -> None:
    made = ideal()
    assert (made.map.ready, made.map.rate_ppm, rate_error_ppm(made.map)) == (False, 0.0, inf)
    for _ in range(7):
        made.one(97 * MS)
    assert not made.map.ready
    with pytest.raises(RuntimeError, match="not ready after 7 exchanges"):
        made.map.host_ns(1)
    with pytest.raises(RuntimeError, match="not ready after 7 exchanges"):
        made.map.error_ns(1)
    with pytest.raises(RuntimeError, match="not ready after 7 exchanges"):
        _ = made.map.bound_ns
    made.one(97 * MS)
    assert made.map.ready


def test_on_a_slow_link_the_map_is_used_after_two_seconds_all_the_same() -> None:
    rng = Random(3)
    made = Exchanges(
        ClockMap(), TrueClock(rng, 0.0), rng, lambda r: r.uniform(0, 16 * MS), lambda r: r.uniform(0, 16 * MS)
    )
    first_ns = made.clock.now_ns
    while not made.map.ready:
        made.one(19 * MS)
    assert LONGEST_LEARNING_NS <= made.clock.now_ns - first_ns < LONGEST_LEARNING_NS + 200 * MS


@pytest.mark.parametrize("ppm", [-5000.0, -20.0, 0.0, 5000.0])
def test_the_rate_of_the_board_is_found(ppm: float) -> None:
    made = learnt(ppm)
    assert made.map.rate_ppm == pytest.approx(ppm, abs=rate_error_ppm(made.map))
    assert rate_error_ppm(made.map) < 10


def test_a_board_that_is_off_by_more_than_any_board_is_given_up() -> None:
    made = learnt(30_000.0)
    assert made.map.failed is not None


def test_ticks_of_32_bits_are_widened_around_the_last_exchange() -> None:
    made = learnt(ticks=(3 << 32) - 2_000_000)
    now = made.clock.sample().ticks
    assert now > 3 << 32
    for ticks in (now, now - 40 * S // 500, now + 10_000, (3 << 32) - 1, 3 << 32):
        assert made.map.extend(ticks & 0xFFFFFFFF) == ticks


def test_an_exchange_that_came_late_changes_nothing() -> None:
    made = learnt()
    before = made.map.error_ns(made.clock.sample().ticks)
    made.back = lambda r: 300.0 * MS
    made.one(97 * MS)
    assert made.map.rejected == 0
    assert made.map.error_ns(made.samples[-1].ticks) < before + 20 * US
    assert made.map.bound_ns >= made.map.error_ns(made.samples[-1].ticks)


def test_one_exchange_that_cannot_be_is_left_out() -> None:
    made = learnt()
    sample = made.clock.sample()
    garbled = ClockAnswer((sample.ticks + 3000) & 0xFFFFFFFF, 0, 40)
    made.map.exchange(int(sample.t_ns), int(sample.t_ns) + MS, garbled, 7, 17)
    assert made.map.rejected == 1
    for _ in range(20):
        made.one(97 * MS)
    assert (made.map.rejected, made.map.failed) == (1, None)
    last = made.samples[-1]
    assert abs(made.map.host_ns(last.ticks) - last.t_ns) < 10 * US


def test_answers_faster_than_the_wire_are_reported() -> None:
    map_ = ClockMap()
    for i in range(3):
        map_.exchange(i * 100 * MS, i * 100 * MS + 100 * US, ClockAnswer(i * 200_000 + 100, 0, 0), 7, 17)
    assert map_.failed is not None
    assert "sooner than the wire could have carried them" in map_.failed


def test_without_a_wire_bytes_take_no_time() -> None:
    map_ = ClockMap(byte_ns=0)
    for i in range(30):
        map_.exchange(i * 100 * MS, i * 100 * MS + 20 * US, ClockAnswer(i * 200_000 + 20, 0, 0), 7, 17)
    assert map_.ready
    assert abs(map_.host_ns(29 * 200_000 + 20) - (29 * 100 * MS + 10 * US)) <= 15 * US


def test_a_clock_that_is_removed_back_is_not_followed() -> None:
    made = learnt(ticks=50_000_000)
    made.map.exchange(10 * S, 10 * S + MS, ClockAnswer(1000, 0, 40), 7, 17)
    assert made.map.failed is not None
    assert "went backwards" in made.map.failed


def test_what_was_mapped_stays_as_it_was() -> None:
    rng = Random(5)
    made = Exchanges(ClockMap(), TrueClock(rng, 900.0), rng, lambda r: r.uniform(0, MS), lambda r: r.uniform(0, 9 * MS))
    while not made.map.ready:
        made.one(19 * MS)
    ahead = made.clock.sample().ticks + 400_000
    mapped_ns = made.map.host_ns(ahead)
    for _ in range(100):
        made.one(97 * MS)
        assert made.map.host_ns(ahead) == mapped_ns


def test_a_garbled_time_far_ahead_does_not_stop_the_map_from_turning() -> None:
    made = learnt()
    made.map.host_ns(made.clock.sample().ticks + 100 * S // 500)
    made.clock.rate *= 1 + 50e-6
    for _ in range(100):
        made.one(97 * MS)
    last = made.samples[-1]
    assert abs(made.map.host_ns(last.ticks) - last.t_ns) < 30 * US


def test_the_bound_until_the_next_exchange_is_the_greatest_of_its_ticks() -> None:
    made = learnt()
    made.clock.rate *= 1 + 50e-6
    for ahead in (0, 300_000, 0, 0, 700_000, 0):
        made.map.host_ns(made.clock.sample().ticks + ahead)
        made.one(97 * MS)
        now = made.clock.sample().ticks
        # Up to three exchanges in a row are rejected after the rate has changed.
        upto = now + (BOUND_FOR_NS - 300 * MS) // 500
        assert max(made.map.error_ns(ticks) for ticks in range(now, upto, 1000)) <= made.map.bound_ns


def test_the_farther_from_the_last_exchange_the_less_is_known() -> None:
    made = learnt()
    now = made.clock.sample().ticks
    for seconds in (-10, -3, 3, 10):
        bent_ns = 5e-6 / 2 * seconds**2 * 1e9
        turned_ns = rate_error_ppm(made.map) * abs(seconds) * 1000
        assert made.map.error_ns(now + seconds * 2_000_000) > 0.9 * (bent_ns + turned_ns)
