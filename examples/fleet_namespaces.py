"""A network of its own for each place of the hall: namespaces of the Linux kernel, with a cable from each to the first.

    hub ──10.77.1.1──10.77.1.2── first venue
        ──10.77.2.1──10.77.2.2── second venue

Root makes them, and so does any user where the kernel lets users have namespaces of their own (Debian does).

    python examples/fleet_namespaces.py FD PORT

passes what comes to a listening socket on to a port of the namespace that it runs in: so the hub is reached from
outside.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAMS = ("unshare", "nsenter", "ip")
HOLD = "ip link set lo up && echo ready && exec sleep infinity"
PIECE = 65536


class NoNamespacesError(Exception):
    """There can be none here; the message states why."""


class Namespaces:
    """The namespaces of some places, as long as they are held open."""

    def __init__(self, first: str, others: Sequence[str]) -> None:
        """Raises:
        NoNamespacesError: a program is missing, or the kernel refuses.
        """
        missing = [
            name for name in PROGRAMS if shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None
        ]
        if missing:
            raise NoNamespacesError(f"{missing[0]} is not installed")
        self._first = first
        self._others = list(others)
        self._user = [] if os.geteuid() == 0 else ["-U", "--preserve-credentials"]
        self._holders: dict[str, subprocess.Popen[bytes]] = {}
        try:
            self._hold(first, ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-Urn"])
            for number, name in enumerate(self._others, 1):
                # In the namespace of users of the first one, which may connect all of them.
                self._hold(name, [*self._entering(first, "-n"), "unshare", "-n"])
                self._ip(first, f"link add to-{number} type veth peer name to-hub netns {self._holders[name].pid}")
                self._ip(first, f"addr add {self.of_first(name)}/30 dev to-{number}")
                self._ip(first, f"link set to-{number} up")
                self._ip(name, f"addr add 10.77.{number}.2/30 dev to-hub")
                self._ip(name, "link set to-hub up")
        except NoNamespacesError:
            self.close()
            raise

    def of_first(self, name: str) -> str:
        """The address at which a place reaches the first one."""
        return f"10.77.{self._others.index(name) + 1}.1"

    def enter(self, name: str) -> list[str]:
        """Words before those of a command that is to run there."""
        return self._entering(name, "-n")

    def close(self) -> None:
        """They end with the last process in them."""
        for holder in self._holders.values():
            holder.kill()
            holder.communicate()

    def _entering(self, name: str, *kinds: str) -> list[str]:
        return ["nsenter", "-t", str(self._holders[name].pid), *self._user, *kinds, "--"]

    def _hold(self, name: str, unshare: list[str]) -> None:
        holder = subprocess.Popen([*unshare, "sh", "-c", HOLD], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._holders[name] = holder
        if holder.stdout is None or holder.stdout.readline() != b"ready\n":
            _, error = holder.communicate()
            raise NoNamespacesError(error.decode().strip() or "the kernel has none")

    def _ip(self, name: str, words: str) -> None:
        done = subprocess.run([*self.enter(name), "ip", *words.split()], capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoNamespacesError(f"ip {words}: {done.stderr.strip()}")


def forward(listening: int, port: int) -> list[str]:
    """The command that passes connections of an inherited socket on to a port where it runs."""
    return [sys.executable, str(Path(__file__).resolve()), str(listening), str(port)]


async def _forward(listening: int, port: int) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            out, into = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pass(reader, into), _pass(out, writer))

    server = await asyncio.start_server(connected, sock=socket.socket(fileno=listening))
    await server.serve_forever()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(PIECE):
            writer.write(data)
            await writer.drain()
    except OSError:
        # One end has closed: so does the other one.
        pass
    finally:
        writer.close()


if __name__ == "__main__":
    # Whoever started it ends it: Ctrl-C in a terminal reaches both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_forward(int(sys.argv[1]), int(sys.argv[2])))
