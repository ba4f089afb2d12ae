from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from hal.values import EdgesLost
from simulators.base.faults import FaultError, fault_named, faults_for
from simulators.base.geometry import Geometry, GeometryError
from simulators.base.truth import SimRound, TableSimulator
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.money_wheel.wheel import PLANS as MONEY_WHEEL_PLANS
from simulators.roulette.geometry import RouletteGeometry
from simulators.roulette.plan import PLANS as ROULETTE_PLANS
from simulators.wheel.faults import FAULTS
from simulators.wheel.line_faults import ENCODER_FAULTS, LINE_FAULTS

MONEY = MoneyWheelGeometry(settled_button=True)
ROULETTE = RouletteGeometry(no_more_bets_button=True, settled_button=True, level_hz=2.0)
EVERY = [(geometry, fault.name) for geometry in (MONEY, ROULETTE) for fault in faults_for(geometry)]
NAMED = [f"{type(geometry).__name__}-{name}" for geometry, name in EVERY]
PHYSICAL = {fault.name: fault.physical for fault in FAULTS}


def table(geometry: Geometry, seed: int = 21) -> TableSimulator:
    simulator = geometry.simulator(seed)
    simulator.start()
    return simulator


def second_round(geometry: Geometry, fault: str | None, seed: int = 21) -> SimRound:
    simulator = table(geometry, seed)
    simulator.round()
    return simulator.round(fault)


def test_the_two_tables_can_have_every_fault_of_the_registry() -> None:
    assert {name for _, name in EVERY} == {fault.name for fault in FAULTS}


def test_every_fault_is_explained_and_carried_out() -> None:
    for geometry, plans in ((MONEY, MONEY_WHEEL_PLANS), (ROULETTE, ROULETTE_PLANS)):
        for fault in faults_for(geometry):
            assert fault.explanation.endswith(".")
            assert fault.expected.endswith(".")
            line_fault = fault.name in LINE_FAULTS or fault.name in ("cable_pulled", *ENCODER_FAULTS)
            assert (fault.name in plans) is fault.physical
            assert line_fault is not fault.physical


@pytest.mark.parametrize(("geometry", "name"), [e for e in EVERY if e[1] != "none"])
def test_a_fault_gives_another_round_than_a_clean_one(geometry: Geometry, name: str) -> None:
    clean, faulty = second_round(geometry, None), second_round(geometry, name)
    assert faulty.batch != clean.batch
    assert faulty.fault == name
    if not PHYSICAL[name]:
        # The truth of the physics stays, whatever the lines say.
        assert faulty.truth[:4] == clean.truth[:4]
        assert faulty.batch.until_ns == clean.batch.until_ns


@pytest.mark.parametrize(("geometry", "name"), EVERY, ids=NAMED)
def test_after_a_fault_the_lines_go_on_from_the_levels_that_they_have(geometry: Geometry, name: str) -> None:
    simulator = geometry.simulator(5)
    batches = [simulator.start(), simulator.round().batch, simulator.round(name).batch, simulator.round().batch]
    unplugged = {loss.line for batch in batches for loss in batch.rare if isinstance(loss, EdgesLost)}
    assert bool(unplugged) is (name == "cable_pulled")
    for line in simulator.lines:
        levels = [e.level for batch in batches for e in batch.edges if e.line == line]
        repeats = sum(1 for before, after in pairwise(levels) if before == after)
        # Only a line that was unplugged may be found at the level that it had.
        assert repeats <= (1 if line in unplugged else 0)
    times = [e.t_ns for batch in batches for e in batch.edges]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("geometry", "name"),
    [e for e in EVERY if PHYSICAL[e[1]]],
)
def test_an_invalid_round_has_reasons_to_refuse_it(geometry: Geometry, name: str) -> None:
    simulator = table(geometry)
    for _ in range(4):
        truth = simulator.round(name).truth
        assert truth.valid or truth.reasons
        assert truth.detail


@pytest.mark.parametrize(
    "name",
    ["same_direction", "rotor_stopped", "rotor_reversed", "ball_leaves_wheel", "ball_picked_up", "foreign_object",
     "two_balls", "tilt", "short_spin"],
)  # fmt: skip
def test_each_cause_of_an_invalid_run_at_roulette_makes_it_invalid(name: str) -> None:
    simulator = table(ROULETTE)
    assert not any(simulator.round(name).truth.valid for _ in range(4))


