"""Archives: history moves up to a seal, verifies on both sides, and nothing is lost wherever it is cut off."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nacl.signing import SigningKey

from audit.continuing import breaks_between, other_values
from audit.errors import JournalError
from audit.findings import AuditReport, FindingKind
from audit.records import Head
from audit.table_state import state_of
from audit.verify import verify
from controller.journal import archive as archiving
from controller.journal.archive import Archived, archive
from controller.journal.files import Lock
from controller.journal.history import JournalHistory
from feed.data import WearHistory
from feed.events import DeviceCondition
from feed.state import Snapshot, TableState
from hal.clock import VirtualClock
from tests.unit.audit.making import DAY_NS, EVENING_NS, KEY, OTHER_KEY, Evening, tampering

BEGIN = datetime.fromisoformat("2026-07-04T19:00:00Z")


def move(
    path: Path, out: Path, before: datetime, *, key: SigningKey = KEY, keys: Sequence[bytes] = ()
) -> Archived | None:
    return archive(path, out, before, key=key, clock=VirtualClock(EVENING_NS + 30 * DAY_NS), keys=keys)


class Cut(Exception):  # noqa: N818
    """The power goes."""


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Four evenings, a day between them; a fault of the first one still stands, and wheel-2 plays only on that one."""
    path = tmp_path / "journal.sqlite"
    writer = Evening(path)
    for night in range(4):
        with writer:
            writer.opened("wheel-1")
            if night == 0:
                writer.opened("wheel-2")
                writer.fault("wheel-1")
                for _ in range(12):
                    writer.round("wheel-2")
                writer.closed("wheel-2")
            for _ in range(4):
                writer.round("wheel-1")
                writer.command("settle")
            writer.closed("wheel-1")
        writer.clock.advance_to(EVENING_NS + (night + 1) * DAY_NS)
    return path


def rows(*paths: Path) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for path in paths:
        with closing(sqlite3.connect(path)) as connection:
            found += connection.execute("SELECT * FROM record ORDER BY n").fetchall()
    return found


def states(path: Path) -> dict[str, Snapshot]:
    with closing(sqlite3.connect(path)) as connection:
        return {table: state_of(connection, table, path).snapshot() for table in ("wheel-1", "wheel-2")}


def after(nights: int) -> datetime:
    return BEGIN + timedelta(days=nights) - timedelta(hours=1)


def test_an_archive_and_what_is_left_verify_and_hold_every_row_between_them(journal: Path, tmp_path: Path) -> None:
    before, stood = rows(journal), states(journal)
    out = tmp_path / "old.sqlite"
    done = move(journal, out, after(2))
    assert done is not None
    assert rows(out, journal) == before
    assert (done.records, done.left) == (len(rows(out)), len(rows(journal)))
    reports = [verify(out), verify(journal)]
    assert all(report.ok for report in reports)
    assert breaks_between(reports) == []
    assert states(journal) == stood, "the fault that stands and the last rounds are known without the archive"


def test_the_wear_of_a_wheel_is_known_after_many_rounds_without_it_and_after_its_archiving(tmp_path: Path) -> None:
    path, out = tmp_path / "journal.sqlite", tmp_path / "old.sqlite"
    history = WearHistory(days=[1.5], spins=[6], values={"level": [0.03]})
    writer = Evening(path)
    for night in range(3):
        with writer:
            writer.opened("wheel-1")
            if night == 0:
                for days in ([0.5], [1.5]):
                    older = msgspec.structs.replace(history, days=days)
                    writer.say(writer.event("wheel-1", DeviceCondition, device="wheel", history=older))
            for _ in range(14):
                writer.round("wheel-1")
            writer.closed("wheel-1")
        writer.clock.advance_to(EVENING_NS + (night + 1) * DAY_NS)

    def wear() -> WearHistory | None:
        with closing(sqlite3.connect(path)) as connection:
            return state_of(connection, "wheel-1", path).snapshot().wear

    assert wear() == history
    assert move(path, out, after(2)) is not None
    assert wear() == history


