"""The money wheel's driver: its observations of a spin, and their times."""

from __future__ import annotations

from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Driver, Observation, SensorAlive, SensorDead
from drivers.money_wheel.device import (
    MoneyWheelConfig,
    WheelMoved,
    WheelRested,
    WheelSpun,
    WheelTurned,
    WheelTurnedBack,
)
from drivers.money_wheel.encoder_wheel import MoneyWheel
from hal.values import Edge, EdgesLost, Frame, Loss, Reading
from tests.oracle.motion import Motion, encoder_edges, in_order
from tests.tables.money_lines import SPACE, TURN, MoneyLines, S

O = TypeVar("O", bound=Observation)  # noqa: E741


def wheel(config: MoneyWheelConfig | None = None) -> Driver:
    return MoneyWheel(config or MoneyWheelConfig())


def seen(lines: MoneyLines, driver: Driver | None = None) -> list[Observation]:
    driver = driver or wheel()
    return driver.edges(lines.edges()) + driver.due(lines.now_ns)


def of(found: list[Observation], kind: type[O]) -> list[O]:
    return [one for one in found if isinstance(one, kind)]


def kinds(found: list[Observation]) -> list[type[Observation]]:
    return [type(one) for one in found]


def test_a_spin_is_reported_step_by_step() -> None:
    found = seen(MoneyLines().rest(3).spin(3 * TURN + 5).rest(4))
    assert kinds(found) == [WheelMoved, WheelSpun, WheelTurned, WheelTurned, WheelTurned, WheelRested]
    assert [one.t_ns for one in found] == sorted(one.t_ns for one in found)
    (rested,) = of(found, WheelRested)
    assert (rested.turns, rested.turns_low, rested.turns_high) == (3.0125, 3.0125, 3.0125)
    assert (rested.spun, rested.turned_back, rested.direction, rested.doubt) == (True, False, 1, None)


@pytest.mark.parametrize(("counts", "moved"), [(SPACE, False), (SPACE + 1, True), (-SPACE, False), (-SPACE - 1, True)])
def test_the_wheel_leaves_its_rest_with_more_than_a_space(counts: int, moved: bool) -> None:
    assert bool(of(seen(MoneyLines().rest(3).move(counts, 0.6).rest(3)), WheelMoved)) == moved


@pytest.mark.parametrize(("counts", "spun"), [(199, False), (200, True), (-199, False), (-200, True)])
def test_half_a_turn_is_a_spin(counts: int, spun: bool) -> None:
    found = seen(MoneyLines().rest(3).spin(counts).rest(3))
    assert bool(of(found, WheelSpun)) == spun
    assert of(found, WheelRested)[0].spun == spun


@pytest.mark.parametrize("wind_up", [40, 150, 199])
@pytest.mark.parametrize("way", [1, -1])
def test_the_turn_begins_at_the_extreme_of_the_wind_up(wind_up: int, way: int) -> None:
    found = seen(MoneyLines().rest(3).move(-way * wind_up, 1.0).spin(way * 3 * TURN).rest(3))
    (rested,) = of(found, WheelRested)
    assert (rested.turns, rested.direction) == (3.0, way)


def test_the_furthest_point_counts_and_not_the_place_of_rest() -> None:
    (rested,) = of(seen(MoneyLines().rest(3).spin(3 * TURN, rollback=8).rest(3)), WheelRested)
    assert rested.turns == 3.0
    assert rested.rest.space == 1


@pytest.mark.parametrize(("back", "turned_back"), [(12, False), (13, True)])
@pytest.mark.parametrize("way", [1, -1])
def test_one_and_a_half_spaces_back_are_normal_and_a_count_more_is_a_reversal(
    back: int, turned_back: bool, way: int
) -> None:
    found = seen(MoneyLines().rest(3).spin(way * 3 * TURN, rollback=back).rest(3))
    assert bool(of(found, WheelTurnedBack)) == turned_back
    assert all(one.proven and one.direction == way for one in of(found, WheelTurnedBack))


