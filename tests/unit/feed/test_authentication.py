"""The replies to ZAP requests, and the log of refused connections."""

from __future__ import annotations

import errno
import fcntl
import logging
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import zmq
from zmq.utils import z85

from feed.allow_list import Allowed, AllowList, allow, revoke
from feed.authentication import AuthenticationError, Authenticator, zap_reply
from feed.keys import new_pair
from feed.monitor import Connections, MonitorEvent, RefusalLog, cause_of, peer_of, read_event
from tests.fakes.descriptors import no_descriptors

PAIR = new_pair("board-1")
LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'rb+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
"""A program that locks a file, unless another process has."""


@pytest.fixture
def keys(tmp_path: Path) -> AllowList:
    allow(tmp_path, Allowed(name="board-1", public=PAIR.public, role="read-only"))
    tmp_path.chmod(0o700)
    return AllowList.load(tmp_path)


def request(
    *credentials: bytes, version: bytes = b"1.0", domain: bytes = b"feltwire", mechanism: bytes = b"CURVE"
) -> list[bytes]:
    return [version, b"7", domain, b"10.0.0.7", b"", mechanism, *credentials]


def test_the_user_id_of_an_allowed_client_is_its_key(keys: AllowList) -> None:
    reply = zap_reply(request(z85.decode(PAIR.public)), keys)
    assert reply is not None
    assert reply.frames == [b"1.0", b"7", b"200", b"OK", PAIR.public.encode(), b""]
    assert reply.refusal is None


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (request(bytes(32)), "10.0.0.7: unknown key 00000000…"),
        (request(bytes(31)), "10.0.0.7: its key has the wrong form"),
        (request(), "10.0.0.7: its key has the wrong form"),
        (request(bytes(32), bytes(32)), "10.0.0.7: its key has the wrong form"),
        (request(bytes(32), domain=b"other"), "10.0.0.7: it asks for the domain b'other', which is not ours"),
        (request(bytes(32), domain=b""), "10.0.0.7: it asks for the domain b'', which is not ours"),
        (request(mechanism=b"NULL"), "10.0.0.7: no key: it speaks NULL, not CURVE"),
        (request(b"me", b"secret", mechanism=b"PLAIN"), "10.0.0.7: no key: it speaks PLAIN, not CURVE"),
        (request(bytes(32), version=b"2.0"), "a request that is not ZAP 1.0"),
        ([b"1.0", b"7", b"feltwire"], "a request that is not ZAP 1.0"),
    ],
)
def test_any_other_request_is_refused_with_a_reason(keys: AllowList, asked: list[bytes], why: str) -> None:
    reply = zap_reply(asked, keys)
    assert reply is not None
    assert reply.refusal == why
    assert reply.frames[:3] == [b"1.0", b"7", b"300"]
    assert reply.frames[4] == b""


def test_a_request_without_an_id_has_no_reply(keys: AllowList) -> None:
    assert zap_reply([], keys) is None
    assert zap_reply([b"1.0"], keys) is None


def test_equal_refusals_are_logged_at_powers_of_ten(caplog: pytest.LogCaptureFixture) -> None:
    refusals = RefusalLog(logging.getLogger("feed"))
    for _ in range(1234):
        refusals.log("10.0.0.7: unknown key")
    refusals.log("10.0.0.8: unknown key")
    assert [record.getMessage() for record in caplog.records] == [
        "10.0.0.7: unknown key",
        "10.0.0.7: unknown key (10 times by now)",
        "10.0.0.7: unknown key (100 times by now)",
        "10.0.0.7: unknown key (1000 times by now)",
        "10.0.0.8: unknown key",
    ]
    assert refusals.total == 1235


def test_the_number_of_different_refusals_counted_is_bounded() -> None:
    log = logging.Logger("quiet", logging.CRITICAL)
    refusals = RefusalLog(log)
    for k in range(5000):
        refusals.log(f"10.0.0.7: unknown key {k}")
    assert len(refusals._counts) == 1000


def test_a_failed_handshake_is_reported_with_the_address_of_the_connection_that_ends_next() -> None:
    told: list[str] = []
    connections = Connections(told.append, peer=lambda descriptor: f"10.0.0.{descriptor}")
    crypto = int(zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC)
    for event in (
        MonitorEvent(zmq.Event.ACCEPTED, 7),
        MonitorEvent(zmq.Event.ACCEPTED, 8),
        MonitorEvent(zmq.Event.HANDSHAKE_FAILED_PROTOCOL, crypto),
        MonitorEvent(zmq.Event.DISCONNECTED, 7),
    ):
        connections.handle(event)
    assert told == ["10.0.0.7: wrong server key: it means another server, or this one has a new key"]
    assert connections.open == 1
    connections.handle(MonitorEvent(zmq.Event.DISCONNECTED, 8))
    assert (connections.open, len(told)) == (0, 1)


def test_closing_the_listener_ends_all_its_connections() -> None:
    connections = Connections(lambda what: None, peer=str)
    connections.handle(MonitorEvent(zmq.Event.ACCEPTED, 7))
    connections.handle(MonitorEvent(zmq.Event.CLOSED, 5))
    assert connections.open == 0