def test_the_wear_of_a_wheel_is_known_after_another_game_and_an_older_archive_states_less(tmp_path: Path) -> None:
    path, out = tmp_path / "journal.sqlite", tmp_path / "old.sqlite"
    writer = Evening(path)
    for night, game in enumerate(("roulette", "baccarat", "money_wheel", "baccarat")):
        writer.game = game
        with writer:
            writer.opened("wheel-1")
            if game != "baccarat":
                history = WearHistory(days=[night + 0.5], spins=[6], values={"level": [0.03]})
                writer.say(writer.event("wheel-1", DeviceCondition, device="wheel", history=history))
            for _ in range(14):
                writer.round("wheel-1", "void")
            writer.closed("wheel-1")
        writer.clock.advance_to(EVENING_NS + (night + 1) * DAY_NS)

    def days() -> dict[str, list[float]]:
        with closing(sqlite3.connect(path)) as connection:
            found = TableState.from_snapshot(state_of(connection, "wheel-1", path).snapshot()).wear_of
        return {game: one.days for game, one in found.items()}

    assert days() == {"roulette": [0.5], "money_wheel": [2.5]}
    assert move(path, out, after(2)) is not None
    assert days() == {"roulette": [0.5], "money_wheel": [2.5]}
    assert breaks_between([verify(out), verify(path)]) == []
    with closing(sqlite3.connect(out)) as connection:
        proven = state_of(connection, "wheel-1", out).snapshot()
    replace = msgspec.structs.replace
    assert proven.wear is not None
    for wear, wrong in ((proven.wear, ""), (None, ""), (replace(proven.wear, days=[9]), "wear is")):
        stated = replace(proven, wear=wear, wear_game="", wear_before={})  # as an older version wrote it
        assert other_values(stated, proven)[:7] == wrong
    assert other_values(replace(proven, wear_game="baccarat"), proven).startswith("wear_game is")


def test_a_chain_that_has_no_record_in_an_archive_and_none_after_it_is_not_broken() -> None:
    def report(path: str, heads: dict[str, Head]) -> AuditReport:
        return AuditReport(
            path=path, chains=[], seals=0, public_keys=[], keys_given=False, findings=[], notes=[], archived={},
            heads=heads, end_is_proven=True,
        )  # fmt: skip

    genesis, written = Head(0, "", "00" * 32), Head(7, "", "11" * 32)
    assert breaks_between([report("old", {"wheel-1": genesis}), report("new", {})]) == []
    (found,) = breaks_between([report("old", {"wheel-1": written}), report("new", {})])
    assert found.endswith("and new goes on after the beginning")


def test_archives_chain_onto_each_other(journal: Path, tmp_path: Path) -> None:
    before, stood = rows(journal), states(journal)
    files = [tmp_path / f"{number}.sqlite" for number in (1, 2, 3)]
    for number, out in enumerate(files, 1):
        assert move(journal, out, after(number)) is not None
    reports = [verify(path) for path in (*files, journal)]
    assert all(report.ok for report in reports)
    assert breaks_between(reports) == []
    assert breaks_between([reports[0], reports[2]])
    assert rows(*files, journal) == before
    assert states(journal) == stood


