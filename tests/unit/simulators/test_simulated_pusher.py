"""The simulated token pusher: its bed makes and loses no token, and its statistics are plausible."""

from __future__ import annotations

from random import Random

import pytest

from simulators.base.faults import FaultError
from simulators.base.geometry import GeometryError
from simulators.pusher.bed import LANES, Bed
from simulators.pusher.table import LINES, PusherGeometry


def test_no_token_is_made_or_lost_on_the_bed() -> None:
    bed = Bed(Random(1))
    before, fallen = bed.tokens, 0
    for number in range(1, 2001):
        falls = bed.drop()
        fallen += falls.player + falls.house
        assert bed.tokens == before + number - fallen
        assert min(bed.lanes) >= 0


def test_over_a_long_time_as_many_fall_as_are_put_in_and_in_bursts() -> None:
    bed = Bed(Random(2))
    falls = [bed.drop() for _ in range(20_000)]
    player = sum(one.player for one in falls)
    house = sum(one.house for one in falls)
    assert player + house == pytest.approx(20_000, abs=20 * LANES)
    assert 0.03 < house / (player + house) < 0.25
    nothing = sum(one == (0, 0) for one in falls) / len(falls)
    assert 0.4 < nothing < 0.8
    assert max(one.player for one in falls) >= 6


def test_equal_seeds_give_equal_plays() -> None:
    first, second = (PusherGeometry().simulator(5) for _ in range(2))
    assert first.start() == second.start()
    assert [first.round() for _ in range(5)] == [second.round() for _ in range(5)]
    assert first.round().batch != PusherGeometry().simulator(6).round().batch


def test_a_batch_names_only_its_lines_in_the_order_of_time() -> None:
    simulator = PusherGeometry().simulator(5)
    until_ns = simulator.start().until_ns
    for fault in (None, *(one.name for one in simulator.geometry.faults())):
        batch = simulator.round(fault).batch
        assert {edge.line for edge in batch.edges} <= set(LINES)
        times = [edge.t_ns for edge in batch.edges]
        assert times == sorted(times)
        assert until_ns < times[0]
        assert times[-1] <= batch.until_ns
        until_ns = batch.until_ns


def test_unknown_faults_and_impossible_plays_are_refused() -> None:
    with pytest.raises(FaultError, match="no fault is named"):
        PusherGeometry().simulator(1).round("shelf_stuck")
    with pytest.raises(GeometryError, match="at least 2"):
        PusherGeometry(play_s=1)
