"""The service is killed at any moment: what anybody was told is there, and the next start continues from it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.powercut import judge
from tests.powercut.judge import PublishedEvents
from tests.powercut.load import open_journal
from tests.powercut.recording import ROOT

STARTS = 20
"""Of one journal, before a fresh one: each start reads all of it."""


class Nursery:
    """A process that is ready to play, and has children that are killed."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def play_and_kill(self, folder: Path, submitted: Path, seed: int, after: int) -> list[PublishedEvents]:
        """Lets a child play, kills it when it has told of `after` submissions; all that it told."""
        self._in.write(b"%b %b %d 100000\n" % (bytes(folder), bytes(submitted), seed))
        self._in.flush()
        child = int(self._out.readline())
        seen: list[PublishedEvents] = []
        for _ in range(after):
            seen += judge.heads_told(self._out.readline())
        os.kill(child, signal.SIGKILL)
        # What it told before the signal reached it counts as well.
        while (line := self._out.readline()) != b"dead\n":
            seen += judge.heads_told(line)
        return seen


@contextmanager
def nursery() -> Iterator[Nursery]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.powercut.load", "nursery"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        yield Nursery(process)
        assert process.stdin is not None
        process.stdin.close()
    assert process.returncode == 0


LONG = [pytest.param(seed, 100, marks=pytest.mark.soak) for seed in range(2, 12)]
"""1,000 kills, in pieces."""


@pytest.mark.parametrize(("seed", "kills"), [(1, 60), *LONG])
def test_what_anybody_was_told_is_there_when_the_service_was_killed(scratch: Path, seed: int, kills: int) -> None:
    rng = Random(seed)
    folder, submitted = scratch / "journal", scratch / "submitted"
    seen: list[PublishedEvents] = []
    with nursery() as ready:
        for kill in range(kills):
            if kill % STARTS == 0:
                shutil.rmtree(folder, ignore_errors=True)
                submitted.unlink(missing_ok=True)
                seen = []
            seen += ready.play_and_kill(folder, submitted, seed * 10_000 + kill, rng.choice((0, 1, rng.randrange(100))))
            journal = open_journal(folder)
            hashes = judge.check_prefix(journal.path, judge.submitted(submitted) if submitted.exists() else {})
            assert judge.missing(hashes, seen) == [], f"after kill {kill}"
            assert journal.lost == {}
            judge.check_tables(journal)
            journal.close()
