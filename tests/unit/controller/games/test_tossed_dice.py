"""The automated shaker in a round: what a report does to it, by where the round is and whether it is on the table."""

from __future__ import annotations

from controller.games.dice.tossed_dice import ITS_REPORT, RoundView, Toss, TossedDice
from controller.table.phase import OPEN, RUNNING, SETTLING, SHUT
from drivers.base.driver import SensorAlive, SensorDead
from drivers.dice.automated_shaker import (
    AutomatedShakerConfig,
    ShakerActuator,
    ShakerQuiet,
    ShakerTrouble,
    TossBegan,
    TossFailed,
    TossLies,
)
from hal.values import SetLine
from tests.fakes.report_kept import ReportKept

S = 1_000_000_000
IN_OPEN = RoundView(OPEN, called=True, revealed=False)
TOSSING = RoundView(RUNNING, called=True, revealed=False)
REVEALED = RoundView(RUNNING, called=True, revealed=True)


def tossed(report: ReportKept | None = None) -> TossedDice:
    return TossedDice(ShakerActuator(AutomatedShakerConfig()), 1.5, ReportKept() if report is None else report)


def does(tosses: list[Toss]) -> list[str]:
    return [toss.does for toss in tosses]


def failed(*, unasked: bool = False, lasting: bool = False) -> TossFailed:
    return TossFailed(t_ns=S, detail="it stopped", unasked=unasked, lasting=lasting)


def test_the_call_starts_it_after_a_while_and_not_at_once() -> None:
    dice = tossed()
    assert dice.called(10 * S)
    assert (dice.actuator.outputs, dice.actuator.next_due_ns) == ([], 11_500_000_000)
    dice.actuator.due(11_500_000_000)
    assert dice.actuator.outputs == [SetLine("shaker_start", True, 11_500_000_000)]


def test_a_shaker_that_is_taken_away_is_not_started() -> None:
    dice = tossed()
    dice.place(S, IN_OPEN, present=False)
    assert not dice.called(10 * S)
    assert dice.actuator.outputs == []


def test_a_toss_begins_the_round_and_lying_dice_reveal_it() -> None:
    dice = tossed()
    assert does(dice.take(TossBegan(t_ns=S), IN_OPEN)) == ["begins"]
    assert does(dice.take(TossLies(t_ns=S, values=(1, 2, 3)), TOSSING)) == ["lies"]
    assert dice.values == (1, 2, 3)
    assert dice.take(ShakerQuiet(t_ns=S), TOSSING) == []


def test_only_values_of_every_die_contradict_what_was_entered() -> None:
    dice = tossed()
    dice.values = (1, 2)
    assert not dice.contradicts((1, 2, 3))
    dice.values = (1, 2, 3)
    assert not dice.contradicts((3, 2, 1))
    assert dice.contradicts((1, 2, 4))
    dice.values = (1, 2, 0)
    assert not dice.contradicts((1, 2, 4))


def test_a_failure_voids_a_round_that_is_not_revealed_and_stops_the_play_after_one_that_is() -> None:
    report = ReportKept()
    dice = tossed(report)
    assert does(dice.take(failed(), IN_OPEN)) == ["fails"]
    assert does(dice.take(failed(), TOSSING)) == ["fails"]
    assert dice.take(failed(), REVEALED) == []
    assert dice.take(failed(), RoundView(SHUT, called=False, revealed=False)) == []
    assert report.said == ["shaker_failed after verdict"] * 4


def test_a_toss_that_nobody_started_is_a_failure_wherever_the_round_is() -> None:
    report = ReportKept()
    dice = tossed(report)
    before_call = RoundView(OPEN, called=False, revealed=False)
    assert does(dice.take(failed(unasked=True), before_call)) == ["begins", "too_soon"]
    assert does(dice.take(failed(unasked=True), REVEALED)) == ["disturbs"]
    assert report.said == ["shaker_failed after verdict"] * 2
    settling = RoundView(SETTLING, called=True, revealed=True)
    assert dice.take(failed(unasked=True), settling) == []
    assert report.said[2:] == ["tossed_at_rest", "shaker_failed after verdict"]


def test_a_failure_that_lasts_keeps_its_fault_from_being_cleared() -> None:
    report = ReportKept()
    dice = tossed(report)
    dice.take(failed(lasting=True), TOSSING)
    assert [(fault.fault, fault.cause) for fault in report.faults()] == [("shaker_failed", ITS_REPORT)]
    assert dice.take(ShakerTrouble(t_ns=S, active=False), TOSSING) == []
    assert report.said[1:] == [f"gone: {ITS_REPORT}"]


def test_what_a_shaker_reports_beside_the_table_counts_when_it_is_put_back() -> None:
    report = ReportKept()
    dice = tossed(report)
    dice.place(S, IN_OPEN, present=False)
    assert dice.ignores(SensorDead(t_ns=S, line="shaker_busy", fault="sensor_missing", detail="unplugged"))
    assert not dice.ignores(SensorDead(t_ns=S, line="wheel_a", fault="sensor_missing", detail="unplugged"))
    assert dice.take(failed(), IN_OPEN) == []
    assert report.said == [f"gone: {ITS_REPORT}"]
    assert dice.place(2 * S, IN_OPEN, present=True) == []
    assert report.said[1:] == ["sensor_missing unless called"]
    assert [fault.cause for fault in report.faults()] == ["shaker_busy"]
    assert not dice.ignores(SensorAlive(t_ns=3 * S, line="shaker_busy"))


def test_taken_away_in_a_toss_it_voids_the_round() -> None:
    report = ReportKept()
    dice = tossed(report)
    dice.start(S)
    (toss,) = dice.place(2 * S, TOSSING, present=False)
    assert (toss.does, toss.ours) == ("fails", True)
    assert "taken from the table" in toss.detail
    assert report.said == ["shaker_failed after verdict", f"gone: {ITS_REPORT}"]


def test_only_an_order_is_restored_and_no_sensor() -> None:
    dice = tossed()
    dice.restore(removed=True)
    assert dice.removed_by_order
    sensed = TossedDice(ShakerActuator(AutomatedShakerConfig(present_sensor=True)), 1.5, ReportKept())
    sensed.restore(removed=True)
    assert (sensed.present, sensed.removed_by_order) == (True, False)
