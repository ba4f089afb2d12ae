"""What a craps table says of every way in which a roll can go: 13:47-20.25, 19:47-1, and the ids D1 to D13."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from controller.games.assembly import table_for
from controller.games.craps.decision import CrapsState
from controller.games.load import check_text
from controller.table.authority import may
from controller.table.orders.order import CommandResult
from drivers.dice.reader_wire import BoardState
from feed import events
from feed.events import decode, encode
from feed.state import RoundRecord, TableState
from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Loss
from simulators.dice.bodies import new_dice, shown
from tests.tables.bench import EventList, TableBench, configured
from tests.tables.craps_hands import CrapsHands, answered, craps_toml

NIGHT = "njac-13:47-20"


class ClosedTable:
    """A table that nobody has opened yet, and the commands to it."""

    def __init__(self, text: str) -> None:
        self.table = table_for(configured(text), epoch="sim", simulated=True, opens=False)
        self.table.open(0)
        self._t_ns = 1_000_000_000

    def _send(self, order: str) -> CommandResult:
        self._t_ns += 100_000_000
        self.table.feed(Batch([], [read_command(f"{order} id=o{self._t_ns}", self._t_ns)], self._t_ns))
        return self.table.answers()[-1]

    def accepted(self, order: str) -> str:
        """What became of an order that is carried out."""
        answer = self._send(order)
        assert answer.accepted, answer.reason
        return answer.reason

    def refused(self, order: str) -> str:
        """Why an order is not carried out."""
        answer = self._send(order)
        assert not answer.accepted
        return answer.reason


def decisions(said: EventList) -> list[str]:
    return [outcome.result["decision"] for outcome in said.of(events.Outcome)]


def wins(said: EventList) -> dict[str, str]:
    return {bet.bet: bet.odds for bet in said.one(events.Outcome).winning}


# --- a round is one roll -------------------------------------------------------------------------------------------


def test_a_roll_that_is_keyed_is_an_outcome_and_the_next_round_opens() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    said = hands.key(6, 5)
    assert said.story() == ["round.no_more_bets auto", "round.started", "6-5", "round.settled auto", "round.opened"]
    outcome = said.one(events.Outcome)
    assert outcome.result == {"dice": [6, 5], "total": 11, "decision": "natural", "shooter": 1}
    assert {"pass", "field", "11 in one roll", "horn: 11 in one roll"} == {bet.bet for bet in outcome.winning} - {
        "craps-eleven: 11 in one roll",
        "horn high: 11 in one roll",
    }
    assert outcome.rule == "13:47-20.25(e)4"
    assert outcome.evidence.tumbles is not None
    assert outcome.evidence.tumbles[0].keyed == [6, 5]


def test_the_course_of_a_game_is_told_in_decisions_with_its_point_and_shooter() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    said = EventList()
    for dice in ((1, 1), (4, 4), (2, 3), (5, 3), (6, 4), (5, 2)):
        said += hands.key(*dice)
    assert decisions(said) == ["craps", "point_set", "none", "pass", "point_set", "seven_out"]
    assert [outcome.result.get("point") for outcome in said.of(events.Outcome)] == [None, 8, 8, 8, 10, 10]
    assert said.of(events.Outcome)[-1].notices == ["the shooter passes the dice"]
    assert hands.stands.shooter == 2
    assert [opened.course["point"] for opened in said.of(events.RoundOpened) if opened.course] == [
        *(None, 8, 8, None, 10, None)
    ]


def test_the_throw_closes_the_bets_and_a_board_says_when_it_began() -> None:
    hands = CrapsHands(craps_toml(keypad=False, reader=True))
    hands.wait(3)
    said = hands.throw(2, 2)
    assert said.story()[:3] == ["round.no_more_bets auto", "round.started", "2-2"]
    call, outcome = said.one(events.NoMoreBets), said.one(events.Outcome)
    assert outcome.mono_ns - call.mono_ns > 3_000_000_000
    assert outcome.result["decision"] == "point_set"


def test_keypad_and_board_must_agree_and_a_disagreement_names_both() -> None:
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    hands.throw(3, 1, settle=False)
    assert hands.key(1, 3).verdicts() == ["1-3"]
    hands.throw(3, 1, settle=False)
    unresolved = hands.key(3, 2).one(events.Unresolved)
    assert unresolved.reason == "values_disagree"
    assert [one["dice"] for one in unresolved.candidates] == [[3, 2], [3, 1]]
    assert [one["decision"] for one in unresolved.candidates] == ["none", "pass"]


def test_values_keyed_before_the_dice_lie_are_of_another_throw() -> None:
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    said = hands.key(3, 3, settle=False)
    assert [warning.warning for warning in said.of(events.DeviceWarning)] == ["keyed_too_early"]
    hands.throw(3, 1, settle=False)
    assert hands.key(3, 1).verdicts() == ["3-1"]


def test_with_a_keypad_alone_values_begun_before_the_round_opened_are_of_another_throw() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    hands.key(6, 5, settle=False)
    hands.key(4, enter=False, settle=False)
    hands.wait(4)
    said = hands.key(4)
    assert [warning.warning for warning in said.of(events.DeviceWarning)] == ["keyed_too_early"]
    assert said.verdicts() == []


def test_values_that_are_entered_while_bets_are_being_paid_change_nothing() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    hands.key(6, 5, settle=False)
    said = hands.key(4, 4, settle=False)
    assert [warning.warning for warning in said.of(events.DeviceWarning)] == ["keyed_out_of_round"]
    assert said.one(events.DeviceWarning).detail.endswith("a supervisor corrects a result")
    assert hands.stands.phase == "come_out"


def test_a_throw_that_begins_before_the_bets_are_settled_counts_for_nothing_and_is_told() -> None:
    hands = CrapsHands(craps_toml(keypad=False, reader=True, options="settle_after_s = 4"))
    hands.wait(3)
    hands.throw(4, 4, settle=False)
    said = hands.throw(5, 2)
    assert [warning.warning for warning in said.of(events.DeviceWarning)] == ["thrown_before_open"]
    assert said.verdicts() == []
    assert hands.stands.point == 8


def test_after_an_entry_nobody_is_invited_to_key_anything() -> None:
    hands = CrapsHands(craps_toml(reader=True, options="call_time_s = 30"))
    hands.wait(3)
    hands.throw(3, 3, settle=False)
    said = hands.key(3, 3, settle=False)
    assert [progress.keyed for progress in said.of(events.RoundProgress)] == [[3], [3, 3]]


def test_a_keypad_that_is_cleared_while_dice_lie_is_an_invitation() -> None:
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    hands.throw(3, 3, settle=False)
    said = hands.key(3, enter=False, settle=False)
    t_ns = round(hands.now_s * 1e9)
    cleared = [Edge("key_clear", 1, t_ns + 50_000_000), Edge("key_clear", 0, t_ns + 150_000_000)]
    said += hands.feed(cleared, [], 0.3)
    assert [progress.keyed for progress in said.of(events.RoundProgress)] == [[3], []]


# --- D1 to D13 -----------------------------------------------------------------------------------------------------


def test_d1_the_set_has_five_dice_or_more_and_two_of_them_make_a_roll() -> None:
    few = check_text(craps_toml(options="dice_set = 4")).errors
    assert [str(problem).partition(": ")[2][:34] for problem in few] == ["game.dice_set: 4 is out of range; "]
    hands = CrapsHands(craps_toml(options="dice_set = 6"))
    said = hands.key(3, settle=False)
    assert [warning.warning for warning in said.of(events.DeviceWarning)] == ["key_short"]
    assert said.verdicts() == []


@pytest.mark.parametrize("check", ["dice", "dice_marks"])
def test_d2_d3_d4_a_table_does_not_open_on_dice_that_nobody_has_gauged_or_that_fail(check: str) -> None:
    table = ClosedTable(craps_toml(NIGHT, more='inspection = "opening"'))
    assert "dice was not inspected" in table.refused("open by=ann")
    asked = table.accepted("inspect_start device=dice by=ann")
    for words in ("from 0.75 to 0.775 inches", "flat and square", "the provider's name and a serial number"):
        assert words in asked
    every = ["dice_set", "dice", "dice_marks", "rail"]
    without = ",".join(name for name in every if name != check)
    assert f"{check} must be among the checks" in table.refused(f"inspect_pass device=dice checks={without} by=ann")
    table.accepted(f"inspect_fail device=dice checks={check} by=ann why=0.78")
    assert "dice was not inspected" in table.refused("open by=ann")
    table.accepted("inspect_start device=dice by=ann")
    table.accepted(f"inspect_pass device=dice checks={','.join(every)} by=ann")
    assert table.accepted("open by=ann") == "the table is open"


def test_d7_at_mini_craps_no_bank_lies_before_a_boxperson_and_the_house_refuses_a_die_on_one() -> None:
    hands = CrapsHands(craps_toml(game="mini_craps"))
    void = hands.order("void reason=die_on_bank as=dealer by=ann").one(events.Void)
    assert (void.reason, void.rule) == ("die_on_bank", "ours")
    craps = CrapsHands(craps_toml())
    assert craps.order("void reason=die_on_bank as=boxperson by=ann").one(events.Void).rule == "19:47-1.9(b)3"


def test_d5_dice_that_leave_the_hand_apart_or_miss_the_end_are_no_roll_when_it_is_called() -> None:
    for reason in ("dice_not_together", "end_not_struck"):
        hands = CrapsHands(craps_toml())
        void = hands.order(f"void reason={reason} by=stickperson").one(events.Void)
        assert (void.call, void.reason, void.rule[:12]) == ("No Roll", reason, "19:47-1.9(b)")
        assert hands.stands.invalid_rolls == 1


@pytest.mark.parametrize(("lying", "reason"), [("off_table", "die_off_table"), ("stacked", "die_on_die")])
@pytest.mark.parametrize("keypad", [False, True])
def test_d6_a_die_off_the_table_or_on_the_other_makes_the_roll_invalid_by_itself(
    lying: str, reason: str, keypad: bool
) -> None:
    hands = CrapsHands(craps_toml(keypad=keypad, reader=True))
    hands.wait(3)
    void = hands.throw(4, 4, lying=lying).one(events.Void)  # type: ignore[arg-type]
    assert (void.reason, void.rule, void.call) == (reason, "19:47-1.9(a)", "No Roll")
    assert hands.stands.phase == "come_out"


@pytest.mark.parametrize("reason", ["die_off_table", "die_on_die"])
def test_d6_where_values_are_keyed_anybody_may_say_so(reason: str) -> None:
    assert CrapsHands(craps_toml()).order(f"void reason={reason} by=ann").verdicts() == [f"void {reason}"]


@pytest.mark.parametrize(
    "reason", ["die_on_bank", "die_in_dice_cup", "die_on_rail", "cheating_device", "improper_throw"]
)
def test_d7_no_roll_is_called_by_the_people_that_the_text_names_and_by_no_other(reason: str) -> None:
    hands = CrapsHands(craps_toml())
    why = answered(hands.order(f"void reason={reason} by=dealer"))
    assert "boxperson or the stickperson (19:47-1.9(e)1)" in why
    assert hands.order(f"void reason={reason} as=boxperson by=ann").verdicts() == [f"void {reason}"]
    mini = CrapsHands(craps_toml(game="mini_craps"))
    assert "dealer or the stickperson or the floorperson" in answered(mini.order(f"void reason={reason} by=boxperson"))
    assert mini.order(f"void reason={reason} by=floorperson").verdicts() == [f"void {reason}"]


def test_d7_a_roll_that_has_its_outcome_can_be_called_no_roll_until_it_is_settled() -> None:
    hands = CrapsHands(craps_toml(options="settle_after_s = 60"))
    hands.key(4, 4, settle=False)
    assert hands.stands.point == 8
    corrected = hands.order("void reason=die_on_bank by=boxperson").one(events.RoundCorrected)
    assert (corrected.to.reason, corrected.confirmed) == ("die_on_bank", False)
    assert (hands.stands.phase, hands.stands.invalid_rolls) == ("come_out", 1)
    assert hands.lit == set()


def test_d8_a_call_before_the_dice_rest_is_carried_out_at_once_and_the_throw_counts_for_nothing() -> None:
    hands = CrapsHands(craps_toml(keypad=False, reader=True))
    hands.wait(3)
    hands.board_throw += 1
    moving = hands._line(BoardState.MOVING, hands.now_s + 0.1)
    hands.now_s += 0.5
    hands.feed([], [moving])
    void = hands.order("void reason=dice_not_together by=stickperson").one(events.Void)
    assert void.evidence.detail == ""
    hands.board_throw -= 1
    said = hands.throw(3, 3)
    assert said.verdicts() == []
    assert hands.throw(2, 2).verdicts() == ["2-2"]


def test_d8_a_call_after_the_dice_rest_is_carried_out_and_its_evidence_says_how_late_it_was() -> None:
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    hands.throw(3, 3, settle=False)
    void = hands.order("void reason=improper_throw by=stickperson why=lobbed").one(events.Void)
    assert "lobbed; called 2." in void.evidence.detail
    assert "it comes before whenever possible" in void.evidence.detail
    on_bank = CrapsHands(craps_toml(reader=True))
    on_bank.wait(3)
    on_bank.throw(3, 3, settle=False)
    # The reasons that show only when the dice are at rest have no such time.
    assert on_bank.order("void reason=die_on_bank by=stickperson").one(events.Void).evidence.detail == ""


def test_d8_contact_with_chips_of_players_is_no_reason_that_can_be_called() -> None:
    why = answered(CrapsHands(craps_toml()).order("void reason=touched_chips by=stickperson"))
    assert "reason touched_chips is not one of" in why


@pytest.mark.parametrize("resting", range(1, 7))
def test_d9_a_cocked_die_counts_by_the_side_opposite_the_one_that_rests(resting: int) -> None:
    # A die of six sides, turned until this one is below: what a board sees of it is what lies on top.
    rng = Random(resting)
    body = next(one for one in iter(lambda: new_dice(1, rng)[0], None) if one.top == 7 - resting)
    seen = shown(body, "cocked").value
    assert seen is not None
    keyed = {}
    for face in {resting, 7 - resting}:
        hands = CrapsHands(craps_toml(reader=True))
        hands.wait(3)
        said = EventList([*hands.throw(seen, 2, lying="cocked", settle=False), *hands.key(face, 2)])
        keyed[face] = said
    outcome = keyed[7 - resting].one(events.Outcome)
    assert outcome.result["dice"] == [7 - resting, 2]
    assert outcome.evidence.tumbles is not None
    assert outcome.evidence.tumbles[0].doubts == ["dice_not_flat"]
    assert keyed[resting].verdicts() == ["unresolved values_disagree"]


def test_d9_a_die_that_rests_on_more_than_one_side_makes_the_roll_void() -> None:
    hands = CrapsHands(craps_toml(keypad=False, reader=True))
    hands.wait(3)
    void = hands.throw(4, 2, lying="two_sides").one(events.Void)
    assert (void.reason, void.rule) == ("die_on_two_sides", "19:47-1.10(a)1")
    assert hands.throw(3, 1).one(events.Outcome).result["dice"] == [3, 1]
    keyed = CrapsHands(craps_toml())
    assert keyed.order("void reason=die_on_two_sides by=ann").verdicts() == ["void die_on_two_sides"]


def test_d10_a_dispute_is_the_boxpersons_at_mini_craps_the_floorpersons_to_decide_or_to_void() -> None:
    hands = CrapsHands(craps_toml())
    assert "(19:47-1.10(a)2i)" in answered(hands.order("void reason=face_disputed by=stickperson"))
    said = hands.order("void reason=face_disputed by=boxperson")
    assert said.verdicts() == ["void face_disputed"]
    assert said.one(events.Void).rule == "19:47-1.10(a)2i"
    mini = CrapsHands(craps_toml(game="mini_craps"))
    said = mini.order("void reason=face_disputed by=floorperson")
    assert said.verdicts() == ["void face_disputed"]
    assert said.one(events.Void).rule == "19:47-1.10(a)2ii"
    decided = CrapsHands(craps_toml(options="settle_after_s = 60"))
    decided.key(4, 4, settle=False)
    said = decided.order("correct round=1 dice=4-3 by=boxperson why=the face was disputed")
    assert said.one(events.RoundCorrected).to.result == {
        **{"dice": [4, 3], "total": 7, "decision": "natural", "shooter": 1}
    }


def test_d11_dice_are_changed_after_the_next_decision_and_not_before() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    hands.key(4, 4)
    assert hands.order("change_dice by=ann").one(events.CarriedStateChanged).act == "change_dice"
    assert hands.key(2, 3).one(events.Outcome).notices == []
    assert hands.key(5, 3).one(events.Outcome).notices == ["change the dice now, as a player asked"]
    assert hands.key(5, 6).one(events.Outcome).notices == []


def test_d12_surveillance_is_notified_at_the_fourth_different_point_of_a_fire_bet() -> None:
    hands = CrapsHands(craps_toml(options='fire_bet = "A"'))
    notices = []
    for dice in ((2, 2), (1, 4), (3, 3), (4, 4)):
        hands.key(*dice)
        said = hands.key(*dice)
        notices.append(said.one(events.Outcome).notices)
    assert notices == [[], [], [], ["notify surveillance: a fire bet has its fourth different point"]]
    assert said.one(events.Outcome).result["fire_points"] == [4, 5, 6, 8]
    hands.key(5, 5)
    assert wins(hands.key(3, 4))["fire bet, 4 points"] == "24 to 1"


def test_d12_a_house_cannot_offer_what_its_text_does_not_permit() -> None:
    for rules, game, options in (
        (NIGHT, "craps", 'fire_bet = "A"'),
        ("njac-19:47", "mini_craps", 'fire_bet = "B"'),
        (NIGHT, "craps", 'optional = ["6-7-8"]'),
    ):
        wrong = check_text(craps_toml(rules, game, options=options)).errors
        assert len(wrong) == 1
        assert f"game.{options.partition(' ')[0]}: " in str(wrong[0])


class Key(msgspec.Struct, frozen=True):
    name: str
    role: str
    operator_class: str | None


@pytest.mark.parametrize("verb", ["void", "settle", "pass_dice", "change_dice", "roll_for_come", "line_wager"])
def test_d13_only_a_class_a_operator_operates_craps(verb: str) -> None:
    why = may(Key("bob", "dealer", "B"), verb, "craps", NIGHT)
    assert why == f"{verb}: only a Class A operator may operate craps (13:47-20.2, 20.9(d)), and bob has Class B"
    assert may(Key("ann", "dealer", "A"), verb, "craps", NIGHT) is None


# --- what people do between two rolls ------------------------------------------------------------------------------


def test_a_shooter_may_pass_the_dice_after_a_decision_and_is_ordered_to_at_any_time() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    assert "has not thrown yet" in answered(hands.order("pass_dice by=stickperson"))
    hands.key(4, 4)
    assert "13:47-20.25(g)6" in answered(hands.order("pass_dice by=stickperson"))
    assert "boxperson (ours)" in answered(hands.order("pass_dice ordered=true by=stickperson"))
    changed = hands.order("pass_dice ordered=true by=boxperson").one(events.CarriedStateChanged)
    assert (changed.course["shooter"], changed.course["point"], changed.by) == (2, 8, "boxperson")
    assert hands.key(4, 4).one(events.Outcome).result["shooter"] == 2


def test_a_shooter_without_a_line_wager_rolls_for_the_come_wagers_that_are_left() -> None:
    hands = CrapsHands(craps_toml())
    for dice in ((4, 4), (4, 5), (6, 2)):
        hands.key(*dice)
    hands.order("roll_for_come by=stickperson")
    assert hands.stands.phase == "come_only"
    assert hands.key(2, 3).one(events.Outcome).result["decision"] == "none"
    hands.order("line_wager by=stickperson")
    assert hands.key(5, 6).one(events.Outcome).result["decision"] == "natural"
    night = CrapsHands(craps_toml(NIGHT))
    assert "no roll without a pass or don't pass bet (ours)" in answered(night.order("roll_for_come by=ann"))


def test_an_order_of_craps_is_refused_at_another_game_while_dice_run_and_while_a_roll_is_not_called() -> None:
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    hands.throw(3, 1, settle=False)
    assert "must be over" in answered(hands.order("change_dice by=ann"))
    hands.key(3, 2)
    assert "must be over" in answered(hands.order("change_dice by=ann"))


# --- an unresolved roll holds the game -----------------------------------------------------------------------------


def unresolved_hands() -> CrapsHands:
    """A table of which the second roll is not called."""
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    for keyed in ((3, 1), (5, 2)):
        hands.throw(3, 1, settle=False)
        hands.key(*keyed)
    return hands


def test_an_unresolved_roll_holds_the_table_until_it_is_called() -> None:
    hands = unresolved_hands()
    assert hands.wait(60).verdicts() == []
    assert "round 2 is unresolved: call it first" in answered(hands.order("settle"))
    said = hands.order("confirm dice=3-1 by=ann")
    assert said.one(events.RoundCorrected).to.result == {
        **{"dice": [3, 1], "total": 4, "decision": "pass", "shooter": 1, "point": 4}
    }
    assert [bet.bet for bet in said.one(events.RoundCorrected).winning][:2] == ["pass", "pass odds"]
    assert hands.wait(4).story() == ["round.settled auto", "round.opened"]
    assert (hands.stands.phase, hands.lit) == ("come_out", set())


@pytest.mark.parametrize(
    ("keyed", "advice"),
    [
        ((1, 3), "round 2 is unresolved: confirm dice=3-1 calls it"),
        ((6, 6), "round 2 is unresolved: void it, or a supervisor corrects it"),
    ],
)
def test_values_that_are_keyed_too_late_are_answered_with_what_calls_the_roll(
    keyed: tuple[int, int], advice: str
) -> None:
    said = unresolved_hands().key(*keyed, settle=False)
    warning = said.one(events.DeviceWarning)
    assert (warning.warning, warning.detail.endswith(advice)) == ("keyed_out_of_round", True)


@pytest.mark.parametrize("order", ["void by=ann", "void reason=die_on_bank as=boxperson by=ann", "void round=2 by=ann"])
def test_an_unresolved_roll_can_be_called_no_roll(order: str) -> None:
    hands = unresolved_hands()
    assert hands.order(order).one(events.RoundCorrected).to.verdict == "void"
    hands.wait(4)
    assert hands.stands.point == 4
    assert hands.throw(2, 2, settle=False) + hands.key(2, 2) is not None


def test_a_table_that_closed_on_an_unresolved_roll_asks_for_it_when_it_opens_again() -> None:
    hands = unresolved_hands()
    hands.order("close reason=late by=ann")
    said = hands.order("open by=ann")
    assert [warning.warning for warning in said.of(events.DeviceWarning)] == ["roll_not_called"]
    hands.order("confirm dice=5-2 round=2 by=ann")
    assert hands.wait(4).story() == ["round.settled auto", "round.opened"]
    assert hands.stands.shooter == 2


def test_dice_that_are_collected_before_they_are_keyed_leave_the_roll_to_a_person() -> None:
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    hands.throw(3, 1, settle=False)
    said = hands.throw(6, 6)
    assert said.verdicts() == ["unresolved dice_disturbed"]
    assert [one["dice"] for one in said.one(events.Unresolved).candidates] == [[3, 1]]


@pytest.mark.parametrize("seen", [(3,), (3, 4, 5)])
def test_dice_that_are_moved_after_a_board_read_another_number_of_them_leave_the_roll_to_the_dealer(
    seen: tuple[int, ...],
) -> None:
    hands = CrapsHands(craps_toml(reader=True))
    hands.wait(3)
    hands.throw(*seen, settle=False)
    said = hands.throw(6, 6)
    assert said.verdicts() == ["unresolved dice_disturbed"]
    assert said.one(events.Unresolved).candidates == []


# --- corrections ---------------------------------------------------------------------------------------------------


def test_a_correction_of_the_last_roll_puts_the_game_and_the_markers_right() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    hands.key(4, 4)
    assert hands.lit == {"puck_on", "point_8"}
    hands.key(5, 2)
    assert (hands.stands.shooter, hands.lit) == (2, set())
    said = hands.order("correct round=2 dice=5-3 by=ann why=misread")
    assert said.one(events.RoundCorrected).to.result == {
        **{"dice": [5, 3], "total": 8, "decision": "pass", "shooter": 1, "point": 8}
    }
    assert said.one(events.CarriedStateChanged).act == "corrected"
    assert hands.stands.shooter == 1


def test_a_correction_of_an_older_roll_corrects_what_follows_from_it() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    for dice in ((4, 4), (5, 2), (3, 3)):
        hands.key(*dice)
    assert hands.stands.point == 6
    said = hands.order("correct round=2 dice=5-4 by=ann why=misread")
    corrected = said.of(events.RoundCorrected)
    assert [(one.round, one.by, one.why) for one in corrected] == [
        (2, "ann", "misread"),
        (3, "controller", "follows from round 2"),
    ]
    assert corrected[1].to.result == {"dice": [3, 3], "total": 6, "decision": "none", "shooter": 1, "point": 8}
    assert "six the hardway" in {bet.bet for bet in corrected[1].winning}
    assert hands.stands.point == 8
    assert hands.lit == {"puck_on", "point_8"}
    assert said.one(events.CarriedStateChanged).before[3]["point"] == 8


@pytest.mark.parametrize("reason", ["dealer_call", "shaker_failed", "power_loss"])
@pytest.mark.parametrize("text", [NIGHT, "njac-19:47"])
def test_a_proven_roll_is_taken_back_for_a_reason_of_the_text_alone(reason: str, text: str) -> None:
    hands = CrapsHands(craps_toml(text, options="settle_after_s = 30"))
    hands.key(4, 4)
    hands.wait(40)
    hands.key(3, 4, settle=False)
    hands.order(f"void reason={reason} by=dealer1")
    assert hands.bench.said.of(events.RoundCorrected) == []
    assert hands.stands.shooter == 2


# --- after a restart -----------------------------------------------------------------------------------------------


def folded(hands: CrapsHands) -> TableState:
    state = TableState("craps-1")
    for event in hands.bench.said:
        state.apply(decode(encode(event)))
    # As a snapshot carries it.
    return TableState.from_snapshot(
        msgspec.json.decode(msgspec.json.encode(state.snapshot()), type=type(state.snapshot()))
    )


def restarted(hands: CrapsHands, text: str) -> CrapsHands:
    state = folded(hands)
    after = CrapsHands.__new__(CrapsHands)
    after.__dict__.update(hands.__dict__)
    after.bench = hands.bench.__class__.__new__(hands.bench.__class__)
    after.bench.table = table_for(configured(text), epoch="again", simulated=True)
    after.bench.table.restore(state)
    after.bench.said = EventList(hands.bench.said)
    after.lit = set()
    after.bench.said += after.bench.table.open(round(after.now_s * 1e9))
    after.now_s += 0.1
    after.up()
    return after


@pytest.mark.parametrize("rolls", [[(4, 4)], [(4, 4), (2, 3)], [(4, 4), (4, 5), (5, 2)], [(6, 5)]], ids=str)
@pytest.mark.parametrize("settle", [True, False])
def test_a_restart_goes_on_where_the_game_stood(rolls: list[tuple[int, int]], settle: bool) -> None:
    text = craps_toml(options='fire_bet = "A"')
    hands = CrapsHands(text)
    for dice in rolls[:-1]:
        hands.key(*dice)
    hands.key(*rolls[-1], settle=settle)
    after = restarted(hands, text)
    assert after.stands == hands.stands
    assert after.lit == hands.lit


def test_a_restart_keeps_what_people_did_between_the_rolls() -> None:
    text = craps_toml(NIGHT)
    hands = CrapsHands(text)
    hands.key(4, 4)
    hands.order("pass_dice ordered=true by=boxperson")
    hands.order("change_dice by=ann")
    after = restarted(hands, text)
    assert after.stands == hands.stands
    assert (after.stands.shooter, after.stands.point, after.stands.dice_change_asked) == (2, 8, True)


def test_after_a_restart_an_older_roll_can_be_corrected_as_before() -> None:
    text = craps_toml(NIGHT)
    hands = CrapsHands(text)
    for dice in ((4, 4), (5, 2), (3, 3)):
        hands.key(*dice)
    after = restarted(hands, text)
    after.order("correct round=2 dice=5-4 by=ann why=misread")
    assert after.stands.point == 8
    again = restarted(after, text)
    assert again.stands == after.stands
    assert again.order("correct round=3 dice=4-4 by=ann why=misread").one(events.RoundCorrected).to.result == {
        **{"dice": [4, 4], "total": 8, "decision": "pass", "shooter": 1, "point": 8}
    }


def test_an_unresolved_roll_is_asked_for_after_a_restart() -> None:
    text = craps_toml(reader=True)
    hands = unresolved_hands()
    after = restarted(hands, text)
    assert after.game.rounds.uncalled == 2
    after.order("confirm dice=3-1 round=2 by=ann")
    after.wait(4)
    assert after.stands.phase == "come_out"


@pytest.mark.parametrize("course", [{"phase": "point", "point": 7}, {"phase": "point", "point": 8, "later": 1}])
def test_a_state_of_the_game_that_is_not_read_shuts_the_table_until_it_is_cleared(course: dict[str, Any]) -> None:
    text = craps_toml(NIGHT)
    hands = CrapsHands(text)
    hands.key(4, 4)
    state = folded(hands)
    state.course = course
    for start in ("first", "again"):
        bench = TableBench(text, state)
        fault = bench.said.one(events.DeviceFault)
        assert (fault.device, fault.fault, bench.table.state) == ("dice", "game_state_unread", "shut"), start
        assert bench.said.of(events.RoundOpened) == []
        for event in bench.said:
            state.apply(decode(encode(event)))
    bench.feed([], [read_command("correct round=2 dice=5-3 by=ann why=seen id=c", 1)])
    assert "the state of the game before round 2 is not known any more" in bench.table.answers()[0].reason
    said = bench.feed([], [read_command("clear device=dice by=ann", 2)], 10_000_000_000)
    opened = said.one(events.RoundOpened)
    assert opened.course is not None
    assert opened.course["phase"] == "come_out"


def test_what_another_game_has_carried_is_no_state_of_craps() -> None:
    history = CrapsHands(craps_toml(NIGHT)).game.history
    result = {"dice": [1, 2, 3], "total": 6}
    record = RoundRecord(
        round=1, sequence=9, time="", verdict="outcome", result=result, course={"shaker_removed": True}
    )
    history.restore([record], None)
    assert (history.now, history.unread) == (CrapsState(), None)


# --- the casino night ----------------------------------------------------------------------------------------------


def test_the_casino_night_has_no_rule_for_an_invalid_throw_and_its_voids_are_ours() -> None:
    hands = CrapsHands(craps_toml(NIGHT, keypad=False, reader=True))
    hands.wait(3)
    void = hands.throw(4, 4, lying="off_table").one(events.Void)
    assert (void.call, void.rule) == ("No roll", "ours")


def test_no_profile_lets_a_table_play_by_titles_alone() -> None:
    for game in ("craps", "mini_craps"):
        wrong = check_text(craps_toml("njac-13:69F", game)).errors
        assert "gives only the titles" in str(wrong[0])
    assert "13:47-20.4 does not have mini-craps" in check_text(craps_toml(NIGHT, "mini_craps")).errors[0].wrong


def test_a_dead_keypad_shuts_the_table_and_it_comes_back_to_play() -> None:
    hands = CrapsHands(craps_toml(NIGHT))
    hands.key(4, 4)
    lost = EdgesLost("key_enter", Loss.UNPLUGGED, round(hands.now_s * 1e9) + 1, None)
    assert hands.feed([], [lost], 0.1).verdicts() == ["void sensor_missing"]
    up = Edge("key_enter", 0, round(hands.now_s * 1e9) + 1)
    hands.feed([up], [], 0.5)
    hands.order("clear device=keypad by=ann")
    assert hands.key(4, 4).one(events.Outcome).result["decision"] == "pass"
