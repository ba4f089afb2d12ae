"""The bed of a token pusher and the door of its cabinet, from their lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.cabinet.door import Door, DoorConfig, DoorMoved
from drivers.pusher.bed import FallsLost, PusherBed, PusherBedConfig, ShelfMoves, ShelfStands, Tilted, TokenFell
from hal.values import Edge, EdgesLost, Loss

MS = 1_000_000
LINES = ("shelf_shaft", "fall_player", "fall_house", "tilt")


def bed() -> PusherBed:
    driver = PusherBed(PusherBedConfig())
    driver.edges([Edge(line, 0, 0) for line in LINES])
    return driver


def pulse(line: str, from_ms: float, for_ms: float) -> list[Edge]:
    return [Edge(line, 1, round(from_ms * MS)), Edge(line, 0, round((from_ms + for_ms) * MS))]


def test_each_token_that_falls_is_reported_once_at_its_first_edge() -> None:
    found = bed().edges([*pulse("fall_player", 10, 12), *pulse("fall_house", 30, 12), *pulse("fall_player", 60, 12)])
    fell = [(one.side, one.fell_ns // MS) for one in found if isinstance(one, TokenFell)]
    assert fell == [("player", 10), ("house", 30), ("player", 60)]


def test_a_spike_is_no_token() -> None:
    assert bed().edges(pulse("fall_player", 10, 0.5)) == []


def test_a_fall_sensor_that_stays_covered_is_stuck_and_lives_when_it_is_free() -> None:
    driver = bed()
    driver.edges(pulse("fall_house", 10, 2000)[:1])
    (dead,) = (one for one in driver.due(1100 * MS) if isinstance(one, SensorDead))
    assert (dead.line, dead.fault) == ("fall_house", "sensor_stuck")
    found = driver.edges([Edge("fall_house", 0, 2000 * MS)])
    assert [type(one) for one in found if not isinstance(one, ShelfStands)] == [SensorAlive]


def test_a_shelf_without_pulses_stands_and_moves_again_with_the_next() -> None:
    driver = bed()
    assert driver.next_due_ns == 1500 * MS
    assert [type(one) for one in driver.edges(pulse("shelf_shaft", 100, 50))] == [ShelfMoves]
    assert driver.due(1599 * MS) == []
    (stands,) = driver.due(1601 * MS)
    assert stands == ShelfStands(t_ns=1600 * MS, since_ns=100 * MS)
    assert driver.due(9000 * MS) == []
    assert [type(one) for one in driver.edges(pulse("shelf_shaft", 9100, 50))] == [ShelfMoves]


def test_a_shelf_that_never_moved_stands() -> None:
    assert [type(one) for one in bed().due(1500 * MS)] == [ShelfStands]


def test_a_tilt_counts_when_it_has_held() -> None:
    driver = bed()
    assert driver.edges(pulse("tilt", 10, 5)) == []
    driver.edges([Edge("tilt", 1, 100 * MS)])
    assert driver.due(131 * MS) == [Tilted(t_ns=130 * MS, tilted=True)]
    driver.edges([Edge("tilt", 0, 200 * MS)])
    assert driver.due(231 * MS) == [Tilted(t_ns=230 * MS, tilted=False)]


def test_a_tilt_in_which_changes_are_lost_is_over_once_the_machine_is_seen_level() -> None:
    driver = bed()
    driver.edges([Edge("tilt", 1, 100 * MS)])
    assert driver.due(131 * MS) == [Tilted(t_ns=130 * MS, tilted=True)]
    driver.lost(EdgesLost("tilt", Loss.OVERFLOW, 200 * MS))
    assert driver.edges([Edge("tilt", 0, 201 * MS)]) == [Tilted(t_ns=201 * MS, tilted=False)]
    driver.lost(EdgesLost("tilt", Loss.OVERFLOW, 300 * MS))
    assert driver.edges([Edge("tilt", 0, 301 * MS)]) == []


def test_lost_falls_are_reported_with_their_side() -> None:
    driver = bed()
    (lost,) = driver.lost(EdgesLost("fall_house", Loss.OVERFLOW, 5 * MS, 3))
    assert isinstance(lost, FallsLost)
    assert lost.side == "house"
    assert driver.lost(EdgesLost("shelf_shaft", Loss.OVERFLOW, 6 * MS)) == []
    assert driver.lost(EdgesLost("door", Loss.OVERFLOW, 6 * MS)) == []


def test_keys_that_do_not_fit_are_refused() -> None:
    (problem,) = PusherBedConfig(shortest_fall_ms=20, stuck_ms=100).problems()
    assert problem[0] == "stuck_ms"


@given(st.lists(st.tuples(st.sampled_from(LINES), st.integers(0, 1), st.integers(0, 900)), max_size=40), st.data())
def test_however_edges_are_cut_into_batches_the_reports_are_the_same(
    story: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    t_ns, edges = 0, []
    for line, level, later_ms in story:
        t_ns += later_ms * MS
        edges.append(Edge(line, level, t_ns))
    whole, cut = bed(), bed()
    first = [*whole.edges(edges), *whole.due(t_ns + 5000 * MS)]
    place = data.draw(st.integers(0, len(edges)))
    second: list[Observation] = [*cut.edges(edges[:place]), *cut.edges(edges[place:]), *cut.due(t_ns + 5000 * MS)]
    assert first == second


# --- the door ------------------------------------------------------------------------------------------------------


def door() -> Door:
    driver = Door(DoorConfig())
    driver.edges([Edge("door", 0, 0)])
    return driver


def test_a_door_is_open_after_5_ms_and_closed_when_it_has_held() -> None:
    driver = door()
    assert driver.edges([Edge("door", 1, 5 * MS)]) == []
    assert driver.due(10 * MS) == [DoorMoved(t_ns=10 * MS, open=True)]
    assert driver.edges([Edge("door", 0, 20 * MS), Edge("door", 1, 30 * MS), Edge("door", 0, 40 * MS)]) == []
    assert driver.due(239 * MS) == []
    assert driver.due(240 * MS) == [DoorMoved(t_ns=240 * MS, open=False)]


def test_a_board_that_tests_its_sensors_opens_no_door() -> None:
    driver = door()
    assert driver.edges([Edge("door", 1, 10 * MS), Edge("door", 0, 14 * MS), Edge("door", 1, 16 * MS)]) == []
    assert driver.due(21 * MS - 1) == []
    assert driver.due(21 * MS) == [DoorMoved(t_ns=21 * MS, open=True)]


def test_a_door_that_is_open_at_the_start_is_reported() -> None:
    driver = Door(DoorConfig())
    assert driver.edges([Edge("door", 1, 0)]) == [DoorMoved(t_ns=0, open=True)]


def test_an_unplugged_door_is_open_until_it_is_seen_closed() -> None:
    driver = door()
    found = driver.lost(EdgesLost("door", Loss.UNPLUGGED, 10 * MS))
    assert [type(one) for one in found] == [SensorDead, DoorMoved]
    found = driver.edges([Edge("door", 0, 20 * MS)]) + driver.due(500 * MS)
    assert [type(one) for one in found] == [SensorAlive, DoorMoved]
