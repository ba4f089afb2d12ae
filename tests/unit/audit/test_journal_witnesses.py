"""What is known outside of the records: heads that were kept, the heads file, keys, the base, the pages."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from audit.captures import check_captures
from audit.continuing import breaks_between
from audit.errors import JournalError
from audit.findings import AuditFinding, FindingKind
from audit.reading import reading
from audit.records import COMMANDS, genesis, link
from audit.verify import KnownHead, verify
from audit.witness import witness_path
from command_line.exit_codes import NOT_VERIFIED
from controller.cli.journal import command
from feed.events import CaptureFile, DeviceFault
from tests.unit.audit.making import KEY, OTHER_KEY, PUBLIC_KEY, Evening, evening, tampering


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return evening(tmp_path / "journal.sqlite")


def first(path: Path, **more: object) -> AuditFinding:
    found = verify(path, **more).first  # type: ignore[arg-type]
    assert found is not None
    return found


def forget_the_witness(path: Path) -> None:
    witness_path(path).unlink()


def cut_to(path: Path, n: int) -> None:
    """Cuts everything after row `n`, seals and witness too: nothing in the file can tell."""
    forget_the_witness(path)
    with tampering(path) as connection:
        connection.execute("DELETE FROM record WHERE n > ?", (n,))
        connection.execute("DELETE FROM seal WHERE after_n > ?", (n,))


def test_records_that_the_service_writes_meanwhile_give_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")

        @contextmanager
        def read_while_it_goes_on(path: Path, doing: str) -> Iterator[sqlite3.Connection]:
            with reading(path, doing) as connection:
                writer.closed("wheel-1")
                yield connection

        monkeypatch.setattr("audit.verify.reading", read_while_it_goes_on)
        report = verify(path)
    assert report.ok, report.findings
    assert report.records == 1


# --- heads -----------------------------------------------------------------------------------------------------------


def test_a_head_that_was_kept_finds_a_history_cut_together_with_its_seals_and_its_witness(journal: Path) -> None:
    kept = verify(journal).heads["wheel-1"]
    cut_to(journal, 18)
    assert verify(journal).ok
    found = first(journal, heads=[KnownHead("wheel-1", kept.seq, bytes.fromhex(kept.hash))])
    assert (found.kind, found.chain, found.first, found.last) == (FindingKind.MISSING, "wheel-1", 9, 16)
    assert "the head that was given names record 16" in found.detail


def written_again(path: Path, other: int | None) -> None:
    """Eight rounds and a seal after each, as who has the key writes them; of another game in round `other`."""
    for file in (path, witness_path(path)):
        file.unlink(missing_ok=True)
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for number in range(1, 9):
            writer.game = "another" if number == other else "money_wheel"
            writer.round("wheel-1")
            writer.seal()


def head_of_record(path: Path, seq: int) -> KnownHead:
    with tampering(path) as connection:
        query = "SELECT hash FROM record WHERE chain = 'wheel-1' AND seq = ?"
        return KnownHead("wheel-1", seq, *connection.execute(query, (seq,)).fetchone())


@pytest.mark.parametrize(
    ("known", "range_", "since"),
    [
        ((16,), "records 1 to 16", "from the first record on"),
        ((15,), "records 1 to 15", "from the first record on"),
        ((3, 16, 22), "records 4 to 22", "since record 3, which an earlier head has"),
        ((3, 5), "", ""),
    ],
)
def test_of_a_head_that_contradicts_the_seals_the_seals_prove_nothing(
    tmp_path: Path, known: tuple[int, ...], range_: str, since: str
) -> None:
    path = tmp_path / "journal.sqlite"
    written_again(path, None)
    heads = [head_of_record(path, seq) for seq in known]
    written_again(path, 3)
    report = verify(path, heads=heads, keys=[PUBLIC_KEY])
    assert report.ok == (not range_)
    for finding in report.findings:
        assert (finding.kind, finding.place) == (FindingKind.REWRITTEN, f"wheel-1 {range_}")
        assert "seals state what is there, so they were made again with their key and prove nothing: " in finding.detail
        assert finding.detail.endswith(f"changed at some place {since}")


@pytest.mark.parametrize("seq", [6, 7])
def test_what_was_rewritten_in_the_gap_of_a_crash_is_no_sign_of_seals_that_were_made_again(
    tmp_path: Path, seq: int
) -> None:
    writer = Evening(tmp_path / "journal.sqlite")
    with pytest.raises(RuntimeError, match="killed"), writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
        writer.seal()
        writer.round("wheel-1")
        raise RuntimeError("killed")
    known = head_of_record(writer.path, seq)
    with tampering(writer.path) as connection:
        rows = connection.execute("SELECT n, body, hash FROM record WHERE n >= 4 ORDER BY n").fetchall()
        before = rows[0][2]
        for n, body, _ in rows[1:]:
            changed = body.replace(b"money_wheel", b"another")
            before = link(before, changed)
            connection.execute("UPDATE record SET body = ?, hash = ? WHERE n = ?", (changed, before, n))
    witness_path(writer.path).unlink()
    with writer:
        writer.round("wheel-1")
    (found,) = verify(writer.path, heads=[known]).findings
    assert found.place == f"wheel-1 records 5 to {seq}"
    assert found.detail.endswith("changed at some place since record 4")


def test_a_head_that_was_kept_finds_a_rewritten_history(journal: Path) -> None:
    kept = verify(journal).heads["wheel-1"]
    cut_to(journal, 18)
    with tampering(journal) as connection:
        digest = genesis("wheel-1")
        for n, body in connection.execute("SELECT n, body FROM record WHERE chain = 'wheel-1' ORDER BY seq").fetchall():
            edited = body.replace(b"feltwire 0.1.0", b"feltwire 0.9.9")
            digest = link(digest, edited)
            connection.execute("UPDATE record SET body = ?, hash = ? WHERE n = ?", (edited, digest, n))
        connection.execute("DELETE FROM seal")
    report = verify(journal, heads=[KnownHead("wheel-1", 8, bytes.fromhex(kept.hash))])
    told = [(one.kind, one.chain, one.first, one.last) for one in report.findings]
    assert (FindingKind.REWRITTEN, "wheel-1", 1, 8) in told


def test_the_right_head_of_a_record_in_the_middle_verifies(journal: Path) -> None:
    with tampering(journal) as connection:
        (digest,) = connection.execute("SELECT hash FROM record WHERE chain = 'wheel-2' AND seq = 5").fetchone()
    assert verify(journal, heads=[KnownHead("wheel-2", 5, digest)]).ok


def test_a_head_of_a_table_that_the_journal_does_not_know_is_a_history_that_is_gone(journal: Path) -> None:
    found = first(journal, heads=[KnownHead("wheel-9", 3, bytes(32))])
    assert (found.kind, found.chain, found.first, found.last) == (FindingKind.MISSING, "wheel-9", 1, 3)


@pytest.mark.parametrize(
    "text", ["", "wheel-1", "wheel-1:3", "wheel-1:x:" + "0" * 64, "wheel-1:3:" + "0" * 63, "wheel-1:3:" + "g" * 64]
)
def test_a_head_that_is_none_is_refused_with_what_was_expected(text: str) -> None:
    with pytest.raises(ValueError, match="expected TABLE:SEQ:HASH"):
        KnownHead.parse(text)


def test_a_head_is_read_as_a_heartbeat_says_it() -> None:
    assert KnownHead.parse("wheel-1:17:" + "ab" * 32) == KnownHead("wheel-1", 17, b"\xab" * 32)


# --- the heads file --------------------------------------------------------------------------------------------------


def test_the_witness_file_finds_a_cut_after_the_last_seal_that_is_left(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("DELETE FROM record WHERE n > 30")
        connection.execute("DELETE FROM seal WHERE after_n > 30")
    found = first(journal)
    assert found.kind is FindingKind.MISSING
    assert "the heads file names record" in found.detail


def test_a_torn_witness_file_proves_nothing(journal: Path) -> None:
    path = witness_path(journal)
    path.write_bytes(path.read_bytes()[:-70] + os.urandom(40))
    assert verify(journal).ok


# --- keys and seals --------------------------------------------------------------------------------------------------


def test_seals_are_checked_with_the_key_that_is_given(journal: Path) -> None:
    report = verify(journal, keys=[bytes(KEY.verify_key)])
    assert report.ok
    assert report.keys_given


def test_a_whole_journal_made_with_another_key_does_not_verify_with_the_right_one(journal: Path) -> None:
    found = first(journal, keys=[bytes(OTHER_KEY.verify_key)])
    assert (found.kind, found.first) == (FindingKind.OTHER_KEY, 1)
    assert KEY.verify_key.encode().hex() in found.detail


def test_a_key_that_was_changed_on_purpose_verifies_with_both(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    for key in (KEY, OTHER_KEY):
        with Evening(path, key=key) as writer:
            writer.opened("wheel-1")
            writer.closed("wheel-1")
    assert first(path).kind is FindingKind.OTHER_KEY
    assert verify(path, keys=[bytes(KEY.verify_key), bytes(OTHER_KEY.verify_key)]).ok


def test_records_without_any_seal_are_reported(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("DELETE FROM seal")
    assert first(journal).kind is FindingKind.MISSING


def test_records_since_the_last_seal_are_noted_as_not_sealed(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        report = verify(path)
    assert report.ok
    assert any("not sealed yet" in note for note in report.notes)


def test_the_missing_end_of_a_chain_shows_in_the_numbers_of_rows_without_any_witness(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        writer.opened("wheel-2")
        writer.round("wheel-1")
        writer.round("wheel-2")
    forget_the_witness(path)
    with tampering(path) as connection:
        connection.execute("DELETE FROM record WHERE chain = 'wheel-1' AND seq = 4")
        connection.execute("DELETE FROM seal WHERE after_n > 0")
    found = first(path)
    assert (found.kind, found.rows) == (FindingKind.MISSING, (5, 5))


# --- several things at once ------------------------------------------------------------------------------------------


def test_findings_of_all_chains_are_reported_the_first_record_written_first(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("UPDATE record SET body = x'00' WHERE chain = 'wheel-2' AND seq = 3")
        connection.execute("DELETE FROM record WHERE chain = 'wheel-1' AND seq = 12")
        connection.execute("UPDATE record SET hash = x'00' WHERE chain = ? AND seq = 2", (COMMANDS,))
    found = [(one.chain, one.kind, one.first) for one in verify(journal).findings]
    assert found == [
        ("wheel-2", FindingKind.CHANGED, 3),
        (COMMANDS, FindingKind.CHANGED, 2),
        ("wheel-1", FindingKind.MISSING, 12),
    ]


def test_records_that_do_not_follow_are_named_together_with_the_first_that_cannot_be_checked(journal: Path) -> None:
    with tampering(journal) as connection:
        for seq in (5, 6):
            connection.execute(
                "UPDATE record SET body = x'00', hash = ? WHERE chain = 'wheel-1' AND seq = ?", (os.urandom(32), seq)
            )
    (found,) = verify(journal).findings
    assert (found.kind, found.first, found.last, found.since) == (FindingKind.CHANGED, 5, 7, 1)
    assert str(found).endswith("nothing vouches for records 1 to 4 before it")


def test_the_records_that_may_be_changed_too_begin_after_the_last_one_that_is_vouched_for(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("UPDATE record SET body = x'00' WHERE chain = 'wheel-1' AND seq = 12")
    (found,) = verify(journal).findings
    assert (found.kind, found.first, found.last, found.since) == (FindingKind.CHANGED, 12, 12, 9)


def test_an_edited_record_after_a_gap_is_found_where_a_seal_names_the_hash_before_it(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("DELETE FROM record WHERE chain = 'wheel-1' AND seq BETWEEN 7 AND 8")
        edited = "CAST(replace(CAST(body AS TEXT), 'feltwire 0.1.0', 'feltwire 0.9.9') AS BLOB)"
        connection.execute(f"UPDATE record SET body = {edited} WHERE chain = 'wheel-1' AND seq = 9")
    found = [(one.kind, one.first, one.last) for one in verify(journal).findings]
    assert (FindingKind.CHANGED, 9, 9) in found


# --- tables and pages ------------------------------------------------------------------------------------------------


def test_a_trigger_in_the_file_is_reported_and_not_run(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("CREATE TRIGGER hide AFTER INSERT ON record BEGIN DELETE FROM record; END")
    found = first(journal)
    assert found.kind is FindingKind.LAYOUT
    assert "there is a trigger hide" in found.detail


def test_a_view_in_place_of_the_records_is_reported(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("ALTER TABLE record RENAME TO truth")
        connection.execute("CREATE VIEW record AS SELECT * FROM truth WHERE kind <> 'round.void'")
    assert first(journal).kind is FindingKind.LAYOUT


def test_a_missing_index_is_reported(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("DROP INDEX record_state")
    assert "the index record_state is missing" in first(journal).detail


def test_a_damaged_page_is_reported_first_in_the_words_of_sqlite(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'record'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(journal.read_bytes())
    data[(root - 1) * size : root * size] = bytes(size)
    journal.write_bytes(data)
    (found,) = verify(journal).findings
    assert found.kind is FindingKind.DAMAGED


def test_a_journal_that_is_cut_off_does_not_verify_and_the_report_names_its_size(journal: Path, tmp_path: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    data = journal.read_bytes()
    short = tmp_path / "short.sqlite"
    short.write_bytes(data[: len(data) // 2 + 9])
    (found,) = verify(short).findings
    assert found.kind is FindingKind.DAMAGED
    assert found.detail.startswith(f"it is cut off, and has {len(data) // 2 + 9:,} of {len(data):,} bytes: ")


# --- files that cannot be used ---------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_used_says_what_it_is(tmp_path: Path, journal: Path) -> None:
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("CREATE TABLE t (a)").connection.close()
    newer = tmp_path / "newer.sqlite"
    newer.write_bytes(journal.read_bytes())
    with tampering(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    never = tmp_path / "never.sqlite"
    never.write_bytes(journal.read_bytes())
    with tampering(never) as connection:
        connection.execute("PRAGMA user_version = 0")
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("roulette-1 17 black\n" * 100)
    said = {
        tmp_path / "nowhere": "there is no such file",
        tmp_path: "it is a folder",
        tmp_path / "empty": "it is empty",
        tmp_path / "text": "this is not a journal; give the path of a journal, such as journal.sqlite",
        other: "it is an SQLite file, and not a journal",
        newer: "it was written by a newer Feltwire",
        never: "its version is 0, and no released Feltwire wrote such a journal; expected version 3; keep it",
        Path("/dev/null"): "it is not an ordinary file",
    }
    for path, what in said.items():
        with pytest.raises(JournalError, match=what) as raised:
            verify(path)
        assert str(raised.value).startswith(f"{path}: ")


def test_a_file_of_which_no_record_can_be_read_proves_no_end(tmp_path: Path, journal: Path) -> None:
    alone = tmp_path / "alone.sqlite"
    shutil.copy(journal, alone)
    with tampering(alone) as connection:
        connection.execute("DROP TABLE seal")
    report = verify(alone)
    assert (report.ok, report.end_is_proven) == (False, False)


def test_a_locked_file_is_reported(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.reading.BUSY_SECONDS", 0.0)
    with tampering(journal) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(JournalError, match="another program holds it locked"):
            verify(journal)


# --- beside the service ----------------------------------------------------------------------------------------------


def test_a_journal_verifies_while_the_service_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path, seal_every=5) as writer:
        writer.opened("wheel-1")
        for _ in range(10):
            writer.round("wheel-1")
            assert verify(path).ok


def test_progress_is_reported_up_to_the_end(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr("audit.verify.REPORT_EVERY", 10)
    verify(journal, progress=lambda done, total: told.append((done, total)))
    assert told == [(10, 36), (20, 36), (30, 36), (36, 36)]


def test_files_that_do_not_go_on_from_each_other_are_reported(tmp_path: Path, journal: Path) -> None:
    other = evening(tmp_path / "other.sqlite")
    assert breaks_between([verify(journal), verify(other)])


# --- captures --------------------------------------------------------------------------------------------------------


def test_captures_are_held_against_the_hash_that_the_journal_has(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    folder = tmp_path / "captures"
    (folder / "wheel-1").mkdir(parents=True)
    names = [f"wheel-1/wheel-1.0000000000000001.{number}.vcd" for number in (1, 2, 3)]
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for name in [*names, "../outside.vcd"]:
            capture = CaptureFile(file=name, sha256=sha256(name.encode()).hexdigest())
            fields = {"device": "wheel", "fault": "sensor_stuck", "detail": "d", "blocks_play": True}
            writer.say(writer.event("wheel-1", DeviceFault, **fields, capture=capture))
    (folder / names[0]).write_bytes(names[0].encode())
    (folder / names[1]).write_bytes(b"another spin")
    (folder / "wheel-1" / "planted.vcd").write_bytes(b"")
    report = check_captures([path], folder, ".vcd")
    assert (report.good, report.gone, report.strange) == (1, 1, 1)
    changed, outside = report.wrong
    assert changed.startswith(f"{names[1]} has the SHA-256 {sha256(b'another spin').hexdigest()}, and wheel-1 record 3")
    assert outside == "wheel-1 record 5 names ../outside.vcd, which is not below the folder of captures"
    shown = CliRunner().invoke(command, ["verify", str(path)])
    assert shown.exit_code == NOT_VERIFIED
    assert "CHANGED: wheel-1/" in shown.output
    assert "1 capture that events name is not there" in shown.output
    shutil.rmtree(folder)
    assert CliRunner().invoke(command, ["verify", str(path)]).exit_code == 0


def test_links_in_the_place_of_captures_are_named_and_not_followed(tmp_path: Path) -> None:
    """To other bytes outside, to itself, and to a folder elsewhere: the journal names none of them wrongly."""
    path, folder, elsewhere = tmp_path / "journal.sqlite", tmp_path / "captures", tmp_path / "elsewhere"
    names = ["wheel-1/1.vcd", "wheel-1/2.vcd", "wheel-2/3.vcd", "wheel-1/\0.vcd"]
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for name in names:
            capture = CaptureFile(file=name, sha256=sha256(b"spin").hexdigest())
            fields = {"device": "wheel", "fault": "sensor_stuck", "detail": "d", "blocks_play": True}
            writer.say(writer.event("wheel-1", DeviceFault, **fields, capture=capture))
    elsewhere.mkdir()
    (elsewhere / "3.vcd").write_bytes(b"spin")
    (folder / "wheel-1").mkdir(parents=True)
    (folder / names[0]).symlink_to(elsewhere / "3.vcd")
    (folder / names[1]).symlink_to("2.vcd")
    (folder / "wheel-2").symlink_to(elsewhere)
    report = check_captures([path], folder, ".vcd")
    assert (report.good, report.gone) == (0, 0)
    *links, strange = report.wrong
    assert [one.partition(",")[0] for one in links] == names[:3]
    assert all("is a symbolic link or is behind one, and is not read" in one for one in links)
    assert "which is not below the folder of captures" in strange


# --- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, -5])
def test_a_row_before_the_first_is_named_and_no_span_runs_backwards(journal: Path, n: int) -> None:
    with tampering(journal) as connection:
        connection.execute("UPDATE record SET n = ? WHERE n = 1", (n,))
    found = [str(one) for one in verify(journal).findings]
    assert any(f"the rows of this file begin at 1, and there is n {n}" in one for one in found)
    assert not any("to -" in one or "to 0" in one for one in found)
