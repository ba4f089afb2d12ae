"""A subscription fed with the frames of a feed and a history, one by one."""

from __future__ import annotations

from hashlib import sha256
from random import Random

import pytest

from feed import events, wire
from feed.subscriber import (
    CaughtUp,
    Fact,
    Filled,
    Fresh,
    Gap,
    Halted,
    Item,
    Joined,
    Missing,
    NotShown,
    Position,
    Restarted,
    Rewritten,
    Stale,
    Subscription,
    Trouble,
    Waiting,
)
from feed.subscriber.items import ItemQueue, Notice
from feed.subscriber.memory import REMEMBERED
from feed.subscriber.tables import Since, TableOf
from tests.fakes.feed_answers import answers_to
from tests.fakes.feed_model import KeptEvent, ModelJournal, ModelTable

S = 1_000_000_000
TABLE = "wheel-1"

Frames = tuple[bytes, bytes]


class Bench:
    """A subscription, the journal that it asks, and the table that talks. A test decides what arrives."""

    def __init__(
        self, since: Since = 0, *, simulated: bool | None = False, kept: int = 100, tables: list[str] | None = None
    ) -> None:
        self.journal = ModelJournal()
        self.now_ns = 0
        self.subscription = Subscription(
            "ipc:///here", since=since, simulated=simulated, kept=kept, tables=tables, now_ns=0
        )
        self.items: list[Item] = []
        self.asked: list[wire.HistoryRequest] = []
        self.page = wire.PAGE_EVENTS

    def start(self, epoch: str, *, simulated: bool = False) -> tuple[ModelTable, Frames]:
        """A start of the service; its first event is not delivered."""
        table = ModelTable(self.journal, TABLE, epoch, simulated=simulated)
        return table, table.open()

    def deliver(self, *messages: Frames) -> None:
        """Messages of the feed arrive."""
        for message in messages:
            self.subscription.on_feed(message, self.now_ns)
        self.items += self.subscription.take()

    def requests(self) -> list[wire.HistoryRequest]:
        """What is asked now."""
        asked = [wire.decode_request(frames) for frames in self.subscription.requests(self.now_ns)]
        self.asked += asked
        return asked

    def answer(self) -> None:
        """The history answers all that is asked, until nothing is asked any more."""
        for _ in range(1000):
            requests = self.requests()
            if not requests:
                return
            for request in requests:
                for answer in answers_to(request, self.journal, self.page):
                    self.subscription.on_history(wire.encode_answer(answer), self.now_ns)
            self.items += self.subscription.take()
        raise AssertionError("it asks for ever")

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.now_ns += round(seconds * S)
        self.subscription.on_time(self.now_ns)
        self.items += self.subscription.take()

    def reports(self, *kinds: type[Item]) -> list[Item]:
        """The items of some kinds."""
        return [item for item in self.items if isinstance(item, kinds)]

    @property
    def bodies(self) -> list[bytes]:
        """The durable facts, as they came."""
        return [item.body for item in self.items if isinstance(item, Fact) and item.event.seq is not None]


def warning(table: ModelTable) -> Frames:
    """Something to say."""
    return table.say(events.DeviceWarning, device="wheel", warning="bounce", detail="")


def in_step(since: Since = 0, said: int = 5) -> tuple[Bench, ModelTable]:
    """A subscriber that has all there is."""
    bench = Bench(since)
    table, opened = bench.start("e1")
    bench.deliver(opened, *[warning(table) for _ in range(said - 1)], table.heartbeat())
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE) or since is None
    assert len(bench.reports(CaughtUp)) == 1
    return bench, table


def test_the_chain_is_the_one_described_on_the_journal_page() -> None:
    assert events.genesis("wheel-1") == sha256(b"feltwire journal\0wheel-1").digest()
    assert events.link(b"a" * 32, b"body") == sha256(b"a" * 32 + b"body").digest()


def test_topics_end_in_a_slash() -> None:
    assert Subscription("x").topics == [b"v1/"]
    assert Subscription("x", simulated=True).topics == [b"sim/v1/"]
    assert Subscription("x", simulated=None, tables=["b", "a"]).topics == [
        b"v1/a/",
        b"v1/b/",
        b"sim/v1/a/",
        b"sim/v1/b/",
    ]


