"""A damaged journal is set aside as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.errors import JournalError
from audit.verify import verify
from controller.journal.files import Lock, make_file, retire, set_aside
from hal.clock import VirtualClock
from tests.unit.audit.making import EVENING_NS, Evening

CLOCK = VirtualClock(EVENING_NS)
NAME = "journal.sqlite.retired-2026-07-04T190000Z"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """One whose last records are only in its write-ahead log, as after a crash."""
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        kept = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    for name, data in kept.items():
        (tmp_path / name).write_bytes(data)
    return path


def test_it_has_a_name_with_its_date_and_is_as_it_was(journal: Path, tmp_path: Path) -> None:
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir() if one.suffix != ".lock"}
    aside = retire(journal, CLOCK)
    assert aside == tmp_path / NAME
    after = {one.name: one.read_bytes() for one in tmp_path.iterdir() if one.suffix not in (".lock", ".begin")}
    assert after == {name.replace("journal.sqlite", NAME): data for name, data in before.items()}
    assert verify(aside).records == 1


def test_its_tree_goes_with_it_and_never_in_the_place_of_another(journal: Path, tmp_path: Path) -> None:
    tree, aside = tmp_path / "journal.sqlite.tree", tmp_path / f"{NAME}.tree"
    tree.write_bytes(b"of this journal")
    retire(journal, CLOCK)
    assert (tree.exists(), aside.read_bytes()) == (False, b"of this journal")
    assert set_aside(journal) == [tmp_path / NAME]
    # What is left of a later one, whose file is gone, belongs to no other.
    (tmp_path / "journal.sqlite-wal").write_bytes(b"left")
    tree.write_bytes(b"of a later one")
    retire(journal, CLOCK)
    assert aside.read_bytes() == b"of this journal"


def test_the_next_start_begins_a_new_journal(journal: Path) -> None:
    retire(journal, CLOCK)
    writer = Evening(journal)
    with writer:
        assert writer.seqs == {}
        writer.opened("wheel-1")
    assert verify(journal).ok


def test_cut_off_after_the_file_itself_a_second_call_brings_its_log_after_it(journal: Path, tmp_path: Path) -> None:
    journal.rename(tmp_path / NAME)
    assert retire(journal, VirtualClock(EVENING_NS + 10**12)) == tmp_path / NAME
    assert (tmp_path / f"{NAME}-wal").exists()
    assert verify(tmp_path / NAME).records == 1


def test_what_cannot_be_retired_says_why(journal: Path, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="there is no such file"):
        retire(tmp_path / "nowhere", CLOCK)
    with pytest.raises(JournalError, match="it is a folder"):
        retire(tmp_path, CLOCK)
    with Lock(journal), pytest.raises(JournalError, match="writes this journal already"):
        retire(journal, CLOCK)
    (tmp_path / NAME).touch()
    with pytest.raises(JournalError, match="is there already"):
        retire(journal, CLOCK)
    assert journal.exists()


def test_where_only_the_signing_key_is_left_it_orders_a_new_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with pytest.raises(JournalError, match="there is no such file"):
        retire(path, CLOCK)
    key = path.with_name("signing.key")
    key.touch()
    with pytest.raises(JournalError, match=r"it is gone, and signing\.key of the history before is still there"):
        make_file(path, key=key)
    assert retire(path, CLOCK) is None
    make_file(path, key=key)
    assert path.exists()
