"""What one page still needs: the newest message of each kind and table, and no queue.

    put() ──► slots, one for each table ──► batch() ──► page ──acknowledgement──► acknowledged() ──► batch() …

The next batch leaves when the page has acknowledged the one before: on a slow link there is one batch on its way at
most, and what a newer message replaces is never sent. Each batch ends with the message `sync`:

    {"type": "sync", "batch": n, "at": ms, "echo": ms, "heard": ms, "behind": [key, …]}

`at` is the gateway's clock when the batch was made. `echo` is the page's own clock of its last message, `heard` the
gateway's clock when that came: the moment `heard` is not before `echo`, and from that the page has an upper bound of
the age of whatever carries a time of the gateway. `behind` are the tables of which a newer message waits: a page must
not take what it has of them as confirmed.

Nothing here does I/O or reads a clock: times are the caller's, in milliseconds that never go back.
"""

from __future__ import annotations

from typing import Final

import msgspec

BATCH_OCTETS: Final = 2048
"""The most of boards and of what moves in a batch (ours), unless one board alone is larger: at 1,500 octets a second
the page has it in under two seconds."""

_JSON: Final = msgspec.json.Encoder()


class Sync(msgspec.Struct, frozen=True, tag_field="type", tag="sync"):
    """The end of a batch."""

    batch: int
    at: int
    echo: float
    heard: int
    behind: list[str]


class Acknowledgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page answers to each batch."""

    ack: int
    """The batch."""
    now: float
    """The page's clock, in milliseconds."""


class Newest:
    """The slots of one page."""

    def __init__(self, echo: float, heard: int) -> None:
        """`echo` is the page's clock in its request, `heard` the gateway's when that came."""
        self._echo = echo
        self._heard = heard
        self._first: dict[str, bytes] = {}
        self._boards: dict[str, bytes] = {}
        self._motions: dict[str, bytes] = {}
        self.batches = 0
        """How many were made: the number of the last one."""
        self.left_ms: int | None = None
        """When the batch left that is on its way, by the gateway's clock; None where none is."""

    def put_first(self, kind: str, body: bytes) -> None:
        """A message of no table: it is part of the next batch, whatever else waits."""
        self._first[kind] = body

    def put_board(self, key: str, body: bytes) -> None:
        """A table, whole: replaces what waits of it, and keeps its turn."""
        self._motions.pop(key, None)
        self._boards[key] = body

    def put_motion(self, key: str, body: bytes) -> None:
        """What moves at a table: goes after its board."""
        self._motions[key] = body

    @property
    def behind(self) -> list[str]:
        """The tables of which something waits."""
        return sorted({*self._boards, *self._motions})

    def batch(self, now_ms: int) -> list[bytes]:
        """The next messages to send; empty while a batch is on its way or nothing waits."""
        if self.left_ms is not None or not (self._first or self._boards or self._motions):
            return []
        bodies = [*self._first.values()]
        self._first.clear()
        octets = 0
        for slots in (self._boards, self._motions):
            while slots:
                key, body = next(iter(slots.items()))
                if octets and octets + len(body) > BATCH_OCTETS:
                    break
                del slots[key]
                octets += len(body)
                bodies.append(body)
            else:
                # Empty, it would keep the room of all tables, for each page.
                slots.clear()
        self.batches += 1
        self.left_ms = now_ms
        bodies.append(_JSON.encode(Sync(self.batches, now_ms, self._echo, self._heard, self.behind)))
        return bodies

    def acknowledged(self, answer: Acknowledgement, now_ms: int) -> None:
        """The page has a batch.

        Raises:
            ValueError: it is not the one on its way.
        """
        if self.left_ms is None or answer.ack != self.batches:
            raise ValueError(f"batch {answer.ack} is not on its way")
        self.left_ms = None
        self._echo, self._heard = answer.now, now_ms