def test_a_reader_joins_with_a_snapshot_and_then_has_every_event() -> None:
    bench = Bench(since=None)
    table, _ = bench.start("e1")
    for _ in range(3):
        warning(table)
    bench.deliver(table.heartbeat())
    late = warning(table)
    bench.answer()
    assert [type(item) for item in bench.items] == [Joined, CaughtUp]
    joined = bench.items[0]
    assert isinstance(joined, Joined)
    assert (joined.snapshot.last, joined.snapshot.state) == (5, "open")
    bench.deliver(late, warning(table))
    assert bench.bodies == bench.journal.bodies(TABLE, after=5)


def test_events_received_while_joining_are_neither_lost_nor_delivered_twice() -> None:
    bench = Bench(since=None)
    table, _ = bench.start("e1")
    before, after = warning(table), warning(table)
    bench.deliver(before, after)
    bench.answer()
    assert bench.reports(Fact) == []
    third = warning(table)
    bench.deliver(before, third, after, third)
    assert bench.bodies == [third[1]]


def test_an_unknown_table_is_not_requested() -> None:
    bench = Bench()
    assert [type(request) for request in bench.requests()] == [wire.AskTables]


def test_the_tables_that_the_history_lists_are_followed_too() -> None:
    bench = Bench()
    bench.start("e1")
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_a_requested_table_that_does_not_exist_is_notified() -> None:
    bench = Bench(tables=["wheel-2"])
    bench.start("e1")
    bench.answer()
    assert [str(item) for item in bench.items] == ["wheel-2: no such table has events here yet; there are: wheel-1"]


def test_a_gap_is_notified_requested_and_filled_in_order() -> None:
    bench, table = in_step()
    lost, kept = warning(table), warning(table)
    bench.deliver(kept)
    assert bench.bodies == bench.journal.bodies(TABLE)[:5]
    assert bench.items[-1:] == [Gap(table=TABLE, first=6, last=6)]
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)
    assert lost[1] in bench.bodies
    assert bench.items[-1:] == [Filled(table=TABLE, first=6, last=6)]


def test_a_heartbeat_reveals_the_loss_of_the_last_event() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    assert bench.items[-1] == Gap(table=TABLE, first=6, last=6)
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_a_heartbeat_that_agrees_notifies_nothing() -> None:
    bench, table = in_step()
    before = len(bench.items)
    bench.deliver(table.heartbeat(), table.heartbeat())
    bench.answer()
    assert len(bench.items) == before


def test_a_long_history_is_read_page_by_page() -> None:
    bench = Bench()
    table, _ = bench.start("e1")
    for _ in range(25):
        warning(table)
    bench.page = 4
    bench.deliver(table.heartbeat())
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_the_number_of_facts_kept_is_bounded_and_the_others_are_requested_again() -> None:
    bench = Bench(kept=3)
    table, opened = bench.start("e1")
    bench.deliver(opened)
    bench.answer()
    said = [warning(table) for _ in range(20)]
    bench.deliver(*said[1:])
    follower = bench.subscription._tables.follower(TableOf(TABLE, False), 0)
    assert len(follower._facts._kept) == 3
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_progress_is_delivered_only_while_live_and_of_the_current_epoch() -> None:
    bench, table = in_step()
    progress = table.say(events.RoundProgress, round=1, revolutions=2)
    bench.deliver(progress)
    assert isinstance(bench.items[-1], Fact)
    warning(table)
    bench.deliver(table.heartbeat())
    bench.deliver(progress)
    assert not isinstance(bench.items[-1], Fact)


def test_a_restart_is_notified_and_nothing_is_missing() -> None:
    bench, _ = in_step()
    table, opened = bench.start("e2")
    bench.deliver(opened, warning(table))
    assert bench.reports(Restarted) == [
        Restarted(table=TABLE, epoch="e2", previous=Position("e1", 5, bench.journal.kept[TABLE][4].head.hex()))
    ]
    assert bench.bodies == bench.journal.bodies(TABLE)
    assert not bench.reports(Gap)


