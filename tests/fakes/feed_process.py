"""A service in a process of its own, that can be killed and stopped: a table that publishes, its feed and its history.

    python -m tests.fakes.feed_process BASE FILE EPOCH PAUSE_MS [rounds]

Events are appended to FILE, then published; a new process continues from there. It prints `ready`, reads commands from
stdin: `burst N` publishes N events at once, `end` publishes no more (heartbeats continue) and prints the last number,
`go` goes on. With `rounds` the events are those of whole rounds, otherwise any.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import zmq

from feed.endpoints import Endpoints
from feed.events import decode
from feed.history_server import HistoryServer
from feed.publisher import Publisher
from tests.fakes.feed_model import ModelJournal, ModelTable

TABLE = "wheel-1"
BEAT_S = 0.25
ROOT = Path(__file__).resolve().parents[2]


def journal_of(file: Path) -> ModelJournal:
    """The journal of a file, without an incomplete last line."""
    journal = ModelJournal()
    for line in file.read_bytes().splitlines(keepends=True) if file.exists() else []:
        if line.endswith(b"\n"):
            assert journal.add(decode(line)) == (decode(line).topic.encode(), line.rstrip(b"\n"))
    return journal


class FeedProcess:
    """A process, as a test handles it."""

    def __init__(self, base: str, file: Path, epoch: str, pause_ms: int, *, rounds: bool = False) -> None:
        self.base = base
        arguments = [sys.executable, "-m", "tests.fakes.feed_process", base, str(file), epoch, str(pause_ms)]
        arguments += ["rounds"] if rounds else []
        self._process = subprocess.Popen(
            arguments, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._answer() == "ready"

    def burst(self, count: int) -> None:
        """Publishes this many events at once."""
        self._tell(f"burst {count}")
        assert self._answer() == "said"

    def end(self) -> int:
        """Ends the events; returns the last number."""
        self._tell("end")
        return int(self._answer())

    def go_on(self) -> None:
        """Publishes events again, after `end`."""
        self._tell("go")
        assert self._answer() == "going"

    def freeze(self) -> None:
        """SIGSTOP."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def feed(base: str, file: Path, epoch: str, *, pause_ms: int = 5) -> Iterator[FeedProcess]:
    """A process that lives as long as the block, or until it is killed."""
    process = FeedProcess(base, file, epoch, pause_ms)
    try:
        yield process
    finally:
        process.kill()


async def _serve(base: str, file: Path, epoch: str, pause_ms: int, *, rounds: bool) -> None:
    loop = asyncio.get_running_loop()
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    endpoints = Endpoints.parse(base)
    journal, rng = journal_of(file), Random(epoch)
    table = ModelTable(journal, TABLE, epoch)
    out = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.ftruncate(out, sum(len(body) + 1 for body in journal.bodies(TABLE)))
    publisher = Publisher(context, endpoints)
    history = HistoryServer(context, endpoints, journal)
    publisher.bind()
    history.bind()
    talking = True
    following = table.play if rounds else table.something

    def say(frames: tuple[bytes, bytes]) -> None:
        if decode(frames[1]).seq is not None:
            os.write(out, frames[1] + b"\n")
        publisher.publish(*frames)

    def talk() -> None:
        if talking:
            say(following(rng))
        loop.call_later(pause_ms / 1000, talk)

    def beat() -> None:
        publisher.publish(*table.heartbeat())
        loop.call_later(BEAT_S, beat)

    def told() -> None:
        nonlocal talking
        words = sys.stdin.readline().split()
        if not words:
            loop.remove_reader(sys.stdin)
        elif words[0] == "burst":
            for _ in range(int(words[1])):
                say(following(rng))
            print("said", flush=True)
        elif words[0] == "go":
            talking = True
            print("going", flush=True)
        elif words[0] == "end":
            talking = False
            print(journal.last(TABLE).seq, flush=True)

    say(table.open())
    talk()
    beat()
    loop.add_reader(sys.stdin, told)
    print("ready", flush=True)
    await history.serve()


if __name__ == "__main__":
    asyncio.run(
        _serve(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), rounds=sys.argv[5:] == ["rounds"])
    )
