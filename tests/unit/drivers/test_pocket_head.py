"""The pocket head: which pocket passed, how near to its centre, and on how many turns in a row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.roulette.pocket_head import PocketHead, PocketPulse

POCKETS = 38
PITCH = 360 / POCKETS
TURN_NS = 4_000_000_000


def read(head: PocketHead, at_pockets: float, turn: float, *, half: float = 0.15, way: int = 1) -> PocketPulse | None:
    """The ball passes in the middle at that place (in pockets), after this many turns of the rotor."""
    rotor = -at_pockets * PITCH
    head.rise(rotor - way * half * PITCH)
    return head.fall(rotor + way * half * PITCH, 360 * turn * way, round(turn * TURN_NS))


def test_the_pocket_in_front_of_the_head_is_the_one_that_the_rotors_angle_gives() -> None:
    pulse = read(PocketHead(POCKETS, 0.0, 0.3), 9, 1.0)
    assert pulse is not None
    assert (pulse.pocket, pulse.turns) == (9, 1)
    assert pulse.off_pockets == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("head_deg", [0.0, 45.0, 210.0, -30.0])
def test_the_heads_own_angle_counts(head_deg: float) -> None:
    head = PocketHead(POCKETS, head_deg, 0.3)
    rotor = head_deg - 9 * PITCH
    head.rise(rotor - 1.0)
    pulse = head.fall(rotor + 1.0, 360.0, 0)
    assert pulse is not None
    assert pulse.pocket == 9


@pytest.mark.parametrize(("off", "pocket"), [(0.29, 9), (-0.29, 9), (0.31, None), (-0.31, None), (0.5, None)])
def test_a_ball_more_than_three_tenths_off_the_centre_names_no_pocket(off: float, pocket: int | None) -> None:
    pulse = read(PocketHead(POCKETS, 0.0, 0.3), 9 + off, 1.0)
    assert pulse is not None
    assert pulse.pocket == pocket


@pytest.mark.parametrize(("turn", "turns"), [(0.79, 1), (0.8, 2), (1.2, 2), (1.21, 1)])
def test_a_fifth_of_a_turn_more_or_less_is_the_next_turn(turn: float, turns: int) -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 0.0)
    pulse = read(head, 9, turn)
    assert pulse is not None
    assert pulse.turns == turns


def test_the_same_pocket_turn_after_turn_is_counted_up() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    assert [pulse.turns for k in range(4) if (pulse := read(head, 9, k)) is not None] == [1, 2, 3, 4]


@pytest.mark.parametrize(("turn", "before_ns"), [(1.0, 0), (1.2, 0), (1.21, None), (2.0, None)])
def test_a_pocket_that_did_not_pass_empty_since_it_was_named_says_when_that_was(
    turn: float, before_ns: int | None
) -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    first, other = read(head, 9, 0.0), read(head, 11, 0.5)
    head.forget()
    again = read(head, 9, turn)
    assert first is not None
    assert other is not None
    assert again is not None
    assert (first.before_ns, other.before_ns, again.before_ns) == (None, None, before_ns)


@pytest.mark.parametrize(
    ("turn", "way", "before_ns"), [(-1.0, -1, None), (0.0, -1, 0), (1.0, 1, 0)], ids=["back", "on the way back", "on"]
)
def test_a_pocket_has_passed_empty_where_the_rotor_turned_back_and_no_ball_was_seen(
    turn: float, way: int, before_ns: int | None
) -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 0.0)
    again = read(head, 9, turn * way, way=way)
    assert again is not None
    assert again.before_ns == before_ns


def test_a_pocket_has_passed_empty_where_the_rotor_turned_far_and_came_back() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 0.0)
    assert [read(head, 11, turn) is None for turn in (5.0, 6.0)] == [False, False]
    again = read(head, 9, 0.5)
    assert again is not None
    assert again.before_ns is None


def test_a_ball_off_the_centre_is_in_the_pocket_all_the_same_and_one_seen_since_counts() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    seen = [read(head, 9 + off, turn) for turn, off in enumerate((0.0, 0.31, 0.0))]
    assert [(one.pocket, one.before_ns) for one in seen if one is not None] == [(9, None), (None, 0), (9, TURN_NS)]


def test_another_pocket_begins_anew() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 1.0)
    read(head, 9, 2.0)
    pulse = read(head, 10, 3.0)
    assert pulse is not None
    assert (pulse.pocket, pulse.turns) == (10, 1)


def test_a_reading_off_centre_begins_anew() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 1.0)
    read(head, 9, 2.0)
    read(head, 9.45, 3.0)
    pulse = read(head, 9, 4.0)
    assert pulse is not None
    assert pulse.turns == 1


def test_a_turn_without_a_reading_begins_anew() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 1.0)
    read(head, 9, 2.0)
    pulse = read(head, 9, 4.0)
    assert pulse is not None
    assert pulse.turns == 1


def test_a_pulse_with_a_gap_in_it_is_one_reading() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 1.0)
    pulse = read(head, 9.05, 1.0002)
    assert pulse is not None
    assert pulse.turns == 1


def test_two_pockets_in_one_turn_are_no_ball_at_rest() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 1.0)
    read(head, 9, 2.0)
    other = read(head, 20, 2.3)
    assert other is not None
    assert other.turns == 1


def test_a_pulse_wider_than_two_pockets_is_no_ball_in_one() -> None:
    pulse = read(PocketHead(POCKETS, 0.0, 0.3), 9, 1.0, half=1.2)
    assert pulse is not None
    assert pulse.pocket is None


def test_without_an_angle_there_is_no_reading() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    head.rise(None)
    assert head.fall(10.0, 360.0, 0) is None
    head.rise(10.0)
    assert head.fall(None, 360.0, 0) is None
    assert head.fall(10.0, 360.0, 0) is None


def test_what_is_forgotten_does_not_count() -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    read(head, 9, 1.0)
    head.forget()
    pulse = read(head, 9, 2.0)
    assert pulse is not None
    assert pulse.turns == 1


@given(st.integers(0, POCKETS - 1), st.floats(-0.28, 0.28), st.sampled_from([1, -1]), st.integers(-5, 5))
def test_every_pocket_is_named_whichever_way_the_rotor_turns_and_however_far_it_has(
    pocket: int, off: float, way: int, turns: int
) -> None:
    head = PocketHead(POCKETS, 0.0, 0.3)
    rotor = -(pocket + off) * PITCH + 360 * turns
    head.rise(rotor - way * 1.0)
    pulse = head.fall(rotor + way * 1.0, 360.0 * turns, 0)
    assert pulse is not None
    assert pulse.pocket == pocket
    assert pulse.off_pockets == pytest.approx(off, abs=1e-6)
