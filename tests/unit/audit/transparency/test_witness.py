"""What a witness cosigns and what it refuses, and that it never signs two histories."""

from __future__ import annotations

import errno
import logging
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from audit.transparency.checkpoints import AddCheckpoint, Checkpoint, cosign, cosigned_at
from audit.transparency.notes import LOG_KEY, NoteKey, NoteSignature, SignedNote
from audit.transparency.tree import EMPTY_ROOT, GrownTree
from audit.transparency.witness import SubmittedCheckpoint, WitnessRefusal, read_submission, refuse_growth
from audit.transparency.witness_file import AGAIN_S, WitnessFile, WitnessFileError
from tests.fakes.time_limits import HANG_S
from tests.fakes.witnessing import (
    LOG,
    LOG_NOTE_KEY,
    LOGS,
    ORIGIN,
    TIME_S,
    bodies_of,
    checkpoint_of,
    grown,
    served_witness,
    submission,
)

TREE = grown(bodies_of("event", 40))
FORK = grown([*bodies_of("event", 9), *bodies_of("other", 31)])


def taken(request: AddCheckpoint) -> SubmittedCheckpoint:
    read = read_submission(request.encode(), LOGS)
    assert isinstance(read, SubmittedCheckpoint), read
    return read


def status(request: AddCheckpoint, latest: Checkpoint | None) -> tuple[int, str]:
    read = read_submission(request.encode(), LOGS)
    refusal = read if isinstance(read, WitnessRefusal) else refuse_growth(read, latest)
    return (200, "") if refusal is None else (refusal.status, refusal.text)


def test_a_log_that_grows_is_cosigned_from_nothing_on() -> None:
    assert status(submission(TREE.node, 0, 0), None)[0] == 200
    assert status(submission(TREE.node, 0, 7), None)[0] == 200
    assert status(submission(TREE.node, 7, 30), checkpoint_of(TREE.node, 7))[0] == 200
    assert status(submission(TREE.node, 30, 30), checkpoint_of(TREE.node, 30))[0] == 200


def test_each_refusal_has_the_status_of_the_protocol() -> None:
    seven, thirty = checkpoint_of(TREE.node, 7), checkpoint_of(TREE.node, 30)
    assert refuse_growth(taken(submission(TREE.node, 7, 30)), thirty) == (409, "30\n", "text/x.tlog.size", False)
    assert status(submission(TREE.node, 7, 30), None) == (409, "0\n")
    assert status(submission(TREE.node, 0, 7)._replace(old=8), seven)[0] == 400
    assert status(submission(FORK.node, 7, 30)._replace(proof=()), seven)[0] == 422
    # Both trees have the first seven leaves; what follows is another's.
    assert status(submission(FORK.node, 7, 30), seven)[0] == 200
    assert status(submission(FORK.node, 30, 35), thirty)[0] == 422
    assert status(submission(FORK.node, 30, 30), thirty)[0] == 422
    assert status(submission(TREE.node, 0, 7)._replace(proof=(EMPTY_ROOT,)), None)[0] == 422
    empty = AddCheckpoint(0, (), Checkpoint(ORIGIN, 0, b"\1" * 32).sign(LOG))
    for latest in (None, checkpoint_of(TREE.node, 0)):
        # One root alone is no fork.
        refusal = (422, "an empty tree has another root\n", "text/plain; charset=utf-8", False)
        assert refuse_growth(taken(empty), latest) == refusal


def test_who_is_not_known_or_did_not_sign_is_refused() -> None:
    other = SigningKey(b"x" * 32)
    assert status(submission(TREE.node, 0, 7, origin="feltwire/of-others"), None)[0] == 404
    assert status(submission(TREE.node, 0, 7, key=other), None)[0] == 403
    good = submission(TREE.node, 0, 7)
    (signature,) = good.note.signatures
    bad = signature._replace(signature=bytes(64))
    assert status(good._replace(note=SignedNote(good.note.text, (bad,))), None)[0] == 403
    # A good signature makes a bad one of the same key no better.
    assert status(good._replace(note=SignedNote(good.note.text, (signature, bad))), None)[0] == 403
    # Nor does that of one known key a bad one of another, which the log has had.
    former = SigningKey(b"f" * 32)
    both = {ORIGIN: [LOG_NOTE_KEY, NoteKey(ORIGIN, LOG_KEY, bytes(former.verify_key))]}
    second = submission(TREE.node, 0, 7, key=former).note.signatures[0]
    for last, expected in ((second, 7), (second._replace(signature=bytes(64)), 403)):
        read = read_submission(good._replace(note=SignedNote(good.note.text, (signature, last))).encode(), both)
        assert (read.status if isinstance(read, WitnessRefusal) else read.checkpoint.size) == expected
    stranger = NoteSignature("somebody.example", b"1234", bytes(64))
    with_stranger = good._replace(note=SignedNote(good.note.text, (stranger, signature)))
    assert taken(with_stranger).note.signatures == (signature,)
    for body in (b"", b"old 0", b"old 0\n\n", b"old 01\n\n" + str(good.note).encode(), b"new 0\n\nx\n"):
        read = read_submission(body, LOGS)
        assert isinstance(read, WitnessRefusal)
        assert read.status == 400


