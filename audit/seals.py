"""Seals: signatures over all that the journal holds at a moment.

A seal states the heads of chains, the number of records, and the hash of the seal before. It is signed with Ed25519.
Whoever edits a sealed record, and makes all hashes after it again, would need the signing key to make the seals again.

    start ─► records, second, records, second, count ... ─► stop ─► archive ─► start ─► ...
                                                          │
                                                          └ nothing is between a stop and the next start

What is between the last seal before a crash and the next start had no seal: anybody who could write the file may
have put it there. The start states how many such records it found, and `verify` names them.

Every seal of all heads also states where the history of the file begins (`base`). An archiving changes that, and makes
a seal of its own: `archive` in the journal, `closed` at the end of the archive, after which nothing follows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from audit.base import NO_BASE
from audit.records import Head, genesis
from feed.wire import SignedSeal
from hal.clock import Clock, wall_time

START: Final = "start"
STOP: Final = "stop"
COUNT: Final = "count"
SECOND: Final = "second"
ARCHIVE: Final = "archive"
"""Of a journal from which history was archived: it states the base that this left behind."""
CLOSED: Final = "closed"
"""Of an archive: its end."""
AT_REST: Final = {STOP: "orderly end", ARCHIVE: "archiving", CLOSED: "end of an archive"}
"""After a seal of these nobody writes a record, with the words for it."""
AFTER_REST: Final = (START, ARCHIVE, CLOSED)
"""The seals that may follow one of `AT_REST`; none follows the end of an archive."""
MOVES_BASE: Final = (ARCHIVE, CLOSED)
"""The seals that may state another base than the seal before."""
SEAL_EVERY: Final = 1000
"""Records between two seals over all chains while the service runs (ours); archives end at such a seal."""
SEALS: Final = "@seals"
"""The name of the seals where the witness or a kept head names them as a chain. No table can be called so."""
FIRST: Final = genesis("@seals").hex()
"""Takes the place of the previous seal's hash in the first seal."""

_DOMAIN = b"feltwire seal\0"
"""Signed in front of the statement, so that the signature is good for nothing else."""


class Statement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content of a seal."""

    n: int
    """Its own number, from 1."""
    why: str
    """`start`, `stop`, `count` (this many records were written), `second` (records were written, and time passed),
    `archive` or `closed`."""
    time: str
    records: int
    """How many records were ever written, over all chains: the `n` of the last."""
    heads: dict[str, Head]
    """By chain: the last record of each; of a `second`, only of the chains that were written since the seal before."""
    previous: str
    """Hash of the seal before, in hexadecimal."""
    unsealed: int | None = None
    """Of a start or an archiving: how many records it found after the last seal, which nobody had vouched for. None in
    older seals."""
    newest: str = ""
    """The latest wall time of all records and seals up to this one, which need not be its own. Empty in older seals."""
    base: str | None = None
    """Of a seal of all heads: the digest of where the history of the file begins. None in older seals, which leave that
    unproven."""
    witness: str = ""
    """Of a start that found no good witness beside the journal: what it found (`audit.witness.State`)."""

    @property
    def is_full(self) -> bool:
        """Whether it states the heads of all chains."""
        return self.why != SECOND


class Seal(NamedTuple):
    """A seal as it is in the file."""

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
        try:
            return _DECODER.decode(self.statement)
        except RecursionError as error:
            raise ValueError("it nests too deep") from error

    @property
    def is_whole(self) -> bool:
        """Whether its hash is that of its statement. Not who signed it."""
        return sha256(_DOMAIN + self.statement).digest() == self.hash

    @property
    def is_genuine(self) -> bool:
        """Whether it is signed with the key that it names, and its hash is its own. Not whose key it is."""
        if not self.is_whole:
            return False
        try:
            VerifyKey(self.public_key).verify(_DOMAIN + self.statement, self.signature)
        except (BadSignatureError, ValueError):
            return False
        return True


class SealSigner:
    """Makes the seals of one run of the service."""

    def __init__(
        self,
        key: SigningKey,
        clock: Clock,
        last: Seal | None,
        newest: str = "",
        *,
        base: str = NO_BASE,
        witness: str = "",
    ) -> None:
        """`last` is the last seal of the file, `newest` the latest wall time of its records and seals, `base` the
        digest of where its history begins, and `witness` what a start found beside it in place of a good witness.
        """
        self._key = key
        self.base = base
        """The digest that the next seal of all heads states."""
        self._witness = witness
        self._newest = newest
        self._public_key = bytes(key.verify_key)
        self._clock = clock
        self._n, self._previous = (0, FIRST) if last is None else (last.n, last.hash.hex())
        self._sealed = 0 if last is None else last.after_n

    @property
    def head(self) -> Head:
        """The last seal, as the witness notes it."""
        return Head(self._n, "", self._previous)

    def written(self, time: str) -> None:
        """Takes note of the wall time of a record."""
        self._newest = max(self._newest, time)

    def seal(self, why: str, records: int, heads: Mapping[str, Head]) -> Seal:
        """The next seal, over `records` records with these heads."""
        self._n += 1
        time = wall_time(self._clock)
        self._newest = max(self._newest, time)
        statement = _ENCODER.encode(
            Statement(
                n=self._n,
                why=why,
                time=time,
                records=records,
                heads=dict(heads),
                previous=self._previous,
                unsealed=records - self._sealed if why in AFTER_REST else None,
                newest=self._newest,
                base=None if why == SECOND else self.base,
                witness=self._witness if why == START else "",
            )
        )
        signed = _DOMAIN + statement
        seal = Seal(
            self._n, records, statement, self._public_key, self._key.sign(signed).signature, sha256(signed).digest()
        )
        self._previous = seal.hash.hex()
        self._sealed = records
        return seal


def signed(seal: Seal) -> SignedSeal:
    """A seal as the feed's history has it."""
    return SignedSeal(
        statement=seal.statement.decode(), public_key=seal.public_key.hex(), signature=seal.signature.hex()
    )


