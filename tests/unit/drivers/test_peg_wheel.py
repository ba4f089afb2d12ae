"""A money wheel read by its pegs: its greatest travel, without a direction."""

from __future__ import annotations

from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Driver, Observation, SensorAlive, SensorDead
from drivers.money_wheel.device import MoneyWheelConfig, WheelMoved, WheelRested, WheelSpun, WheelTurned
from drivers.money_wheel.peg_wheel import PegWheel
from drivers.money_wheel.speed import speed_by_pegs
from hal.values import Edge, EdgesLost, Loss

S = 1_000_000_000
MS = 1_000_000
O = TypeVar("O", bound=Observation)  # noqa: E741
START_NS = 4 * S


def wheel(**keys: str) -> Driver:
    return PegWheel(MoneyWheelConfig(sensing="pegs", peg_direction="negative" if keys else "positive"))


def pegs(number: int, *, index_at: int = 10, width_ms: int = 20) -> list[Edge]:
    """This many pegs, ten a second; the index comes between two pegs once in fifty."""
    edges = [Edge("wheel_peg", 0, 0), Edge("wheel_index", 0, 0)]
    for k in range(number):
        t_ns = START_NS + k * 100 * MS
        edges += [Edge("wheel_peg", 1, t_ns), Edge("wheel_peg", 0, t_ns + width_ms * MS)]
        if k % 50 == index_at:
            edges += [Edge("wheel_index", 1, t_ns + 50 * MS), Edge("wheel_index", 0, t_ns + 70 * MS)]
    return edges


def seen(edges: list[Edge], driver: Driver | None = None) -> list[Observation]:
    driver = driver or wheel()
    return driver.edges(edges) + driver.due(edges[-1].t_ns + 5 * S)


def of(found: list[Observation], kind: type[O]) -> list[O]:
    return [one for one in found if isinstance(one, kind)]


def test_a_spin_is_reported_step_by_step_and_its_direction_is_never_proven() -> None:
    found = seen(pegs(160))
    assert [type(one) for one in found] == [WheelMoved, WheelSpun, WheelTurned, WheelTurned, WheelTurned, WheelRested]
    (rested,) = of(found, WheelRested)
    assert (rested.turns, rested.turns_low) == (3.2, 3.16)
    assert (rested.direction_proven, rested.doubt, rested.spun) == (False, None, True)


def test_rest_is_a_second_and_a_half_without_a_peg() -> None:
    edges = pegs(160)
    assert of(seen(edges), WheelRested)[0].t_ns == edges[-2].t_ns + 1_500 * MS


@pytest.mark.parametrize(("number", "spun"), [(24, False), (25, True)])
def test_half_a_turn_of_pegs_is_a_spin(number: int, spun: bool) -> None:
    assert of(seen(pegs(number)), WheelRested)[0].spun == spun


def test_one_peg_is_no_movement() -> None:
    assert seen(pegs(1)) == []


@pytest.mark.parametrize(("direction", "space"), [("positive", 1), ("negative", 49)])
def test_the_space_follows_from_the_pegs_since_the_index_in_the_configured_direction(
    direction: str, space: int
) -> None:
    driver = PegWheel(
        MoneyWheelConfig(sensing="pegs", peg_direction="positive" if direction == "positive" else "negative")
    )
    rested = of(seen(pegs(160), driver), WheelRested)[0]
    # 160 pegs, the index after the 11th of every fifty: 149 since the first, 49 since the last.
    assert rested.rest.space == space


@pytest.mark.parametrize(("indicator_deg", "space"), [(86.4, 13), (-86.4, 39)])
def test_an_indicator_at_another_angle_has_the_space_that_is_under_it(indicator_deg: float, space: int) -> None:
    """86.4 degrees are 12 spaces; with the indicator at the index it would be space 1."""
    driver = PegWheel(MoneyWheelConfig(sensing="pegs", indicator_deg=indicator_deg))
    assert of(seen(pegs(160), driver), WheelRested)[0].rest.space == space


def test_a_peg_in_front_of_the_sensor_at_rest_is_between_spaces() -> None:
    edges = pegs(160)[:-1]
    rest = of(seen(edges), WheelRested)[0].rest
    assert (rest.clear, rest.to_peg_spaces) == (False, 0.0)


def test_a_bouncing_peg_is_one() -> None:
    edges = pegs(160)
    bounces = [
        Edge("wheel_peg", level, edge.t_ns + k * MS)
        for edge in edges
        if edge.line == "wheel_peg" and edge.level
        for k, level in ((1, 0), (2, 1))
    ]
    bounced = sorted([*edges, *bounces], key=lambda edge: edge.t_ns)
    assert of(seen(bounced), WheelRested)[0].turns == 3.2


