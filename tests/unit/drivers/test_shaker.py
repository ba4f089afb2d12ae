"""The manual shaker: shakes under the cover, and dice that lie before it comes off (S8, S11)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorDead
from drivers.dice.observations import (
    DiceStirred,
    ShakerCovered,
    ShakerRested,
    ShakerShaken,
    ShakerUncovered,
    TumbleStarted,
)
from drivers.dice.shaker import Shaker, ShakerConfig
from hal.values import Edge, EdgesLost, Frame, Loss, Reading
from tests.tables.tumbler_lines import MS, S, found, high, in_order, of, one_of, told

COVER, SHAKE = "cover", "shake"
FOUND = found(COVER, SHAKE)


def shaker(**keys: object) -> Shaker:
    return Shaker(msgspec.convert({"driver": "shaker", **keys}, ShakerConfig))


def shakes(number: int, *, from_s: float = 6.0, every_s: float = 0.4) -> list[Edge]:
    """This many strokes, each closing the switch twice."""
    strokes = (from_s + k * every_s for k in range(number))
    return [edge for at_s in strokes for part in (0.0, 0.02) for edge in high(SHAKE, at_s + part, 10)]


def covered(from_s: float = 5.0, until_s: float = 12.0) -> list[Edge]:
    return high(COVER, from_s, (until_s - from_s) * 1000)


def test_s8_three_shakes_under_the_cover_and_dice_at_rest_are_a_tumble() -> None:
    rested = one_of(told(shaker(), in_order(FOUND, covered(), shakes(3))), ShakerRested)
    assert (rested.shakes, rested.required, rested.doubt, rested.tumbled) == (3, 3, None, True)


@pytest.mark.parametrize("number", [1, 2])
def test_s8_fewer_shakes_than_three_are_none(number: int) -> None:
    rested = one_of(told(shaker(), in_order(FOUND, covered(), shakes(number))), ShakerRested)
    assert (rested.shakes, rested.doubt, rested.tumbled) == (number, None, False)


def test_s8_shakes_with_a_pause_between_them_do_not_add_up() -> None:
    paused = in_order(FOUND, covered(), shakes(2), shakes(2, from_s=8.2))
    assert [(one.shakes, one.tumbled) for one in of(told(shaker(), paused), ShakerRested)] == [(2, False)]
    rested = in_order(FOUND, covered(until_s=20.0), shakes(2), shakes(2, from_s=12.0))
    assert [(one.shakes, one.tumbled) for one in of(told(shaker(), rested), ShakerRested)] == [(2, False), (2, False)]


def test_s8_noise_after_a_shake_or_before_one_makes_no_pause_shorter() -> None:
    noise = [edge for k in range(4) for from_s in (6.45, 7.8) for edge in high(SHAKE, from_s + 0.05 * k, 2)]
    paused = in_order(FOUND, covered(), shakes(2), noise, shakes(1, from_s=8.0))
    assert one_of(told(shaker(), paused), ShakerRested).shakes == 2


def test_s8_a_lost_edge_hides_no_pause() -> None:
    lost = in_order(FOUND, covered(), shakes(2)[:-1], shakes(1, from_s=8.0))
    rested = one_of(told(shaker(), lost), ShakerRested)
    assert (rested.doubt, rested.detail, rested.tumbled) == (
        "edges_lost",
        "shake: its level 1 came twice, 1.58 s apart",
        False,
    )


def test_s8_a_switch_that_seems_closed_through_a_pause_joins_nothing() -> None:
    closed = [*shakes(3)[:-1], *shakes(1, from_s=8.5)[1:]]
    assert [edge.level for edge in closed] == [1, 0] * 7
    rested = one_of(told(shaker(), in_order(FOUND, covered(), closed)), ShakerRested)
    assert (rested.shakes, rested.tumbled) == (2, False)


def test_a_long_rattle_is_one_shake() -> None:
    rattle = [edge for k in range(40) for edge in high(SHAKE, 6.0 + 0.05 * k, 10)]
    assert one_of(told(shaker(), in_order(FOUND, covered(), rattle)), ShakerRested).shakes == 1


def test_a_knock_is_no_shake() -> None:
    knocks = [edge for k in range(5) for edge in high(SHAKE, 6.0 + 0.4 * k, 2)]
    seen = told(shaker(), in_order(FOUND, covered(), knocks))
    assert (one_of(seen, ShakerRested).shakes, of(seen, TumbleStarted)) == (0, [])
    assert one_of(seen, DiceStirred).t_ns == 6 * S


def test_s8_shaking_without_the_cover_counts_nothing() -> None:
    seen = told(shaker(), in_order(FOUND, shakes(4)))
    assert {one.covered for one in of(seen, ShakerShaken)} == {False}
    rested = one_of(seen, ShakerRested)
    assert (rested.shakes, rested.doubt, rested.tumbled) == (0, "shaken_uncovered", False)


@pytest.mark.parametrize("lifted_s", [6.01, 6.5, 6.85, 8.0])
def test_s8_a_cover_that_comes_off_before_the_dice_lie_undoes_it(lifted_s: float) -> None:
    seen = told(shaker(), in_order(FOUND, covered(until_s=lifted_s), shakes(3)))
    assert one_of(seen, ShakerUncovered).moving
    rested = one_of(seen, ShakerRested)
    assert (rested.doubt, rested.tumbled) == ("shaken_uncovered", False)


def test_a_cover_that_trembles_while_it_is_shaken_is_on() -> None:
    trembling = [Edge(COVER, k % 2, round((6.4 + 0.008 * k) * S)) for k in range(6)]
    rested = one_of(told(shaker(), in_order(FOUND, covered(), shakes(3), trembling)), ShakerRested)
    assert (rested.shakes, rested.tumbled) == (3, True)


def test_s11_every_change_of_the_cover_is_told_with_what_was_shaken_under_it() -> None:
    edges = in_order(FOUND, covered(), shakes(4), covered(20.0, 22.0))
    seen = told(shaker(), edges)
    assert [one.covered_ns for one in of(seen, ShakerCovered)] == [5 * S, 20 * S]
    assert [(one.uncovered_ns, one.moving, one.shakes) for one in of(seen, ShakerUncovered)] == [
        (12 * S, False, 4),
        (22 * S, False, 0),
    ]


def test_s7_the_first_shake_is_told_with_its_time() -> None:
    seen = told(shaker(), in_order(FOUND, covered(), shakes(3)))
    assert one_of(seen, TumbleStarted).began_ns == 6 * S
    assert [(one.shakes, one.shaken_ns) for one in of(seen, ShakerShaken)] == [
        (1, 6_000 * MS),
        (2, 6_400 * MS),
        (3, 6_800 * MS),
    ]


def test_a_shake_sensor_that_stays_high_is_stuck() -> None:
    edges = in_order(FOUND, covered(until_s=40.0), shakes(3), [Edge(SHAKE, 1, 7_000 * MS)])
    seen = told(shaker(), edges)
    assert (one_of(seen, SensorDead).fault, one_of(seen, SensorDead).t_ns) == ("sensor_stuck", 12 * S)
    assert (one_of(seen, ShakerRested).doubt, one_of(seen, ShakerRested).tumbled) == ("sensor_stuck", False)


@pytest.mark.parametrize("line", [COVER, SHAKE])
@pytest.mark.parametrize("cause", list(Loss))
def test_a_loss_in_the_run_is_a_doubt(line: str, cause: Loss) -> None:
    seen = told(shaker(), in_order(FOUND, covered(), shakes(3)), [EdgesLost(line, cause, 6_500 * MS)])
    assert not any(one.tumbled for one in of(seen, ShakerRested))
    assert [one.fault for one in of(seen, SensorDead)] == (["sensor_missing"] if cause is Loss.UNPLUGGED else [])


def test_a_shaker_that_is_shaken_when_the_table_opens_is_no_tumble() -> None:
    edges = in_order([Edge(COVER, 1, 0), Edge(SHAKE, 0, 0)], shakes(4, from_s=0.5))
    rested = one_of(told(shaker(), edges), ShakerRested)
    assert (rested.joined, rested.shakes, rested.tumbled) == (True, 4, False)


def test_what_is_not_its_own_is_passed_over() -> None:
    driver = shaker()
    assert driver.edges([Edge("kettle", 1, 1)]) == []
    assert driver.lost(EdgesLost("kettle", Loss.UNPLUGGED, 2)) == []
    assert driver.reading(Reading(SHAKE, 1.0, 3)) == driver.frame(Frame("dice_serial", b"", 3)) == []
    assert driver.next_due_ns is None


def test_its_view_shows_dice_that_move_until_they_are_at_rest() -> None:
    driver = shaker()
    driver.edges(in_order(FOUND, high(COVER, 1.0, 60_000), shakes(3))[:-1])
    driver.due(7 * S)
    assert (driver.view(7 * S).moving, dict(driver.view(7 * S).facts)["dice"]) == (True, "moving")
    driver.due(60 * S)
    assert (driver.view(60 * S).moving, dict(driver.view(60 * S).facts)["dice"]) == (False, "at rest")


def test_keys_that_contradict_each_other_are_refused() -> None:
    assert ShakerConfig().problems() == []
    wrong = ShakerConfig(burst_gap_ms=400, pause_s=0.4, rest_s=0.3, cover_ms=500)
    assert [key for key, _, _ in wrong.problems()] == ["burst_gap_ms", "pause_s", "cover_ms"]
    assert ShakerConfig(burst_gap_ms=200, cover_ms=200).problems() == []


EDGES = in_order(FOUND, covered(), shakes(4), shakes(1, from_s=9.5), covered(20.0, 21.1), shakes(3, from_s=21.0))
WHOLE = told(shaker(), EDGES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 60 * S), max_size=20))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, seen, rest = shaker(), list[Observation](), EDGES
    for cut_ns in [*sorted(cuts), 60 * S]:
        seen += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert seen == WHOLE
