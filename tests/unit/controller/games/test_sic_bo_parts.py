"""The parts of a sic bo round alone: lit areas, and the trials of an inspection."""

from __future__ import annotations

import pytest

from controller.games.assembly import own_time
from controller.games.sic_bo.areas import AREAS, SicBoLayout
from controller.games.sic_bo.dice_age import DiceAge
from controller.games.sic_bo.inspection import NotNowError, SicBoInspection, Trial
from controller.games.sic_bo.lit_areas import LitAreas
from controller.games.sic_bo.rules import SicBoRules
from controller.rules.profile import profile
from drivers.dice.automated_shaker import TossBegan, TossFailed, TossLies
from drivers.lamps.lamp_board import LAMPS, LampActuator, LampBoardConfig, LampsRead

RULES = profile("njac-13:69F").text("sic_bo", SicBoRules)
S = 1_000_000_000


def areas() -> LitAreas:
    return LitAreas(LampActuator(LampBoardConfig(), lambda lamp: AREAS[lamp - 1].name), SicBoLayout(RULES))


def read_back(lit: LitAreas, t_ns: int) -> None:
    lit.lamps.observe(LampsRead(t_ns=t_ns, commanded=lit.lamps.asked))


def test_a_layout_has_as_many_lamps_as_areas() -> None:
    assert len(AREAS) == LAMPS


def test_exactly_the_areas_that_win_are_lit() -> None:
    lit = areas()
    lit.light((1, 2, 3), S)
    assert lit.lamps.asked == {area.number for area in lit.layout.lit((1, 2, 3))}
    assert lit.dice == (1, 2, 3)


def test_a_round_that_a_person_called_is_settled_when_its_areas_are_read_back() -> None:
    lit = areas()
    lit.relight((4, 4, 4), S)
    assert lit.settle_refused(7, "9.6(b)") == "the areas of round 7 are not lit yet"
    read_back(lit, 2 * S)
    lit.relight((4, 4, 4), 3 * S)
    assert lit.settle_refused(7, "9.6(b)") is None
    lit.relight(None, 4 * S)
    assert lit.lamps.asked == frozenset()


def test_failed_lamps_need_a_supervisor_and_a_later_call_does_not_change_that() -> None:
    lit = areas()
    lit.light((1, 2, 3), S)
    lit.lamps.due(3 * S)
    assert lit.failure == "no read-back within 1000 ms"
    lit.settling_begins()
    assert "a supervisor settles round 7 (9.6(b))" in str(lit.settle_refused(7, "9.6(b)"))
    read_back(lit, 4 * S)
    lit.settling_begins()
    assert lit.supervised


def test_an_inspection_wants_its_values_lit_and_its_shaker_operated() -> None:
    inspection = SicBoInspection(RULES, automated=True)
    assert RULES.electrical_device.values_entered_at_opening.value == 3, "the three dice of one entry"
    assert "electrical_device" in str(inspection.lacks)
    inspection.begin_lighting("1-2-3", frozenset({1, 2, 3}), "ann")
    assert inspection.busy == "1-2-3 is being lit"
    trial = inspection.read_back(frozenset({1, 2, 3}), None)
    assert trial == Trial(True, "lamp_board", "1-2-3", "ann")
    assert RULES.automated_shaker is not None
    for number in range(RULES.automated_shaker.operations_at_opening.value):
        assert "automated_shaker" in str(inspection.lacks)
        inspection.begin_operation("ann")
        assert inspection.tossed(TossBegan(t_ns=S)) is None
        assert inspection.tossed(TossLies(t_ns=S)) == Trial(True, "automated_shaker", f"operation {number + 1}", "ann")
    assert inspection.lacks is None
    inspection.begin()
    assert inspection.lacks is not None


def test_a_trial_that_fails_or_is_broken_off_counts_for_nothing() -> None:
    inspection = SicBoInspection(RULES, automated=True)
    inspection.begin_lighting("1-2-3", frozenset({1}), "ann")
    with pytest.raises(NotNowError, match="1-2-3 is being lit"):
        inspection.begin_lighting("1-1-1", frozenset({2}), "ann")
    assert inspection.read_back(frozenset({2}), None) == Trial(
        False, "lamp_board", "1-2-3", "ann", "other lamps were asked for before these were read back"
    )
    inspection.begin_operation("bob")
    assert inspection.tossed(TossFailed(t_ns=S, detail="stalled")) == Trial(
        False, "automated_shaker", "operation", "bob", "stalled"
    )
    inspection.begin_operation("bob")
    assert [trial.passed for trial in inspection.give_up()] == [False]
    assert (inspection.lit, inspection.operations, inspection.give_up()) == ([], 0, [])


def test_a_shift_owes_its_operations_over_a_restart_too() -> None:
    inspection = SicBoInspection(RULES, automated=True)
    inspection.begin_shift()
    with pytest.raises(NotNowError, match="it has begun"):
        inspection.begin_shift()
    again = SicBoInspection(RULES, automated=True)
    again.owe(inspection.each_shift - 1)
    assert again.shift_due
    assert "operate the shaker once" in again.shift_fault("a shift begins", S).detail
    again.begin_operation("ann")
    again.tossed(TossLies(t_ns=S))
    assert again.shift_complete()
    with pytest.raises(NotNowError, match="ask for nothing"):
        SicBoInspection(RULES, automated=False).begin_shift()


def test_a_shift_whose_operations_are_complete_owes_none_after_a_restart() -> None:
    inspection = SicBoInspection(RULES, automated=True)
    for operations in (inspection.each_shift, None):
        inspection.owe(operations)
        assert not inspection.shift_due


def test_the_age_of_dice_is_restored_where_the_rules_limit_it_and_it_was_published() -> None:
    placed = "2026-01-02T20:00:00.000000Z"
    limited, unlimited, unknown = DiceAge(24, own_time), DiceAge(None, own_time), DiceAge(24, own_time)
    limited.restore(placed, placed)
    unlimited.restore(placed, placed)
    unknown.restore(None, placed)
    assert (limited.published, unlimited.published, unknown.published) == (placed, None, None)