MOVES = st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(0, 40)), max_size=30)


@given(MOVES, st.integers(0, 12))
def test_all_that_a_witness_ever_signs_of_a_log_is_one_history(moves: list[tuple[bool, int, int]], common: int) -> None:
    """Whatever a log with two histories offers it, in any order and from any size."""
    trees = (TREE, grown([*bodies_of("event", common), *bodies_of("other", 40 - common)]))
    latest: Checkpoint | None = None
    signed: list[Checkpoint] = []
    for other, one, size in moves:
        tree = trees[other]
        # A log that knows what the witness has asks from there more often than not.
        old = latest.size if latest is not None and one % 3 else min(one, size)
        if old > size:
            continue
        request = taken(submission(tree.node, old, size))
        if refuse_growth(request, latest) is None:
            latest = request.checkpoint
            signed.append(latest)
    assert any(all(is_of(tree, one) for one in signed) for tree in trees)


def is_of(tree: GrownTree, checkpoint: Checkpoint) -> bool:
    return checkpoint_of(tree.node, checkpoint.size) == checkpoint


# --- the file ------------------------------------------------------------


def test_a_witness_keeps_its_key_and_what_it_signed(tmp_path: Path) -> None:
    path = tmp_path / "a.witness"
    with pytest.raises(WitnessFileError, match="there is no witness; begin one with --name"):
        WitnessFile.open(path)
    with WitnessFile.open(path, "witness.test/a") as file:
        key = file.key
        assert NoteKey.parse(str(key)) == key
        signature = file.add(taken(submission(TREE.node, 0, 7)), TIME_S)
        assert isinstance(signature, NoteSignature)
        text = str(checkpoint_of(TREE.node, 7))
        assert cosigned_at(text, signature, key) == TIME_S
        assert cosigned_at(text.replace("\n7\n", "\n8\n"), signature, key) is None
    assert path.stat().st_mode & 0o777 == 0o600
    with WitnessFile.open(path) as again:
        assert again.key == key
        assert again.add(taken(submission(FORK.node, 0, 9)), TIME_S) == WitnessRefusal(409, "7\n", "text/x.tlog.size")
    with pytest.raises(WitnessFileError, match=r"its witness is called witness\.test/a, not witness\.test/b"):
        WitnessFile.open(path, "witness.test/b")
    path.chmod(0o640)
    with pytest.raises(WitnessFileError, match="others may read its key; chmod 600"):
        WitnessFile.open(path)
    path.chmod(0o600)
    path.write_bytes(b"something else that is longer than the header of a database is, by far" * 4)
    with pytest.raises(WitnessFileError, match=r"a\.witness: it cannot be used"):
        WitnessFile.open(path)


def test_a_checkpoint_that_is_sent_again_costs_no_write_within_a_minute_and_one_after_it(tmp_path: Path) -> None:
    former = SigningKey(b"f" * 32)
    both = {ORIGIN: [LOG_NOTE_KEY, NoteKey(ORIGIN, LOG_KEY, bytes(former.verify_key))]}
    with WitnessFile.open(tmp_path / "a.witness", "witness.test/a") as file:
        statements: list[str] = []
        file._connection.set_trace_callback(statements.append)

        def sent(old: int, size: int, time_s: int, key: SigningKey = LOG) -> tuple[object, int]:
            statements.clear()
            read = read_submission(submission(TREE.node, old, size, key).encode(), both)
            assert isinstance(read, SubmittedCheckpoint)
            return file.add(read, time_s), sum(one.startswith("INSERT") for one in statements)

        first, writes = sent(0, 7, TIME_S)
        assert writes == 2
        for _ in range(3):
            assert sent(7, 7, TIME_S + AGAIN_S - 1) == (first, 0)
        for time_s in (TIME_S + AGAIN_S, TIME_S):
            again, writes = sent(7, 7, time_s)
            assert writes == 1
            assert isinstance(again, NoteSignature)
            assert cosigned_at(str(checkpoint_of(TREE.node, 7)), again, file.key) == time_s
        # What is shown has the signature of the log's new key too.
        assert sent(7, 7, TIME_S, former)[1] == 2
        shown = file.shown(sha256(ORIGIN.encode()).hexdigest())
        assert shown is not None
        assert shown.signatures[0] == submission(TREE.node, 7, 7, former).note.signatures[0]
        # The checkpoint of before is shown until the next one is signed: that one is kept before it is.
        assert sent(7, 20, TIME_S)[1] == 2


