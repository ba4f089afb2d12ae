"""Records that a start found without a seal: which they are, by the seals of a journal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from audit.errors import JournalDamaged
from audit.transparency.late_seals import LateRecords, LateSeal, late_records, late_seal, read_mark
from controller.journal.archive import archive
from hal.clock import VirtualClock
from tests.unit.audit.making import EVENING_NS, KEY, Evening, tampering

MARK = LateSeal(3, "2026-07-04T19:00:08.000000Z", "start")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Four records that are sealed, four that a crash left without a seal, and a start that found them."""
    writer = Evening(tmp_path / "journal.sqlite")
    with pytest.raises(RuntimeError, match="killed"), writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
        writer.seal()
        writer.opened("wheel-2")
        writer.round("wheel-2")
        raise RuntimeError("killed")
    for _ in range(2):
        with writer:
            writer.round("wheel-1")
    return writer.path


def test_what_a_start_found_has_its_mark_and_nothing_else_has(journal: Path) -> None:
    assert [late_seal(journal, n) for n in range(1, 15)] == [None] * 4 + [MARK] * 4 + [None] * 6
    assert late_records(journal) == [LateRecords(5, 8, MARK)]
    assert str(late_records(journal)[0]) == (
        "after a crash 4 records were found without a seal (5 to 8): no seal proves them before seal 3, of the start "
        "at 2026-07-04T19:00:08.000000Z"
    )


def test_archiving_takes_no_mark_away(journal: Path, tmp_path: Path) -> None:
    out = tmp_path / "old.sqlite"
    assert archive(journal, out, datetime(2030, 1, 1, tzinfo=UTC), key=KEY, clock=VirtualClock(EVENING_NS)) is not None
    for path in (journal, out):
        assert (late_seal(path, 4), late_seal(path, 5), late_seal(path, 9)) == (None, MARK, None)
        assert late_records(path) == [LateRecords(5, 8, MARK)]


@pytest.mark.parametrize(
    "change",
    [
        """UPDATE seal SET statement = CAST(replace(statement, '"start"', '"count"') AS BLOB) WHERE n = 3""",
        "UPDATE seal SET statement = x'7b' WHERE n = 3",
        "DELETE FROM seal WHERE n = 3",
        "UPDATE seal SET after_n = 4 WHERE n = 3",
    ],
)
def test_whoever_has_no_key_cannot_take_a_mark_away_unseen(journal: Path, change: str) -> None:
    with tampering(journal) as connection:
        connection.execute(change)
    with pytest.raises(JournalDamaged, match="is not as it was signed; run `feltwire journal verify`"):
        late_records(journal)
    if "UPDATE seal SET statement" in change:
        with pytest.raises(JournalDamaged, match="seal 3 is not as it was signed"):
            late_seal(journal, 5)


def test_a_record_that_no_seal_covers_is_an_error(journal: Path) -> None:
    with pytest.raises(JournalDamaged, match="no seal covers record 15"):
        late_seal(journal, 15)


@pytest.mark.parametrize("extra", [b"", b"\xff", b"{}", b'{"late_seal": {"seal": "x", "time": 1}}', b"[" * 100_000])
def test_extra_data_of_others_is_no_mark(extra: bytes) -> None:
    assert read_mark(extra) is None


def test_a_mark_is_read_as_it_was_written() -> None:
    assert read_mark(MARK.extra()) == MARK
    assert b'"note":"found without a seal after a crash: ' in MARK.extra()