def test_everything_can_be_archived_and_the_next_evening_goes_on(journal: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.sqlite"
    assert move(journal, out, after(300)) is not None
    assert rows(journal) == []
    last = verify(out).heads["wheel-1"].seq
    writer = Evening(journal)
    with writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
    assert verify(journal).ok
    assert writer.seqs["wheel-1"] == last + 4
    history = JournalHistory(journal)
    try:
        page = history.page("wheel-1", "", 0, 10)
    finally:
        history.close()
    assert page.after == last
    assert page.last == last + 4


def test_history_goes_only_up_to_a_seal_that_is_old_enough(journal: Path, tmp_path: Path) -> None:
    assert move(journal, tmp_path / "none.sqlite", BEGIN - timedelta(days=1)) is None
    assert not (tmp_path / "none.sqlite").exists()
    move(journal, tmp_path / "one.sqlite", BEGIN + timedelta(days=1, seconds=3))
    assert rows(tmp_path / "one.sqlite")[-1][5] == "table.closed", "the second evening had begun, and was not sealed"


def test_the_same_call_again_finds_nothing_more_to_do(journal: Path, tmp_path: Path) -> None:
    out = tmp_path / "old.sqlite"
    move(journal, out, after(2))
    left = rows(journal)
    assert move(journal, out, after(2)) is None
    assert rows(journal) == left


@pytest.mark.parametrize("step", ["_compare", "_same_heads", "_base", "_delete", "walk", "sync_folder"])
def test_cut_off_anywhere_nothing_is_lost_and_a_second_call_finishes(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before, stood = rows(journal), states(journal)
    out = tmp_path / "old.sqlite"

    def cut(*_: Any) -> None:
        raise Cut

    with monkeypatch.context() as patched:
        patched.setattr(archiving, step, cut)
        with pytest.raises(Cut):
            move(journal, out, after(2))
    assert rows(journal) == before
    assert verify(journal).ok
    assert move(journal, out, after(2)) is not None
    assert rows(out, journal) == before
    assert verify(out).ok
    assert verify(journal).ok
    assert states(journal) == stood
    assert not list(tmp_path.glob("*.part*"))


def test_a_journal_that_the_service_holds_is_left_alone(journal: Path, tmp_path: Path) -> None:
    with Lock(journal), pytest.raises(JournalError, match="writes this journal already; end it first"):
        move(journal, tmp_path / "old.sqlite", after(2))
    assert not (tmp_path / "old.sqlite").exists()


def test_nothing_is_archived_of_a_journal_that_does_not_verify(journal: Path, tmp_path: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("UPDATE record SET body = x'00' WHERE n = 3")
    with pytest.raises(JournalError, match=r"does not verify \(wheel-1 record 2: changed"):
        move(journal, tmp_path / "old.sqlite", after(2))


def test_a_file_that_is_there_is_never_written_over(journal: Path, tmp_path: Path) -> None:
    out = tmp_path / "old.sqlite"
    out.write_text("the accounts of 2025")
    with pytest.raises(JournalError, match="this is not a journal"):
        move(journal, out, after(2))
    assert out.read_text() == "the accounts of 2025"
    other = tmp_path / "other.sqlite"
    with Evening(other) as writer:
        writer.opened("wheel-1")
    with pytest.raises(JournalError, match="it is there already, and holds something else"):
        move(journal, other, after(2))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE base SET hash = zeroblob(32) WHERE chain = 'wheel-1'",
        "UPDATE base SET seq = seq - 1 WHERE chain = 'wheel-1'",
        "UPDATE base SET n = n + 1 WHERE chain = 'wheel-1'",
        "DELETE FROM base WHERE chain = 'wheel-1'",
        "DELETE FROM base",
        "INSERT INTO base VALUES ('wheel-3', 1, 'e', zeroblob(32), 1, x'')",
    ],
)
def test_a_base_that_was_changed_is_found(journal: Path, tmp_path: Path, change: str) -> None:
    move(journal, tmp_path / "old.sqlite", after(2))
    with tampering(journal) as connection:
        connection.execute(change)
    report = verify(journal)
    assert not report.ok
    assert {one.kind for one in report.findings} & {FindingKind.BASE, FindingKind.MISSING}


def test_a_journal_whose_key_was_changed_on_purpose_is_archived_with_both_keys(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    for key in (KEY, OTHER_KEY):
        with Evening(path, key=key) as writer:
            writer.opened("wheel-1")
    with pytest.raises(JournalError, match="sealed with another key"):
        move(path, tmp_path / "old.sqlite", after(300), key=OTHER_KEY)
    keys = [bytes(KEY.verify_key), bytes(OTHER_KEY.verify_key)]
    done = move(path, tmp_path / "old.sqlite", after(300), key=OTHER_KEY, keys=keys)
    assert done is not None
    assert done.records == 2
