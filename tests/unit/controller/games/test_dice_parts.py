"""What keypad and reading board report beside values, and what is done at a sic bo table beside its rounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from controller.games.dice.tossed_dice import TossedDice
from controller.games.dice.value_devices import ValueDevices
from controller.games.dice.values import DiceValues
from controller.games.sic_bo.areas import AREAS, SicBoLayout
from controller.games.sic_bo.dice_age import HOUR_NS, DiceAge
from controller.games.sic_bo.inspection import NotNowError, SicBoInspection
from controller.games.sic_bo.lit_areas import LitAreas
from controller.games.sic_bo.rules import SicBoRules
from controller.games.sic_bo.upkeep import SicBoUpkeep
from controller.rules.profile import profile
from drivers.dice.automated_shaker import AutomatedShakerConfig, ShakerActuator, TossFailed, TossLies
from drivers.dice.observations import (
    DiceEntered,
    DiceRead,
    KeypadCleared,
    KeypadShown,
    KeyRefused,
    ReaderDoubt,
    ReaderFault,
)
from drivers.lamps.lamp_board import LampActuator, LampBoardConfig, LampsRead
from tests.fakes.report_kept import KeptEvent, ReportKept

RULES = profile("njac-13:69F").text("sic_bo", SicBoRules)
S = 1_000_000_000


def test_an_empty_keypad_is_shown_only_while_dice_that_lie_are_to_be_keyed() -> None:
    report = ReportKept()
    values = DiceValues(["keypad"])
    devices = ValueDevices(values, report)
    empty = KeypadShown(t_ns=S, values=())
    assert devices.take(empty, undecided=True)
    assert report.kept == []
    values.rested(S)
    devices.take(empty, undecided=False)
    assert report.kept == []
    devices.take(empty, undecided=True)
    devices.take(KeypadShown(t_ns=S, values=(4,)), undecided=True)
    assert [one.fields for one in report.kept if isinstance(one, KeptEvent)] == [{"keyed": []}, {"keyed": [4]}]


def test_keys_that_count_for_nothing_are_warned_of_but_not_those_that_a_person_clears() -> None:
    report = ReportKept()
    devices = ValueDevices(DiceValues(["keypad"]), report)
    devices.take(KeyRefused(t_ns=S, key="7", reason="surplus", detail="three dice are keyed"), undecided=True)
    devices.take(KeypadCleared(t_ns=S, values=(1, 2), by="key"), undecided=True)
    devices.take(KeypadCleared(t_ns=S, values=(1, 2), by="time"), undecided=True)
    devices.too_early(DiceEntered(t_ns=S, dice=(1, 2), first_ns=0, entered_ns=S))
    assert report.said == ["key_surplus", "keyed_and_not_entered", "keyed_too_early"]


def test_a_board_that_changes_its_mind_has_read_nothing_and_its_fault_can_be_cleared_when_it_is_gone() -> None:
    report = ReportKept()
    values = DiceValues(["reader"])
    devices = ValueDevices(values, report)
    seen = DiceRead(t_ns=S, dice=(1, 2), lying=("flat", "flat"), total=3, throw=1, agreed=True)
    values.take_reading(seen)
    devices.take(ReaderDoubt(t_ns=S, reason="not_recognised", detail="die 1"), undecided=True)
    assert values.read == seen
    devices.take(ReaderDoubt(t_ns=S, reason="value_changed", detail="4, then 5"), undecided=True)
    assert values.read is None
    devices.take(ReaderFault(t_ns=S, active=True, detail=""), undecided=True)
    devices.take(ReaderFault(t_ns=2 * S, active=False, detail=""), undecided=True)
    assert report.said == ["reader_not_recognised", "reader_value_changed", "reader_fault now", "gone: reader"]
    assert not devices.take(seen, undecided=True)


class Upkeep:
    """The upkeep of a table with an automated shaker, and what it reports."""

    def __init__(self) -> None:
        self.report = ReportKept()
        self.areas = LitAreas(LampActuator(LampBoardConfig(), lambda lamp: AREAS[lamp - 1].name), SicBoLayout(RULES))
        self.tossed = TossedDice(ShakerActuator(AutomatedShakerConfig()), 1.5, self.report)
        self.age = DiceAge(
            24, lambda t_ns: (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=t_ns / S)).isoformat()
        )
        inspection = SicBoInspection(RULES, automated=True)
        self.upkeep = SicBoUpkeep(inspection, self.age, self.areas, self.tossed, self.report)


def test_values_are_lit_for_an_inspection_while_the_table_is_shut_and_go_dark_once_read_back() -> None:
    table = Upkeep()
    with pytest.raises(NotNowError, match="close it first"):
        table.upkeep.light((1, 2, 3), "ann", S, shut=False)
    assert table.upkeep.light((3, 1, 2), "ann", S, shut=True).startswith("8 areas are lit for 1-2-3")
    table.areas.lamps.observe(LampsRead(t_ns=2 * S, commanded=table.areas.lamps.asked))
    table.upkeep.read_back(2 * S)
    assert table.report.said == ["InspectionPassed"]
    assert table.areas.lamps.asked == frozenset()
    table.upkeep.light(None, "ann", 3 * S, shut=True)
    table.upkeep.give_up(4 * S)
    assert table.report.said[1:] == ["InspectionFailed"]


def test_a_shift_stops_the_play_until_its_last_operation() -> None:
    table = Upkeep()
    upkeep, inspection = table.upkeep, table.upkeep.inspection
    with pytest.raises(NotNowError, match="a round is on"):
        upkeep.operate("ann", S, shut=False)
    assert upkeep.begin_shift("ann", S) == "operate_shaker 3 times, then clear device=automated_shaker"
    assert table.report.said == ["CarriedStateChanged", "shift_inspection unless called"]
    assert not upkeep.may_open(2 * S)
    assert upkeep.recovery(shut=True) == [("operate_shaker", {})]
    table.report.kept.clear()
    upkeep.operate("ann", 3 * S, shut=True)
    assert not upkeep.operated(TossFailed(t_ns=4 * S, detail="it stopped"))
    table.tossed.give_up(4 * S)
    for number in range(inspection.each_shift):
        inspection.begin_operation("ann")
        assert upkeep.operated(TossLies(t_ns=(5 + number) * S))
    passed = ["InspectionPassed", "CarriedStateChanged"]
    assert table.report.said == ["InspectionFailed", *passed * 3, "gone: the operations that are missing"]
    assert upkeep.may_open(9 * S)


def test_dice_are_warned_of_before_they_are_too_old_and_stop_the_play_until_others_are_placed() -> None:
    table = Upkeep()
    upkeep = table.upkeep
    assert upkeep.may_open(0)
    upkeep.age_due(23 * HOUR_NS)
    upkeep.age_due(24 * HOUR_NS)
    assert table.report.said == ["dice_nearly_too_old", "CarriedStateChanged", "dice_too_old unless called"]
    assert not upkeep.may_open(25 * HOUR_NS)
    assert upkeep.recovery(shut=False) == [("dice_placed", {})]
    with pytest.raises(NotNowError, match="24 hours"):
        upkeep.place_dice(24.0, "ann", 25 * HOUR_NS)
    table.report.kept.clear()
    assert upkeep.place_dice(4.0, "ann", 25 * HOUR_NS) == "the dice may stay for 20 hours"
    assert table.report.said == ["CarriedStateChanged", "gone: the dice in the shaker"]
    assert upkeep.may_open(25 * HOUR_NS)
