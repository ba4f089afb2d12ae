"""Who sends a command: the owner of the key, or whoever may open the socket on this computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

import zmq

from feed.allow_list import WITH_CLASS, AllowList, Role, Sender

LOCAL: Final = "@local"
"""Whose ids local senders' ids are: no key can be called so."""
UNNAMED: Final = "local"
USER_ID: Final = "User-Id"


class AuthenticatedSender(NamedTuple):
    """Somebody who may send, before it is known what they call themselves."""

    sender: Sender
    scope: str

    def named(self, by: str) -> tuple[Sender, str]:
        """Who sends, and whose ids theirs are. A name is heard over `ipc://` only: a key has its own."""
        if self.scope == LOCAL and by:
            return self.sender._replace(name=by), self.scope
        return self.sender, self.scope


class SenderResolver(Protocol):
    """Tells who sent a frame."""

    def of(self, frame: zmq.Frame) -> AuthenticatedSender | str:
        """Its owner, or why there is none."""


class LocalSenderResolver:
    """Everybody on `ipc://` has one role: the permissions of the socket's folder decide who that is."""

    def __init__(self, role: Role) -> None:
        self._owner = AuthenticatedSender(Sender(UNNAMED, role, "A" if role in WITH_CLASS else None), LOCAL)

    def of(self, frame: zmq.Frame) -> AuthenticatedSender | str:
        """The same for all."""
        return self._owner


class KeySenderResolver:
    """Over the network the key says who it is and what they may do, as the allow-list has it now."""

    def __init__(self, allowed: Callable[[], AllowList]) -> None:
        self._allowed = allowed

    def of(self, frame: zmq.Frame) -> AuthenticatedSender | str:
        """The owner of the key that CURVE proved; a key that is revoked meanwhile has none."""
        try:
            user_id = frame.get(USER_ID)
        except zmq.ZMQError:
            return "the connection proves no key"
        sender = self._allowed().sender(user_id if isinstance(user_id, bytes | str) else b"")
        return "the key is not allowed, or not any more" if sender is None else AuthenticatedSender(sender, sender.name)
