"""The keypad: only what fingers keyed alone, in full, and entered is a result (S9, T2-53)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.keypad import CLEAR, ENTER, KEYS, DiceKeypad, DiceKeypadConfig
from drivers.dice.observations import DiceEntered, KeypadCleared, KeypadShown, KeyRefused
from hal.values import Edge, EdgesLost, Frame, Loss, Reading
from tests.tables.tumbler_lines import MS, S, found, high, in_order, of, one_of, told

FOUND = found(*KEYS)


def keypad(dice: int = 3, **keys: object) -> DiceKeypad:
    return DiceKeypad(msgspec.convert({"driver": "dice_keypad", **keys}, DiceKeypadConfig), dice)


def keyed(keys: str, *, from_s: float = 1.0, every_s: float = 0.4) -> list[Edge]:
    """Keys pressed one after the other: digits, E for ENTER, C for CLEAR."""
    edges = list[Edge]()
    for place, key in enumerate(keys):
        line = {"E": ENTER, "C": CLEAR}.get(key, f"key_{key}")
        edges += high(line, from_s + place * every_s, 150)
    return edges


def seen(keys: str, driver: DiceKeypad | None = None, until_s: float = 20.0) -> list[Observation]:
    return told(driver or keypad(), [*FOUND, *keyed(keys)], until_s=until_s)


def test_s9_the_value_of_every_die_is_keyed_and_entered() -> None:
    entered = one_of(seen("441E"), DiceEntered)
    assert (entered.dice, entered.first_ns, entered.entered_ns) == ((4, 4, 1), 1 * S, 2_200 * MS)
    assert entered.t_ns == 2_220 * MS


def test_t2_53_what_is_to_be_entered_is_shown_before_it_is() -> None:
    assert [one.values for one in of(seen("441E"), KeypadShown)] == [(4,), (4, 4), (4, 4, 1), ()]


@pytest.mark.parametrize(
    ("dice", "keys", "values"), [(2, "61E", (6, 1)), (1, "3E", (3,)), (5, "12345E", (1, 2, 3, 4, 5))]
)
def test_as_many_values_are_entered_as_there_are_dice(dice: int, keys: str, values: tuple[int, ...]) -> None:
    assert one_of(seen(keys, keypad(dice)), DiceEntered).dice == values


@pytest.mark.parametrize(
    ("keys", "reason"), [("44E", "short"), ("E", "short"), ("4411E", "spoilt"), ("441EE", "short")]
)
def test_enter_is_refused_with_any_other_number_of_values(keys: str, reason: str) -> None:
    found_ = seen(keys)
    assert of(found_, KeyRefused)[-1].reason == reason
    assert len(of(found_, DiceEntered)) == keys.startswith("441E")


def test_a_value_too_many_spoils_the_entry_until_clear() -> None:
    found_ = seen("4412E3C441E")
    assert [one.reason for one in of(found_, KeyRefused)] == ["surplus", "spoilt", "spoilt"]
    assert of(found_, KeypadShown)[3].spoilt
    assert one_of(found_, KeypadCleared).by == "key"
    assert one_of(found_, DiceEntered).dice == (4, 4, 1)


def test_t2_53_where_the_house_says_so_the_last_values_pressed_count() -> None:
    assert one_of(seen("24412E", keypad(surplus="shift")), DiceEntered).dice == (4, 1, 2)


def test_clear_drops_what_was_keyed() -> None:
    found_ = seen("66C441E")
    assert one_of(found_, KeypadCleared).values == (6, 6)
    assert one_of(found_, DiceEntered).dice == (4, 4, 1)
    assert of(seen("C"), KeypadCleared) == []


def test_values_that_nobody_enters_are_forgotten() -> None:
    found_ = told(keypad(), [*FOUND, *keyed("441"), *keyed("E", from_s=40.0)])
    cleared = one_of(found_, KeypadCleared)
    assert (cleared.by, cleared.t_ns) == ("time", 1_820 * MS + 30 * S)
    assert one_of(found_, KeyRefused).reason == "short"
    assert of(found_, DiceEntered) == []


@pytest.mark.parametrize("later_ms", [0, 5, 19, 50, 140])
def test_two_keys_down_at_once_are_refused(later_ms: int) -> None:
    edges = in_order(FOUND, high("key_4", 1.0, 150), high("key_5", 1.0 + later_ms / 1000, 150))
    found_ = told(keypad(), edges)
    refused = of(found_, KeyRefused)
    assert {one.reason for one in refused} == {"two_keys"}
    assert "key_5" in [one.key for one in refused]
    # The first had been pressed alone, and been shown, before the second came.
    assert [one.values for one in of(found_, KeypadShown) if one.values] == ([] if later_ms < 20 else [(4,)])


@pytest.mark.parametrize(
    ("held", "words"), [((2,), "pressed while key_2 was down"), ((2, 3), "pressed while key_2 and key_3 were down")]
)
def test_a_refusal_names_the_keys_that_were_down(held: tuple[int, ...], words: str) -> None:
    edges = in_order(FOUND, *(high(f"key_{key}", 1.0, 400) for key in held), high("key_5", 1.1, 150))
    refused = of(told(keypad(), edges), KeyRefused)
    assert next(one.detail for one in refused if one.key == "key_5") == words


def test_enter_with_a_value_still_down_is_refused() -> None:
    edges = in_order(FOUND, keyed("44"), high("key_1", 2.0, 500), high(ENTER, 2.2, 150))
    found_ = told(keypad(), edges)
    assert (one_of(found_, KeyRefused).key, one_of(found_, KeyRefused).reason) == (ENTER, "two_keys")
    assert of(found_, DiceEntered) == []


def test_a_contact_that_bounces_is_one_press() -> None:
    bouncing = [Edge("key_4", (k + 1) % 2, round((1.0 + 0.003 * k) * S)) for k in range(5)]
    release = [Edge("key_4", k % 2, round((1.2 + 0.003 * k) * S)) for k in range(5)]
    found_ = told(keypad(), [*FOUND, *bouncing, *release, *keyed("41E", from_s=2.0)])
    assert one_of(found_, DiceEntered).dice == (4, 4, 1)


def test_a_spike_is_no_press() -> None:
    found_ = told(keypad(), in_order(FOUND, keyed("441E"), high("key_6", 1.3, 5)))
    assert one_of(found_, DiceEntered).dice == (4, 4, 1)


def test_a_key_that_stays_down_is_a_fault_and_no_other_counts_meanwhile() -> None:
    found_ = told(keypad(), in_order(FOUND, high("key_2", 1.0, 20_000), keyed("441E", from_s=15.0)))
    dead = one_of(found_, SensorDead)
    assert (dead.line, dead.fault, dead.t_ns) == ("key_2", "sensor_stuck", 11 * S)
    assert {one.reason for one in of(found_, KeyRefused)} == {"two_keys"}
    assert one_of(found_, SensorAlive).line == "key_2"
    assert of(found_, DiceEntered) == []


@pytest.mark.parametrize("second_s", [1.0, 3.0])
def test_each_of_two_keys_that_stay_down_is_found_stuck_once(second_s: float) -> None:
    edges = in_order(FOUND, high("key_1", 1.0, 20_000), high("key_2", second_s, 20_000))
    found_ = told(keypad(), edges, until_s=60.0)
    assert [(one.line, one.t_ns) for one in of(found_, SensorDead)] == [
        ("key_1", 11 * S),
        ("key_2", round((second_s + 10) * S)),
    ]


def test_a_key_that_is_down_when_the_table_opens_is_no_press() -> None:
    edges = [*(edge for edge in FOUND if edge.line != "key_2"), Edge("key_2", 1, 0), Edge("key_2", 0, 5 * S)]
    found_ = told(keypad(), [*edges, *keyed("441E", from_s=6.0)])
    assert one_of(found_, DiceEntered).dice == (4, 4, 1)


@pytest.mark.parametrize("cause", list(Loss))
def test_a_press_that_may_be_lost_spoils_what_is_keyed(cause: Loss) -> None:
    found_ = told(keypad(), [*FOUND, *keyed("44"), *keyed("1E", from_s=5.0)], [EdgesLost("key_3", cause, 3 * S)])
    assert of(found_, KeyRefused)[0].reason == "edges_lost"
    assert of(found_, DiceEntered) == []
    assert [one.fault for one in of(found_, SensorDead)] == (["sensor_missing"] if cause is Loss.UNPLUGGED else [])


def test_what_is_in_doubt_is_forgotten_so_long_after_the_loss() -> None:
    found_ = told(keypad(), [*FOUND, *keyed("44")], [EdgesLost("key_3", Loss.OVERFLOW, 9 * S)], until_s=60.0)
    cleared = one_of(found_, KeypadCleared)
    assert (cleared.by, cleared.t_ns) == ("time", 9 * S + 30 * S)


def test_a_loss_while_nothing_is_keyed_is_no_doubt() -> None:
    found_ = told(keypad(), [*FOUND, *keyed("441E", from_s=5.0)], [EdgesLost("key_3", Loss.OVERFLOW, 3 * S)])
    assert one_of(found_, DiceEntered).dice == (4, 4, 1)


@pytest.mark.parametrize(("losses", "presses"), [([], 1), ([EdgesLost(ENTER, Loss.OVERFLOW, 1_152 * MS)], 2)])
def test_a_contact_that_closes_at_once_after_a_loss_is_another_press(losses: list[EdgesLost], presses: int) -> None:
    twice = [*FOUND, *high(ENTER, 1.0, 150), *high(ENTER, 1.155, 150)]
    assert [one.reason for one in of(told(keypad(), twice, losses), KeyRefused)] == ["short"] * presses


def test_a_key_whose_wire_is_pulled_while_it_is_down_hinders_no_other() -> None:
    edges = in_order(FOUND, [Edge("key_6", 1, 1 * S)], keyed("C441E", from_s=5.0))
    found_ = told(keypad(), edges, [EdgesLost("key_6", Loss.UNPLUGGED, 2 * S)])
    assert one_of(found_, DiceEntered).dice == (4, 4, 1)


def test_lines_that_are_not_its_own_are_passed_over() -> None:
    driver = keypad()
    assert driver.edges([Edge("kettle", 1, 1)]) == []
    assert driver.lost(EdgesLost("kettle", Loss.UNPLUGGED, 2)) == []
    assert driver.reading(Reading("key_1", 1.0, 3)) == driver.frame(Frame("dice_serial", b"", 3)) == []
    assert driver.next_due_ns is None


def test_a_keypad_of_no_dice_is_refused() -> None:
    with pytest.raises(ValueError, match="one die or more, not 0"):
        keypad(0)


EDGES = in_order(
    FOUND,
    keyed("44C41"),
    high("key_6", 4.0, 5),
    high("key_1", 4.1, 200),
    high(ENTER, 4.2, 300),
    keyed("CE", from_s=6.0),
)
WHOLE = told(keypad(), EDGES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 60 * S), max_size=20))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, seen_, rest = keypad(), list[Observation](), EDGES
    for cut_ns in [*sorted(cuts), 60 * S]:
        seen_ += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert seen_ == WHOLE


def test_a_spike_that_opens_the_contact_of_a_key_that_is_down_makes_no_second_press() -> None:
    split = [Edge("key_6", 1, 5 * S), Edge("key_6", 0, 5 * S + 75 * MS), Edge("key_6", 1, 5 * S + 75 * MS + 3_000)]
    edges = in_order(FOUND, [*split, Edge("key_6", 0, 5 * S + 100 * MS)])
    assert [shown.values for shown in of(told(keypad(), edges, until_s=6), KeypadShown)] == [(6,)]
