"""What archiving leaves behind is signed, also against who writes the file; journals of version 2 go on, and say so."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from audit.base import base_digest, read_base
from audit.continuing import breaks_between
from audit.errors import JournalDamaged, JournalError
from audit.findings import AuditReport, FindingKind
from audit.records import Head
from audit.schema import VERSION, prepare
from audit.seals import SEALS
from audit.table_state import state_of
from audit.verify import verify
from audit.witness import read_witness, witness_path
from controller.journal.archive import archive
from controller.journal.journal import Journal
from feed.state import encode_snapshot
from hal.clock import VirtualClock
from tests.unit.audit.making import DAY_NS, EVENING_NS, KEY, OTHER_KEY, Evening, tampering

CLOCK = VirtualClock(EVENING_NS + 30 * DAY_NS)
OLD = Path(__file__).parent / "version_2"
"""Journals as version 2 wrote them, in SQL: whole; and the same, archived, with its archive."""


def load(name: str, path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((OLD / f"{name}.sql").read_text())
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Of three starts; the first is archived in old.sqlite."""
    path = tmp_path / "journal.sqlite"
    writer = Evening(path)
    for night in range(3):
        with writer:
            writer.opened("wheel-1")
            writer.round("wheel-1")
            writer.command("settle")
            writer.closed("wheel-1")
        writer.clock.advance_to(EVENING_NS + (night + 1) * DAY_NS)
    assert archive(path, tmp_path / "old.sqlite", evening(1), key=KEY, clock=CLOCK) is not None
    return path


def evening(number: int) -> datetime:
    """Noon after it."""
    return datetime.fromisoformat(f"2026-07-{4 + number:02}T12:00:00Z")


def other_results(path: Path) -> None:
    """Every past result becomes 17 black."""
    with tampering(path) as connection:
        for chain, state in connection.execute("SELECT chain, state FROM base WHERE state <> x''").fetchall():
            snapshot = json.loads(state)
            for one in snapshot["rounds"]:
                one["result"] = {"pocket": "17", "color": "black"}
            edited = json.dumps(snapshot).encode()
            connection.execute("UPDATE base SET state = ? WHERE chain = ?", (edited, chain))


def bases(report: AuditReport) -> list[str]:
    return [str(one) for one in report.findings if one.kind is FindingKind.BASE]


def opened(path: Path) -> Journal:
    return Journal.open(path, KEY, clock=CLOCK, deliver=lambda done, result: done(result))


def test_a_state_that_was_changed_is_found_and_no_service_starts_on_it(journal: Path) -> None:
    assert verify(journal).ok
    assert verify(journal.with_name("old.sqlite")).ok
    other_results(journal)
    (found,) = bases(verify(journal))
    assert "what archived history left behind here (heads and `state`) is not what seal 7 of" in found
    with pytest.raises(JournalDamaged, match="the base is not as it was written"):
        opened(journal)


@pytest.mark.parametrize("state", [b"not json", b"{}", b'{"table":"wheel-2","epoch":"e","last":1}'])
def test_a_state_that_the_service_would_refuse_is_found_by_verify_too(tmp_path: Path, state: bytes) -> None:
    path = load("journal", tmp_path / "journal.sqlite")
    with tampering(path) as connection:
        connection.execute("UPDATE base SET state = ? WHERE chain = 'wheel-1'", (state,))
    (found,) = bases(verify(path))
    assert "the state of the table when its history was archived cannot be read" in found