def turned_just_beyond_an_edge(counts: int, back: int, beyond_deg: float, way: int = 1) -> list[Edge]:
    """Edges of a wheel that continues until it is just beyond the edge of a count, and turns back there at once."""
    motion = Motion(0.45).rest(3.0)
    apex_deg = 0.45 + way * ((counts - 0.5) * 0.9 + beyond_deg)
    motion.turn_to(0.45 + 0.3 * (apex_deg - 0.45), way * 500.0)
    motion.turn_to(apex_deg - way * 20.0, way * 200.0).turn_to(apex_deg, 0.0)
    motion.turn_to(apex_deg - way * 20.0, -way * 200.0).turn_to(apex_deg - way * back * 0.9, 0.0).rest(4.0)
    return in_order(encoder_edges(motion, "wheel", 100, index_offset_deg=0.18))


@pytest.mark.parametrize("beyond_deg", [0.001, 0.01, 0.02, 0.4])
@pytest.mark.parametrize("way", [1, -1])
def test_a_wheel_that_turns_just_beyond_an_edge_has_turned_back(beyond_deg: float, way: int) -> None:
    driver, edges = wheel(), turned_just_beyond_an_edge(3 * TURN + 150, 100, beyond_deg, way)
    found = driver.edges(edges) + driver.due(edges[-1].t_ns + 4 * S)
    assert len(of(found, WheelTurnedBack)) == 1
    (rested,) = of(found, WheelRested)
    assert rested.turned_back
    assert rested.turns <= 3.375 <= rested.turns_high
    assert rested.turns_high - rested.turns <= 1 / TURN


@pytest.mark.parametrize("beyond_deg", [0.001, 0.01, 0.02, 0.4])
@pytest.mark.parametrize("way", [1, -1])
def test_a_wind_up_that_ends_just_beyond_an_edge_begins_the_turn_there(beyond_deg: float, way: int) -> None:
    driver, edges = wheel(), turned_just_beyond_an_edge(150, 3 * TURN, beyond_deg, way)
    found = driver.edges(edges) + driver.due(edges[-1].t_ns + 4 * S)
    (rested,) = of(found, WheelRested)
    assert (rested.direction, rested.turned_back) == (-way, False)
    assert rested.turns_high == 3.0
    assert 3.0 - rested.turns <= 1 / TURN


@pytest.mark.parametrize("nudge", [0, 3, -3])
@pytest.mark.parametrize("way", [1, -1])
def test_a_wind_up_of_over_half_a_turn_is_found_though_its_first_counts_were_lost(nudge: int, way: int) -> None:
    """Also where a nudge has used up the first counts from rest."""
    lines = MoneyLines(start_counts=-250 * way).rest(3)
    if nudge:
        lines.move(nudge, 0.3).rest(4)
    wound_ns = lines.now_ns
    lines.move(220 * way, 1.36).rest(0.5).spin(-way * (3 * TURN + 40)).rest(4)
    counts = [edge for edge in lines.edges() if edge.line != "wheel_index" and edge.t_ns > wound_ns]
    gone = set(counts[:40])
    driver = wheel()
    found = driver.edges([edge for edge in lines.edges() if edge not in gone]) + driver.due(lines.now_ns)
    assert of(found, WheelRested)[-1].doubt == "edges_lost"


def test_rest_is_a_second_and_a_half_within_a_count() -> None:
    lines = MoneyLines().rest(3).spin(3 * TURN)
    within = sorted(edge.t_ns for edge in lines.edges() if edge.line != "wheel_index")[-3]
    (rested,) = of(seen(lines.rest(4)), WheelRested)
    assert rested.t_ns == within + 1_500_000_000


def test_a_wheel_that_trembles_by_a_count_is_at_rest() -> None:
    lines = MoneyLines().rest(3).spin(3 * TURN)
    for _ in range(6):
        lines.move(1, 0.2).rest(0.2).move(-1, 0.2).rest(0.2)
    found = seen(lines.rest(4))
    (rested,) = of(found, WheelRested)
    assert rested.rest.space == 0
    assert rested.rest.clear


