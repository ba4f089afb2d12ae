"""What a sic bo table does about each requirement of 19:47-9 and 13:69F-9; names are the ids of docs/coverage.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import pytest

from controller.games.assembly import table_for
from controller.games.load import check_text
from controller.games.sic_bo.areas import AREAS
from controller.games.sic_bo.rules import SicBoRules
from controller.live.output_faults import OutputFaults
from controller.rules.profile import profile
from feed import events
from hal.lines import LineError
from hal.loop import VirtualLoop
from hal.outputs import Outputs, OutputSpec
from hal.values import Edge
from tests.oracle.dice import THREE_DICE, sic_bo, sic_bo_areas
from tests.tables.bench import configured
from tests.tables.sic_bo_table import MS, NEW, OLD, S, SicBoBench, sic_bo_toml

AUTOMATED = "[device.automated_shaker]"
BOTH = "[device.automated_shaker]\n[device.shaker]"
SENSED = "[device.automated_shaker]\npresent_sensor = true\n[device.shaker]"
FAILS = "13:69F-9.6(c)"
RULES = pytest.mark.parametrize("rules", [OLD, NEW])
OPENED = ["table.opened", "round.opened"]


def bench(rules: str = NEW, devices: str = "", game: str = "") -> SicBoBench:
    return SicBoBench(sic_bo_toml(rules, devices=devices, game=game))


def areas(*names: str) -> frozenset[int]:
    """The lamps of areas, by their names."""
    return frozenset(area.number for area in AREAS if area.name in names)


# --- a round -------------------------------------------------------------------------------------------------------


@RULES
def test_s8_covered_shaken_three_times_uncovered_and_entered_is_a_round(rules: str) -> None:
    table = bench(rules).played("4-2-1")
    assert table.said.story() == [*OPENED, "round.no_more_bets dealer", "round.started", "4-2-1"]
    outcome = table.said.one(events.Outcome)
    assert outcome.rule == ("19:47-9.3(c)" if rules == OLD else "13:69F-9.3(c)")
    assert outcome.result == {"dice": [4, 2, 1], "total": 7}
    assert outcome.evidence.tumbles is not None
    assert (outcome.evidence.tumbles[0].shakes, outcome.evidence.tumbles[0].minimum_shakes) == (3, 3)
    assert outcome.evidence.tumbles[0].keyed == [4, 2, 1]
    table.settle()
    assert table.said.story()[-2:] == ["round.settled dealer", "round.opened"]


@pytest.mark.parametrize("shakes", [1, 2])
def test_s8_two_shakes_are_too_few(shakes: int) -> None:
    table = bench().shaken(shakes)
    assert table.said.verdicts() == ["void too_few_shakes"]
    assert table.said.one(events.Void).rule == "13:69F-9.5(d)1"
    assert table.played().said.verdicts() == ["void too_few_shakes", "4-2-1"]


def test_s8_shakes_that_a_pause_parts_are_not_added_up() -> None:
    table = bench().call().cover().shake(2).wait(2.5).shake(2).wait(2.5).uncover()
    assert table.said.verdicts() == ["void too_few_shakes"]


def test_s8_shaken_too_seldom_and_then_often_enough_before_it_is_uncovered_counts() -> None:
    assert bench().call().cover().shake(2).wait(2.5).shake(3).wait(2.5).uncover().key("1-1-2").said.verdicts() == [
        "1-1-2"
    ]


def test_s8_covered_and_uncovered_without_a_shake_is_too_few() -> None:
    assert bench().call().cover().wait(1).uncover().said.verdicts() == ["void too_few_shakes"]


def test_s8_shaken_without_its_cover_is_void() -> None:
    assert bench().call().shake(4).wait(2.5).said.verdicts() == ["void shaken_uncovered"]


def test_s8_uncovered_before_the_dice_lie_is_void() -> None:
    assert bench().call().cover().shake(4).uncover().wait(3).said.verdicts() == ["void shaken_uncovered"]


@pytest.mark.parametrize(
    ("shaking", "reason"),
    [
        # Three shakes under the cover are what the text wants: that no pause parts them, and that the cover stays on
        # for some time after the last, is the house's.
        (lambda table: table.cover().shake(2).wait(2.5).shake(2).wait(2.5).uncover(), "too_few_shakes"),
        (lambda table: table.cover().shake(4).uncover().wait(3), "shaken_uncovered"),
        (lambda table: table.cover().shake(3).wait(0.5).uncover().wait(0.5).shake(1).wait(3), "shaken_uncovered"),
    ],
)
@RULES
def test_s8_what_the_text_lets_pass_is_refused_by_the_house(
    rules: str, shaking: Callable[[SicBoBench], SicBoBench], reason: str
) -> None:
    void = shaking(bench(rules).call()).said.one(events.Void)
    assert (void.reason, void.rule) == (reason, "ours")


@pytest.mark.parametrize("shakes", [0, 1, 2])
def test_s8_uncovered_before_the_dice_lie_after_too_few_shakes_is_refused_by_the_rule(shakes: int) -> None:
    table = bench(OLD).call()
    table = table.cover().shake(shakes).uncover().wait(3) if shakes else table.shake(4).wait(2.5)
    assert table.said.one(events.Void).rule == "19:47-9.5(c)"


def test_s8_a_house_may_want_more_shakes_and_refuses_fewer_in_its_own_name() -> None:
    five = "[device.shaker]\nminimum_shakes = 5"
    void = bench(devices=five).shaken(4).said.one(events.Void)
    assert (void.reason, void.rule) == ("too_few_shakes", "ours")
    assert [tumble.minimum_shakes for tumble in void.evidence.tumbles or ()] == [5]
    assert bench(devices=five).shaken(2).said.one(events.Void).rule == "13:69F-9.5(d)1"
    assert bench(devices=five).shaken(5).key("4-2-1").said.verdicts() == ["4-2-1"]


def test_s8_a_cover_that_is_on_at_the_call_is_a_violation() -> None:
    table = bench().cover().call().shake(3).wait(2.5).uncover().key("6-5-4")
    violation = table.said.one(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("covered_before_no_more_bets", "13:69F-9.5(d)1")
    assert table.said.verdicts() == ["6-5-4"]


@RULES
def test_s7_shaken_before_the_call_is_void(rules: str) -> None:
    table = bench(rules).cover().shake(1)
    assert table.said.verdicts() == ["void shaken_before_no_more_bets"]
    assert table.said.one(events.Void).evidence.no_more_bets == "never"


def test_s7_a_call_after_the_first_shake_is_too_late() -> None:
    table = bench().cover()
    table.level("shake", 1, 0.001).pulse("dealer_no_more_bets", 0.05, 0.0).level("shake", 0, 0.3)
    assert table.said.verdicts() == ["void shaken_before_no_more_bets"]
    assert table.said.one(events.Void).evidence.no_more_bets == "late"


@pytest.mark.parametrize(("before_ns", "verdicts"), [(0, []), (1, ["void shaken_before_no_more_bets"])])
def test_s7_a_shake_at_the_very_time_of_the_call_is_not_before_it(before_ns: int, verdicts: list[str]) -> None:
    table = bench().cover()
    at_ns = table.now_ns + MS
    closed = [Edge("shake", 1, at_ns - before_ns), Edge("dealer_no_more_bets", 1, at_ns)]
    opened = [Edge("shake", 0, at_ns + 9 * MS), Edge("dealer_no_more_bets", 0, at_ns + 100 * MS)]
    table._feed([*closed, *opened], [], at_ns + S)
    assert table.said.verdicts() == verdicts


def test_s7_at_a_table_without_a_dealers_call_the_cover_closes_the_bets() -> None:
    text = sic_bo_toml(table='no_more_bets = "auto"').replace("'dealer_no_more_bets', ", "")
    table = SicBoBench(text).cover()
    assert table.said.story()[-1] == "round.no_more_bets auto"


def test_s7_the_automated_shaker_is_not_started_before_the_call() -> None:
    table = bench(devices=AUTOMATED).wait(30)
    assert not [event for event in table.said if event.data.kind == "round.started"]
    table.call().wait(2)
    assert table.said.story()[-2:] == ["round.no_more_bets dealer", "round.started"]


def test_s7_a_shaking_that_began_before_the_last_round_was_settled_is_not_the_next_ones() -> None:
    table = bench().played().cover().shake(1).pulse("dealer_settled", 0.05, 0.1)
    assert table.said.verdicts() == ["4-2-1", "void shaken_before_no_more_bets"]


# --- values and lamps ----------------------------------------------------------------------------------------------


def test_s1_as_many_values_as_there_are_dice_are_entered_and_no_other_number() -> None:
    table = bench().shaken().key("4-2")
    assert table.said.verdicts() == []
    table.pulse("key_clear").key("4-2-1")
    assert table.said.verdicts() == ["4-2-1"]


def test_s9_values_that_were_keyed_before_the_cover_came_off_count_for_nothing() -> None:
    table = bench().call().cover().shake(3).key("6-6-6", enter=False).wait(2.5).uncover().pulse("key_enter")
    assert table.said.verdicts() == []
    assert [warning.warning for warning in table.said.of(events.DeviceWarning)] == ["keyed_too_early"]
    assert table.key("4-2-1").said.verdicts() == ["4-2-1"]


def test_s9_exactly_the_areas_that_win_are_lit() -> None:
    table = bench().played("2-5-5")
    assert table.lit == areas(
        "two of a kind 5", "total value of 12", "two dice 2-5", "big", "one of a kind 2", "one of a kind 5"
    )


def test_s10_there_is_no_outcome_and_no_settling_before_the_areas_are_read_back() -> None:
    table = bench().shaken()
    table.answers.silent = True
    table.key("4-2-1")
    assert table.said.verdicts() == []
    answer = table.order("settle")
    assert (answer.accepted, answer.reason) == (False, "settle: round 1 has no verdict yet")
    table.answers.read_back(table.now_ns + S // 10)
    assert table.wait(0.2).said.verdicts() == ["4-2-1"]


def test_s10_an_unresolved_round_is_called_and_lit_before_it_is_settled() -> None:
    table = bench().shaken().wait(2).pulse("shake", 0.01)
    assert table.said.verdicts() == ["unresolved dice_disturbed"]
    assert "call it first" in table.order("settle").reason
    assert table.settle().said.of(events.Settled) == []
    assert table.order("correct round=1 dice=3-3-4 by=ann why=seen").accepted
    assert table.lit == areas("two of a kind 3", "total value of 10", "two dice 3-4", "small", "one of a kind 3",
                              "one of a kind 4")  # fmt: skip
    assert len(table.settle().said.of(events.Settled)) == 1


def test_a_wrongly_keyed_value_is_corrected_and_its_areas_are_lit_instead() -> None:
    table = bench().played("4-2-1")
    assert table.order("correct round=1 dice=4-2-2 by=ann why=keyed wrongly").accepted
    assert table.said.one(events.Outcome).result["dice"] == [4, 2, 1]
    corrected = table.said.one(events.RoundCorrected)
    assert corrected.to.result == {"dice": [4, 2, 2], "total": 8}
    assert {AREAS[lamp - 1].name for lamp in table.lit} == {bet.bet for bet in corrected.winning}
    assert corrected.notices == []


def test_areas_are_not_lit_for_a_round_that_is_corrected_after_it_was_settled_as_the_notice_states() -> None:
    table = bench().played("4-2-1")
    assert table.order("close reason=late by=ann").accepted
    assert len(table.said.of(events.Settled)) == 1
    assert table.order("correct round=1 dice=4-2-2 by=ann why=keyed wrongly").accepted
    (notice,) = table.said.one(events.RoundCorrected).notices
    assert notice.startswith("areas_not_lit: round 1 is over")
    assert table.lit == frozenset()


def test_s12_the_lamps_go_dark_when_the_bets_are_settled_and_not_before() -> None:
    table = bench().played().wait(60)
    assert table.lit
    table.settle()
    assert not table.lit


def test_s12_lamps_that_go_dark_before_the_bets_are_settled_are_a_violation_and_lit_again() -> None:
    table = bench().played("4-2-1")
    lit = table.lit
    table.answers.told = frozenset()
    table.answers.read_back(table.now_ns + S // 10)
    table.wait(1)
    violation = table.said.one(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("lamps_cleared_before_paid", "13:69F-9.5(g)")
    assert table.lit == lit
    assert not table.table.faults.standing


@RULES
def test_s11_the_cover_put_back_before_the_bets_are_paid_is_a_violation(rules: str) -> None:
    table = bench(rules).played().cover().uncover().cover()
    violation = table.said.one(events.ProcedureViolation)
    assert violation.reason == "covered_before_paid"
    assert violation.rule == profile(rules).text("sic_bo", SicBoRules).manual_shaker.uncovered_until.cite


def test_s11_the_cover_may_go_on_after_the_bets_are_paid() -> None:
    assert bench().played().settle().cover().said.of(events.ProcedureViolation) == []


@pytest.mark.parametrize(("rules", "call"), [(OLD, "No Roll"), (NEW, "No roll")])
def test_s13_dice_that_do_not_lie_flat_are_no_roll(rules: str, call: str) -> None:
    table = bench(rules).shaken()
    assert table.order("void reason=dice_not_flat why=leans on the rim by=bob").accepted
    void = table.said.one(events.Void)
    assert (void.reason, void.call) == ("dice_not_flat", call)
    assert table.played().said.verdicts()[-1] == "4-2-1"


# --- the lamps fail ------------------------------------------------------------------------------------------------


@RULES
def test_s14_a_lamp_that_is_dead_after_the_reveal_a_supervisor_settles_and_play_ceases(rules: str) -> None:
    table = bench(rules).shaken()
    table.answers.dead = {33}  # two dice 2-3
    table.key("2-3-6")
    assert table.said.verdicts() == ["2-3-6"]
    fault = table.said.one(events.DeviceFault)
    assert (fault.device, fault.fault, fault.detail) == ("lamp_board", "lamps_failed", "two dice 2-3, lamp 33, is dead")
    assert "lamps_failed" in table.said.one(events.Outcome).notices[0]
    assert table.said.one(events.Outcome).rule == ("19:47-9.6(b)" if rules == OLD else "13:69F-9.6(b)")
    table.settle()
    assert table.said.of(events.Settled) == []
    assert "a supervisor settles round 1" in table.order("settle").reason
    assert table.order("settle_attended by=ann").accepted
    assert table.said.one(events.Settled).by == "supervisor"
    assert table.table.state == "shut"
    assert "because of the lamps" in table.order("clear device=lamp_board by=ann").reason
    table.answers.dead = set()
    table.wait(3)
    assert table.order("clear device=lamp_board by=ann").accepted
    assert table.played("1-2-2").said.verdicts()[-1] == "1-2-2"


def test_s14_the_supervisors_key_settles_the_round_too() -> None:
    table = bench().shaken()
    table.answers.dead = {33}
    table.key("2-3-6").pulse("supervisor_key")
    assert table.said.one(events.Settled).by == "supervisor_key"
    assert table.table.state == "shut"
    table.answers.dead = set()
    table.wait(3).pulse("supervisor_key")
    assert table.table.state == "open"


def test_s14_a_chain_that_falls_silent_between_the_reveal_and_the_entry_does_not_void_the_round() -> None:
    table = bench().shaken().lose("lamps")
    table.answers.silent = True
    table.wait(2).key("4-2-1")
    assert table.said.verdicts() == ["4-2-1"]
    assert table.table.faults.blocks_play


def test_s14_a_lamp_that_dies_while_the_bets_are_paid_asks_for_the_supervisor() -> None:
    table = bench().played("2-3-6")
    table.answers.dead = {33}
    table.wait(3).settle()
    assert table.said.of(events.Settled) == []
    assert table.said.one(events.DeviceFault).fault == "lamps_failed"


def test_s14_a_lamp_that_is_lit_and_should_not_be_is_named() -> None:
    table = bench().shaken()
    table.answers.stuck = {44}
    table.key("4-2-1")
    assert table.said.one(events.DeviceFault).detail == "big, lamp 44, is stuck"


def test_s14_lamps_that_fail_before_the_reveal_void_the_round() -> None:
    table = bench()
    table.answers.silent = True
    table.call().cover().shake(3).wait(2)
    assert table.said.verdicts() == ["void lamps_failed_before_reveal"]
    assert table.said.one(events.Void).call == "Round void"
    assert table.table.state == "shut"
    table.answers.silent = False
    table.wait(3)
    assert table.order("clear device=lamp_board by=ann").accepted
    assert table.wait(1).uncover().played().said.verdicts()[-1] == "4-2-1"


# --- the automated shaker ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("control", ["lines", "serial"])
def test_s3_the_new_text_knows_an_automated_shaker(control: str) -> None:
    table = bench(devices=f'{AUTOMATED}\ncontrol = "{control}"').call().wait(16).key("1-2-3")
    assert table.said.verdicts() == ["1-2-3"]
    assert table.answers.lines_on == set()


def test_s3_the_old_text_knows_none() -> None:
    report = check_text(sic_bo_toml(OLD, devices=AUTOMATED))
    assert [problem.key for problem in report.errors] == ["device.automated_shaker"]
    assert "knows no automated shaker" in report.errors[0].wrong


@pytest.mark.parametrize(
    ("control", "fault", "rule"),
    [
        ("lines", "no_start", FAILS),
        ("lines", "fails", FAILS),
        ("serial", "no_start", FAILS),
        ("serial", "fails", FAILS),
        # Times of the house, and an answer that cannot be read, are not a failure of the shaker by the text.
        ("lines", "stops_early", "ours"),
        ("lines", "never_stops", "ours"),
        ("serial", "garbled", "ours"),
    ],
)
def test_s15_a_shaker_that_fails_when_activated_voids_the_round(control: str, fault: str, rule: str) -> None:
    table = bench(devices=f'{AUTOMATED}\ncontrol = "{control}"')
    assert table.answers.tosser is not None
    table.answers.tosser.plan(fault, (1, 2, 3), 5.0, 0.0)
    table.call().wait(35)
    void = table.said.one(events.Void)
    assert (void.reason, void.call, void.rule) == ("shaker_failed", "Round void", rule)
    assert table.said.one(events.DeviceFault).device == "automated_shaker"
    assert table.answers.lines_on == set()
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.call().wait(16).key("1-2-3").said.verdicts()[-1] == "1-2-3"


@pytest.mark.parametrize("keys", ["shortest_s = 8", "longest_s = 3"])
def test_s15_a_time_that_the_house_asks_for_is_not_refused_by_the_text(keys: str) -> None:
    table = bench(devices=f"{AUTOMATED}\n{keys}").call().wait(20)
    void = table.said.one(events.Void)
    assert (void.reason, void.rule) == ("shaker_failed", "ours")
    assert bench(devices=AUTOMATED).call().wait(20).said.verdicts() == []


def test_s15_a_shaker_that_is_taken_away_in_its_toss_has_not_failed_by_the_text() -> None:
    table = bench(devices=SENSED).level("automated_shaker_present", 1).call().wait(3)
    table.level("automated_shaker_present", 0)
    void = table.said.one(events.Void)
    assert (void.reason, void.rule) == ("shaker_failed", "ours")
    assert "taken from the table" in void.evidence.detail


def test_s15_a_lost_line_in_the_toss_is_a_doubt_of_the_house() -> None:
    void = bench(devices=AUTOMATED).call().wait(3).lose("shaker_busy").wait(1).said.one(events.Void)
    assert (void.reason, void.rule) == ("shaker_failed", "ours")


@pytest.mark.parametrize("called", [False, True])
def test_s15_a_shaker_that_nobody_has_activated_does_not_fail_by_the_text(called: bool) -> None:
    table = bench(devices=AUTOMATED, game="activate_after_s = 20")
    table = table.call() if called else table
    void = table.level("shaker_fault", 1).said.one(events.Void)
    assert (void.reason, void.rule) == ("shaker_failed", "ours")


@pytest.mark.parametrize(("called", "reason"), [(False, "shaken_before_no_more_bets"), (True, "shaker_failed")])
def test_s15_an_unasked_toss_that_nobody_had_activated_is_refused_by_the_house(called: bool, reason: str) -> None:
    table = bench(devices=AUTOMATED, game="activate_after_s = 20")
    table = table.call() if called else table
    void = table.level("shaker_busy", 1).said.one(events.Void)
    assert (void.reason, void.rule) == (reason, "ours")


class Unwritable:
    """Wires that can be set to 0 alone."""

    def open(self, wires: Mapping[str, float]) -> None: ...

    def write(self, name: str, wire: float) -> None:
        if wire:
            raise OSError("the chip is gone")

    def close(self) -> None: ...


@pytest.mark.parametrize(("cleared", "rule"), [(False, "ours"), (True, FAILS)])
def test_a_shaker_whose_start_output_is_refused_was_never_activated(cleared: bool, rule: str) -> None:
    table = bench(devices=AUTOMATED)
    assert table.answers.tosser is not None
    table.answers.tosser.plan("no_start", (1, 2, 3), 5.0, 0.0)
    loop = VirtualLoop()
    outputs = Outputs([OutputSpec("shaker_start", 22, kind="signal")], Unwritable(), loop.clock, loop=loop)
    outputs.open()
    with pytest.raises(LineError):
        outputs.show("shaker_start", 1.0)
    faults = OutputFaults(configured(sic_bo_toml(devices=AUTOMATED)), [outputs])
    table.said += faults.report(table.table, table.now_ns)
    assert table.said.one(events.DeviceFault).fault == "output_refused"
    if cleared:
        assert table.order("clear device=automated_shaker by=ann").accepted
        faults.report(table.table, table.now_ns)
    loop.close()
    void = table.call().wait(10).said.one(events.Void)
    assert (void.reason, void.rule) == ("shaker_failed", rule)


def test_s15_a_shaker_that_tosses_again_in_its_toss_malfunctions() -> None:
    table = bench(devices=f"{AUTOMATED}\nrest_s = 10").call().wait(8.5)
    void = table.level("shaker_busy", 1).said.one(events.Void)
    assert (void.reason, void.rule) == ("shaker_failed", FAILS)


def test_open_bets_that_go_back_for_a_fault_are_voided_by_the_house() -> None:
    table = bench()
    assert table.order("dice_placed by=ann age_h=23.9").accepted
    void = table.wait(3600).said.one(events.Void)
    assert (void.reason, void.rule) == ("dice_too_old", "ours")
    put_back = bench(devices=SENSED).level("automated_shaker_present", 0).level("shaker_fault", 1)
    void = put_back.level("automated_shaker_present", 1).said.one(events.Void)
    assert (void.reason, void.rule) == ("shaker_failed", "ours")


def test_what_a_serial_shaker_says_of_its_dice_must_be_what_is_entered() -> None:
    table = bench(devices=f'{AUTOMATED}\ncontrol = "serial"').call().wait(16).key("1-2-4")
    assert table.said.verdicts() == ["unresolved values_disagree"]
    assert [one["dice"] for one in table.said.one(events.Unresolved).candidates] == [[1, 2, 4], [1, 2, 3]]


def test_s16_the_automated_shaker_is_removed_before_a_manual_one_is_used() -> None:
    table = bench(devices=BOTH, game="activate_after_s = 20").call().cover().shake(1)
    assert table.said.verdicts() == ["void shaker_not_removed"]
    table.shake(2).wait(2.5).uncover()
    assert table.order("shaker_removed by=ann").accepted
    assert table.played().said.verdicts()[-1] == "4-2-1"


def test_s16_a_sensor_says_whether_it_was_removed() -> None:
    table = bench(devices=SENSED, game="activate_after_s = 20").level("automated_shaker_present", 1)
    assert "its sensor reports" in table.order("shaker_removed by=ann").reason
    assert table.call().cover().shake(3).wait(2.5).uncover().said.verdicts() == ["void shaker_not_removed"]
    table.level("automated_shaker_present", 0)
    assert table.played().said.verdicts()[-1] == "4-2-1"


# --- inspections ---------------------------------------------------------------------------------------------------


def inspecting(devices: str = "", device: str = "shaker") -> SicBoBench:
    table = SicBoBench(sic_bo_toml(NEW, devices=devices), opens=False)
    assert table.order("open by=ann").reason.startswith(f"open: {device} was not inspected")
    assert table.order(f"inspect_start device={device} by=ann").accepted
    return table


def test_s4_three_values_are_entered_and_all_their_areas_lit_before_the_table_opens() -> None:
    table = inspecting()
    assert "values were entered" in table.order("inspect_pass device=shaker checks=electrical_device by=ann").reason
    for dice in ("1-2-3", "4-4-4", "5-5-6"):
        assert table.order(f"inspect_dice dice={dice} by=ann").accepted
        table.wait(0.5)
    assert table.order("inspect_pass device=shaker checks=electrical_device by=ann").accepted
    assert table.order("open by=ann").accepted
    assert [one.checks for one in table.said.of(events.InspectionPassed)] == [
        ["1-2-3"],
        ["4-4-4"],
        ["5-5-6"],
        ["electrical_device"],
    ]


def test_s4_a_lamp_that_does_not_light_is_named_and_the_values_do_not_count() -> None:
    table = inspecting()
    table.answers.dead = {33}
    table.order("inspect_dice dice=2-3-6 by=ann")
    table.wait(0.5)
    failed = table.said.one(events.InspectionFailed)
    assert (failed.device, failed.detail) == ("lamp_board", "two dice 2-3, lamp 33, is dead")
    assert "0 of 3 values" in table.order("inspect_pass device=shaker checks=electrical_device by=ann").reason
    table.answers.dead = set()
    table.wait(5)
    assert table.order("clear device=lamp_board by=ann").accepted


def test_s4_a_lamp_test_lights_every_area() -> None:
    table = inspecting()
    assert table.order("lamp_test by=ann").accepted
    assert len(table.answers.asked[-2]) == 50
    assert not table.wait(0.5).lit
    assert table.said.one(events.InspectionPassed).checks == ["all lamps"]


def test_s5_the_automated_shaker_is_operated_three_times_before_the_table_opens() -> None:
    table = inspecting(AUTOMATED, "automated_shaker")
    for dice in ("1-2-3", "4-4-4", "5-5-6"):
        table.order(f"inspect_dice dice={dice} by=ann")
    both = "inspect_pass device=automated_shaker checks=electrical_device,automated_shaker by=ann"
    for times in range(3):
        assert f"operated {times} of 3 times" in table.order(both).reason
        assert table.order("operate_shaker by=ann").accepted
        table.wait(12)
    assert table.order(both).accepted


def test_s6_play_stops_at_the_beginning_of_a_shift_until_three_operations_are_verified() -> None:
    table = bench(devices=AUTOMATED).call().wait(3)
    assert "when round 1 is over" in table.order("shift_begins by=ann").reason
    table.wait(13).key("1-2-3").settle()
    assert table.said.verdicts() == ["1-2-3"]
    assert table.table.state == "shut"
    for _ in range(3):
        assert "stays, because of" in table.order("clear device=automated_shaker by=ann").reason
        assert table.order("operate_shaker by=ann").accepted
        table.wait(12)
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.table.state == "open"


def test_s6_the_old_text_asks_for_nothing_in_a_shift() -> None:
    assert "ask for nothing" in bench(OLD).order("shift_begins by=ann").reason


def test_s2_dice_are_told_an_hour_before_they_are_too_old_and_shut_the_table_when_they_are() -> None:
    table = bench()
    assert table.order("dice_placed by=ann age_h=22").accepted
    table.wait(3590)
    assert table.said.of(events.DeviceWarning) == []
    table.wait(20)
    assert [one.warning for one in table.said.of(events.DeviceWarning)] == ["dice_nearly_too_old"]
    table.wait(3600)
    fault = table.said.one(events.DeviceFault)
    assert (fault.device, fault.fault) == ("dice", "dice_too_old")
    assert table.said.verdicts() == ["void dice_too_old"]
    assert not table.order("clear device=dice by=ann").accepted
    assert table.order("dice_placed by=ann").accepted
    assert table.order("clear device=dice by=ann").accepted
    assert table.played().said.verdicts()[-1] == "4-2-1"


def test_s2_a_round_that_was_called_is_played_to_its_end() -> None:
    table = bench()
    table.order("dice_placed by=ann age_h=23.999")
    table.played()
    assert table.said.verdicts() == ["4-2-1"]
    table.settle()
    assert table.table.state == "shut"


def test_s2_the_old_text_sets_no_limit() -> None:
    table = bench(OLD)
    assert "no limit" in table.order("dice_placed by=ann").reason
    assert table.wait(90_000).said.of(events.DeviceFault) == []


# --- odds and areas ------------------------------------------------------------------------------------------------


@RULES
def test_s18_one_of_a_kind_pays_one_two_and_three_to_one(rules: str) -> None:
    game = bench(rules).game
    odds = [game.pays_in(1, game.result_in(1, dice))[0] for dice in ("6-1-2", "6-6-2", "6-6-6")]
    told = [{bet.bet: bet.odds for bet in winning}["one of a kind 6"] for winning in odds]
    assert told == ["1 to 1", "2 to 1", "3 to 1"]


@RULES
def test_s19_big_loses_on_any_other_total_and_on_every_triple(rules: str) -> None:
    layout = bench(rules).game.areas.layout
    for dice in product(range(1, 7), repeat=3):
        bets = {bet.bet for bet in layout.pays(dice)[0]}
        assert ("big" in bets) == (sum(dice) in range(11, 18) and len(set(dice)) > 1)


@RULES
@pytest.mark.parametrize("on_triple", [False, True])
def test_s20_every_one_of_the_216_results_lights_the_areas_that_the_oracle_names(rules: str, on_triple: bool) -> None:
    wanted = sic_bo_areas(on_triple)
    game = bench(rules, game=f"two_of_a_kind_on_triple = {str(on_triple).lower()}").game
    for dice in THREE_DICE:
        lit = {area.name for area in game.areas.layout.lit(dice)}
        assert lit == {name for name, rolls in wanted.items() if dice in rolls}
        bets, notices = game.areas.layout.pays(dice)
        assert {(bet.bet, bet.odds) for bet in bets} == sic_bo(dice, wanted)
        reading = f"house rule: two of a kind {'wins' if on_triple else 'does not win'} on a triple"
        assert [one.startswith(reading) for one in notices] == [True] * (len({*dice}) == 1)


def test_s20_what_the_table_tells_its_lamps_is_what_wins() -> None:
    for dice in ("1-1-1", "2-2-2", "6-6-5", "1-2-3", "6-5-4"):
        table = bench().played(dice)
        names = {bet.bet for bet in table.said.one(events.Outcome).winning}
        assert {AREAS[lamp - 1].name for lamp in table.lit} == names


@pytest.mark.parametrize("devices", ["", AUTOMATED, f'{AUTOMATED}\ncontrol = "serial"'])
def test_what_was_captured_is_judged_alike_in_one_piece(devices: str) -> None:
    table = bench(devices=devices)
    for _ in range(2):
        if devices:
            table.call().wait(16).key("1-2-3").settle()
        else:
            table.played().settle()
    table.answers.dead = {45, 48}
    if devices:
        table.call().wait(16).key("1-2-3")
    else:
        table.played()
    other = table_for(configured(sic_bo_toml(devices=devices)), epoch="sim", simulated=True, opens=True)
    said = [*other.open(0), *other.feed(table.batch)]
    assert [event.data for event in said] == [event.data for event in table.said]
