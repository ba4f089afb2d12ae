"""The automated shaker in a round: each report leads to steps, by where the round is and whether it is on the table."""

from __future__ import annotations

from controller.games.dice.tossed_dice import ITS_REPORT, RoundView, Step, TossedDice
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

S = 1_000_000_000
IN_OPEN = RoundView(OPEN, called=True, revealed=False)
TOSSING = RoundView(RUNNING, called=True, revealed=False)
REVEALED = RoundView(RUNNING, called=True, revealed=True)


def tossed() -> TossedDice:
    return TossedDice(ShakerActuator(AutomatedShakerConfig()), 1.5)


def does(steps: list[Step]) -> list[str]:
    return [step.do for step in steps]


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
    assert does(dice.steps(TossBegan(t_ns=S), IN_OPEN)) == ["start"]
    assert does(dice.steps(TossLies(t_ns=S, values=(1, 2, 3)), TOSSING)) == ["reveal"]
    assert dice.values == (1, 2, 3)
    assert dice.steps(ShakerQuiet(t_ns=S), TOSSING) == []


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
    dice = tossed()
    assert does(dice.steps(failed(), IN_OPEN)) == ["stop", "void"]
    assert does(dice.steps(failed(), TOSSING)) == ["stop", "void"]
    assert does(dice.steps(failed(), REVEALED)) == ["stop"]
    assert does(dice.steps(failed(), RoundView(SHUT, called=False, revealed=False))) == ["stop"]


def test_a_toss_that_nobody_started_is_a_failure_wherever_the_round_is() -> None:
    dice = tossed()
    before_call = RoundView(OPEN, called=False, revealed=False)
    assert does(dice.steps(failed(unasked=True), before_call)) == ["stop", "start", "too_soon"]
    assert does(dice.steps(failed(unasked=True), REVEALED)) == ["disturbed", "stop"]
    settling = RoundView(SETTLING, called=True, revealed=True)
    assert does(dice.steps(failed(unasked=True), settling)) == ["warn", "stop"]


def test_a_failure_that_lasts_keeps_its_fault_from_being_cleared() -> None:
    (stop, _) = tossed().steps(failed(lasting=True), TOSSING)
    assert stop.fault is not None
    assert (stop.fault.fault, stop.fault.cause) == ("shaker_failed", ITS_REPORT)
    assert tossed().steps(ShakerTrouble(t_ns=S, active=False), TOSSING) == [Step("cause_gone", ITS_REPORT)]


def test_what_a_shaker_reports_beside_the_table_counts_when_it_is_put_back() -> None:
    dice = tossed()
    dice.place(S, IN_OPEN, present=False)
    assert dice.ignores(SensorDead(t_ns=S, line="shaker_busy", fault="sensor_missing", detail="unplugged"))
    assert not dice.ignores(SensorDead(t_ns=S, line="wheel_a", fault="sensor_missing", detail="unplugged"))
    assert dice.steps(failed(), IN_OPEN) == []
    (stop,) = dice.place(2 * S, IN_OPEN, present=True)
    assert stop.do == "stop_bets"
    assert stop.fault is not None
    assert stop.fault.cause == "shaker_busy"
    assert not dice.ignores(SensorAlive(t_ns=3 * S, line="shaker_busy"))


def test_taken_away_in_a_toss_it_voids_the_round() -> None:
    dice = tossed()
    dice.start(S)
    steps = dice.place(2 * S, TOSSING, present=False)
    assert does(steps) == ["stop", "void", "cause_gone"]
    assert "taken from the table" in steps[1].detail
