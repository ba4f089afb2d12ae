"""The disk fails while the service writes: it says what is wrong, and nothing is told that is not durable."""

from __future__ import annotations

import errno
from pathlib import Path
from random import Random

import pytest

from tests.powercut import judge
from tests.powercut.judge import PublishedEvents
from tests.powercut.load import open_journal
from tests.powercut.recording import failing, play

FAILURES = {
    errno.ENOSPC: ("the disk is full", "free space on this disk"),
    errno.EROFS: ("read-only", "make the disk writable"),
    errno.EIO: ("the disk answered with an error", "replace the card or disk"),
}
CALLS = {"write": (70, 300), "sync": (16, 30)}
"""At most this many before the first event: the file, its tables, the first seal. At least this many in all."""
BOTH_CALLS = pytest.mark.parametrize("call", CALLS)
EACH = pytest.mark.parametrize("number", FAILURES, ids=["full", "read-only", "broken"])


@BOTH_CALLS
@EACH
def test_a_failing_disk_is_named_and_nothing_is_told_that_is_not_durable(
    library: Path, scratch: Path, number: int, call: str
) -> None:
    rng = Random(f"{number} {call}")
    start, later = CALLS[call]
    for run in range(3):
        after = rng.randrange(start, later) if run else rng.randrange(start)
        said, seen = play_and_judge(library, scratch / str(run), run, failing(call, after, number))
        assert seen or not run
        for words in FAILURES[number]:
            assert words in said


@BOTH_CALLS
def test_after_one_failure_nothing_is_written_though_the_disk_is_well_again(
    library: Path, scratch: Path, call: str
) -> None:
    rng = Random(call)
    for run in range(4):
        disk = failing(call, rng.randrange(*CALLS[call]), errno.EIO, once=True)
        said, seen = play_and_judge(library, scratch / str(run), run, disk)
        if not said:
            continue  # it was the witness's own write that failed: play continues
        assert "the disk answered with an error" in said
        assert len(seen) < 200


def play_and_judge(library: Path, scratch: Path, seed: int, disk: dict[str, str]) -> tuple[str, list[PublishedEvents]]:
    """What a service says that plays on this disk, and what it told; the journal is judged on a disk that is well."""
    folder, submitted = scratch / "played", scratch / "submitted"
    folder.mkdir(parents=True)
    done = play(library, folder, submitted, (seed, 200, "close"), disk)
    assert done.returncode == 0
    path = folder / "journal.sqlite"
    witness = f"the heads file beside {path} cannot be written, and proves nothing newer: "
    assert all(line.startswith(witness) for line in done.stderr.splitlines())
    if done.stdout or not done.stderr:
        assert done.stdout.startswith(f"{path}: ")
        assert done.stdout.count("\n") == 1
    lines = (folder / "published").read_bytes().splitlines()
    seen = [one for line in lines for one in judge.heads_told(line)]

    journal = open_journal(folder)
    hashes = judge.check_prefix(path, judge.submitted(submitted) if submitted.exists() else {})
    assert judge.missing(hashes, seen) == []
    assert journal.lost == {}
    judge.check_tables(journal)
    journal.close()
    return done.stdout, seen
