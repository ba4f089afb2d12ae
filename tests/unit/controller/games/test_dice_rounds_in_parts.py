"""The parts of rounds of dice alone: dice that are shaken, thrown and tumbled, and when sic bo is settled."""

from __future__ import annotations

from typing import Any

import pytest

from controller.games.craps.between_rolls import BetweenRolls
from controller.games.craps.decision import Craps
from controller.games.craps.dice_on_table import DiceOnTable
from controller.games.craps.history import CrapsHistory
from controller.games.craps.layout import CrapsLayout
from controller.games.craps.rolls import CrapsRolls
from controller.games.craps.rules import CrapsRules
from controller.games.dice.tossed_dice import TossedDice
from controller.games.dice.values import DiceValues
from controller.games.sic_bo.areas import AREAS, SicBoLayout
from controller.games.sic_bo.dice_age import DiceAge
from controller.games.sic_bo.dice_in_play import DiceInPlay
from controller.games.sic_bo.inspection import SicBoInspection
from controller.games.sic_bo.lit_areas import LitAreas
from controller.games.sic_bo.rules import SicBoRules
from controller.games.sic_bo.settling import SicBoSettling
from controller.games.sic_bo.shakers import ShakenByHand
from controller.games.sic_bo.shaking import Shaking
from controller.games.sic_bo.upkeep import SicBoUpkeep
from controller.games.tumbled.bets import BeatTheDealerBets, TumbledBets, UnderOverBets
from controller.games.tumbled.rules import BeatTheDealerRules, UnderOverRules
from controller.games.tumbled.runs import refusal_of
from controller.games.tumbled.tumbled_dice import KeptTumble, TumbledDice
from controller.games.tumbled.turned_cage import TurnedCage
from controller.rules.profile import profile
from controller.table.phase import OPEN, RUNNING, SETTLING
from controller.table.rounds import RoundLifecycle
from drivers.dice.automated_shaker import AutomatedShakerConfig, ShakerActuator
from drivers.dice.cage_motor import (
    MOTOR,
    CageMotorActuator,
    CageMotorConfig,
    MotorFailed,
    MotorReady,
    MotorStands,
)
from drivers.dice.observations import (
    CageRested,
    DiceEntered,
    DiceMoving,
    DiceRead,
    DiceStirred,
    ShakerCovered,
    ShakerRested,
    ShakerShaken,
    ShakerUncovered,
    TumbleStarted,
)
from drivers.lamps.lamp_board import LampActuator, LampBoardConfig, LampsFailed, LampsRead, LampsShown
from feed import events
from feed.data import Data
from feed.events import Verdict
from tests.fakes.judged_rounds import called_round, reported
from tests.fakes.report_kept import ReportKept

S = 1_000_000_000
SIC_BO = profile("njac-13:69F").text("sic_bo", SicBoRules)
CRAPS = profile("njac-13:47-20").text("craps", CrapsRules)
UNDER_OVER = profile("njac-13:47-20").text("under_over", UnderOverRules)
BEAT_THE_DEALER = profile("njac-13:47-20").text("beat_the_dealer", BeatTheDealerRules)


def keyed(dice: tuple[int, ...], at_s: int) -> DiceEntered:
    return DiceEntered(t_ns=at_s * S, dice=dice, first_ns=at_s * S - 1, entered_ns=at_s * S)


def read(dice: tuple[int, ...], at_s: int, **fields: Any) -> DiceRead:
    told = {"lying": ("flat",) * len(dice), "total": sum(dice), "throw": 1, "agreed": True, **fields}
    return DiceRead(t_ns=at_s * S, dice=dice, **told)


def names(found: list[Data]) -> list[str]:
    return [type(one).__name__ for one in found]


class SicBoParts:
    """The dice of a sic bo round that was called, their lamps, and its settling."""

    def __init__(self, *, automated: bool = False, reader: bool = False) -> None:
        self.rounds = called_round(SIC_BO, SIC_BO.electrical_device.settled_when.cite)
        report = self.rounds.report
        self.lamps = LampActuator(LampBoardConfig(), lambda lamp: AREAS[lamp - 1].name)
        areas = LitAreas(self.lamps, SicBoLayout(SIC_BO))
        shaker = ShakerActuator(AutomatedShakerConfig())
        self.tossed = TossedDice(shaker, 1.5, report) if automated else None
        values = DiceValues(["reader"] if reader else ["keypad"])
        self.dice = DiceInPlay(self.rounds, values, areas, Shaking(3, 3), self.tossed, 1.0)
        self.by_hand = ShakenByHand(self.dice)
        inspection, age = SicBoInspection(SIC_BO, automated=automated), DiceAge(None, lambda t_ns: "now")
        self.settling = SicBoSettling(self.dice, SicBoUpkeep(inspection, age, areas, self.tossed, report))

    def revealed(self) -> None:
        """Dice are at rest, and everybody sees them."""
        self.dice.start(S)
        self.dice.reveal(2 * S, 2 * S)
        reported(self.rounds)

    def shown(self, at_s: int) -> None:
        """The lamps are read back as they were asked for."""
        self.lamps.observe(LampsRead(t_ns=at_s * S, commanded=self.lamps.asked))
        self.settling.take(LampsShown(t_ns=at_s * S))


