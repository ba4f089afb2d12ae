"""The throw of a round of craps alone: when it begins, and which dice do not count."""

from __future__ import annotations

from controller.games.craps.throw import BoardThrow
from controller.table.phase import OPEN, RUNNING, SETTLING


def test_dice_that_move_in_an_open_round_begin_it_and_disturb_it_once_they_lay() -> None:
    throw = BoardThrow()
    assert throw.moved(5, OPEN, lie=False) == "begins"
    assert throw.moved(5, RUNNING, lie=False) is None
    assert throw.moved(5, RUNNING, lie=True) == "disturbed"


def test_how_long_dice_moved_is_known_where_the_board_saw_them_from_the_beginning() -> None:
    throw = BoardThrow()
    throw.moved(500_000_000, OPEN, lie=False)
    assert throw.moved_s is None
    throw.revealed_ns = 2_654_400_000
    assert throw.moved_s == 2.154
    throw.begin()
    throw.revealed_ns = 9_000_000_000
    assert throw.moved_s is None


def test_a_reading_of_an_unheard_throw_begins_an_open_round() -> None:
    throw = BoardThrow()
    assert not throw.read(17, OPEN)  # the first number that is read: of a throw before
    assert not throw.read(17, OPEN)
    assert throw.read(18, OPEN)
    assert not throw.read(19, RUNNING)
    assert not throw.read(None, OPEN)


def test_dice_that_moved_before_the_round_count_for_nothing() -> None:
    throw = BoardThrow()
    throw.read(17, SETTLING)
    assert throw.moved(5, SETTLING, lie=False) is None
    assert not throw.read(18, OPEN)
    assert throw.strays_lie()
    assert not throw.strays_lie()


def test_dice_of_a_void_throw_count_for_nothing_and_nobody_threw_them_early() -> None:
    throw = BoardThrow()
    throw.read(17, OPEN)
    throw.voided()
    assert not throw.read(18, OPEN)
    assert not throw.strays_lie()
    assert throw.read(19, OPEN)


def test_a_toss_keeps_the_number_of_the_throw_before() -> None:
    throw = BoardThrow()
    throw.read(17, OPEN)
    throw.tossed()
    assert throw.before == 17
