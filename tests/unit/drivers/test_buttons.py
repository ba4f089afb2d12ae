"""Buttons: a press is a contact that has held, dated at its first edge."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dealer.buttons import NOISY_PRESSES, ButtonPressed, Buttons
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

MS = 1_000_000
CALL = "dealer_no_more_bets"


def buttons() -> Buttons:
    return Buttons((CALL, "dealer_void"), 10.0)


def pulses(*spans_ms: tuple[float, float], line: str = CALL) -> list[Edge]:
    """A line that is low at first, and high for these spans."""
    edges = [Edge(line, 0, 0)]
    for start, end in spans_ms:
        edges += [Edge(line, 1, round(start * MS)), Edge(line, 0, round(end * MS))]
    return edges


def pressed(driver: Buttons, edges: list[Edge], until_ms: float = 10_000) -> list[ButtonPressed]:
    seen = driver.edges(edges) + driver.due(round(until_ms * MS))
    return [one for one in seen if isinstance(one, ButtonPressed)]


def test_a_press_is_reported_when_it_has_held_and_has_the_time_of_its_first_edge() -> None:
    assert pressed(buttons(), pulses((100, 200))) == [ButtonPressed(t_ns=110 * MS, button=CALL, pressed_ns=100 * MS)]


@pytest.mark.parametrize(("held_ms", "presses"), [(9.99, 0), (10.0, 0), (10.01, 1)])
def test_a_contact_must_hold_for_the_debounce_time(held_ms: float, presses: int) -> None:
    """At exactly that time it has opened again: it has not held."""
    assert len(pressed(buttons(), pulses((100, 100 + held_ms)))) == presses


def test_a_press_that_bounces_has_the_time_of_its_first_edge() -> None:
    driver = buttons()
    assert pressed(driver, pulses((100, 101), (103, 104), (106, 300))) == [
        ButtonPressed(t_ns=116 * MS, button=CALL, pressed_ns=100 * MS)
    ]


def test_a_release_that_bounces_is_no_second_press() -> None:
    assert len(pressed(buttons(), pulses((100, 300), (302, 303), (305, 306)))) == 1


def test_spikes_on_a_long_cable_are_no_press() -> None:
    assert pressed(buttons(), pulses((100, 101), (200, 203), (300, 302))) == []


def test_two_presses_are_two() -> None:
    seen = pressed(buttons(), pulses((100, 200), (400, 500)))
    assert [one.pressed_ns for one in seen] == [100 * MS, 400 * MS]


def shaken(first_ms: float, count: int, period_ms: float) -> list[tuple[float, float]]:
    """So many closings, each of half a period."""
    return [(first_ms + k * period_ms, first_ms + (k + 0.5) * period_ms) for k in range(count)]


@pytest.mark.parametrize("at_once", [True, False])
def test_presses_quicker_than_a_hand_makes_are_a_fault_and_count_again_once_the_line_was_quiet(at_once: bool) -> None:
    driver = buttons()
    noise = shaken(100, 40, 40)
    edges = pulses(*noise, (6_500, 6_600), (11_900, 12_000), (12_500, 12_600))
    batches = [edges] if at_once else [[edge] for edge in edges]
    seen = [one for batch in batches for one in driver.edges(batch)] + driver.due(20_000 * MS)
    told = [(type(one), round(one.t_ns / MS)) for one in seen[1:]]
    assert told == [
        *[(ButtonPressed, round(start + 10)) for start, _ in noise[: NOISY_PRESSES - 1]],
        (SensorDead, round(noise[NOISY_PRESSES - 1][0] + 10)),
        (SensorAlive, 11_900),
        (ButtonPressed, 11_910),
        (ButtonPressed, 12_510),
    ]
    dead = next(one for one in seen if isinstance(one, SensorDead))
    assert (dead.line, dead.fault) == (CALL, "sensor_stuck")


def test_the_presses_of_a_quick_hand_are_presses() -> None:
    assert len(pressed(buttons(), pulses(*shaken(100, 30, 1000 / (NOISY_PRESSES - 1))))) == 30


def test_a_level_that_is_found_on_a_noisy_line_does_not_make_it_sound() -> None:
    driver = buttons()
    driver.edges(pulses(*shaken(100, 10, 40)))
    driver.lost(EdgesLost(CALL, Loss.OVERFLOW, 600 * MS))
    assert driver.edges([Edge(CALL, 0, 700 * MS)]) == []


def test_a_button_that_is_held_is_pressed_once() -> None:
    assert len(pressed(buttons(), [Edge(CALL, 0, 0), Edge(CALL, 1, 100 * MS)], 60_000)) == 1


def test_a_button_found_pressed_when_the_table_opens_is_no_press() -> None:
    assert pressed(buttons(), [Edge(CALL, 1, 0), Edge(CALL, 0, 500 * MS)]) == []


def test_two_buttons_at_once_are_two_presses_in_the_order_of_time() -> None:
    edges = [*pulses((100, 300)), *pulses((104, 300), line="dealer_void")]
    edges.sort(key=lambda edge: edge.t_ns)
    assert [(one.button, one.t_ns) for one in pressed(buttons(), edges)] == [
        (CALL, 110 * MS),
        ("dealer_void", 114 * MS),
    ]


def test_a_pulled_cable_is_a_dead_sensor_and_its_return_no_press() -> None:
    driver = buttons()
    driver.edges([Edge(CALL, 0, 0)])
    lost = driver.lost(EdgesLost(CALL, Loss.UNPLUGGED, 50 * MS))
    assert [type(one) for one in lost] == [SensorDead]
    back = driver.edges([Edge(CALL, 1, 90 * MS)]) + driver.due(200 * MS)
    assert back == [SensorAlive(t_ns=90 * MS, line=CALL)]


def test_a_loss_while_the_contact_holds_takes_the_press_back() -> None:
    driver = buttons()
    driver.edges([Edge(CALL, 0, 0), Edge(CALL, 1, 100 * MS)])
    assert driver.lost(EdgesLost(CALL, Loss.OVERFLOW, 105 * MS)) == []
    assert driver.due(500 * MS) == []


def test_lines_of_other_devices_are_ignored() -> None:
    driver = buttons()
    assert driver.edges([Edge("wheel_a", 1, 5), Edge("wheel_a", 0, 9)]) == []
    assert driver.lost(EdgesLost("wheel_a", Loss.UNPLUGGED, 10)) == []
    assert driver.reading(Reading("level_x", 1.0, 11)) == []
    assert driver.frame(Frame("link", b"x", 12)) == []


def test_the_next_deadline_is_that_of_the_contact_that_closed_first() -> None:
    driver = buttons()
    assert driver.next_due_ns is None
    driver.edges(
        [Edge(CALL, 0, 0), Edge("dealer_void", 0, 0), Edge(CALL, 1, 100 * MS), Edge("dealer_void", 1, 101 * MS)]
    )
    assert driver.next_due_ns == 110 * MS


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.lists(st.integers(0, 1200), max_size=12))
def test_edges_and_time_cut_anywhere_give_the_same_presses(gaps_ms: list[int], cuts_ms: list[int]) -> None:
    edges, t_ns = [Edge(CALL, 0, 0)], 0
    for k, gap in enumerate(gaps_ms):
        t_ns += gap * MS
        edges.append(Edge(CALL, (k + 1) % 2, t_ns))
    end_ns = t_ns + 100 * MS
    whole = buttons()
    expected: list[Observation] = whole.edges(edges) + whole.due(end_ns)
    cut = buttons()
    seen: list[Observation] = []
    rest = edges
    for cut_ns in [*sorted(c * MS for c in cuts_ms if c * MS < end_ns), end_ns]:
        seen += cut.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + cut.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert seen == expected
