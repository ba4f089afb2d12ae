"""An evening at the tables, recorded, and moments of it at which the power may be cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.powercut.judge import PublishedEvents, Submitted, heads_told, submitted
from tests.powercut.recording import play
from tests.powercut.replay import ReplayedDisk, What, WriteStep, read_record

_EDGES = (What.SYNC_BEGINS, What.SYNC_DONE)
"""Beside these it changes what counts as durable."""


class RecordedEvening(NamedTuple):
    """Three runs of a service on one journal: one that ends in order, one cut off in its midst, one after it."""

    steps: list[WriteStep]
    folder: str
    truth: Submitted


class Moment(NamedTuple):
    """The disk at a moment, and all that anybody had been told by then."""

    step: int
    disk: ReplayedDisk
    seen: list[PublishedEvents]


def recorded(library: Path, scratch: Path, seed: int, count: int) -> RecordedEvening:
    """Plays an evening of `count` submissions a run, with the recorder in it."""
    folder, noted, log = scratch / "played", scratch / "submitted", scratch / "record"
    folder.mkdir()
    for run, end in enumerate(("close", "exit", "close")):
        done = play(library, folder, noted, (seed * 10 + run, count, end), {"RECORD_LOG": str(log)})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return RecordedEvening(read_record(log), str(folder), submitted(noted))


def moments(evening: RecordedEvening, number: int, rng: Random) -> Iterator[Moment]:
    """Moments chosen at random, in their order; a third of them beside a sync. Each is gone when the next one comes."""
    syncs = [at for at, step in enumerate(evening.steps) if step.what in _EDGES]
    chosen = sorted(
        rng.choice(syncs) + rng.randint(0, 1) if rng.random() < 0.33 else rng.randint(0, len(evening.steps))
        for _ in range(number)
    )
    disk, played = ReplayedDisk(evening.folder), 0
    seen: list[PublishedEvents] = []
    for moment in chosen:
        for step in evening.steps[played:moment]:
            disk.play(step)
            if step.what is What.WRITE and step.path.endswith("/published"):
                seen += heads_told(step.data)
        played = moment
        yield Moment(moment, disk, seen)
