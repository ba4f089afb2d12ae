"""Finds the services that run on this computer, for commands that are given no address.

A person's shell does not have the environment of a service that systemd started, so the default address may be another
one there. The kernel's list of Unix sockets names those of every service (`/proc/net/unix`, readable by everybody).
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Final

from feed.endpoints import EndpointError, Endpoints, default_base

KERNELS_LIST: Final = Path("/proc/net/unix")
CHOSEN: Final = "FELTWIRE_RUNTIME"
"""The environment's own choice of an address: where it is set, no other service is taken."""
STEP_S: Final = 0.25
TRIES: Final = 40
"""How often `watch` looks for a service before it gives up (ours): ten seconds, for one that is only starting."""
_LISTENS: Final = 0x10000
"""The flag of a socket that accepts connections (`SO_ACCEPTCON`)."""
_FLAGS, _PATH = 3, 7
_SOCKETS: Final = frozenset({"feed", "history", "commands"})


_LET_IN: Final = (
    "run the command as the user of the service (sudo -u USER), or have RuntimeDirectoryMode=0750 let its group in"
)


class NoServiceError(Exception):
    """There is no service that could be taken; the message states why, and what to do."""


def running_bases(listing: Path = KERNELS_LIST) -> list[str]:
    """The base addresses of all services that listen on this computer, whoever may enter their folders."""
    found: dict[str, set[str]] = {}
    try:
        lines = listing.read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    except OSError:
        # No list of the kernel's: the default address is all that is known.
        lines = []
    for path in _listening(lines):
        folder, _, name = path.rpartition("/")
        if folder and name in _SOCKETS:
            found.setdefault(folder, set()).add(name)
    return sorted(f"ipc://{folder}" for folder, names in found.items() if names == _SOCKETS)


def find_base(
    running: Callable[[], Sequence[str]] = running_bases,
    environ: Mapping[str, str] = os.environ,
    *,
    may_enter: Callable[[str], bool] | None = None,
) -> str:
    """The address to take where none is given: the environment's choice or the default one, if a service runs there;
    without a choice that of the only service that this user may enter.

    An address that cannot be used is returned as it is: whoever parses it says what is wrong with it.

    Raises:
        NoServiceError: none runs, none may be entered, or there are several.
    """
    default = default_base(environ)
    bases = running()
    if environ.get(CHOSEN):
        if why := _why_not(default, bases):
            raise NoServiceError(why)
        return default
    enters = _may_enter if may_enter is None else may_enter
    # The kernel lists no sockets of another network namespace, as of a container; its folder may be here all the same.
    endpoint = _commands(default)
    if (default in bases and enters(default)) or (endpoint is not None and _reached(endpoint)):
        return default
    own = [base for base in bases if enters(base)]
    if len(own) == 1:
        return own[0]
    if own:
        raise NoServiceError(f"several services run on this computer: {', '.join(own)}; give the address of one")
    if bases:
        raise NoServiceError(f"you may not enter the folder of the service at {', '.join(bases)}: {_LET_IN}")
    raise NoServiceError(
        f"no service runs on this computer (the default address is {default}): start one with feltwire run, or give "
        "the address of one"
    )


def wait_for_base(
    find: Callable[[], str] = find_base, waiting: Callable[[str], None] = lambda why: None, tries: int = TRIES
) -> str:
    """As `find_base`, but gives a service that is only starting some time; `waiting` is called once, with the cause.

    Raises:
        NoServiceError: there is none after that time either.
    """
    pause = Event()
    for left in range(tries - 1, 0, -1):
        try:
            return find()
        except NoServiceError as error:
            if left == tries - 1:
                waiting(str(error))
        pause.wait(STEP_S)
    return find()


def listens(endpoint: str) -> bool:
    """Whether a process listens on an `ipc://` endpoint. A socket that may not be opened counts as listening."""
    return _reached(endpoint) is not False


def _reached(endpoint: str) -> bool | None:
    """Whether a process listens on an `ipc://` endpoint; None where this user may not find out."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        # A process that stands still with many connections waiting listens too, and connecting would wait for it.
        probe.setblocking(False)
        try:
            probe.connect(endpoint.removeprefix("ipc://"))
        except BlockingIOError:
            return True
        except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
            return False
        except OSError:
            return None
    return True


def _commands(base: str) -> str | None:
    """The endpoint of commands of an address; None where the address cannot be used."""
    try:
        return Endpoints.parse(base).commands
    except EndpointError:
        return None


def _why_not(chosen: str, bases: Sequence[str]) -> str | None:
    """Why the address that the environment names cannot be taken; None where it can."""
    endpoint = _commands(chosen)
    reached = True if endpoint is None else _reached(endpoint)
    if reached:
        return None
    if reached is None:
        return f"you may not enter the folder of the service at {chosen}, which {CHOSEN} names: {_LET_IN}"
    others = f" (services run at {', '.join(bases)})" if bases else ""
    return (
        f"no service runs at {chosen}, which {CHOSEN} names{others}: start one with feltwire run, unset {CHOSEN}, or "
        "give the address of one"
    )


def _listening(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        parts = line.split(maxsplit=_PATH)
        if len(parts) > _PATH and int(parts[_FLAGS], 16) & _LISTENS:
            yield parts[_PATH]


def _may_enter(base: str) -> bool:
    return os.access(f"{base.removeprefix('ipc://')}/commands", os.W_OK)
