"""The pipeline: order, durability, and a failing journal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Thread

import pytest

from audit.errors import JournalError
from audit.records import COMMAND, COMMANDS, Entry, Head
from feed import events
from feed.events import Event
from tests.fakes.sample_events import EPOCH, event, opened, progress
from tests.fakes.service import FULL, PipelineBench


def command(number: int) -> Entry:
    return Entry(COMMANDS, number, f"@local:{number}", EPOCH, COMMAND, None, "1970-01-01T00:00:00Z", "", b"{}")


def test_nothing_is_published_before_it_is_durable() -> None:
    bench = PipelineBench(by_itself=False)
    bench.pipeline.put([opened(1)])
    assert bench.feed.kinds == []
    bench.journal.commit()
    assert bench.feed.kinds == ["round.opened"]


def test_what_is_published_is_the_very_body_that_was_journalled() -> None:
    bench = PipelineBench()
    bench.pipeline.put([opened(1), opened(2)])
    assert [body for _, body in bench.feed.messages] == [entry.body for entry in bench.journal.entries]
    assert [topic.decode() for topic, _ in bench.feed.messages] == [entry.topic for entry in bench.journal.entries]


def test_progress_goes_at_once_where_nothing_waits() -> None:
    bench = PipelineBench(by_itself=False)
    bench.pipeline.put([progress(1)])
    assert bench.feed.kinds == ["round.progress"]
    assert bench.journal.entries == []


def test_progress_keeps_its_place_behind_what_is_not_yet_durable() -> None:
    bench = PipelineBench(by_itself=False)
    bench.pipeline.put([opened(1)])
    bench.pipeline.put([progress(1)])
    bench.pipeline.put([opened(2)])
    assert bench.feed.kinds == []
    bench.journal.commit(1)
    assert bench.feed.kinds == ["round.opened", "round.progress"]
    bench.journal.commit()
    assert bench.feed.kinds == ["round.opened", "round.progress", "round.opened"]


def test_a_command_is_in_the_commit_of_the_events_that_it_caused() -> None:
    bench = PipelineBench()
    bench.pipeline.put([opened(1)], [command(bench.pipeline.next_command())])
    assert bench.journal.commits == [[opened(1).id, "@local:1"]]
    assert bench.feed.kinds == ["round.opened"], "a command is not published"


def test_commands_go_on_where_the_journal_was_found() -> None:
    bench = PipelineBench(heads={COMMANDS: Head(41, EPOCH, "00" * 32)})
    assert [bench.pipeline.next_command(), bench.pipeline.next_command()] == [42, 43]


def test_a_submission_is_reported_when_it_is_durable_and_published() -> None:
    bench = PipelineBench(by_itself=False)
    told: list[tuple[JournalError | None, list[str]]] = []
    bench.pipeline.put([opened(1)], then=lambda failure: told.append((failure, [*bench.feed.kinds])))
    assert told == []
    bench.journal.commit()
    assert told == [(None, ["round.opened"])]


def test_the_head_is_that_of_the_last_published_event() -> None:
    bench = PipelineBench(by_itself=False)
    assert bench.pipeline.head("wheel-1").seq == 0
    bench.pipeline.put([opened(1), opened(2)])
    assert bench.pipeline.head("wheel-1").seq == 0
    bench.journal.commit()
    assert bench.pipeline.head("wheel-1") == bench.journal.heads["wheel-1"]


def beat(bench: PipelineBench, meanwhile: Callable[[], object] = lambda: None) -> None:
    """A heartbeat of the table; something else may happen while it is made."""

    def made(head: Head) -> Event:
        meanwhile()
        return event(events.Heartbeat, 1, epoch=EPOCH, last=head.seq, head=head.hash, state="open")

    bench.pipeline.beat("wheel-1", made)


def test_a_heartbeat_does_not_wait_for_the_journal() -> None:
    bench = PipelineBench(by_itself=False)
    bench.pipeline.put([opened(1)])
    beat(bench)
    assert bench.feed.kinds == ["heartbeat"]


@pytest.mark.parametrize("fails", [False, True])
def test_a_heartbeat_names_what_was_sent_before_its_commit_was_reported(fails: bool) -> None:
    bench = PipelineBench(by_itself=False)
    bench.journal.deliver = lambda done, heads: None
    bench.pipeline.put([opened(1), opened(2)])
    bench.journal.commit()
    if fails:
        bench.pipeline.halt(FULL)
    beat(bench)
    assert stated(bench) == [(2, 2)]
    assert bench.pipeline.head("wheel-1") == bench.journal.heads["wheel-1"]


def stated(bench: PipelineBench) -> list[tuple[int, int]]:
    """Of each heartbeat: the event that it names, and the last that was sent before it."""
    found, sent = [], 0
    for one in bench.feed.events:
        if isinstance(one.data, events.Heartbeat):
            found.append((one.data.last, sent))
        elif one.seq is not None:
            sent = one.seq
    return found


def test_heartbeats_name_the_last_event_sent_while_another_thread_commits() -> None:
    bench = PipelineBench(by_itself=False)
    bench.journal.deliver = lambda done, heads: None
    for number in range(1, 301, 2):
        bench.pipeline.put([opened(number), opened(number + 1)])
    journal = Thread(target=bench.journal.commit)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        journal.start()
        while journal.is_alive():
            beat(bench, lambda: sum(range(2000)))
        journal.join()
    finally:
        sys.setswitchinterval(interval)
    assert [named for named, sent in stated(bench) if named != sent] == []


def test_after_a_failure_waiting_submissions_fail_and_are_not_published() -> None:
    bench = PipelineBench(by_itself=False)
    told: list[JournalError | None] = []
    bench.pipeline.put([opened(1)], then=told.append)
    bench.pipeline.put([progress(1)], then=told.append)
    bench.pipeline.put([opened(2)], then=told.append)
    bench.journal.fail()
    bench.journal.commit()
    assert bench.feed.kinds == []
    assert told == [FULL, FULL, FULL]
    assert bench.halted == [FULL], "said once"
    assert bench.pipeline.failure is FULL


def test_after_a_failure_submissions_fail_and_heartbeats_are_sent() -> None:
    bench = PipelineBench()
    bench.pipeline.put([opened(1)])
    bench.journal.fail()
    bench.pipeline.put([opened(2)])
    told: list[JournalError | None] = []
    bench.pipeline.put([opened(3), progress(1)], then=told.append)
    beat(bench)
    assert told == [FULL]
    assert bench.feed.kinds == ["round.opened", "heartbeat"]
    assert bench.pipeline.head("wheel-1").seq == 1


def test_what_was_durable_before_the_failure_is_still_published() -> None:
    bench = PipelineBench(by_itself=False)
    bench.pipeline.put([opened(1)])
    bench.pipeline.put([opened(2)])
    bench.journal.commit(1)
    bench.journal.fail()
    bench.journal.commit()
    assert [one.seq for one in bench.feed.events] == [1]


def test_published_events_and_commit_times_are_counted() -> None:
    bench = PipelineBench(by_itself=False)
    bench.pipeline.put([opened(1)])
    assert bench.counters.waiting == 1
    bench.clock.advance_to(bench.clock.now_ns() + 5_000_000)
    bench.journal.commit()
    assert bench.counters.waiting == 0
    assert bench.counters.commits == 1
    assert bench.counters.longest_commit_ns == 5_000_000
    assert bench.counters.events["wheel-1", "round.opened"] == 1


def test_the_age_of_the_oldest_submission_is_known_to_the_watchdog() -> None:
    bench = PipelineBench(by_itself=False)
    assert bench.pipeline.waiting_since_ns is None
    bench.pipeline.put([opened(1)])
    assert bench.pipeline.waiting_since_ns == bench.clock.now_ns()
    bench.journal.commit()
    assert bench.pipeline.waiting_since_ns is None


def test_a_journal_that_failed_beside_its_commits_halts_it_too() -> None:
    bench = PipelineBench()
    bench.pipeline.halt(FULL)
    bench.pipeline.put([opened(1)])
    assert bench.halted == [FULL]
    assert bench.feed.kinds == []
    assert bench.journal.entries == []
