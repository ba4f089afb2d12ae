"""A sic bo table after a restart: what it must still know, read back from the events of before."""

from __future__ import annotations

import pytest

from feed import events
from feed.events import CarriedStateChanged
from tests.tables.sic_bo_table import NEW, OLD, SicBoBench, sic_bo_toml

H = 3600.0
AUTOMATED = "[device.automated_shaker]"
BOTH = "[device.automated_shaker]\n[device.shaker]"
SENSED = "[device.automated_shaker]\npresent_sensor = true\n[device.shaker]"


def bench(rules: str = NEW, devices: str = "", *, opens: bool = True) -> SicBoBench:
    return SicBoBench(sic_bo_toml(rules, devices=devices), opens=opens)


def standing(table: SicBoBench) -> list[tuple[str, str]]:
    return [(fault.device, fault.fault) for fault in table.table.faults.standing]


# --- the age of the dice -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("played", [False, True])
def test_the_dice_are_as_old_after_a_reboot_as_the_calendar_says(played: bool) -> None:
    table = bench()
    table.order("dice_placed by=ann age_h=20")
    if played:
        table.played().settle()
    table = table.rebooted(2.5 * H)
    assert table.table.state == "open"
    table.wait(0.4 * H)
    assert table.said.of(events.DeviceWarning) == []
    table.wait(0.2 * H)
    assert [one.warning for one in table.said.of(events.DeviceWarning)] == ["dice_nearly_too_old"]
    table.wait(1 * H)
    assert standing(table) == [("dice", "dice_too_old")]


def test_the_time_of_dice_that_nobody_placed_began_when_the_table_first_opened() -> None:
    table = bench().wait(10 * H).rebooted(10 * H).wait(3.9 * H)
    assert standing(table) == []
    assert standing(table.wait(0.2 * H)) == [("dice", "dice_too_old")]


def test_dice_that_grew_too_old_while_the_power_was_off_are_not_played_with() -> None:
    table = bench().played().settle().rebooted(25 * H)
    assert table.said.story()[:4] == ["table.opened", "void power_loss", "round.course", "device.fault dice_too_old"]
    assert table.said.of(events.RoundOpened) == []
    assert "stays, because of" in table.order("clear device=dice by=ann").reason
    assert table.order("dice_placed by=ann").accepted
    assert table.order("clear device=dice by=ann").accepted
    assert table.played().said.verdicts()[-1] == "4-2-1"


def test_a_closed_table_tells_of_old_dice_before_anybody_opens_it() -> None:
    table = bench()
    table.order("close reason=night by=ann force=true")
    table = table.rebooted(30 * H)
    assert (table.table.state, standing(table)) == ("closed", [("dice", "dice_too_old")])
    assert "stays, because of" in table.order("clear device=dice by=ann").reason
    table.order("dice_placed by=ann")
    assert table.order("clear device=dice by=ann").accepted


def test_dice_nearly_too_old_are_told_again_after_a_restart() -> None:
    table = bench()
    table.order("dice_placed by=ann age_h=23.5")
    table = table.rebooted(60)
    assert [one.warning for one in table.said.of(events.DeviceWarning)] == ["dice_nearly_too_old"]
    assert standing(table.wait(0.5 * H)) == [("dice", "dice_too_old")]


@pytest.mark.parametrize("hours", [1, 100])
def test_where_the_calendar_is_before_the_last_event_the_dice_count_as_too_old(hours: float) -> None:
    table = bench().wait(60).rebooted(H, calendar_s=-hours * H - 70)
    fault = table.said.one(events.DeviceFault)
    assert (fault.fault, table.table.state) == ("dice_too_old", "shut")
    assert "the calendar is before the last event" in fault.detail
    assert not table.order("clear device=dice by=ann").accepted
    again = table.rebooted(H, calendar_s=hours * H)
    assert not again.order("clear device=dice by=ann").accepted, "a calendar that is right again makes no dice young"
    again.order("dice_placed by=ann age_h=2")
    assert again.order("clear device=dice by=ann").accepted


def test_a_calendar_that_is_set_forward_after_the_start_makes_the_dice_older() -> None:
    table = bench().played().settle().rebooted(60, calendar_s=0)
    table.calendar_ns += round(30 * H * 1e9)
    table.played().settle()
    assert standing(table) == [("dice", "dice_too_old")]
    assert table.table.state == "shut"


def test_a_calendar_that_is_set_back_makes_no_dice_younger() -> None:
    table = bench()
    table.order("dice_placed by=ann age_h=22")
    table = table.rebooted(60)
    table.calendar_ns -= round(5 * H * 1e9)
    table.played().settle().wait(2 * H)
    assert standing(table) == [("dice", "dice_too_old")]


