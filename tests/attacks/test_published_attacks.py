"""Attacks that were published of other equipment, run against the parts of ours that no other test attacks so."""

from __future__ import annotations

import ast
import re
import socket
import threading
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
import zmq
from nacl.signing import SigningKey

from audit.seals import Seal
from audit.signing import create
from controller.boards.detached_signature import signed_by_any
from controller.boards.firmware_image import RELEASE_KEYS
from controller.packages.files import PACKAGES
from controller.service.salt_files import salts_of
from feed.endpoints import Endpoints
from feed.keys import new_pair
from tests.fakes.feed_server import Client, Keys, ListHistory, ask, feed_server
from tests.fakes.time_limits import HANG_S

ROOT: Final = Path(__file__).resolve().parents[2]
SHIPPED: Final = (*PACKAGES, "systemd", "examples")
SECRET: Final = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|secret-key *= *\"")
KEY_TEXT: Final = re.compile(r"(?<![0-9A-Za-z+/])(?:[0-9A-Fa-f]{32,}|[0-9A-Za-z+/]{43}=)(?![0-9A-Za-z+/])")
"""What may be a key in a string: 16 bytes or more in hexadecimal digits, 32 in base64."""
SHORTEST_KEY: Final = 16
KEY_BYTES: Final = re.compile(r"""\b[bB][rR]?["'].{16}""", re.DOTALL)
"""How a constant of so many bytes begins in a source, which is not parsed where it has none."""
NAMED_KEY: Final = re.compile("key|secret|password", re.IGNORECASE)
PUBLIC: Final = frozenset(key.hex() for key in RELEASE_KEYS)
"""The constants of our sources that look like keys, and are public."""
KEY: Final = SigningKey(bytes(range(32)))
DOMAIN: Final = b"feltwire seal\0"


def test_no_part_of_a_signature_is_taken_for_it() -> None:
    # CVE-2025-34500: what authenticates an update is compared by its first bytes alone.
    content = b'{"n":1,"heads":{}}'
    signature = bytes(KEY.sign(DOMAIN + content).signature)
    public = bytes(KEY.verify_key)
    seal_hash = sha256(DOMAIN + content).digest()
    forged = [signature[:length] for length in range(len(signature))]
    forged += [piece.ljust(64, b"\0") for piece in forged] + [signature + b"\0", signature * 2]
    assert signed_by_any(DOMAIN, content, signature, [public])
    assert Seal(1, 0, content, public, signature, seal_hash).is_genuine
    for other in forged:
        assert not signed_by_any(DOMAIN, content, other, [public]), len(other)
        assert not Seal(1, 0, content, public, other, seal_hash).is_genuine, len(other)
    for length in range(32):
        assert not signed_by_any(DOMAIN, content, signature, [public[:length]]), length


class AtOnce:
    """Runs what it is given at once."""

    def submit(self, run, *given):  # type: ignore[no-untyped-def]
        run(*given)


def test_no_two_installations_have_a_key_in_common_and_no_package_brings_one(tmp_path: Path) -> None:
    # CVE-2025-34500: one key in every machine opens all of them.
    made: list[bytes] = []
    for venue in ("a", "b"):
        folder = tmp_path / venue
        made.append(bytes(create(folder / "signing.key")))
        salts = salts_of(folder / "salts", "baccarat-1", AtOnce())  # type: ignore[arg-type]
        made += [(folder / "salts" / "baccarat-1").read_bytes(), salts.new().salt, new_pair(venue).public.encode()]
    assert len(set(made)) == len(made)
    for package in SHIPPED:
        for path in (ROOT / package).rglob("*"):
            assert path.suffix != ".secret", path
            assert path.name != "signing.key", path
            if path.suffix in (".py", ".toml", ".json", ".md", ".service", ".conf", ".sh"):
                assert SECRET.search(path.read_bytes()) is None, path
            if path.suffix == ".py":
                assert keys_in(path.read_text(encoding="utf-8")) == [], path


