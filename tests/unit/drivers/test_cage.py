"""The dice cage: inversions that are proven, and dice that lie beyond doubt (C4, C8, C9)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import SensorAlive, SensorDead
from drivers.dice.cage import STUCK_EDGES, Cage, CageConfig
from drivers.dice.observations import (
    CageInverted,
    CageRested,
    DiceRestless,
    DiceRocking,
    DiceStirred,
    TumbleStarted,
)
from hal.values import Edge, EdgesLost, Frame, Loss, Reading
from tests.oracle.motion import Motion, encoder_edges
from tests.tables.tumbler_lines import MS, S, found, high, in_order, knocks, of, one_of, rattle, told

TURN, SHAKE = "cage_turn", "cage_shake"
BEGIN_S = 5.0


def cage(**keys: object) -> Cage:
    return Cage(msgspec.convert({"driver": "cage", **keys}, CageConfig))


def turned(inversions: int, *, from_s: float = BEGIN_S, level: int = 0) -> list[Edge]:
    """A tilt switch that goes over this often, every 0.7 s."""
    return [Edge(TURN, (level + k + 1) % 2, round((from_s + k * 0.7) * S)) for k in range(inversions)]


def tumble(inversions: int, *, settle_s: float = 1.0, from_s: float = BEGIN_S, level: int = 0) -> list[Edge]:
    """So many inversions from a level, dice that tumble through all of them and settle after the last."""
    last_s = from_s + (inversions - 1) * 0.7
    return in_order(turned(inversions, from_s=from_s, level=level), rattle(SHAKE, from_s + 0.05, last_s + settle_s))


def test_c8_three_inversions_and_dice_at_rest_are_a_tumble() -> None:
    rested = one_of(told(cage(), [*found(TURN, SHAKE), *tumble(3)]), CageRested)
    assert (rested.inversions, rested.required, rested.doubt, rested.tumbled) == (3, 3, None, True)


@pytest.mark.parametrize("inversions", [1, 2])
def test_c8_fewer_inversions_than_three_are_none(inversions: int) -> None:
    rested = one_of(told(cage(), [*found(TURN, SHAKE), *tumble(inversions)]), CageRested)
    assert (rested.inversions, rested.doubt, rested.tumbled) == (inversions, None, False)


def test_c8_dealer_and_player_tumble_one_after_the_other_and_each_tumble_counts_by_itself() -> None:
    edges = [*found(TURN, SHAKE), *tumble(3), *tumble(4, from_s=20.0, level=1)]
    assert [(one.inversions, one.tumbled) for one in of(told(cage(), edges), CageRested)] == [(3, True), (4, True)]


def test_c8_inversions_with_a_rest_between_them_do_not_add_up() -> None:
    edges = [*found(TURN, SHAKE), *tumble(2), *tumble(2, from_s=20.0)]
    assert [(one.inversions, one.tumbled) for one in of(told(cage(), edges), CageRested)] == [(2, False), (2, False)]


def test_the_least_number_of_inversions_is_the_houses_choice() -> None:
    assert one_of(told(cage(minimum_inversions=2), [*found(TURN, SHAKE), *tumble(2)]), CageRested).tumbled


def test_c9_the_result_waits_until_nothing_has_moved_for_two_seconds() -> None:
    edges = [*found(TURN, SHAKE), *tumble(3)]
    last_ns = edges[-1].t_ns
    rested = one_of(told(cage(), edges), CageRested)
    assert (rested.moved_ns, rested.t_ns) == (last_ns, last_ns + 2 * S)


def test_c9_dice_that_rock_do_not_lie() -> None:
    edges = [*found(TURN, SHAKE), *tumble(3, settle_s=0.5), *knocks(SHAKE, 7.5, 8.3, 9.9)]
    seen = told(cage(), edges)
    assert one_of(seen, DiceRocking).t_ns == 7_500 * MS
    assert one_of(seen, CageRested).t_ns == edges[-1].t_ns + 2 * S


@pytest.mark.parametrize(("apart_s", "rocks"), [(0.15, False), (0.153, True)])
def test_knocks_that_are_further_apart_than_the_rocking_gap_are_of_a_die_that_rocks(
    apart_s: float, rocks: bool
) -> None:
    edges = [*found(TURN, SHAKE), *tumble(3, settle_s=0.5)]
    last_s = edges[-1].t_ns / S
    assert bool(of(told(cage(), [*edges, *knocks(SHAKE, last_s + apart_s - 0.002)]), DiceRocking)) is rocks


def test_a_tumble_is_told_step_by_step() -> None:
    seen = told(cage(), [*found(TURN, SHAKE), *tumble(3)])
    assert [type(one) for one in seen] == [
        DiceStirred, TumbleStarted, CageInverted, CageInverted, CageInverted, CageRested,
    ]  # fmt: skip
    assert one_of(seen, TumbleStarted).began_ns == 5 * S
    assert [one.inverted_ns for one in of(seen, CageInverted)] == [5_000 * MS, 5_700 * MS, 6_400 * MS]


def test_dice_that_are_knocked_after_their_rest_are_told_at_once() -> None:
    seen = told(cage(), [*found(TURN, SHAKE), *tumble(3), *knocks(SHAKE, 20.0)])
    assert [one.t_ns for one in of(seen, DiceStirred)] == [5 * S, 20 * S]
    assert [(one.inversions, one.tumbled) for one in of(seen, CageRested)] == [(3, True), (0, False)]


def test_a_tilt_switch_that_chatters_counts_once() -> None:
    chatter = [Edge(TURN, k % 2, round((4.97 + 0.005 * k) * S)) for k in range(1, 6)]
    edges = [*found(TURN, SHAKE), *in_order(chatter, tumble(3))]
    assert one_of(told(cage(), edges), CageRested).inversions == 3


def test_a_cage_that_trembles_about_its_side_is_not_inverted() -> None:
    trembling = [Edge(TURN, k % 2, round((5.0 + 0.08 * k) * S)) for k in range(1, 41)]
    edges = in_order(found(TURN, SHAKE), trembling, rattle(SHAKE, 5.1, 9.0))
    assert one_of(told(cage(), edges), CageRested).inversions == 0


def test_a_pulse_sensor_counts_pulses_that_hold_and_are_apart() -> None:
    pulses = [edge for at_s in (5.0, 5.7, 6.4) for edge in high(TURN, at_s, 15)]
    bounce = [Edge(TURN, 1, 5_740 * MS), Edge(TURN, 0, 5_750 * MS)]
    spike = [Edge(TURN, 1, 6_000 * MS), Edge(TURN, 0, 6_001 * MS)]
    edges = in_order(found(TURN, SHAKE), pulses, bounce, spike, rattle(SHAKE, 5.0, 7.4))
    assert one_of(told(cage(sensing="pulse"), edges), CageRested).inversions == 3


def encoded(*swings_deg: float, slots: int = 100) -> list[Edge]:
    """An encoder on a cage that is swung from rest to rest, and dice that tumble meanwhile."""
    motion = Motion(7.0).rest(BEGIN_S)
    for by_deg in swings_deg:
        motion.swing(by_deg, 0.8).rest(0.1)
    last_s = motion.t_s
    turning = [edge for edge in encoder_edges(motion, "cage", slots) if edge.line != "cage_index"]
    return in_order(turning, found(SHAKE), rattle(SHAKE, BEGIN_S + 0.4, last_s + 0.8))


@pytest.mark.parametrize(
    ("swings", "inversions"),
    [
        ((180, 180, 180), 3),
        ((180, -180, 180), 3),
        ((-180, -180, 180, 180), 4),
        ((170, 175, 195), 3),
        ((150, -150, 150, -150), 0),
        ((90, -180, 180, -180, 90), 0),
        ((540,), 3),
    ],
)
def test_an_encoder_counts_half_turns_from_one_way_up_to_the_other(swings: tuple[float, ...], inversions: int) -> None:
    assert one_of(told(cage(sensing="encoder"), encoded(*swings)), CageRested).inversions == inversions


@pytest.mark.parametrize(("by_deg", "inversions"), [(161.1, 0), (162.0, 1)])
def test_after_a_rest_a_half_turn_less_the_tolerance_counts_from_where_the_cage_rests(
    by_deg: float, inversions: int
) -> None:
    """Half a turn is 200 counts, of which the last that was noted as a movement is the 198th."""
    edges = encoded(180)
    onward = Motion(7.0 + 180).rest(20.0).swing(by_deg, 0.8)
    turning = [e for e in encoder_edges(onward, "cage", 100) if e.line != "cage_index" and e.t_ns]
    first, second = of(told(cage(sensing="encoder"), in_order(edges, turning, rattle(SHAKE, 20.4, 21.6))), CageRested)
    assert (first.inversions, second.inversions) == (1, inversions)


def test_a_cage_that_is_let_go_on_its_side_is_askew_until_it_is_turned_back() -> None:
    edges = encoded(180, 180, 180, 65)
    back = Motion(7.0 + 540 + 65).rest(20.0).swing(-65, 0.8)
    levels = {edge.line: edge.level for edge in edges}
    returning = [e for e in encoder_edges(back, "cage", 100) if e.line != "cage_index" and e.t_ns]
    assert returning[0].level != levels[returning[0].line]
    first, second = of(told(cage(sensing="encoder"), in_order(edges, returning, knocks(SHAKE, 20.5))), CageRested)
    assert (first.inversions, first.doubt, first.tumbled) == (3, "cage_askew", False)
    assert (second.inversions, second.doubt) == (0, None)


def test_a_pulse_of_the_encoder_that_is_lost_is_charged_and_many_are_a_doubt() -> None:
    edges = encoded(180, 180, 180)
    a = [k for k, edge in enumerate(edges) if edge.line == "cage_a" and edge.t_ns]
    one = [edge for k, edge in enumerate(edges) if k not in a[100:102]]
    assert one_of(told(cage(sensing="encoder"), one), CageRested).tumbled
    many = [edge for k, edge in enumerate(edges) if k not in {i for j in range(60, 120, 6) for i in a[j : j + 2]}]
    rested = one_of(told(cage(sensing="encoder"), many), CageRested)
    assert (rested.doubt, rested.tumbled) == ("edges_lost", False)


@pytest.mark.parametrize("line", ["cage_a", "cage_b"])
def test_a_channel_that_does_not_change_while_the_other_does_is_stuck(line: str) -> None:
    edges = [edge for edge in encoded(180, 180, 180) if edge.line != line or not edge.t_ns]
    seen = told(cage(sensing="encoder"), edges)
    assert (one_of(seen, SensorDead).line, one_of(seen, SensorDead).fault) == (line, "sensor_stuck")
    assert (one_of(seen, CageRested).inversions, one_of(seen, CageRested).doubt) == (0, "sensor_stuck")


def test_so_many_edges_of_one_channel_in_a_row_show_that_the_other_is_stuck_and_no_fewer() -> None:
    alone = [edge for edge in encoded(180) if edge.line == "cage_a" or not edge.t_ns]
    turning = [k for k, edge in enumerate(alone) if edge.t_ns]
    for more, dead in ((0, []), (1, ["cage_b"])):
        edges = in_order(alone[: turning[STUCK_EDGES - 1 + more] + 1], rattle(SHAKE, BEGIN_S, BEGIN_S + 2))
        assert [one.line for one in of(told(cage(sensing="encoder"), edges), SensorDead)] == dead


def test_without_a_knock_nothing_proves_the_rest_and_the_shake_sensor_is_dead() -> None:
    seen = told(cage(), [*found(TURN, SHAKE), *turned(3)])
    assert (one_of(seen, SensorDead).line, one_of(seen, SensorDead).fault) == (SHAKE, "sensor_stuck")
    assert (one_of(seen, CageRested).doubt, one_of(seen, CageRested).tumbled) == ("sensor_stuck", False)


def test_a_shake_sensor_that_dies_in_the_middle_of_a_tumble_is_found_out() -> None:
    edges = in_order(found(TURN, SHAKE), turned(4), rattle(SHAKE, 5.05, 5.4))
    assert one_of(told(cage(), edges), CageRested).doubt == "sensor_stuck"


def test_a_shake_sensor_that_stays_high_is_stuck_and_lives_when_it_lets_go() -> None:
    edges = [*found(TURN, SHAKE), *in_order(turned(3), rattle(SHAKE, 5.05, 6.4)), Edge(SHAKE, 1, 6_500 * MS)]
    seen = told(cage(), [*edges, Edge(SHAKE, 0, 30 * S)])
    dead = one_of(seen, SensorDead)
    assert (dead.line, dead.fault, dead.t_ns) == (SHAKE, "sensor_stuck", 11_500 * MS)
    assert of(seen, CageRested)[0].doubt == "sensor_stuck"
    assert one_of(seen, SensorAlive).t_ns == 30 * S


def test_dice_that_tumble_twice_in_a_cage_that_does_not_turn_prove_its_sensor_dead() -> None:
    edges = [*found(TURN, SHAKE), *rattle(SHAKE, 5.0, 8.0), *rattle(SHAKE, 20.0, 23.0)]
    seen = told(cage(), edges)
    assert [one.doubt for one in of(seen, CageRested)] == [None, "sensor_stuck"]
    assert one_of(seen, SensorDead).line == TURN
    assert one_of(told(cage(), [*found(TURN, SHAKE), *rattle(SHAKE, 5.0, 8.0)]), CageRested).inversions == 0


def test_dice_that_are_knocked_about_for_less_than_two_seconds_prove_nothing_of_the_cages_sensor() -> None:
    twice = [*rattle(SHAKE, 5.0, 6.9), *rattle(SHAKE, 20.0, 21.9)]
    assert of(told(cage(), [*found(TURN, SHAKE), *twice]), SensorDead) == []


@pytest.mark.parametrize(("line", "doubt"), [(TURN, "sensor_missing"), (SHAKE, "sensor_missing")])
def test_a_line_that_is_pulled_off_is_a_fault_and_a_doubt_until_it_is_back(line: str, doubt: str) -> None:
    edges = [*found(TURN, SHAKE), *tumble(3)]
    seen = told(cage(), edges, [EdgesLost(line, Loss.UNPLUGGED, 5_900 * MS)])
    assert one_of(seen, SensorDead).fault == "sensor_missing"
    assert of(seen, CageRested)[-1].doubt == (doubt if line == TURN else None)
    for good in of(seen, CageRested):
        assert line == SHAKE or not good.tumbled


def test_a_line_that_stays_off_leaves_every_rest_in_doubt() -> None:
    edges = [edge for edge in [*found(TURN, SHAKE), *tumble(3)] if edge.line == TURN or edge.t_ns < 5_500 * MS]
    seen = told(cage(), edges, [EdgesLost(SHAKE, Loss.UNPLUGGED, 5_900 * MS)])
    assert (one_of(seen, CageRested).doubt, one_of(seen, CageRested).tumbled) == ("sensor_missing", False)


def test_lost_edges_of_the_turning_are_a_doubt_and_of_the_shaking_a_later_rest() -> None:
    edges = [*found(TURN, SHAKE), *tumble(3)]
    seen = told(cage(), edges, [EdgesLost(TURN, Loss.OVERFLOW, 5_900 * MS, 2)])
    assert (one_of(seen, CageRested).doubt, one_of(seen, CageRested).tumbled) == ("edges_lost", False)
    later = told(cage(), edges, [EdgesLost(SHAKE, Loss.OVERFLOW, 8 * S, 2)])
    assert (one_of(later, CageRested).t_ns, one_of(later, CageRested).tumbled) == (10 * S, True)


def test_dice_that_never_lie_are_told() -> None:
    edges = [*found(TURN, SHAKE), *tumble(3), *rattle(SHAKE, 7.5, 30.0, 0.3)]
    seen = told(cage(), edges)
    assert (one_of(seen, DiceRestless).t_ns, one_of(seen, DiceRestless).since_ns) == (21_400 * MS, 6_400 * MS)
    assert one_of(seen, CageRested).t_ns > 30 * S


def test_a_cage_that_is_turning_when_the_table_opens_has_joined_and_is_no_tumble() -> None:
    seen = told(cage(), in_order(found(TURN, SHAKE), tumble(4, from_s=0.5)))
    assert one_of(seen, TumbleStarted).joined
    assert (one_of(seen, CageRested).joined, one_of(seen, CageRested).tumbled) == (True, False)


def test_lines_that_are_not_the_cages_are_passed_over() -> None:
    driver = cage()
    assert driver.edges([Edge("kettle", 1, 1)]) == []
    assert driver.lost(EdgesLost("kettle", Loss.UNPLUGGED, 2)) == []
    assert driver.reading(Reading(SHAKE, 1.0, 3)) == driver.frame(Frame("dice_serial", b"", 3)) == []
    assert driver.next_due_ns is None


def test_a_rocking_gap_as_long_as_the_rest_is_refused() -> None:
    assert [key for key, _, _ in CageConfig(rest_s=0.5, rocking_gap_ms=600).problems()] == ["rocking_gap_ms"]
    assert CageConfig().problems() == []


EDGES = [*found(TURN, SHAKE), *tumble(3), *knocks(SHAKE, 9.3, 20.0), *tumble(2, from_s=30.0, level=1)]
WHOLE = told(cage(), EDGES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 60 * S), max_size=20))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, seen, rest = cage(), [], EDGES
    for cut_ns in [*sorted(cuts), 60 * S]:
        seen += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert seen == WHOLE


def test_it_wakes_when_it_says() -> None:
    driver = cage()
    driver.edges(EDGES[: len(EDGES) // 2])
    due_ns = driver.next_due_ns
    assert due_ns is not None
    assert driver.due(due_ns - 1) == []
    assert driver.due(due_ns)
