"""Journals of older versions: migrated with a copy kept, verified before and after, never half."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import migration
from controller.journal.errors import JournalDamaged, JournalError
from controller.journal.migration import prepare
from controller.journal.schema import VERSION
from controller.journal.verify import verify
from hal.clock import VirtualClock
from tests.unit.controller.journal_audit.making import EVENING_NS, Evening, evening, tampering

CLOCK = VirtualClock(EVENING_NS)
COPY = "journal.sqlite.version-1.2026-07-04T190000Z"

VERSION_1 = """
CREATE TABLE record_old (
    n INTEGER PRIMARY KEY, chain TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, epoch TEXT NOT NULL,
    kind TEXT NOT NULL, time TEXT NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL, UNIQUE (chain, seq)
) STRICT;
INSERT INTO record_old SELECT n, chain, seq, id, epoch, kind, time, body, hash FROM record;
DROP TABLE record;
ALTER TABLE record_old RENAME TO record;
DROP TABLE base;
CREATE TABLE base (
    chain TEXT PRIMARY KEY NOT NULL, seq INTEGER NOT NULL, epoch TEXT NOT NULL, hash BLOB NOT NULL, n INTEGER NOT NULL
) STRICT;
PRAGMA user_version = 1;
"""
"""What version 1 was: records without `round` and `topic`, a base without `state`, no further indexes."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = evening(tmp_path / "journal.sqlite")
    with tampering(path) as connection:
        connection.executescript(VERSION_1)
    return path


def rows(path: Path, table: str = "record") -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table} ORDER BY n").fetchall()


def open_for_writing(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        prepare(connection, path, CLOCK)


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_journal_of_version_1_is_as_one_written_today_after_it_was_opened(old: Path, tmp_path: Path) -> None:
    today = evening(tmp_path / "today.sqlite")
    open_for_writing(old)
    assert version_of(old) == VERSION
    assert rows(old) == rows(today)
    assert rows(old, "seal") == rows(today, "seal")
    assert verify(old).ok, "layout, chain and seals"


def test_it_is_kept_as_it_was_under_a_name_that_the_log_says(
    old: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = rows(old)
    with caplog.at_level(logging.WARNING):
        open_for_writing(old)
    assert f"as it was before it is kept as {tmp_path / COPY}" in caplog.text
    assert rows(tmp_path / COPY) == before
    assert version_of(tmp_path / COPY) == 1
    assert (tmp_path / COPY).stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob("*.part"))


def test_the_next_evening_goes_on_in_it(old: Path) -> None:
    with Evening(old) as writer:
        writer.opened("wheel-1")
        assert writer.seqs["wheel-1"] == 17
    assert verify(old).ok


def test_an_auditor_verifies_an_old_one_without_changing_it(old: Path) -> None:
    report = verify(old)
    assert report.ok
    assert any("of version 1: a migrated copy of it was verified" in note for note in report.notes)
    assert version_of(old) == 1


def test_tampering_with_an_old_one_is_found_as_well(old: Path) -> None:
    with tampering(old) as connection:
        connection.execute("DELETE FROM record WHERE chain = 'wheel-2' AND seq = 3")
    found = verify(old).first
    assert found is not None
    assert (found.chain, found.first) == ("wheel-2", 3)


def test_cut_off_in_the_middle_it_is_still_of_version_1_and_the_next_opening_migrates_it(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(old)
    real = migration.MIGRATIONS[1]

    def cut(connection: sqlite3.Connection) -> None:
        real(connection)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(migration, "MIGRATIONS", {1: cut})
        with pytest.raises(KeyboardInterrupt):
            open_for_writing(old)
    assert (rows(old), version_of(old)) == (before, 1)
    open_for_writing(old)
    assert verify(old).ok


def test_one_of_today_is_opened_without_a_copy(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    open_for_writing(path)
    assert not list(tmp_path.glob("*.version-*"))


def test_a_newer_one_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    with tampering(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = rows(path)
    with pytest.raises(JournalError, match=r"newer Feltwire .*install the newer Feltwire again"):
        open_for_writing(path)
    assert rows(path) == before


def test_a_version_that_never_was_is_refused(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    with tampering(path) as connection:
        connection.execute("PRAGMA user_version = 0")
    with pytest.raises(JournalDamaged, match="no Feltwire ever wrote such a journal"):
        open_for_writing(path)


def test_a_body_that_cannot_be_read_stops_the_migration_and_changes_nothing(old: Path) -> None:
    with tampering(old) as connection:
        connection.execute("UPDATE record SET body = x'00' WHERE n = 3")
    before = rows(old)
    with pytest.raises(JournalDamaged, match="while migrating it from version 1"):
        open_for_writing(old)
    assert (rows(old), version_of(old)) == (before, 1)
