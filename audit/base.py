"""Where the history of a file begins, once older history was archived: the table `base`.

A row a chain: the last record that was archived, and `state`, the table's state after it. No hash of a chain covers
the rows, so the seals state their digest, and only the seal of an archiving may state another one than the seal before.

The digest is what `sqlite3` and `sha256sum` print, so that anybody can check it:

    sqlite3 journal.sqlite "SELECT chain, seq, epoch, lower(hex(hash)), n, lower(hex(state)) FROM base ORDER BY chain" \
        | sha256sum
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NamedTuple

from audit.records import COMMANDS
from feed.state import Snapshot, decode_snapshot

NO_BASE: Final = sha256(b"").hexdigest()
"""The digest where nothing was archived."""
_TYPES: Final = (str, int, str, bytes, int, bytes)
_HASH_BYTES: Final = 32


class BaseRow(NamedTuple):
    """The last archived record of a chain, after which the history in this file begins."""

    chain: str
    seq: int
    epoch: str
    hash: bytes
    n: int
    state: bytes
    """The state of the table after that record: a snapshot in JSON; empty for the commands."""

    @property
    def is_typed(self) -> bool:
        """Whether its values have the types that they must have: SQLite does not look at those of what it reads."""
        return tuple(map(type, self)) == _TYPES and len(self.hash) == _HASH_BYTES

    def snapshot(self) -> Snapshot | None:
        """The state of the table; None for the commands, and where an older Feltwire kept nothing.

        Raises:
            ValueError: the state cannot be read, or is that of another table or record.
        """
        if self.chain == COMMANDS or not self.state:
            return None
        found = decode_snapshot(self.state)
        if (found.table, found.last, found.epoch) != (self.chain, self.seq, self.epoch):
            state_of = f"{found.table} after record {found.last} of {found.epoch}"
            raise ValueError(f"it is the state of {state_of}, and represents record {self.seq} of {self.epoch}")
        return found


def read_base(connection: sqlite3.Connection) -> list[BaseRow]:
    """The rows, by chain. Their values may be of any type where the file is not verified.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    query = "SELECT chain, seq, epoch, hash, n, state FROM base ORDER BY chain"
    return [BaseRow(*row) for row in connection.execute(query)]


def base_digest(rows: Iterable[BaseRow]) -> str:
    """The digest of the rows, by chain; empty, which no seal states, where a value is of a wrong type."""
    digest = sha256()
    for row in rows:
        if not row.is_typed:
            return ""
        digest.update(f"{row.chain}|{row.seq}|{row.epoch}|{row.hash.hex()}|{row.n}|{row.state.hex()}\n".encode())
    return digest.hexdigest()
