"""The power is cut at any moment: what anybody was told is there, whatever became of all that was not synced."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from audit.errors import JournalError
from tests.powercut import judge
from tests.powercut.evening import Moment, moments, recorded
from tests.powercut.judge import Submitted
from tests.powercut.load import LoadedHouse, open_journal
from tests.powercut.replay import What, put_down

QUICK = [(seed, 250, 30) for seed in range(1)]
LONG = [pytest.param(seed, 600, 200, marks=pytest.mark.soak) for seed in range(100, 115)]


@pytest.mark.parametrize(("seed", "count", "number"), [*QUICK, *LONG])
def test_what_anybody_was_told_is_there_after_a_power_cut(
    library: Path, scratch: Path, seed: int, count: int, number: int
) -> None:
    rng = Random(seed)
    evening = recorded(library, scratch, seed, count)
    for moment in moments(evening, number, rng):
        folder = scratch / "cut"
        put_down(folder, moment.disk.after_cut(rng))
        where = f"seed {seed}, cut at step {moment.step} of {len(evening.steps)}"
        epoch = f"after-{moment.step}"
        check_cut(folder, evening.truth, moment, where, epoch)
        shutil.rmtree(folder)


def check_cut(folder: Path, truth: Submitted, moment: Moment, where: str, epoch: str) -> None:
    journal = open_journal(folder)
    hashes = judge.check_prefix(journal.path, truth)
    assert judge.missing(hashes, moment.seen) == [], where
    assert journal.lost == {}, f"{where}: the witness accuses a disk that lost nothing"
    judge.check_tables(journal)
    # It continues from there, and stays whole.
    truth = dict(truth)
    house = LoadedHouse(journal, epoch, Random(moment.step), lambda some: truth.update(judge.bodies(some)))
    assert house.play(5, lambda heads: None) is None
    journal.close()
    again = open_journal(folder)
    assert again.clean
    held = judge.check_prefix(again.path, truth)
    assert sum(map(len, held.values())) == again.recovery.records
    again.close()


@pytest.mark.parametrize("deaf", ["journal.sqlite-wal", "journal.sqlite"])
def test_a_disk_that_does_not_sync_is_found_out_by_these_cuts(library: Path, scratch: Path, deaf: str) -> None:
    rng = Random(7)
    evening = recorded(library, scratch, 7, 250)
    steps = [
        step
        for step in evening.steps
        if not (step.what in (What.SYNC_BEGINS, What.SYNC_DONE) and step.path.endswith(f"/{deaf}"))
    ]
    found_out = 0
    for moment in moments(evening._replace(steps=steps), 30, rng):
        folder = scratch / "cut"
        put_down(folder, moment.disk.after_cut(rng))
        try:
            journal = open_journal(folder)
            found_out += bool(judge.missing(judge.check_prefix(journal.path, evening.truth), moment.seen))
            journal.close()
        except JournalError:
            found_out += 1
        shutil.rmtree(folder)
    assert found_out > 5