def received(sent: SignedSeal) -> tuple[Seal, Statement]:
    """The seal, and its content, of what the history answered.

    Raises:
        ValueError: it is none, or its signature is not of the key that it names.
    """
    statement = sent.statement.encode()
    try:
        content = _DECODER.decode(statement)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"the statement cannot be read: {error}") from error
    key, signature = bytes.fromhex(sent.public_key), bytes.fromhex(sent.signature)
    seal = Seal(content.n, content.records, statement, key, signature, sha256(_DOMAIN + statement).digest())
    if not seal.is_genuine:
        raise ValueError("its signature is not of the key that it names")
    return seal, content


def newest_seals(connection: sqlite3.Connection) -> list[Seal]:
    """Of each chain the newest seal that names it, each once, oldest first.

    Seals that state all heads are at most `SEAL_EVERY` records apart: none before the last one of them is read.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    found, named = [], set[str]()
    for row in connection.execute(f"SELECT {SEAL_COLUMNS} FROM seal ORDER BY n DESC"):
        seal = Seal(*row)
        try:
            content = seal.content
        except ValueError:
            # A damaged one: the journal's own verify reports it.
            continue
        if not named.issuperset(content.heads):
            found.append(seal)
        named.update(content.heads)
        if content.is_full:
            break
    return found[::-1]


SEAL_COLUMNS: Final = "n, after_n, statement, public_key, signature, hash"
BEFORE_ALL: Final = -(2**63)
"""Less than every `n` that a row can have, but one that none has."""


def read_seals(connection: sqlite3.Connection, after: int = BEFORE_ALL) -> Iterator[Seal]:
    """The seals of a journal after seal `after`, oldest first."""
    rows = connection.execute(f"SELECT {SEAL_COLUMNS} FROM seal WHERE n > ? ORDER BY n", (after,))
    return (Seal(*row) for row in rows)


def trusted_seal(connection: sqlite3.Connection, public_key: bytes, until_n: int) -> Seal | None:
    """The last seal of this key that states all heads after at most `until_n` records, where the records that it names
    are there; None where there is none.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    (archived,) = connection.execute("SELECT coalesce(max(n), 0) FROM base").fetchone()
    query = f"SELECT {SEAL_COLUMNS} FROM seal WHERE after_n <= ? ORDER BY n DESC"
    for row in connection.execute(query, (until_n,)):
        seal = Seal(*row)
        if seal.after_n <= archived:
            return None
        if seal.public_key == public_key and seal.is_genuine and _can_begin(connection, seal):
            return seal
    return None


def _can_begin(connection: sqlite3.Connection, seal: Seal) -> bool:
    try:
        content = seal.content
    except ValueError:
        return False
    if not (content.is_full and content.newest) or (content.n, content.records) != (seal.n, seal.after_n):
        return False
    for chain, head in content.heads.items():
        rows = [
            row[0].hex()
            for table in ("record", "base")
            for row in connection.execute(f"SELECT hash FROM {table} WHERE chain = ? AND seq = ?", (chain, head.seq))
        ]
        if head.hash not in rows:
            return False
    return True


_ENCODER = msgspec.json.Encoder(order="deterministic")
_DECODER = msgspec.json.Decoder(Statement)
