"""Runs the pieces that a state folder does not have yet, some at a time, each in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from hal.clock import NS_PER_S, Clock
from hal.wording import counted
from tests.soak import source
from tests.soak.catalogue import Piece, Soak
from tests.soak.dependencies import loaded_by
from tests.soak.records import Failure, Folder, Record, Result, SoakError

LONGEST_S = 6 * 3600
"""Ends a piece that hangs; the longest takes a small part of it."""
LAST_LINES = 25
"""Of the output of a process that failed without a result."""
SILENCE_S = 60.0
"""The progress is reported this often where no piece ends."""


class Ended(NamedTuple):
    """How a piece's process ended."""

    status: int
    output: str
    result: bytes
    """Empty where it wrote none."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Orders:
    """What a runner is to do."""

    soaks: Sequence[tuple[Soak, int]]
    """Each with the amount that is wanted."""
    jobs: int = 1
    """Processes at a time."""
    keep: bool = False
    """Whether pieces that were recorded on other code count; those that failed there are repeated."""
    again: bool = False
    """Whether pieces that failed are repeated."""


@dataclass(slots=True)
class Progress:
    """How far a soak is."""

    soak: Soak
    wanted: int
    done: int = 0
    failures: int = 0
    new: int = 0
    """Done since this runner began."""
    since_ns: int | None = None
    """When its first new piece began."""

    def take(self, record: Record) -> None:
        """Counts a record."""
        self.done += record.amount
        self.failures += max(len(record.result.failures), int(record.failed))

    def line(self, now_ns: int) -> str:
        """The progress as one line; rate and what remains come from what was done since this runner began."""
        share = 100 * self.done // self.wanted if self.wanted else 100
        parts = [f"{self.soak.name}: {self.done:,} of {self.wanted:,} {self.soak.unit} ({min(share, 100)} %)"]
        left = max(0, self.wanted - self.done)
        if self.new and left and self.since_ns is not None and now_ns > self.since_ns:
            rate = self.new * NS_PER_S / (now_ns - self.since_ns)
            parts.append(f"{rate:,.3g} {self.soak.unit}/s" if rate < 100 else f"{rate:,.0f} {self.soak.unit}/s")
            parts.append(f"{duration(left / rate)} left")
        parts.append(counted(self.failures, "failure") if self.failures else "no failure")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """A duration for a person: `40 s`, `12 min`, `3 h 05 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"


Missing = tuple[Progress, Piece]
"""A piece that is to be run, with the progress of its soak."""


class Processes:
    """Runs pieces as processes; `stop` ends those that run."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root = root
        self._clock = clock
        self._running: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def run(self, piece: Piece) -> Ended:
        """Runs a piece in the project's folder, to its end or to `stop`."""
        path = os.pathsep.join([str(self._root), *filter(None, [os.environ.get("PYTHONPATH")])])
        begin_ns = self._clock.now_ns()
        with tempfile.TemporaryDirectory(prefix="feltwire-soak-") as folder:
            result = Path(folder) / "result.json"
            process = subprocess.Popen(
                [sys.executable, *piece.arguments, "--soak-result", str(result)],
                cwd=self._root, env={**os.environ, "PYTHONPATH": path}, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )  # fmt: skip
            self._running.add(process)
            try:
                if self.stopped:
                    self._end(process)
                output, _ = process.communicate(timeout=LONGEST_S)
            except subprocess.TimeoutExpired:
                self._end(process)
                output = process.communicate()[0] + f"\nended: it ran for {duration(LONGEST_S)}"
            finally:
                self._end(process)
                self._running.discard(process)
            reported = result.read_bytes() if result.exists() else b""
        return Ended(process.returncode, output, reported, (self._clock.now_ns() - begin_ns) / NS_PER_S)

    @property
    def running(self) -> int:
        """How many run."""
        return len(self._running)

    def stop(self) -> None:
        """Ends what runs, with what it has started; nothing begins any more."""
        self.stopped = True
        for process in list(self._running):
            self._end(process)

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


class Runner:
    """Runs what is missing of some soaks, and keeps a record of each piece."""

    def __init__(
        self,
        folder: Folder,
        orders: Orders,
        processes: Processes,
        clock: Clock,
        report: Callable[[str], None],
        commit: Callable[[], str] = source.commit,
    ) -> None:
        self._folder = folder
        self._orders = orders
        self._processes = processes
        self._clock = clock
        self._report = report
        self._commit = commit
        self._progress = {soak.name: Progress(soak, 0) for soak, _ in orders.soaks}

    def run(self) -> bool:
        """Runs what is missing; returns whether all that is wanted is recorded, and nothing failed.

        Raises:
            SoakError: the state folder cannot be read or written, or the code changed.
            KeyboardInterrupt: a person ends it; what ran is repeated by the next runner.
        """
        commit = self._commit()
        missing = [self._missing(soak, amount, commit) for soak, amount in self._orders.soaks]
        for progress in self._progress.values():
            self._report(progress.line(self._clock.now_ns()))
        self._run(chain.from_iterable(missing), commit)
        return all(p.failures == 0 and p.done >= p.wanted for p in self._progress.values())

    def _missing(self, soak: Soak, amount: int, commit: str) -> list[Missing]:
        """Counts what is recorded of a soak; returns the rest."""
        records = self._folder.records(soak.name)
        progress = self._progress[soak.name]
        missing: list[Missing] = []
        loaded = loaded_by(soak)
        elsewhere = 0
        for piece in soak.pieces(amount):
            progress.wanted += piece.amount
            record = records.get(piece.name)
            if record is None or record.command != piece.command:
                missing.append((progress, piece))
                continue
            here = source.same_code(record.commit, commit, loaded)
            if (record.failed and (self._orders.again or not here)) or not (here or self._orders.keep):
                missing.append((progress, piece))
                elsewhere += not here
                continue
            progress.take(record)
            self._failed(record)
        if elsewhere:
            self._report(
                f"{soak.name}: {elsewhere} pieces were recorded on other code and are repeated"
                + ("" if self._orders.keep else "; --keep counts those that did not fail")
            )
        return missing

    def _run(self, missing: Iterator[Missing], commit: str) -> None:
        running: dict[Future[Ended], Missing] = {}
        with ThreadPoolExecutor(self._orders.jobs) as threads:
            try:
                while True:
                    for progress, piece in islice(missing, self._orders.jobs - len(running)):
                        if progress.since_ns is None:
                            progress.since_ns = self._clock.now_ns()
                        running[threads.submit(self._processes.run, piece)] = (progress, piece)
                    if not running:
                        return
                    ended, _ = wait(running, timeout=SILENCE_S, return_when=FIRST_COMPLETED)
                    if ended and self._commit() != commit:
                        raise SoakError(
                            "the code changed while its pieces ran; those that were recorded before are kept. "
                            "Run a soak in a checkout that nobody works in: git worktree add --detach FOLDER"
                        )
                    for future in ended:
                        self._record(*running.pop(future), future.result(), commit)
                    if not ended:
                        for name in dict.fromkeys(progress.soak.name for progress, _ in running.values()):
                            self._report(self._progress[name].line(self._clock.now_ns()))
            finally:
                self._processes.stop()

    def _record(self, progress: Progress, piece: Piece, ended: Ended, commit: str) -> None:
        result = result_of(piece, ended)
        record = Record(
            soak=progress.soak.name,
            piece=piece.name,
            command=piece.command,
            commit=commit,
            machine=source.machine(result.code),
            date=self._today(),
            seconds=round(ended.seconds, 1),
            status=ended.status,
            amount=piece.amount,
            result=result,
        )
        self._folder.write(record)
        progress.take(record)
        progress.new += record.amount
        self._failed(record)
        self._report(progress.line(self._clock.now_ns()))

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock.wall_time_ns() / NS_PER_S, UTC).date().isoformat()

    def _failed(self, record: Record) -> None:
        for failure in record.result.failures:
            said = f"\n  {failure.said}" if failure.said else ""
            self._report(f"FAILED {record.soak} {record.piece}: {failure.what}\n  repeat it: {failure.command}{said}")


def result_of(piece: Piece, ended: Ended) -> Result:
    """What the process reported; what it printed last where it reported nothing, or failed without a failure."""
    if not ended.result:
        what = f"ended with status {ended.status} and no result:\n{last_lines(ended.output)}"
        return Result({}, [Failure(what, piece.command)])
    try:
        result = msgspec.json.decode(ended.result, type=Result)
    except msgspec.MsgspecError as error:
        return Result({}, [Failure(f"its result cannot be read: {error}", piece.command)])
    if ended.status and not result.failures:
        what = f"ended with status {ended.status}:\n{last_lines(ended.output)}"
        return msgspec.structs.replace(result, failures=[Failure(what, piece.command)])
    return result


def last_lines(output: str) -> str:
    """The end of what a process printed."""
    return "\n".join(output.splitlines()[-LAST_LINES:])