def test_a_restart_not_received_on_the_feed_is_found_in_the_history() -> None:
    bench, _ = in_step()
    bench.start("e2")
    table, _ = bench.start("e3")
    bench.deliver(warning(table))
    bench.answer()
    assert [item.epoch for item in bench.reports(Restarted) if isinstance(item, Restarted)] == ["e2", "e3"]
    assert bench.bodies == bench.journal.bodies(TABLE)
    assert not bench.reports(Rewritten)


def test_an_answer_that_lost_a_frame_is_requested_again() -> None:
    bench, table = in_step()
    for _ in range(4):
        warning(table)
    bench.deliver(table.heartbeat())
    (request,) = bench.requests()
    for number, answer in enumerate(answers_to(request, bench.journal)):
        if number != 1:
            bench.subscription.on_history(wire.encode_answer(answer), bench.now_ns)
    bench.wait(0.3)
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_a_missing_answer_is_requested_again_and_notified() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    for _ in range(4):
        bench.requests()
        bench.deliver(table.heartbeat())
        bench.wait(3)
        bench.wait(2)
    assert [str(item) for item in bench.reports(Trouble)] == ["wheel-1: the history does not answer"]
    bench.wait(9)
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_a_pending_request_is_repeated_at_once_to_a_new_process() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    assert bench.requests()
    table, _ = bench.start("e2")
    assert not bench.requests()
    bench.deliver(table.heartbeat())
    assert bench.requests()


def test_a_late_answer_changes_nothing() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    (request,) = bench.requests()
    bench.wait(3)
    for answer in answers_to(request, bench.journal):
        bench.subscription.on_history(wire.encode_answer(answer), bench.now_ns)
    assert bench.bodies == bench.journal.bodies(TABLE)[:5]


def test_archived_events_are_notified_as_missing() -> None:
    bench = Bench()
    table, _ = bench.start("e1")
    for _ in range(9):
        warning(table)
    bench.journal.archived[TABLE] = 4
    bench.deliver(table.heartbeat())
    bench.answer()
    assert bench.items[0] == Missing(table=TABLE, first=1, last=4)
    assert bench.bodies == bench.journal.bodies(TABLE, after=4)
    bench.deliver(warning(table), table.heartbeat())
    assert not bench.reports(Rewritten, Gap)


def test_too_many_requests_are_not_sent_at_once() -> None:
    bench = Bench()
    for number in range(9):
        table = ModelTable(bench.journal, f"wheel-{number}", "e1")
        table.open()
        bench.deliver(table.heartbeat())
    assert len(bench.requests()) == 4
    assert not bench.requests()


# --- stale and quiet ---------------------------------------------------------------------------------------------


def test_a_missing_publisher_is_notified_once() -> None:
    bench = Bench()
    for _ in range(9):
        bench.wait(0.5)
    assert bench.items == [Waiting(table="", endpoint="ipc:///here")]


def test_a_table_is_stale_without_a_heartbeat_and_not_without_events() -> None:
    bench, table = in_step()
    for _ in range(9):
        bench.wait(1)
        bench.deliver(table.heartbeat())
    assert not bench.reports(Stale)
    bench.wait(2.75)
    assert not bench.subscription.stale
    bench.wait(0.25)
    assert bench.items[-1:] == [Stale(table=TABLE, silent_ns=3 * S)]
    assert bench.subscription.stale == {TABLE}
    bench.wait(1)
    bench.deliver(table.heartbeat())
    assert bench.items[-1:] == [Fresh(table=TABLE, silent_ns=4 * S)]


def test_a_halted_service_is_notified_once_and_again_after_joining() -> None:
    bench, table = in_step()
    bench.deliver(table.heartbeat("halted"), table.heartbeat("halted"))
    assert bench.items[-1:] == [Halted(table=TABLE)]
    assert bench.reports(Halted) == [Halted(table=TABLE)]
    late = Bench(since=None)
    late.journal = bench.journal
    late.deliver(table.heartbeat("halted"))
    late.answer()
    late.deliver(table.heartbeat("halted"))
    assert [type(item) for item in late.items[:3]] == [Joined, CaughtUp, Halted]


