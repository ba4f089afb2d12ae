"""The command handler: authority, repeated ids, answers, and records in the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from controller.service.command_handler import MAX_WAITING, REFUSALS_BURST, REFUSALS_REFILL_NS, CommandHandler
from controller.service.command_record import CommandRecord, FindRecord, OnRecordFound, decode_record
from controller.service.command_server import LOCAL, NEW_LOCAL_BURST, NEW_LOCAL_REFILL_NS, LocalAllowances
from controller.service.rate_limiter import RateLimiter
from controller.service.requests import CommandAnswer, Request, StatusAnswer
from controller.table.commands import command_of
from controller.table.orders.order import CommandResult
from feed.allow_list import KeyOwner
from hal.capture.command_text import command_text
from hal.clock import VirtualClock
from hal.values import Command
from tests.fakes.service import FULL, MemoryJournal, PipelineBench

ANN = KeyOwner("ann", "supervisor", "A")
BOB = KeyOwner("bob", "dealer", "B")
BOARD = KeyOwner("board-1", "read-only")


class FakeTable:
    """A table that records commands."""

    def __init__(self) -> None:
        self.orders: list[str] = []
        self.closed: str | None = None

    def command(self, verb: str, given: Mapping[str, str], command_id: str) -> str | None:
        if self.closed is None:
            self.orders.append(command_text(command_of(verb, given, 0, command_id)))
        return self.closed

    @property
    def order_names(self) -> Sequence[str]:
        return ["settle", "close", "knock"]

    def may(self, sender: KeyOwner, verb: str, others: Sequence[str]) -> str | None:
        return f"{sender.name} may not {verb}" if sender.role == "read-only" else None


class FakeService:
    """A service with a status, which can be ended."""

    def __init__(self) -> None:
        self.ended_by: list[str] = []

    def status(self) -> dict[str, Any]:
        return {"state": "running", "tables": {"wheel-1": {"last": 1}, "wheel-2": {"last": 2}}}

    def quit(self, by: str) -> None:
        self.ended_by.append(by)


class HandlerBench:
    """A command handler with two tables."""

    def __init__(self, *, journal: MemoryJournal | None = None, tables: int = 2, by_itself: bool = True) -> None:
        self.bench = PipelineBench(by_itself=by_itself)
        self.tables = {f"wheel-{number}": FakeTable() for number in range(1, tables + 1)}
        self.service = FakeService()
        self.answers: list[CommandAnswer] = []
        self.journal = journal or self.bench.journal
        self.handler = self.made(find=self.journal.recall)

    def made(self, find: FindRecord) -> CommandHandler:
        return CommandHandler(
            self.tables,
            self.service,
            self.bench.pipeline,
            self.bench.clock,
            self.bench.counters,
            epoch="00ff",
            now=lambda: "2026-01-01T00:00:00Z",
            find=find,
        )

    def send(self, sender: KeyOwner = ANN, request_id: str = "7", **fields: Any) -> None:
        request = Request(**({"id": request_id, "table": "wheel-1", "command": "settle"} | fields))
        self.handler.receive(request, sender, sender.name, self.answers.append)

    def answer(self, accepted: bool = True, reason: str = "", identity: str = "ann:7") -> None:
        """The table answers, and its answer goes the way of its events."""
        entries, then = self.handler.records(
            [CommandResult(Command("settle", (), 0, identity), accepted, reason, ("wheel-1.00ff.9",))]
        )
        self.bench.pipeline.put([], entries, then)

    @property
    def records(self) -> list[CommandRecord]:
        return [decode_record(entry.body) for entry in self.bench.journal.entries]


def test_a_command_reaches_its_table_with_its_sender_and_its_id() -> None:
    at = HandlerBench()
    at.send(command="void", given={"reason": "dealer_call", "why": "a=b"})
    assert at.tables["wheel-1"].orders == ["void reason=dealer_call why=a%3Db by=ann id=ann:7"]
    assert at.answers == []


def test_a_position_that_the_key_lacks_is_refused_and_one_that_it_has_is_handed_on() -> None:
    at = HandlerBench()
    zoe = KeyOwner("zoe", "dealer", "A", ("stickperson",))
    at.send(zoe, "1", command="void", given={"as": "floorperson"})
    assert not at.answers[0].accepted
    assert at.answers[0].reason.startswith("void: the key of zoe is allowed for stickperson, not for 'floorperson'")
    assert at.records[0].given == {"as": "floorperson"}
    at.send(zoe, "2", command="void", given={"as": "stickperson"})
    at.send(zoe, "3", command="void", given={"as": "dealer"})
    assert [order.split()[1] for order in at.tables["wheel-1"].orders] == ["as=stickperson", "as=dealer"]


def test_a_sender_without_a_key_states_a_position_and_a_key_with_its_name_does_not() -> None:
    at = HandlerBench()
    at.send(KeyOwner("local", "supervisor", "A", None), "1", command="void", given={"as": "boxperson"})
    at.send(KeyOwner("boxperson", "supervisor", "A"), "2", command="void")
    assert len(at.tables["wheel-1"].orders) == 1
    assert "the key of boxperson is allowed for no position, not for 'boxperson'" in at.answers[0].reason


def test_the_answer_comes_once_the_result_is_durable() -> None:
    at = HandlerBench(by_itself=False)
    at.send()
    at.answer(True, "the round is settled")
    assert at.answers == []
    at.bench.journal.commit()
    assert at.answers == [
        CommandAnswer(id="7", accepted=True, reason="the round is settled", events=["wheel-1.00ff.9"])
    ]


def test_the_journal_holds_sender_command_and_result() -> None:
    at = HandlerBench()
    at.send(given={"why": "late"})
    at.answer(False, "no round is open")
    assert at.records == [
        CommandRecord(
            id="7",
            scope="ann",
            epoch="00ff",
            sender="ann",
            role="supervisor",
            operator_class="A",
            table="wheel-1",
            command="settle",
            given={"why": "late"},
            accepted=False,
            reason="no round is open",
            events=["wheel-1.00ff.9"],
            time="2026-01-01T00:00:00Z",
        )
    ]
    assert at.bench.journal.entries[0].id == "ann:7"


def test_a_refusal_is_answered_with_its_reason_and_journalled() -> None:
    at = HandlerBench()
    at.send(BOARD)
    assert at.answers == [CommandAnswer(id="7", accepted=False, reason="board-1 may not settle")]
    assert [(record.sender, record.role, record.accepted) for record in at.records] == [("board-1", "read-only", False)]
    assert at.tables["wheel-1"].orders == []


def test_refusals_beyond_the_rate_limit_are_answered_and_counted_but_not_journalled() -> None:
    at = HandlerBench()
    for number in range(REFUSALS_BURST + 10):
        at.send(BOARD, request_id=str(number))
    assert [answer.accepted for answer in at.answers] == [False] * (REFUSALS_BURST + 10)
    assert len(at.records) == REFUSALS_BURST
    assert at.bench.counters.commands["unjournalled"] == 10
    at.bench.clock.advance_to(at.bench.clock.now_ns() + REFUSALS_REFILL_NS)
    at.send(BOARD, request_id="later")
    assert len(at.records) == REFUSALS_BURST + 1


def test_a_sender_of_too_many_commands_is_refused_for_a_while() -> None:
    at = HandlerBench()
    for number in range(400):
        at.send(request_id=str(number), command="status")
    assert sum(isinstance(answer, StatusAnswer) for answer in at.answers) == 250
    assert "too many" in at.answers[-1].reason
    assert at.records == []


def test_who_polls_the_status_keeps_nobody_from_commanding() -> None:
    at = HandlerBench()
    for number in range(400):
        at.send(request_id=str(number), command="status")
    at.send(request_id="settle")
    at.answer(identity="ann:settle")
    assert at.answers[-1].accepted


def test_commands_count_with_their_own_connection() -> None:
    at = HandlerBench()
    for number in range(300):
        request = Request(id=f"a{number}", table="wheel-1", command="settle")
        at.handler.receive(request, ANN, "@local", at.answers.append, allowance="script")
    assert "too many" in at.answers[-1].reason
    at.answers.clear()
    request = Request(id="b", table="wheel-9", command="settle")
    at.handler.receive(request, ANN, "@local", at.answers.append, allowance="console")
    assert "too many" not in at.answers[-1].reason


def test_local_connections_have_an_allowance_each_as_long_as_they_do_not_come_in_masses() -> None:
    clock = VirtualClock()
    allowances = LocalAllowances(clock)
    own = [allowances.of(bytes([1, number])) for number in range(NEW_LOCAL_BURST)]
    assert len(set(own)) == NEW_LOCAL_BURST
    assert allowances.of(b"one more") == LOCAL
    assert allowances.of(bytes([1, 5])) == own[5], "who was there before keeps it"
    clock.advance_to(clock.now_ns() + NEW_LOCAL_REFILL_NS)
    assert allowances.of(b"later") not in (LOCAL, *own)


def test_commands_that_a_table_refuses_use_up_the_rate_limit_sooner() -> None:
    at = HandlerBench()
    for number in range(40):
        at.send(request_id=str(number))
        at.answer(False, "no", identity=f"ann:{number}")
    assert len(at.records) == 10


def test_a_repeated_command_is_answered_again_and_not_repeated() -> None:
    at = HandlerBench()
    at.send()
    at.answer()
    at.send()
    assert len(at.tables["wheel-1"].orders) == 1
    assert [answer.again for answer in at.answers] == [False, True]
    assert at.answers[1].events == ["wheel-1.00ff.9"]
    assert len(at.records) == 1


def test_the_same_command_while_the_first_waits_is_answered_with_it() -> None:
    at = HandlerBench()
    at.send()
    at.send()
    at.answer()
    assert [answer.again for answer in at.answers] == [False, True]
    assert len(at.tables["wheel-1"].orders) == len(at.records) == 1


def test_the_answer_survives_a_restart() -> None:
    before = HandlerBench()
    before.send()
    before.answer(False, "no round is open")
    after = HandlerBench(journal=before.bench.journal)
    after.send()
    assert after.answers == [
        CommandAnswer(id="7", accepted=False, reason="no round is open", events=["wheel-1.00ff.9"], again=True)
    ]
    assert after.tables["wheel-1"].orders == []


@pytest.mark.parametrize("restarted", [False, True])
def test_an_id_that_was_another_commands_is_refused(restarted: bool) -> None:
    at = HandlerBench()
    at.send()
    at.answer()
    again = HandlerBench(journal=at.bench.journal) if restarted else at
    again.send(command="void")
    assert "used for another command" in again.answers[-1].reason
    assert not again.answers[-1].accepted


def test_equal_ids_of_different_senders_do_not_collide() -> None:
    at = HandlerBench()
    at.send(BOARD)
    at.send(ANN)
    at.answer()
    assert [answer.accepted for answer in at.answers] == [False, True]
    assert [entry.id for entry in at.bench.journal.entries] == ["board-1:7", "ann:7"]


def test_the_table_may_be_left_out_where_there_is_only_one() -> None:
    at = HandlerBench(tables=1)
    at.send(table="")
    assert len(at.tables["wheel-1"].orders) == 1
    many = HandlerBench()
    many.send(table="")
    many.send(request_id="8", table="", command="close", given={"tabel": "wheel-1", "reason": "x"})
    many.send(request_id="9", table="", command="stauts")
    many.send(request_id="10", table="", command="knock")
    none, there = "the command names no table (--table)", "here are: wheel-1, wheel-2"
    assert [answer.reason for answer in many.answers] == [
        f"{none}; t{there}",
        f"{none}; for tabel=wheel-1, did you mean table=wheel-1? T{there}",
        "there is no command 'stauts'; did you mean \"status\"?",
        f"{none}; t{there}",
    ]


def test_a_table_that_is_not_there_is_named_with_those_that_are() -> None:
    at = HandlerBench()
    at.send(table="roulette-9")
    assert "no table is called roulette-9; there are: wheel-1, wheel-2" in at.answers[0].reason


def test_a_table_that_takes_no_commands_gives_the_reason() -> None:
    at = HandlerBench()
    at.tables["wheel-1"].closed = "its wires are not open"
    at.send()
    assert at.answers[0].reason == "its wires are not open"
    assert at.records[0].reason == "its wires are not open"


def test_any_sender_may_ask_for_the_status_which_is_not_journalled() -> None:
    at = HandlerBench()
    at.send(BOARD, command="status", table="")
    (answer,) = at.answers
    assert isinstance(answer, StatusAnswer)
    assert answer.status == at.service.status()
    assert at.records == []


def test_the_status_of_a_table_has_that_table_alone_and_one_of_an_unknown_table_is_refused() -> None:
    at = HandlerBench()
    at.send(BOARD, command="status", table="wheel-2")
    at.send(BOARD, command="status", table="wheel-9", request_id="8")
    one, unknown = at.answers
    assert isinstance(one, StatusAnswer)
    assert one.status["tables"] == {"wheel-2": {"last": 2}}
    assert (unknown.accepted, unknown.reason) == (False, "no table is called wheel-9; there are: wheel-1, wheel-2")


def test_quit_of_one_table_does_not_end_the_others() -> None:
    at = HandlerBench()
    at.send(command="quit", table="wheel-1")
    assert at.service.ended_by == []
    assert at.answers[0].reason == (
        "quit ends the service with all its tables (wheel-1, wheel-2): name none, or close one"
    )
    alone = HandlerBench(tables=1)
    alone.send(command="quit", table="wheel-1")
    assert alone.service.ended_by == ["ann"]


def test_quit_ends_the_service_after_it_is_durable_and_answered() -> None:
    at = HandlerBench(by_itself=False)
    at.send(command="quit", table="")
    assert at.service.ended_by == []
    at.bench.journal.commit()
    assert at.service.ended_by == ["ann"]
    assert at.answers[0].accepted
    assert at.records[0].command == "quit"


def test_quit_takes_the_right_to_every_table() -> None:
    at = HandlerBench()
    at.send(BOARD, command="quit", table="")
    assert at.service.ended_by == []
    assert not at.answers[0].accepted


def test_commands_beyond_those_that_may_wait_are_refused() -> None:
    at = HandlerBench()
    for number in range(MAX_WAITING + 1):
        at.send(request_id=str(number))
    assert len(at.tables["wheel-1"].orders) == MAX_WAITING
    assert "busy" in at.answers[0].reason


def test_when_the_journal_fails_every_waiting_command_is_refused_with_the_remedy() -> None:
    at = HandlerBench(by_itself=False)
    at.send(request_id="1")
    at.answer(identity="ann:1")
    at.send(request_id="2")
    at.bench.journal.fail()
    at.bench.journal.commit()
    at.handler.halt(FULL)
    assert [(answer.id, answer.accepted) for answer in at.answers] == [("1", False), ("2", False)]
    assert all("the disk is full; free space" in answer.reason for answer in at.answers)


def test_a_halted_service_still_answers_status_and_quit() -> None:
    at = HandlerBench()
    at.bench.journal.fail()
    at.send(request_id="1")
    at.answer(identity="ann:1")
    at.send(request_id="2")
    at.send(request_id="3", command="status")
    at.send(request_id="4", command="quit", table="")
    assert [answer.accepted for answer in at.answers] == [False, False, True, True]
    assert at.service.ended_by == ["ann"]


def test_a_command_that_comes_while_the_service_stops_is_refused() -> None:
    at = HandlerBench()
    at.handler.end()
    at.send()
    assert "the service ends" in at.answers[0].reason


def test_at_the_stop_commands_without_a_result_are_refused_and_journalled() -> None:
    at = HandlerBench(by_itself=False)
    at.send(request_id="1")
    at.send(request_id="2")
    at.answer(identity="ann:1")
    at.handler.end()
    at.handler.dismiss()
    at.bench.journal.commit()
    assert [(answer.id, answer.accepted) for answer in at.answers] == [("1", True), ("2", False)]
    assert "the service ends" in at.answers[1].reason
    assert [(record.id, record.accepted) for record in at.records] == [("1", True), ("2", False)]


def test_a_command_waits_until_the_journal_is_searched_for_its_id() -> None:
    at = HandlerBench()
    asked: list[OnRecordFound] = []
    at.handler = at.made(find=lambda identity, found: asked.append(found))
    at.send(request_id="1")
    at.send(request_id="1")
    at.send(request_id="2", command="status")
    assert at.tables["wheel-1"].orders == []
    assert [answer.id for answer in at.answers] == ["2"], "and others are not kept waiting"
    assert len(asked) == 1
    asked[0](None)
    assert len(at.tables["wheel-1"].orders) == 1
    at.answer(identity="ann:1")
    assert [(answer.id, answer.again) for answer in at.answers[1:]] == [("1", False), ("1", True)]


def test_a_search_that_ends_after_the_halt_carries_nothing_out() -> None:
    at = HandlerBench()
    asked: list[OnRecordFound] = []
    at.handler = at.made(find=lambda identity, found: asked.append(found))
    at.send()
    at.handler.halt(FULL)
    asked[0](None)
    assert at.tables["wheel-1"].orders == []
    assert len(at.answers) == 1


def test_a_command_whose_id_cannot_be_searched_is_refused() -> None:
    at = HandlerBench()
    at.handler = at.made(find=lambda identity, found: found(FULL))
    at.send()
    assert at.tables["wheel-1"].orders == []
    assert "is not known" in at.answers[0].reason


def test_an_id_whose_record_cannot_be_decoded_is_refused() -> None:
    at = HandlerBench()
    at.handler = at.made(find=lambda identity, found: found(b'{"id":"7"}'))
    at.send()
    assert at.tables["wheel-1"].orders == []
    assert "under a new id" in at.answers[0].reason


@pytest.mark.parametrize("command", ["status", "quit"])
def test_a_key_for_a_command_without_keys_is_refused(command: str) -> None:
    at = HandlerBench()
    at.send(command=command, table="", given={"now": "1"})
    assert at.answers[0].reason == f"{command}: it takes no now"
    assert at.service.ended_by == []


def test_results_for_the_benchs_own_supervisor_are_not_journalled() -> None:
    at = HandlerBench()
    entries, then = at.handler.records([CommandResult(Command("clear", (), 0), True, "", ())])
    then(None)
    assert entries == []


def test_ids_of_local_senders_have_a_scope_of_their_own() -> None:
    at = HandlerBench()
    at.handler.receive(Request(id="7", command="settle", table="wheel-1"), ANN, LOCAL, at.answers.append)
    assert at.tables["wheel-1"].orders == ["settle by=ann id=@local:7"]


def test_a_rate_limiter_allows_a_burst_and_then_one_in_each_refill_time() -> None:
    clock = VirtualClock()
    allowance = RateLimiter(clock, burst=2, refill_ns=10)
    assert [allowance.take("a") for _ in range(3)] == [True, True, False]
    assert allowance.take("b")
    clock.advance_to(10)
    assert [allowance.take("a") for _ in range(2)] == [True, False]
    clock.advance_to(1000)
    assert [allowance.take("a") for _ in range(3)] == [True, True, False]


def test_a_rate_limiter_forgets_the_names_used_least_recently() -> None:
    allowance = RateLimiter(VirtualClock(), burst=1, refill_ns=10)
    for number in range(5000):
        assert allowance.take(str(number))
    assert not allowance.take("4999")
