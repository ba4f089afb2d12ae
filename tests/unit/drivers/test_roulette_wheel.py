"""The roulette wheel as one device: its observations of rotor, ball, pocket, object, level and dead lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Driver, Observation, SensorAlive, SensorDead
from drivers.roulette.device import (
    BallLeftTrack,
    BallPassed,
    BallSeen,
    BeamLost,
    BeamsDisagree,
    ForeignObject,
    LevelAgain,
    NotLevel,
    PocketRead,
    RotorDoubt,
    RouletteWheelConfig,
    TrackQuiet,
)
from drivers.roulette.rotor import RotorReversed, RotorStopped, RotorTurning
from drivers.roulette.wheel import RouletteWheel
from hal.values import Edge, EdgesLost, Frame, Loss, Reading
from tests.oracle.motion import ns
from tests.tables.roulette_lines import RouletteLines, S, spin

O = TypeVar("O", bound=Observation)  # noqa: E741


def wheel(config: RouletteWheelConfig | None = None) -> Driver:
    return RouletteWheel(config or RouletteWheelConfig())


def seen(lines: RouletteLines, driver: Driver | None = None) -> list[Observation]:
    driver = driver or wheel()
    return driver.edges(lines.edges()) + driver.due(lines.now_ns)


def of(found: Sequence[Observation], kind: type[O]) -> list[O]:
    return [one for one in found if isinstance(one, kind)]


def test_a_spin_is_reported_step_by_step() -> None:
    found = seen(spin(passes=13, turns=3))
    kinds = [type(one) for one in found]
    order = [RotorTurning, BallSeen, *[BallPassed] * 12, BallLeftTrack, TrackQuiet, *[PocketRead] * 3]
    assert kinds == order
    assert [one.t_ns for one in found] == sorted(one.t_ns for one in found)
    assert [one.turns for one in of(found, PocketRead)] == [1, 2, 3]
    assert {one.pocket for one in of(found, PocketRead)} == {9}


def test_only_one_pass_is_the_one_that_proves_the_direction() -> None:
    passes = of(seen(spin()), BallPassed)
    proving = [one for one in passes if one.proves]
    assert [one.passes for one in proving] in ([2], [3])
    assert [one.direction for one in passes if one.passes > 3] == [-1] * 13


def test_travel_and_lap_time_are_reported_at_each_pass() -> None:
    last = of(seen(spin(passes=16)), BallPassed)[-1]
    assert (last.travel, last.travel_high) == pytest.approx((5.0, 5.0))
    assert last.missed == 0
    assert last.lap_s == pytest.approx(2.2, abs=0.001)
    assert last.rotor_rpm == pytest.approx(17.0, abs=0.1)


def test_a_ball_that_is_overdue_has_left_and_the_track_is_quiet_four_seconds_after_its_last_edge() -> None:
    lines = spin(passes=16, pocket=None)
    found = seen(lines)
    (left,), (quiet,) = of(found, BallLeftTrack), of(found, TrackQuiet)
    assert left.t_ns == pytest.approx(ns(lines.left_s + 1.8 * 2.2 / 3), abs=1000)
    assert (left.last_ns, left.picked_up, left.swapped) == (ns(lines.left_s), False, None)
    last_edge_ns = max(edge.t_ns for edge in lines.edges() if edge.line.startswith("ball_"))
    assert (quiet.t_ns, quiet.passes) == (last_edge_ns + 4 * S, 16)


@pytest.mark.parametrize(("lap_s", "picked_up"), [(0.8, True), (1.05, True), (1.15, False), (2.2, False)])
def test_a_ball_that_vanishes_well_above_drop_speed_was_picked_up(lap_s: float, picked_up: bool) -> None:
    (left,) = of(seen(spin(passes=16, pocket=None, laps_s=(0.6, lap_s))), BallLeftTrack)
    assert left.picked_up == picked_up


def test_a_ball_that_had_only_missed_a_sensor_is_in_the_track_again() -> None:
    """Overdue at a lap of 2.3 s, and then seen: its run continues."""
    lines = RouletteLines().turn(40.0).run(6.0, 16, laps_s=(0.8, 2.0))
    lines.see("ball_2", lines.left_s + 1.35, 0.02)
    found = seen(lines)
    assert len(of(found, BallLeftTrack)) >= 1
    assert len(of(found, TrackQuiet)) == 1


def test_a_run_on_a_track_that_was_not_yet_quiet_has_joined() -> None:
    assert of(seen(RouletteLines().turn(20.0).run(1.0, 10)), BallSeen)[0].joined
    assert not of(seen(RouletteLines().turn(20.0).run(5.0, 10)), BallSeen)[0].joined


def test_readings_are_none_while_the_ball_is_in_the_track() -> None:
    lines = spin(passes=25, pocket=None, until_s=60.0)
    at_s = lines.passes_s[5]
    lines.lie("5", at_s, at_s + 3.0)
    assert of(seen(lines), PocketRead) == []


def test_a_ball_at_rest_while_another_runs_is_reported_once_as_a_foreign_object() -> None:
    lines = spin(passes=25, pocket=None, until_s=60.0).lie("5", 5.0, 60.0)
    assert len(of(seen(lines), ForeignObject)) == 1


@pytest.mark.parametrize("lost", [False, True])
def test_a_pulse_of_the_pocket_head_of_which_an_edge_was_lost_is_no_second_ball(lost: bool) -> None:
    edges = spin(passes=25, pocket=None, until_s=60.0).lie("5", 8.0, 60.0, turns=1).edges()
    (rise, fall) = (edge.t_ns for edge in edges if edge.line == "pocket" and edge.t_ns)
    driver = wheel()
    found = driver.edges([edge for edge in edges if edge.t_ns <= rise])
    if lost:
        found += driver.lost(EdgesLost("pocket", Loss.OVERFLOW, (rise + fall) // 2, 2))
    found += driver.edges([edge for edge in edges if edge.t_ns > rise])
    assert len(of(found, ForeignObject)) == (0 if lost else 1)


@pytest.mark.parametrize(("for_s", "count"), [(0.001, 0), (0.0021, 1), (1.0, 1)])
def test_the_object_beam_must_be_broken_for_two_milliseconds(for_s: float, count: int) -> None:
    objects = of(seen(RouletteLines().turn(20.0).see("object", 9.0, for_s)), ForeignObject)
    assert [one.t_ns for one in objects] == [9 * S + 2_000_000] * count


@pytest.mark.parametrize("batch", [1, 7, 10**9])
def test_an_object_in_the_beam_at_the_first_pass_is_reported_with_it_however_edges_come(batch: int) -> None:
    lines = spin()
    first_s = lines.passes_s[0]
    edges = lines.see("object", first_s - 0.1, 0.15).edges()
    driver = wheel()
    found = [one for at in range(0, len(edges), batch) for one in driver.edges(edges[at : at + batch])]
    assert [one.detail for one in of(found, ForeignObject)] == [
        "the object beam is interrupted",
        "the object beam is still interrupted",
    ]


TWO_BEAMS = RouletteWheelConfig(object_beams=2)


def beams_of(*spans: tuple[str, float, float], blind: str = "") -> list[Observation]:
    """What two beams report that are broken from a time for a time, one of them blind."""
    lines = RouletteLines().turn(120.0)
    for line in ("object", "object_2"):
        lines.see(line, 1.0, 0.0005)
    for line, at_s, for_s in spans:
        if line != blind:
            lines.see(line, at_s, for_s)
    return [one for one in seen(lines, wheel(TWO_BEAMS)) if isinstance(one, ForeignObject | BeamsDisagree)]


def crossing(at_s: float, for_s: float = 0.2, after_s: float = 0.1) -> list[tuple[str, float, float]]:
    return [("object", at_s, for_s), ("object_2", at_s + after_s, for_s)]


@pytest.mark.parametrize("blind", ["object", "object_2"])
@pytest.mark.parametrize("crossings", [1, 2, 3, 7])
def test_either_beam_shows_an_object_and_three_that_one_beam_did_not_see_prove_that_they_disagree(
    blind: str, crossings: int
) -> None:
    found = beams_of(*(span for n in range(crossings) for span in crossing(10.0 + 5 * n)), blind=blind)
    sees = "object_2" if blind == "object" else "object"
    assert [one.detail for one in of(found, ForeignObject)] == [f"{sees} is interrupted"] * crossings
    assert [one.detail for one in of(found, BeamsDisagree)] == [
        f"{sees} was interrupted {3 * (n + 1)} times in a row and {blind} never was" for n in range(crossings // 3)
    ]


@pytest.mark.parametrize(("after_s", "reports"), [(0.1, 1), (0.9, 2), (-0.9, 2), (0.0, 1)])
def test_beams_that_see_the_same_within_a_second_agree(after_s: float, reports: int) -> None:
    found = beams_of(*(span for n in range(4) for span in crossing(10.0 + 5 * n, 0.2, after_s)))
    assert (len(of(found, ForeignObject)), len(of(found, BeamsDisagree))) == (4 * reports, 0)


def test_a_beam_that_has_seen_one_of_three_objects_is_not_blind() -> None:
    spans = [("object", 10.0 + 5 * n, 0.2) for n in range(4)]
    assert of(beams_of(*spans, ("object_2", 20.1, 0.2)), BeamsDisagree) == []


def test_a_beam_that_is_blocked_while_the_other_is_free_is_reported_after_twenty_seconds() -> None:
    (one,) = of(beams_of(("object_2", 10.0, 80.0)), BeamsDisagree)
    assert (one.t_ns, one.detail) == (30 * S, "object_2 has been interrupted for 20 s and object is free")
    assert of(beams_of(("object_2", 10.0, 80.0), ("object", 10.5, 0.2)), BeamsDisagree) == []
    assert of(beams_of(("object", 10.0, 0.2), ("object_2", 10.5, 80.0)), BeamsDisagree) == []


def test_a_loss_of_a_beams_changes_is_no_evidence_against_it() -> None:
    lines = RouletteLines().turn(60.0).see("object_2", 1.0, 0.0005).see("object_2", 22.0, 0.0005)
    for n in range(6):
        lines.see("object", 10.0 + 5 * n, 0.2)
    driver = wheel(TWO_BEAMS)
    found = driver.edges([edge for edge in lines.edges() if edge.t_ns < 21 * S])
    found += driver.lost(EdgesLost("object_2", Loss.OVERFLOW, 21 * S, 2))
    found += driver.edges([edge for edge in lines.edges() if edge.t_ns > 21 * S]) + driver.due(60 * S)
    assert len(of(found, ForeignObject)) == 6
    # The three before the loss do not count: what the other saw of the third is not known.
    assert [one.t_ns // S for one in of(found, BeamsDisagree)] == [36]


@pytest.mark.parametrize(("after_s", "reports"), [(0.0019, 0), (0.3, 1)])
def test_a_beam_that_is_free_twice_in_a_row_has_lost_a_break(after_s: float, reports: int) -> None:
    driver = wheel(TWO_BEAMS)
    found = driver.edges([Edge("object", 0, 0), Edge("object", 1, 5 * S), Edge("object", 0, 5 * S + 1_000_000)])
    found += driver.edges([Edge("object", 0, 5 * S + 1_000_000 + ns(after_s))]) + driver.due(10 * S)
    assert [one.detail for one in of(found, BeamLost)] == ["object: it is free again, and was never broken"] * reports


def test_lost_changes_of_a_beam_are_reported_and_again_at_the_first_pass_while_its_level_is_not_known() -> None:
    lines = spin().see("object", 1.0, 0.0005).see("object_2", 1.0, 0.0005)
    first_s = lines.passes_s[0]
    for known, times in ((True, 1), (False, 2)):
        driver = wheel(TWO_BEAMS)
        edges = lines.edges()
        found = driver.edges([edge for edge in edges if edge.t_ns < 3 * S])
        found += driver.lost(EdgesLost("object_2", Loss.LATE, 3 * S, 1))
        found += driver.edges([Edge("object_2", 0, 3 * S + 1)] * known)
        found += driver.edges([edge for edge in edges if edge.t_ns > 3 * S + 1])
        lost = of(found, BeamLost)
        assert [one.detail for one in lost] == ["object_2: late"] * times
        assert [one.t_ns >= ns(first_s) for one in lost] == [False, True][:times]
        assert of(found, ForeignObject) == []


def test_an_object_in_either_beam_at_the_first_pass_is_reported_with_it() -> None:
    for line in ("object", "object_2"):
        lines = spin().see("object", 1.0, 0.0005).see("object_2", 1.0, 0.0005)
        lines.see(line, lines.passes_s[0] - 0.1, 0.15)
        found = of(seen(lines, wheel(TWO_BEAMS)), ForeignObject)
        assert [one.detail for one in found] == [f"{line} is interrupted", f"{line} is still interrupted"]


def test_a_second_beam_that_the_file_does_not_have_has_no_effect() -> None:
    lines = spin().see("object_2", 9.0, 0.5)
    assert [one for one in seen(lines) if isinstance(one, ForeignObject | BeamsDisagree)] == []


def test_lines_found_high_are_no_events() -> None:
    driver = wheel()
    lines = ("rotor_a", "rotor_b", "rotor_index", "ball_1", "ball_2", "ball_3", "pocket")
    assert driver.edges([Edge(line, 1, 0) for line in lines]) + driver.due(19 * S) == []


def test_the_rotors_stop_and_reversal_are_reported() -> None:
    lines = RouletteLines().turn(5.0)
    lines.rotor.accelerate(0.25, -408.0)
    lines.rotor.speed = 0.0
    lines.rotor.accelerate(0.5, -204.0)
    lines.turn(8.0)
    lines.rotor.rest(5.0)
    found = seen(lines)
    assert [one.direction for one in of(found, RotorReversed)] == [-1]
    assert len(of(found, RotorStopped)) == 1


# --- level ---------------------------------------------------------------------------------------------------------


def test_out_of_level_is_reported_after_a_second_and_level_again_at_once() -> None:
    driver = wheel()
    assert driver.reading(Reading("level_x", 0.3, 5 * S)) == []
    assert driver.due(6 * S - 1) == []
    assert driver.due(6 * S) == [NotLevel(t_ns=6 * S, tilt_deg=0.3)]
    assert driver.reading(Reading("level_x", 0.1, 9 * S)) == [LevelAgain(t_ns=9 * S, tilt_deg=0.1)]


def test_a_deadline_of_the_level_is_met_before_a_later_reading() -> None:
    driver = wheel()
    driver.reading(Reading("level_x", 0.3, 5 * S))
    found = driver.reading(Reading("level_x", 0.0, 7 * S))
    assert [type(one) for one in found] == [NotLevel, LevelAgain]
    assert [one.t_ns for one in found] == [6 * S, 7 * S]


def test_an_inclinometer_that_gives_no_number_is_reported_as_not_level() -> None:
    driver = wheel()
    driver.reading(Reading("level_y", math.nan, 5 * S))
    assert len(of(driver.due(7 * S), NotLevel)) == 1


# --- losses and dead lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["rotor_a", "ball_2", "pocket", "object", "level_x"])
def test_a_pulled_cable_is_reported_once_and_its_return(line: str) -> None:
    driver = wheel()
    driver.edges(RouletteLines().turn(2.0).edges())
    lost = driver.lost(EdgesLost(line, Loss.UNPLUGGED, 3 * S)) + driver.lost(EdgesLost(line, Loss.UNPLUGGED, 4 * S))
    assert [(one.line, one.fault, one.t_ns) for one in of(lost, SensorDead)] == [(line, "sensor_missing", 3 * S)]
    if line.startswith("level"):
        back = driver.reading(Reading(line, 0.0, 5 * S))
    else:
        back = driver.edges([Edge(line, 0, 5 * S)])
    assert of(back, SensorAlive) == [SensorAlive(t_ns=5 * S, line=line)]


def test_a_pulled_cable_of_the_rotor_leaves_it_without_a_direction() -> None:
    driver = wheel()
    driver.edges(RouletteLines().turn(5.0).edges())
    lost = driver.lost(EdgesLost("rotor_b", Loss.UNPLUGGED, 5 * S))
    assert len(of(lost, RotorStopped)) == 1
    assert [one.reason for one in of(lost, RotorDoubt)] == ["edges_lost"]


@pytest.mark.parametrize("line", ["rotor_a", "rotor_b", "rotor_index"])
def test_lost_edges_of_the_rotor_begin_the_readings_anew(line: str) -> None:
    lines = spin(until_s=60.0)
    second_ns = ns(lines.readings_s("17", lines.left_s + 5.0, 60.0)[1] + 0.5)
    driver = wheel()
    edges = lines.edges()
    found = driver.edges([edge for edge in edges if edge.t_ns <= second_ns])
    found += driver.lost(EdgesLost(line, Loss.OVERFLOW, second_ns, 2))
    later = driver.edges([edge for edge in edges if edge.t_ns > second_ns])
    assert [one.turns for one in of(found, PocketRead)] == [1, 2]
    assert [one.turns for one in of(later, PocketRead)][:1] == [1]
    assert [one.reason for one in of(found, RotorDoubt)] == ["edges_lost"]


def test_a_lost_edge_of_the_pocket_head_begins_the_readings_anew() -> None:
    lines = spin(until_s=60.0)
    second_ns = ns(lines.readings_s("17", lines.left_s + 5.0, 60.0)[1] + 0.5)
    driver = wheel()
    edges = lines.edges()
    driver.edges([edge for edge in edges if edge.t_ns <= second_ns])
    driver.lost(EdgesLost("pocket", Loss.OVERFLOW, second_ns, 1))
    later = of(driver.edges([edge for edge in edges if edge.t_ns > second_ns]), PocketRead)
    assert max(one.turns for one in later) <= len(later)
    assert later[0].turns == 1


def test_a_rotor_that_never_shows_its_index_has_a_dead_sensor_after_three_turns() -> None:
    lines = RouletteLines().turn(20.0)
    edges = [edge for edge in lines.edges() if edge.line != "rotor_index" or edge.t_ns == 0]
    found = wheel().edges(edges)
    assert [one.reason for one in of(found, RotorDoubt)][:1] == ["sensor_missing"]
    (dead,) = of(found, SensorDead)
    assert (dead.line, dead.fault) == ("rotor_index", "sensor_missing")
    assert 3 * 60 / 17 * S < dead.t_ns < 4 * 60 / 17 * S


def test_a_channel_that_does_not_move_is_dead() -> None:
    lines = RouletteLines().turn(8.0)
    edges = [edge for edge in lines.edges() if edge.line != "rotor_b" or edge.t_ns < 3 * S]
    (dead,) = of(wheel().edges(edges), SensorDead)
    assert (dead.line, dead.fault) == ("rotor_b", "sensor_stuck")


def test_values_of_other_devices_are_ignored() -> None:
    driver = wheel()
    assert driver.edges([Edge("dealer_void", 0, 0), Edge("kettle", 1, 5)]) == []
    assert driver.reading(Reading("kettle_deg", 90.0, 6)) == []
    assert driver.frame(Frame("link", b"x", 7)) == []
    assert driver.lost(EdgesLost("kettle", Loss.UNPLUGGED, 8)) == []


# --- configuration -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second_deg", "wrong"), [(180, True), (151, True), (209, True), (149, False), (110, False), (4, True)]
)
def test_two_sensors_within_thirty_degrees_of_opposite_are_a_mistake(second_deg: float, wrong: bool) -> None:
    assert bool(RouletteWheelConfig(ball_sensors_deg=(0.0, second_deg)).problems()) == wrong


def test_an_order_must_name_each_pocket_once() -> None:
    order = RouletteWheelConfig().wheel_order
    assert RouletteWheelConfig(order=order[1:] + order[:1]).problems() == []
    assert RouletteWheelConfig(order=(*order[:-1], order[0])).problems() != []


# --- however it is cut ---------------------------------------------------------------------------------------------

LINES = spin(passes=16, missed=[5], until_s=40.0).see("object", 12.0, 0.01).see("ball_1", 30.0, 1.0)
LINES.see("object_2", 12.005, 0.01).see("object_2", 18.0, 0.5).see("object_2", 20.0, 0.1).see("object_2", 22.0, 0.1)
EDGES = LINES.edges()
WHOLE = sorted(seen(LINES, wheel(TWO_BEAMS)), key=lambda one: one.t_ns)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, LINES.now_ns), max_size=30))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, found, rest = wheel(TWO_BEAMS), list[Observation](), EDGES
    for cut_ns in [*sorted(cuts), LINES.now_ns]:
        batch = driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        found += sorted(batch, key=lambda one: one.t_ns)  # as a table does
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert found == WHOLE


@pytest.mark.parametrize("dead", ["rotor_index", "rotor_b"])
def test_a_dead_line_of_the_rotor_is_reported_at_the_same_time_however_the_edges_are_cut(dead: str) -> None:
    lines = RouletteLines().turn(20.0)
    edges = [edge for edge in lines.edges() if edge.line != dead or edge.t_ns < S]
    whole = wheel().edges(edges)
    driver = wheel()
    assert [one for edge in edges for one in driver.edges([edge])] == whole