def test_a_service_that_halts_again_after_a_restart_is_notified_again() -> None:
    bench, table = in_step()
    late = table.heartbeat("halted")
    bench.deliver(late)
    again, opened = bench.start("e2")
    bench.deliver(opened, late, again.heartbeat("halted"), again.heartbeat("halted"))
    assert [type(item) for item in bench.reports(Halted, Restarted)] == [Halted, Restarted, Halted]
    # A heartbeat of the process before shows nothing of this one.
    other, opened = bench.start("e3")
    bench.deliver(opened, late, other.heartbeat())
    assert type(bench.reports(Halted, Restarted)[-1]) is Restarted


def test_a_table_of_which_events_are_missing_grows_old_though_its_heartbeat_is_received() -> None:
    bench, table = in_step()
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: 0}
    warning(table)
    for _ in range(4):
        bench.wait(1)
        bench.deliver(table.heartbeat(), warning(table))
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: 4 * S}
    assert not bench.subscription.stale
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: 0}
    bench.wait(1)
    bench.deliver(warning(table))
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: 0}


def test_how_old_a_table_is_that_joins_is_not_known_until_nothing_is_missing() -> None:
    bench = Bench(since=None)
    table, _ = bench.start("e1")
    bench.deliver(table.heartbeat())
    bench.wait(1)
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: None}
    bench.answer()
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: S}


def test_a_table_whose_history_was_rewritten_grows_old_until_it_was_compared() -> None:
    bench, _ = in_step()
    bench.journal.lose(TABLE, 2)
    again, _ = bench.start("e2")
    bench.wait(1)
    bench.deliver(again.heartbeat())
    bench.wait(1)
    bench.deliver(again.heartbeat())
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: 2 * S}
    bench.answer()
    assert bench.subscription.silent_ns(bench.now_ns) == {TABLE: 0}


def test_a_table_that_no_service_runs_is_stale_without_ever_a_heartbeat() -> None:
    bench, _ = in_step()
    bench.wait(3)
    assert "no heartbeat for 3 s" in str(bench.items[-1])
    late = Bench(since=None)
    late.journal = bench.journal
    late.answer()
    late.wait(3)
    assert "no service runs it now" in str(late.items[-1])


def test_an_answer_of_the_history_is_no_heartbeat() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    bench.wait(2)
    bench.answer()
    bench.wait(1)
    assert bench.reports(Stale)


def test_long_silence_reopens_the_sockets_and_repeats_pending_requests() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    assert bench.requests()
    bench.wait(4.9)
    assert not bench.subscription.should_reopen(bench.now_ns)
    bench.wait(0.1)
    assert bench.subscription.should_reopen(bench.now_ns)
    bench.subscription.reopened(bench.now_ns)
    assert not bench.subscription.should_reopen(bench.now_ns)
    assert bench.requests()


def test_a_request_that_could_not_be_sent_is_repeated_later() -> None:
    bench = Bench()
    (request,) = bench.requests()
    bench.subscription.not_sent(request.request_id, bench.now_ns)
    assert not bench.requests()
    bench.wait(0.25)
    assert bench.requests()


# --- a history that was rewritten --------------------------------------------------------------------------------


def rewritten(bench: Bench) -> Rewritten:
    """The only report."""
    (report,) = bench.reports(Rewritten)
    assert isinstance(report, Rewritten)
    return report


def test_a_journal_that_ends_before_what_was_received_is_reported() -> None:
    bench, _ = in_step(said=8)
    held = bench.journal.last(TABLE)
    bench.journal.lose(TABLE, 3)
    table, opened = bench.start("e2")
    bench.deliver(opened)
    bench.answer()
    assert rewritten(bench).held == Position("e1", 8, held.head.hex())
    assert rewritten(bench).journal == Position("e2", 6, bench.journal.last(TABLE).head.hex())
    assert bench.bodies[8:] == [opened[1]]
    bench.deliver(warning(table))
    assert bench.bodies[9:] == bench.journal.bodies(TABLE, after=6)


