"""Seals: signatures over all that the journal holds at a moment.

A seal states the head of every chain, the number of records, and the hash of the seal before. It is signed with
Ed25519 and written in the same transaction as the records that it follows. Whoever edits a sealed record, and makes
all hashes after it anew, would need the signing key to make the seals anew as well.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from controller.journal.records import Head, genesis
from hal.clock import Clock, wall_time

START: Final = "start"
STOP: Final = "stop"
COUNT: Final = "count"
SEAL_EVERY: Final = 1000
"""Records between two seals while the service runs (ours)."""
FIRST: Final = genesis("@seals").hex()
"""Stands before the first seal, as the hash of the seal before."""

_DOMAIN = b"feltwire seal\0"
"""Signed in front of the statement, so that the signature is good for nothing else."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a seal."""

    n: int
    """Its own number, from 1."""
    why: str
    """`start`, `stop`, or `count`: so many records were written."""
    time: str
    records: int
    """How many records were ever written, over all chains: the `n` of the last."""
    heads: dict[str, Head]
    """By chain: the last record of each."""
    previous: str
    """Hash of the seal before, in hexadecimal."""


class Seal(NamedTuple):
    """A seal as it stands in the file."""

    n: int
    after_n: int
    """It covers the records up to this one."""
    statement: bytes
    """JSON of a `Statement`, exactly as it was signed."""
    public_key: bytes
    signature: bytes
    hash: bytes
    """SHA-256 of what was signed."""

    @property
    def content(self) -> Statement:
        """The decoded statement.

        Raises:
            ValueError: the statement cannot be read.
        """
        return _DECODER.decode(self.statement)

    @property
    def is_genuine(self) -> bool:
        """Whether it is signed with the key that it names, and its hash is its own. Not whose key it is."""
        signed = _DOMAIN + self.statement
        if sha256(signed).digest() != self.hash:
            return False
        try:
            VerifyKey(self.public_key).verify(signed, self.signature)
        except (BadSignatureError, ValueError):
            return False
        return True


class SealSigner:
    """Makes the seals of one run of the service."""

    def __init__(self, key: SigningKey, clock: Clock, last: Seal | None) -> None:
        self._key = key
        self._public_key = bytes(key.verify_key)
        self._clock = clock
        self._n, self._previous = (0, FIRST) if last is None else (last.n, last.hash.hex())

    def seal(self, why: str, records: int, heads: Mapping[str, Head]) -> Seal:
        """The next seal, over `records` records with these heads."""
        self._n += 1
        statement = _ENCODER.encode(
            Statement(
                n=self._n,
                why=why,
                time=wall_time(self._clock),
                records=records,
                heads=dict(heads),
                previous=self._previous,
            )
        )
        signed = _DOMAIN + statement
        seal = Seal(
            self._n, records, statement, self._public_key, self._key.sign(signed).signature, sha256(signed).digest()
        )
        self._previous = seal.hash.hex()
        return seal


def read_seals(connection: sqlite3.Connection) -> Iterator[Seal]:
    """The seals of a journal, oldest first."""
    rows = connection.execute("SELECT n, after_n, statement, public_key, signature, hash FROM seal ORDER BY n")
    return (Seal(*row) for row in rows)


_ENCODER = msgspec.json.Encoder(order="deterministic")
_DECODER = msgspec.json.Decoder(Statement)
