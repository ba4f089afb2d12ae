"""The tables of a service: heartbeats, a calendar that is set, a disk that fills, a journal that fails or has lost."""

from __future__ import annotations

import pytest

from controller.games.catalogue import GAME
from controller.service.disk_watch import STOP_BYTES
from feed import events
from feed.events import Heartbeat
from hal.clock import NS_PER_S, VirtualClock
from tests.fakes.service import SetClock
from tests.fakes.virtual_service import VirtualService
from tests.tables.bench import configured
from tests.tables.money_lines import money_toml
from tests.tables.roulette_lines import roulette_toml

WHEEL, ROULETTE = configured(money_toml()), configured(roulette_toml())


def beats(hall: VirtualService, table: str = "wheel-1") -> list[Heartbeat]:
    every = [event.data for event in hall.bench.feed.events]
    return [data for data in every if isinstance(data, Heartbeat) and data.table == table]


class Steered(SetClock):
    """The computer's clock beside the tables' virtual one: it moves with it, and its calendar can be set."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock.now_ns())
        self.follows = clock

    def now_ns(self) -> int:
        self.pass_by(self.follows.now_ns() - self.now)
        return self.now


def test_each_table_beats_once_a_second_with_what_is_durable() -> None:
    hall = VirtualService([WHEEL, ROULETTE])
    hall.open()
    hall.run(10)
    for table in ("wheel-1", "roulette-1"):
        said = beats(hall, table)
        assert 10 <= len(said) <= 11
        head = hall.journal.heads[table]
        assert (said[-1].last, said[-1].head, said[-1].state) == (head.seq, head.hash, "open")
    topics = {topic.decode() for topic, _ in hall.bench.feed.messages}
    assert "sim/v1/wheel-1/heartbeat/" in topics


def test_an_unknown_command_lists_those_of_the_table_that_it_is_for() -> None:
    hall = VirtualService([WHEEL, ROULETTE])
    hall.open()
    hall.send("foo", table="roulette-1")
    hall.run(1)
    (answer,) = hall.answers
    assert not answer.accepted
    listed = answer.reason.removeprefix("there is no command 'foo'; the commands here are ").split(", ")
    assert listed == [*GAME["roulette"].order_names, "status", "quit"]
    assert "pass_dice" not in listed
    hall.send("setle", table="wheel-1", request_id="8")
    hall.run(1)
    assert hall.answers[-1].reason == "there is no command 'setle'; did you mean \"settle\"?"


def test_a_heartbeat_states_only_what_is_published() -> None:
    hall = VirtualService([WHEEL])
    hall.open()
    hall.run(60)
    last = 0
    for event in hall.bench.feed.events:
        if isinstance(event.data, Heartbeat):
            assert event.data.last == last
        elif event.seq is not None:
            last = event.seq
    assert last > 5


def test_no_heartbeat_goes_out_before_the_first_event_of_this_start() -> None:
    hall = VirtualService([WHEEL])
    hall.journal.by_itself = False
    hall.open()
    hall.run(3)
    assert beats(hall) == []
    hall.journal.commit()
    hall.run(2)
    assert beats(hall)[0].last == 2


def test_after_a_long_stop_there_is_one_heartbeat_and_not_one_for_each_second() -> None:
    hall = VirtualService([WHEEL])
    hall.open()
    hall.run(1)
    before = len(beats(hall))
    hall.clock.advance_to(hall.clock.now_ns() + 60 * NS_PER_S)
    hall.supervisor.tick()
    assert len(beats(hall)) == before + 1
    assert hall.bench.counters.late_ticks == 1


def test_a_calendar_that_is_set_stops_every_table_until_a_supervisor_has_seen_it() -> None:
    clock = VirtualClock(NS_PER_S)
    real = Steered(clock)
    hall = VirtualService([WHEEL, ROULETTE], clock=clock, real=real)
    hall.open()
    hall.run(2)
    real.wall += 3600 * NS_PER_S
    hall.run(2)
    for table in ("wheel-1", "roulette-1"):
        fault = hall.of(table).one(events.DeviceFault)
        assert (fault.device, fault.fault, fault.blocks_play) == ("clock", "clock_jumped", True)
        assert "forward by 3600.0 s" in fault.detail
        assert hall.of(table).verdicts() == ["void clock_jumped"]
        assert beats(hall, table)[-1].state == "shut"
    hall.run(30)
    assert hall.tables["wheel-1"].state == "shut", "the bench's own supervisor leaves it to people"
    hall.send("clear", table="wheel-1", device="clock")
    hall.run(1)
    assert hall.answers[0].accepted
    assert hall.tables["wheel-1"].state == "open"
    assert hall.tables["roulette-1"].state == "shut"


def test_a_calendar_that_is_set_back_cannot_be_cleared_until_it_is_past_the_newest_record() -> None:
    clock = VirtualClock(NS_PER_S)
    real = Steered(clock)
    hall = VirtualService([WHEEL], clock=clock, real=real)
    hall.open()
    hall.run(2)
    real.wall -= 3600 * NS_PER_S
    hall.run(2)
    fault = hall.said.one(events.DeviceFault)
    assert "back by 3600.0 s" in fault.detail
    assert "the journal holds a record of" in fault.detail
    hall.send("clear", device="clock", request_id="early")
    hall.run(1)
    assert not hall.answers[0].accepted
    assert "before the journal's newest record" in hall.answers[0].reason
    real.wall += 3590 * NS_PER_S
    hall.run(2)
    hall.send("clear", device="clock", request_id="still")
    hall.run(1)
    assert not hall.answers[1].accepted, "ten seconds are left"
    hall.run(10)
    hall.send("clear", device="clock", request_id="later")
    hall.run(1)
    assert hall.answers[2].accepted
    assert hall.tables["wheel-1"].state == "open"


def test_a_calendar_that_was_ahead_and_is_set_right_is_held_against_what_it_dated_meanwhile() -> None:
    clock = VirtualClock(NS_PER_S)
    real = Steered(clock)
    hall = VirtualService([WHEEL], clock=clock, real=real)
    hall.open()
    for jump_s in (60, -60):
        hall.run(2)
        real.wall += jump_s * NS_PER_S
    hall.run(2)
    hall.send("clear", device="clock")
    hall.run(1)
    assert not hall.answers[0].accepted
    hall.run(60)
    hall.send("clear", device="clock", request_id="later")
    hall.run(1)
    assert hall.answers[1].accepted


def test_a_calendar_before_the_journals_last_record_stops_play_until_it_is_past_it() -> None:
    clock = VirtualClock(NS_PER_S)
    real = Steered(clock)
    hall = VirtualService([WHEEL], clock=clock, real=real)
    hall.open("2030-01-01T00:00:00Z")
    hall.run(2)
    assert hall.said.story() == ["table.opened", "device.fault clock_jumped"], "no round opens only to be void"
    hall.send("clear", device="clock", request_id="early")
    hall.run(1)
    assert not hall.answers[0].accepted
    assert "before the journal's newest record" in hall.answers[0].reason
    real.wall = 1_900_000_000 * NS_PER_S
    hall.run(3)
    hall.send("clear", device="clock", request_id="later")
    hall.run(1)
    assert hall.answers[1].accepted
    assert hall.tables["wheel-1"].state == "open"


def test_a_disk_without_room_stops_play_while_that_can_still_be_journalled() -> None:
    free = [10**10]
    hall = VirtualService([WHEEL], free=lambda: free[0])
    hall.open()
    hall.run(11)
    free[0] = STOP_BYTES - 1
    hall.run(11)
    fault = hall.said.one(events.DeviceFault)
    assert (fault.device, fault.fault) == ("disk", "disk_nearly_full")
    assert "free space" in fault.detail
    hall.send("clear", device="disk", request_id="1")
    hall.run(1)
    assert not hall.answers[0].accepted
    free[0] = 10**10
    hall.run(11)
    hall.send("clear", device="disk", request_id="2")
    hall.run(1)
    assert hall.answers[1].accepted


def test_what_the_disk_lost_of_a_table_stops_that_table() -> None:
    hall = VirtualService([WHEEL, ROULETTE])
    hall.open(lost={"wheel-1": "3 records that were durable are gone"})
    hall.run(1)
    fault = hall.of("wheel-1").one(events.DeviceFault)
    assert (fault.device, fault.fault) == ("journal", "history_lost")
    assert "3 records" in fault.detail
    assert hall.of("wheel-1").of(events.RoundOpened) == []
    assert hall.tables["wheel-1"].state == "shut"
    assert hall.of("roulette-1").of(events.DeviceFault) == []


def test_what_the_disk_lost_of_the_commands_stops_every_table() -> None:
    hall = VirtualService([WHEEL, ROULETTE])
    hall.open(lost={"@commands": "1 record that was durable is gone"})
    hall.run(1)
    assert [fault.fault for fault in hall.said.of(events.DeviceFault)] == ["history_lost"] * 2


def test_a_fault_that_a_start_finds_does_not_clear_another_of_its_device() -> None:
    hall = VirtualService([WHEEL])
    hall.open()
    hall.supervisor.history_was_changed("a record differs")
    hall.run(1)
    again = VirtualService([WHEEL], journal=hall.journal)
    again.open(lost={"wheel-1": "3 records that were durable are gone"})
    standing = {fault.fault for fault in again.tables["wheel-1"]._table.faults.standing}
    assert standing == {"history_changed", "history_lost"}


def test_when_the_journal_fails_no_table_has_a_tick_and_heartbeats_state_halted() -> None:
    hall = VirtualService([WHEEL, ROULETTE])
    hall.open()
    hall.run(5)
    published = len(hall.said)
    head = hall.journal.heads["wheel-1"]
    hall.journal.fail()
    hall.run(60)
    assert len(hall.said.of(events.RoundProgress)) <= published
    durable = [event for event in hall.said if event.seq is not None]
    assert len(durable) == len(hall.journal.entries), "nothing is published that is not in the journal"
    assert beats(hall)[-1].state == "halted"
    assert (beats(hall)[-1].last, beats(hall)[-1].head) == (hall.journal.heads["wheel-1"].seq, head.hash)
    assert hall.bench.counters.states == {"wheel-1": "halted", "roulette-1": "halted"}
    assert hall.tables["wheel-1"].command("settle", {}, "7") is not None


def test_where_one_table_cannot_be_made_safe_the_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = VirtualService([WHEEL, ROULETTE])
    hall.open()

    def broken() -> None:
        raise OSError("the chip is gone")

    for table_id in ("wheel-1", "roulette-1"):
        monkeypatch.setattr(hall.tables[table_id], "safe", broken)
        with pytest.raises(OSError, match="the chip is gone"):
            hall.supervisor.safe()
        monkeypatch.undo()
    assert all(table.command("settle", {}, "7") is not None for table in hall.tables.values()), "each of the others was"


def test_a_correction_names_the_capture_of_a_round_that_had_none(caplog: pytest.LogCaptureFixture) -> None:
    hall = VirtualService([WHEEL])
    hall.open()
    hall.run(60)
    number = hall.said.of(events.Outcome)[0].round
    hall.send("correct", round=str(number), space="3", why="misread")
    hall.run(1)
    assert hall.answers[0].accepted, hall.answers[0].reason
    corrected = hall.said.one(events.RoundCorrected)
    assert corrected.capture is not None
    assert corrected.capture.file in hall.keeper.kept


def test_a_table_without_a_heartbeat_state_of_its_own_says_closed() -> None:
    hall = VirtualService([configured(money_toml().replace("[lines]", 'opens = "by_order"\n[lines]', 1))])
    hall.open()
    hall.run(2)
    assert beats(hall)[-1].state == "closed"
    hall.send("open")
    hall.run(2)
    assert hall.answers[0].accepted
    assert beats(hall)[-1].state == "open"
