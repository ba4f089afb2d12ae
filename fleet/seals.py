"""Seals of journals in a venue's stream: signed heads, against which the stream is verified without the table.

    feltwire.v1.<venue>._seal.<beginning of the public key>

A seal is published when the stream holds every event that it vouches for: where one of them is missing later, it was
removed. Events of a table whose history was rewritten are not waited for: that table does not verify with or without
them, and the seal vouches for other tables too. Which key signed it is in the seal; whose key that is, whoever verifies
knows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

import msgspec

from audit.records import COMMANDS
from audit.seals import received
from feed.wire import SealList, SignedSeal
from fleet.streams import JetStream
from fleet.subjects import SEAL, TableName, parse_subject, root_of

KEY_DIGITS: Final = 16
"""Of the public key, in the subject and in words."""


class SealedHeads(NamedTuple):
    """What a seal vouches for."""

    seal: SignedSeal
    name: str
    """In words: its number, its time, and the beginning of its key."""
    hash: str
    heads: dict[str, tuple[int, bytes]]
    """By table, the number of an event and the head after it."""

    @property
    def public_key(self) -> bytes:
        """The key that signed it."""
        return bytes.fromhex(self.seal.public_key)


def read_seal(body: bytes) -> SealedHeads:
    """The seal of a message.

    Raises:
        ValueError: it is none, or its signature is not of the key that it names.
    """
    try:
        sent = msgspec.json.decode(body, type=SignedSeal)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it cannot be read: {error}") from error
    return _sealed(sent)


def read_seals(body: bytes) -> list[SealedHeads]:
    """The seals of an answer of the history.

    Raises:
        ValueError: they are none.
    """
    try:
        sent = msgspec.json.decode(body, type=SealList).seals
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"the seals cannot be read: {error}") from error
    return [_sealed(one) for one in sent]


def _sealed(sent: SignedSeal) -> SealedHeads:
    seal, content = received(sent)
    heads = {
        chain: (head.seq, bytes.fromhex(head.hash))
        for chain, head in content.heads.items()
        if chain != COMMANDS and head.seq > 0
    }
    name = f"seal {content.n} of {content.time} by the key {sent.public_key[:KEY_DIGITS]}…"
    return SealedHeads(sent, name, seal.hash.hex(), heads)


def seal_subject(venue: str, one: SealedHeads, *, simulated: bool) -> str:
    """The subject of the seals of its key."""
    return f"{root_of(venue, simulated=simulated)}.{SEAL}.{one.seal.public_key[:KEY_DIGITS]}"


class SealedHead(NamedTuple):
    """A head that a seal states."""

    seq: int
    hash: bytes
    seal: SealedHeads


class FoundSeals(NamedTuple):
    """The seals in a stream."""

    heads: dict[TableName, list[SealedHead]]
    """By table; where a seal states again what the one before does, the first of them."""
    notes: list[str]
    """What is there and vouches for nothing, and whose keys were taken at their word."""


async def sealed_heads(jetstream: JetStream, stream: str, keys: Collection[bytes], venue: str = "") -> FoundSeals:
    """What the seals in a stream vouch for: those of `keys`, or of any key where none is given.

    Raises:
        NatsUnavailableError, NatsRefusedError: it cannot be read.
    """
    found = FoundSeals({}, [])
    info = await jetstream.info(stream, subjects=">")
    taken: set[str] = set()
    for subject in sorted(() if info is None else info.subjects):
        parsed = parse_subject(subject)
        if parsed is None or parsed.table != SEAL or venue not in ("", parsed.venue):
            continue
        async for message in jetstream.read(stream, subject):
            try:
                one = read_seal(message.body)
            except ValueError as error:
                found.notes.append(f"message {message.seq} ({subject}) is not a seal: {error}")
                continue
            if keys and one.public_key not in keys:
                note = f"the seals of the key {one.seal.public_key} vouch for nothing: it was not given with --key"
                found.notes.extend(() if note in found.notes else (note,))
                continue
            taken.add(one.seal.public_key)
            for table, (seq, head) in one.heads.items():
                name = TableName(parsed.venue, parsed.simulated, table)
                heads = found.heads.setdefault(name, [])
                if not heads or (heads[-1].seq, heads[-1].hash) != (seq, head):
                    heads.append(SealedHead(seq, head, one))
    if not keys:
        found.notes.extend(
            f"seals were checked with the key in them, {key}: compare it with the one that you keep, or give that "
            "with --key"
            for key in sorted(taken)
        )
    return found