def test_a_sic_bo_round_has_its_outcome_once_the_areas_that_win_are_read_back_and_not_before() -> None:
    parts = SicBoParts()
    parts.revealed()
    parts.dice.keyed(keyed((1, 2, 3), 3))
    assert parts.lamps.asked == {area.number for area in parts.dice.areas.layout.lit((1, 2, 3))}
    assert (reported(parts.rounds), parts.rounds.phase) == ([], RUNNING)
    parts.shown(4)
    (outcome,) = reported(parts.rounds)
    assert isinstance(outcome, events.Outcome)
    assert (outcome.result, outcome.rule) == (
        {"dice": [1, 2, 3], "total": 6},
        SIC_BO.electrical_device.settled_when.cite,
    )
    assert (parts.rounds.phase, parts.settling.refused) == (SETTLING, None)


def test_dice_that_move_once_they_were_seen_leave_the_round_to_a_person_and_nothing_lit() -> None:
    parts = SicBoParts()
    parts.revealed()
    parts.dice.keyed(keyed((1, 2, 3), 3))
    parts.dice.disturbed(4 * S, "something knocked at it")
    (unresolved,) = reported(parts.rounds)
    assert isinstance(unresolved, events.Unresolved)
    assert (unresolved.reason, unresolved.candidates) == ("dice_disturbed", [{"dice": [1, 2, 3], "total": 6}])
    assert parts.lamps.asked == frozenset()
    assert "is unresolved: call it first" in str(parts.settling.refused)


def test_what_is_entered_against_the_shakers_own_report_leaves_both_to_a_person() -> None:
    parts = SicBoParts(automated=True)
    assert parts.tossed is not None
    parts.revealed()
    parts.tossed.values = (4, 5, 6)
    parts.dice.keyed(keyed((1, 2, 3), 3))
    (unresolved,) = reported(parts.rounds)
    assert isinstance(unresolved, events.Unresolved)
    assert [one["dice"] for one in unresolved.candidates] == [[1, 2, 3], [4, 5, 6]]


def test_a_cocked_die_has_a_value_at_craps_and_voids_a_round_of_sic_bo() -> None:
    parts = SicBoParts(reader=True)
    parts.revealed()
    cocked = read((1, 2, 3), 3, lying=("flat", "flat", "cocked"), doubts=("dice_not_flat",), agreed=False)
    parts.dice.read(cocked)
    (void, _) = reported(parts.rounds)
    assert isinstance(void, events.Void)
    assert void.reason == "dice_not_flat"


def test_where_the_lamps_fail_a_supervisor_settles_by_the_rule_for_that() -> None:
    parts = SicBoParts()
    parts.revealed()
    parts.dice.keyed(keyed((1, 2, 3), 3))
    parts.lamps.due(5 * S)
    parts.settling.take(LampsFailed(t_ns=5 * S, detail="no read-back"))
    (outcome,) = reported(parts.rounds)
    assert isinstance(outcome, events.Outcome)
    assert outcome.rule == parts.rounds.reasons["lamps_failed"].rule
    assert "a supervisor settles round 1" in str(parts.settling.refused)
    assert parts.settling.attended(6 * S, "supervisor_key")
    assert names(reported(parts.rounds))[0] == "Settled"
    assert not parts.settling.attended(7 * S, "supervisor_key")


def test_a_round_that_was_left_is_settled_again_when_the_table_is_open_again() -> None:
    parts = SicBoParts()
    parts.revealed()
    parts.dice.keyed(keyed((1, 2, 3), 3))
    parts.shown(4)
    reported(parts.rounds)
    parts.settling.leave()
    assert parts.settling.resume(6 * S)
    assert (names(reported(parts.rounds)), parts.rounds.phase) == (["DeviceWarning"], SETTLING)
    assert not parts.settling.resume(7 * S), "once"