def keys_in(source: str) -> list[str | bytes]:
    """The constants of a program in Python that may be secret keys."""
    if not (KEY_TEXT.search(source) or KEY_BYTES.search(source)):
        return []
    nodes = list(ast.walk(ast.parse(source)))
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    found: list[str | bytes] = [key for text in texts for key in KEY_TEXT.findall(text) if key not in PUBLIC]
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Call) and NAMED_KEY.search(_named(node)):
            inside = node.args if isinstance(node, ast.Call) else [node.value]
            constants = [one.value for one in inside if isinstance(one, ast.Constant)]
            found += [one for one in constants if isinstance(one, bytes) and len(one) >= SHORTEST_KEY]
    return found


def _named(node: ast.Assign | ast.AnnAssign | ast.Call) -> str:
    """What is assigned to, or called."""
    if isinstance(node, ast.Assign):
        return " ".join(ast.unparse(target) for target in node.targets)
    return ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.func)


@pytest.mark.parametrize(
    "source",
    [
        f'key = SigningKey(bytes.fromhex("{bytes(KEY).hex()}"))',
        'AES_KEY = b"0123456789abcdef"',
        'signed = SigningKey(b"0123456789abcdef0123456789abcdef")',
        f'hmac.new(b64decode("{b64encode(bytes(KEY)).decode()}"), data, "sha256")',
    ],
)
def test_a_key_in_a_source_is_found(source: str) -> None:
    assert len(keys_in(source)) == 1


def test_nothing_that_is_plugged_in_starts_more_than_the_permission_for_a_tables_own_devices() -> None:
    # CVE-2025-34500: what is put into the port below the table is run.
    rules = (ROOT / "systemd/60-feltwire.rules").read_text(encoding="utf-8")
    started = re.findall(r'(?:RUN|PROGRAM|IMPORT|SYSTEMD_WANTS)[^=]*=+"([^"]*)"', rules)
    assert set(started) == {"feltwire-devices@gpio.service", "feltwire-devices@%k.service"}
    unit = (ROOT / "systemd/feltwire-devices@.service").read_text(encoding="utf-8")
    (command,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert "devices" in command
    assert "%" not in command.replace("%%", ""), "nothing of what was plugged in is an argument"


class RecordingProxy:
    """Passes one connection on, and records what the client sends."""

    def __init__(self, target: int) -> None:
        self.recorded = b""
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with (
            self._listening,
            self._listening.accept()[0] as client,
            socket.create_connection(("127.0.0.1", self._target)) as server,
        ):
            back = threading.Thread(target=self._pass, args=(server, client), daemon=True)
            back.start()
            self._pass(client, server, record=True)
            back.join(HANG_S)

    def _pass(self, source: socket.socket, sink: socket.socket, *, record: bool = False) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if record:
                    self.recorded += data
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)

    def wait(self) -> None:
        """Waits until the client has gone."""
        self._thread.join(HANG_S)


def test_the_recorded_bytes_of_an_allowed_connection_do_nothing_when_they_are_sent_again(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    curve = keys.client("ann", "dealer")
    with feed_server(Endpoints.parse("tcp://127.0.0.1:*"), ListHistory(wheel=3), keys) as server:
        port = int(server.endpoints.history.rpartition(":")[2])
        proxy = RecordingProxy(port)
        with Client() as client:
            asker = client.connect(zmq.DEALER, f"tcp://127.0.0.1:{proxy.port}", curve)
            assert ask(asker, b"1", b"tables")[0][1] == b"tables"
        proxy.wait()
        assert server.source.asked == [("tables",)]
        with socket.create_connection(("127.0.0.1", port)) as thief:
            thief.settimeout(HANG_S)
            thief.sendall(proxy.recorded)
            with suppress(ConnectionError):
                while thief.recv(65536):
                    pass
        # The server ended the connection: it had a greeting, and a cookie of another one.
        assert server.source.asked == [("tables",)]
