"""Reading a journal leaves it, and the files beside it, as they were."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import copyfile

import pytest

from audit.errors import JournalDamaged, JournalError
from audit.reading import reading
from audit.verify import verify
from audit.witness import witness_path
from tests.unit.audit.making import Evening, evening, tampering


def beside(path: Path) -> dict[str, bytes]:
    """All files of a folder, and what they hold."""
    return {one.name: one.read_bytes() for one in path.parent.iterdir()}


def copied_with_its_log(path: Path) -> Path:
    """A copy that was made while the service wrote: the journal and its log."""
    copy = path.parent / "copy" / "journal.sqlite"
    copy.parent.mkdir()
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for ending in ("", "-wal"):
            copyfile(f"{path}{ending}", f"{copy}{ending}")
    return copy


def test_a_journal_that_was_closed_is_read_and_nothing_is_left(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    before = beside(path)
    assert verify(path).ok
    assert beside(path) == before


def test_a_copy_with_its_log_is_read_whole_and_nothing_is_left(tmp_path: Path) -> None:
    copy = copied_with_its_log(tmp_path / "journal.sqlite")
    before = beside(copy)
    report = verify(copy)
    assert (report.ok, report.records) == (True, 1)
    assert beside(copy) == before


def test_in_a_services_folder_the_file_that_it_may_use_by_now_stays(tmp_path: Path) -> None:
    copy = copied_with_its_log(tmp_path / "journal.sqlite")
    copy.with_name("journal.sqlite.lock").touch()
    assert verify(copy).ok
    assert copy.with_name("journal.sqlite-shm").exists()


def test_a_journal_that_a_service_changes_meanwhile_is_to_be_read_again(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    os.utime(path, ns=(0, 0))
    changed = pytest.raises(JournalError, match=r"it was changed while it was read.*run the command again")
    with changed, reading(path, "reading it"), tampering(path) as connection:
        connection.execute("DELETE FROM seal")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def test_an_empty_file_is_never_opened_while_its_log_is_the_last_trace(tmp_path: Path) -> None:
    copy = copied_with_its_log(tmp_path / "journal.sqlite")
    copy.write_bytes(b"")
    before = beside(copy)
    with pytest.raises(JournalDamaged, match=r"its log journal\.sqlite-wal is not: the history is lost; keep it"):
        verify(copy)
    assert beside(copy) == before


def test_a_journal_without_its_beginning_is_told_from_a_file_that_never_was_one(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    with pytest.raises(JournalDamaged, match=r"its beginning is destroyed.*journal retire"):
        verify(path)
    witness_path(path).unlink()
    with pytest.raises(JournalError, match=r"this is not a journal; give the path"):
        verify(path)


def test_verification_reports_its_steps(tmp_path: Path) -> None:
    steps: list[str] = []
    verify(evening(tmp_path / "journal.sqlite"), step=steps.append)
    assert steps == ["the pages of the file", "every record"]
