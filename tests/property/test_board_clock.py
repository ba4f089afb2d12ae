"""The map of a board's clock against the truth: its error is within the bound that it states, it never goes back, and
it never bends an interval by more than it says.
"""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commissioning.computer_checks import judge_times
from hal.board.clock import MOST_SLEW, ClockMap
from tests.fakes.model_clock import rate_error_ppm
from tests.fakes.true_clock import MS, Exchanges, Latency, S, Sample, TrueClock

US = 1000.0

LATENCIES: dict[str, tuple[Latency, Latency]] = {
    "ideal": (lambda r: r.uniform(0, 20 * US), lambda r: r.uniform(0, 20 * US)),
    "a Pi": (lambda r: 80 * US + r.expovariate(1 / 2e5), lambda r: 80 * US + r.expovariate(1 / 2e5)),
    "a busy Pi": (
        lambda r: 50 * US + r.expovariate(1 / 3e5),
        lambda r: r.choice((100 * US, 100 * US, 100 * US, 30 * MS, 300 * MS)),
    ),
    "USB, 1 ms to read": (lambda r: 125 * US, lambda r: r.uniform(125 * US, 2.125 * MS)),
    "always 1 ms to read": (lambda r: 125 * US, lambda r: 1.125 * MS),
    "USB, 16 ms to read": (lambda r: r.uniform(0, MS), lambda r: r.uniform(0, 16 * MS)),
    "USB, 16 ms both ways": (lambda r: r.uniform(0, 16 * MS), lambda r: r.uniform(0, 16 * MS)),
    "always 16 ms to read": (lambda r: 0.0, lambda r: 16.0 * MS),
    "always 16 ms to write": (lambda r: 16.0 * MS, lambda r: 0.0),
    "either none or all": (lambda r: r.choice((0, 16 * MS)), lambda r: r.choice((0, 16 * MS))),
}


def exchanges(seed: int, ppm: float, wander_ppm_s: float, latency: str, ticks: int = 0) -> Exchanges:
    rng = Random(seed)
    return Exchanges(ClockMap(), TrueClock(rng, ppm, wander_ppm_s, ticks), rng, *LATENCIES[latency])


def learn(made: Exchanges) -> None:
    while not made.map.ready:
        made.one(19 * MS)


def check_bound(seed: int, ppm: float, wander_ppm_s: float, latency: str, ticks: int, for_ns: int) -> None:
    made = exchanges(seed, ppm, wander_ppm_s, latency, ticks)
    learn(made)
    choose = Random(seed)
    until_ns = made.clock.now_ns + for_ns
    seen: dict[int, int] = {}
    while made.clock.now_ns < until_ns:
        made.one(choose.choice((97 * MS, 97 * MS, 19 * MS, 900 * MS)))
        for sample in made.samples:
            t_ns = made.map.host_ns(sample.ticks)
            assert seen.setdefault(sample.ticks, t_ns) == t_ns
            assert abs(t_ns - sample.t_ns) <= made.map.error_ns(sample.ticks)
            assert made.map.extend(sample.ticks & 0xFFFFFFFF) == sample.ticks
    assert made.map.failed is None
    assert made.map.rejected == 0
    in_order = [seen[ticks] for ticks in sorted(seen)]
    assert in_order == sorted(in_order)


def test_a_rate_that_changes_as_fast_as_it_may_for_longer_than_the_window_stays_known() -> None:
    """Points that lie as the wander bends them are no corners: the last one of the window's beginning is needed."""
    check_bound(416, 0.0, 5.0, "always 16 ms to write", 0, 90 * S)


ANY_CLOCK = {
    "seed": st.integers(0, 1 << 30),
    "ppm": st.floats(-5000, 5000),
    "wander_ppm_s": st.sampled_from([0.0, 0.5, 5.0]),
    "latency": st.sampled_from(sorted(LATENCIES)),
    "ticks": st.sampled_from([0, (1 << 32) - 10_000_000, 1 << 40]),
}


@settings(max_examples=40)
@given(**ANY_CLOCK)
def test_the_error_is_within_the_stated_bound(
    seed: int, ppm: float, wander_ppm_s: float, latency: str, ticks: int
) -> None:
    check_bound(seed, ppm, wander_ppm_s, latency, ticks, 20 * S)


@pytest.mark.soak
@settings(max_examples=1500)
@given(**ANY_CLOCK)
def test_the_error_is_within_the_stated_bound_at_length(
    seed: int, ppm: float, wander_ppm_s: float, latency: str, ticks: int
) -> None:
    check_bound(seed, ppm, wander_ppm_s, latency, ticks, 90 * S)


@settings(max_examples=40)
@given(seed=st.integers(0, 1 << 30), ppm=st.floats(-5000, 5000), wander_ppm_s=st.sampled_from([0.0, 0.5, 5.0]))
def test_on_an_ideal_link_the_error_is_below_20_us(seed: int, ppm: float, wander_ppm_s: float) -> None:
    made = exchanges(seed, ppm, wander_ppm_s, "ideal")
    learn(made)
    until_ns = made.clock.now_ns + 15 * S
    while made.clock.now_ns < until_ns:
        made.one(97 * MS)
        assert max(abs(made.map.host_ns(sample.ticks) - sample.t_ns) for sample in made.samples) < 20_000
        assert made.map.error_ns(made.samples[-1].ticks) < 30_000


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1 << 30),
    ppm=st.floats(-5000, 5000),
    wander_ppm_s=st.sampled_from([0.0, 0.5]),
    latency=st.sampled_from(["USB, 1 ms to read", "always 1 ms to read"]),
)
def test_behind_an_adapter_that_waits_for_1_ms_the_error_is_below_600_us(
    seed: int, ppm: float, wander_ppm_s: float, latency: str
) -> None:
    made = exchanges(seed, ppm, wander_ppm_s, latency)
    learn(made)
    until_ns = made.clock.now_ns + 15 * S
    while made.clock.now_ns < until_ns:
        made.one(97 * MS)
    for _ in range(20):
        made.one(97 * MS)
        assert max(abs(made.map.host_ns(sample.ticks) - sample.t_ns) for sample in made.samples) < 600_000
        assert shown_ns(made.map) < 900_000