def test_noise_on_both_lines_in_turn_does_not_hide_the_rest() -> None:
    """A wheel that a hand then turns on is moved after its verdict; it is not a spin that goes on."""
    lines = MoneyLines().rest(3).spin(3 * TURN)
    rests_ns = lines.now_ns
    for _ in range(4):
        # A pulse on the line ahead and one on the line behind.
        lines.move(1, 0.0004).move(-1, 0.0004).rest(0.4).move(-1, 0.0004).move(1, 0.0004).rest(0.4)
    first, then = of(seen(lines.move(2 * SPACE, 0.5).rest(4)), WheelRested)
    assert (first.rest.space, first.doubt) == (0, None)
    assert first.t_ns < rests_ns + 3 * S
    assert not then.spun


def test_a_wheel_that_rocks_by_three_counts_is_not_at_rest() -> None:
    lines = MoneyLines().rest(3).spin(3 * TURN)
    for _ in range(8):
        lines.move(3, 0.5).move(-3, 0.5)
    rocked_ns = lines.now_ns
    (rested,) = of(seen(lines.rest(4)), WheelRested)
    assert rested.t_ns > rocked_ns + S


@pytest.mark.parametrize("space", [0, 1, 7, 25, 49])
@pytest.mark.parametrize("way", [1, -1])
def test_the_space_under_the_indicator_follows_from_the_angle(space: int, way: int) -> None:
    counts = way * 4 * TURN - space * SPACE
    lines = MoneyLines().rest(3).spin(counts).rest(3)
    rest = of(seen(lines), WheelRested)[0].rest
    assert rest.space == space == lines.space
    assert (rest.clear, rest.others) == (True, ())


def test_the_indicators_own_angle_counts() -> None:
    config = MoneyWheelConfig(indicator_deg=72.0)
    rested = of(seen(MoneyLines().rest(3).spin(3 * TURN).rest(3), wheel(config)), WheelRested)[0]
    assert rested.rest.space == 10


@pytest.mark.parametrize(("counts", "clear"), [(0, True), (2, True), (3, False), (4, False), (5, True)])
def test_near_a_peg_the_space_is_not_clear(counts: int, clear: bool) -> None:
    rested = of(seen(MoneyLines().rest(3).spin(3 * TURN + counts).rest(3)), WheelRested)[0]
    assert rested.rest.clear == clear
    if not clear:
        assert {rested.rest.space, rested.rest.next_space} == {0, 49}


def test_a_wheel_that_moves_when_the_table_opens_has_joined() -> None:
    lines = MoneyLines().rest(3).spin(4 * TURN)
    late_ns = lines.now_ns - 6 * S
    lines.rest(4)
    levels = {edge.line: edge.level for edge in lines.edges() if edge.t_ns <= late_ns}
    edges = [Edge(line, level, late_ns) for line, level in levels.items()]
    edges += [edge for edge in lines.edges() if edge.t_ns > late_ns]
    driver = wheel()
    assert of(driver.edges(edges) + driver.due(lines.now_ns), WheelRested)[0].joined
    assert not of(seen(MoneyLines().rest(3).spin(3 * TURN).rest(4)), WheelRested)[0].joined


def test_a_lost_pulse_after_the_last_index_leaves_other_spaces_possible_or_the_turns_in_doubt() -> None:
    lines = MoneyLines().rest(3).spin(3 * TURN + 200).rest(3)
    edges = lines.edges()
    rises = [k for k, e in enumerate(edges) if e.line == "wheel_a" and e.level and e.t_ns]
    lost = rises[-20]
    fall = next(k for k in range(lost + 1, len(edges)) if edges[k].line == "wheel_a")
    driver = wheel()
    kept = [edge for k, edge in enumerate(edges) if k not in (lost, fall)]
    rested = of(driver.edges(kept) + driver.due(lines.now_ns), WheelRested)[0]
    assert lines.space in (rested.rest.space, *rested.rest.others)
    assert rested.turns_low <= 3.5 <= rested.turns_high


