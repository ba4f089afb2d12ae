"""A live table without a calibration is shut by a fault, with one it plays, and a waiver is published."""

from __future__ import annotations

from controller.calibration.table_calibration import CalibrationState
from controller.live.live_table import LiveTable
from controller.live.wiring import Wiring
from feed import events
from hal.backends.sim import SimLines
from hal.clock import VirtualClock
from tests.tables.bench import EventList, configured
from tests.tables.money_lines import money_toml

LINES = ("wheel_a", "wheel_b", "wheel_index", "dealer_no_more_bets")


def opened(calibration: CalibrationState) -> tuple[LiveTable, EventList, VirtualClock, SimLines]:
    clock = VirtualClock(0)
    lines = SimLines(LINES)
    table = LiveTable(
        configured(money_toml()), Wiring(sources=[lines]), clock, epoch="00ff00ff00ff00ff", calibration=calibration
    )
    table.open_wires()
    return table, EventList(table.open()), clock, lines


def test_a_table_without_one_opens_no_round_and_its_fault_names_the_remedy() -> None:
    table, said, clock, lines = opened(CalibrationState("missing", "none there; run feltwire calibrate"))
    fault = said.one(events.DeviceFault)
    assert (fault.device, fault.fault, fault.blocks_play) == ("calibration", "not_calibrated", True)
    assert "feltwire calibrate" in fault.detail
    assert "round.opened" not in said.story()
    clock.advance_to(10**9)
    table.command("clear", {"device": "calibration", "by": "ann"}, "c1")
    clock.advance_to(2 * 10**9)
    lines.passed(2 * 10**9)
    assert "no calibration that fits" in str(table.tick().results)
    assert table.state == "shut"


def test_one_that_fits_says_nothing_and_a_waiver_is_published_each_time() -> None:
    _, said, _, _ = opened(CalibrationState("fits", "by ann"))
    assert said.story()[:2] == ["table.opened", "round.opened"]
    _, said, _, _ = opened(CalibrationState("waived", "waived in the file"))
    assert said.one(events.DeviceWarning).warning == "calibration_waived"
    assert "round.opened" in said.story()
