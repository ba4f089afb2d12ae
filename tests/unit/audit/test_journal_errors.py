"""The largest size of a file: whose limit it is decides what is to be done."""

from __future__ import annotations

import errno
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from audit import errors
from audit.errors import journal_error
from tests.fakes.time_limits import HANG_S

FILLED = """
import resource, sqlite3, sys
from pathlib import Path
from audit.errors import JournalError, journal_error
from controller.journal.files import connect_writer, fill_log, make_file
from audit.schema import create
path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (409_600, 409_600))
make_file(path)
connection = connect_writer(path)
create(connection)
try:
    fill_log(path)
except JournalError as error:
    print(error)
try:
    while True:
        connection.execute("INSERT INTO base VALUES (hex(randomblob(8)), 1, '', zeroblob(9000), 1, x'')")
except sqlite3.Error as error:
    print(journal_error(path, error, "writing events"))
"""


class Sqlite(sqlite3.OperationalError):
    """An error as SQLite numbers it."""

    sqlite_errorname = "SQLITE_IOERR_WRITE"


def limited(monkeypatch: pytest.MonkeyPatch, soft: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda what: (soft, resource.RLIM_INFINITY))


def test_a_process_at_its_limit_is_told_to_raise_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    run = subprocess.run(
        [sys.executable, "-c", FILLED, path], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert run.stderr == ""
    filling, writing = run.stdout.splitlines()
    for line in (filling, writing):
        assert "a file grew to the largest size that this process may write" in line
        assert "`ulimit -f unlimited`, or LimitFSIZE=infinity" in line
        assert "card" not in line
    assert "while filling its write-ahead log" in filling
    assert "SQLITE_IOERR_WRITE" in writing


def test_without_a_limit_it_is_the_file_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, resource.RLIM_INFINITY)
    error = journal_error(tmp_path / "journal.sqlite", OSError(errno.EFBIG, ""), "writing")
    assert error.what.startswith("while writing, a file grew to the largest size that its file system takes")
    assert "another file system" in error.fix


def test_a_limit_that_is_far_away_does_not_excuse_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(bytes(100))
    limited(monkeypatch, 1 << 30)
    assert journal_error(path, Sqlite("disk I/O error"), "writing events").fix == errors.REPLACE_DISK
    limited(monkeypatch, 200)
    assert "ulimit -f" in journal_error(path, Sqlite("disk I/O error"), "writing events").fix