def test_a_heartbeat_alone_reveals_that_the_journal_lost_its_end() -> None:
    bench, _ = in_step(said=8)
    bench.journal.lose(TABLE, 3)
    bench.deliver(ModelTable(bench.journal, TABLE, "e2").heartbeat())
    bench.answer()
    assert rewritten(bench).journal.seq == 5


def test_an_old_heartbeat_of_the_same_service_is_ignored() -> None:
    bench, table = in_step()
    old = table.heartbeat()
    bench.deliver(warning(table), old, table.heartbeat())
    bench.answer()
    assert not bench.reports(Rewritten, Gap)


def test_another_head_of_the_same_event_is_reported() -> None:
    bench, table = in_step()
    record = bench.journal.kept[TABLE][-1]
    bench.journal.kept[TABLE][-1] = record._replace(head=b"x" * 32)
    bench.deliver(table.heartbeat())
    bench.answer()
    assert "another head of event 5" in rewritten(bench).why


def test_an_edited_event_is_reported_and_delivered_again() -> None:
    bench, table = in_step()
    bench.journal.kept[TABLE] = edited(bench.journal.kept[TABLE], 3)
    bench.deliver(table.heartbeat())
    bench.answer()
    assert rewritten(bench).held.epoch == "e1"
    assert bench.bodies[5:] == bench.journal.bodies(TABLE)[2:]
    bench.deliver(warning(table), table.heartbeat())
    bench.answer()
    assert len(bench.reports(Rewritten)) == 1


def edited(kept: list[KeptEvent], seq: int) -> list[KeptEvent]:
    """A history in which one event was changed, and all hashes made right."""
    head, changed = events.genesis(TABLE), []
    for record in kept:
        body = record.body.replace(b"bounce", b"nothing") if record.seq == seq else record.body
        head = events.link(head, body)
        changed.append(record._replace(body=body, head=head))
    return changed


def test_an_event_edited_long_ago_is_reported_once() -> None:
    bench, table = in_step(said=REMEMBERED + 50)
    bench.journal.kept[TABLE] = edited(bench.journal.kept[TABLE], 3)
    given = len(bench.bodies)
    bench.deliver(table.heartbeat())
    bench.answer()
    assert rewritten(bench).held.epoch == "e1"
    assert bench.bodies[given:] == []
    bench.deliver(warning(table), table.heartbeat())
    assert len(bench.reports(Rewritten)) == 1


@pytest.mark.parametrize("since", [0, None])
def test_a_different_journal_is_reported_and_followed_from_its_beginning(since: Since) -> None:
    bench, _ = in_step(since)
    given = len(bench.bodies)
    bench.journal.kept.clear()
    table, opened = bench.start("e2")
    bench.deliver(opened, warning(table))
    bench.answer()
    assert rewritten(bench).held.seq == 5
    if since is None:
        assert isinstance(bench.reports(Joined)[-1], Joined)
        assert len(bench.reports(Joined)) == 2
    else:
        assert bench.bodies[given:] == bench.journal.bodies(TABLE)
    bench.deliver(warning(table))
    assert bench.bodies[-1] == bench.journal.bodies(TABLE)[-1]


def two_tables() -> tuple[Bench, ModelTable, ModelTable]:
    """A subscriber that joined two tables."""
    bench = Bench(since=None)
    table, opened = bench.start("e1")
    other = ModelTable(bench.journal, "wheel-2", "e1")
    bench.deliver(opened, other.open(), *[warning(one) for one in (table, other) for _ in range(4)])
    bench.answer()
    assert {item.table for item in bench.reports(Joined) if isinstance(item, Joined)} == {TABLE, "wheel-2"}
    bench.items.clear()
    return bench, table, other


def test_a_table_that_is_joined_again_begins_with_its_snapshot_and_the_others_go_on() -> None:
    bench, table, other = two_tables()
    bench.subscription.join_again(TABLE)
    said = [warning(one) for one in (table, other, table)]
    bench.deliver(*said)
    assert bench.bodies == [said[1][1]]
    bench.answer()
    assert [item.table for item in bench.reports(Joined) if isinstance(item, Joined)] == [TABLE]
    later = [warning(one) for one in (table, other)]
    bench.deliver(*later)
    assert bench.bodies == [said[1][1], later[0][1], later[1][1]]
    assert not bench.reports(Rewritten, Gap)