def test_of_two_processes_on_one_file_the_later_checkpoint_is_the_one_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.witness"
    with WitnessFile.open(path, "witness.test/a") as first, WitnessFile.open(path) as second:

        def interrupted(*given: Any) -> NoteSignature:
            monkeypatch.undo()
            assert isinstance(second.add(taken(submission(TREE.node, 7, 20)), TIME_S), NoteSignature)
            return cosign(*given)

        monkeypatch.setattr("audit.transparency.witness_file.cosign", interrupted)
        assert isinstance(first.add(taken(submission(TREE.node, 0, 7)), TIME_S), NoteSignature)
        shown = first.shown(sha256(ORIGIN.encode()).hexdigest())
        assert shown is not None
        assert Checkpoint.parse(shown.text).size == 20


def sent(url: str, request: AddCheckpoint) -> int:
    """The status of the answer."""
    try:
        with urllib.request.urlopen(f"{url}add-checkpoint", request.encode(), timeout=HANG_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_only_two_roots_of_one_size_are_logged_as_a_fork_and_what_is_refused_once_a_checkpoint(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    forked = grown(bodies_of("other", 7))
    with served_witness(tmp_path / "a.witness", LOGS) as (_, url), caplog.at_level(logging.WARNING):
        assert sent(url, submission(TREE.node, 0, 7)) == 200
        # What it cosigned last can be fetched, and of a log that it does not know nothing.
        with urllib.request.urlopen(f"{url}{sha256(ORIGIN.encode()).hexdigest()}/checkpoint", timeout=HANG_S) as shown:
            assert Checkpoint.parse(SignedNote.parse(shown.read()).text).size == 7
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{url}{'0' * 64}/checkpoint", timeout=HANG_S)
        # A stranger has the log's public checkpoints, and puts to them whatever they like.
        for size in (20, 30, 20, 7, 20):
            assert sent(url, submission(TREE.node, 7, size)._replace(proof=(EMPTY_ROOT,))) == 422
        for _ in range(2):
            assert sent(url, submission(forked.node, 7, 7)) == 422
    told = [record.getMessage() for record in caplog.records if record.name.endswith("witness_site")]
    assert [line.partition(" refused: ")[0] for line in told] == [
        *(f"{ORIGIN} at {size}" for size in (20, 30, 7)),
        f"FORK of {ORIGIN}",
    ]
    # With the note: what was signed is the evidence, whatever it turns out to be.
    assert all(line.endswith("\\n'") and "\N{EM DASH}" in line for line in told)


def test_a_fork_is_logged_also_where_its_checkpoint_was_refused_before_for_its_proof(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served_witness(tmp_path / "a.witness", LOGS) as (_, url), caplog.at_level(logging.WARNING):
        assert sent(url, submission(TREE.node, 0, 10)) == 200
        assert sent(url, submission(FORK.node, 10, 11)) == 422
        assert sent(url, submission(TREE.node, 10, 11)) == 200
        for _ in range(2):
            assert sent(url, submission(FORK.node, 11, 11)) == 422
    refused, fork = (record for record in caplog.records if record.name.endswith("witness_site"))
    assert (refused.levelname, fork.levelname) == ("WARNING", "ERROR")
    assert repr(str(checkpoint_of(FORK.node, 11)))[:-1] in fork.getMessage()


def test_a_file_that_cannot_be_read_is_stated_to_whoever_asks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.witness"
    with served_witness(path, LOGS) as (_, url):
        assert sent(url, submission(TREE.node, 0, 7)) == 200
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE latest SET note = CAST('junk' AS BLOB)")
        with pytest.raises(urllib.error.HTTPError, match="500") as failed:
            urllib.request.urlopen(f"{url}{sha256(ORIGIN.encode()).hexdigest()}/checkpoint", timeout=HANG_S)
        assert failed.value.read() == b"the witness cannot read or keep its state: nothing is signed\n"
        assert sent(url, submission(TREE.node, 7, 9)) == 500
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [record.exc_info for record in errors] == [None, None]
    assert all("a.witness: it cannot be read or written" in record.getMessage() for record in errors)


def test_what_the_disk_or_another_program_does_is_no_reason_to_begin_a_new_witness(tmp_path: Path) -> None:
    path = tmp_path / "a.witness"
    WitnessFile.open(path, "witness.test/a").close()
    whole = path.read_bytes()
    for name, fails in (
        ("SQLITE_BUSY", sqlite3.OperationalError("database is locked")),
        ("SQLITE_IOERR_READ", sqlite3.OperationalError("disk I/O error")),
        ("", PermissionError(errno.EACCES, "Permission denied")),
    ):
        if name:
            fails.sqlite_errorname = name  # type: ignore[union-attr]
        with (
            pytest.MonkeyPatch.context() as patch,
            pytest.raises(WitnessFileError, match="keep it: it may be whole") as refused,
        ):
            patch.setattr("audit.transparency.witness_file.connect", failing_with(fails))
            WitnessFile.open(path)
        assert "begin a new witness" not in str(refused.value)
    path.write_bytes(whole[:1000])
    with pytest.raises(WitnessFileError, match="begin a new witness elsewhere"):
        WitnessFile.open(path)


def failing_with(error: Exception) -> Any:
    def fail(*_: object) -> Any:
        raise error

    return fail


def test_a_checkpoint_that_is_kept_stays_kept_where_the_power_fails(tmp_path: Path) -> None:
    """With FULL, the end of the rollback journal is not durable: found again, it would undo what was signed."""
    with WitnessFile.open(tmp_path / "a.witness", "witness.test/a") as file:
        assert file._connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert file._connection.execute("PRAGMA synchronous").fetchone() == (3,)


KILLED = """
import os, signal, sys
from pathlib import Path
from audit.transparency import witness_file
from audit.transparency.witness_file import WitnessFile
from tests.unit.audit.transparency.test_witness import TREE, TIME_S, submission, taken

def live(path, step):
    file = WitnessFile.open(path)
    done = 0
    def die(*_):
        nonlocal done
        done += 1
        if done == step:
            os.kill(os.getpid(), signal.SIGKILL)
    # At each statement of the database, the commits among them, and between commit and answer.
    file._connection.set_trace_callback(die)
    real = witness_file.cosign
    def cosign(*given):
        die()
        signature = real(*given)
        os.write(1, f"{step} {signature}".encode())
        die()
        return signature
    witness_file.cosign = cosign
    file.add(taken(submission(TREE.node, 5, 20)), TIME_S)
    os.write(1, f"{step} answered\\n".encode())
    os._exit(0)

for step, path in enumerate(sys.argv[1:], 1):
    child = os.fork()
    if not child:
        live(Path(path), step)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.write(1, f"{step} ended {ended}\\n".encode())
"""
STEPS = 11
"""The last one is behind the answer."""


@pytest.mark.long
def test_a_witness_that_is_killed_between_writing_and_answering_never_signs_another_history(tmp_path: Path) -> None:
    paths = [tmp_path / f"{step}.witness" for step in range(1, STEPS + 1)]
    for path in paths:
        with WitnessFile.open(path, "witness.test/a") as file:
            assert isinstance(file.add(taken(submission(TREE.node, 0, 5)), TIME_S), NoteSignature)
    words = [sys.executable, "-c", KILLED, *map(str, paths)]
    folder = Path(__file__).parents[4]
    lines = subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder).stdout.splitlines()
    ends = [f"{step} ended {-signal.SIGKILL}" for step in range(1, STEPS)]
    assert [line for line in lines if " ended " in line] == [*ends, f"{STEPS} ended 0"]
    other = grown([*bodies_of("event", 5), *bodies_of("other", 35)])
    kept = 0
    for step, path in enumerate(paths, 1):
        with WitnessFile.open(path) as file:
            answer = file.add(taken(submission(other.node, 5, 20)), TIME_S + 1)
            if any(line.startswith(f"{step} \N{EM DASH} ") for line in lines):
                # Its signature may have left the process.
                assert isinstance(answer, WitnessRefusal)
            if isinstance(answer, WitnessRefusal):
                assert (answer.status, answer.text) == (409, "20\n")
                # Nor does it forget what it has kept: the log that was told nothing gets its signature now.
                again = file.add(taken(submission(TREE.node, 20, 20)), TIME_S + 1)
                assert isinstance(again, NoteSignature)
                forked = file.add(taken(submission(other.node, 20, 20)), TIME_S + 1)
                assert isinstance(forked, WitnessRefusal)
                assert forked.status == 422
                kept += 1
    assert kept == 7
