"""The file of a witness: its key, and the last checkpoint that it cosigned of each log, durable before it signs.

Key and checkpoints are in one file: whoever loses the one loses the other, and never signs a second history with the
first one's key. A copy that is put back would forget what was signed since: begin a new witness instead.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple, Self

from nacl.signing import SigningKey

from audit.errors import UNREADABLE, is_of_disk
from audit.transparency.checkpoints import Checkpoint, cosign, cosigned_at
from audit.transparency.notes import WITNESS_KEY, NoteError, NoteKey, NoteSignature, SignedNote
from audit.transparency.own_file import connect, transaction
from audit.transparency.witness import SubmittedCheckpoint, WitnessRefusal, refuse_growth
from hal.durable_files import sync_folder

_APPLICATION_ID: Final = 0x46575453
""" "FWTS"."""
_VERSION: Final = 1
_TABLES: Final = (
    "CREATE TABLE witness (name TEXT NOT NULL, key BLOB NOT NULL) STRICT",
    """CREATE TABLE latest (
        origin TEXT PRIMARY KEY, origin_hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, root BLOB NOT NULL, note BLOB
    ) STRICT""",
)
AGAIN_S: Final = 60
"""How old a cosignature may be that is given again (ours)."""
_DURABLE: Final = "PRAGMA synchronous = EXTRA"
"""A commit ends with the removal of the rollback journal. FULL does not sync that: after a power cut the journal could
be there again, and undo what was signed."""


class WitnessFileError(Exception):
    """The file of a witness cannot be used; the message names it, what is wrong, and what to do."""


class WitnessFile:
    """A witness's key and memory."""

    def __init__(self, path: Path, connection: sqlite3.Connection, name: str, key: SigningKey) -> None:
        self.path = path
        self._connection = connection
        self._name = name
        self._key = key

    @classmethod
    def open(cls, path: Path, name: str = "") -> Self:
        """Opens a file; with a `name`, makes it, with a new key, where there is none.

        Raises:
            WitnessFileError: it is not there, is something else or another witness's, or cannot be read or written.
        """
        try:
            if not path.exists():
                if not name:
                    raise WitnessFileError(f"{path}: there is no witness; begin one with --name")
                _make(path, name)
            if path.stat().st_mode & 0o077:
                raise WitnessFileError(f"{path}: others may read its key; chmod 600 {path}")
            connection = connect(path)
            try:
                connection.execute(_DURABLE)
                (application,) = connection.execute("PRAGMA application_id").fetchone()
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                if (application, version) != (_APPLICATION_ID, _VERSION):
                    raise WitnessFileError(f"{path}: it is not the file of a witness; give another path")
                found, key = connection.execute("SELECT name, key FROM witness").fetchone()
                if name and name != found:
                    raise WitnessFileError(f"{path}: its witness is called {found}, not {name}; leave --name out")
                return cls(path, connection, str(found), SigningKey(bytes(key)))
            except BaseException:
                connection.close()
                raise
        except (*UNREADABLE, OSError, TypeError, ValueError) as error:
            fix = "begin a new witness elsewhere"
            if is_of_disk(error):
                fix = "keep it: it may be whole; look at its permissions, at the disk, and for a program that holds it"
            raise WitnessFileError(f"{path}: it cannot be used ({error}); {fix}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    @property
    def key(self) -> NoteKey:
        """The public key, for policies."""
        return NoteKey(self._name, WITNESS_KEY, bytes(self._key.verify_key))

    def add(self, submitted: SubmittedCheckpoint, time_s: int) -> NoteSignature | WitnessRefusal:
        """Cosigns a checkpoint that continues the last one, after it is kept durably. The newest checkpoint is public,
        and anybody may send it again: within `AGAIN_S` they get its cosignature again, and nothing is written.

        Raises:
            WitnessFileError: it cannot be kept: nothing is signed.
        """
        with self._transaction():
            latest, shown = self._latest(submitted.checkpoint.origin)
            refusal = refuse_growth(submitted, latest)
            if refusal is not None:
                return refusal
            # It is shown after it was signed, and signed after it was durable.
            again = _cosignature(shown, submitted.note, self.key)
            if again is None:
                self._keep(submitted, None)
            elif 0 <= time_s - again.time_s < AGAIN_S:
                return again.signature
        # Whatever happens from here on, no smaller and no other tree is signed any more.
        signature = cosign(submitted.note.text, self._name, self._key, time_s)
        with self._transaction():
            latest, _ = self._latest(submitted.checkpoint.origin)
            if latest == submitted.checkpoint:
                self._keep(submitted, signature)
        return signature

    def shown(self, origin_hash: str) -> SignedNote | None:
        """The last checkpoint of a log with its cosignature, by the SHA-256 of its origin; None where there is none.

        Raises:
            WitnessFileError: it cannot be read.
        """
        with self._errors():
            query = "SELECT note FROM latest WHERE origin_hash = ? AND note IS NOT NULL"
            row = self._connection.execute(query, (origin_hash,)).fetchone()
            return None if row is None else SignedNote.parse(bytes(row[0]))

    def _latest(self, origin: str) -> tuple[Checkpoint | None, SignedNote | None]:
        """The last checkpoint of a log, and the note that is shown, which may be of an earlier one."""
        row = self._connection.execute("SELECT size, root, note FROM latest WHERE origin = ?", (origin,)).fetchone()
        if row is None:
            return None, None
        return Checkpoint(origin, row[0], bytes(row[1])), None if row[2] is None else SignedNote.parse(bytes(row[2]))

    def _keep(self, submitted: SubmittedCheckpoint, signature: NoteSignature | None) -> None:
        origin, size, root = submitted.checkpoint
        note = None
        if signature is not None:
            note = str(SignedNote(submitted.note.text, (*submitted.note.signatures, signature))).encode()
        # Until the new one is signed, the one before is shown.
        self._connection.execute(
            "INSERT INTO latest VALUES (?, ?, ?, ?, ?) ON CONFLICT (origin) DO UPDATE SET size = excluded.size, "
            "root = excluded.root, note = coalesce(excluded.note, note)",
            (origin, sha256(origin.encode()).hexdigest(), size, root, note),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors(), transaction(self._connection):
            yield

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (*UNREADABLE, NoteError, TypeError) as error:
            raise WitnessFileError(f"{self.path}: it cannot be read or written ({error}); nothing is signed") from error


class _TimedSignature(NamedTuple):
    signature: NoteSignature
    time_s: int


def _cosignature(shown: SignedNote | None, note: SignedNote, key: NoteKey) -> _TimedSignature | None:
    """That of a note which is shown with all signatures of its log."""
    if shown is None or shown.text != note.text or not {*note.signatures} <= {*shown.signatures}:
        return None
    own = next((one for one in shown.signatures if one.is_by(key)), None)
    time_s = None if own is None else cosigned_at(shown.text, own, key)
    return None if own is None or time_s is None else _TimedSignature(own, time_s)


def _make(path: Path, name: str) -> None:
    """Makes a file under another name, and gives it its own when it is whole and durable."""
    begun = path.with_name(path.name + ".new")
    begun.unlink(missing_ok=True)
    os.close(os.open(begun, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    connection = connect(begun)
    try:
        connection.execute(_DURABLE)
        connection.execute("BEGIN")
        for table in _TABLES:
            connection.execute(table)
        connection.execute("INSERT INTO witness VALUES (?, ?)", (name, bytes(SigningKey.generate())))
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")
    finally:
        connection.close()
    begun.rename(path)
    sync_folder(path.absolute().parent)
