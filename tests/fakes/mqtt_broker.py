"""A real Mosquitto in a process of its own, with accounts, an access list and TLS, that can be killed."""

from __future__ import annotations

import getpass
import json
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import aiomqtt

from bridges.mqtt.keys import MqttKeys
from tests.fakes.certificates import certificates
from tests.fakes.nats_server import free_port
from tests.fakes.time_limits import HANG_S

_POLL_S = 0.02
PROGRAM = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
PASSWORDS = {"feltwire": "the bridge's own", "reader": "only reads", "home": "Home Assistant's"}
ACCESS = """
user feltwire
topic write feltwire/#
topic write homeassistant/device/#
topic read homeassistant/status
user reader
topic read #
user home
topic read #
topic write homeassistant/status
"""


class Broker:
    """A broker; its port stays the same over restarts."""

    def __init__(self, folder: Path, certified: Path, config: str = "") -> None:
        self.folder = folder
        self.ca = certified / "ca.crt"
        self.port = free_port()
        self._passwords = passwords = folder / "passwords"
        self._write_accounts(PASSWORDS)
        (folder / "access").write_text(ACCESS)
        self.password_file = folder / "mqtt.password"
        self.password_file.write_text(PASSWORDS["feltwire"] + "\n")
        self.password_file.chmod(0o600)
        self._database = folder / "mosquitto.db"
        self._file = folder / "mosquitto.conf"
        self._file.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\n"
            f"acl_file {folder}/access\ncertfile {certified}/server.crt\nkeyfile {certified}/server.key\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 1800\nuser {getpass.getuser()}\n"
            f"log_dest file {folder}/log\n{config}"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def keys(self, **others: Any) -> MqttKeys:
        """The file of a bridge to it."""
        given: dict[str, Any] = {
            "broker": f"mqtts://127.0.0.1:{self.port}",
            "user": "feltwire",
            "password_file": str(self.password_file),
            "ca": str(self.ca),
        }
        return MqttKeys(**given | others)

    def start(self) -> None:
        """Starts it, or starts it again."""
        self._process = subprocess.Popen(
            [PROGRAM, "-c", self._file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        pause = Event()
        for _ in range(round(HANG_S / _POLL_S)):
            assert self._process.poll() is None, f"mosquitto has ended: {(self.folder / 'log').read_text()}"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            pause.wait(_POLL_S)
        raise AssertionError("mosquitto does not start")

    def allow(self, access: str) -> None:
        """Gives it another access list, which holds for those who are connected, too."""
        assert self._process is not None
        (self.folder / "access").write_text(access)
        self._process.send_signal(signal.SIGHUP)

    def admit(self, accounts: Mapping[str, str]) -> None:
        """Gives it other accounts; those that are not there any more are disconnected."""
        assert self._process is not None
        self._write_accounts(accounts)
        self._process.send_signal(signal.SIGHUP)

    def _write_accounts(self, accounts: Mapping[str, str]) -> None:
        written = self._passwords.with_suffix(".new")
        written.write_text("".join(f"{user}:{password}\n" for user, password in accounts.items()))
        written.chmod(0o600)
        subprocess.run(["mosquitto_passwd", "-U", written], check=True)
        written.replace(self._passwords)

    def store(self) -> None:
        """Has it write what it retains to its disk."""
        assert self._process is not None
        before = self._database.stat().st_mtime_ns if self._database.exists() else 0
        self._process.send_signal(signal.SIGUSR1)
        pause = Event()
        while not self._database.exists() or self._database.stat().st_mtime_ns == before:
            pause.wait(_POLL_S)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @asynccontextmanager
    async def client(self, user: str = "reader", **options: Any) -> AsyncIterator[aiomqtt.Client]:
        """A connection of an account."""
        async with aiomqtt.Client(
            "127.0.0.1",
            self.port,
            username=user,
            password=PASSWORDS[user],
            protocol=aiomqtt.ProtocolVersion.V5,
            tls_context=ssl.create_default_context(cafile=str(self.ca)),
            **options,
        ) as connected:
            yield connected


class Reader:
    """What a subscriber that came late, or that stays, knows of the broker's topics."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self._client = client
        self.held: dict[str, Any] = {}
        """By topic, the last payload: JSON, or a text."""
        self.received: list[tuple[str, Any]] = []

    async def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Receives until the topics are as wanted, and returns them."""
        while not wanted(self.held):
            await self.take()
        return self.held

    async def publish(self, topic: str, payload: bytes) -> None:
        """Publishes what is not retained."""
        await self._client.publish(topic, payload, qos=1)

    async def take(self) -> None:
        """Receives one message."""
        message = await anext(aiter(self._client.messages))
        payload = bytes(message.payload or b"")
        try:
            value = json.loads(payload)
        except ValueError:
            value = payload.decode()
        self.held[message.topic.value] = value
        self.received.append((message.topic.value, value))


@contextmanager
def broker(config: str = "") -> Iterator[Broker]:
    """A broker that runs as long as the block."""
    folder = Path(tempfile.mkdtemp(prefix="fwm-"))
    with certificates() as certified:
        made = Broker(folder, certified, config)
        try:
            made.start()
            yield made
        finally:
            made.kill()
            shutil.rmtree(folder, ignore_errors=True)
