"""Commands to a table: effects, answers, and the reasons of refusals."""

from __future__ import annotations

from typing import Any

import pytest

from controller.games.catalogue import GAME
from feed import events
from feed.events import Verdict
from hal.capture.command_text import read_command
from hal.values import Batch, EdgesLost, Loss, Reading
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.orders import CommandBench
from tests.tables.roulette_lines import RouletteLines, roulette_toml, spin

BY_HAND = '"dealer_no_more_bets", "dealer_settled"'


def played(lines: MoneyLines, *, buttons: str = "", **more: Any) -> CommandBench:
    """A money wheel on which something was done."""
    bench = CommandBench(money_toml(call="button" if lines.button else "auto", buttons=buttons), **more)
    bench.feed(Batch(lines.edges(), [], lines.now_ns))
    return bench


def outcome(rest: int = 3) -> tuple[CommandBench, int]:
    """A money wheel whose round 1 is space 0, waiting for the dealer to settle."""
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(rest)
    return played(lines, buttons=BY_HAND), lines.now_ns


def unresolved() -> tuple[CommandBench, int]:
    """A money wheel with pegs: round 1 may be one space, and the dealer calls it."""
    lines = spin()
    bench = CommandBench(
        roulette_toml(buttons='"dealer_settled"', game="read_turns = 10\ngive_up_turns = 1\ngive_up_s = 15")
    )
    bench.feed(Batch(lines.edges(), [], lines.now_ns))
    assert bench.said.verdicts() == ["unresolved no_number_read"]
    return bench, lines.now_ns


# --- answers -------------------------------------------------------------------------------------------------------


def test_an_order_is_answered_with_what_happened_and_the_events_it_led_to() -> None:
    bench = played(MoneyLines().rest(4))
    answer = bench.send("void reason=dealer_call why=spill by=ann", 5 * S)
    assert (answer.id, answer.accepted, answer.reason) == ("c1", True, "round 1 is void: dealer_call")
    assert answer.event_ids == ("wheel-1.sim.3", "wheel-1.sim.4")
    assert [event.id for event in bench.said[-2:]] == list(answer.event_ids)


def test_a_refused_command_is_answered_with_the_reason_and_published() -> None:
    bench = played(MoneyLines().rest(4))
    answer = bench.send("settle", 5 * S)
    assert (answer.accepted, answer.reason) == (False, "settle: round 1 has no verdict yet")
    assert answer.event_ids == (bench.said[-1].id,)
    assert bench.said.story()[-1] == "device.warning command_refused"


def test_an_order_without_an_id_is_carried_out_and_not_answered() -> None:
    bench = played(MoneyLines().rest(4))
    bench.feed(Batch([], [read_command("void", 5 * S)], 5 * S))
    assert bench.said.verdicts() == ["void dealer_call"]
    assert bench.table.answers() == []


def test_a_repeated_command_has_the_same_result_and_is_not_repeated() -> None:
    bench = played(MoneyLines().rest(4))
    first = bench.send("void by=ann", 5 * S, order_id="x")
    told = len(bench.said)
    assert bench.send("void by=ann", 6 * S, order_id="x") == first
    assert len(bench.said) == told


def test_a_repeated_refused_command_is_refused_again_though_it_would_now_be_accepted() -> None:
    bench = played(MoneyLines().rest(4))
    first = bench.send("confirm space=1 by=ann", 5 * S, order_id="x")
    assert not first.accepted
    assert bench.send("confirm space=1 by=ann", 6 * S, order_id="x") == first


def test_an_id_that_was_another_orders_is_refused() -> None:
    bench = played(MoneyLines().rest(4))
    bench.send("no_more_bets", 5 * S, order_id="x")
    answer = bench.send("void", 6 * S, order_id="x")
    assert not answer.accepted
    assert answer.reason == "id x was another order's: no_more_bets id=x"
    assert bench.said.verdicts() == []


