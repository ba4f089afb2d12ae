"""Slots that noise counted where no disc turned."""

from __future__ import annotations

import pytest

from drivers.wheel.lost_pulses import RecentEdges, noise_counted
from hal.values import Edge

MS = 1_000_000
EVEN = [k * 10 * MS for k in range(20)]


def test_an_even_disc_is_not_noise() -> None:
    assert not noise_counted(EVEN)


def test_four_edges_within_a_count_are_noise() -> None:
    assert noise_counted(sorted([*EVEN, *(91 * MS + k * 100_000 for k in range(4))]))


def test_a_bounce_of_two_edges_is_not_noise() -> None:
    assert not noise_counted(sorted([*EVEN, 100 * MS + 50_000, 100 * MS + 90_000]))


def test_a_short_swing_between_two_turns_is_not_noise() -> None:
    swings = [0, 300, 340, 380, 420, 460, 760, 800, 840, 880, 920, 1220]
    assert not noise_counted([t * MS for t in swings])


def test_counts_too_fast_to_judge_are_not_noise() -> None:
    assert not noise_counted(sorted([*(k * 100_000 for k in range(20)), *(910_000 + k * 1000 for k in range(4))]))


def test_few_edges_are_not_noise() -> None:
    assert not noise_counted([])
    assert not noise_counted(EVEN[:5])


LINES = ("a", "b")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_recent_edges_are_the_last_of_all_lines_however_they_were_cut_into_batches(size: int) -> None:
    edges = [Edge("ax"[k % 2], 1, k) for k in range(40)]
    recent = RecentEdges(4)
    for start in range(0, 40, size):
        recent.add(edges[start : start + size])
    recent.add([])
    assert recent.times_ns(LINES, 0, 100, 100) == [36, 38]
    assert recent.times_ns(("a", "x"), 37, 38, 100) == [37, 38]
    assert recent.times_ns(LINES, 0, 36, 39) == [36]
    assert recent.last(9, LINES, 100, 39) == [edges[36], edges[38]]
    assert recent.last(9, LINES, 37, 39) == [edges[36]]
    assert recent.last(9, LINES, 35, 39) == []


@pytest.mark.parametrize("size", [3, 7, 40])
def test_edges_of_the_newest_batch_that_come_later_do_not_count(size: int) -> None:
    edges = [Edge("ax"[k % 2], 1, k) for k in range(40)]
    recent = RecentEdges(4)
    for start in range(0, 40, size):
        recent.add(edges[start : start + size])
        if start + size > 20:
            break
    assert recent.times_ns(LINES, 0, 100, 20) == [18, 20]
    assert recent.last(1, LINES, 20, 20) == [edges[20]]


def test_as_many_edges_are_given_as_are_asked_for_however_they_were_cut_into_batches() -> None:
    edges = [Edge("ab"[k % 2], k % 4 // 2, k) for k in range(9)]
    for cut in range(10):
        recent = RecentEdges(9)
        recent.add(edges[:cut])
        recent.add(edges[cut:])
        assert recent.last(5, LINES, 7, 9) == edges[3:8]
