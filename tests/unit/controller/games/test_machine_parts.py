"""The parts of a machine alone: its play, its tokens, its attendant, its records, and what is played."""

from __future__ import annotations

from typing import Any

import pytest

from controller.games.machines.account import AccountError
from controller.games.machines.attendant import DOOR
from controller.games.machines.board_coins import as_coins
from controller.games.machines.coin_handling import CHUTE, DOUBT, MACHINE, CoinHandling
from controller.games.machines.current_play import STAKED
from controller.games.machines.game import MachineGame, MachineParts
from controller.games.machines.plays import PlayLedger
from controller.games.machines.rules import MachineRules
from controller.games.machines.skill_stop import PlayedReels, PlayRecall, SkillStopResults
from controller.games.skill_stop_reel.model import MODELS
from controller.games.token_pusher.rounds import PusherPlays, PusherResults, TokenPusherOptions
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.faults import CauseGone, Fault
from controller.table.phase import OPEN, RUNNING, SHUT
from controller.table.recent import RECENT
from drivers.base.driver import NEVER_NS
from drivers.base.spun_reels import ReelStands
from drivers.base.token_pulses import PulseNotCounted
from drivers.coins.observations import TokenDoubt, TokenPassed, TokenWayClear
from drivers.pusher.bed import TokenFell
from feed import events
from feed.events import MachineEvent

S = 1_000_000_000
PLAY_NS = 8 * S


class Machine:
    """A machine with its parts, whose play is the pusher's: open, with nothing reported yet."""

    def __init__(self) -> None:
        context = GameContext(
            table="t", game="token_pusher", simulated=True, call_by="auto", settle_by_button=False, time_of=str
        )
        options = TokenPusherOptions(token_value=2)
        rules = profile("njac-13:47-20").text("token_pusher", MachineRules)
        self.parts = MachineParts(context, rules, options, "hash")
        self.plays = PusherPlays(self.parts, options)
        self.game = MachineGame(self.parts, self.plays)
        self.rounds, self.current, self.account = self.parts.rounds, self.parts.current, self.parts.account
        self.rounds.judged_by(self.game)
        self.rounds.open(0)
        self.reported()

    def reported(self) -> list[object]:
        """What was reported since."""
        found: list[object] = list(self.rounds.report.events)
        self.rounds.report.events.clear()
        return found

    def records(self) -> list[MachineEvent]:
        """The records that were made since."""
        return [one for one in self.reported() if isinstance(one, MachineEvent)]


# --- the play ---------------------------------------------------------------------------------------------------------


def test_a_token_begins_a_play_with_its_time_and_its_stake() -> None:
    machine = Machine()
    machine.current.begin(S, PLAY_NS)
    record, started = machine.reported()
    assert isinstance(record, MachineEvent)
    assert (record.act, record.tokens, record.credits, record.carried["play_round"]) == ("play_begun", STAKED, 0, 1)
    assert isinstance(started, events.RoundStarted)
    assert machine.rounds.phase is RUNNING
    assert machine.rounds.run_due_ns == S + PLAY_NS
    assert (machine.account.meters.tokens_in, machine.account.meters.tokens_played) == (1, 1)


def test_the_time_of_a_play_stops_until_nothing_holds_it() -> None:
    machine = Machine()
    machine.current.begin(0, PLAY_NS)
    machine.current.hold(3 * S, DOOR)
    machine.current.hold(4 * S, "other")
    assert machine.rounds.run_due_ns == NEVER_NS
    assert not machine.current.playable
    assert machine.current.is_held_beside(DOOR)
    machine.current.let_go(5 * S, DOOR)
    assert machine.rounds.run_due_ns == NEVER_NS
    machine.current.let_go(10 * S, "other")
    assert machine.current.playable
    assert machine.rounds.run_due_ns == 10 * S + PLAY_NS - 3 * S


def test_whoever_watches_the_course_is_called_at_each_change() -> None:
    machine, seen = Machine(), list[int]()
    machine.current.watch(seen.append)
    machine.current.hold(1, DOOR)
    machine.current.let_go(2, DOOR)
    assert seen == [1, 2]


def test_an_award_is_worth_its_tokens() -> None:
    current = Machine().current
    assert current.notices(0) == []
    assert current.notices(3) == ["3 tokens won: $6 of imitation money"]


