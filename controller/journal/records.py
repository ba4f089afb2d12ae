"""What the journal holds: records in chains, each bound to the one before it by its hash.

    genesis ──► record 1 ──► record 2 ──► ... ──► record n        hash n = SHA-256(hash n-1 ‖ body n)

A table has one chain, named after it; what people send has another, `COMMANDS`. The hash of the last record, the
head, stands for all of them: who knows it can tell whether anything before it was changed, left out or put in.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from feed.events import Event, genesis, link

__all__ = ["COMMAND", "COMMANDS", "Entry", "Head", "Record", "genesis", "link", "nothing"]

COMMANDS: Final = "@commands"
"""The chain of commands. No table can be called so."""
COMMAND: Final = "command"
"""The kind of a record of that chain."""


class Entry(NamedTuple):
    """A record that is to be written."""

    chain: str
    """A table's id, or `COMMANDS`."""
    seq: int
    """Its number in the chain, from 1 without a gap, over restarts too."""
    id: str
    """An event's `id`; of a command, the id under which it must not be carried out twice."""
    epoch: str
    """The start of the service that wrote it."""
    kind: str
    """`round.outcome`, `command`, …"""
    round: int | None
    time: str
    topic: str
    """Under which it is published; empty where it is not."""
    body: bytes
    """JSON, exactly as it is published."""

    @classmethod
    def of(cls, event: Event, body: bytes) -> Entry:
        """The entry of a durable event and its encoded body.

        Raises:
            ValueError: the event is not durable.
        """
        seq = event.seq
        if seq is None:
            raise ValueError(f"{event.id} is not durable: it has no sequence, and is published without the journal")
        topic = event.topic
        kind = topic.rsplit("/", 2)[-2]
        number = getattr(event.data, "round", None)
        return cls(event.data.table, seq, event.id, event.epoch, kind, number, event.time, topic, body)


class Head(NamedTuple):
    """The last record of a chain; seq 0 and the hash of nothing where there is none."""

    seq: int
    epoch: str
    hash: str
    """In hexadecimal."""


class Record(NamedTuple):
    """A record as it stands in the file; `n` counts over all chains."""

    n: int
    chain: str
    seq: int
    id: str
    epoch: str
    kind: str
    round: int | None
    time: str
    topic: str
    body: bytes
    hash: bytes


def nothing(chain: str) -> Head:
    """The head of a chain without a record."""
    return Head(0, "", genesis(chain).hex())
