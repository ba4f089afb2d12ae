"""A journal's file is created where there is none; a file of another version is refused and left alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from audit.errors import JournalDamaged, JournalError
from audit.schema import OLDEST, VERSION, prepare
from tests.unit.audit.making import evening, tampering


def prepared(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        prepare(connection, path)


def of_version(path: Path, version: int) -> Path:
    evening(path)
    with tampering(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path


def test_an_empty_file_becomes_a_journal_and_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    prepared(path)
    before = path.read_bytes()
    prepared(path)
    assert path.read_bytes() == before


def test_a_newer_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = of_version(tmp_path / "journal.sqlite", VERSION + 1)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"newer Feltwire .*install the newer Feltwire again"):
        prepared(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", range(OLDEST))
def test_an_older_journal_is_refused_and_left_alone(tmp_path: Path, version: int) -> None:
    path = of_version(tmp_path / "journal.sqlite", version)
    before = path.read_bytes()
    with pytest.raises(JournalDamaged, match=rf"version is {version}, .* expected version {VERSION}; keep it"):
        prepared(path)
    assert path.read_bytes() == before