def test_dice_are_not_taken_for_young_while_nobody_knows_how_long_the_power_was_off() -> None:
    """A Pi starts with the time of its last shutdown: 20 hours without power look like none."""
    table = bench()
    table.order("dice_placed by=ann age_h=10")
    table = table.rebooted(20 * H, calendar_s=-20 * H, calendar_is_set=False)
    assert (table.table.state, standing(table)) == ("shut", [("dice", "dice_too_old")])
    fault = table.said.one(events.DeviceFault)
    assert "not known to be set" in fault.detail
    assert "stays, because of" in table.order("clear device=dice by=ann").reason
    assert table.order("dice_placed by=ann age_h=20").accepted, "a supervisor's record"
    assert table.order("clear device=dice by=ann").accepted
    table.wait(3.9 * H)
    assert standing(table) == []
    assert standing(table.wait(0.2 * H)) == [("dice", "dice_too_old")], "the steady clock counts from there"


def test_what_is_told_by_a_calendar_that_is_not_set_makes_no_dice_younger_after_the_next_start() -> None:
    table = bench().rebooted(calendar_is_set=False)
    table.calendar_ns += round(100 * H * 1e9)
    table.order("dice_placed by=ann age_h=1")
    table.order("clear device=dice by=ann")
    table = table.rebooted(H)
    assert standing(table) == [("dice", "dice_too_old")], "that calendar was ahead by 100 hours, perhaps"


def test_dice_placed_before_the_calendar_was_set_are_known_once_it_is() -> None:
    table = bench().rebooted(calendar_is_set=False)
    table.order("dice_placed by=ann age_h=1")
    table.order("clear device=dice by=ann")
    table.calendar_is_set = True
    table.played().settle()
    table = table.rebooted(22 * H)
    assert standing(table) == []
    assert standing(table.wait(1.1 * H)) == [("dice", "dice_too_old")]


def test_a_fault_of_old_dice_cannot_be_cleared_after_a_restart_until_others_are_placed() -> None:
    table = bench()
    table.order("dice_placed by=ann age_h=23.9")
    table = table.wait(H).rebooted().rebooted()
    assert standing(table) == [("dice", "dice_too_old")]
    assert "stays, because of" in table.order("clear device=dice by=ann").reason
    table.order("dice_placed by=ann")
    table = table.rebooted()
    assert standing(table) == [("dice", "dice_too_old")]
    assert table.order("clear device=dice by=ann").accepted
    assert table.played().said.verdicts()[-1] == "4-2-1"


def test_what_an_older_version_did_not_tell_is_not_taken_for_young_dice() -> None:
    table = bench().played().settle()
    state = table.journalled()
    state.course = None
    state._rounds.clear()
    table = SicBoBench(table.text, before=state, calendar_ns=table.calendar_ns + table.now_ns, epoch="again")
    assert standing(table) == [("dice", "dice_too_old")]
    assert "nobody has stated how old" in table.said.one(events.DeviceFault).detail


@pytest.mark.parametrize("told", [{"dice_placed": 4}, {"dice_placed": "yesterday"}, {"dice_placed": "2026-01-01"}, 4])
def test_a_course_that_cannot_be_read_is_not_taken_for_young_dice(told: object) -> None:
    state = bench().journalled()
    state.course = told  # type: ignore[assignment]
    table = SicBoBench(before=state, epoch="again")
    assert standing(table) == [("dice", "dice_too_old")]


def test_the_old_text_sets_no_limit_after_a_restart_either() -> None:
    table = bench(OLD).played().settle().rebooted(100 * H)
    assert (table.table.state, standing(table)) == ("open", [])
    assert table.said.of(CarriedStateChanged) == []
    assert table.said.one(events.RoundOpened).course is None


# --- the operations of a shift -------------------------------------------------------------------------------------


def operated(table: SicBoBench, times: int) -> SicBoBench:
    for _ in range(times):
        assert table.order("operate_shaker by=ann").accepted
        table.wait(13)
    return table


@pytest.mark.parametrize("done", [0, 1, 2])
def test_a_shift_still_owes_after_a_restart_what_it_owed_before(done: int) -> None:
    table = bench(devices=AUTOMATED)
    table.order("shift_begins by=ann")
    table = operated(table, done).rebooted()
    assert standing(table) == [("automated_shaker", "shift_inspection")]
    for _ in range(3 - done):
        assert "stays, because of" in table.order("clear device=automated_shaker by=ann").reason
        operated(table, 1)
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.table.state == "open"
    assert table.rebooted().table.state == "open"


def test_a_shift_whose_operations_are_complete_may_be_cleared_after_a_restart() -> None:
    table = bench(devices=AUTOMATED)
    table.order("shift_begins by=ann")
    table = operated(table, 3).rebooted()
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.table.state == "open"