def test_a_hash_of_another_length_is_damage_of_the_file_and_not_of_the_disk(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("UPDATE base SET hash = zeroblob(31)")
    assert bases(verify(journal))
    with pytest.raises(
        JournalDamaged, match="a row of base has a value of another type or length: that of '@commands'"
    ):
        opened(journal)


def test_seals_that_are_all_bad_do_not_make_it_a_journal_of_an_older_version(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("UPDATE seal SET public_key = zeroblob(32)")
    report = verify(journal)
    assert not report.ok
    assert not any("older Feltwire" in note for note in report.notes)


def test_history_deleted_and_replaced_by_a_base_from_a_seal_is_found(journal: Path) -> None:
    """Without the key nobody archives, even with all hashes right and the states folded from what was deleted."""
    with tampering(journal) as connection:
        seals = connection.execute("SELECT after_n, statement FROM seal WHERE n = 4").fetchall()
        ((after_n, statement),) = seals
        forge_base(connection, journal, after_n, json.loads(statement)["heads"])
    assert any("is not what seal 7 of" in one for one in bases(verify(journal)))
    with pytest.raises(JournalDamaged, match="the base is not as it was written"):
        opened(journal)


def forge_base(connection: sqlite3.Connection, path: Path, after_n: int, heads: dict[str, list[object]]) -> None:
    for chain, head in heads.items():
        seq, epoch, digest = Head(*head)  # type: ignore[arg-type]
        query = "SELECT n FROM record WHERE chain = ? AND seq = ? UNION SELECT n FROM base WHERE chain = ? AND seq = ?"
        (n,) = connection.execute(query, (chain, seq, chain, seq)).fetchone()
        state = b"" if chain.startswith("@") else encode_snapshot(state_of(connection, chain, path).snapshot())
        row = (chain, seq, epoch, bytes.fromhex(digest), n, state)
        connection.execute("INSERT OR REPLACE INTO base VALUES (?, ?, ?, ?, ?, ?)", row)
    connection.execute("DELETE FROM record WHERE n <= ?", (after_n,))


def test_the_seal_of_the_archiving_is_witnessed_and_nothing_is_written_after_it(journal: Path) -> None:
    noted = read_witness(journal).heads[SEALS]
    with tampering(journal) as connection:
        (last, digest) = connection.execute("SELECT n, hash FROM seal ORDER BY n DESC").fetchone()
        assert (noted.seq, noted.hash) == (last, digest.hex())
        stated = connection.execute("SELECT statement FROM seal WHERE n = ?", (last,)).fetchone()[0]
        assert json.loads(stated)["base"] == base_digest(read_base(connection))
        connection.execute("DELETE FROM seal WHERE n = ?", (last,))
    assert any(one.kind is FindingKind.MISSING and "cut off" in one.detail for one in verify(journal).findings)


def test_an_archive_ends_with_a_seal_of_its_own(journal: Path) -> None:
    old = journal.with_name("old.sqlite")
    assert verify(old).end_is_proven
    with pytest.raises(JournalError, match="it is an archive, whose end is sealed as one; put it back"):
        opened(old)
    with pytest.raises(JournalError, match="it is an archive itself"):
        archive(old, journal.with_name("two.sqlite"), evening(2), key=KEY, clock=CLOCK)
    with Evening(old) as writer:
        writer.opened("wheel-1")
    assert any("of the end of an archive" in str(one) for one in verify(old).findings)


def test_archiving_wants_the_key_that_seals_the_journal(journal: Path) -> None:
    with pytest.raises(JournalError, match="the signing key that was given is not the one that sealed it last"):
        archive(journal, journal.with_name("two.sqlite"), evening(2), key=OTHER_KEY, clock=CLOCK)


def test_nothing_is_archived_of_a_journal_without_a_seal(tmp_path: Path) -> None:
    """A start that is cut off before its first seal leaves one."""
    path = tmp_path / "journal.sqlite"
    with tampering(path) as connection:
        prepare(connection, path)
    assert archive(path, tmp_path / "old.sqlite", evening(1), key=KEY, clock=CLOCK) is None


def test_the_file_of_an_earlier_archiving_takes_no_more_and_is_no_reason_to_find_nothing(journal: Path) -> None:
    old = journal.with_name("old.sqlite")
    assert archive(journal, old, evening(1), key=KEY, clock=CLOCK) is None
    with pytest.raises(JournalError, match="it holds what was archived earlier, and more can be archived now; name a"):
        archive(journal, old, evening(2), key=KEY, clock=CLOCK)


def test_an_archive_that_goes_back_behind_an_earlier_archiving_verifies(journal: Path) -> None:
    """Its seals are older than the one that states its base; the seal of its end states it."""
    two = journal.with_name("two.sqlite")
    assert archive(journal, two, evening(2), key=KEY, clock=CLOCK) is not None
    files = [journal.with_name("old.sqlite"), two, journal]
    reports = [verify(one, keys=[bytes(KEY.verify_key)]) for one in files]
    assert [one.findings for one in reports] == [[], [], []]
    assert breaks_between(reports) == []
    opened(journal).close()
    assert verify(journal).ok


# --- journals of version 2 --------------------------------------------------------------------------------------------


def test_a_journal_of_version_2_opens_verifies_and_is_archived(tmp_path: Path) -> None:
    path = load("whole", tmp_path / "journal.sqlite")
    report = verify(path)
    assert report.ok
    assert not any("older Feltwire" in note for note in report.notes)
    opened(path).close()
    assert archive(path, tmp_path / "old.sqlite", evening(1), key=KEY, clock=CLOCK) is not None
    assert verify(path).ok
    assert verify(tmp_path / "old.sqlite").ok
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    other_results(path)
    assert bases(verify(path))


def test_a_journal_archived_by_version_2_is_reported_as_such(tmp_path: Path) -> None:
    path, old = load("journal", tmp_path / "journal.sqlite"), load("archive", tmp_path / "archive.sqlite")
    report = verify(path)
    assert report.ok
    assert any(
        "archived by an older Feltwire, which signed no record of it: what it left" in one for one in report.notes
    )
    assert breaks_between([verify(old), report]) == []
    opened(path).close()
    report = verify(path)
    assert report.ok
    assert any("left behind is proven only since seal 5 of" in one for one in report.notes)
    other_results(path)
    assert bases(verify(path))


def test_with_its_archive_a_state_that_no_seal_covers_is_found(tmp_path: Path) -> None:
    path, old = load("journal", tmp_path / "journal.sqlite"), load("archive", tmp_path / "archive.sqlite")
    other_results(path)
    report = verify(path)
    assert report.ok, "no seal states it"
    (found,) = breaks_between([verify(old), report])
    assert "wheel-1: the state of the table after record 9" in found
    assert "rounds is" in found


# --- the witness ------------------------------------------------------------------------------------------------------


def put_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def put_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def put_link_to_itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def take_out_seals(path: Path) -> None:
    """So that a seal that is cut off is named by nobody."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if not line.startswith(SEALS.encode())))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_bytes(b""), "empty"),
        (lambda path: path.write_bytes(b"\0garbage\n" * 9), "without a line that can be read"),
        (put_fifo, "no ordinary file"),
        (put_folder, "no ordinary file"),
        (put_link_to_itself, "no ordinary file"),
        (take_out_seals, "without a line of the seals"),
    ],
    ids=["missing", "empty", "garbage", "fifo", "folder", "link", "no seals"],
)
def test_a_witness_that_is_none_is_reported_now_and_ever_after(
    journal: Path, make: Callable[[Path], object], words: str
) -> None:
    make(witness_path(journal))
    report = verify(journal)
    assert report.ok
    assert not report.end_is_proven
    assert any(f"the heads file journal.sqlite.heads is {words}: each journal has one" in one for one in report.notes)
    if witness_path(journal).is_dir():
        with pytest.raises(JournalError, match="beginning the heads file beside it"):
            opened(journal)
        return
    opened(journal).close()
    report = verify(journal)
    assert report.ok
    assert report.end_is_proven
    assert any(f"found the heads file {words}: whether records" in one for one in report.notes)


def test_nothing_is_said_of_a_witness_before_the_first_start(tmp_path: Path) -> None:
    opened(tmp_path / "journal.sqlite").close()
    report = verify(tmp_path / "journal.sqlite")
    assert report.end_is_proven
    assert report.notes == []
