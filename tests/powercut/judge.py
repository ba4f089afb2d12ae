"""What a journal must hold after something happened to it, told independently of how it reads itself.

The truth is what the program noted of itself: every entry before it was submitted, every submission when it was told
to be durable. How a table stands is folded here a second time, from plain JSON.
"""

from __future__ import annotations

import json
import sqlite3
from base64 import b64decode
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from audit.records import Entry, genesis, link
from controller.journal.journal import Journal
from controller.journal.recovery import RecoveredTable

Submitted = dict[tuple[str, str, int], bytes]
"""By chain, epoch and seq: the body."""


class PublishedEvents(NamedTuple):
    """A head that was told to be durable."""

    chain: str
    seq: int
    epoch: str
    hash: str


def submitted(path: Path) -> Submitted:
    """All that was ever submitted. A run that was killed while it noted an entry did not submit it."""
    entries = []
    lines = path.read_bytes().split(b"\n")
    for line, following in zip(lines, [*lines[1:], b""], strict=True):
        if not line:
            continue
        try:
            entries.append(json.loads(line))
        except ValueError:
            assert not following, "only the last line of a run may be cut"
    # msgspec writes bytes as base64.
    return {(chain, epoch, seq): b64decode(body) for chain, seq, _, epoch, _, _, _, _, body in entries}


def bodies(entries: Iterable[Entry]) -> Submitted:
    """Entries, as `Submitted` has them."""
    return {(entry.chain, entry.epoch, entry.seq): entry.body for entry in entries}


def heads_told(line: bytes) -> list[PublishedEvents]:
    """The heads that were told to be durable with one submission."""
    return [PublishedEvents(*one) for one in json.loads(line)]


def check_prefix(path: Path, truth: Submitted) -> dict[str, dict[int, str]]:
    """The journal holds nothing but what was submitted, in order, and its chains are sound. Gives the hashes by seq."""
    hashes: dict[str, dict[int, str]] = {}
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT chain, seq, epoch, body, hash FROM record ORDER BY n").fetchall()
    finally:
        connection.close()
    before: dict[str, tuple[int, bytes]] = {}
    for chain, seq, epoch, body, digest in rows:
        last, previous = before.get(chain, (0, genesis(chain)))
        assert seq == last + 1, f"{chain} goes from {last} to {seq}"
        assert body == truth[chain, epoch, seq], f"{chain} {seq} is not what was submitted"
        assert digest == link(previous, body), f"{chain} {seq} breaks its chain"
        before[chain] = seq, digest
        hashes.setdefault(chain, {})[seq] = digest.hex()
    return hashes


def missing(hashes: dict[str, dict[int, str]], seen: Iterable[PublishedEvents]) -> list[PublishedEvents]:
    """What somebody saw and the journal does not hold."""
    return [one for one in seen if hashes.get(one.chain, {}).get(one.seq) != one.hash]


def check_tables(journal: Journal) -> None:
    """Each table is recovered as its events have it."""
    connection = sqlite3.connect(journal.path)
    try:
        for table, recovered in journal.recovered.items():
            rows = connection.execute("SELECT body FROM record WHERE chain = ? ORDER BY seq", (table,))
            _check_table(recovered, [json.loads(body) for (body,) in rows])
    finally:
        connection.close()


def _check_table(recovered: RecoveredTable, events: list[Any]) -> None:
    unfinished = None
    faults: list[tuple[str, str]] = []
    rounds: list[tuple[int, str, Any]] = []
    for event in events:
        kind, data = event["type"].removeprefix("feltwire.").removesuffix(".v1"), event["data"]
        if kind == "round.opened":
            unfinished = data["round"]
        elif kind in ("round.outcome", "round.void"):
            rounds.append((data["round"], kind.removeprefix("round."), data["evidence"].get("revolutions")))
            unfinished = None
        elif kind == "device.fault":
            faults.append((data["device"], data["fault"]))
        elif kind == "device.cleared":
            faults.remove((data["device"], data["fault"]))
    state = recovered.state
    assert state.last == recovered.head.seq == len(events)
    assert state.unfinished_round == unfinished
    assert [(fault.device, fault.fault) for fault in state.faults] == faults
    kept = [(one.round, one.verdict, one.evidence.revolutions if one.evidence else None) for one in state.rounds]
    assert kept == rounds[-10:]
