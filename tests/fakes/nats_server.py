"""A real nats-server in a process of its own, on a free port and a folder of its own, that can be killed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import SystemRandom
from threading import Event
from typing import Any

from fleet.connection import NatsAddress
from tests.fakes.time_limits import HANG_S

PROGRAM = shutil.which("nats-server") or "/usr/sbin/nats-server"
_POLL_S = 0.02
_RANDOM = SystemRandom()


def free_port() -> int:
    """A port that is free now, and that the kernel gives no connection of its own accord: below those that it takes
    (`net.ipv4.ip_local_port_range`), so that a server that was killed can have it again."""
    while True:
        port = _RANDOM.randrange(20_000, 32_000)
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


class NatsServer:
    """A server with JetStream; its ports stay the same over restarts."""

    def __init__(
        self,
        folder: Path,
        config: str = "",
        *,
        name: str = "hub",
        environ: Mapping[str, str] | None = None,
        enter: Sequence[str] = (),
    ) -> None:
        """`config` is more of its configuration, or all of it where it has `server_name`. In it `$STORE` is the folder
        of its streams, and `$PORT` its port. `enter` are words before those of its command."""
        self.folder = folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.config = config
        self.port = free_port()
        self._environ = {**os.environ, **(environ or {})}
        self._enter = list(enter)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> NatsAddress:
        """Where it is, without a user."""
        return NatsAddress("127.0.0.1", self.port, False)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Of the process that runs."""
        assert self._process is not None
        return self._process.pid

    @property
    def store(self) -> Path:
        """The folder of its streams."""
        return self.folder / "js"

    @property
    def log(self) -> str:
        """What it has logged."""
        return (self.folder / "log").read_text()

    def start(self) -> None:
        """Returns when it takes connections."""
        ports = self.folder / "ports"
        shutil.rmtree(ports, ignore_errors=True)
        ports.mkdir()
        file = self.folder / "nats.conf"
        own = "" if "server_name" in self.config else f'server_name: "{self.name}"\nlisten: "127.0.0.1:$PORT"\n'
        text = (own + self.config).replace("$PORT", str(self.port)).replace("$STORE", f'"{self.store}"')
        file.write_text(f'{text}\nports_file_dir: "{ports}"\nlog_file: "{self.folder / "log"}"\n')
        jetstream = [] if "jetstream" in self.config else ["-js", "-sd", str(self.store)]
        self._process = subprocess.Popen(
            [*self._enter, PROGRAM, "-c", str(file), *jetstream],
            env=self._environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.port = _port(self._ports(ports)["nats"])

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def forget(self) -> None:
        """Removes all that it has stored, as a disk that lost it; for a server that was killed."""
        shutil.rmtree(self.store)

    def _ports(self, folder: Path) -> dict[str, Any]:
        """What the server states of its ports, once all are open."""
        assert self._process is not None
        pause = Event()
        for _ in range(round(HANG_S / _POLL_S)):
            for file in folder.glob("*.ports"):
                try:
                    return dict(json.loads(file.read_text()))
                except json.JSONDecodeError:
                    break  # half written
            if self._process.poll() is not None:
                _, error = self._process.communicate()
                self._process = None
                raise AssertionError(f"nats-server has ended: {error.decode()}")
            pause.wait(_POLL_S)
        raise AssertionError(f"nats-server does not start:\n{self.log}")


def _port(addresses: list[str]) -> int:
    return int(addresses[0].rsplit(":", 1)[1])


@contextmanager
def nats_server(config: str = "", **options: Any) -> Iterator[NatsServer]:
    """A server that runs as long as the block."""
    folder = Path(tempfile.mkdtemp(prefix="fwn-"))
    server = NatsServer(folder, config, **options)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
