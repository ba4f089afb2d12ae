"""Simulated cages, chutes and shakers, heard by their drivers: clean tumbles are told, faults never make one up."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from drivers.base.driver import Driver, Observation, SensorDead
from drivers.dice.cage import Cage, CageConfig
from drivers.dice.chute import Chute, ChuteConfig
from drivers.dice.observations import (
    CageRested,
    ChuteJammed,
    ChuteRested,
    DiceRestless,
    DiceStirred,
    ShakerCovered,
    ShakerRested,
)
from drivers.dice.shaker import Shaker, ShakerConfig
from hal.values import Batch, Edge, EdgesLost
from simulators.base.device_faults import NamedFault
from simulators.base.faults import FaultError
from simulators.base.geometry import GeometryError
from simulators.dice.cage import CAGE_FAULTS, CageGeometry, CageSimulator
from simulators.dice.chute import CHUTE_FAULTS, ChuteGeometry, ChuteSimulator
from simulators.dice.shaker import SHAKER_FAULTS, ShakerSimulator
from simulators.dice.tumble_truth import Tumble

Simulator = CageSimulator | ChuteSimulator | ShakerSimulator
Rested = CageRested | ChuteRested | ShakerRested


class Tumbler(NamedTuple):
    simulator: Callable[[int], Simulator]
    driver: Callable[[], Driver]
    faults: dict[str, NamedFault]


TUMBLERS = {
    "level": Tumbler(lambda seed: CageSimulator(CageGeometry(3), seed), lambda: Cage(CageConfig()), CAGE_FAULTS),
    "pulse": Tumbler(
        lambda seed: CageSimulator(CageGeometry(2, "pulse"), seed),
        lambda: Cage(CageConfig(sensing="pulse")),
        CAGE_FAULTS,
    ),
    "encoder": Tumbler(
        lambda seed: CageSimulator(CageGeometry(2, "encoder"), seed),
        lambda: Cage(CageConfig(sensing="encoder")),
        CAGE_FAULTS,
    ),
    "chute": Tumbler(
        lambda seed: ChuteSimulator(ChuteGeometry(2), seed), lambda: Chute(ChuteConfig(), 2), CHUTE_FAULTS
    ),
    "chute of five": Tumbler(
        lambda seed: ChuteSimulator(ChuteGeometry(3, 5), seed),
        lambda: Chute(ChuteConfig(baffles=5), 3),
        CHUTE_FAULTS,
    ),
    "shaker": Tumbler(ShakerSimulator, lambda: Shaker(ShakerConfig()), SHAKER_FAULTS),
}
EVERY = [(name, fault) for name, tumbler in TUMBLERS.items() for fault in tumbler.faults]
UNSEEN = {"die_off", "something_else", "dice_together", "askew"}
"""What the tumbler cannot see, or what the truth calls no tumble because nobody can tell."""


def hear(driver: Driver, batch: Batch) -> list[Observation]:
    seen: list[Observation] = []
    for value in sorted([*batch.edges, *batch.rare], key=lambda one: one.t_ns):
        if isinstance(value, Edge):
            seen += driver.edges([value])
        elif isinstance(value, EdgesLost):
            seen += driver.lost(value)
    return seen + driver.due(batch.until_ns)


def play(name: str, faults: list[str | None], seed: int = 1) -> list[tuple[Tumble, list[Observation]]]:
    """The tumbles of one simulator, each with what one driver said of it."""
    tumbler = TUMBLERS[name]
    simulator, driver = tumbler.simulator(seed), tumbler.driver()
    assert hear(driver, simulator.start()) == []
    played = []
    for fault in faults:
        tumble = simulator.tumble(fault)
        played.append((tumble, hear(driver, tumble.batch)))
    return played


def rests(seen: list[Observation]) -> list[Rested]:
    return [one for one in seen if isinstance(one, Rested)]


@pytest.mark.parametrize("name", TUMBLERS)
def test_every_clean_tumble_is_told_after_the_dice_lie(name: str) -> None:
    for tumble, seen in play(name, [None] * 25):
        (rested,) = rests(seen)
        assert rested.tumbled
        assert tumble.truth.tumbled
        assert tumble.truth.reasons == ()
        assert rested.t_ns > tumble.truth.rest_ns
        assert rested.began_ns >= tumble.truth.began_ns


@pytest.mark.long
@pytest.mark.parametrize(("name", "fault"), EVERY)
def test_no_fault_makes_a_tumble_of_none_and_all_is_well_two_tumbles_later(name: str, fault: str) -> None:
    for seed in range(3):
        (tumble, seen), _, (last, last_seen) = play(name, [fault, None, None], seed)
        if not tumble.truth.tumbled and fault not in UNSEEN:
            assert not any(one.tumbled for one in rests(seen))
        assert last.truth.tumbled
        assert [one.tumbled for one in rests(last_seen)] == [True]


@pytest.mark.parametrize(("name", "fault"), EVERY)
def test_what_a_driver_doubts_is_what_the_truth_lets_it_doubt(name: str, fault: str) -> None:
    for tumble, seen in play(name, [fault] * 2):
        for rested in rests(seen):
            assert rested.doubt is None or rested.doubt in tumble.truth.reasons


@pytest.mark.parametrize(
    ("name", "fault", "kind"),
    [
        ("level", "knocked_at_rest", DiceStirred),
        ("level", "drumming", DiceRestless),
        ("level", "shake_dead", SensorDead),
        ("encoder", "turn_dead", SensorDead),
        ("chute", "die_jammed", ChuteJammed),
        ("chute", "beam_broken", ChuteJammed),
        ("chute", "cable_pulled", SensorDead),
        ("shaker", "covered_again", ShakerCovered),
        ("shaker", "knocked_at_rest", DiceStirred),
    ],
)
def test_a_fault_is_told(name: str, fault: str, kind: type[Observation]) -> None:
    (_, seen), *_ = play(name, [fault])
    assert any(isinstance(one, kind) for one in seen)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("level", "too_few_inversions"),
        ("pulse", "rocked"),
        ("encoder", "rocked"),
        ("encoder", "paused"),
        ("chute", "baffle_missed"),
        ("chute", "die_stuck_between"),
        ("shaker", "too_few_shakes"),
        ("shaker", "never_covered"),
        ("shaker", "lifted_early"),
    ],
)
def test_what_makes_a_tumble_invalid_is_invalid_with_its_reason(name: str, fault: str) -> None:
    for tumble, _ in play(name, [fault] * 4):
        assert not tumble.truth.tumbled
        assert tumble.truth.reasons


@pytest.mark.parametrize(
    ("fault", "lying"), [("die_cocked", "cocked"), ("die_stacked", "stacked"), ("die_off", "off_table")]
)
def test_dice_lie_as_the_fault_says(fault: str, lying: str) -> None:
    ((tumble, _),) = play("level", [fault])
    assert [die.lying for die in tumble.truth.dice] == ["flat", "flat", lying]
    assert (tumble.truth.values is None) is (lying != "cocked")


@pytest.mark.parametrize(("name", "fault"), EVERY)
def test_equal_seeds_give_equal_tumbles_and_edges_come_in_order(name: str, fault: str) -> None:
    one, other = ([tumble for tumble, _ in play(name, [fault, None], 7)] for _ in range(2))
    assert one == other
    for tumble in one:
        times = [edge.t_ns for edge in tumble.batch.edges]
        assert times == sorted(times)
        assert all(time <= tumble.batch.until_ns for time in times)


@pytest.mark.parametrize("name", TUMBLERS)
def test_no_observation_is_dated_before_what_was_already_given(name: str) -> None:
    tumbler = TUMBLERS[name]
    simulator, driver = tumbler.simulator(3), tumbler.driver()
    given_ns = -1
    for batch in (simulator.start(), *(simulator.tumble(fault).batch for fault in tumbler.faults)):
        for value in sorted([*batch.edges, *batch.rare], key=lambda one: one.t_ns):
            early = driver.due(value.t_ns - 1)
            assert all(one.t_ns >= given_ns for one in early)
            now = driver.edges([value]) if isinstance(value, Edge) else []
            now += driver.lost(value) if isinstance(value, EdgesLost) else []
            assert all(one.t_ns == value.t_ns for one in now)
            given_ns = value.t_ns
        assert all(one.t_ns >= given_ns for one in driver.due(batch.until_ns))
        given_ns = batch.until_ns


@pytest.mark.parametrize("name", ["level", "chute", "shaker"])
def test_an_unknown_fault_is_refused_with_the_nearest_name(name: str) -> None:
    with pytest.raises(FaultError, match="nearest: noise_burst"):
        TUMBLERS[name].simulator(1).tumble("noise_brust")
    with pytest.raises(FaultError, match="there are: none"):
        TUMBLERS[name].simulator(1).tumble("zzz")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: CageGeometry(sensing="magic"), "sensing"),
        (lambda: CageGeometry(dice=0), "1 to 5 dice"),
        (lambda: CageGeometry(encoder_slots=1), "two slots"),
        (lambda: ChuteGeometry(baffles=2), "three baffles"),
        (lambda: ChuteGeometry(dice=9), "1 to 5 dice"),
    ],
)
def test_an_impossible_geometry_is_refused(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(GeometryError, match=message):
        wrong()


def test_a_tumble_begins_when_it_is_told_to() -> None:
    for name in ("level", "chute", "shaker"):
        simulator = TUMBLERS[name].simulator(1)
        simulator.start()
        tumble = simulator.tumble(begin_s=20.0)
        assert tumble.truth.began_ns >= 20_000_000_000
        assert simulator.now_s * 1e9 >= tumble.batch.until_ns
