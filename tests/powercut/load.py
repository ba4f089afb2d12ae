"""Tables at work on a journal: what a service writes in an evening, as fast as it can be written.

    python -m tests.powercut.load record FOLDER SUBMITTED SEED COUNT END    one run; END is `close` or `exit`
    python -m tests.powercut.load nursery                                   runs on request, to be killed

Each submission is noted before it is submitted; each that is durable is noted in the file `published` of the folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Semaphore
from typing import Any

import msgspec
from nacl.signing import SigningKey

from audit.errors import JournalError
from audit.records import COMMAND, COMMANDS, Entry
from controller.journal.journal import Done, Heads, Journal
from controller.journal.recovery import RecoveredTable
from feed import events
from feed.events import Data, Event, Evidence, encode, type_of
from hal.clock import VirtualClock

KEY = SigningKey(bytes(range(32)))
TABLES = ("roulette-1", "roulette-10", "wheel-1")
Note = Callable[[list[Entry]], None]
Published = Callable[[Heads], None]

WAITING = 12
"""Submissions that may wait at once."""
SEAL_EVERY = 25
CHECKPOINT_EVERY = 40
"""Far more often than in a service: so that a power cut falls into them."""


class TablePlayer:
    """One table, which plays on from where the journal left it."""

    def __init__(self, table: str, epoch: str, rng: Random, left: RecoveredTable | None) -> None:
        self.table = table
        self.epoch = epoch
        self.rng = rng
        self.seq = 0 if left is None else left.head.seq
        self.round = 0 if left is None else left.state.round
        self.unfinished = None if left is None else left.state.unfinished_round
        self.faults = [] if left is None else [(fault.device, fault.fault) for fault in left.state.faults]
        self.opened = False

    def act(self) -> list[Entry]:
        """What it says next: an event or a few, which belong together."""
        if not self.opened:
            self.opened = True
            first = [self.say(events.TableOpened, rules="njac-13:47-20", software="1", devices=[])]
            if self.unfinished is not None:
                first.append(self._void("power_loss"))
            return first
        chance = self.rng.random()
        if chance < 0.05:
            fault = (self.rng.choice(("wheel", "level")), self.rng.choice(("sensor_stuck", "encoder_slip")))
            if fault in self.faults:
                self.faults.remove(fault)
                return [self.say(events.DeviceCleared, device=fault[0], fault=fault[1], by="ann")]
            self.faults.append(fault)
            detail = "x" * self.rng.randrange(900)
            return [self.say(events.DeviceFault, device=fault[0], fault=fault[1], detail=detail, blocks_play=True)]
        if chance < 0.1:
            return [
                self.say(events.DeviceWarning, device="wheel", warning="bias", detail="y" * self.rng.randrange(5000))
            ]
        if self.unfinished is None:
            self.round += 1
            self.unfinished = self.round
            return [self.say(events.RoundOpened, round=self.round)]
        if chance < 0.4:
            return [self.say(events.NoMoreBets, round=self.round, by="dealer", rule="20.32")]
        if chance < 0.5:
            return [self._void("ball_revolutions")]
        if chance < 0.7:
            return [self.say(events.RoundStarted, round=self.round, direction="clockwise")]
        return self._outcome()

    def say(self, kind: type[Data], **fields: Any) -> Entry:
        self.seq += 1
        common: dict[str, Any] = {
            "table": self.table,
            "game": "roulette",
            "simulated": False,
            "mono_ns": self.seq * 1_000_003,
        }
        event = Event(
            id=f"{self.table}.{self.epoch}.{self.seq}",
            source=f"/tables/{self.table}",
            type=type_of(kind),
            time="2030-01-01T20:00:00.000000Z",
            sequence=f"{self.seq:020d}",
            data=kind(**common, **fields),
        )
        return Entry.of(event, encode(event))

    def _void(self, reason: str) -> Entry:
        number, self.unfinished = self.unfinished, None
        return self.say(events.Void, round=number, call="No spin", reason=reason, rule="20.32(h)", evidence=Evidence())

    def _outcome(self) -> list[Entry]:
        number, self.unfinished = self.unfinished, None
        evidence = Evidence(revolutions=self.rng.uniform(4, 20), detail="z" * self.rng.randrange(300))
        pocket = {"pocket": str(self.rng.randrange(37))}
        said = [self.say(events.Outcome, round=number, result=pocket, winning=[], evidence=evidence, rule="20.32")]
        if self.rng.random() < 0.8:
            said.append(self.say(events.Settled, round=number, by="dealer"))
        return said


class LoadedHouse:
    """All tables and the commands, on one journal."""

    def __init__(self, journal: Journal, epoch: str, rng: Random, note: Note) -> None:
        self.journal = journal
        self.epoch = epoch
        self.rng = rng
        self.note = note
        self.players = [TablePlayer(table, epoch, rng, journal.recovered.get(table)) for table in TABLES]
        self.commands = journal.commands.seq

    def submission(self) -> list[Entry]:
        """Some events of a table; now and then with the command that caused them."""
        said = self.rng.choice(self.players).act()
        if self.rng.random() < 0.15:
            self.commands += 1
            identity = f"ask-{self.epoch}-{self.commands}"
            body = {"id": identity, "scope": "ann", "epoch": self.epoch, "sender": "ann", "accepted": True}
            body["events"] = [entry.id for entry in said]
            time = "2030-01-01T20:00:00.000000Z"
            command = (COMMANDS, self.commands, f"ann:{identity}", self.epoch, COMMAND, None, time, "")
            said = [Entry(*command, msgspec.json.encode(body)), *said]
        return said

    def submit(self, done: Done) -> None:
        """Submits once."""
        entries = self.submission()
        self.note(entries)
        self.journal.submit(entries, done)

    def play(self, count: int, published: Published) -> JournalError | None:
        """Submits `count` times, and waits for what it submitted, unless the journal fails."""
        places = Semaphore(WAITING)

        def done(result: Heads | JournalError) -> None:
            if not isinstance(result, JournalError):
                published(result)
            places.release()

        for _ in range(count):
            places.acquire()
            self.submit(done)
        for _ in range(WAITING):
            places.acquire()
        return self.journal.failure


def open_journal(folder: Path) -> Journal:
    """The journal of a folder, with seals and checkpoints often, and results told on the writer's own thread."""
    return Journal.open(
        folder / "journal.sqlite",
        KEY,
        clock=VirtualClock(1_900_000_000_000_000_000),
        deliver=lambda done, result: done(result),
        seal_every=SEAL_EVERY,
        checkpoint_every=CHECKPOINT_EVERY,
    )


