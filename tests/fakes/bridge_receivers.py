"""Receivers of bridges as processes of their own, which can be killed: each keeps what it saw in a file, once."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import aiomqtt

from examples.webhook_receiver import verify
from hal.clock import NS_PER_S, SystemClock
from hal.loop import sleep_ns

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])
_AGAIN_NS = 50_000_000


class ReceivedFile:
    """What was received, by `id`: a line each, on the disk before anything is answered."""

    def __init__(self, path: Path) -> None:
        """Continues a file, without a line that a kill cut off."""
        whole = path.read_bytes().rpartition(b"\n")[:2] if path.exists() else (b"", b"")
        content = b"".join(whole)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.ftruncate(self._file, len(content))
        self.seen = {json.loads(line)["id"] for line in content.splitlines()}

    def add(self, body: bytes) -> None:
        """Keeps a JSON object, unless its `id` was seen."""
        name = json.loads(body)["id"]
        if name not in self.seen:
            os.write(self._file, body + b"\n")
            self.seen.add(name)


def received(path: Path) -> list[bytes]:
    """The lines of a file, as far as they are whole."""
    return path.read_bytes().rpartition(b"\n")[0].splitlines() if path.exists() else []


class ReceiverProcess:
    """A receiver that runs."""

    def __init__(self, work: Callable[..., None], *arguments: object) -> None:
        self._process = _CONTEXT.Process(target=work, args=arguments, daemon=True)
        self._process.start()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.join()


def receive_webhooks(port: int, secret: str, path: Path) -> None:
    """A web server that verifies and keeps events."""
    kept = ReceivedFile(path)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            sent = {name.lower(): one for name, one in self.headers.items()}
            verify(secret, sent, body, SystemClock().wall_time_ns() / NS_PER_S)
            kept.add(body)
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Logs nothing."""

    class Server(HTTPServer):
        allow_reuse_address = True

    Server(("127.0.0.1", port), Handler).serve_forever()


def receive_rounds(port: int, ca: str, user: str, password: str, path: Path) -> None:
    """A subscriber of a broker that keeps rounds."""
    asyncio.run(_receive_rounds(port, ca, user, password, path))


async def _receive_rounds(port: int, ca: str, user: str, password: str, path: Path) -> None:
    kept = ReceivedFile(path)
    while True:
        try:
            async with aiomqtt.Client(
                "127.0.0.1",
                port,
                username=user,
                password=password,
                protocol=aiomqtt.ProtocolVersion.V5,
                tls_params=aiomqtt.TLSParameters(ca_certs=ca),
            ) as client:
                await client.subscribe("feltwire/+/state", qos=1)
                async for message in client.messages:
                    for one in json.loads(bytes(message.payload))["rounds"]:
                        kept.add(json.dumps(one, sort_keys=True).encode())
        except aiomqtt.MqttError:
            await sleep_ns(_AGAIN_NS)
