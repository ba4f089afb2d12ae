"""The service's sockets, bound together and closed together: feed, history, commands, and authentication."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import zmq

from controller.service.command_handler import CommandHandler
from controller.service.command_server import CommandServer, KeySenderResolver, LocalSenderResolver, SenderResolver
from controller.service.counters import ServiceCounters
from controller.service.opening import StartupCheckError
from feed.allow_list import KeyOwner, Role
from feed.authentication import AuthenticationError, Authenticator
from feed.endpoints import EndpointError, Endpoints
from feed.history_server import History, HistoryServer
from feed.keys import SECRET_SUFFIX, SERVER, BadKeyError, ServerCurve, read_pair
from feed.publisher import Publisher
from feed.server_socket import ServerSocket
from hal.clock import Clock
from hal.loop import sleep_ns

ALLOWED: Final = "allowed"
LINGER_NS: Final = 200_000_000
"""How long the last events and answers have to be sent (ours)."""


class Sockets:
    """All sockets of the service."""

    def __init__(self, endpoints: Endpoints, keys: Path | None, local_role: Role) -> None:
        """Reads the keys.

        Raises:
            StartupCheckError: it is `tcp://` without keys, or they cannot be used.
        """
        self._endpoints = endpoints
        self._curve = None if endpoints.is_local else _server_key(endpoints, keys)
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        try:
            self._authenticator = (
                None if keys is None or endpoints.is_local else Authenticator(self.context, keys / ALLOWED)
            )
        except AuthenticationError as error:
            raise StartupCheckError(str(error)) from error
        self._senders: SenderResolver = LocalSenderResolver(local_role)
        self._owner: Callable[[str], KeyOwner | None] = _nobody
        if self._authenticator is not None:
            allowed = self._authenticator
            self._senders = KeySenderResolver(lambda: allowed.keys)
            # Read each time: the list changes while the service runs.
            self._owner = lambda user_id: allowed.keys.sender(user_id)
        self._serving: asyncio.Task[None] | None = None
        self._history: HistoryServer | None = None
        self.commands: CommandServer | None = None
        self.publisher = Publisher(self.context, endpoints, self._curve, sender=self._owner)

    def prepare(
        self, history: History, handler: CommandHandler, clock: Clock, counters: ServiceCounters, schema: bytes
    ) -> None:
        """Makes the history and command sockets."""
        self._history = HistoryServer(
            self.context, self._endpoints, history, self._curve, sender=self._owner, schema=schema
        )
        self.commands = CommandServer(
            self.context, self._endpoints.commands, self._curve, self._senders, handler, clock, counters
        )
        if self._authenticator is not None:
            for socket in self._sockets():
                self._authenticator.on_revoked(socket.drop_connections)

    def bind(self) -> None:
        """Binds all sockets.

        Raises:
            StartupCheckError: an address cannot be bound.
        """
        if self._history is None or self.commands is None:
            raise StartupCheckError("sockets: bound before they were prepared; this is a mistake in Feltwire")
        try:
            if self._authenticator is not None:
                self._authenticator.start()
            self.publisher.bind()
            self._history.bind()
            self.commands.bind()
        except (EndpointError, AuthenticationError) as error:
            raise StartupCheckError(str(error)) from error
        self._serving = asyncio.get_running_loop().create_task(self._history.serve(), name="history")

    @property
    def problem(self) -> str | None:
        """Why a socket does not work any more; None while all do."""
        if self._serving is not None and self._serving.done() and not self._serving.cancelled():
            return f"the history server has stopped: {self._serving.exception()!r}; restart the service"
        return next((one.problem for one in self._sockets() if one.problem), None)

    @property
    def refused(self) -> int:
        """How many handshakes and connections were refused."""
        handshakes = 0 if self._authenticator is None else self._authenticator.refused
        return handshakes + sum(one.refused for one in self._sockets())

    @property
    def ended(self) -> int:
        """How many connections that had shown no key were ended, because there were too many."""
        return sum(one.ended for one in self._sockets())

    def _sockets(self) -> list[ServerSocket]:
        return [one.socket for one in (self.publisher, self._history, self.commands) if one is not None]

    def reload_keys(self) -> None:
        """Reads the allow-list again where it has changed."""
        if self._authenticator is not None:
            self._authenticator.reload_if_changed()

    async def close(self) -> None:
        """Waits for the last messages to be sent, then closes everything."""
        await sleep_ns(LINGER_NS)
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
        self.drop()

    def drop(self) -> None:
        """Closes everything at once, without sending what is queued. A second call does nothing."""
        if self._serving is not None:
            self._serving.cancel()
        if self.commands is not None:
            self.commands.close()
        if self._history is not None:
            self._history.close()
        self.publisher.close()
        if self._authenticator is not None:
            self._authenticator.stop()
        self.context.destroy(linger=0)


def _server_key(endpoints: Endpoints, folder: Path | None) -> ServerCurve:
    if folder is None:
        raise StartupCheckError(
            f"--bind {endpoints.feed}: over the network nothing goes without keys; make them with feltwire keys new, "
            "and give their folder with --keys, or use ipc://"
        )
    try:
        return ServerCurve(read_pair(folder / f"{SERVER}{SECRET_SUFFIX}"))
    except BadKeyError as error:
        raise StartupCheckError(f"server key {error}") from error


def _nobody(user_id: str) -> None:
    return None
