"""Moves sealed history out of a journal into an archive, which is a journal itself and verifies by itself.

    archive 1                archive 2                the journal
    1 ──── seal 3, closed    4 ──── seal 9, closed    base: heads of seal 9, then 10 ────► archive
                             base: heads of seal 3

Nothing is deleted before the archive is complete, durable, verified and compared. What stays keeps, as its base, the
heads that the seal states and the state of each table. Both are signed: a seal `closed` ends the archive, and a seal
`archive` in the journal states the base, in the transaction that deletes. Cut off at any moment, the journal is as
before or as after; a second call goes on. The service must not run: a deletion this large would hold its writer up
longer than it waits for a lock, and it would stop play.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from nacl.signing import SigningKey

from audit.base import BaseRow, base_digest, read_base
from audit.errors import RUN_VERIFY, UNREADABLE, VERIFY, JournalDamaged, JournalError, journal_error
from audit.findings import AuditReport
from audit.reading import connect_reader
from audit.records import COMMANDS, Head
from audit.schema import CHAINS, create, prepare
from audit.seals import ARCHIVE, CLOSED, SEALS, Seal, SealSigner, Statement, read_seals
from audit.table_state import head_of, state_of
from audit.verify import verify
from audit.witness import State, Witness, read_witness
from controller.journal.files import Lock, connect_writer, make_file
from controller.journal.store import INSERT_SEAL
from controller.journal.walk import Walk, walk
from feed.state import encode_snapshot
from hal.clock import Clock
from hal.durable_files import sync_folder

Progress: TypeAlias = Callable[[str], None]
"""What is being done now."""


class Archived(NamedTuple):
    """What was moved."""

    archive: Path
    records: int
    until: str
    """The time of the seal up to which history was moved."""
    left: int
    """Records that the journal still holds."""


def archive(
    path: Path,
    out: Path,
    before: datetime,
    *,
    key: SigningKey,
    clock: Clock,
    keys: Collection[bytes] = (),
    progress: Progress = lambda _: None,
) -> Archived | None:
    """Moves what was sealed up to `before` into `out`; None where nothing sealed is older.

    `key` seals the journal, and what is done here; `keys` are the public keys that seals may be of, by default the one
    in the file.

    Raises:
        JournalError: the service runs, the key is another than the one that sealed it last, a file cannot be used, or
            the journal does not verify. Nothing is lost.
    """
    _look(path, out)
    with Lock(path):
        try:
            with closing(connect_writer(path)) as connection:
                prepare(connection, path)
                progress("verifying the journal")
                _must_verify(path, keys, "nothing is archived of a journal that does not verify")
                if not _must_seal(connection, path, key):
                    return None
                begun = _begun(connection, out, keys)
                if begun is not None and _is_archived(connection, begun):
                    _must_be_all(connection, out, before)
                    return None
                seal = _last_seal(connection, before) if begun is None else begun
                if seal is None:
                    return None
                if begun is None:
                    progress(f"writing {out}")
                    _write(connection, path, out, seal, SealSigner(key, clock, seal, seal.content.newest), keys)
                progress("deleting from the journal what is archived")
                done, sealed = _delete(connection, path, out, seal, partial(SealSigner, key, clock))
                _note(path, sealed)
                return done
        except (*UNREADABLE, OSError) as error:
            raise journal_error(path, error, f"archiving it to {out}") from error


def archivable(path: Path, before: datetime) -> tuple[int, str] | None:
    """How many records `archive` would move, and the time of the seal that they end with; None for none.

    Only reads, and may be called while the service writes.

    Raises:
        JournalError: the file cannot be read.
    """
    if not path.is_file():
        raise JournalError(path, "there is no such file", "give the path of a journal")
    try:
        with closing(connect_reader(path)) as connection:
            seal = _last_seal(connection, before)
            if seal is None:
                return None
            (records,) = connection.execute("SELECT count(*) FROM record WHERE n <= ?", (seal.after_n,)).fetchone()
            return records, seal.content.time
    except UNREADABLE as error:
        raise journal_error(path, error, "reading what could be archived") from error
    except ValueError as error:
        raise JournalDamaged(path, f"what a seal states cannot be read: {error}", VERIFY) from error


def _must_seal(connection: sqlite3.Connection, path: Path, key: SigningKey) -> bool:
    """The key is the one that sealed the journal last: with another, the next start would find a stranger's seal.

    Returns whether anything is sealed: a start that was cut off before its first seal leaves an empty journal.
    """
    seals = [*read_seals(connection)]
    if not seals:
        return False
    last = seals[-1]
    if last.content.why == CLOSED:
        raise JournalError(path, "it is an archive itself", "give the path of the journal")
    if last.public_key != bytes(key.verify_key):
        what = f"the signing key that was given is not the one that sealed it last ({last.public_key.hex()})"
        raise JournalError(path, what, "give the key of the service with --signing-key")
    return True


def _note(path: Path, sealed: Seal) -> None:
    """Has the witness note the seal of the archiving, so that it cannot be cut off again; where it is a good one."""
    noted = read_witness(path)
    if noted.state is State.GOOD:
        Witness(path, {**noted.heads, SEALS: Head(sealed.n, "", sealed.hash.hex())}).close()


def _look(path: Path, out: Path) -> None:
    if not path.is_file():
        raise JournalError(path, "there is no such file", "give the path of a journal")
    if out.absolute() == path.absolute() or out.is_dir():
        raise JournalError(out, "it is the journal itself, or a folder", "name a new file for the archive")
    if not out.absolute().parent.is_dir():
        raise JournalError(out, "its folder is not there", "make the folder first")


def _last_seal(connection: sqlite3.Connection, before: datetime) -> Seal | None:
    """The last seal that is old enough and covers anything that is still here."""
    (archived,) = connection.execute("SELECT coalesce(max(n), 0) FROM base").fetchone()
    found = None
    for seal in read_seals(connection):
        if seal.after_n > archived and seal.content.is_full and datetime.fromisoformat(seal.content.time) <= before:
            found = seal
    return found


def _begun(connection: sqlite3.Connection, out: Path, keys: Collection[bytes]) -> Seal | None:
    """The seal up to which `out` was written by a call that was cut off before it deleted anything."""
    if not out.exists():
        return None
    report = _must_verify(out, keys, "it is not an archive that this command wrote")
    ends = {chain: (head.seq, head.hash) for chain, head in report.heads.items()}
    for seal in read_seals(connection):
        if (
            ends
            and seal.content.is_full
            and ends == {chain: (head.seq, head.hash) for chain, head in seal.content.heads.items()}
        ):
            base = {str(chain): int(seq) for chain, seq in connection.execute("SELECT chain, seq FROM base")}
            begins = {chain: head.seq for chain, head in report.archived.items()}
            if base == begins or _is_archived(connection, seal):
                return seal
    raise JournalError(out, "it is there already, and holds something else", "name a new file for the archive")


def _must_be_all(connection: sqlite3.Connection, out: Path, before: datetime) -> None:
    """`out` was written and its records deleted: nothing that is old enough was sealed since."""
    if _last_seal(connection, before) is not None:
        raise JournalError(
            out, "it holds what was archived earlier, and more can be archived now", "name a new file for the archive"
        )


def _is_archived(connection: sqlite3.Connection, seal: Seal) -> bool:
    (archived,) = connection.execute("SELECT coalesce(max(n), 0) FROM base").fetchone()
    return bool(seal.after_n <= archived)


def _write(
    connection: sqlite3.Connection, path: Path, out: Path, seal: Seal, signer: SealSigner, keys: Collection[bytes]
) -> None:
    """Writes the archive under another name, and gives it its own when it is proven to be whole."""
    part = out.with_name(out.name + ".part")
    try:
        for left in (part, part.with_name(part.name + "-journal")):
            left.unlink(missing_ok=True)
        make_file(part)
        with closing(sqlite3.connect(part, isolation_level=None)) as fresh:
            create(fresh)
        connection.execute("ATTACH ? AS archive", (str(part),))
        try:
            connection.execute("PRAGMA archive.synchronous = FULL")
            connection.execute("BEGIN")
            connection.execute("INSERT INTO archive.base SELECT * FROM main.base")
            connection.execute("INSERT INTO archive.record SELECT * FROM main.record WHERE n <= ?", (seal.after_n,))
            connection.execute("INSERT INTO archive.seal SELECT * FROM main.seal WHERE n <= ?", (seal.n,))
            signer.base = base_digest(read_base(connection))
            connection.execute(
                "INSERT INTO archive.seal VALUES (?, ?, ?, ?, ?, ?)",
                signer.seal(CLOSED, seal.after_n, seal.content.heads),
            )
            connection.execute("COMMIT")
            _compare(connection, path, out, seal)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.execute("DETACH archive")
        report = _must_verify(part, keys, "the archive that was just written does not verify, and nothing was deleted")
        _same_heads(out, seal.content, {chain: (head.seq, head.hash) for chain, head in report.heads.items()})
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(out)
        sync_folder(out.absolute().parent)
    except OSError as error:
        raise journal_error(out, error, "writing it") from error


def _compare(connection: sqlite3.Connection, path: Path, out: Path, seal: Seal) -> None:
    """Every row, byte by byte."""
    query = "SELECT count(*) FROM (SELECT * FROM main.record WHERE n <= ? EXCEPT SELECT * FROM archive.record)"
    (missing,) = connection.execute(query, (seal.after_n,)).fetchone()
    if missing:
        raise JournalError(out, f"{missing} records are not as they are in {path}", "replace the disk it is on")


def _same_heads(out: Path, said_: Statement, heads: dict[str, tuple[int, str]]) -> None:
    if heads != {chain: (head.seq, head.hash) for chain, head in said_.heads.items()}:
        raise JournalError(out, f"it does not end with the heads of seal {said_.n}", "replace the disk it is on")


def _delete(
    connection: sqlite3.Connection, path: Path, out: Path, seal: Seal, signer: Callable[..., SealSigner]
) -> tuple[Archived, Seal]:
    """Puts the base in place of the archived records and seals that, in one transaction that is proven before it is
    committed."""
    with closing(sqlite3.connect(out, isolation_level=None)) as archived:
        base = _base(archived, out, seal.content)
        (records,) = archived.execute("SELECT count(*) FROM record").fetchone()
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(
            "INSERT OR REPLACE INTO base (chain, seq, epoch, hash, n, state) VALUES (?, ?, ?, ?, ?, ?)", base
        )
        connection.execute("DELETE FROM record WHERE n <= ?", (seal.after_n,))
        sealed = _sealed(connection, signer)
        connection.execute(INSERT_SEAL, sealed)
        for fault in walk(connection, Walk(connection)):
            if fault is not None:
                raise JournalError(
                    path, f"without what is archived, {fault.where}: {fault.what}", "report this; nothing was deleted"
                )
        (left,) = connection.execute("SELECT count(*) FROM record").fetchone()
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            # The error that led here is the one to report; without a commit nothing is deleted anyway.
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return Archived(out, records, seal.content.time, left), sealed


def _sealed(connection: sqlite3.Connection, signer: Callable[..., SealSigner]) -> Seal:
    """The seal over what archiving leaves behind, after the last one."""
    *_, last = read_seals(connection)
    (newest,) = connection.execute("SELECT coalesce(max(time), '') FROM record WHERE n > ?", (last.after_n,)).fetchone()
    (n,) = connection.execute(
        "SELECT max((SELECT coalesce(max(n), 0) FROM record), (SELECT max(n) FROM base))"
    ).fetchone()
    heads = {chain: head_of(connection, chain) for (chain,) in connection.execute(CHAINS)}
    content = last.content
    newest = max(newest, content.newest, content.time)
    return signer(last, newest, base=base_digest(read_base(connection))).seal(ARCHIVE, n, heads)


def _base(archived: sqlite3.Connection, out: Path, said_: Statement) -> list[BaseRow]:
    rows: list[BaseRow] = []
    for chain, head in said_.heads.items():
        query = "SELECT n FROM record WHERE chain = ? AND seq = ? UNION SELECT n FROM base WHERE chain = ? AND seq = ?"
        (n,) = archived.execute(query, (chain, head.seq, chain, head.seq)).fetchone()
        state = b"" if chain == COMMANDS else encode_snapshot(state_of(archived, chain, out).snapshot())
        rows.append(BaseRow(chain, head.seq, head.epoch, bytes.fromhex(head.hash), n, state))
    return rows


def _must_verify(path: Path, keys: Collection[bytes], otherwise: str) -> AuditReport:
    report = verify(path, keys=keys)
    if report.first is not None:
        raise JournalError(path, f"it does not verify ({report.first}): {otherwise}", RUN_VERIFY)
    return report