def test_a_play_that_ends_is_settled_and_the_next_one_is_open() -> None:
    machine = Machine()
    machine.current.begin(0, PLAY_NS)
    machine.reported()
    machine.current.end(S, {"tokens_in": 1, "tokens_won": 0}, 0, events.Evidence())
    kinds = [type(one).__name__ for one in machine.reported()]
    assert kinds == ["Outcome", "Settled", "RoundOpened"]
    assert (machine.rounds.phase, machine.rounds.number) == (OPEN, 2)


# --- tokens -----------------------------------------------------------------------------------------------------------


def handling(machine: Machine, played: list[int]) -> CoinHandling:
    return CoinHandling(machine.rounds.report, machine.account, machine.current, played.append)


def test_a_token_is_played_or_tests_or_is_paid_by_hand() -> None:
    machine, played = Machine(), list[int]()
    coins = handling(machine, played)
    assert coins.take(TokenPassed(t_ns=1, passed_ns=1))
    assert played == [1]
    machine.parts.attendant.begin_test(2, "ann")
    coins.take(TokenPassed(t_ns=3, passed_ns=3))
    machine.parts.attendant.end_test(4, "ann")
    assert [one.act for one in machine.records()] == ["test_begun", "test_token", "test_ended"]
    assert machine.account.meters.tokens_in == 0
    machine.current.hold(5, DOOR)
    coins.take(TokenPassed(t_ns=6, passed_ns=6))
    (record,) = machine.records()
    assert (record.act, record.credits) == ("hand_pay_due", 1)
    assert played == [1]


def test_a_token_in_doubt_shuts_the_machine_until_it_is_counted() -> None:
    machine = Machine()
    coins = handling(machine, [])
    coins.take(as_coins(PulseNotCounted(t_ns=1, detail="too long")))
    _, fault = machine.reported()
    assert isinstance(fault, Fault)
    assert (fault.fault, fault.cause, fault.device) == ("token_in_doubt", DOUBT, MACHINE)
    with pytest.raises(AccountError, match="between 0 and 1"):
        coins.reconcile(2, 2, "ann")
    assert machine.reported() == []
    assert coins.reconcile(3, 1, "ann").detail == "too long"
    assert machine.account.credits == 1
    assert CauseGone(3, DOUBT, MACHINE) in machine.reported()


def test_a_jam_is_gone_when_the_way_is_clear() -> None:
    machine = Machine()
    coins = handling(machine, [])
    coins.take(TokenDoubt(t_ns=1, code="token_jam", detail="it sticks"))
    coins.take(TokenWayClear(t_ns=2))
    assert machine.reported() == [
        Fault(1, "token_jam", "it sticks", cause=CHUTE, device=CHUTE),
        CauseGone(2, CHUTE, CHUTE),
    ]
    assert not coins.take(TokenFell(t_ns=3, side="house", fell_ns=3))


# --- people and records -----------------------------------------------------------------------------------------------


def test_no_test_begins_in_a_play_and_each_movement_of_the_door_is_recorded_once() -> None:
    machine = Machine()
    attendant = machine.parts.attendant
    machine.current.begin(0, PLAY_NS)
    machine.reported()
    assert attendant.begin_test(1, "ann") == "play 1 is on: wait for its end, or void it"
    assert attendant.end_test(1, "ann") == "test mode is not on"
    for t_ns, is_open in ((2, True), (3, True), (4, False), (5, False)):
        attendant.move_door(t_ns, is_open)
    assert [one.act for one in machine.records()] == ["door_opened", "door_closed"]
    assert machine.account.meters.door_openings == 1


def test_a_record_has_what_each_part_carries_and_is_seen() -> None:
    machine, seen = Machine(), list[int]()
    machine.parts.records.carry(lambda: {"more": 7})
    machine.parts.records.watch(seen.append)
    machine.account.write(9, "power_on")
    (record,) = machine.records()
    assert record.carried["model"] == "hash"
    assert record.carried["more"] == 7
    assert "play" not in record.carried
    assert seen == [9]
    assert machine.parts.records.model_changed({"model": "hash"}) is None
    assert machine.parts.records.model_changed({}) is None
    changed = machine.parts.records.model_changed({"model": "other"})
    assert changed == "what touches play was changed: its hash was other, and is hash"