@pytest.mark.parametrize("kind", [Stale, Fresh, Halted, Trouble])
def test_a_slow_reader_that_joins_a_table_again_still_learns_of_its_silence(kind: type[Item]) -> None:
    bench, table, other = two_tables()
    bench.deliver(warning(table), warning(other), table.heartbeat(), other.heartbeat())
    if kind is Halted:
        bench.deliver(table.heartbeat(state="halted"))
    elif kind is Trouble:
        bench.items.append(Trouble(table=TABLE, detail="its history cannot be read"))
    else:
        bench.wait(4)
        if kind is Fresh:
            bench.deliver(warning(table))
    queue = ItemQueue()
    queue.add(bench.items)
    bench.subscription.join_again(TABLE)
    queue.discard(TABLE)
    left = [queue.next() for _ in range(len(queue))]
    assert [item.name for item in left if isinstance(item, kind) and isinstance(item, Notice)].count(TABLE) == 1
    assert [item.event.data.table for item in left if isinstance(item, Fact)] == ["wheel-2"]
    assert not any(isinstance(item, CaughtUp) for item in left)
    bench.items.clear()
    bench.wait(1)
    assert not bench.reports(kind)  # it came once


def test_an_answer_to_what_was_asked_before_a_table_was_joined_again_is_ignored() -> None:
    bench, table, _ = two_tables()
    warning(table)
    bench.deliver(table.heartbeat())
    (before,) = bench.requests()
    bench.subscription.join_again(TABLE)
    for answer in answers_to(before, bench.journal, bench.page):
        bench.subscription.on_history(wire.encode_answer(answer), bench.now_ns)
    bench.items += bench.subscription.take()
    assert bench.bodies == []
    bench.answer()
    assert isinstance(bench.items[-2], Joined)
    assert bench.bodies == []


def test_a_service_that_comes_back_while_a_table_is_joined_again_is_asked_anew() -> None:
    bench, _, _ = two_tables()
    bench.journal.lose(TABLE, 3)
    bench.subscription.join_again(TABLE)
    assert len(bench.requests()) == 1
    # Killed before it answered. What it had announced is not in the journal of its successor.
    table, opened = bench.start("e2")
    bench.deliver(opened, table.heartbeat())
    bench.answer()
    (joined,) = bench.reports(Joined)
    assert isinstance(joined, Joined)
    assert (joined.snapshot.epoch, joined.snapshot.last) == ("e2", 3)
    later = warning(table)
    bench.deliver(later)
    assert bench.bodies == [later[1]]


def test_a_table_is_joined_again_however_late_the_history_is() -> None:
    bench, table, _ = two_tables()
    bench.subscription.join_again(TABLE)
    for _ in range(3):
        assert len(bench.requests()) == 1
        for _ in range(4):
            bench.wait(3)
    said = warning(table)
    bench.deliver(said)
    bench.answer()
    (joined,) = bench.reports(Joined)
    assert isinstance(joined, Joined)
    assert joined.snapshot.last == table._journal.last(TABLE).seq
    later = warning(table)
    bench.deliver(later)
    assert bench.bodies == [later[1]]


def test_a_new_connection_is_asked_soon_however_long_there_was_none() -> None:
    bench = Bench()
    for _ in range(20):
        for request in bench.requests():
            bench.subscription.not_sent(request.request_id, bench.now_ns)
        bench.wait(1)
    bench.subscription.reopened(bench.now_ns)
    # It is not connected yet at once, and is a moment later.
    (request,) = bench.requests()
    bench.subscription.not_sent(request.request_id, bench.now_ns)
    bench.wait(0.25)
    assert bench.requests()


def test_only_a_table_that_is_followed_can_be_joined_again() -> None:
    with pytest.raises(KeyError):
        Bench().subscription.join_again(TABLE)


