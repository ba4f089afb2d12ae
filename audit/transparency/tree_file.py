"""The file of a tree, `journal.sqlite.tree`: the hashes of its leaves, and the checkpoints that were signed of it.

A row has 256 hashes of one level, and the levels are eight apart, so that a leaf costs 32 bytes and a proof reads a few
rows. The nodes between are computed. What is whole is never written again. It outlives the records: what was archived
keeps its leaf here, and with it its proof.

    level 2     ▒                     1 hash stands for 65,536 leaves
    level 1     ████████▒             1 hash stands for 256 leaves
    level 0     ████ ████ ████ ▒▒     the leaves, 256 a row
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from audit.errors import UNREADABLE, JournalError, is_of_disk, journal_error
from audit.transparency.checkpoints import Checkpoint
from audit.transparency.notes import NoteError, SignedNote
from audit.transparency.own_file import connect, transaction
from audit.transparency.tree import HASH_BYTES, node_hash, root_of

SUFFIX: Final = ".tree"
NEWEST: Final = "newest"
"""The last checkpoint that was signed."""
MET: Final = "met"
"""The last that as many witnesses cosigned as the policy asks for."""

_APPLICATION_ID: Final = 0x46575452
""" "FWTR"."""
_VERSION: Final = 1
_LEVELS: Final = 8
"""Of the tree, between two levels of rows."""
_WIDTH: Final = 1 << _LEVELS
_TABLES: Final = (
    "CREATE TABLE log (origin TEXT NOT NULL, size INTEGER NOT NULL) STRICT",
    "CREATE TABLE tile (level INTEGER, place INTEGER, hashes BLOB NOT NULL, PRIMARY KEY (level, place)) STRICT",
    "CREATE TABLE checkpoint (which TEXT PRIMARY KEY, note BLOB NOT NULL) STRICT",
)
MOVE_AWAY: Final = "move it away, and run `feltwire journal publish` with all archives and the journal"


def tree_path(journal: Path) -> Path:
    """Where the tree of a journal is."""
    return journal.with_name(journal.name + SUFFIX)


class TreeFile:
    """A tree in its file. Programs may share it: what they add is the same, and is added in one transaction."""

    def __init__(self, path: Path, connection: sqlite3.Connection, origin: str) -> None:
        self.path = path
        self.origin = origin
        self._connection = connection

    @classmethod
    def open(cls, path: Path, origin: str = "") -> Self:
        """Opens a tree; with an `origin`, makes the file where there is none.

        Raises:
            JournalError: there is none, it is something else, of another log, or cannot be read or written.
        """
        if not path.exists():
            if not origin:
                raise JournalError(path, "there is no tree of this journal", "run `feltwire journal publish` on it")
            _make(path)
        with _errors(path, "opening it"):
            connection = connect(path)
            try:
                return cls(path, connection, _origin(connection, path, origin))
            except BaseException:
                connection.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @property
    def size(self) -> int:
        """How many leaves it has.

        Raises:
            JournalError: it cannot be read.
        """
        with _errors(self.path, "reading it"):
            return int(self._connection.execute("SELECT size FROM log").fetchone()[0])

    def append(self, leaves: Sequence[bytes], after: int) -> None:
        """Adds the hashes of leaves after the first `after`, durably. Those that are there are passed over.

        Raises:
            JournalError: it cannot be written, or would have a gap.
        """
        connection = self._connection
        with _errors(self.path, "adding leaves to it"), transaction(connection):
            (size,) = connection.execute("SELECT size FROM log").fetchone()
            if size < after:
                raise JournalError(self.path, f"it has {size} leaves, and the next is {after}", MOVE_AWAY)
            for level, place, hashes in self._rows(leaves[size - after :], size):
                connection.execute("INSERT OR REPLACE INTO tile VALUES (?, ?, ?)", (level, place, hashes))
            connection.execute("UPDATE log SET size = max(size, ?)", (after + len(leaves),))

    def _rows(self, new: Sequence[bytes], size: int) -> Iterator[tuple[int, int, bytes]]:
        """The rows that change where these hashes follow the first `size` of the lowest level."""
        level = 0
        while new:
            place, within = divmod(size, _WIDTH)
            held = (self._tile(level, place) if within else b"") + b"".join(new)
            whole: list[bytes] = []
            for first in range(0, len(held), _WIDTH * HASH_BYTES):
                hashes = held[first : first + _WIDTH * HASH_BYTES]
                yield level, place, hashes
                place += 1
                if len(hashes) == _WIDTH * HASH_BYTES:
                    whole.append(_top(hashes))
            new, size, level = whole, size // _WIDTH, level + 1

    def node(self, level: int, index: int) -> bytes:
        """The hash of a whole subtree, as `audit.transparency.tree` asks for it.

        Raises:
            JournalError: it is not there, or cannot be read.
        """
        row, above = divmod(level, _LEVELS)
        place, within = divmod(index << above, _WIDTH)
        hashes = self._tile(row, place)[within * HASH_BYTES : (within + (1 << above)) * HASH_BYTES]
        if len(hashes) != HASH_BYTES << above:
            raise JournalError(self.path, f"the leaves before {(index + 1) << level} are not there", MOVE_AWAY)
        return _top(hashes)

    def leaves(self, first: int, count: int) -> list[bytes]:
        """The hashes of this many leaves from leaf `first` on, as far as they are there.

        Raises:
            JournalError: it cannot be read.
        """
        place, within = divmod(first, _WIDTH)
        held = b"".join(self._tile(0, one) for one in range(place, (first + count - 1) // _WIDTH + 1))
        wanted = held[within * HASH_BYTES : (within + count) * HASH_BYTES]
        return [wanted[at : at + HASH_BYTES] for at in range(0, len(wanted), HASH_BYTES)]

    def check_nodes(self) -> None:
        """Computes the hash of each whole row of hashes again: the row above has it.

        Raises:
            JournalError: one differs, or it cannot be read.
        """
        with _errors(self.path, "reading it"):
            for level, place, hashes in self._connection.execute("SELECT level, place, hashes FROM tile"):
                if len(hashes) != _WIDTH * HASH_BYTES:
                    continue
                row, within = divmod(place, _WIDTH)
                if _top(hashes) != self._tile(level + 1, row)[within * HASH_BYTES : (within + 1) * HASH_BYTES]:
                    first = place * _WIDTH ** (level + 1) + 1
                    raise JournalError(self.path, f"its hashes from record {first} on were changed", MOVE_AWAY)

    def _tile(self, level: int, place: int) -> bytes:
        with _errors(self.path, "reading it"):
            query = "SELECT hashes FROM tile WHERE level = ? AND place = ?"
            row = self._connection.execute(query, (level, place)).fetchone()
        return b"" if row is None else bytes(row[0])

    def checkpoint(self, size: int) -> Checkpoint:
        """The checkpoint of the first `size` leaves.

        Raises:
            JournalError: it has fewer.
        """
        return Checkpoint(self.origin, size, root_of(size, self.node))

    def note(self, which: str) -> SignedNote | None:
        """The signed checkpoint `NEWEST`, or `MET`; None where there is none yet.

        Raises:
            JournalError: it cannot be read.
        """
        with _errors(self.path, "reading it"):
            row = self._connection.execute("SELECT note FROM checkpoint WHERE which = ?", (which,)).fetchone()
            return None if row is None else SignedNote.parse(bytes(row[0]))

    def keep(self, which: str, note: SignedNote) -> None:
        """Keeps a signed checkpoint, durably.

        Raises:
            JournalError: it cannot be written.
        """
        with _errors(self.path, "keeping a checkpoint in it"):
            row = (which, str(note).encode())
            self._connection.execute("INSERT OR REPLACE INTO checkpoint VALUES (?, ?)", row)


def _top(hashes: bytes) -> bytes:
    """The root of a power of two of hashes."""
    row = [hashes[first : first + HASH_BYTES] for first in range(0, len(hashes), HASH_BYTES)]
    while len(row) > 1:
        row = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=True)]
    return row[0]


def _make(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise JournalError(path, f"it cannot be made: {error.strerror}", "make its folder writable") from error


def _origin(connection: sqlite3.Connection, path: Path, origin: str) -> str:
    """The origin of the log; a new file gets the one that is given."""
    connection.execute("PRAGMA synchronous = FULL")
    if origin:
        with transaction(connection):
            if connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None:
                for table in _TABLES:
                    connection.execute(table)
                connection.execute("INSERT INTO log VALUES (?, 0)", (origin,))
                connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if (application, version) != (_APPLICATION_ID, _VERSION):
        raise JournalError(path, "it is not the tree of a log, or one of another version", MOVE_AWAY)
    (found,) = connection.execute("SELECT origin FROM log").fetchone()
    if origin and found != origin:
        raise JournalError(path, f"it is the tree of another log ({found}; expected {origin})", MOVE_AWAY)
    return str(found)


@contextmanager
def _errors(path: Path, doing: str) -> Iterator[None]:
    try:
        yield
    except (*UNREADABLE, NoteError, TypeError) as error:
        if is_of_disk(error) and isinstance(error, sqlite3.Error):
            # The tree is whole as far as is known, and of what was archived it may be all that there is.
            raise journal_error(path, error, doing) from error
        # What a stranger wrote into it may be of any type.
        raise JournalError(path, f"{doing} failed ({error})", MOVE_AWAY) from error