def test_an_unknown_command_is_answered_with_those_of_the_tables_own_game() -> None:
    why = played(MoneyLines().rest(4)).refused("dance", 5 * S)
    listed = why.removeprefix("command dance is not one of ").split(", ")
    assert listed == GAME["money_wheel"].order_names
    assert set(GAME["craps"].order_names) > set(listed)
    assert "pass_dice" not in listed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("dance", "command dance is not one of open, close, clear,"),
        ("setle", "nearest: settle"),
        ("void reason=dealer_cal", "void: reason dealer_cal is not one of wheel_revolutions,"),
        ("void reason=dealer_cal", "nearest: dealer_call"),
        ("void reason=power_loss by=dealer", "void: reason power_loss is not one of wheel_revolutions,"),
        ("void raeson=dealer_call", "void: key raeson is not one of reason, why, round, as; nearest: reason"),
        ("settle why=because", "settle: key why is not known; it takes none"),
        ("void spill", "void: 'spill' is alone; expected key=value"),
        ("quit", "quit: a table cannot end the service"),
        ("clear device=wheel by=ann", "clear: no device of this table has a fault"),
        ("clear device=wheel", "clear: by must be given"),
        ("close by=ann", "close: reason must be given"),
        ("close reason=late by=ann force=perhaps", "close: force is 'perhaps'; expected true or false"),
        ("open by=ann", "open: the table is open already"),
        ("inspect_start device=wheel by=ann", "inspect_start: the table is open: close it first"),
        ("inspect_pass device=wheel checks=level by=ann", "inspect_pass: no inspection is under way"),
        ("confirm space=3 by=ann", "confirm: no round has a verdict yet"),
        ("correct round=1 space=3 by=ann why=misread", "correct: round 1 cannot be recalled: no round has a verdict"),
        ("correct round=one space=3 by=ann why=misread", "correct: round 'one' is not a number"),
        ("inspect_start by=ann", "inspect_start: device must be given; device: wheel"),
        ("correct space=3", "correct: round and by and why must be given"),
    ],
)
def test_a_refusal_states_exactly_why(text: str, why: str) -> None:
    assert why in played(MoneyLines().rest(4)).refused(text, 5 * S)


# --- play ----------------------------------------------------------------------------------------------------------


def test_no_more_bets_is_called_once() -> None:
    bench = played(MoneyLines().rest(4))
    assert bench.done("no_more_bets", 5 * S) == '"No more bets" for round 1'
    assert bench.done("no_more_bets", 6 * S) == '"No more bets" was called for round 1 already'
    assert len(bench.said.of(events.NoMoreBets)) == 1


def test_settling_opens_the_next_round() -> None:
    bench, now_ns = outcome()
    assert bench.done("settle", now_ns + S) == "round 1 is settled"
    assert bench.said.story()[-2:] == ["round.settled dealer", "round.opened"]


def test_a_round_with_a_result_is_not_voided_but_corrected() -> None:
    bench, now_ns = outcome()
    assert bench.refused("void", now_ns + S) == "void: round 1 has its verdict, and waits to be settled"


def test_at_a_shut_table_a_refusal_names_the_fault_that_shut_it() -> None:
    bench = played(MoneyLines().rest(4))
    bench.feed(Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 5 * S)], 5 * S))
    shut = "no round is open: the table is shut by device.fault sensor_missing"
    assert bench.refused("void", 6 * S) == f"void: {shut}"
    assert bench.refused("no_more_bets", 6 * S) == f"no_more_bets: {shut}"
    assert bench.refused("settle", 6 * S) == f"settle: {shut}"
    assert bench.refused("clear device=dealer by=ann", 6 * S).startswith("clear: device dealer is not one of wheel")
    stays = "sensor_missing stays, because of wheel_a"
    assert bench.refused("clear device=wheel by=ann", 6 * S) == f"clear: {stays}"


def test_while_a_void_run_goes_on_no_round_is_open() -> None:
    lines = MoneyLines().rest(3).spin(4 * TURN)
    bench = played(lines)
    assert bench.said.verdicts() == ["void spun_before_no_more_bets"]
    waits = "no round is open: round 1 is over, and the next opens when the wheel is quiet"
    assert bench.refused("void", lines.now_ns) == f"void: {waits}"


# --- calling an unresolved round -----------------------------------------------------------------------------------


def test_the_dealer_calls_an_unresolved_round_and_its_bets_win() -> None:
    bench, now_ns = unresolved()
    assert (
        bench.done("confirm pocket=17 by=bob", now_ns + S) == "round 1 is 17 black, and was unresolved no_number_read"
    )
    called = bench.said.one(events.RoundCorrected)
    assert (called.round, called.by, called.confirmed, called.mono_ns) == (1, "bob", True, now_ns + S)
    assert called.from_ == Verdict(verdict="unresolved", reason="no_number_read")
    assert called.to.result == bench.said.one(events.Unresolved).candidates[0]
    assert events.WinningBet("straight 17", "35 to 1") in called.winning
    assert bench.said.of(events.Outcome) == []


def test_only_a_candidate_can_be_called() -> None:
    bench, now_ns = unresolved()
    why = bench.refused("confirm pocket=18 by=bob", now_ns + S)
    assert why == "confirm: pocket 18 is not one of 17, the candidates of round 1"
    assert "is not on this wheel; it has 0 00 1 2 3" in bench.refused("confirm pocket=37 by=bob", now_ns + S)
    assert bench.refused("confirm by=bob", now_ns + S) == "confirm: pocket must be given"
    assert bench.refused("confirm pocket=17", now_ns + S) == "confirm: by must be given"