def test_an_unknown_fault_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(FaultError, match=r'no fault is named "noise_brust"; nearest: noise_burst'):
        fault_named("noise_brust", ROULETTE)
    with pytest.raises(FaultError, match=r'no fault is named "zzz" \('):
        table(MONEY).round("zzz")


def test_a_fault_of_another_game_or_of_sensors_that_are_not_there_is_refused() -> None:
    with pytest.raises(FaultError, match='no fault is named "two_balls"'):
        table(MONEY).round("two_balls")
    with pytest.raises(FaultError, match="needs level sensors"):
        table(RouletteGeometry()).round("tilt")
    with pytest.raises(FaultError, match='needs a "no more bets" button'):
        table(MoneyWheelGeometry(no_more_bets_button=False)).round("spun_early")
    assert "tilt" not in {fault.name for fault in faults_for(RouletteGeometry())}


def test_a_refused_fault_does_not_disturb_the_table() -> None:
    disturbed, plain = table(ROULETTE), table(ROULETTE)
    with pytest.raises(FaultError):
        disturbed.round("nonsense")
    assert disturbed.round() == plain.round()


def test_a_cable_out_is_reported_for_every_line_of_the_wheel_and_none_of_the_dealer() -> None:
    lost = [v for v in second_round(ROULETTE, "cable_pulled").batch.rare if isinstance(v, EdgesLost)]
    assert {loss.line for loss in lost} == {
        "rotor_a", "rotor_b", "rotor_index", "ball_1", "ball_2", "ball_3", "pocket", "object",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: MoneyWheelGeometry(sensing="magic"), "quadrature"),
        (lambda: MoneyWheelGeometry(spaces=0), "spaces"),
        (lambda: MoneyWheelGeometry(index_width_deg=400.0), "index_width_deg"),
        (lambda: RouletteGeometry(ball_sensors_deg=(0.0,)), "ball_sensors_deg"),
        (lambda: RouletteGeometry(level_hz=-1.0), "level_hz"),
    ],
)
def test_an_impossible_geometry_is_refused(wrong: Callable[[], Geometry], message: str) -> None:
    with pytest.raises(GeometryError, match=message):
        wrong()


def all_rounds(geometry: Geometry, seed: int) -> list[SimRound]:
    simulator = table(geometry, seed)
    return [simulator.round(fault.name) for fault in faults_for(geometry)]


@pytest.mark.long
@pytest.mark.parametrize("geometry", [MONEY, ROULETTE], ids=["money wheel", "roulette"])
def test_equal_seeds_give_equal_rounds_and_other_seeds_others(geometry: Geometry) -> None:
    assert all_rounds(geometry, 7) == all_rounds(geometry, 7)
    assert second_round(geometry, None, 7).batch != second_round(geometry, None, 8).batch


SCRIPT = """
import hashlib
from simulators.base.faults import faults_for
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.roulette.geometry import RouletteGeometry

digest = hashlib.sha256()
for geometry in (MoneyWheelGeometry(settled_button=True), RouletteGeometry(no_more_bets_button=True, level_hz=2.0)):
    simulator = geometry.simulator(99)
    digest.update(repr(simulator.start()).encode())
    for fault in faults_for(geometry):
        digest.update(repr(simulator.round(fault.name)).encode())
print(digest.hexdigest())
"""


@pytest.mark.long
def test_rounds_do_not_depend_on_the_hash_seed_of_the_process() -> None:
    root = Path(__file__).parents[3]
    printed = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        printed.add(done.stdout)
    assert len(printed) == 1


@pytest.mark.parametrize("geometry", [MONEY, ROULETTE], ids=["money wheel", "roulette"])
def test_the_round_after_a_line_fault_may_be_doubted_for_its_repair_and_the_next_one_not(geometry: Geometry) -> None:
    simulator = table(geometry)
    assert simulator.round("dead_sensor").truth.reasons
    assert "encoder_slip" in simulator.round().truth.reasons
    assert simulator.round().truth.reasons == ()
