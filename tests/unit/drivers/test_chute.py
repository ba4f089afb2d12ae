"""The dice chute: every die through every baffle, in order (C4)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorDead
from drivers.dice.chute import Chute, ChuteConfig
from drivers.dice.observations import (
    ChuteCleared,
    ChuteJammed,
    ChutePassed,
    ChuteRested,
    DiceStirred,
    TumbleStarted,
)
from hal.values import Edge, EdgesLost, Frame, Loss, Reading
from tests.tables.tumbler_lines import S, found, high, in_order, of, one_of, told

LINES = ("chute_1", "chute_2", "chute_3")


def chute(dice: int = 2, **keys: object) -> Chute:
    return Chute(msgspec.convert({"driver": "chute", **keys}, ChuteConfig), dice)


def die(from_s: float, *beams: int, for_ms: float = 60, every_s: float = 0.3) -> list[Edge]:
    """A die that passes these beams, one after the other."""
    return [edge for k, beam in enumerate(beams) for edge in high(f"chute_{beam}", from_s + k * every_s, for_ms)]


def dropped(*dice: list[Edge]) -> list[Edge]:
    return in_order(found(*LINES), *dice)


GOOD = dropped(die(5.0, 1, 2, 3), die(5.8, 1, 2, 3))


def test_c4_two_dice_through_three_baffles_are_a_tumble() -> None:
    rested = one_of(told(chute(), GOOD), ChuteRested)
    assert (rested.passes, rested.required, rested.doubt, rested.tumbled) == ((2, 2, 2), 2, None, True)
    assert rested.t_ns == rested.moved_ns + 3 * S


def test_c4_a_chute_has_three_baffles_or_more() -> None:
    with pytest.raises(msgspec.ValidationError, match=">= 3"):
        chute(baffles=2)
    assert chute(baffles=5).lines == {f"chute_{k}" for k in range(1, 6)}


def test_a_tumble_is_told_step_by_step() -> None:
    seen = told(chute(1), dropped(die(5.0, 1, 2, 3)))
    assert [type(one) for one in seen] == [
        DiceStirred, TumbleStarted, ChutePassed, ChutePassed, ChutePassed, ChuteRested,
    ]  # fmt: skip
    assert [(one.baffle, one.passes) for one in of(seen, ChutePassed)] == [(1, 1), (2, 1), (3, 1)]


@pytest.mark.parametrize("way", [(1, 3), (2, 3), (1, 2), (2, 1, 3)])
def test_c4_a_die_that_misses_a_baffle_or_comes_to_it_out_of_order_is_no_tumble(way: tuple[int, ...]) -> None:
    rested = one_of(told(chute(), dropped(die(5.0, 1, 2, 3), die(7.0, *way))), ChuteRested)
    assert (rested.doubt, rested.tumbled) == ("baffles_missed", False)


def test_two_dice_in_one_beam_cannot_be_counted() -> None:
    rested = one_of(told(chute(), dropped(die(5.0, 1, 2, 3), die(5.03, 1, 2, 3))), ChuteRested)
    assert (rested.passes, rested.doubt, rested.tumbled) == ((1, 1, 1), "dice_together", False)
    wide = one_of(told(chute(), dropped(die(5.0, 1, 2, 3), die(6.5, 1, 2, 3, for_ms=400, every_s=0.6))), ChuteRested)
    assert (wide.passes, wide.doubt, wide.tumbled) == ((2, 2, 2), "dice_together", False)


@pytest.mark.parametrize(("dice", "doubt"), [(1, "dice_together"), (3, "too_many_passes")])
def test_another_number_of_dice_than_the_game_has_is_no_tumble(dice: int, doubt: str) -> None:
    parts = [die(5.0 + 0.8 * k, 1, 2, 3) for k in range(dice)]
    assert one_of(told(chute(), dropped(*parts)), ChuteRested).doubt == doubt


def test_a_die_that_tumbles_in_a_beam_is_one() -> None:
    pieces = in_order(high("chute_1", 5.0, 20), high("chute_1", 5.030, 20), high("chute_1", 5.055, 9))
    rested = one_of(told(chute(1), dropped(pieces, die(5.4, 2, 3))), ChuteRested)
    assert (rested.passes, rested.tumbled) == ((1, 1, 1), True)


def test_noise_is_no_die() -> None:
    noise = [edge for k in range(30) for edge in high("chute_2", 6.0 + 0.01 * k, 5)]
    assert one_of(told(chute(1), dropped(die(5.0, 1, 3), noise)), ChuteRested).passes == (1, 0, 1)


def test_a_die_that_sticks_in_a_beam_is_a_jam_until_it_is_taken_out() -> None:
    stuck = in_order(die(5.0, 1), high("chute_2", 5.3, 10_000))
    seen = told(chute(), dropped(stuck, die(6.0, 1, 3)))
    jam = one_of(seen, ChuteJammed)
    assert (jam.baffle, jam.since_ns, jam.t_ns) == (2, 5_300_000_000, 7_300_000_000)
    assert one_of(seen, ChuteCleared).baffle == 2
    assert of(seen, ChuteRested)[0].doubt == "die_jammed"
    assert not any(one.tumbled for one in of(seen, ChuteRested))


@pytest.mark.parametrize("cause", list(Loss))
@pytest.mark.parametrize("edges", [[Edge("chute_2", 0, 20 * S)], high("chute_2", 15.0, 5_000)])
def test_a_jam_in_which_changes_are_lost_is_over_once_the_beam_is_seen_free(edges: list[Edge], cause: Loss) -> None:
    broken = [*found(*LINES), Edge("chute_2", 1, 5 * S)]
    seen = told(chute(), in_order(broken, edges), [EdgesLost("chute_2", cause, 14 * S)])
    assert one_of(seen, ChuteJammed).t_ns == 7 * S
    assert one_of(seen, ChuteCleared).t_ns == 20 * S


def test_a_beam_that_sees_nothing_twice_is_dead() -> None:
    driver = chute(1)
    seen = told(driver, dropped(die(5.0, 1, 3), die(20.0, 1, 3)))
    assert (one_of(seen, SensorDead).line, one_of(seen, SensorDead).fault) == ("chute_2", "sensor_stuck")
    assert [one.doubt for one in of(seen, ChuteRested)] == ["baffles_missed", "sensor_stuck"]


def test_dice_that_never_come_are_no_run() -> None:
    assert told(chute(), found(*LINES)) == []


@pytest.mark.parametrize("cause", list(Loss))
def test_a_loss_in_the_run_is_a_doubt(cause: Loss) -> None:
    seen = told(chute(), GOOD, [EdgesLost("chute_2", cause, 5_700_000_000)])
    first = of(seen, ChuteRested)[0]
    assert (first.doubt, first.tumbled) == ("edges_lost", False)
    assert [one.fault for one in of(seen, SensorDead)] == (["sensor_missing"] if cause is Loss.UNPLUGGED else [])


def test_dice_that_fall_when_the_table_opens_are_no_tumble() -> None:
    seen = told(chute(), in_order(found(*LINES), die(0.3, 1, 2, 3), die(1.0, 1, 2, 3)))
    assert (one_of(seen, ChuteRested).joined, one_of(seen, ChuteRested).tumbled) == (True, False)


def test_a_beam_that_is_broken_when_the_table_opens_is_a_jam() -> None:
    edges = [Edge("chute_1", 0, 0), Edge("chute_2", 1, 0), Edge("chute_3", 0, 0)]
    assert one_of(told(chute(), edges), ChuteJammed).baffle == 2


def test_what_is_not_its_own_is_passed_over() -> None:
    driver = chute()
    assert driver.edges([Edge("kettle", 1, 1)]) == []
    assert driver.lost(EdgesLost("kettle", Loss.UNPLUGGED, 2)) == []
    assert driver.reading(Reading("chute_1", 1.0, 3)) == driver.frame(Frame("dice_serial", b"", 3)) == []
    assert driver.next_due_ns is None


def test_keys_that_contradict_each_other_are_refused() -> None:
    assert [key for key, _, _ in ChuteConfig(longest_ms=1000, jam_s=0.5).problems()] == ["longest_ms"]
    assert ChuteConfig().problems() == []
    with pytest.raises(ValueError, match="one die or more, not 0"):
        chute(0)


EDGES = dropped(die(5.0, 1, 2, 3), die(5.8, 1, 3), high("chute_2", 12.0, 9_000), die(30.0, 1, 2, 3))
WHOLE = told(chute(), EDGES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 60 * S), max_size=20))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, seen, rest = chute(), list[Observation](), EDGES
    for cut_ns in [*sorted(cuts), 60 * S]:
        seen += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert seen == WHOLE


@pytest.mark.parametrize(("plugged_s", "tumbled"), [(9.9, False), (6.0, True)])
def test_what_moves_right_after_a_cable_was_plugged_in_has_no_known_beginning(plugged_s: float, tumbled: bool) -> None:
    """A third die may have passed before: nobody looked. Once a rest was seen, all is known again."""
    driver = chute()
    driver.edges(found(*LINES))
    for line in LINES:
        driver.lost(EdgesLost(line, Loss.UNPLUGGED, 2 * S))
    plugged = [Edge(line, 0, round(plugged_s * S)) for line in LINES]
    seen = driver.edges(in_order(plugged, die(10.0, 1, 2, 3), die(10.8, 1, 2, 3)))
    rested = of(seen + driver.due(20 * S), ChuteRested)
    assert (rested[-1].passes, rested[-1].joined, rested[-1].tumbled) == ((2, 2, 2), not tumbled, tumbled)