def test_a_reader_that_resumes_at_a_lost_position_is_notified() -> None:
    bench = Bench(since={TABLE: ("e0", 7)})
    table, opened = bench.start("e1")
    bench.deliver(opened, table.heartbeat())
    bench.answer()
    assert rewritten(bench).held == Position("e0", 7)
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_a_reader_that_resumes_gets_later_events_and_none_twice() -> None:
    bench = Bench(since={TABLE: ("e1", 3)})
    table, _ = bench.start("e1")
    said = [warning(table) for _ in range(6)]
    bench.deliver(said[-1], table.heartbeat())
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE, after=3)
    assert not bench.reports(Rewritten, Gap)


def test_announced_events_that_the_journal_does_not_hold_are_reported() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    told = bench.journal.last(TABLE)
    bench.journal.lose(TABLE, 1)
    for _ in range(3):
        bench.answer()
        bench.wait(1)
    assert rewritten(bench).held == Position("e1", 6, told.head.hex())
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_an_announced_head_is_checked_when_its_event_is_received() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    bench.journal.lose(TABLE, 1)
    bench.start("e2")
    bench.answer()
    assert "another head of event 6" in rewritten(bench).why
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_late_events_beyond_the_end_of_their_epoch_in_the_journal_are_reported() -> None:
    bench, table = in_step()
    gone = warning(table)
    bench.journal.lose(TABLE, 1)
    _, opened = bench.start("e2")
    bench.deliver(opened, gone, gone)
    assert rewritten(bench).held == Position("e1", 6)
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_an_epoch_of_which_nothing_is_left_is_reported() -> None:
    bench, _ = in_step()
    table, _ = bench.start("e2")
    bench.deliver(warning(table))
    bench.journal.lose(TABLE, 2)
    table, _ = bench.start("e3")
    for _ in range(3):
        warning(table)
    bench.deliver(table.heartbeat())
    bench.answer()
    assert rewritten(bench).held == Position("e2", 7)
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_an_epoch_that_names_another_predecessor_is_reported() -> None:
    bench, _ = in_step()
    table = ModelTable(bench.journal, TABLE, "e2")
    table.say(events.TableClosed, reason="start", previous_epoch="e9", previous_sequence=3)
    bench.deliver(table.heartbeat())
    bench.answer()
    assert "begins after event 3 of epoch e9" in rewritten(bench).why


def test_a_second_loss_is_reported_after_a_first_one() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    bench.journal.lose(TABLE, 1)
    table, _ = bench.start("e2")
    bench.answer()
    assert len(bench.reports(Rewritten)) == 1
    gone = warning(table)
    bench.journal.lose(TABLE, 1)
    _, opened = bench.start("e3")
    bench.deliver(opened, gone)
    bench.answer()
    held = [report.held for report in bench.reports(Rewritten) if isinstance(report, Rewritten)]
    assert [place._replace(head="") for place in held[1:]] == [Position("e2", 7)]
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_an_event_of_another_epoch_is_not_the_next_one() -> None:
    bench, _ = in_step()
    bench.journal.lose(TABLE, 2)
    bench.start("e2")
    table, _ = bench.start("e3")
    stranger = warning(table)
    bench.deliver(stranger)
    assert stranger[1] not in bench.bodies
    bench.answer()
    assert rewritten(bench).held.seq == 5
    assert bench.bodies[5:] == bench.journal.bodies(TABLE, after=3)


def test_a_fact_received_before_the_comparison_is_no_second_loss() -> None:
    bench, _ = in_step(said=8)
    bench.journal.lose(TABLE, 4)
    table, opened = bench.start("e2")
    early = warning(table)
    bench.deliver(opened, early)
    (request,) = bench.requests()
    behind = [*answers_to(request, bench.journal)]
    late = warning(table)
    for answer in behind:
        bench.subscription.on_history(wire.encode_answer(answer), bench.now_ns)
    bench.deliver(late)
    bench.answer()
    bench.deliver(warning(table), table.heartbeat())
    bench.answer()
    assert rewritten(bench).held.seq == 8
    assert bench.bodies[8:] == bench.journal.bodies(TABLE, after=4)


# --- what must not be shown --------------------------------------------------------------------------------------


