"""The addresses of a service: three sockets from one base address.

    base                     feed                        history                        commands
    ipc:///run/feltwire      ipc:///run/feltwire/feed    ipc:///run/feltwire/history    ipc:///run/feltwire/commands
    tcp://10.0.0.5:5600      tcp://10.0.0.5:5600         tcp://10.0.0.5:5601            tcp://10.0.0.5:5602

`ipc://` is for programs on the same computer and needs no keys: whoever may open the folder may read and command.
`tcp://` is for the network, with keys.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

IPC_PATH_BYTES = 107
"""The longest path of a Unix socket on Linux (`sockaddr_un`, 108 bytes with the NUL at its end)."""
ANY_PORT = "*"
"""As the port of a server: the kernel chooses one for each socket."""

_SOCKETS = ("feed", "history", "commands")
_LAST_PORT = 65535
_TCP = re.compile(r"tcp://(?P<host>\[[0-9A-Fa-f:.%a-z]+\]|[^/:\s;@]+):(?P<port>[0-9]+|\*)")
_EXAMPLES = "write ipc:///run/feltwire or tcp://10.0.0.5:5600"


class EndpointError(ValueError):
    """An address cannot be used; the message names it, and gives a valid one."""


class Endpoints(NamedTuple):
    """The addresses of one service's sockets, as ZeroMQ writes them."""

    feed: str
    """Events: XPUB, for any `zmq.SUB`."""
    history: str
    """Snapshots and missed events: ROUTER, for a `zmq.DEALER`."""
    commands: str
    """Commands of dealers and supervisors: ROUTER."""

    @classmethod
    def parse(cls, base: str) -> Endpoints:
        """The endpoints of a base address; the port `*` lets the kernel choose.

        Raises:
            EndpointError: it is neither an `ipc://` folder nor a `tcp://` host and port, or a path or port is out of
                range.
        """
        if base.startswith("ipc://"):
            return cls(*_ipc(base))
        if base.startswith("tcp://"):
            return cls(*_tcp(base))
        raise EndpointError(f'endpoint "{base}": it must begin with ipc:// or tcp://; {_EXAMPLES}')

    @classmethod
    def default(cls, environ: Mapping[str, str] = os.environ) -> Endpoints:
        """The endpoints on this computer when none are given, `ipc://` in the folder of running services.

        Raises:
            EndpointError: the folder's path is too long for a socket.
        """
        return cls.parse(default_base(environ))

    @property
    def folder(self) -> Path | None:
        """The folder of `ipc://` sockets; None over the network."""
        return Path(self.feed.removeprefix("ipc://")).parent if self.is_local else None

    @property
    def is_local(self) -> bool:
        """Whether it is for this computer only, without keys."""
        return self.feed.startswith("ipc://")


def default_base(environ: Mapping[str, str] = os.environ) -> str:
    """The base address when none is given: the first of these folders that the environment names.

    `$FELTWIRE_RUNTIME`, `$RUNTIME_DIRECTORY` (systemd), `$XDG_RUNTIME_DIR/feltwire`, `~/.local/state/feltwire/run`.
    """
    if folder := environ.get("FELTWIRE_RUNTIME"):
        return f"ipc://{folder}"
    if folders := environ.get("RUNTIME_DIRECTORY"):
        # systemd separates several with colons; ours is the first.
        return f"ipc://{folders.split(':')[0]}"
    if folder := environ.get("XDG_RUNTIME_DIR"):
        return f"ipc://{folder}/feltwire"
    home = environ.get("HOME") or str(Path.home())
    return f"ipc://{home}/.local/state/feltwire/run"


def _ipc(base: str) -> list[str]:
    folder = base.removeprefix("ipc://").rstrip("/")
    if not folder.startswith("/"):
        raise EndpointError(
            f'endpoint "{base}": ipc:// needs the full path of a folder, from /; write ipc:///run/feltwire, '
            "or FELTWIRE_RUNTIME=/run/feltwire"
        )
    if "\0" in folder:
        raise EndpointError(f"endpoint {base!r}: a path has no NUL in it; {_EXAMPLES}")
    paths = [f"{folder}/{socket}" for socket in _SOCKETS]
    longest = max(len(os.fsencode(path)) for path in paths)
    if longest > IPC_PATH_BYTES:
        raise EndpointError(
            f'endpoint "{base}": the path of its longest socket has {longest} bytes, and Linux allows '
            f"{IPC_PATH_BYTES}; choose a shorter folder, with FELTWIRE_RUNTIME or in the address"
        )
    return [f"ipc://{path}" for path in paths]


def _tcp(base: str) -> list[str]:
    match = _TCP.fullmatch(base)
    if match is None:
        raise EndpointError(f'endpoint "{base}": tcp:// needs a host and a port; write tcp://10.0.0.5:5600')
    host, port = match["host"], match["port"]
    if port == ANY_PORT:
        return [f"tcp://{host}:{ANY_PORT}"] * len(_SOCKETS)
    first = int(port) if len(port) <= len(str(_LAST_PORT)) else 0
    highest = _LAST_PORT - len(_SOCKETS) + 1
    if not 1 <= first <= highest:
        raise EndpointError(
            f'endpoint "{base}": three ports from {port} on are used, so it must be from 1 to {highest}; '
            "5600 is our default"
        )
    return [f"tcp://{host}:{first + place}" for place in range(len(_SOCKETS))]