def shown_ns(map_: ClockMap) -> float:
    """How well doctor says that edges are dated from now on."""
    (finding,) = judge_times("one", map_.bound_ns, None)
    found = re.search(r"from now on, .* dated within ([0-9.]+) ms", finding.found)
    assert found is not None
    return float(found[1]) * MS


def check_shown(seed: int, ppm: float, wander_ppm_s: float, latency: str, for_ns: int) -> None:
    made = exchanges(seed, ppm, wander_ppm_s, latency)
    learn(made)
    choose = Random(seed)
    until_ns = made.clock.now_ns + for_ns
    before_ns = None
    while made.clock.now_ns < until_ns:
        # Up to 0.3 s pass before an exchange is complete, on a busy Pi.
        made.one(choose.choice((97 * MS, 97 * MS, 19 * MS, 600 * MS)))
        errors_ns = [abs(made.map.host_ns(sample.ticks) - sample.t_ns) for sample in made.samples]
        if before_ns is not None:
            # Of edges between the last two exchanges, as they are reported after the second.
            assert max(errors_ns[:-3]) <= before_ns
        before_ns = shown_ns(made.map)
        assert max(errors_ns[-3:]) <= before_ns


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1 << 30),
    ppm=st.floats(-5000, 5000),
    wander_ppm_s=st.sampled_from([0.0, 0.5, 5.0]),
    latency=st.sampled_from(sorted(LATENCIES)),
)
def test_edges_are_dated_as_well_as_doctor_shows_until_the_next_exchange(
    seed: int, ppm: float, wander_ppm_s: float, latency: str
) -> None:
    check_shown(seed, ppm, wander_ppm_s, latency, 10 * S)


@pytest.mark.parametrize("latency", sorted(LATENCIES))
def test_edges_are_dated_as_well_as_doctor_shows_behind_every_adapter(latency: str) -> None:
    check_shown(3, 40.0, 5.0, latency, 20 * S)


def bent_ppm(made: Exchanges, first: Sample, second: Sample) -> float:
    """By how much the interval between two samples is too long."""
    mapped_ns = made.map.host_ns(second.ticks) - made.map.host_ns(first.ticks)
    return (mapped_ns / (second.t_ns - first.t_ns) - 1) * 1e6


@settings(max_examples=30)
@given(
    seed=st.integers(0, 1 << 30),
    ppm=st.floats(-5000, 5000),
    latency=st.sampled_from(sorted(LATENCIES)),
)
def test_intervals_are_bent_by_the_slew_and_the_error_of_the_rate_only(seed: int, ppm: float, latency: str) -> None:
    made = exchanges(seed, ppm, 0.0, latency)
    learn(made)
    for _ in range(100):
        made.one(97 * MS)
        allowed_ppm = (rate_error_ppm(made.map) + MOST_SLEW * 1e6) * 1.02
        for first, second in pairwise(made.samples[-3:]):
            if second.t_ns - first.t_ns > 10 * MS:
                assert abs(bent_ppm(made, first, second)) <= allowed_ppm


@settings(max_examples=20)
@given(seed=st.integers(0, 1 << 30), ppm=st.floats(-5000, 5000))
def test_on_an_ideal_link_intervals_are_bent_by_less_than_100_ppm(seed: int, ppm: float) -> None:
    made = exchanges(seed, ppm, 0.5, "ideal")
    learn(made)
    for _ in range(100):
        made.one(97 * MS)
        for first, second in pairwise(made.samples[-3:]):
            if second.t_ns - first.t_ns > 20 * MS:
                assert abs(bent_ppm(made, first, second)) < 100


@settings(max_examples=20)
@given(
    seed=st.integers(0, 1 << 30),
    ppm=st.floats(-5000, 5000),
    step_ppm=st.floats(-500, 500),
    latency=st.sampled_from(["ideal", "a Pi", "USB, 16 ms to read"]),
)
def test_a_host_whose_clock_is_suddenly_steered_is_followed_and_time_never_goes_back(
    seed: int, ppm: float, step_ppm: float, latency: str
) -> None:
    made = exchanges(seed, ppm, 0.0, latency)
    learn(made)
    mapped: dict[int, int] = {}
    for turn in range(600):
        if turn == 100:
            made.clock.rate *= 1 + step_ppm * 1e-6
        made.one(97 * MS)
        mapped |= {sample.ticks: made.map.host_ns(sample.ticks) for sample in made.samples}
    assert made.map.failed is None
    in_order = [mapped[ticks] for ticks in sorted(mapped)]
    assert in_order == sorted(in_order)
    sample = made.samples[-1]
    assert abs(made.map.host_ns(sample.ticks) - sample.t_ns) <= made.map.error_ns(sample.ticks)


@settings(max_examples=20)
@given(seed=st.integers(0, 1 << 30), jump=st.sampled_from([-(1 << 20), 1 << 20, 1 << 33]))
def test_a_clock_that_jumps_is_not_followed(seed: int, jump: int) -> None:
    made = exchanges(seed, 0.0, 0.0, "a Pi", ticks=1 << 34)
    learn(made)
    made.clock.jump(jump)
    for _ in range(5):
        made.one(97 * MS)
    assert made.map.failed is not None
