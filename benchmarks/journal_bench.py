"""What the journal costs: a commit of ours next to a bare SQLite commit and a bare `fdatasync`.

Each turn does one of each, one after the other, on the same disk, so that a slow moment of the disk hits all of them.
Time is that which passes: what is measured waits for the disk. Our own is timed from `submit` to `done`, on the thread
that writes, and to the waiting thread that is woken by it.

    fdatasync     append 256 bytes, fdatasync
    sqlite        one row of 256 bytes in a table of its own: WAL, synchronous=FULL
    durable       the journal: submit ─► done
    woken         the journal: submit ─► done ─► another thread runs
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from statistics import median, quantiles
from time import perf_counter_ns

from nacl.signing import SigningKey

from audit.errors import JournalError
from audit.records import Entry
from benchmarks.bare_disk import bare_append, bare_sqlite
from controller.journal.journal import Heads, Journal
from feed import events
from feed.events import Event, encode, type_of
from hal.clock import SystemClock


@dataclass(frozen=True, slots=True)
class Latency:
    """One line: how long one thing took, in nanoseconds, turn by turn."""

    name: str
    took_ns: tuple[int, ...]

    @property
    def p50_ms(self) -> float:
        """Half of them took no longer."""
        return median(self.took_ns) / 1e6

    @property
    def p99_ms(self) -> float:
        """99 of 100 took no longer."""
        return quantiles(self.took_ns, n=100)[98] / 1e6


def journal_latencies(turns: int, folder: Path | None = None) -> tuple[Latency, ...]:
    """Measures in a fresh folder (below `folder`: choose the disk that is meant)."""
    took: dict[str, list[int]] = {"fdatasync": [], "sqlite": [], "durable": [], "woken": []}
    with tempfile.TemporaryDirectory(dir=folder, prefix="journal-bench-") as name:
        place = Path(name)
        with bare_append(place) as append, bare_sqlite(place) as commit, _journal(place) as journalled:
            for turn in range(turns):
                begin = perf_counter_ns()
                append()
                middle = perf_counter_ns()
                commit()
                end = perf_counter_ns()
                durable_ns, woken_ns = journalled(turn + 1)
                took["fdatasync"].append(middle - begin)
                took["sqlite"].append(end - middle)
                took["durable"].append(durable_ns)
                took["woken"].append(woken_ns)
    return tuple(Latency(name, tuple(all_of_it)) for name, all_of_it in took.items())


@contextmanager
def _journal(place: Path) -> Iterator[Callable[[int], tuple[int, int]]]:
    told: SimpleQueue[int] = SimpleQueue()

    def deliver(done: Callable[[Heads | JournalError], None], result: Heads | JournalError) -> None:
        if isinstance(result, JournalError):
            raise result
        told.put(perf_counter_ns())

    journal = Journal.open(place / "journal.sqlite", SigningKey.generate(), clock=SystemClock(), deliver=deliver)

    def journalled(seq: int) -> tuple[int, int]:
        entry = _entry(seq)
        begin = perf_counter_ns()
        journal.submit([entry], _ignore)
        durable = told.get(timeout=60)
        return durable - begin, perf_counter_ns() - begin

    yield journalled
    journal.close()


def _ignore(result: Heads | JournalError) -> None:
    """`deliver` has what is measured."""


def _entry(seq: int) -> Entry:
    event = Event(
        id=f"roulette-1.0123456789abcdef.{seq}",
        source="/tables/roulette-1",
        type=type_of(events.NoMoreBets),
        subject=f"round/{seq}",
        time="2030-01-01T20:00:00.000000Z",
        sequence=f"{seq:020d}",
        data=events.NoMoreBets(
            table="roulette-1", game="roulette", simulated=True, mono_ns=seq, round=seq, by="dealer", rule="20.32(d)"
        ),
    )
    return Entry.of(event, encode(event))


def main() -> None:
    """Prints the table, for the disk of the folder that the tests use."""
    latencies = journal_latencies(1000)
    peer = next(one for one in latencies if one.name == "sqlite")
    for one in latencies:
        print(f"{one.name:<10} p50 {one.p50_ms:6.3f} ms  p99 {one.p99_ms:6.3f} ms  {one.p50_ms / peer.p50_ms:5.2f} x")


if __name__ == "__main__":
    main()
