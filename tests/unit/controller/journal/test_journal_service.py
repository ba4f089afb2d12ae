"""A journal as a service opens it, writes it and closes it, and what it finds when it opens it again."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest
from nacl.signing import SigningKey

from audit import errors, reading
from audit.errors import JournalDamaged, JournalError
from audit.findings import FindingKind
from audit.records import COMMANDS, Entry, Head, link
from audit.schema import CHAINS
from audit.seals import SEALS, START, SealSigner, read_seals
from audit.verify import KnownHead, verify
from audit.witness import witness_path
from controller.journal import files
from controller.journal.files import LOG_BYTES
from controller.journal.history import JournalHistory
from controller.service.opening import StoppedAtStartError
from feed import events
from feed.events import Evidence
from hal.clock import VirtualClock, wall_time
from tests.fakes.time_limits import HANG_S
from tests.powercut.load import KEY, TablePlayer
from tests.powercut.making import NOW_NS, command, opened, outcome, player, written

TO = events.Verdict(verdict="outcome", result={"pocket": "0"})
CORRECTED = {"round": 12, "by": "boss", "from_": TO, "to": TO, "why": "x"}
FAULT = {"device": "wheel", "fault": "sensor_stuck", "detail": "dark", "blocks_play": True}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.sqlite"


@contextmanager
def altered(path: Path) -> Iterator[sqlite3.Connection]:
    """Somebody with an SQLite shell."""
    connection = sqlite3.connect(path)
    try:
        yield connection
        connection.commit()
    finally:
        connection.close()


def rounds(one: TablePlayer, first: int, last: int) -> list[Entry]:
    said = []
    for number in range(first, last + 1):
        said.append(one.say(events.RoundOpened, round=number))
        evidence = Evidence(revolutions=float(number))
        said.append(
            one.say(events.Outcome, round=number, result={"pocket": "7"}, winning=[], evidence=evidence, rule="20.32")
        )
    return said


def filled(path: Path) -> TablePlayer:
    """A journal with a round that is not finished and a fault that stands; ended in order."""
    journal = opened(path)
    one = player()
    written(journal, [one.say(events.TableOpened, rules="njac-13:47-20", software="1", devices=[])])
    written(journal, [one.say(events.DeviceFault, **FAULT), *rounds(one, 1, 12)])
    written(journal, [command(1, "ask-1"), one.say(events.RoundOpened, round=13)])
    journal.close()
    return one


def test_a_new_journal_is_private_and_begins_with_a_seal(path: Path) -> None:
    journal = opened(path)
    assert (journal.recovered, journal.lost, journal.clean, journal.last_time) == ({}, {}, True, "")
    assert (journal.is_new, journal.other_key) == (True, None)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == dict.fromkeys(
        [f"journal.sqlite{end}" for end in ("", "-wal", "-shm", ".lock", ".heads")], 0o600
    )
    journal.close()
    with altered(path) as connection:
        assert [seal.content.why for seal in read_seals(connection)] == ["start", "stop"]
    assert not path.with_name("journal.sqlite-wal").exists()


def test_a_key_that_did_not_seal_it_before_shows(path: Path) -> None:
    filled(path)
    journal = opened(path, signing_key=SigningKey(b"o" * 32))
    assert journal.other_key == bytes(KEY.verify_key).hex()
    journal.close()


def test_a_second_service_on_the_same_journal_is_refused_and_told_who_has_it(path: Path) -> None:
    journal = opened(path)
    with pytest.raises(JournalError, match=f"process {os.getpid()} writes this journal already; end it first"):
        opened(path)
    journal.close()
    opened(path).close()


def test_everything_comes_back_at_the_next_start(path: Path) -> None:
    one = filled(path)
    journal = opened(path)
    recovered = journal.recovered["roulette-1"]
    state = recovered.state
    assert list(journal.recovered) == ["roulette-1"]
    assert recovered.head == (one.seq, "e1", journal.recovery.heads["roulette-1"].hash)
    assert (state.unfinished_round, state.round, state.last) == (13, 13, one.seq)
    assert [fault.fault for fault in state.faults] == ["sensor_stuck"]
    assert [record.evidence and record.evidence.revolutions for record in state.rounds] == [
        float(n) for n in range(3, 13)
    ]
    assert (journal.commands.seq, journal.clean) == (1, True)
    assert (journal.is_new, journal.other_key) == (False, None)
    assert journal.last_time == "2030-03-17T17:46:40.000000Z"
    journal.close()


def test_it_goes_on_where_it_ended_and_seals_it_all(path: Path) -> None:
    filled(path)
    journal = opened(path)
    one = player(epoch="e2", left=journal.recovered["roulette-1"])
    heads = written(journal, one.act())
    assert heads["roulette-1"].epoch == "e2"
    journal.close()
    again = opened(path)
    assert again.recovered["roulette-1"].state.unfinished_round is None
    assert again.recovery.heads["roulette-1"] == heads["roulette-1"]
    again.close()


def test_a_service_that_did_not_end_in_order_shows(path: Path, tmp_path: Path) -> None:
    journal = opened(path)
    written(journal, [player().say(events.TableClosed, reason="end")])
    copied = tmp_path / "copy" / "journal.sqlite"
    shutil.copytree(path.parent, copied.parent)
    journal.close()
    after = opened(copied)
    assert (after.clean, after.unsealed) == (False, 1)
    # That of the start's seal: the record after it has an earlier one.
    assert after.last_time == wall_time(VirtualClock(NOW_NS))
    after.close()


def test_the_newest_time_is_known_though_the_last_records_are_older(path: Path) -> None:
    clock = VirtualClock(NOW_NS)
    journal = opened(path, clock=clock)
    one = player()
    later, earlier = (one.say(events.TableClosed, reason="end") for _ in range(2))
    body = msgspec.json.decode(later.body)
    body["time"] = "2031-01-01T00:00:00.000000Z"
    written(journal, [later._replace(time=body["time"], body=msgspec.json.encode(body)), earlier])
    journal.close()
    again = opened(path, clock=clock)
    assert again.last_time == "2031-01-01T00:00:00.000000Z"
    again.close()


def test_a_seal_comes_after_so_many_records(path: Path) -> None:
    journal = opened(path, seal_every=3)
    one = player()
    for _ in range(7):
        written(journal, [one.say(events.TableClosed, reason="end")])
    journal.close()
    with altered(path) as connection:
        said = [(seal.content.why, seal.content.records) for seal in read_seals(connection)]
    assert said == [("start", 0), ("count", 3), ("count", 6), ("stop", 7)]


def test_progress_is_told_while_a_long_journal_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    monkeypatch.setattr("controller.journal.recovery.REPORT_EVERY", 10)
    told: list[tuple[int, int]] = []
    opened(path, progress=lambda done, total: told.append((done, total))).close()
    assert told == [(0, 28), (10, 28), (20, 28), (28, 28)]


def test_progress_is_told_while_pages_are_checked_and_may_end_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    monkeypatch.setattr("controller.journal.recovery.OPCODES", 100)
    told: list[tuple[int, int]] = []
    opened(path, progress=lambda done, total: told.append((done, total))).close()
    assert told.count((0, 28)) > 5

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) >= 3:
            raise StoppedAtStartError

    told.clear()
    with pytest.raises(StoppedAtStartError):
        opened(path, progress=stop)
    assert told == [(0, 28)] * 4
    opened(path).close()


def test_a_command_is_found_by_its_id_and_the_first_one_counts(path: Path) -> None:
    journal = opened(path)
    first = command(1, "ask-1")
    written(journal, [first, command(2, "ask-2"), command(3, "ask-1", epoch="e9")])
    assert journal.find_command("ann:ask-1") == first.body
    assert journal.find_command("bob:ask-1") is None
    assert journal.find_command("roulette-1.e1.1") is None
    journal.close()


def test_an_id_of_a_command_can_look_like_an_event_and_hurts_nobody(path: Path) -> None:
    journal = opened(path)
    one = player()
    written(journal, [command(1, "roulette-1.e1.1")])
    written(journal, [one.say(events.TableClosed, reason="end")])
    journal.close()
    opened(path).close()


def test_a_submission_is_written_whole_or_not_at_all(path: Path) -> None:
    journal = opened(path)
    one = player()
    good = one.say(events.TableClosed, reason="end")
    result = outcome(journal, [good, good])
    assert isinstance(result, JournalError)
    assert "roulette-1.e1.1 (roulette-1, seq 1) was to be written after seq 1" in str(result)
    assert outcome(journal, [good]) is result is journal.failure
    journal.close()
    again = opened(path)
    assert again.recovered == {}
    again.close()


def test_how_much_room_is_left_is_known(path: Path) -> None:
    journal = opened(path)
    assert journal.free_bytes() > 0
    journal.close()


def test_a_submission_of_nothing_comes_back_behind_those_before_it(path: Path) -> None:
    journal = opened(path)
    assert written(journal, []) == {}
    journal.close()


def test_the_write_ahead_log_does_not_grow_for_ever(path: Path) -> None:
    journal = opened(path, checkpoint_every=20)
    one = player()
    log = path.with_name("journal.sqlite-wal")
    sizes = {log.stat().st_size}
    for _ in range(300):
        written(journal, [one.say(events.TableClosed, reason="end" * 2000)])
        sizes.add(log.stat().st_size)
    journal.close()
    assert sizes == {LOG_BYTES}, "no commit makes it longer: it is as long as it needs to be from the beginning"


def test_a_log_that_is_longer_already_is_left_as_it_is(path: Path, tmp_path: Path) -> None:
    journal = opened(path, checkpoint_every=10**9)
    one = player()
    written(journal, [one.say(events.TableClosed, reason="end" * 200_000) for _ in range(10)])
    left = tmp_path / "left" / "journal.sqlite"
    shutil.copytree(path.parent, left.parent)
    journal.close()
    log = left.with_name("journal.sqlite-wal")
    size = log.stat().st_size
    assert size > LOG_BYTES
    again = opened(left)
    assert again.recovered["roulette-1"].head.seq == 10
    assert size <= log.stat().st_size < 2 * size
    again.close()


@pytest.mark.long
def test_who_reads_all_the_time_keeps_nobody_from_writing(path: Path) -> None:
    journal = opened(path, checkpoint_every=20)
    history = JournalHistory(path)
    one = player()
    said = [one.say(events.RoundOpened, round=number) for number in range(1, 401)]
    read: list[bytes] = []

    def follow() -> None:
        while len(read) < len(said):
            read.extend(body for _, body in history.page("roulette-1", "", len(read), 50).events)

    follower = threading.Thread(target=follow)
    follower.start()
    for entry in said:
        written(journal, [entry])
    follower.join(HANG_S)
    assert read == [entry.body for entry in said]
    history.close()
    journal.close()


def test_another_program_that_holds_the_file_locked_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BUSY_SECONDS", 0.01)
    journal = opened(path)
    with altered(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        result = outcome(journal, [player().say(events.TableClosed, reason="end")])
    assert "while writing events, another program holds it locked (database is locked, SQLITE_BUSY)" in str(result)
    journal.close()


@pytest.mark.parametrize("together", [1, 2])
def test_what_was_written_to_a_disk_that_turned_read_only_is_not_durable(
    path: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """The file system syncs what is open, answers with yes, and writes nothing."""
    journal, one = opened(path), player()
    written(journal, [one.say(events.TableOpened, rules="njac-13:47-20", software="1", devices=[])])

    class ReadOnly:
        f_flag = os.ST_RDONLY

    monkeypatch.setattr(os, "statvfs", lambda folder: ReadOnly)
    result = outcome(journal, [one.say(events.TableClosed, reason="end") for _ in range(together)])
    assert isinstance(result, JournalError)
    assert "while writing events, it cannot be written: the disk or the file is read-only" in str(result)
    assert journal.failure is result
    journal.close()


# --- what else can be found at a start ---------------------------------------------------------------------------


def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(JournalDamaged, match=r"journal\.sqlite: while opening it, it is not a journal"):
        opened(path)


def test_a_database_of_something_else_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with altered(path) as connection:
        connection.execute("CREATE TABLE cards (face TEXT)")
    with pytest.raises(JournalError, match="it is an SQLite file, and not a journal"):
        opened(path)


def test_a_journal_of_a_newer_version_is_left_alone(path: Path) -> None:
    filled(path)
    with altered(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(JournalError, match=r"written by a newer Feltwire \(version 99.*install the newer Feltwire"):
        opened(path)


def test_a_folder_in_the_place_of_the_file_is_named(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(JournalError, match="while opening it, it cannot be opened"):
        opened(path)


def test_a_file_in_the_place_of_the_folder_is_named(path: Path) -> None:
    path.parent.write_text("")
    with pytest.raises(JournalError, match=r"journal\.sqlite"):
        opened(path)


@pytest.mark.parametrize("left", [None, b""], ids=["gone", "empty"])
def test_a_log_without_its_journal_is_a_lost_history_and_is_kept(path: Path, left: bytes | None) -> None:
    filled(path)
    log = path.with_name("journal.sqlite-wal")
    log.write_bytes(b"frames")
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    with pytest.raises(JournalDamaged, match=r"its log journal\.sqlite-wal is not: the history is lost"):
        opened(path)
    assert log.read_bytes() == b"frames"


@pytest.mark.parametrize("empties", [False, True])
def test_a_journal_that_is_gone_is_begun_anew_only_by_an_order(path: Path, empties: bool) -> None:
    filled(path)
    path.write_bytes(b"") if empties else path.unlink()
    gone = rf"it is {'empty' if empties else 'gone'}, and journal.sqlite.heads of the history before is still there"
    with pytest.raises(JournalDamaged, match=f"{gone}; put it back"):
        opened(path)
    witness_path(path).unlink()
    key = path.with_name("signing.key")
    key.touch()
    with pytest.raises(JournalDamaged, match=r"and signing\.key of the history before is still there"):
        opened(path, key_file=key)
    files.retire(path, VirtualClock(NOW_NS))
    opened(path, key_file=key).close()
    assert not files.order_path(path).exists()
    path.unlink()
    with pytest.raises(JournalDamaged, match="of the history before is still there"):
        opened(path, key_file=key)


def removed(path: Path) -> None:
    path.unlink()


def renamed_over(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def truncated_and_written_at_the_old_end(path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, 0)
    with path.open("r+b") as file:
        file.seek(size)
        file.write(b"page")


@pytest.mark.parametrize("part", ["", "-wal", "-shm", ".lock"])
@pytest.mark.parametrize("happens", [removed, renamed_over])
def test_a_file_that_is_gone_or_another_stops_the_journal(
    path: Path, part: str, happens: Callable[[Path], None]
) -> None:
    journal = opened(path)
    one = player()
    written(journal, [one.say(events.TableClosed, reason="end")])
    journal.check_files()
    assert journal.failure is None
    happens(path.with_name(path.name + part))
    journal.check_files()
    assert re.search(f"while the service ran, journal.sqlite{part} is (not there|another)", str(journal.failure))
    assert isinstance(outcome(journal, [one.say(events.TableClosed, reason="end")]), JournalError)
    journal.close()


@pytest.mark.parametrize("part", ["", "-wal"])
@pytest.mark.parametrize("happens", [truncated, truncated_and_written_at_the_old_end])
def test_a_file_that_is_truncated_stops_the_journal(path: Path, part: str, happens: Callable[[Path], None]) -> None:
    journal = opened(path)
    if part and happens is truncated_and_written_at_the_old_end:
        os.truncate(path.with_name(path.name + part), 32)
    else:
        happens(path.with_name(path.name + part))
    journal.check_files()
    assert f"while the service ran, journal.sqlite{part} was truncated" in str(journal.failure)
    journal.close()


def test_a_folder_that_is_gone_stops_the_journal(path: Path) -> None:
    journal = opened(path)
    path.parent.rename(path.parent.with_name("elsewhere"))
    journal.check_files()
    assert "is not there any more (No such file or directory)" in str(journal.failure)
    journal.close()


def test_the_files_of_a_journal_that_is_written_are_there(path: Path) -> None:
    journal = opened(path, checkpoint_every=2)
    one = player()
    for _ in range(50):
        written(journal, [one.say(events.TableClosed, reason="end")])
        journal.check_files()
    assert journal.failure is None
    journal.close()


# --- seals and what stands without one ----------------------------------------------------------------------------


def forged(path: Path, one: TablePlayer) -> None:
    """A record with the right hash, by somebody who can write the file and has no key."""
    entry = one.say(events.RoundCorrected, **CORRECTED)
    with altered(path) as connection:
        (n,) = connection.execute("SELECT max(n) FROM record").fetchone()
        (digest,) = connection.execute(
            "SELECT hash FROM record WHERE chain = ? ORDER BY seq DESC LIMIT 1", (entry.chain,)
        ).fetchone()
        row = (n + 1, *entry, link(digest, entry.body))
        connection.execute(f"INSERT INTO record VALUES ({', '.join('?' * len(row))})", row)


def test_a_record_after_the_seal_of_an_orderly_end_is_found_and_never_sealed(path: Path) -> None:
    forged(path, filled(path))
    report = verify(path, keys=[bytes(KEY.verify_key)])
    assert report.first is not None
    assert (report.first.kind, report.first.chain) == (FindingKind.INSERTED, "roulette-1")
    assert "it is after seal 2, of the orderly end at" in report.first.detail
    with pytest.raises(JournalDamaged, match="it is after seal 2, of an orderly end"):
        opened(path)


def test_a_record_that_an_older_start_has_sealed_after_an_orderly_end_is_found(path: Path) -> None:
    one = filled(path)
    journal = opened(path)
    heads = journal.recovery.heads
    journal.close()
    forged(path, one)
    with altered(path) as connection:
        connection.execute("DELETE FROM seal WHERE n > 2")
        (n, digest) = connection.execute("SELECT n, hash FROM record ORDER BY n DESC LIMIT 1").fetchone()
        stop = list(read_seals(connection))[-1]
        forged_heads = {**heads, "roulette-1": Head(one.seq, "e1", digest.hex())}
        start = SealSigner(KEY, VirtualClock(NOW_NS), stop).seal(START, n, forged_heads)
        connection.execute("INSERT INTO seal VALUES (?, ?, ?, ?, ?, ?)", start)
    witness_path(path).unlink()
    found = verify(path).first
    assert found is not None
    assert "only the seal of a start may follow that; seal 3, of the start at" in found.detail


def test_a_start_states_how_many_records_a_crash_left_without_a_seal_and_verify_names_them(
    path: Path, tmp_path: Path
) -> None:
    journal = opened(path)
    one = player()
    written(journal, [one.say(events.TableClosed, reason="end") for _ in range(3)])
    copied = tmp_path / "copy" / "journal.sqlite"
    shutil.copytree(path.parent, copied.parent)
    journal.close()
    assert "not sealed yet (roulette-1 1 to 3): until the next seal" in verify(copied).notes[0]
    again = opened(copied)
    assert again.unsealed == 3
    again.close()
    with altered(copied) as connection:
        assert [seal.content.unsealed for seal in read_seals(connection)] == [0, 3, None]
    report = verify(copied)
    assert report.ok
    (note,) = report.notes
    assert "after a crash 3 records were found without a seal (roulette-1 1 to 3): no seal proves them before" in note


def test_a_deleted_last_seal_is_found_by_the_witness_and_by_a_kept_head(path: Path) -> None:
    filled(path)
    with altered(path) as connection:
        (digest,) = connection.execute("SELECT lower(hex(hash)) FROM seal WHERE n = 2").fetchone()
        connection.execute("DELETE FROM seal WHERE n = 2")
    found = verify(path).first
    assert found is not None
    assert found.detail == "the last seal is 1, and the heads file names seal 2: the end of the history was cut off"
    journal = opened(path)
    assert (journal.lost[SEALS].witnessed.seq, journal.lost[SEALS].held.seq) == (2, 1)
    journal.close()
    kept = KnownHead.parse(f"{SEALS}:2:{digest}")
    found = verify(path, heads=[kept]).first
    assert found is not None
    assert (found.kind, found.first) == (FindingKind.REWRITTEN, 2)


def test_what_was_written_is_sealed_when_that_is_asked_for(path: Path) -> None:
    journal = opened(path)
    one, other = player(), player("wheel-1")
    journal.seal()
    written(journal, [one.say(events.TableClosed, reason="end"), other.say(events.TableClosed, reason="end")])
    journal.seal()
    written(journal, [one.say(events.TableClosed, reason="end")])
    journal.seal()
    journal.seal()
    journal.close()
    with altered(path) as connection:
        said = [(seal.content.why, seal.after_n, sorted(seal.content.heads)) for seal in read_seals(connection)]
    both = ["roulette-1", "wheel-1"]
    assert said == [("start", 0, []), ("second", 2, both), ("second", 3, ["roulette-1"]), ("stop", 3, both)]
    assert verify(path).ok
    opened(path).close()


def lost_history(path: Path) -> TablePlayer:
    """A journal whose disk lost it, beside its witness, and a new one that was ordered."""
    one = filled(path)
    path.unlink()
    files.order_new(path)
    return one


def test_a_journal_that_vanished_is_missed_by_its_witness(path: Path) -> None:
    one = lost_history(path)
    journal = opened(path)
    assert set(journal.lost) == {"roulette-1", COMMANDS, SEALS}
    lost = journal.recovered["roulette-1"].lost
    assert lost is not None
    assert (lost.witnessed.seq, lost.held.seq) == (one.seq, 0)
    journal.close()


def test_what_was_lost_is_told_at_every_start_until_newer_events_are_durable(path: Path) -> None:
    lost_history(path)
    opened(path).close()
    journal = opened(path)
    assert "roulette-1" in journal.lost
    written(journal, [player(epoch="e2").say(events.TableClosed, reason="end")])
    journal.close()
    again = opened(path)
    assert "roulette-1" not in again.lost
    assert COMMANDS in again.lost
    again.close()


def test_an_older_copy_of_the_journal_is_found_out_by_the_witness(path: Path) -> None:
    filled(path)
    older = path.read_bytes()
    journal = opened(path)
    one = player(epoch="e2", left=journal.recovered["roulette-1"])
    written(journal, one.act())
    journal.close()
    path.write_bytes(older)
    after = opened(path)
    assert str(after.lost["roulette-1"]).endswith("and the journal ends at 27; 2 records that were durable are gone")
    after.close()


def test_a_rewritten_history_is_found_out_by_the_witness(path: Path) -> None:
    filled(path)
    noted = witness_path(path).read_bytes()
    path.unlink()
    witness_path(path).unlink()
    journal = opened(path)
    other = player(epoch="e9")
    written(journal, [other.say(events.TableClosed, reason="end") for _ in range(40)])
    journal.close()
    witness_path(path).write_bytes(noted)
    after = opened(path)
    assert "has another record at 27: its history was replaced" in str(after.lost["roulette-1"])
    after.close()


# --- what somebody changed ----------------------------------------------------------------------------------------

CHANGES = {
    "UPDATE record SET body = CAST(replace(body, '\"7\"', '\"8\"') AS BLOB) WHERE n = 6": "hash does not follow",
    "UPDATE record SET hash = zeroblob(32) WHERE n = 6": "record 6 (roulette-1, seq 6)",
    "UPDATE record SET round = 99 WHERE n = 6": "its body states 2, and its column has 99",
    "UPDATE record SET kind = 'round.void' WHERE n = 6": "record 6 (roulette-1, seq 6)",
    "UPDATE record SET topic = 'sim/' || topic WHERE n = 6": "record 6",
    "UPDATE record SET time = '1999' WHERE n = 6": "record 6",
    "UPDATE record SET epoch = 'e2' WHERE n = 6": "record 6",
    "UPDATE record SET id = 'ask-2' WHERE chain = '@commands'": "its body states 'ann:ask-1', and its column",
    "UPDATE record SET epoch = 'e2' WHERE chain = '@commands'": "its body states 'e1', and its column has 'e2'",
    "UPDATE record SET id = 'bob:ask-1' WHERE chain = '@commands'": "its body states 'ann:ask-1', and its column has",
    "DELETE FROM record WHERE n = 6": "it follows record 5: 6 is missing",
    "DELETE FROM record WHERE n BETWEEN 6 AND 8": "6 to 8 are missing",
    "DELETE FROM record WHERE n > 20": "it covers 28 records, and the journal has 20 up to here",
    "DELETE FROM record": "it covers 28 records",
    "DELETE FROM seal": "seal 1 is not as it was written: it is missing",
    "DELETE FROM seal WHERE n = 1": "seal 2 is not as it was written: it follows seal 0: 1 is missing",
    "UPDATE seal SET signature = zeroblob(64) WHERE n = 2": "its signature does not fit what it states",
    "UPDATE seal SET after_n = 5 WHERE n = 2": "it was signed as seal 2 after record 28, and is after 5",
    "UPDATE seal SET statement = CAST(replace(statement, 'stop', 'Stop') AS BLOB) WHERE n = 2": "its signature",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_found_and_named(path: Path, change: str) -> None:
    filled(path)
    with altered(path) as connection:
        connection.execute(change)
    with pytest.raises(JournalDamaged) as caught:
        opened(path)
    assert CHANGES[change] in str(caught.value)
    assert "feltwire journal verify" in caught.value.fix


def test_an_index_that_lost_a_record_is_found(path: Path) -> None:
    filled(path)
    with altered(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        words = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'record_state'"
        connection.execute(words, ("device.fault", "device.dault"))
    with altered(path) as connection:
        connection.execute("REINDEX record_state")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(words, ("device.dault", "device.fault"))
    with pytest.raises(JournalDamaged, match=r"its pages are damaged: .*record_state"):
        opened(path)


LAYOUTS = {
    "CREATE TRIGGER quiet AFTER INSERT ON record BEGIN DELETE FROM record; END": "there is a trigger quiet",
    "CREATE INDEX later ON base (n)": "there is an index later that no journal has",
    "CREATE TABLE cards (face TEXT)": "there is a table cards that no journal has",
    "DROP INDEX record_opening": "the index record_opening is missing",
}


@pytest.mark.parametrize("change", LAYOUTS)
def test_a_layout_that_was_changed_is_found_before_anything_is_written(path: Path, change: str) -> None:
    filled(path)
    with altered(path) as connection:
        connection.execute(change)
    with pytest.raises(JournalDamaged, match=f"its layout was changed: .*{LAYOUTS[change]}"):
        opened(path)


def test_a_schema_that_is_no_text_any_more_is_damage(path: Path) -> None:
    filled(path)
    with altered(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        broken = "UPDATE sqlite_schema SET name = CAST(x'd4ff41' AS TEXT), sql = 'rubbish' WHERE name = 'seal'"
        connection.execute(broken)
    with pytest.raises(JournalDamaged, match=r"while opening it, a page of it is damaged \(what is there is no text"):
        opened(path)
    with (
        closing(JournalHistory(path)) as history,
        pytest.raises(JournalDamaged, match=r"while listing its tables, a page of it is damaged"),
    ):
        history.tables()


def test_all_tables_are_known_without_reading_all_records(path: Path) -> None:
    journal = opened(path)
    for table in ("wheel-1", "roulette-1", "roulette-10"):
        written(journal, [player(table).say(events.TableClosed, reason="end")])
    journal.close()
    history = JournalHistory(path)
    assert history.tables() == ["roulette-1", "roulette-10", "wheel-1"]
    history.close()
    with altered(path) as connection:
        plan = [str(step[3]) for step in connection.execute(f"EXPLAIN QUERY PLAN {CHAINS}")]
    assert any(step.startswith("SEARCH record") for step in plan)
    assert not any(step.startswith("SCAN record") for step in plan)


# --- errors in words ----------------------------------------------------------------------------------------------


def test_a_disk_that_says_no_more_than_error_is_asked_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Room:
        f_bavail = 5
        f_flag = 0

    monkeypatch.setattr(os, "statvfs", lambda folder: Room)
    error = OSError(5, "Input/output error")
    assert "the disk answered with an error (Input/output error)" in str(errors.journal_error(path, error, "writing"))
    Room.f_bavail = 0
    assert "the disk is full" in str(errors.journal_error(path, error, "writing"))
    Room.f_flag = os.ST_RDONLY
    assert "read-only" in str(errors.journal_error(path, error, "writing"))


def test_an_error_of_another_kind_is_told_as_it_is(path: Path) -> None:
    said = errors.journal_error(path, sqlite3.ProgrammingError("Cannot operate on a closed database."), "reading")
    assert "it cannot be used (Cannot operate on a closed database.)" in str(said)


def test_a_head_is_nothing_before_the_first_command(path: Path) -> None:
    journal = opened(path, clock=VirtualClock(NOW_NS))
    assert journal.commands == Head(0, "", journal.commands.hash)
    journal.close()


# --- a long journal is read from a seal on, and the rest while the service runs ------------------------------------


def long_journal(path: Path) -> None:
    """Three starts of 20 records each."""
    one: TablePlayer | None = None
    for number in range(3):
        journal = opened(path, seal_every=7)
        one = player(epoch=f"e{number}", left=journal.recovered.get("roulette-1"))
        for _ in range(20):
            written(journal, [one.say(events.TableClosed, reason="end")])
        journal.seal()
        journal.close()


def test_a_start_reads_what_follows_a_seal_of_its_key_and_the_check_the_rest(path: Path) -> None:
    long_journal(path)
    read: list[int] = []
    journal = opened(path, read_at_least=5, progress=lambda done, total: read.append(total))
    trusted = journal.recovery.trusted
    assert trusted is not None
    assert (trusted.after_n, trusted.content.why, set(read)) == (54, "count", {6})
    assert (journal.recovery.records, journal.recovered["roulette-1"].head.seq, journal.clean) == (60, 60, True)
    check = journal.whole_check()
    assert check is not None
    while check.piece():
        pass
    assert check.done == 54
    check.close()
    journal.close()
    assert verify(path).ok


def test_without_a_seal_of_its_key_a_start_reads_all(path: Path) -> None:
    long_journal(path)
    for options in ({"signing_key": SigningKey(b"o" * 32), "read_at_least": 5}, {"read_at_least": 61}):
        journal = opened(path, **options)
        assert (journal.recovery.trusted, journal.whole_check()) == (None, None)
        journal.close()


OLD_RECORD = "UPDATE record SET body = CAST(replace(CAST(body AS TEXT), 'end', 'fin') AS BLOB) WHERE n = 3"


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (OLD_RECORD, r"record 3 \(roulette-1, seq 3\) is not as it was written: its hash does not follow"),
        ("DELETE FROM record WHERE n = 9", "9 is missing"),
        ("DELETE FROM seal WHERE n = 2", "it follows seal 1: 2 is missing"),
    ],
)
def test_what_was_changed_before_that_seal_is_found_by_the_check(path: Path, edit: str, what: str) -> None:
    long_journal(path)
    with altered(path) as connection:
        connection.execute(edit)
    journal = opened(path, read_at_least=5)
    check = journal.whole_check()
    assert check is not None
    with pytest.raises(JournalDamaged, match=what):
        while check.piece():
            pass
    check.close()
    journal.close()


def test_what_was_changed_after_that_seal_is_found_by_the_start(path: Path) -> None:
    long_journal(path)
    with altered(path) as connection:
        connection.execute(OLD_RECORD.replace("n = 3", "n = 57"))
    with pytest.raises(JournalDamaged, match="record 57"):
        opened(path, read_at_least=5)