def test_a_shaker_that_is_covered_shaken_and_uncovered_reveals_its_dice() -> None:
    parts = SicBoParts()
    for seen in (
        ShakerCovered(t_ns=1 * S, covered_ns=1 * S),
        *(ShakerShaken(t_ns=2 * S + k, shaken_ns=2 * S + k, shakes=k, covered=True) for k in (1, 2, 3)),
        ShakerRested(t_ns=5 * S, began_ns=2 * S, moved_ns=3 * S, shakes=3, required=3, started_ns=2 * S),
        ShakerUncovered(t_ns=6 * S, uncovered_ns=6 * S, moving=False, shakes=0),
    ):
        parts.by_hand.take(seen)
    assert names(reported(parts.rounds)) == ["RoundStarted", "RoundProgress", "RoundProgress", "RoundProgress"]
    assert parts.dice.revealed_ns == 6 * S
    parts.by_hand.take(ShakerCovered(t_ns=7 * S, covered_ns=7 * S))
    parts.by_hand.take(ShakerUncovered(t_ns=8 * S, uncovered_ns=8 * S, moving=False, shakes=0))
    parts.by_hand.take(ShakerCovered(t_ns=9 * S, covered_ns=9 * S))
    (violation,) = reported(parts.rounds)
    assert isinstance(violation, events.ProcedureViolation)
    assert violation.reason == "covered_before_paid"


# --- craps ---------------------------------------------------------------------------------------------------------


class CrapsParts:
    """The dice of a roll that was called, at a table with a keypad, and what rolls decide."""

    def __init__(self) -> None:
        self.rounds = called_round(CRAPS)
        history = CrapsHistory(Craps(CRAPS), CRAPS.reasons)
        self.rolls = CrapsRolls(history, CrapsLayout(CRAPS, optional=(), fire_table=None))
        self.between = BetweenRolls(self.rounds, history, CRAPS.people, None, None)
        self.dice = DiceOnTable(self.rounds, DiceValues(["keypad"]), self.rolls, None, 2.0)


def test_the_entry_of_a_roll_throws_and_decides_it_where_nobody_else_sees_the_dice() -> None:
    parts = CrapsParts()
    parts.dice.await_entry(0)
    parts.dice.entered(keyed((4, 4), 3))
    (started, outcome) = reported(parts.rounds)
    assert isinstance(started, events.RoundStarted)
    assert isinstance(outcome, events.Outcome)
    assert (outcome.result["decision"], outcome.result["point"]) == ("point_set", 8)
    parts.dice.entered(keyed((1, 1), 4))
    (warning,) = reported(parts.rounds)
    assert isinstance(warning, events.DeviceWarning)
    assert warning.warning == "keyed_out_of_round"


def test_dice_that_were_passed_after_a_decision_are_passed_too_where_a_correction_made_it_a_point() -> None:
    assert CRAPS.voluntary_pass.value == "after_a_decision"
    history = CrapsHistory(Craps(CRAPS), CRAPS.reasons)
    history.decided(1, Verdict(verdict="outcome", result={"dice": [5, 2]}))
    history.now = history.craps.pass_dice(history.now)
    history.corrected(1, Verdict(verdict="outcome", result={"dice": [4, 4]}))
    assert (history.now.shooter, history.now.point) == (2, 8)


def test_values_keyed_before_the_roll_was_awaited_are_of_another_throw() -> None:
    parts = CrapsParts()
    parts.dice.await_entry(4 * S)
    parts.dice.entered(keyed((4, 4), 3))
    assert [one.warning for one in reported(parts.rounds) if isinstance(one, events.DeviceWarning)] == [
        "keyed_too_early"
    ]
    assert parts.rounds.phase is OPEN


def test_a_corrected_roll_restates_the_rolls_that_it_decided_otherwise_and_no_others() -> None:
    parts = CrapsParts()
    history = parts.rolls.history
    for number, dice in enumerate([(4, 4), (3, 3), (5, 3)], 1):
        history.decided(number, Verdict(verdict="outcome", result=parts.rolls.result(history.now, dice)))
    before = history.before(1, 4)
    history.corrected(1, Verdict(verdict="outcome", result=parts.rolls.result(before, (5, 3))))
    assert parts.rolls.restated(1) == [], "an 8 like before"
    history.corrected(1, Verdict(verdict="outcome", result=parts.rolls.result(before, (5, 4))))
    second, third = parts.rolls.restated(1)
    assert (second.round, third.round) == (2, 3)
    assert third.was.result is not None
    assert third.to.result is not None
    assert (third.was.result["decision"], third.to.result["decision"]) == ("pass", "none"), "the point is 9 now"
    assert parts.rolls.restated(1) == [], "once"


def test_nobody_acts_between_two_rolls_while_the_dice_run() -> None:
    parts = CrapsParts()
    assert parts.between.act_refused("change_dice", "ann") is None
    refused = parts.between.act_refused("pass_dice", "dealer", ordered=True)
    assert refused is not None
    assert "a shooter is ordered to pass by the" in refused
    parts.rounds.begin_run()
    assert "must be over" in str(parts.between.act_refused("change_dice", "ann"))
    with pytest.raises(ValueError, match="has not thrown yet"):
        parts.between.act(S, "pass_dice", "ann")