def test_the_last_plays_are_shown_where_there_is_a_display_and_no_play_is_on() -> None:
    machine = Machine()
    assert "no screen" in (PlayRecall(machine.parts, shown=False).begin(1, "ann") or "")
    recall = PlayRecall(machine.parts, shown=True)
    assert recall.end(1, "ann") == "the last plays are not shown"
    assert recall.begin(2, "ann") is None
    assert recall.begin(3, "ann") == "the last plays are shown already"
    assert not machine.current.playable
    assert recall.end(4, "ann") is None
    machine.current.begin(5, PLAY_NS)
    assert recall.begin(6, "ann") == "play 1 is on: wait for its end"


# --- what is played ---------------------------------------------------------------------------------------------------


def test_the_next_token_ends_a_play_with_what_fell() -> None:
    machine = Machine()
    machine.plays.token(0)
    machine.plays.take(TokenFell(t_ns=S, side="player", fell_ns=S))
    machine.plays.take(TokenFell(t_ns=S, side="house", fell_ns=S))
    machine.reported()
    machine.plays.token(2 * S)
    (outcome,) = [one for one in machine.reported() if isinstance(one, events.Outcome)]
    assert outcome.result == {"tokens_in": 1, "tokens_won": 1}
    assert (outcome.evidence.falls_ns, outcome.evidence.ended_by) == ([S], "token")
    assert machine.rounds.phase is RUNNING
    assert machine.plays.state == {"falls_ns": []}


def test_a_shut_table_holds_a_play_and_a_void_gives_its_stake_back() -> None:
    machine = Machine()
    machine.plays.token(0)
    machine.rounds.shut(S, "shelf_stalled", "it stalls")
    assert (machine.rounds.phase, machine.rounds.held) == (SHUT, RUNNING)
    machine.reported()
    assert machine.rounds.void_by_hand(2 * S, "broken")
    record, void = machine.reported()
    assert isinstance(record, MachineEvent)
    assert (record.act, record.tokens, record.credits) == ("stake_refunded", 1, 1)
    assert "play" not in record.carried
    assert isinstance(void, events.Void)
    assert (machine.rounds.phase, machine.rounds.held) == (SHUT, None)


@pytest.mark.parametrize("name", ["", "-1", "1000", "1.0", "²", "0x1"])
def test_no_other_text_names_tokens_won(name: str) -> None:
    results = PusherResults()
    assert results.named("999") == {"tokens_in": 1, "tokens_won": 999}
    assert results.name_of(results.named("7")) == "7"
    with pytest.raises(ValueError, match="0 to 999"):
        results.named(name)


def reels() -> SkillStopResults:
    return SkillStopResults(MODELS.named("fruit_3"))


def test_stops_are_named_as_they_are_read() -> None:
    results = reels()
    result = results.named("3-0-17")
    assert result["stops"] == [3, 0, 17]
    assert results.name_of(result) == "3-0-17"
    assert results.won(result) == result["award"]
    assert results.are_stops([3, 0, 17])
    wrong: list[Any] = [[3, 0], [3, 0, 20], "3-0-17", [3, 0, None]]
    assert not any(results.are_stops(stops) for stops in wrong)
    for name in ("3-0", "3-0-20", "3-0-x", "3-0-0-0"):
        with pytest.raises(ValueError, match="give 3 stops such as 0-0-0, 0 to 19"):
            results.named(name)


def test_the_reels_of_a_play_go_on_from_their_state() -> None:
    play = PlayedReels(3)
    play.stop(ReelStands(t_ns=1, reel=2, stop=4, step=40, by_player=True, pressed_ns=9))
    play.awarded = 5
    assert play.free == [1, 3]
    assert play.evidence().stopped_by == ["house", "player", "house"]
    assert play.evidence().pressed_ns == [None, 9, None]
    again = PlayedReels(3)
    again.resume(play.state, reels())
    assert (again.stops, again.by_player, again.awarded) == ([None, 4, None], [False, True, False], 5)
    other = PlayedReels(3)
    other.resume({"stops": [1, 2], "by_player": [True, True]}, reels())
    assert other.state == PlayedReels(3).state
    other.resume({"stops": [1, 99, None], "by_player": [True, True, False]}, reels())
    assert other.stops == [1, None, None]


def test_as_many_plays_are_kept_as_can_be_corrected_and_the_one_that_is_on() -> None:
    plays = PlayLedger()
    for number in range(1, RECENT + 3):
        plays.begin(number, 1)
    assert [play.round for play in plays] == [*range(2, RECENT + 3)]