def test_a_round_is_called_once() -> None:
    bench, now_ns = unresolved()
    bench.done("confirm pocket=17 by=bob", now_ns + S)
    why = bench.refused("confirm pocket=17 by=bob", now_ns + 2 * S)
    assert why == "confirm: round 1 is not unresolved: it is 17 black"


def test_an_unresolved_round_is_called_void() -> None:
    bench, now_ns = unresolved()
    bench.done("void why=nobody saw it by=bob", now_ns + S)
    called = bench.said.one(events.RoundCorrected)
    assert (called.to, called.confirmed, called.winning) == (
        Verdict(verdict="void", reason="dealer_call"),
        True,
        [],
    )
    assert bench.said.of(events.Void) == []


def test_an_unresolved_round_can_be_called_after_it_was_settled() -> None:
    bench, now_ns = unresolved()
    bench.done("settle", now_ns + S)
    assert bench.done("confirm pocket=17 by=bob", now_ns + 2 * S).startswith("round 1 is 17 black")


def test_a_settled_round_is_called_void_by_its_number_and_the_open_one_stays_open() -> None:
    bench, now_ns = unresolved()
    bench.done("settle", now_ns + S)
    assert bench.done("void round=1 by=bob", now_ns + 2 * S).startswith("round 1 is void dealer_call")
    assert bench.refused("void round=1 by=bob", now_ns + 3 * S).endswith("a supervisor corrects it")
    assert bench.done("void round=2 by=bob", now_ns + 4 * S) == "round 2 is void: dealer_call"


def test_a_called_round_is_settled_so_long_after_the_call() -> None:
    lines = spin()
    bench = CommandBench(roulette_toml(game="read_turns = 10\ngive_up_turns = 1\ngive_up_s = 15\nsettle_after_s = 600"))
    bench.feed(Batch(lines.edges(), [], lines.now_ns))
    bench.done("confirm pocket=17 by=bob", lines.now_ns + 100 * S)
    bench.feed(Batch([], [], lines.now_ns + 699 * S))
    assert bench.said.of(events.Settled) == []
    bench.feed(Batch([], [], lines.now_ns + 700 * S))
    assert bench.said.one(events.Settled).mono_ns == lines.now_ns + 700 * S


# --- corrections ---------------------------------------------------------------------------------------------------


def test_a_supervisor_corrects_a_result_and_the_first_event_stays() -> None:
    bench, now_ns = outcome()
    happened = bench.done("correct round=1 space=3 by=ann why=the wheel was touched", now_ns + S)
    assert happened.startswith("round 1 is ") and happened.endswith(" (space 0)")
    correction = bench.said.one(events.RoundCorrected)
    assert bench.said.one(events.Outcome).result["space"] == 0
    assert correction.from_.result == bench.said.one(events.Outcome).result
    assert correction.to.result is not None and correction.to.result["space"] == 3
    assert (correction.by, correction.why, correction.confirmed) == ("ann", "the wheel was touched", False)
    assert [bet.bet for bet in correction.winning] == [correction.to.result["face"]]


def test_a_result_becomes_void_and_a_result_again() -> None:
    bench, now_ns = outcome()
    bench.done("correct round=1 reason=dealer_call by=ann why=bets were moved", now_ns + S)
    assert bench.said.one(events.RoundCorrected).to == Verdict(verdict="void", reason="dealer_call")
    bench.done("correct round=1 space=0 by=ann why=they were not", now_ns + 2 * S)
    assert [c.to.verdict for c in bench.said.of(events.RoundCorrected)] == ["void", "outcome"]
    assert [c.from_.verdict for c in bench.said.of(events.RoundCorrected)] == ["outcome", "void"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("correct round=1 by=ann why=x", "correct: give space=… for a result, or reason=… to make the round void"),
        ("correct round=1 space=3 reason=dealer_call by=ann why=x", "correct: give space=…"),
        ("correct round=1 space=50 by=ann why=x", "correct: space '50' is not on this wheel; its spaces are 0 to 49"),
        ("correct round=1 space=-1 by=ann why=x", "correct: space '-1' is not on this wheel"),
        ("correct round=1 reason=mood by=ann why=x", "correct: reason mood is not one of"),
        ("correct round=1 space=0 by=ann why=x", "correct: round 1 is"),
        ("correct round=1 space=0 by=ann why=x", "already"),
        ("correct round=1 space=3 by=ann why=", "correct: why must be given"),
        ("correct round=2 space=3 by=ann why=x", "correct: round 2 cannot be recalled: only 1 can"),
    ],
)
def test_a_refused_correction_states_why(text: str, why: str) -> None:
    bench, now_ns = outcome()
    assert why in bench.refused(text, now_ns + S)