@pytest.mark.parametrize(
    ("event", "value", "words"),
    [
        (zmq.Event.HANDSHAKE_FAILED_PROTOCOL, int(zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), "no key: it speaks"),
        (zmq.Event.HANDSHAKE_FAILED_PROTOCOL, 0x10000001, "it does not speak ZMTP as it should (cause 0x10000001)"),
        (zmq.Event.HANDSHAKE_FAILED_NO_DETAIL, errno.EFAULT, "the authenticator does not run"),
        (zmq.Event.HANDSHAKE_FAILED_NO_DETAIL, errno.EPIPE, "it hung up before it had shown a key"),
        (zmq.Event.HANDSHAKE_FAILED_NO_DETAIL, errno.ECONNRESET, "it hung up before it had shown a key"),
        (zmq.Event.HANDSHAKE_FAILED_NO_DETAIL, errno.EPROTO, "the handshake failed: Protocol error"),
    ],
)
def test_causes_are_named(event: zmq.Event, value: int, words: str) -> None:
    assert words in cause_of(MonitorEvent(event, value))


def test_without_keys_a_client_is_not_reported_as_lacking_one() -> None:
    told: list[str] = []
    connections = Connections(told.append, peer=lambda descriptor: "this computer", keyed=False)
    mismatch = int(zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    for event, value in (
        (zmq.Event.HANDSHAKE_FAILED_NO_DETAIL, errno.EPIPE),
        (zmq.Event.HANDSHAKE_FAILED_NO_DETAIL, errno.ECONNRESET),
        (zmq.Event.HANDSHAKE_FAILED_PROTOCOL, mismatch),
    ):
        connections.handle(MonitorEvent(zmq.Event.ACCEPTED, 7))
        connections.handle(MonitorEvent(event, value))
        connections.handle(MonitorEvent(zmq.Event.DISCONNECTED, 7))
    assert told == ["this computer: it sends a key, and this address takes none"]


def test_a_refusal_logged_by_the_authenticator_is_not_logged_twice() -> None:
    assert cause_of(MonitorEvent(zmq.Event.HANDSHAKE_FAILED_AUTH, 400)) == ""


def test_a_monitors_message_is_an_event_and_a_value() -> None:
    assert read_event([b"\x20\x00\x0c\x00\x00\x00", b"tcp://x"]) == (zmq.Event.ACCEPTED, 12)


def test_a_closed_descriptor_has_no_address() -> None:
    assert peer_of(1 << 20) == "an address that was gone at once"


def descriptors() -> int:
    """How many are open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_reading_the_address_of_a_descriptor_closes_neither_it_nor_a_copy(tmp_path: Path) -> None:
    # It may be another file's by now, and closing any copy of a descriptor drops the locks that the process has on it.
    path = tmp_path / "journal"
    here, there = socket.socketpair()
    with path.open("wb") as file, here, there:
        fcntl.lockf(file, fcntl.LOCK_EX)
        before = descriptors()
        assert peer_of(file.fileno()) == "an address that was gone at once"
        assert peer_of(here.fileno()) == "this computer"
        assert descriptors() == before
        tried = subprocess.run([sys.executable, "-c", LOCK, path], capture_output=True, check=False)
        assert b"BlockingIOError" in tried.stderr
        there.send(b"x")
        assert here.recv(1) == b"x"


def test_a_folder_that_becomes_unreadable_refuses_every_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "allowed"
    allow(folder, Allowed(name="board-1", public=new_pair("a").public, role="read-only"))
    monkeypatch.setattr("feed.authentication.stamp_of", lambda folder: None)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    authenticator = Authenticator(context, folder)
    assert len(authenticator.keys.keys) == 1
    revoke(folder, "board-1")
    assert authenticator.reload_if_changed()
    assert authenticator.keys.keys == frozenset()
    assert not authenticator.reload_if_changed()
    context.term()


def test_without_descriptors_the_keys_allowed_so_far_stay_allowed_and_the_next_call_reads_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "allowed"
    allow(folder, Allowed(name="board-1", public=PAIR.public, role="read-only"))
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    authenticator = Authenticator(context, folder)
    dropped: list[str] = []
    authenticator.on_revoked(lambda: dropped.append("all"))
    with no_descriptors():
        assert not authenticator.reload_if_changed()
        assert not authenticator.reload_if_changed()
        assert authenticator.keys.keys == {PAIR.public}
    assert caplog.messages == [
        f"{folder}: cannot be read now (Too many open files): the keys allowed so far stay allowed"
    ]
    revoke(folder, "board-1")
    assert authenticator.reload_if_changed(), "what changed meanwhile is not forgotten"
    assert authenticator.keys.keys == frozenset()
    assert dropped == ["all"]
    context.term()


def test_a_service_that_begins_without_descriptors_says_so(tmp_path: Path) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    with no_descriptors(), pytest.raises(AuthenticationError, match="Too many open files"):
        Authenticator(context, tmp_path)
    context.term()


def test_a_changed_role_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "feed.authentication")
    folder = tmp_path / "allowed"
    entry = Allowed(name="kim", public=PAIR.public, role="supervisor", operator_class="A")
    allow(folder, entry)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    authenticator = Authenticator(context, folder)
    allow(folder, Allowed(name="kim", public=PAIR.public, role="read-only"), overwrite=True)
    assert authenticator.reload_if_changed()
    assert caplog.messages == ["kim: is read-only from now on, and was kim, supervisor of class A"]
    context.term()
