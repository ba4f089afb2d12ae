"""Journals and entries for tests, small and by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

import msgspec

from audit.errors import JournalError
from audit.records import COMMAND, COMMANDS, Entry
from controller.journal.journal import Heads, Journal
from hal.clock import VirtualClock
from tests.fakes.time_limits import HANG_S
from tests.powercut.load import KEY, TablePlayer

NOW_NS = 1_900_000_000_000_000_000


def player(table: str = "roulette-1", epoch: str = "e1", left: Any = None) -> TablePlayer:
    """A table that says what it is told to say, and numbers it."""
    return TablePlayer(table, epoch, Random(0), left)


def command(seq: int, identity: str, epoch: str = "e1") -> Entry:
    """A command's entry."""
    said = {"id": identity, "scope": "ann", "epoch": epoch, "sender": "ann", "accepted": True, "events": []}
    body = msgspec.json.encode(said)
    return Entry(COMMANDS, seq, f"ann:{identity}", epoch, COMMAND, None, "2030-01-01T20:00:00.000000Z", "", body)


def opened(path: Path, **options: Any) -> Journal:
    """A journal whose results come on the writer's own thread."""
    options = {"clock": VirtualClock(NOW_NS), "deliver": at_once, **options}
    return Journal.open(path, options.pop("signing_key", KEY), **options)


def at_once(done: Callable[[Heads | JournalError], object], result: Heads | JournalError) -> None:
    """Delivers a result where it is made."""
    done(result)


def written(journal: Journal, entries: Sequence[Entry]) -> Heads:
    """The heads after these entries, which must be written."""
    result = outcome(journal, entries)
    assert not isinstance(result, JournalError), result
    return result


def outcome(journal: Journal, entries: Sequence[Entry]) -> Heads | JournalError:
    """What becomes of these entries."""
    results: SimpleQueue[Heads | JournalError] = SimpleQueue()
    journal.submit(entries, results.put)
    return results.get(timeout=HANG_S)