def test_a_simulated_round_is_not_delivered_to_a_reader_of_real_ones() -> None:
    bench = Bench()
    table, opened = bench.start("e1", simulated=True)
    bench.deliver(opened, warning(table), table.heartbeat())
    bench.answer()
    assert bench.items == [NotShown(table=TABLE, simulated=True)]


@pytest.mark.parametrize("tables", [None, [TABLE]])
def test_a_simulated_table_that_comes_after_the_first_list_is_notified_too(tables: list[str] | None) -> None:
    bench = Bench(tables=tables)
    bench.answer()
    assert bench.reports(NotShown) == [], "the service has just begun, and no table has events"
    bench.start("e1", simulated=True)
    for _ in range(3):
        bench.wait(10)
        bench.answer()
    assert bench.reports(NotShown) == [NotShown(table=TABLE, simulated=True)]
    assert len(bench.reports(Trouble)) == (0 if tables is None else 1)
    asked = len(bench.asked)
    bench.wait(10)
    bench.answer()
    assert len(bench.asked) == asked, "and nothing is asked any more"


def test_a_simulated_table_has_another_name_than_a_real_one() -> None:
    bench = Bench(simulated=None)
    table, opened = bench.start("e1", simulated=True)
    bench.deliver(opened, table.heartbeat())
    bench.answer()
    assert bench.bodies == [opened[1]]
    assert isinstance(bench.items[-1], CaughtUp)
    assert (bench.items[-1].table, bench.items[-1].simulated) == ("wheel-1", True)


def test_a_simulated_history_is_not_mixed_into_that_of_a_real_table() -> None:
    bench, table = in_step()
    warning(table)
    beat = table.heartbeat()
    bench.journal.kept.clear()
    mock, _ = bench.start("e9", simulated=True)
    for _ in range(9):
        warning(mock)
    bench.journal.kept[TABLE] = [record._replace(epoch="e1") for record in bench.journal.kept[TABLE]]
    bench.deliver(beat)
    bench.answer()
    assert all(not item.event.data.simulated for item in bench.items if isinstance(item, Fact))
    assert "another table" in str(bench.reports(Trouble)[0])


@pytest.mark.parametrize(
    "frames",
    [
        (),
        (b"v1/wheel-1/round.opened/",),
        (b"v1/wheel-1/round.opened/", b"{}"),
        (b"v1/wheel-1/round.opened/", b"\xff\xfe"),
        (b"v1/other/device.warning/", None),
        (b"sim/v1/wheel-1/device.warning/", None),
        (b"v1/wheel-1/device.warning/", None, b"more"),
    ],
)
def test_a_message_that_is_no_event_is_counted_and_ignored(frames: tuple[bytes | None, ...]) -> None:
    bench, table = in_step()
    body = warning(table)[1]
    bench.subscription.on_feed([body if frame is None else frame for frame in frames], bench.now_ns)
    assert bench.subscription.malformed == 1
    bench.deliver(table.heartbeat())
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)


def test_garbage_from_the_history_changes_nothing() -> None:
    bench, table = in_step()
    warning(table)
    bench.deliver(table.heartbeat())
    (request,) = bench.requests()
    rng = Random(1)
    kinds = [b"event", b"done", b"more", b"error", b"snapshot", b"tables", b"schema", b""]
    for _ in range(2000):
        frames = [rng.choice([request.request_id, b"", b"7"]), rng.choice(kinds), rng.randbytes(rng.randrange(9))]
        bench.subscription.on_history(frames[: rng.randrange(4)], bench.now_ns)
        if not bench.requests():
            bench.wait(0.1)
    bench.wait(10)
    bench.deliver(table.heartbeat())
    bench.answer()
    assert bench.bodies == bench.journal.bodies(TABLE)
    assert not bench.reports(Rewritten)


def test_heartbeats_are_delivered_where_they_are_asked_for() -> None:
    journal = ModelJournal()
    table = ModelTable(journal, TABLE, "e1")
    table.open()
    for heartbeats in (False, True):
        subscription = Subscription("ipc:///here", heartbeats=heartbeats)
        frames = table.heartbeat()
        subscription.on_feed(frames, 0)
        assert [item.body for item in subscription.take() if isinstance(item, Fact)] == [frames[1]] * heartbeats