def test_pegs_missing_between_two_crossings_of_the_index_are_a_slip() -> None:
    edges = pegs(160)
    lost = [edge for edge in edges if not START_NS + 6950 * MS < edge.t_ns < START_NS + 7350 * MS]
    assert of(seen(lost), WheelRested)[0].doubt == "encoder_slip"


def test_more_than_one_and_a_tenth_turns_without_an_index_is_a_missing_sensor() -> None:
    edges = [edge for edge in pegs(160) if edge.line == "wheel_peg" or edge.t_ns < START_NS + 2 * S]
    assert of(seen(edges), WheelRested)[0].doubt == "sensor_missing"


def test_without_any_index_there_is_no_space() -> None:
    edges = [edge for edge in pegs(160) if edge.line == "wheel_peg" or edge.t_ns == 0]
    rested = of(seen(edges), WheelRested)[0]
    assert (rested.doubt, rested.rest.space) == ("sensor_missing", None)


def test_a_reported_loss_is_a_doubt_and_an_unplugged_line_a_dead_sensor() -> None:
    driver = wheel()
    edges = pegs(160)
    found = driver.edges(edges[:100])
    found += driver.lost(EdgesLost("wheel_peg", Loss.OVERFLOW, edges[99].t_ns + 1, 3))
    found += seen(edges[100:], driver)
    assert of(found, WheelRested)[0].doubt == "edges_lost"
    end_ns = edges[-1].t_ns + 6 * S
    assert len(of(driver.lost(EdgesLost("wheel_index", Loss.UNPLUGGED, end_ns)), SensorDead)) == 1
    assert len(of(driver.edges([Edge("wheel_index", 0, end_ns + S)]), SensorAlive)) == 1


def test_a_loss_of_a_line_that_is_not_the_wheels_is_no_doubt() -> None:
    driver = wheel()
    edges = pegs(160)
    found = driver.edges(edges[:100]) + driver.lost(EdgesLost("kettle", Loss.OVERFLOW, edges[99].t_ns + 1, 3))
    found += seen(edges[100:], driver)
    assert of(found, WheelRested)[0].doubt is None


def test_a_wheel_that_moves_when_the_table_opens_has_joined() -> None:
    edges = [edge._replace(t_ns=max(0, edge.t_ns - START_NS + 10 * MS)) for edge in pegs(160)]
    assert of(seen(edges), WheelRested)[0].joined


EDGES = [*pegs(160), *(edge._replace(t_ns=edge.t_ns + 30 * S) for edge in pegs(30)[2:])]
WHOLE = seen(EDGES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, EDGES[-1].t_ns + 5 * S), max_size=20))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, found, rest = wheel(), list[Observation](), EDGES
    for cut_ns in [*sorted(cuts), EDGES[-1].t_ns + 5 * S]:
        found += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert found == WHOLE


def test_its_view_has_the_speed_of_the_last_pegs_and_less_where_none_follows() -> None:
    driver = PegWheel(MoneyWheelConfig(sensing="pegs"))
    driver.edges(pegs(60))
    last_ns = START_NS + 59 * 100 * MS
    speed = [dict(driver.view(last_ns + after_ms * MS).facts)["speed"] for after_ms in (50, 100, 400)]
    assert speed == ["12.0 rpm, 12.0 to 12.0", "12.0 rpm, 12.0 to 12.0", "3.0 rpm, 0.0 to 12.0"]
    driver.due(last_ns + 5 * S)
    assert driver.view(last_ns + 5 * S).rpm == 0.0


def test_two_pegs_give_a_speed_and_no_doubt_of_it() -> None:
    driver = PegWheel(MoneyWheelConfig(sensing="pegs"))
    driver.edges(pegs(2))
    view = driver.view(START_NS + 150 * MS)
    assert (view.rpm, view.rpm_doubt, dict(view.facts)["speed"]) == (12.0, None, "about 12 rpm, by two pegs")


def test_a_speed_that_changes_from_peg_to_peg_is_in_doubt_by_as_much() -> None:
    times = [0, 100 * MS, 200 * MS, 320 * MS]
    speed = speed_by_pegs(times, 330 * MS, 50)
    assert speed.rpm == pytest.approx(10.0)
    change = 2 * (12.0**2 - 10.0**2)
    assert speed.doubt is not None
    assert speed.doubt == pytest.approx(((10.0**2 - change) ** 0.5, (10.0**2 + change) ** 0.5))
