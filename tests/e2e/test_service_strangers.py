"""Strangers at the doors of a real service: who has no key shuts nobody out, however often he connects."""

from __future__ import annotations

import json
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import zmq

from tests.e2e.test_service import SLOW, Keyed, free_ports
from tests.fakes.service_process import ServiceProcess, listening, service
from tests.fakes.time_limits import HANG_MS

STRANGERS = 1_300
"""Connections: more than the descriptors of a process whose limit nobody raised."""
ASK_MS = 2_000
SECONDS = 3
"""Heartbeats that are awaited meanwhile: the allow-list is read again at each."""


@contextmanager
def room_for_strangers() -> Iterator[None]:
    """This test's own descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * STRANGERS if hard == resource.RLIM_INFINITY else min(2 * STRANGERS, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect_strangers(stack: ExitStack, port: int) -> None:
    for _ in range(STRANGERS):
        stranger = stack.enter_context(socket.socket())
        stranger.setblocking(False)
        # Not waited for: on a busy computer, or where nobody is let in any more, each would take seconds.
        stranger.connect_ex(("127.0.0.1", port))


@pytest.mark.parametrize(("door", "limit"), [(0, "1024:1024"), (2, "1024:1024"), (2, "1024:4096")])
def test_strangers_without_a_key_shut_out_nobody_and_stop_nothing(tmp_path: Path, door: int, limit: str) -> None:
    keyed = Keyed(tmp_path)
    boss = keyed.client("pit-boss", "supervisor", "A")
    board = keyed.client("board-1", "read-only")
    first = free_ports()
    options = (*SLOW, "--keys", str(keyed.keys))
    base = f"tcp://127.0.0.1:{first}"
    prefix = ("prlimit", f"--nofile={limit}")
    with (
        service(tmp_path, base=base, options=options, prefix=prefix) as running,
        listening(running.endpoints, board, running.ended) as listener,
        room_for_strangers(),
        zmq.Context() as context,
        context.socket(zmq.DEALER) as console,
    ):
        running.start()
        listener.take_until("heartbeat")
        console.linger = 0
        boss.apply(console)
        console.connect(running.endpoints.commands)
        with ExitStack() as strangers:
            connect_strangers(strangers, first + door)
            while "too many connections that have shown no key" not in running.log.read_text():
                listener.take_until("heartbeat", table="wheel-1")
            for _ in range(SECONDS):
                listener.take_until("heartbeat", table="wheel-1")
            # Its silent connection may have been among those ended: it comes back, and asks again.
            for _ in range(HANG_MS // ASK_MS):
                console.send(json.dumps({"id": "1", "command": "status"}).encode())
                if console.poll(ASK_MS):
                    break
            else:
                raise AssertionError("the console gets no answer")
            status = json.loads(console.recv_multipart()[-1])
            assert status["accepted"], status
            assert status["status"]["state"] == "running"
        log = running.log.read_text()
        assert "no longer allowed" not in log
        assert "HALTED" not in log
        assert running.stop() == 0


def test_the_soft_limit_of_descriptors_is_raised_to_the_hard_one(tmp_path: Path) -> None:
    with (
        service(tmp_path, prefix=("prlimit", "--nofile=256:3000")) as running,
        listening(running.endpoints) as listener,
    ):
        running.start()
        listener.take_until("heartbeat")
        assert _limit(running) == 3000
        assert "file descriptors may be open" not in running.log.read_text()
    low = tmp_path / "low"
    low.mkdir()
    with service(low, prefix=("prlimit", "--nofile=256:300")) as running, listening(running.endpoints) as listener:
        running.start()
        listener.take_until("heartbeat")
        assert _limit(running) == 300
        assert "only 300 file descriptors may be open" in running.log.read_text()


def _limit(running: ServiceProcess) -> int:
    lines = Path(f"/proc/{running.process.pid}/limits").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Max open files")).split()[3])