# --- cage and chute ------------------------------------------------------------------------------------------------


def rested(at_s: int, inversions: int, **fields: Any) -> CageRested:
    told = {"inversions": inversions, "required": 3, "started_ns": S if inversions else None, **fields}
    return CageRested(t_ns=at_s * S, began_ns=S, moved_ns=S, **told)


def tumbled() -> tuple[RoundLifecycle, TumbledDice]:
    rounds = called_round(UNDER_OVER)
    return rounds, TumbledDice(rounds, UnderOverBets(UNDER_OVER), DiceValues(["keypad"]), "cage", None)


@pytest.mark.parametrize(
    ("bets", "expected"),
    [
        (UnderOverBets(UNDER_OVER), "expected 1 tumble, such as 4-2"),
        (
            BeatTheDealerBets(BEAT_THE_DEALER),
            "expected 2 tumbles for dealer and player, with a / between, such as 4-2/4-2",
        ),
    ],
)
def test_dice_of_another_number_of_tumbles_are_refused_with_what_is_expected(bets: TumbledBets, expected: str) -> None:
    with pytest.raises(ValueError, match="tumble") as refused:
        bets.named("4-2/4-2/4-2")
    assert str(refused.value) == f"dice '4-2/4-2/4-2': {expected}"


def test_a_run_is_refused_for_what_is_known_against_it_and_left_to_the_dealer_for_what_is_not() -> None:
    assert refusal_of(rested(3, 3)) is None
    few = refusal_of(rested(3, 2))
    assert few is not None
    assert (few.reason, few.void) == ("too_few_inversions", True)
    doubted = refusal_of(rested(3, 3, doubt="edges_lost"))
    assert doubted is not None
    assert (doubted.reason, doubted.void) == ("edges_lost", False)


@pytest.mark.parametrize(("doubt", "found"), [(None, []), ("edges_lost", ["Unresolved"])])
def test_a_board_reads_dice_at_which_the_cover_of_a_shaker_knocked_and_nobody_takes_that_for_a_tumble(
    doubt: str | None, found: list[str]
) -> None:
    rounds = called_round(UNDER_OVER)
    dice = TumbledDice(rounds, UnderOverBets(UNDER_OVER), DiceValues(["reader"]), "shaker", None)
    dice.judge(DiceStirred(t_ns=S), S)
    run = ShakerRested(t_ns=3 * S, began_ns=S, moved_ns=S, shakes=0, required=3, started_ns=None, doubt=doubt)
    dice.judge(run, 3 * S)
    dice.judge(read((2, 2), 5), 5 * S)
    assert names(reported(rounds)) == found


def test_values_of_dice_that_were_tumbled_give_the_outcome_and_of_dice_that_moved_since_none() -> None:
    for moved, verdict in (
        (None, events.Outcome),
        (DiceStirred(t_ns=4 * S), events.Unresolved),
        (DiceMoving(t_ns=4 * S), events.Unresolved),
    ):
        rounds, dice = tumbled()
        dice.judge(TumbleStarted(t_ns=S, began_ns=S), S)
        dice.judge(rested(3, 3), 3 * S)
        if moved is not None:
            dice.judge(moved, 4 * S)
        dice.judge(keyed((3, 4), 5), 5 * S)
        assert isinstance(reported(rounds)[-1], verdict)


def test_a_tumble_that_ends_before_the_bets_are_settled_counts_for_nothing() -> None:
    report = ReportKept()
    kept = KeptTumble("cage", report)
    started = TumbleStarted(t_ns=2 * S, began_ns=S)
    kept.keep(DiceStirred(t_ns=S))
    kept.keep(started)
    assert kept.take() == [DiceStirred(t_ns=S), started]
    assert kept.take() == []
    kept.begins(started)
    kept.keep(rested(5, 3))
    assert (report.said, kept.take()) == (["tumbled_after_verdict"], [])


def test_a_motor_turns_the_cage_once_for_each_tumble() -> None:
    report = ReportKept()
    actuator = CageMotorActuator(CageMotorConfig())
    motor = TurnedCage(actuator, 3, report)
    motor.turn(S)
    assert (len(actuator.outputs), actuator.on) == (1, True)
    motor.turn(2 * S)
    assert len(actuator.outputs) == 1
    motor.stop(3 * S)
    assert not actuator.on
    assert motor.take(MotorReady(t_ns=4 * S))
    assert motor.take(MotorFailed(t_ns=4 * S, fault="motor_stalled", detail="it stands", cause="the shaft"))
    assert motor.take(MotorStands(t_ns=5 * S))
    assert not motor.take(DiceStirred(t_ns=5 * S))
    assert [(fault.fault, fault.device) for fault in report.faults()] == [("motor_stalled", MOTOR)]
