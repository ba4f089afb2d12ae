"""Synced bytes are destroyed: the next start says so, or nothing that anybody was told is missing. Never in between."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from audit.errors import JournalDamaged
from audit.records import COMMANDS
from audit.witness import read_witness
from controller.journal.history import JournalHistory
from feed.wire import REWRITTEN
from tests.powercut import judge
from tests.powercut.evening import moments, recorded
from tests.powercut.judge import PublishedEvents, Submitted
from tests.powercut.load import open_journal
from tests.powercut.replay import put_down

FILE = "journal.sqlite"
LOG = "journal.sqlite-wal"
WITNESS = "journal.sqlite.heads"
PAGE = 4096

Contents = dict[str, bytearray]
Destroy = Callable[[Contents, Random], None]


def log_end_zeroed(contents: Contents, rng: Random) -> None:
    log = contents.get(LOG, bytearray())
    begin = rng.randint(0, len(log))
    log[begin:] = bytes(len(log) - begin)


def log_cut_short(contents: Contents, rng: Random) -> None:
    log = contents.get(LOG, bytearray())
    del log[rng.randint(0, len(log)) :]


def log_gone(contents: Contents, rng: Random) -> None:
    contents.pop(LOG, None)


def pages_zeroed(contents: Contents, rng: Random) -> None:
    _fill_pages(contents[FILE], rng, bytes)


def pages_of_rubbish(contents: Contents, rng: Random) -> None:
    _fill_pages(contents[FILE], rng, rng.randbytes)


def bits_flipped(contents: Contents, rng: Random) -> None:
    file = contents[FILE]
    for _ in range(rng.randint(1, 5)):
        file[rng.randrange(len(file))] ^= 1 << rng.randrange(8)


def file_cut_short(contents: Contents, rng: Random) -> None:
    file = contents[FILE]
    del file[rng.randint(0, len(file)) :]


def file_empty(contents: Contents, rng: Random) -> None:
    contents[FILE].clear()


def file_gone(contents: Contents, rng: Random) -> None:
    del contents[FILE]


def file_and_log_gone(contents: Contents, rng: Random) -> None:
    del contents[FILE]
    contents.pop(LOG, None)


def _fill_pages(file: bytearray, rng: Random, content: Callable[[int], bytes]) -> None:
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(max(1, len(file) // PAGE)) * PAGE
        file[at : at + PAGE] = content(len(file[at : at + PAGE]))


DESTROY: list[Destroy] = [
    log_end_zeroed,
    log_cut_short,
    log_gone,
    pages_zeroed,
    pages_of_rubbish,
    bits_flipped,
    file_cut_short,
    file_empty,
    file_gone,
    file_and_log_gone,
]

LONG = [pytest.param(seed, 150, marks=pytest.mark.soak) for seed in range(50, 55)]


@pytest.mark.parametrize("witnessed", [True, False], ids=["with the witness", "without it"])
@pytest.mark.parametrize(("seed", "number"), [(3, 12), *LONG])
def test_what_was_destroyed_is_said_or_was_not_needed(
    library: Path, scratch: Path, seed: int, number: int, witnessed: bool
) -> None:
    rng = Random(seed)
    evening = recorded(library, scratch, seed, 250)
    verdicts: Counter[tuple[str, str]] = Counter()
    for moment in moments(evening, number, rng):
        if not moment.seen:
            continue
        for destroy in DESTROY:
            folder = scratch / "card"
            contents = moment.disk.as_written()
            destroy(contents, rng)
            if not witnessed:
                contents.pop(WITNESS, None)
            put_down(folder, contents)
            verdicts[destroy.__name__, judge_card(folder, evening.truth, moment.seen)] += 1
            shutil.rmtree(folder)
    reached = {verdict for _, verdict in verdicts}
    assert {"refused", "nothing needed was lost"} <= reached, verdicts
    # Without the witness a history that was cut short looks like one that ended there.
    assert ("lost, and said so" in reached) == witnessed, verdicts


def judge_card(folder: Path, truth: Submitted, seen: list[PublishedEvents]) -> str:
    """What the next start makes of a destroyed journal."""
    path = folder / FILE
    witnessed = read_witness(path).heads
    try:
        journal = open_journal(folder)
    except JournalDamaged as error:
        assert str(error).startswith(f"{path}: ")
        assert error.what
        assert error.fix
        return "refused"
    try:
        missing = judge.missing(judge.check_prefix(path, truth), seen)
        for one in missing:
            # The witness notes a commit when it was told, microseconds later: the very last one it may not know.
            noted = witnessed.get(one.chain)
            unknown = noted is None or noted.seq < one.seq
            assert one.chain in journal.lost or unknown, f"{one} is gone, and nobody says so"
            subscriber_is_told(path, one)
        if journal.lost:
            return "lost, and said so"
        return "lost, and only a subscriber knows" if missing else "nothing needed was lost"
    finally:
        journal.close()


def subscriber_is_told(path: Path, seen: PublishedEvents) -> None:
    """Who saw an event that is not there any more hears of a rewritten history."""
    if seen.chain == COMMANDS:
        return
    history = JournalHistory(path)
    page = history.page(seen.chain, seen.epoch, seen.seq, 10)
    history.close()
    assert page.problem == REWRITTEN
