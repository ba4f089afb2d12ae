"""A table that publishes and its journal, in memory: the reference that a subscriber is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

import msgspec
from nacl.signing import SigningKey

from audit.records import Head
from audit.seals import STOP, SealSigner, signed
from feed import events
from feed.events import Data, Event, Heartbeat, decode, encode, genesis, link, type_of
from feed.history_server import Page
from feed.state import TableState
from feed.wire import REWRITTEN, UNKNOWN_TABLE, SealList, SignedSeal
from hal.clock import VirtualClock

TIME = "2026-01-31T20:00:00.000000Z"


class KeptEvent(NamedTuple):
    """A durable event in the journal."""

    seq: int
    epoch: str
    topic: bytes
    body: bytes
    head: bytes


class ModelJournal:
    """Durable events of tables; a `feed.history_server.History`."""

    def __init__(self) -> None:
        self.kept: dict[str, list[KeptEvent]] = {}
        self.archived: dict[str, int] = {}
        """The events up to this number are archived."""
        self.sealed: list[SignedSeal] = []
        self._signer = SealSigner(SigningKey(sha256(b"model").digest()), VirtualClock(), None)

    def last(self, table: str) -> KeptEvent:
        """The last event; number 0 where there is none."""
        held = self.kept.get(table)
        return held[-1] if held else KeptEvent(0, "", b"", b"", genesis(table))

    def add(self, event: Event) -> tuple[bytes, bytes]:
        """Journals an event; returns its topic and body."""
        topic, body = event.topic.encode(), encode(event)
        if event.seq is not None:
            last = self.last(event.data.table)
            assert event.seq == last.seq + 1
            record = KeptEvent(event.seq, event.epoch, topic, body, link(last.head, body))
            self.kept.setdefault(event.data.table, []).append(record)
        return topic, body

    def lose(self, table: str, count: int) -> list[bytes]:
        """Loses the last events, as an SD card that acknowledges unwritten data does at a power cut."""
        held = self.kept[table]
        end = max(1, len(held) - count)
        lost = [record.body for record in held[end:]]
        del held[end:]
        return lost

    def bodies(self, table: str, after: int = 0) -> list[bytes]:
        """The events after a number."""
        return [record.body for record in self.kept.get(table, []) if record.seq > after]

    def seal(self) -> SignedSeal:
        """Seals the heads of all tables, and returns the seal."""
        heads = {table: Head(held[-1].seq, held[-1].epoch, held[-1].head.hex()) for table, held in self.kept.items()}
        records = sum(len(held) for held in self.kept.values())
        self.sealed = [signed(self._signer.seal(STOP, records, heads))]
        return self.sealed[0]

    # --- feed.history_server.History ----------------------------------------------------------------------------------

    def tables(self) -> list[str]:
        """The tables that have events."""
        return sorted(self.kept)

    def snapshot(self, table: str) -> bytes | None:
        """The fold of the journal."""
        if table not in self.kept:
            return None
        state = TableState(table)
        for record in self.kept[table]:
            state.apply(decode(record.body))
        return msgspec.json.encode(state.snapshot())

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        """A page of the journal."""
        held = self.kept.get(table)
        if held is None:
            return Page([], "", 0, "", UNKNOWN_TABLE, f"no table {table}")
        last = held[-1]
        if after > last.seq or (epoch and after and held[after - 1].epoch != epoch):
            detail = f"event {after} of epoch {epoch} is not in the journal"
            return Page([], last.epoch, last.seq, last.head.hex(), REWRITTEN, detail)
        begin = max(after, self.archived.get(table, 0))
        found = [(record.topic, record.body) for record in held[begin : begin + limit]]
        return Page(found, last.epoch, last.seq, last.head.hex(), after=begin)

    def seals(self) -> bytes:
        """The last one."""
        return msgspec.json.encode(SealList(seals=self.sealed))


class ModelTable:
    """Writes events into a journal. A new one for each start of the service."""

    def __init__(self, journal: ModelJournal, table: str, epoch: str, *, simulated: bool = False) -> None:
        self.table = table
        self.epoch = epoch
        self.time = TIME
        """The wall time of its next events."""
        self._journal = journal
        self._simulated = simulated
        self._ephemeral = 0
        self._coming: list[tuple[type[Data], dict[str, Any]]] = []
        self._round = sum(b'"type":"feltwire.round.opened.v1"' in body for body in journal.bodies(table))

    def open(self) -> tuple[bytes, bytes]:
        """The first event of the epoch."""
        last = self._journal.last(self.table)
        return self.say(
            events.TableOpened,
            rules="njac-13:47-20",
            software="feltwire 0.1.0",
            devices=[],
            previous_epoch=last.epoch or None,
            previous_sequence=last.seq or None,
        )

    def say(self, kind: type[Data], **fields: Any) -> tuple[bytes, bytes]:
        """Publishes an event, journalled if it is durable; returns its topic and body."""
        data = kind(table=self.table, game="money_wheel", simulated=self._simulated, mono_ns=0, **fields)
        if kind.durable:
            seq = self._journal.last(self.table).seq + 1
            serial, sequence = str(seq), f"{seq:020d}"
        else:
            self._ephemeral += 1
            serial, sequence = f"e{self._ephemeral}", msgspec.UNSET  # type: ignore[assignment]
        event = Event(
            id=f"{self.table}.{self.epoch}.{serial}",
            source=f"/tables/{self.table}",
            type=type_of(kind),
            time=self.time,
            sequence=sequence,
            data=data,
        )
        return self._journal.add(event)

    def something(self, rng: Random) -> tuple[bytes, bytes]:
        """A next event, of any kind."""
        match rng.randrange(4):
            case 0:
                self._round += 1
                return self.say(events.RoundOpened, round=self._round)
            case 1:
                return self.say(events.DeviceWarning, device="wheel", warning="bounce", detail=f"{rng.random()}")
            case 2:
                return self.say(events.RoundProgress, round=self._round, revolutions=rng.randrange(9))
            case _:
                return self.say(events.Settled, round=self._round, by="auto")

    def play(self, rng: Random) -> tuple[bytes, bytes]:
        """The next event of whole rounds: outcomes, voids, rounds that the dealer is to call, and corrections."""
        if not self._coming:
            self._coming = [*self._whole_round(rng)]
        kind, fields = self._coming.pop(0)
        return self.say(kind, **fields)

    def _whole_round(self, rng: Random) -> Iterator[tuple[type[Data], dict[str, Any]]]:
        self._round += 1
        of_round: dict[str, Any] = {"round": self._round}
        proof: dict[str, Any] = {"evidence": events.Evidence(), "rule": "ours", **of_round}
        results = [{"space": rng.randrange(50), "face": rng.choice(["$1", "$2", "$5", "joker"])} for _ in range(2)]
        yield events.RoundOpened, of_round
        yield events.NoMoreBets, {"by": "dealer", "rule": "ours", **of_round}
        yield events.RoundStarted, of_round
        yield events.RoundProgress, {"revolutions": rng.randrange(9), **of_round}
        match rng.randrange(8):
            case 0:
                yield events.Void, {"call": "No spin", "reason": "wheel_revolutions", **proof}
            case 1:
                yield events.Unresolved, {"reason": "edges_lost", "candidates": [results[0]], **proof}
            case _:
                yield events.Outcome, {"result": results[0], "winning": [], **proof}
        if not rng.randrange(4):
            verdict = events.Verdict(verdict="outcome", result=results[0])
            to = rng.choice([events.Verdict(verdict="outcome", result=results[1]), events.Verdict(verdict="void")])
            yield events.RoundCorrected, {"by": "ann", "from_": verdict, "to": to, "why": "seen", **of_round}
        yield events.Settled, {"by": "auto", **of_round}

    def heartbeat(self, state: str = "open") -> tuple[bytes, bytes]:
        """A heartbeat of the present state."""
        last = self._journal.last(self.table)
        return self.say(Heartbeat, epoch=self.epoch, last=last.seq, head=last.head.hex(), state=state)