def test_a_shift_that_waited_for_the_round_stops_the_play_after_a_restart() -> None:
    table = bench(devices=AUTOMATED).call()
    assert "when round 1 is over" in table.order("shift_begins by=ann").reason
    table = table.rebooted()
    assert table.said.verdicts() == ["void power_loss"]
    assert standing(table) == [("automated_shaker", "shift_inspection")]
    assert table.said.of(events.RoundOpened) == []
    assert operated(table, 3).order("clear device=automated_shaker by=ann").accepted
    assert table.table.state == "open"


def test_a_failure_of_the_shaker_goes_on_over_a_restart_while_its_line_says_so() -> None:
    table = bench(devices=AUTOMATED).level("shaker_fault", 1)
    table = table.rebooted().level("shaker_fault", 1)
    assert standing(table) == [("automated_shaker", "shaker_failed")]
    assert "stays, because of" in table.order("clear device=automated_shaker by=ann").reason
    assert table.level("shaker_fault", 0).order("clear device=automated_shaker by=ann").accepted


# --- the automated shaker on the table -----------------------------------------------------------------------------


@pytest.mark.parametrize("played", [False, True])
def test_a_shaker_that_a_supervisor_removed_is_still_removed_after_a_restart(played: bool) -> None:
    table = bench(devices=BOTH)
    table.order("shaker_removed by=ann")
    said = table.said.one(CarriedStateChanged)
    assert (said.act, said.by, said.course["shaker_removed"]) == ("shaker_removed", "ann", True)
    if played:
        table.played().settle()
    table = table.rebooted()
    assert table.played().said.verdicts()[-1] == "4-2-1"
    table.settle().order("shaker_placed by=ann")
    table = table.rebooted()
    assert table.game.tossed is not None
    assert table.game.tossed.present
    assert table.call().cover().shake().said.verdicts()[-1] == "void shaker_not_removed"


def test_where_a_sensor_says_it_no_order_is_remembered() -> None:
    table = bench(devices=SENSED).level("automated_shaker_present", 1).level("automated_shaker_present", 0)
    assert table.said.of(CarriedStateChanged) == []
    table = table.rebooted()
    assert table.game.tossed is not None
    assert table.game.tossed.present, "until the sensor says otherwise"


# --- the lamps -----------------------------------------------------------------------------------------------------


def failed(table: SicBoBench) -> SicBoBench:
    table.played()
    table.order("settle_attended by=ann")
    assert standing(table) == [("lamp_board", "lamps_failed")]
    return table


def test_a_dead_lamp_keeps_its_fault_over_a_restart_until_it_lights() -> None:
    table = bench()
    table.answers.dead = {28}
    failed(table)
    after = table.rebooted().wait(10)
    assert "stays, because of" in after.order("clear device=lamp_board by=ann").reason
    assert after.answers.asked[-1] == {28}
    after.answers.dead = set()
    after.wait(10)
    assert after.lit == set()
    assert after.order("clear device=lamp_board by=ann").accepted
    assert after.played().said.verdicts()[-1] == "4-2-1"


def test_a_stuck_lamp_keeps_its_fault_over_a_restart_until_it_goes_dark() -> None:
    table = bench().shaken()
    table.answers.stuck = {7}
    table.key("4-2-1")
    table.order("settle_attended by=ann")
    after = table.rebooted().wait(10)
    assert "stays, because of" in after.order("clear device=lamp_board by=ann").reason
    after.answers.stuck = set()
    after.wait(10)
    assert after.order("clear device=lamp_board by=ann").accepted


def test_every_lamp_is_lit_and_dark_once_before_a_failure_of_before_is_mended() -> None:
    table = bench()
    table.answers.dead = {28}
    failed(table).answers.dead = set()
    after = table.rebooted()
    assert after.answers.asked[:2] == [frozenset(range(1, 51)), frozenset()]
    assert after.order("clear device=lamp_board by=ann").accepted


def test_a_chain_that_is_silent_after_the_restart_keeps_the_fault() -> None:
    table = bench()
    table.answers.silent = True
    table.call().wait(3)
    assert standing(table) == [("lamp_board", "lamps_failed")]
    after = table.rebooted().wait(5)
    assert "stays, because of" in after.order("clear device=lamp_board by=ann").reason
    after.answers.silent = False
    after.wait(8)
    assert after.order("clear device=lamp_board by=ann").accepted


# --- what begins again ----------------------------------------------------------------------------------------------


def test_an_inspection_that_was_under_way_begins_anew() -> None:
    table = bench(opens=False)
    table.order("inspect_start device=shaker by=ann")
    for dice in ("1-2-3", "4-4-4"):
        table.order(f"inspect_dice dice={dice} by=ann")
        table.wait(1)
    after = table.rebooted()
    assert after.table.state == "closed"
    after.order("inspect_start device=shaker by=ann")
    assert "0 of 3 values" in after.order("inspect_pass device=shaker checks=electrical_device by=ann").reason
