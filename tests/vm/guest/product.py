"""The installed product, as scenarios in the machine use it, and the way to report to the host."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HOST = Path(__file__).resolve().parents[3]
"""The checkout of the computer on which the machine runs."""
FELTWIRE = os.environ.get("FELTWIRE", "/usr/bin/feltwire")
"""The command: that of the package, or of the checkout where no package is installed."""
PLAYER = HOST / "build/vm/play"
CHANGE = struct.Struct("<QII")
WRITTEN = struct.Struct("<QQII")
PATIENCE_S = 1_000_000.0
"""Of a wait: in virtual time hours pass while a block is read, so that the limit that counts is the host's."""

_console = os.open("/dev/console", os.O_WRONLY | os.O_NOCTTY)
_lock = threading.Lock()


def option(name: str) -> str:
    """An option of the kernel's command line; empty without it."""
    for word in Path("/proc/cmdline").read_text().split():
        if word.startswith(f"vm.{name}="):
            return word.partition("=")[2]
    return ""


def report(kind: str, **fields: Any) -> None:
    """Sends one record to the host."""
    line = ("VM " + json.dumps({"kind": kind, **fields}) + "\n").encode()
    with _lock:
        while line:
            line = line[os.write(_console, line) :]


def write_schedule(path: Path, changes: Iterable[tuple[int, int, int]]) -> None:
    """Writes changes as the player reads them."""
    path.write_bytes(b"".join(CHANGE.pack(*change) for change in changes))


def play(schedule_file: Path, lines: Path, log: Path | None = None, *, fifo: bool = False) -> dict[str, Any]:
    """Plays a schedule to its end; returns what the player measured."""
    words = [str(PLAYER), str(schedule_file), str(lines), *([str(log)] if log else [])]
    environ = {**os.environ, **({"FIFO": "1"} if fifo else {})}
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"player: {done.stderr}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


class Service:
    """`feltwire run` outside of systemd, with its events and what it tells systemd."""

    def __init__(
        self, tomls: Iterable[Path], *options: str, folder: Path = Path("/run/service"), state: Path | None = None
    ) -> None:
        import socket

        folder.mkdir(parents=True, exist_ok=True)
        runtime = folder / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.state = state or folder / "state"
        self.base = f"ipc://{runtime}"
        self.notices: list[str] = []
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(str(folder / "notify"))
        self._output = folder / "events.jsonl"
        self._errors = folder / "log"
        environ = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "10000000"}
        words = [FELTWIRE, "run", *map(str, tomls), "--state", str(self.state), "--bind", self.base, "--json", *options]
        self.process = subprocess.Popen(
            words, cwd=folder, env=environ, stdout=self._output.open("wb"), stderr=self._errors.open("wb")
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            self.notices.append(self._notify.recv(4096).decode())

    def wait_ready(self) -> None:
        """Waits until its sockets are open."""
        end = time.monotonic() + PATIENCE_S
        while not any("READY=1" in one for one in self.notices):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the service is not ready (code {self.process.poll()}): {self.log()}")
            time.sleep(0.05)

    def events(self) -> Iterator[dict[str, Any]]:
        """The events so far, without heartbeats."""
        for line in self._output.read_text().splitlines():
            if line.startswith("{"):
                event = json.loads(line)
                if "heartbeat" not in event["type"]:
                    yield event

    def log(self) -> str:
        """The last of its log."""
        return self._errors.read_text()[-2000:]

    def stop(self) -> int:
        """Ends it in order."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)
