"""Journals for tests, made by the very code that the service writes with."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from nacl.encoding import HexEncoder
from nacl.signing import SigningKey

from audit.records import COMMAND, COMMANDS, Entry
from audit.schema import prepare
from audit.seals import SEAL_EVERY, START, STOP, SealSigner, read_seals
from audit.signing import FILE_NAME
from audit.witness import Witness
from controller.journal.files import make_file
from controller.journal.store import JournalEnd, Store
from controller.journal.walk import Walk, walk
from feed.events import (
    Data,
    DeviceFault,
    Event,
    Evidence,
    Outcome,
    RoundOpened,
    Settled,
    TableClosed,
    TableOpened,
    Void,
    encode,
    type_of,
)
from feed.secret_file import write_file
from hal.clock import NS_PER_S, VirtualClock, wall_time

KEY = SigningKey(b"k" * 32)
PUBLIC_KEY = bytes(KEY.verify_key)
OTHER_KEY = SigningKey(b"o" * 32)
EVENING_NS = 1_783_191_600 * NS_PER_S
""" 2026-07-04T19:00:00Z."""
DAY_NS = 86_400 * NS_PER_S


class Evening:
    """Writes a journal, one start of the service after another; each `with` block is one."""

    def __init__(self, path: Path, *, key: SigningKey = KEY, seal_every: int = SEAL_EVERY) -> None:
        self.path = path
        self.clock = VirtualClock(EVENING_NS)
        self._key = key
        self._seal_every = seal_every
        self._starts = 0
        self._rounds: dict[str, int] = {}
        self.seqs: dict[str, int] = {}
        self.game = "money_wheel"
        make_file(path)

    def __enter__(self) -> Evening:
        self._starts += 1
        self.epoch = f"{self._starts:016x}"
        self._connection = sqlite3.connect(self.path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        prepare(self._connection, self.path)
        walked = Walk(self._connection)
        faults = [fault for fault in walk(self._connection, walked) if fault is not None]
        assert not faults, faults
        last = list(read_seals(self._connection))
        signer = SealSigner(self._key, self.clock, last[-1] if last else None, base=walked.base)
        self.store = Store(self.path, self._connection, JournalEnd(walked.n, walked.heads), signer, self._seal_every)
        self.store.seal(START)
        self.witness = Witness(self.path, {**walked.heads, **self.store.seals})
        self.seqs = {chain: head.seq for chain, head in walked.heads.items()}
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.store.seal(STOP)
            self.witness.note(self.store.seals)
        self.store.close()
        self.witness.close()

    def seal(self) -> None:
        self.store.seal("count")

    def write(self, *entries: Entry) -> None:
        self.clock.advance_to(self.clock.now_ns() + NS_PER_S)
        (heads,) = self.store.append([entries])
        self.witness.note(heads)

    def say(self, *said: Event) -> None:
        self.write(*(Entry.of(event, encode(event)) for event in said))

    def command(self, given: str, **more: object) -> None:
        seq = self._next(COMMANDS)
        body: dict[str, object] = {
            "id": f"c-{seq}",
            "scope": "@local",
            "epoch": self.epoch,
            "sender": "pit",
            "role": "supervisor",
        }
        body |= {"table": "wheel-1", "command": given, **more}
        time = body["time"] = _time(self.clock)
        self.write(
            Entry(COMMANDS, seq, f"@local:c-{seq}", self.epoch, COMMAND, None, time, "", json.dumps(body).encode()),
        )

    def event(self, table: str, data: type[Data], **fields: Any) -> Event:
        seq = self._next(table)
        number = fields.get("round")
        common: dict[str, Any] = {"table": table, "game": self.game, "simulated": False}
        common["mono_ns"] = self.clock.now_ns()
        event = Event(
            id=f"{table}.{self.epoch}.{seq}",
            source=f"/tables/{table}",
            type=type_of(data),
            time=_time(self.clock),
            sequence=f"{seq:020d}",
            data=data(**common | fields),
        )
        return event if number is None else _with_subject(event, number)

    def opened(self, table: str, rules: str = "njac-13:47-20") -> None:
        self.say(self.event(table, TableOpened, rules=rules, software="feltwire 0.1.0", devices=[]))

    def closed(self, table: str) -> None:
        self.say(self.event(table, TableClosed, reason="stopped"))

    def fault(self, table: str) -> None:
        fields = {"device": "wheel", "fault": "sensor_stuck", "detail": "wheel_a rests at 1", "blocks_play": True}
        self.say(self.event(table, DeviceFault, **fields))

    def round(self, table: str, verdict: str = "outcome") -> int:
        """A round of three events; returns its number."""
        number = self._rounds[table] = self._rounds.get(table, 0) + 1
        evidence = Evidence(revolutions=4.25, revolutions_low=4.25, revolutions_high=4.25, direction="positive")
        self.say(self.event(table, RoundOpened, round=number))
        if verdict == "outcome":
            space = number % 50
            fields: dict[str, Any] = {"result": {"space": space, "face": "$2"}, "winning": [], "evidence": evidence}
            said = self.event(table, Outcome, round=number, rule="13:47-20.29", **fields)
        else:
            words = {"call": "No spin", "reason": "wheel_revolutions", "rule": "13:47-20.29(e)"}
            said = self.event(table, Void, round=number, evidence=evidence, **words)
        self.say(said)
        self.say(self.event(table, Settled, round=number, by="dealer"))
        return number

    def _next(self, chain: str) -> int:
        self.seqs[chain] = self.seqs.get(chain, 0) + 1
        return self.seqs[chain]


def evening(
    path: Path,
    *,
    tables: Sequence[str] = ("wheel-1", "wheel-2"),
    rounds: int = 4,
    seal_every: int = 1000,
    key: SigningKey = KEY,
) -> Path:
    """A journal of two starts of the service: each table plays half of its rounds in each."""
    writer = Evening(path, key=key, seal_every=seal_every)
    for half in (rounds // 2, rounds - rounds // 2):
        with writer:
            for table in tables:
                writer.opened(table)
            for number in range(half):
                for table in tables:
                    writer.round(table, "void" if number % 3 == 2 else "outcome")
                writer.command(f"settle n={number}")
            for table in tables:
                writer.closed(table)
    return path


def place_key(folder: Path) -> None:
    """Puts the key that seals the journal beside it, as the service has it."""
    write_file(folder / FILE_NAME, KEY.encode(HexEncoder) + b"\n", overwrite=False)


def tampering(path: Path) -> closing[sqlite3.Connection]:
    """A plain connection that commits each statement, as a person with the `sqlite3` shell has."""
    return closing(sqlite3.connect(path, isolation_level=None))


def _with_subject(event: Event, number: object) -> Event:
    return replace(event, subject=f"round/{number}")


def _time(clock: VirtualClock) -> str:
    return wall_time(clock)
