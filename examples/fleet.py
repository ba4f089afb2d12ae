"""A hall on one computer: a hub, three venues with a leaf node each, twelve simulated tables, and their board.

    make fleet            or: python examples/fleet.py

Ctrl-C ends all of it. Each venue is what its computer would run: feltwire run, a NATS server, feltwire relay; the hub
is a NATS server that sources the three, and the board follows the hub. Where namespaces can be made, each has a network
of its own, with a cable to the hub (fleet_namespaces.py); otherwise all are processes on the loopback interface.
Nothing is kept, and only this computer reaches it: set-ups for a network, with TLS and accounts, are in systemd/nats.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Event

from fleet_namespaces import Namespaces, NoNamespacesError, forward

VENUES = ("atlantic", "boardwalk", "marina")
GAMES = ("roulette", "money_wheel", "sic_bo", "craps")
EXAMPLES = Path(__file__).resolve().parent
FELTWIRE = [sys.executable, "-c", "from controller.cli import main; main(prog_name='feltwire')"]
TRIES, PAUSE_S = 120, 0.25


def free_port() -> int:
    """A port that is free now, below those that the kernel gives to connections."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


class Hall:
    """All processes, and the folder in which they write."""

    def __init__(self, folder: Path, program: str, places: Namespaces | None) -> None:
        self._folder = folder
        self._program = program
        self._places = places
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._pause = Event()
        self.hub = free_port()
        self._leafs = free_port()
        self._servers = {venue: free_port() for venue in VENUES}

    def start(self) -> None:
        """Starts everything but the board."""
        self._nats("hub", self.hub, "hub", f'leafnodes {{ listen: "{self._any}:{self._leafs}" }}')
        self._forward()
        for venue, port in self._servers.items():
            remote = (
                "leafnodes { reconnect: 1, remotes: [ { "
                f'url: "nats-leaf://{self._hub_of(venue)}:{self._leafs}", account: HALL, '
                'deny_imports: ["feltwire.>"], deny_exports: ["feltwire.v1.>", "feltwire.sim.>"] } ] }'
            )
            self._nats(venue, port, venue, remote)
            tables = [str(EXAMPLES / f"{game}.toml") for game in GAMES]
            own = ("--bind", self.base(venue), "--state", str(self._folder / venue / "state"), "--speed", "10")
            self._run(venue, "tables", "run", *tables, *own)
        for venue, port in self._servers.items():
            self._once(venue, "fleet", "init", f"nats://127.0.0.1:{port}", "--venue", venue)
            self._run(venue, "relay", "relay", f"nats://127.0.0.1:{port}", self.base(venue), "--venue", venue)
        sources = [word for venue in VENUES for word in ("--hub", f"{venue}@{venue}")]
        self._once("hub", "fleet", "init", f"nats://127.0.0.1:{self.hub}", *sources)

    def base(self, venue: str) -> str:
        """The address of a venue's service."""
        return f"ipc://{self._folder / venue / 'run'}"

    def board(self) -> int:
        """Serves the hall's board until Ctrl-C, and returns how that ended; ends early where anything else does."""
        words = [*FELTWIRE, "scoreboard", f"nats://127.0.0.1:{self.hub}/*", "--simulated"]
        self._processes["board"] = subprocess.Popen(words)
        while not self._pause.wait(PAUSE_S):
            for name, process in self._processes.items():
                if process.poll() is not None:
                    log = self._folder / f"{name}.log"
                    print(f"{name} has ended ({process.returncode}):", file=sys.stderr)
                    print(log.read_text()[-2000:] if log.exists() else "", file=sys.stderr)
                    return 1
        return 0

    def end(self) -> None:
        """Ends everything, the board before what it follows."""
        board = self._processes.pop("board", None)
        if board is not None:
            board.terminate()
            board.wait()
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.wait()

    def stop(self) -> None:
        """Has `board` return."""
        self._pause.set()

    @property
    def _any(self) -> str:
        """Where the hub listens for venues: in a namespace nobody else is there."""
        return "127.0.0.1" if self._places is None else "0.0.0.0"

    def _hub_of(self, venue: str) -> str:
        return "127.0.0.1" if self._places is None else self._places.of_first(venue)

    def _in(self, place: str) -> list[str]:
        return [] if self._places is None else self._places.enter(place)

    def _forward(self) -> None:
        """The hub is reached from outside of its namespace, at the same port."""
        if self._places is None:
            return
        with socket.socket() as one:
            one.bind(("127.0.0.1", self.hub))
            one.listen()
            words = [*self._in("hub"), *forward(one.fileno(), self.hub)]
            self._processes["forward"] = subprocess.Popen(words, pass_fds=[one.fileno()])

    def _nats(self, name: str, port: int, domain: str, leafs: str) -> None:
        folder = self._folder / name
        folder.mkdir(mode=0o700)
        (folder / "run").mkdir(mode=0o700)
        file = folder / "nats.conf"
        file.write_text(
            f'server_name: {name}\nlisten: "127.0.0.1:{port}"\n'
            f'jetstream {{ store_dir: "{folder}", domain: {domain} }}\n'
            "accounts { HALL: { jetstream: enabled, users: [ { user: hall, password: hall } ] }, SYS: {} }\n"
            f"system_account: SYS\nno_auth_user: hall\n{leafs}\n"
        )
        self._spawn(name, [*self._in(name), self._program, "-c", str(file)])

    def _run(self, place: str, what: str, *words: str) -> None:
        self._spawn(f"{place}-{what}", [*self._in(place), *FELTWIRE, *words])

    def _spawn(self, name: str, words: list[str]) -> None:
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(words, stdout=log, stderr=log)

    def _once(self, place: str, *words: str) -> None:
        """A command that may have to wait for its server."""
        for _ in range(TRIES):
            done = subprocess.run([*self._in(place), *FELTWIRE, *words], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
            if self._pause.wait(PAUSE_S):
                break
        raise SystemExit(f"feltwire {' '.join(words)}: {done.stderr}")


def namespaces() -> Namespaces | None:
    """One for each place; None where there can be none, and a line that states why."""
    try:
        found = Namespaces("hub", VENUES)
    except NoNamespacesError as error:
        print(f"as plain processes, without network namespaces: {error}", file=sys.stderr)
        return None
    print("in a network namespace for the hub and each venue", file=sys.stderr)
    return found


def main() -> int:
    """Runs the hall until Ctrl-C."""
    program = shutil.which("nats-server", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        print("a hall needs the NATS server: sudo apt install nats-server", file=sys.stderr)
        return 1
    folder = Path(tempfile.mkdtemp(prefix="feltwire-hall-"))
    places = namespaces()
    hall = Hall(folder, program, places)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: hall.stop())
    try:
        print("starting a hub, three venues and twelve simulated tables ...", file=sys.stderr)
        hall.start()
        hub = f"nats://127.0.0.1:{hall.hub}"
        command = os.path.relpath(Path(sys.executable).with_name("feltwire"))
        print(f"in a second terminal: {command} fleet status {hub}; {command} fleet verify {hub}", file=sys.stderr)
        return hall.board()
    finally:
        hall.end()
        if places is not None:
            places.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
