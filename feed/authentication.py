"""Checks the keys of clients: the ZAP handler (RFC 27) of a context, on the asyncio loop.

libzmq sends it a request over `inproc://zeromq.zap.01` for each handshake; a context has one handler for all its
sockets. Sockets require its reply (`ServerCurve`): while it does not run, every client is refused.

A refused client gets no message; the log names it:

    10.0.0.7: unknown key Yne@$w-v…
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import zmq
from zmq.utils import z85

from feed.allow_list import AllowList, stamp_of
from feed.keys import DOMAIN
from feed.monitor import RefusalLog
from feed.secret_file import NoDescriptorsError

log = logging.getLogger(__name__)

ZAP_ENDPOINT = "inproc://zeromq.zap.01"
_VERSION = b"1.0"
_FRAMES = 6
"""Version, request id, domain, address, routing id, mechanism; then the credentials."""
_KEY_BYTES = 32
_REFUSED = b"300"
"""ZAP's temporary failure: the connection is ended, at the latest when its handshake times out, and the client tries
again, so that it connects once its key is allowed. After 400 a client of libzmq 4.3.5 never tries again: its program
would have to be restarted."""


class ZapReply(NamedTuple):
    """The reply to a ZAP request, and the line for the log."""

    frames: list[bytes]
    refusal: str | None
    """Who is refused and why; None if the client is allowed."""


class AuthenticationError(Exception):
    """The keys of a context cannot be checked; the message states why."""


def zap_reply(request: Sequence[bytes], keys: AllowList, domain: bytes = DOMAIN) -> ZapReply | None:
    """The reply to a ZAP request; None for one without a request id, which cannot be answered.

    An allowed client has its key, in Z85, as User-Id on every frame that it sends.
    """
    if len(request) < 2:
        return None
    request_id = request[1]
    if len(request) < _FRAMES or request[0] != _VERSION:
        return _no(request_id, "a request that is not ZAP 1.0")
    address = request[3].decode("ascii", "replace") or "an unknown address"
    if request[2] != domain:
        return _no(request_id, f"{address}: it asks for the domain {request[2]!r}, which is not ours")
    if request[5] != b"CURVE":
        mechanism = request[5].decode("ascii", "replace")
        return _no(request_id, f"{address}: no key: it speaks {mechanism}, not CURVE")
    credentials = request[_FRAMES:]
    if len(credentials) != 1 or len(credentials[0]) != _KEY_BYTES:
        return _no(request_id, f"{address}: its key has the wrong form")
    key = z85.encode(credentials[0]).decode()
    why_not = keys.why_not(key)
    if why_not is not None:
        return _no(request_id, f"{address}: {why_not}")
    return ZapReply([_VERSION, request_id, b"200", b"OK", key.encode(), b""], None)


def _no(request_id: bytes, refusal: str) -> ZapReply:
    return ZapReply([_VERSION, request_id, _REFUSED, b"refused", b"", b""], refusal)


class Authenticator:
    """Allows clients whose key is in the folder of allowed keys, and no others."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], folder: Path) -> None:
        """Reads the folder.

        Raises:
            AuthenticationError: this process has no file descriptors left to read it with.
        """
        self._context = context
        self._folder = folder
        self._drops: list[Callable[[], None]] = []
        self._refusals = RefusalLog(log)
        self._socket: zmq.Socket[bytes] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stuck = False
        """Whether the list could not be read, for lack of descriptors, when it was tried last."""
        try:
            self._stamp = stamp_of(folder)
            self._keys = AllowList.load(folder)
        except NoDescriptorsError as error:
            raise AuthenticationError(
                f"{folder}: the allowed keys cannot be read: {error}; raise LimitNOFILE"
            ) from error
        self._log_problems()

    @property
    def keys(self) -> AllowList:
        """The allow-list as it was last read."""
        return self._keys

    @property
    def refused(self) -> int:
        """How many handshakes were refused."""
        return self._refusals.total

    def on_revoked(self, drop: Callable[[], None]) -> None:
        """Has `drop` called when a key is no longer allowed, to end the connections of one socket."""
        self._drops.append(drop)

    def start(self) -> None:
        """Replies from now on. Must be called on the loop, before sockets of the context bind.

        Raises:
            AuthenticationError: the context has a handler already.
        """
        self._loop = asyncio.get_running_loop()
        handler = self._context.socket(zmq.ROUTER)
        handler.linger = 0
        try:
            handler.bind(ZAP_ENDPOINT)
        except zmq.ZMQError as error:
            handler.close()
            raise AuthenticationError(
                f"keys cannot be checked: the context has a ZAP handler already ({error})"
            ) from error
        self._socket = handler
        self._loop.add_reader(handler.fileno(), self._answer)
        self._answer()

    def stop(self) -> None:
        """Refuses every new client. Connections that exist stay."""
        if self._socket is not None and self._loop is not None:
            self._loop.remove_reader(self._socket.fileno())
            self._socket.close(linger=0)
        self._socket = None

    def reload_if_changed(self) -> bool:
        """Reads the folder again if a file of it was changed; returns whether it did.

        Where this process has no descriptors left, the list that was read last stays in force, and the next call tries
        again: a stranger who uses them up must not shut out those who are allowed.
        """
        try:
            changed = self._reload_if_changed()
        except NoDescriptorsError as error:
            if not self._stuck:
                log.error("%s: cannot be read now (%s): the keys allowed so far stay allowed", self._folder, error)
            self._stuck = True
            return False
        if self._stuck:
            log.info("%s: can be read again", self._folder)
        self._stuck = False
        return changed

    def _reload_if_changed(self) -> bool:
        stamp = stamp_of(self._folder)
        # A folder that cannot be read may have changed: it is reloaded as long as a key is allowed.
        if stamp == self._stamp and (stamp is not None or not self._keys.keys):
            return False
        self.reload()
        return True

    def reload(self) -> None:
        """Reads the folder again. Connections of keys that are no longer allowed are ended.

        Raises:
            NoDescriptorsError: it cannot be read for lack of descriptors, and nothing is changed.
        """
        before = self._keys
        # Taken first: a change between the two is detected next time.
        stamp = stamp_of(self._folder)
        self._keys = AllowList.load(self._folder)
        self._stamp = stamp
        self._refusals.reset()
        self._log_problems()
        gone = before.keys - self._keys.keys
        come = self._keys.keys - before.keys
        for key in sorted(gone):
            log.info("%s: no longer allowed", _owner(before, key))
        for key in sorted(come):
            log.info("%s: allowed as %s", _owner(self._keys, key), _role(self._keys, key))
        for key in sorted(before.keys & self._keys.keys):
            if before.sender(key) != self._keys.sender(key):
                was = f"{_owner(before, key)}, {_role(before, key)}"
                log.info("%s: is %s from now on, and was %s", _owner(self._keys, key), _role(self._keys, key), was)
        if gone:
            for drop in self._drops:
                drop()

    def _answer(self) -> None:
        """Replies to all requests received: libzmq wakes the loop once for them."""
        while self._socket is not None:
            try:
                frames = self._socket.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                return
            # The sockets of the context use REQ: a routing id and an empty frame precede the request.
            envelope, request = frames[:2], frames[2:]
            reply = zap_reply(request, self._keys)
            if reply is None:
                log.error("a ZAP request without an id, of %d frames", len(request))
                continue
            if reply.refusal is not None:
                self._refusals.log(reply.refusal)
            try:
                self._socket.send_multipart([*envelope, *reply.frames], zmq.DONTWAIT)
            except zmq.ZMQError as error:
                # Without a reply the client is refused.
                log.error("a handshake could not be answered: %s", error.strerror)

    def _log_problems(self) -> None:
        for problem in self._keys.problems:
            log.error("%s", problem)


def _owner(keys: AllowList, key: str) -> str:
    sender = keys.sender(key)
    return "?" if sender is None else sender.name


def _role(keys: AllowList, key: str) -> str:
    sender = keys.sender(key)
    if sender is None:
        return "?"
    return sender.role + (f" of class {sender.operator_class}" if sender.operator_class else "")
