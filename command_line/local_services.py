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
from hal.plain_text import plain

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
_NOBODY: Final = (FileNotFoundError, NotADirectoryError, ConnectionRefusedError)
"""What connecting to a socket raises where no process listens on it."""


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

    An address of the environment's choice that cannot be used is returned as it is: whoever parses it says what is
    wrong with it. The default address, where it cannot be used, is that of no service.

    Raises:
        NoServiceError: none runs, none may be entered, there are several, or the socket of the environment's choice
            cannot be opened.
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
    if (default in bases and enters(default)) or (endpoint is not None and _failure(endpoint) is None):
        return default
    own = [base for base in bases if enters(base)]
    if len(own) == 1:
        return own[0]
    if own:
        raise NoServiceError(f"several services run on this computer: {_listed(own)}; give the address of one")
    if bases:
        raise NoServiceError(f"you may not enter the folder of the service at {_listed(bases)}: {_LET_IN}")
    raise NoServiceError(
        f"no service runs on this computer (the default address is {plain(default)}): start one with feltwire run, or "
        "give the address of one"
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


def base_to_follow(say: Callable[[str], None], of_running: str = "") -> str:
    """The address of the service on this computer; where none runs yet, the one at which it will.

    `say` takes a line for a person: that it waits, and why; or `of_running` and the address of one that runs, where
    that is given.
    """
    try:
        base = find_base()
    except NoServiceError as error:
        base = default_base()
        say(f"{error}; waiting for one at {plain(base)}")
    else:
        if of_running:
            say(f"{of_running} {plain(base)}")
    return base


def listens(endpoint: str) -> bool:
    """Whether a process listens on an `ipc://` endpoint. A socket that cannot be opened counts as listening."""
    return not isinstance(_failure(endpoint), _NOBODY)


def _failure(endpoint: str) -> OSError | None:
    """What connecting to an `ipc://` endpoint raises; None where a process listens there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        # A process that is still with many connections waiting listens too, and connecting would wait for it.
        probe.setblocking(False)
        try:
            probe.connect(endpoint.removeprefix("ipc://"))
        except BlockingIOError:
            return None
        except OSError as error:
            return error
    return None


def _commands(base: str) -> str | None:
    """The endpoint of commands of an address; None where the address cannot be used."""
    try:
        return Endpoints.parse(base).commands
    except EndpointError:
        return None


def _why_not(chosen: str, bases: Sequence[str]) -> str | None:
    """Why the address that the environment names cannot be taken; None where it can."""
    endpoint = _commands(chosen)
    failure = None if endpoint is None else _failure(endpoint)
    if failure is None:
        return None
    named = f"{plain(chosen)}, which {CHOSEN} names"
    if isinstance(failure, PermissionError):
        return f"you may not enter the folder of the service at {named}: {_LET_IN}"
    others = f" (services run at {_listed(bases)})" if bases else ""
    if isinstance(failure, _NOBODY):
        to_do = f"start one with feltwire run, unset {CHOSEN}, or give the address of one"
        return f"no service runs at {named}{others}: {to_do}"
    why = failure.strerror or str(failure)
    return f"no service is reached at {named}{others}: {why}; unset {CHOSEN}, or give the address of one"


def _listed(bases: Sequence[str]) -> str:
    return ", ".join(map(plain, bases))


def _listening(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        parts = line.split(maxsplit=_PATH)
        if len(parts) > _PATH and int(parts[_FLAGS], 16) & _LISTENS:
            yield parts[_PATH]


def _may_enter(base: str) -> bool:
    return os.access(f"{base.removeprefix('ipc://')}/commands", os.W_OK)
