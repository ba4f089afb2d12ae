"""The speed of a wheel, as the bench shows it, against that of the simulated wheel."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from drivers.base.driver import Driver
from drivers.base.view import Viewed
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.money_wheel.encoder_wheel import MoneyWheel
from drivers.money_wheel.peg_wheel import PegWheel
from drivers.money_wheel.view import MoneyWheelView
from hal.values import Edge
from simulators.base.motion import Segment, speed_at
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.money_wheel.wheel import MoneyWheelSimulator
from tests.fakes.bench import MONEY_WHEEL, SteppedBench

LOOK_S = 0.04
"""As often as the bench draws."""


class WatchedWheel(MoneyWheelSimulator):
    """A simulated wheel of which it is known how it moved in its last round."""

    motion: list[Segment]

    def _wheel_edges(
        self, wheel: list[Segment], spin: list[Segment], fault: str, rng: Random
    ) -> tuple[list[Edge], float]:
        self.motion = wheel
        return super()._wheel_edges(wheel, spin, fault, rng)


def looks(sensing: str, seed: int, rounds: int = 2) -> Iterator[tuple[MoneyWheelView, float]]:
    """What is shown of each simulated spin, and the true speed at that time."""
    simulator = WatchedWheel(MoneyWheelGeometry(sensing=sensing), seed)
    config = MoneyWheelConfig(sensing=sensing)  # type: ignore[arg-type]
    driver: Driver = PegWheel(config) if sensing == "pegs" else MoneyWheel(config)
    assert isinstance(driver, Viewed)
    driver.edges(simulator.start().edges)
    for _ in range(rounds):
        edges = simulator.round().batch.edges
        at_s, place = simulator.motion[0].start_s, 0
        while at_s < simulator.motion[-1].end_s - LOOK_S:
            at_ns, begin = round(at_s * 1e9), place
            while place < len(edges) and edges[place].t_ns <= at_ns:
                place += 1
            driver.edges(edges[begin:place])
            driver.due(at_ns)
            view = driver.view(at_ns)
            assert isinstance(view, MoneyWheelView)
            yield view, abs(speed_at(simulator.motion, at_s)) / 6
            at_s += LOOK_S


@pytest.mark.parametrize("sensing", ["pegs", "quadrature"])
def test_the_shown_speed_is_that_of_the_simulated_wheel(sensing: str) -> None:
    spun = [(view.rpm, true) for seed in range(3) for view, true in looks(sensing, seed) if view.motion == "spun"]
    fast = [(shown, true) for shown, true in spun if true >= 30]
    assert len(fast) > 300
    for shown, true in fast:
        assert shown == pytest.approx(true, rel=0.03)
    # A slow wheel swings between two pegs.
    for shown, true in spun:
        assert abs(shown - true) < 8


def test_the_true_speed_of_a_wheel_of_pegs_is_within_its_doubt_which_is_small_at_speed() -> None:
    inside = outside = 0
    for seed in range(3):
        for view, true in looks("pegs", seed):
            if view.motion != "spun" or view.rpm_doubt is None:
                continue
            low, high = view.rpm_doubt
            assert low <= view.rpm <= high
            inside += low <= true <= high
            outside += not low <= true <= high
            if true >= 30 and view.turns > 1:
                assert high - low < 3
    assert inside > 500
    assert outside <= inside / 100


def test_the_bench_shows_the_speed_of_a_wheel_of_pegs_live() -> None:
    bench = SteppedBench(MONEY_WHEEL + '[device.wheel]\nsensing = "pegs"\n')
    shown: list[dict[str, Any]] = []

    def taken() -> bool:
        (view,) = [one["view"] for one in bench.updates[-1]["views"] if one["device"] == "wheel"]
        shown.append(view)
        return bool(view["motion"] == "spun" and view["turns"] > 2)

    bench.advance(0.1)
    bench.until(taken)
    low, high = shown[-1]["rpm_doubt"]
    rpm = shown[-1]["rpm"]
    assert 10 < low < rpm < high < 90
    assert dict(shown[-1]["facts"])["speed"] == f"{rpm:.1f} rpm, {low:.1f} to {high:.1f}"
