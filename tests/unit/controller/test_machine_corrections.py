"""A correction of a machine's play is money: credits, meters, debts, hand pay and journal agree after it."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from controller.games.machines.account import balance_error
from controller.service.event_lines import machine_words
from feed import events
from feed.events import MachineEvent
from feed.state import RECENT_ROUNDS, decode_snapshot, encode_snapshot
from scoreboard.game_details import details_of
from tests.tables.coin_machine import CoinMachine
from tests.tables.pusher_machine import PusherMachine
from tests.tables.recorded_machine import RecordedMachine
from tests.tables.reel_machine import ReelMachine
from tests.tables.video_machine import VideoMachine

WON: Final = {ReelMachine: "stops=1-1-1", VideoMachine: "stops=1-1-1", PusherMachine: "tokens=20"}
"""A result of 20 tokens."""
LOST: Final = {ReelMachine: "stops=0-0-0", VideoMachine: "stops=0-0-0", PusherMachine: "tokens=0"}
MACHINES: Final = [pytest.param(kind, id=kind.__name__) for kind in WON]


def played(kind: Any) -> Any:
    """A machine after a play that won nothing."""
    machine = kind()
    if isinstance(machine, PusherMachine):
        machine.token()
        machine.wait(9)
    else:
        machine.play()
    stands = machine.state.rounds[-1].stands
    assert (stands.verdict, stands.result.get("award", stands.result.get("tokens_won"))) == ("outcome", 0)
    return machine


def correct(machine: Any, to: str, play: int = 1) -> str:
    """A correction, after which the books agree; returns the answer."""
    answer: str = machine.ok(f"correct round={play} {to} by=ann why=looked")
    agreed(machine)
    return answer


def agreed(machine: RecordedMachine) -> None:
    """Meters, credits and debt of the journal agree, and are those of the machine."""
    held, account = machine.state.machine, machine.table.game.account  # type: ignore[attr-defined]
    assert held is not None
    assert balance_error(held.meters, held.credits, held.debt) is None
    assert (account.meters, account.credits, account.debt) == (held.meters, held.credits, held.debt)


def owed(machine: RecordedMachine) -> tuple[int, int]:
    """Credits and debt."""
    assert machine.state.machine is not None
    return machine.state.machine.credits, machine.state.machine.debt


@pytest.mark.parametrize("kind", MACHINES)
def test_a_correction_moves_the_difference_once_whatever_was_paid_meanwhile_and_over_restarts(kind: Any) -> None:
    machine = played(kind)
    won, lost = WON[kind], LOST[kind]
    assert correct(machine, won).endswith("; 20 credits")
    assert (owed(machine), machine.meters.tokens_won) == ((20, 0), 20)
    assert machine.state.machine.hand_pay
    machine.restart()
    machine.wait(6)
    correct(machine, lost)
    assert (owed(machine), machine.meters.tokens_taken_back) == ((0, 0), 20)
    correct(machine, won)
    assert machine.ok("hand_pay by=ann") == "20 tokens paid by hand"
    assert correct(machine, lost).endswith("; 0 credits, 20 tokens owed by players")
    assert owed(machine) == (0, 20)
    assert "no tokens to be paid" in machine.refused("hand_pay by=ann")
    machine.restart()
    machine.wait(6)
    agreed(machine)
    assert owed(machine) == (0, 20)
    correct(machine, won)
    assert owed(machine) == (0, 0), "the 20 tokens that were paid by hand are due again, and are not paid twice"


@pytest.mark.parametrize("kind", MACHINES)
def test_a_play_corrected_to_void_gives_its_stake_back_and_a_result_takes_it_again(kind: Any) -> None:
    machine = played(kind)
    correct(machine, "reason=dealer_call")
    assert (owed(machine), machine.meters.tokens_refunded) == ((1, 0), 1)
    correct(machine, LOST[kind])
    assert (owed(machine), machine.meters.tokens_restaked) == ((0, 0), 1)
    machine.wait(6)
    machine.token()
    machine.ok("void why=stuck by=ann")
    assert owed(machine) == (1, 0)
    assert correct(machine, WON[kind], 2).endswith("; 20 credits")
    machine.ok("hand_pay by=ann")
    correct(machine, "reason=dealer_call", 2)
    assert owed(machine) == (0, 19)


@pytest.mark.parametrize("kind", MACHINES)
def test_a_play_in_which_no_token_was_staked_is_not_corrected_to_a_result(kind: Any) -> None:
    machine = kind()
    machine.ok("void why=nobody by=ann")
    assert "no token was staked" in machine.refused(f"correct round=1 {WON[kind]} by=ann why=looked")
    assert machine.said.of(events.RoundCorrected) == []
    assert owed(machine) == (0, 0)


@pytest.mark.parametrize("kind", MACHINES)
def test_what_left_the_machine_is_a_debt_and_tokens_of_others_are_not_taken_for_it(kind: Any) -> None:
    machine = played(kind)
    correct(machine, WON[kind])
    machine.ok("hand_pay by=ann")
    machine.token()
    machine.ok("void why=next by=ann")
    correct(machine, LOST[kind])
    assert owed(machine) == (1, 20), "the stake of the next player is not an award of the one before"
    assert machine.ok("hand_pay by=ann") == "1 token paid by hand; 20 tokens owed by players: settle_debt"
    agreed(machine)


def test_a_debt_is_collected_or_waived_by_a_person_and_is_paid_to_nobody_twice() -> None:
    machine = played(ReelMachine)
    assert "nobody owes" in machine.refused("settle_debt how=waived by=ann")
    correct(machine, "stops=1-1-1")
    machine.ok("hand_pay by=ann")
    correct(machine, "stops=0-0-0")
    assert "collected" in machine.refused("settle_debt how=forgotten by=ann")
    for wrong in ("0", "21", "x", "-1"):
        assert "tokens" in machine.refused(f"settle_debt how=waived tokens={wrong} by=ann")
    assert machine.ok("settle_debt how=collected tokens=5 by=ann") == "5 tokens collected; 15 tokens still owed"
    agreed(machine)
    assert machine.ok("settle_debt how=waived by=bea") == "15 tokens waived; 0 tokens still owed"
    agreed(machine)
    assert machine.acts()[-2:] == ["debt_collected", "debt_waived"]
    assert (machine.meters.tokens_collected, machine.meters.tokens_waived) == (5, 15)
    machine.restart()
    correct(machine, "stops=1-1-1")
    # 20 were paid and 5 came back: 5 are missing.
    assert (owed(machine), machine.meters.tokens_waived) == ((5, 0), 0)


def test_a_debt_outlives_the_plays_that_can_be_corrected() -> None:
    machine = played(ReelMachine)
    correct(machine, "stops=1-1-1")
    machine.ok("hand_pay by=ann")
    correct(machine, "stops=0-0-0")
    for _ in range(RECENT_ROUNDS + 2):
        machine.play()
        machine.wait(0.5)
    assert "cannot be recalled" in machine.refused("correct round=1 stops=1-1-1 by=ann why=looked")
    assert machine.state.machine is not None
    assert machine.state.machine.debt == 20
    machine.restart()
    assert machine.ok("settle_debt how=collected by=ann") == "20 tokens collected; 0 tokens still owed"
    agreed(machine)


def test_what_fell_stays_won_in_a_void_play_and_is_a_debt_where_it_was_not_won() -> None:
    machine = PusherMachine()
    machine.token()
    for _ in range(3):
        machine.fall()
    machine.wait(9)
    correct(machine, "tokens=5")
    assert owed(machine) == (2, 0)
    correct(machine, "tokens=1")
    assert owed(machine) == (0, 2), "two of the three that are in the tray"
    correct(machine, "reason=dealer_call")
    assert owed(machine) == (1, 0)
    assert machine.meters.tokens_paid == 3


def test_an_award_is_corrected_while_the_next_play_is_on() -> None:
    machine = played(ReelMachine)
    machine.token()
    machine.wait(1.5)
    correct(machine, "stops=1-1-1")
    assert owed(machine) == (20, 0)
    machine.restart()
    machine.wait(4)
    for reel in (1, 2, 3):
        machine.stop(reel)
    second = machine.said.of(events.Outcome)[-1]
    assert second.round == 2
    assert machine.credits == 20 + second.result["award"]
    agreed(machine)


@pytest.mark.parametrize("kind", [ReelMachine, VideoMachine])
def test_the_reels_turn_to_the_result_that_stands_now_as_they_do_after_a_restart(kind: Any) -> None:
    machine = played(kind)
    machine.play()
    before = machine.game.rounds.recent.of(1).stands.result["stops"]
    correct(machine, "stops=4-5-6", 2)
    machine.wait(6)
    stops = (lambda: machine.stops) if kind is ReelMachine else (lambda: list(machine.images))
    assert stops() == [4, 5, 6]
    correct(machine, "reason=dealer_call", 2)
    machine.wait(6)
    assert stops() == before
    machine.restart()
    machine.wait(6)
    assert stops() == before


def test_the_hopper_pays_a_corrected_award_and_a_correction_while_it_pays_takes_nothing_that_may_have_left() -> None:
    machine = CoinMachine(3)
    machine.run(1.5)
    machine.token()
    machine.run(9)
    assert machine.order("correct round=1 tokens=6 why=looked").accepted
    machine.run(0.15)
    assert machine.table is not None
    assert machine.table.game.account.paying  # type: ignore[attr-defined]
    assert machine.order("correct round=1 tokens=2 why=again").accepted
    machine.run(6)
    assert machine.state.machine is not None
    assert machine.coins.hopper.paid == 6
    assert (machine.credits, machine.state.machine.debt) == (0, 4)
    assert balance_error(machine.meters, machine.credits, 4) is None
    machine.kill()
    machine.start()
    machine.run(2)
    assert machine.state.machine.debt == 4


def test_a_hopper_that_pays_too_few_leaves_no_credits_that_are_not_due_any_more() -> None:
    machine = CoinMachine(3)
    machine.run(1.5)
    machine.token()
    machine.run(9)
    machine.coins.hopper.tokens = 3
    machine.order("correct round=1 tokens=8 why=looked")
    machine.run(0.15)
    machine.order("correct round=1 tokens=1 why=again")
    machine.run(6)
    assert "payout_short" in machine.faults
    assert machine.state.machine is not None
    assert (machine.coins.hopper.paid, machine.credits, machine.state.machine.debt) == (3, 0, 2)
    assert balance_error(machine.meters, machine.credits, 2) is None


def test_journal_snapshot_board_and_screen_have_the_debt() -> None:
    machine = played(VideoMachine)
    correct(machine, "stops=1-1-1")
    machine.ok("hand_pay by=ann")
    correct(machine, "stops=0-0-0")
    last = machine.said.of(MachineEvent)[-1]
    assert machine_words(last) == (
        "the correction is in the account: play 1: 20 tokens owed by the player; 0 credits, 20 tokens owed by players"
    )
    snapshot = decode_snapshot(encode_snapshot(machine.state.snapshot()))
    assert snapshot.machine is not None
    details = details_of(machine.state)
    assert (snapshot.machine.debt, details["debt"]) == (20, 20)
    assert details["won"] == 0, "20 were won and taken back"
    machine.ok("recall_begin by=ann")
    assert machine.scene.meters["debt"] == 20
    assert machine.scene.plays[0].award == 0


def test_books_of_plays_that_contradict_the_debt_shut_the_machine() -> None:
    machine = played(ReelMachine)
    correct(machine, "stops=1-1-1")
    machine.ok("hand_pay by=ann")
    correct(machine, "stops=0-0-0")
    held = machine.state.machine
    assert held is not None
    machine.state.machine = msgspec.structs.replace(held, carried={**held.carried, "plays": []})
    assert [one.fault for one in machine.restart().of(events.DeviceFault)] == ["ram_error"]


def test_plays_of_before_the_books_had_them_are_not_corrected_to_results_and_the_one_that_is_on_goes_on() -> None:
    machine = PusherMachine()
    machine.token()
    machine.wait(9)
    machine.token()
    machine.fall()
    held = machine.state.machine
    assert held is not None
    carried = {key: value for key, value in held.carried.items() if key != "plays"}
    machine.state.machine = msgspec.structs.replace(held, carried=carried)
    machine.restart()
    assert "not known" in machine.refused("correct round=1 tokens=3 by=ann why=looked")
    machine.wait(9)
    correct(machine, "tokens=3", 2)
    assert owed(machine) == (2, 0)
