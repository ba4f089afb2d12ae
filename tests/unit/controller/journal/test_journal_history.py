"""The journal as the history server reads it, while it is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from audit.errors import JournalError
from audit.records import COMMANDS, genesis
from audit.seals import received
from controller.journal import history as module
from controller.journal.evening import ns_of
from controller.journal.history import JournalHistory
from controller.journal.journal import Journal
from feed import events
from feed.history_server import History
from feed.state import Snapshot, TableState
from feed.wire import REWRITTEN, UNKNOWN_TABLE, SealList
from tests.powercut.making import command, opened, player, written
from tests.unit.audit.making import evening, tampering


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = opened(tmp_path / "journal.sqlite")
    yield journal
    journal.close()


@pytest.fixture
def history(journal: Journal) -> Iterator[JournalHistory]:
    history = JournalHistory(journal.path)
    yield history
    history.close()


def play(journal: Journal, count: int, table: str = "roulette-1") -> list[tuple[bytes, bytes]]:
    """Events that were written; as they are published."""
    one = player(table)
    said = [one.say(events.RoundOpened, round=number) for number in range(1, count + 1)]
    written(journal, said)
    return [(entry.topic.encode(), entry.body) for entry in said]


def test_a_time_of_the_journal_is_exact_to_the_microsecond() -> None:
    assert ns_of("1970-01-02T00:00:01.000234Z") == 86_401_000_234_000


def test_it_is_what_the_history_server_asks_for(history: JournalHistory) -> None:
    asked: History = history
    assert asked.tables() == []


def test_tables_are_listed_and_commands_are_no_table(journal: Journal, history: JournalHistory) -> None:
    play(journal, 1)
    play(journal, 1, "roulette-10")
    written(journal, [command(1, "ask-1")])
    assert history.tables() == ["roulette-1", "roulette-10"]
    assert history.snapshot(COMMANDS) is None
    assert history.page(COMMANDS, "", 0, 10).problem == UNKNOWN_TABLE
    assert history.page(COMMANDS, "", 5, 10).problem == UNKNOWN_TABLE


def test_a_page_has_the_events_exactly_as_they_were_published(journal: Journal, history: JournalHistory) -> None:
    said = play(journal, 5)
    page = history.page("roulette-1", "", 0, 100)
    assert page.events == said
    assert (page.epoch, page.last, page.problem, page.after) == ("e1", 5, None, None)
    assert len(page.head) == 64


def test_pages_follow_each_other_without_a_hole(journal: Journal, history: JournalHistory) -> None:
    said = play(journal, 7)
    first = history.page("roulette-1", "", 0, 3)
    second = history.page("roulette-1", "e1", 3, 3)
    third = history.page("roulette-1", "e1", 6, 3)
    assert [*first.events, *second.events, *third.events] == said
    assert {page.last for page in (first, second, third)} == {7}
    assert history.page("roulette-1", "e1", 7, 3).events == []


def test_a_table_of_which_nothing_is_known_is_no_table(history: JournalHistory) -> None:
    page = history.page("wheel-9", "", 0, 10)
    assert (page.problem, page.last, page.head) == (UNKNOWN_TABLE, 0, genesis("wheel-9").hex())
    assert history.snapshot("wheel-9") is None


@pytest.mark.parametrize(
    ("epoch", "after"),
    [("e1", 6), ("", 6), ("e2", 3), ("e2", 5)],
    ids=["beyond the end", "beyond the end, epoch unknown", "another epoch", "another epoch at the end"],
)
def test_who_saw_another_history_is_told_that_it_was_rewritten(
    journal: Journal, history: JournalHistory, epoch: str, after: int
) -> None:
    play(journal, 5)
    page = history.page("roulette-1", epoch, after, 10)
    assert (page.problem, page.events, page.epoch, page.last) == (REWRITTEN, [], "e1", 5)
    assert page.detail


def test_who_saw_events_of_a_table_that_has_none_is_told_so_too(history: JournalHistory) -> None:
    assert history.page("roulette-1", "e1", 57, 10).problem == REWRITTEN


def test_an_epoch_says_nothing_before_the_first_event(journal: Journal, history: JournalHistory) -> None:
    said = play(journal, 2)
    assert history.page("roulette-1", "e7", 0, 10).events == said


@pytest.mark.parametrize("limit", [-1, 0])
def test_a_page_of_nothing_has_nothing(journal: Journal, history: JournalHistory, limit: int) -> None:
    play(journal, 2)
    assert history.page("roulette-1", "", 0, limit).events == []


def test_no_page_is_longer_than_is_good(
    journal: Journal, history: JournalHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(journal, 5)
    monkeypatch.setattr(module, "MOST_EVENTS", 3)
    assert len(history.page("roulette-1", "", 0, 10**9).events) == 3


def test_a_snapshot_is_where_the_table_stands(journal: Journal, history: JournalHistory) -> None:
    play(journal, 3)
    body = history.snapshot("roulette-1")
    assert body is not None
    state = TableState.from_snapshot(msgspec.json.decode(body, type=Snapshot))
    assert (state.last, state.epoch, state.unfinished_round) == (3, "e1", 3)


def test_where_older_history_was_archived_a_page_begins_after_it(journal: Journal, tmp_path: Path) -> None:
    said = play(journal, 5)
    journal.close()
    with sqlite3.connect(journal.path) as connection:
        connection.execute(
            "INSERT INTO base (chain, seq, epoch, hash, n) SELECT chain, seq, epoch, hash, n FROM record WHERE seq = 3"
        )
        connection.execute("DELETE FROM record WHERE seq <= 3")
    connection.close()
    history = JournalHistory(journal.path)
    for epoch, after in (("", 0), ("e9", 0), ("e9", 2), ("e1", 3)):
        page = history.page("roulette-1", epoch, after, 10)
        assert page.events == said[3:]
        assert page.after == (None if after == 3 else 3)
    assert history.page("roulette-1", "e2", 3, 10).problem == REWRITTEN
    with sqlite3.connect(journal.path) as connection:
        connection.execute("DELETE FROM record")
    connection.close()
    page = history.page("roulette-1", "", 0, 10)
    assert (page.events, page.last, page.epoch) == ([], 3, "e1")
    assert history.tables() == ["roulette-1"]
    history.close()


def test_a_journal_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"none\.sqlite: while opening it for reading, it cannot be opened"):
        JournalHistory(tmp_path / "none.sqlite")


def test_a_history_that_was_closed_says_so(history: JournalHistory) -> None:
    history.close()
    with pytest.raises(JournalError, match="while listing its tables"):
        history.tables()


def test_of_each_chain_the_newest_seal_is_there_and_a_changed_one_is_none(
    journal: Journal, history: JournalHistory
) -> None:
    for table in ("roulette-1", "roulette-2"):
        play(journal, 3, table)
        journal.seal()
    # Once these are written the seals before them are too; the last of them may cover these as well.
    play(journal, 3, "roulette-3")
    sent = msgspec.json.decode(history.seals(), type=SealList).seals
    contents = [received(one)[1] for one in sent]
    named = {table: head.seq for content in contents for table, head in content.heads.items()}
    assert (named["roulette-1"], named["roulette-2"]) == (3, 3)
    assert [content.n for content in contents] == sorted(content.n for content in contents)
    changed = msgspec.structs.replace(sent[-1], statement=sent[-1].statement.replace("second", "count"))
    with pytest.raises(ValueError, match="its signature is not of the key that it names"):
        received(changed)


def test_a_seal_that_nests_too_deep_to_be_read_is_passed_over(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    nested = b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    with tampering(path) as connection:
        connection.execute("UPDATE seal SET statement = ? WHERE n = (SELECT max(n) FROM seal)", (nested,))
    with closing(JournalHistory(path)) as history:
        sent = msgspec.json.decode(history.seals(), type=SealList).seals
    assert {table for one in sent for table in received(one)[1].heads} == {"@commands", "wheel-1", "wheel-2"}
