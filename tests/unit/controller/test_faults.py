"""Faults stand until a named person clears them, and cannot be cleared while their cause is there."""

from __future__ import annotations

from controller.table.faults import FaultLatch, LatchedFault

MISSING = LatchedFault("wheel", "sensor_missing", "ball_1 is not driven", True)
STUCK = LatchedFault("wheel", "sensor_stuck", "wheel_b does not move", True)
BUTTON = LatchedFault("dealer", "sensor_missing", "dealer_void is not driven", False)


def test_a_fault_is_latched_once_however_often_it_is_told() -> None:
    latch = FaultLatch()
    assert latch.latch(MISSING)
    assert not latch.latch(MISSING._replace(detail="ball_2 is not driven"))
    assert latch.standing == (MISSING,)


def test_faults_stand_in_the_order_in_which_they_came() -> None:
    latch = FaultLatch()
    for fault in (STUCK, BUTTON, MISSING):
        latch.latch(fault)
    assert latch.standing == (STUCK, BUTTON, MISSING)


def test_only_a_fault_that_blocks_play_shuts_the_table() -> None:
    latch = FaultLatch()
    latch.latch(BUTTON)
    assert not latch.blocks_play
    latch.latch(MISSING)
    assert latch.blocks_play


def test_a_fault_stays_when_its_cause_goes() -> None:
    latch = FaultLatch()
    latch.latch(MISSING)
    latch.appears("wheel", "sensor_missing", "ball_1")
    latch.goes("wheel", "ball_1")
    assert latch.standing == (MISSING,)


def test_a_fault_whose_cause_is_there_cannot_be_cleared() -> None:
    latch = FaultLatch()
    latch.latch(MISSING)
    latch.appears("wheel", "sensor_missing", "ball_1")
    assert latch.clear("wheel") == []
    assert latch.causes("wheel", "sensor_missing") == ("ball_1",)
    latch.goes("wheel", "ball_1")
    assert latch.clear("wheel") == [MISSING]
    assert latch.standing == ()


def test_every_cause_must_have_gone() -> None:
    latch = FaultLatch()
    latch.latch(MISSING)
    latch.appears("wheel", "sensor_missing", "ball_1")
    latch.appears("wheel", "sensor_missing", "ball_2")
    latch.goes("wheel", "ball_1")
    assert latch.clear("wheel") == []


def test_clearing_a_device_leaves_the_faults_of_others_and_those_whose_cause_is_there() -> None:
    latch = FaultLatch()
    for fault in (STUCK, BUTTON, MISSING):
        latch.latch(fault)
    latch.appears("wheel", "sensor_missing", "ball_1")
    assert latch.clear("wheel") == [STUCK]
    assert latch.standing == (BUTTON, MISSING)


def test_the_cause_of_one_device_does_not_go_with_that_of_another() -> None:
    latch = FaultLatch()
    latch.latch(MISSING)
    latch.appears("wheel", "sensor_missing", "x")
    latch.goes("dealer", "x")
    assert latch.causes("wheel", "sensor_missing") == ("x",)


def test_a_fault_that_was_cleared_latches_again() -> None:
    latch = FaultLatch()
    latch.latch(STUCK)
    latch.clear("wheel")
    assert latch.latch(STUCK)


def test_a_fault_that_shuts_the_table_is_not_hidden_by_one_of_the_same_name_that_does_not() -> None:
    latch = FaultLatch()
    call = BUTTON._replace(detail="dealer_no_more_bets is not driven", blocks_play=True)
    latch.latch(BUTTON)
    assert latch.latch(call)
    assert (latch.standing, latch.blocks_play) == ((call,), True)
    assert not latch.latch(BUTTON)
    assert latch.standing == (call,)