@pytest.mark.parametrize("cause", [Loss.OVERFLOW, Loss.LATE, Loss.REPEATED_LEVEL])
def test_a_reported_loss_is_a_doubt(cause: Loss) -> None:
    lines = MoneyLines().rest(3).spin(4 * TURN)
    at_ns = lines.now_ns - 3 * S
    lines.rest(3)
    driver = wheel()
    edges = lines.edges()
    found = driver.edges([edge for edge in edges if edge.t_ns <= at_ns])
    found += driver.lost(EdgesLost("wheel_b", cause, at_ns, 30))
    found += driver.edges([edge for edge in edges if edge.t_ns > at_ns]) + driver.due(lines.now_ns)
    assert of(found, WheelRested)[0].doubt == "edges_lost"


def test_a_pulled_cable_is_reported_once_and_its_return_once() -> None:
    driver = wheel()
    driver.edges([Edge(line, 0, 0) for line in ("wheel_a", "wheel_b", "wheel_index")])
    lost = driver.lost(EdgesLost("wheel_a", Loss.UNPLUGGED, S)) + driver.lost(
        EdgesLost("wheel_a", Loss.UNPLUGGED, 2 * S)
    )
    assert [(one.line, one.fault) for one in of(lost, SensorDead)] == [("wheel_a", "sensor_missing")]
    back = driver.edges([Edge("wheel_a", 1, 3 * S), Edge("wheel_a", 0, 4 * S)])
    assert of(back, SensorAlive) == [SensorAlive(t_ns=3 * S, line="wheel_a")]


def test_edges_that_end_at_a_speed_at_which_no_wheel_stops_are_a_loss() -> None:
    lines = MoneyLines().rest(3).spin(4 * TURN)
    at_ns = lines.now_ns - 5 * S
    driver = wheel()
    found = driver.edges([edge for edge in lines.edges() if edge.t_ns <= at_ns]) + driver.due(at_ns + 4 * S)
    assert of(found, WheelRested)[0].doubt == "edges_lost"


def test_values_of_other_devices_are_ignored() -> None:
    driver = wheel()
    assert driver.edges([Edge("dealer_void", 0, 0), Edge("kettle", 1, 5)]) == []
    assert driver.reading(Reading("level_x", 1.0, 6)) == []
    assert driver.frame(Frame("link", b"x", 7)) == []
    assert driver.lost(EdgesLost("kettle", Loss.UNPLUGGED, 8)) == []


LINES = MoneyLines().rest(3).move(-50, 0.6).spin(3 * TURN, rollback=9).rest(3).move(60, 0.5).rest(3).spin(-TURN)
LINES = LINES.move(100, 1.0).rest(3)
EDGES = LINES.edges()
WHOLE = seen(LINES)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, LINES.now_ns), max_size=30))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, found, rest = wheel(), list[Observation](), EDGES
    for cut_ns in [*sorted(cuts), LINES.now_ns]:
        found += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert found == WHOLE


def in_pieces(lines: MoneyLines, every_ns: int) -> list[Observation]:
    """What a wheel observes in batches of equal time."""
    driver, rest, found = wheel(), lines.edges(), list[Observation]()
    for cut_ns in [*range(every_ns, lines.now_ns, every_ns), lines.now_ns]:
        found += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    return found


def trembling(then_s: float) -> MoneyLines:
    """A wheel that trembles about a count for as long as a rest takes, and on."""
    return MoneyLines().rest(3).spin(3 * TURN).move(-2, 0.3).move(2, 0.3).rest(then_s).move(-1, 0.2).rest(4)


@pytest.mark.parametrize("then_s", [0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.3])
def test_a_wheel_that_trembles_about_a_count_rests_at_one_time_however_its_edges_are_cut(then_s: float) -> None:
    lines = trembling(then_s)
    found = seen(lines)
    assert len(of(found, WheelRested)) == 1
    assert in_pieces(lines, S // 20) == in_pieces(lines, S) == found


@pytest.mark.parametrize("pause_s", [0.5, 0.8, 1.2])
def test_a_wheel_that_creeps_from_its_rest_is_at_rest_after_it_moved(pause_s: float) -> None:
    lines = MoneyLines().rest(3)
    for _ in range(SPACE + 1):
        lines.move(1, 0.1).rest(pause_s)
    found = in_pieces(lines.rest(4), S // 20)
    assert kinds(found) == [WheelMoved, WheelRested]
    assert [one.t_ns for one in found] == sorted(one.t_ns for one in found)
    assert found == seen(lines)