def marker(heads: Heads) -> bytes:
    """What is noted of a submission that is durable: what a subscriber has seen from now on."""
    return msgspec.json.encode([[chain, *head] for chain, head in heads.items()]) + b"\n"


def noting(submitted: Path) -> Note:
    """Notes entries before they are submitted."""
    file = os.open(submitted, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    put(file, b"\n\n")  # ends the line that the run before was killed in; an empty one shows that it may be cut
    return lambda entries: put(file, b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries))


def record(folder: Path, submitted: Path, seed: int, count: int, end: str) -> None:
    """One run of a service."""
    seen = os.open(folder / "published", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        journal = open_journal(folder)
    except JournalError as error:
        print(error, flush=True)
        return
    house = LoadedHouse(journal, f"{seed:016x}", Random(seed), noting(submitted))

    def published(heads: Heads) -> None:
        put(seen, marker(heads))

    failure = house.play(count, published)
    if end == "exit":
        # In the midst of it: no seal, no checkpoint, some submissions on their way.
        for _ in range(WAITING):
            house.submit(lambda result: None if isinstance(result, JournalError) else published(result))
        os._exit(0)
    if failure is not None:
        print(failure, flush=True)
    journal.close()


def nursery() -> None:
    """For each line `FOLDER SUBMITTED SEED COUNT` of standard input a child process, which plays until it is killed.

    Says its process id, then each submission that is durable, and `dead` when it is.
    """
    for line in sys.stdin:
        folder, submitted, seed, count = line.split()
        child = os.fork()
        if child == 0:
            put(1, b"%d\n" % os.getpid())
            journal = open_journal(Path(folder))
            house = LoadedHouse(journal, f"{int(seed):016x}", Random(int(seed)), noting(Path(submitted)))
            house.play(int(count), lambda heads: put(1, marker(heads)))
            journal.close()
            os._exit(0)
        os.waitpid(child, 0)
        put(1, b"dead\n")


def put(file: int, data: bytes) -> None:
    """Writes all of it, at once where the system lets it."""
    while data:
        data = data[os.write(file, data) :]


if __name__ == "__main__":
    if sys.argv[1] == "nursery":
        nursery()
    else:
        _, _, folder, submitted, seed, count, end = sys.argv
        record(Path(folder), Path(submitted), int(seed), int(count), end)