def test_a_result_of_another_game_refuses_the_whole_order() -> None:
    bench, now_ns = outcome()
    why = "correct: key pocket is not one of round, by, why, space, reason"
    assert bench.refused("correct round=1 pocket=17 reason=dealer_call by=ann why=x", now_ns + S) == why
    assert bench.refused("correct round=1 space=3 pocket=17 by=ann why=x", now_ns + S) == why
    assert (
        bench.refused("confirm pocket=17 by=ann", now_ns + S)
        == "confirm: key pocket is not one of by, space, round, why"
    )
    assert bench.said.of(events.RoundCorrected) == []


def test_the_last_ten_rounds_can_be_corrected_and_no_older_one() -> None:
    bench = played(MoneyLines().rest(2))
    for number in range(1, 13):
        assert bench.done("void", (3 + number) * S) == f"round {number} is void: dealer_call"
    why = bench.refused("correct round=2 space=1 by=ann why=late", 20 * S)
    assert why == "correct: round 2 cannot be recalled: rounds 3 to 12 can be recalled"
    assert bench.done("correct round=3 space=1 by=ann why=late", 20 * S).endswith("was void dealer_call")


# --- disputes ------------------------------------------------------------------------------------------------------


def test_an_outcome_is_disputed_and_stands() -> None:
    bench, now_ns = outcome()
    before = bench.table.rounds.recent.newest_first
    happened = bench.done("dispute round=1 by=ann why=a player saw $5", now_ns + S)
    assert happened.startswith("round 1 is disputed: ") and happened.endswith(" stands")
    disputed = bench.said.one(events.RoundDisputed)
    result = bench.said.one(events.Outcome).result
    assert (disputed.round, disputed.by, disputed.why) == (1, "ann", "a player saw $5")
    assert disputed.stands == Verdict(verdict="outcome", result=result)
    assert bench.table.rounds.recent.newest_first == before
    assert bench.said.of(events.RoundCorrected) == []
    assert bench.done("dispute by=ann", now_ns + 2 * S) == happened, "without a number the last one, and again"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("dispute round=1", "dispute: by must be given"),
        ("dispute round=2 by=ann", "dispute: round 2 has no verdict yet: wait for it"),
        ("dispute round=7 by=ann", "dispute: round 7 cannot be recalled: only 1 can"),
        ("dispute round=x by=ann", "dispute: round 'x' is not a number"),
        ("dispute round=1 space=3 by=ann", "dispute: key space is not one of by, round, why"),
    ],
)
def test_a_dispute_of_no_such_round_is_refused(command: str, why: str) -> None:
    bench, now_ns = outcome()
    bench.done("settle", now_ns + S)
    assert bench.refused(command, now_ns + 2 * S).startswith(why)
    assert bench.said.of(events.RoundDisputed) == []


def test_double_zero_is_no_result_where_it_is_no_spin() -> None:
    bench = CommandBench(roulette_toml(device='pockets = "american_as_single_zero"'))
    bench.feed(Batch(RouletteLines().turn(3.0).edges(), [], 3 * S))
    bench.done("void", 4 * S)
    assert '"No spin" on this wheel (13:47-20.32(i)2)' in bench.refused("correct round=1 pocket=00 by=ann why=x", 5 * S)


def test_a_zero_that_is_called_has_its_notice() -> None:
    bench = CommandBench(roulette_toml())
    bench.feed(Batch(RouletteLines().turn(3.0).edges(), [], 3 * S))
    bench.done("void", 4 * S)
    bench.done("correct round=1 pocket=0 by=ann why=seen by all", 5 * S)
    assert bench.said.one(events.RoundCorrected).notices == ["even-money wagers lose all (13:47-20.32(g))"]


def test_a_level_fault_is_cleared_by_name_once_its_cause_is_gone() -> None:
    bench = CommandBench(roulette_toml())
    rare = [Reading("level_x", 0.5, 8 * S), Reading("level_x", 0.5, 10 * S), Reading("level_x", 0.0, 15 * S)]
    bench.feed(Batch(RouletteLines().turn(18.0).edges(), [*rare], 18 * S))
    assert bench.done("clear device=wheel by=ann", 20 * S) == "not_level of wheel cleared"
    assert bench.table.state == "open"
