"""Attacks that were published of other equipment, run against the parts of ours that no other test attacks so."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import zmq
from nacl.signing import SigningKey

from audit.seals import Seal
from audit.signing import create
from controller.boards.detached_signature import signed_by_any
from controller.boards.identity import facts
from controller.certification.certificate import Certificate, device_differences
from controller.packages.files import PACKAGES
from controller.service.salt_files import salts_of
from feed.endpoints import Endpoints
from feed.keys import new_pair
from hal.board.messages import KINDS
from tests.fakes.feed_server import Client, Keys, ListHistory, ask, feed_server
from tests.fakes.model_board import ModelBoard
from tests.fakes.time_limits import HANG_S

ROOT: Final = Path(__file__).resolve().parents[2]
SHIPPED: Final = (*PACKAGES, "systemd", "examples")
SECRET: Final = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|secret-key *= *\"")
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


def test_nothing_that_is_plugged_in_starts_more_than_the_permission_for_a_tables_own_devices() -> None:
    # CVE-2025-34500: what is put into the port below the table is run.
    rules = (ROOT / "systemd/60-feltwire.rules").read_text(encoding="utf-8")
    started = re.findall(r'(?:RUN|PROGRAM|IMPORT|SYSTEMD_WANTS)[^=]*=+"([^"]*)"', rules)
    assert set(started) == {"feltwire-devices@gpio.service", "feltwire-devices@%k.service"}
    unit = (ROOT / "systemd/feltwire-devices@.service").read_text(encoding="utf-8")
    (command,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert "devices" in command
    assert "%" not in command.replace("%%", ""), "nothing of what was plugged in is an argument"


def test_a_board_that_reports_the_hash_of_the_right_image_is_taken_at_its_word() -> None:
    # A limit, as the page states it: the liar is a program in Python, and reports the hash of a certified image.
    certified, another = (sha256(text).digest() for text in (b"the certified image", b"another image"))
    certificate = Certificate("pusher-1", "ann", "", {}, {}, {}, reported(certified))
    assert device_differences(certificate, reported(certified)) == []
    (difference,) = device_differences(certificate, reported(another))
    assert "hash was" in difference


def reported(image: bytes) -> dict[str, dict[str, str]]:
    """What a board answers that reports this hash."""
    liar = ModelBoard(KINDS["pusher"], build=int.from_bytes(image[:4], "big"), image=image[4:])
    return {"board.pusher": facts("board.pusher", "pusher", liar.identity)}


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
