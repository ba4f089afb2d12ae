"""A real service in a process of its own, and the sockets of a test at its side."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import zmq

from feed.endpoints import Endpoints
from feed.keys import ClientCurve
from tests.fakes.time_limits import HANG_MS, HANG_S

FELTWIRE = Path(sys.executable).with_name("feltwire")
STEP_MS = 500
"""How often it looks meanwhile whether the service is still there."""

MONEY_WHEEL = '[table]\nid = "wheel-1"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n'
ROULETTE = '[table]\nid = "roulette-1"\ngame = "roulette"\n[lines]\nbackend = "sim"\n'


class JournalRow(NamedTuple):
    """A row of the journal."""

    chain: str
    seq: int
    id: str
    epoch: str
    kind: str
    topic: str
    body: bytes

    @property
    def data(self) -> dict[str, Any]:
        """The data of an event."""
        data: dict[str, Any] = json.loads(self.body)["data"]
        return data


class ServiceProcess:
    """`feltwire run` on simulated tables, below one folder."""

    def __init__(
        self,
        folder: Path,
        *,
        tables: Sequence[str] = (MONEY_WHEEL, ROULETTE),
        options: Sequence[str] = ("--speed", "200"),
        base: str | None = None,
        environ: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        """`prefix` are words before the command, such as `prlimit`."""
        self.folder = folder
        self.base = base or f"ipc://{folder}/run"
        self.state = folder / "state"
        self.log = folder / "log"
        self._environ = {**os.environ, **(environ or {})}
        self._options = [*options]
        self._prefix = [*prefix]
        self._files = []
        for number, text in enumerate(tables):
            path = folder / f"table-{number}.toml"
            path.write_text(text)
            self._files.append(str(path))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoints(self) -> Endpoints:
        return Endpoints.parse(self.base)

    @property
    def journal(self) -> Path:
        return self.state / "sim" / "journal.sqlite"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def start(self, *options: str, stdout: Any = subprocess.DEVNULL) -> None:
        """Starts it, or starts it again."""
        words = [*self._prefix, str(FELTWIRE), "run", *self._files]
        words += ["--state", str(self.state), "--bind", self.base, *self._options, *options]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(words, stdout=stdout, stderr=log, env=self._environ)

    def kill(self) -> None:
        """SIGKILL: nothing is put away."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM, and its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(HANG_S)

    def ended(self) -> str | None:
        """How it ended, if it did so by itself."""
        code = None if self._process is None else self._process.poll()
        return None if code is None else f"the service ended with {code}: {self.log.read_text()[-2000:]}"

    def end(self) -> None:
        """Whatever happened: it does not outlive the test."""
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def records(self, journal: Path | None = None) -> list[JournalRow]:
        """The journal, as it is now: that of the simulated tables, or another."""
        with closing(sqlite3.connect(f"file:{journal or self.journal}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT chain, seq, id, epoch, kind, topic, body FROM record ORDER BY n")
            return [JournalRow(*row) for row in rows]

    def send(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`feltwire send` to it."""
        limit = () if "--timeout" in words else ("--timeout", str(HANG_S))
        command = [str(FELTWIRE), "send", self.base, *words, *limit]
        return subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)


@contextmanager
def service(folder: Path, **options: Any) -> Iterator[ServiceProcess]:
    """A service that is ended with the block. It is not started yet."""
    made = ServiceProcess(folder, **options)
    try:
        yield made
    except BaseException:
        if made.log.exists():
            sys.stderr.write(made.log.read_text())
        raise
    finally:
        made.end()


class Listener:
    """A bare subscriber: everything that reaches it, in order."""

    def __init__(
        self, endpoints: Endpoints, curve: ClientCurve | None = None, ended: Callable[[], str | None] = lambda: None
    ) -> None:
        """`ended` tells that nothing can come any more, and why."""
        self._ended = ended
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.linger = 0
        self._socket.rcvhwm = 0
        if curve is not None:
            curve.apply(self._socket)
        self._socket.subscribe(b"")
        self._socket.connect(endpoints.feed)
        self.durable: dict[str, tuple[bytes, bytes]] = {}
        """Topic and body of every durable event, by its id."""
        self.heartbeats: list[dict[str, Any]] = []

    def take(self, timeout_ms: int = HANG_MS) -> dict[str, Any] | None:
        """The next message; None if none comes in time."""
        for left_ms in range(timeout_ms, 0, -STEP_MS):
            if self._socket.poll(min(left_ms, STEP_MS)):
                break
            why = self._ended()
            assert why is None, why
        if not self._socket.poll(0):
            return None
        topic, body = self._socket.recv_multipart()
        event: dict[str, Any] = json.loads(body)
        if "sequence" in event:
            self.durable[event["id"]] = (topic, body)
        elif topic.endswith(b"/heartbeat/"):
            self.heartbeats.append(event["data"])
        return event

    def take_until(self, wanted: str, **data: Any) -> dict[str, Any]:
        """The next event of a kind whose data has these values."""
        while True:
            event = self.take()
            assert event is not None, f"no {wanted} came"
            if event["type"] == f"feltwire.{wanted}.v1" and data.items() <= event["data"].items():
                return event

    def take_durable(self, count: int) -> None:
        """Takes this many durable events more."""
        before = len(self.durable)
        while len(self.durable) < before + count:
            assert self.take() is not None, "nothing came any more"

    def drain(self) -> None:
        """Takes what is there."""
        while self.take(0) is not None:
            pass

    def close(self) -> None:
        self._socket.close()
        self._context.term()


@contextmanager
def listening(
    endpoints: Endpoints, curve: ClientCurve | None = None, ended: Callable[[], str | None] = lambda: None
) -> Iterator[Listener]:
    """A subscriber that is closed with the block."""
    listener = Listener(endpoints, curve, ended)
    try:
        yield listener
    finally:
        listener.close()
