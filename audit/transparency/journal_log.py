"""A journal as a log: every record is a leaf, in the order in which it was written, and its `n` is its place.

The first seal of the journal, with its key, names the log, so that a journal which is begun again is another one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from audit.base import read_base
from audit.errors import RUN_VERIFY, JournalDamaged, JournalError
from audit.queries import find
from audit.reading import reading
from audit.records import COLUMNS, BodyError, Columns, Record, columns_of, is_as_its_body_states
from audit.schema import CHAINS, VERDICT_TERM, VERDICTS
from audit.sealed import reach_of
from audit.seals import SEAL_COLUMNS, Seal, newest_seals
from audit.transparency.checkpoints import Checkpoint, InclusionProof
from audit.transparency.late_seals import late_seal
from audit.transparency.notes import SignedNote
from audit.transparency.sealed_leaves import (
    GIVE_ARCHIVES,
    NOTHING_SIGNED,
    OTHER_HISTORY,
    Leaves,
    RecordMissing,
    SealedLeaves,
    must_be_as_stated,
    next_rows,
)
from audit.transparency.tree import GrownTree, inclusion_proof, leaf_hash, root_of
from audit.transparency.tree_file import MET, NEWEST, TreeFile, tree_path
from hal.wording import counted, noun_for

ORIGIN: Final = "feltwire/"
_ORIGIN_DIGITS: Final = 32
_LAST: Final = "SELECT max((SELECT coalesce(max(n), 0) FROM record), (SELECT coalesce(max(n), 0) FROM base))"
"""How many records were ever written."""
_LEAF_COLUMNS: Final = f"n, CAST(body AS BLOB), {', '.join(Columns._fields)}"
_LeafRow: TypeAlias = tuple[Any, ...]


def origin_of(path: Path) -> str:
    """The name of a journal's log.

    Raises:
        JournalError: it cannot be read, or has no seal yet.
    """
    with reading(path, "looking for its first seal") as connection:
        row = connection.execute("SELECT hash, public_key FROM seal WHERE n = 1").fetchone()
    if row is None or not all(isinstance(one, bytes) for one in row):
        raise JournalError(path, "it has no first seal, which names its log", "start the service on it once")
    return ORIGIN + sha256(row[0] + row[1]).hexdigest()[:_ORIGIN_DIGITS]


def read_leaves(paths: Sequence[Path], size: int, take: Leaves) -> None:
    """Reads the records after the first `size` of archives, oldest first, and the journal, as they are.

    Raises:
        RecordChanged: the columns of one are not what its body states.
        JournalError: a file cannot be read, or records are missing.
    """
    for path in paths:
        rows: list[_LeafRow] | None = None
        while rows is None or rows:
            with reading(path, "reading its records") as connection:
                rows = next_rows(connection, path, _LEAF_COLUMNS, size)
                _must_be_as_their_bodies_state(connection, path, rows, RUN_VERIFY)
            take([leaf_hash(row[1]) for row in rows], size)
            size += len(rows)


def _must_be_as_their_bodies_state(
    connection: sqlite3.Connection, path: Path, rows: Sequence[_LeafRow], fix: str
) -> None:
    """The columns of these rows are what their bodies, and so their leaves, state."""
    for n, body, *there in rows:
        if not is_as_its_body_states(there, body):
            row = connection.execute(f"SELECT {COLUMNS} FROM record WHERE n = ?", (n,)).fetchone()
            must_be_as_stated(path, Record(*row), fix)


NOT_COMPARED: Final = "its records are being compared with what was signed"
_NOT_COMPARABLE: Final = "its records could not be compared with what was signed; the publisher has logged why"


class GrowingTree:
    """Adds to a tree what its journal has more, each time that it is asked, and sees that what is in it stays there.

    All records are compared with their leaves the first time, each `whole_every` times, and after a failure until they
    agree; in between, those that were added the time before. Who has the key of the seals can write an old record, all
    hashes and all seals again: nothing else here shows that.
    """

    def __init__(self, tree: TreeFile, paths: Sequence[Path], key: bytes, whole_every: int) -> None:
        """`key` is the public key of the log."""
        self._tree = tree
        self._paths = paths
        self._key = key
        self._whole_every = whole_every
        self._times = self._compared_after = 0
        self._unlike = NOT_COMPARED
        """Why its records are not, or not yet, known to be those of the tree."""
        self._unsealed = ""
        """Why what it has more is not as it was sealed."""

    @property
    def damage(self) -> str:
        """Why the journal is not, or not yet, known to be what was signed, as it was found last; empty where it is."""
        return self._unlike or self._unsealed

    def catch_up(self) -> int:
        """The size of the tree then.

        Raises:
            JournalDamaged: the journal does not go on from what the tree has, or is not as it was sealed.
            JournalError: a file cannot be read or written, or is not of this journal.
        """
        try:
            self._compare()
        except JournalDamaged as error:
            self._unlike = error.what
            raise
        except JournalError:
            if self._unlike == NOT_COMPARED:
                self._unlike = _NOT_COMPARABLE
            raise
        # Whatever is wrong from here on, a full disk or another key, is not of these.
        self._unlike = ""
        try:
            size = self._add()
        except JournalDamaged as error:
            self._unsealed = error.what
            raise
        self._unsealed = ""
        return size

    def _compare(self) -> None:
        before = self._tree.size
        after = self._compared_after if self._times % self._whole_every else 0
        _must_go_on(self._tree, self._paths[-1], before)
        _must_be_one_journal(self._paths, before)
        for path in self._paths:
            _must_be_as_in_the_tree(self._tree, path, after)
        if not after:
            self._tree.check_nodes()
        self._compared_after = before
        self._times += 1

    def _add(self) -> int:
        leaves = SealedLeaves(self._tree.size, self._key, self._tree.append)
        for path in self._paths:
            leaves.read(path)
        leaves.end(self._paths[-1])
        return leaves.size


def _must_be_as_in_the_tree(tree: TreeFile, path: Path, after: int) -> None:
    """The records of a file after the first `after` are the leaves that they were."""
    other = first_other_record(tree, path, after)
    if other is not None:
        what = f"record {other.n} ({other.id!a}) is not the one that was in it: its history was rewritten"
        raise JournalDamaged(path, what, OTHER_HISTORY)


class OtherRecord(NamedTuple):
    """A record that is not the one of which the tree has the leaf."""

    n: int
    id: object


def first_other_record(tree: TreeFile, path: Path, after: int = 0) -> OtherRecord | None:
    """The first record of a file, after the first `after`, that is not the one that is in the tree; None where all are.

    Raises:
        JournalDamaged: records are missing, or the columns of one are not what its body states.
        JournalError: the file, or the tree, cannot be read.
    """
    with reading(path, "looking where it begins") as connection:
        archived = reach_of(read_base(connection))
        (first,) = connection.execute("SELECT min(n) FROM record WHERE n > ?", (after,)).fetchone()
    if first is None:
        return None
    size = first - 1
    if size > max(after, archived):
        raise JournalDamaged(path, f"records are missing before record {first}", OTHER_HISTORY)
    while True:
        with reading(path, "comparing its records") as connection:
            rows: list[_LeafRow] = next_rows(connection, path, _LEAF_COLUMNS, size)
            leaves = tree.leaves(size, len(rows)) if rows else []
            for (n, body, _, _, identity, *_), leaf in zip(rows, leaves, strict=False):
                if leaf_hash(body) != leaf:
                    return OtherRecord(n, identity)
            _must_be_as_their_bodies_state(connection, path, rows, NOTHING_SIGNED)
        if len(leaves) < len(rows) or not rows:
            return None
        size += len(rows)


def _must_be_one_journal(paths: Sequence[Path], size: int) -> None:
    """Archives are of the journal, and each file of which something after `size` is read is continued by the next.

    Raises:
        JournalError: they are not, or a file cannot be read.
    """
    origin = origin_of(paths[-1])
    for before, path in pairwise(paths):
        if origin_of(before) != origin:
            raise JournalError(before, f"it is an archive of another journal than {paths[-1]}", "give those of this")
        with reading(path, "looking where it begins") as connection:
            base = read_base(connection)
        with reading(before, "looking where it ends") as connection:
            if connection.execute("SELECT max(n) FROM record WHERE n > ?", (size,)).fetchone() == (None,):
                continue
            ends = {chain: _end_of(connection, chain) for (chain,) in connection.execute(CHAINS)}
        if ends != {row.chain: (row.seq, row.hash) for row in base}:
            fix = "give the archives oldest first and the journal last; `feltwire journal verify` with all shows more"
            raise JournalError(path, f"it does not continue {before}", fix)


def _end_of(connection: sqlite3.Connection, chain: object) -> object:
    """Number and hash of the last record of a chain, or of the one after which its history begins."""
    last = connection.execute("SELECT seq, hash FROM record WHERE chain = ? ORDER BY seq DESC LIMIT 1", (chain,))
    base = connection.execute("SELECT seq, hash FROM base WHERE chain = ?", (chain,))
    return last.fetchone() or base.fetchone()


def _must_go_on(tree: TreeFile, path: Path, size: int) -> None:
    if origin_of(path) != tree.origin:
        raise JournalDamaged(path, "another journal was begun in its place", "start `feltwire journal publish` again")
    with reading(path, "looking for its last record") as connection:
        (last,) = connection.execute(_LAST).fetchone()
        row = connection.execute("SELECT body FROM record WHERE n = ?", (size,)).fetchone()
    if last < size:
        what = f"it ends with record {last}, and record {size} was in it: its history was lost, or cut off"
        raise JournalDamaged(path, what, OTHER_HISTORY)
    if row is not None and leaf_hash(bytes(row[0])) != tree.node(0, size - 1):
        what = f"record {size} is not the one that was in it: its history was rewritten"
        raise JournalDamaged(path, what, OTHER_HISTORY)


def checkpoints_at(paths: Sequence[Path], sizes: Sequence[int], tree: TreeFile | None) -> dict[int, Checkpoint]:
    """The checkpoints of the first `sizes` records, and of all that there are, computed from the records themselves;
    those of archives that are not given come from the tree. A size that the journal does not have is left out.

    Raises:
        JournalError: a file cannot be read, or older records are neither in an archive that was given nor in the tree.
    """
    origin = origin_of(paths[-1])
    with reading(paths[0], "looking where it begins") as connection:
        before = reach_of(read_base(connection))
    _must_be_one_journal(paths, before)
    grown = GrownTree()

    def take(hashes: Iterable[bytes], _after: int = 0) -> None:
        for one in hashes:
            grown.append(one)

    if before:
        if tree is None or tree.size < before:
            what = f"its first {before} records are in archives, and not in a tree"
            raise JournalError(paths[0], what, f"{GIVE_ARCHIVES}; or the tree of the journal with --tree")
        take(tree.node(0, index) for index in range(before))
    read_leaves(paths, before, take)
    there = {*(size for size in sizes if size <= grown.size), grown.size}
    return {size: Checkpoint(origin, size, root_of(size, grown.node)) for size in sorted(there)}


def records_after(paths: Sequence[Path], size: int) -> tuple[int, str]:
    """How many records a journal has, and the time of the first after `size` that it or its archives hold, by its body;
    empty where there is none, or it states none.

    Raises:
        JournalError: a file cannot be read.
    """
    time = ""
    for path in reversed(paths):
        with reading(path, "looking for what is not signed") as connection:
            query = f"SELECT {COLUMNS} FROM record WHERE n > ? ORDER BY n LIMIT 1"
            row = connection.execute(query, (size,)).fetchone()
            if path is paths[-1]:
                (last,) = connection.execute(_LAST).fetchone()
        if row is not None:
            try:
                time = str(columns_of(Record(*row)).time)
            except BodyError:
                time = ""
    return last, time


class NotWitnessedError(Exception):
    """A record is in no signed checkpoint yet, or is not the one that is in it; the message states which."""

    def __init__(self, what: str, *, is_changed: bool = False) -> None:
        super().__init__(what)
        self.is_changed = is_changed


def must_be_of(tree: TreeFile, paths: Sequence[Path]) -> None:
    """Files are of the journal of a tree: a record of another one would seem changed.

    Raises:
        JournalError: one is not, or cannot be read.
    """
    for path in paths:
        if origin_of(path) != tree.origin:
            raise JournalError(path, f"{tree.path} is the tree of another journal", "give its own with --tree")


def prove(tree: TreeFile, record: Record, paths: Sequence[Path]) -> InclusionProof:
    """The proof of a record: in the last checkpoint that enough witnesses cosigned, or in the newest where that one
    does not have it yet; with its mark, by the seals of the last of these files, where it was found without a seal.

    Raises:
        NotWitnessedError: no checkpoint has it yet, or another record is in its place.
        JournalError: the tree cannot be read, or the record's seal.
    """
    leaf = record.n - 1
    note, size = _note_with(tree, leaf)
    if tree.node(0, leaf) != leaf_hash(record.body):
        raise NotWitnessedError(
            f"{record.id}: it is not the record that is in the tree: it was changed; run `feltwire journal witnesses`, "
            "which shows what others have signed",
            is_changed=True,
        )
    mark = late_seal(paths[-1], record.n)
    extra = b"" if mark is None else mark.extra()
    return InclusionProof(leaf, tuple(inclusion_proof(leaf, size, tree.node)), note, extra)


def size_beside(journal: Path) -> int:
    """How many records the tree beside a journal, or beside the file that a link leads to, has; 0 where there is none
    of it. Asked before the journal is read, it is never more than the journal has: while one is published, both grow.

    Raises:
        JournalError: one of them cannot be read.
    """
    sizes = [0]
    for path in {tree_path(journal), tree_path(journal.resolve())}:
        if path.exists():
            with TreeFile.open(path) as tree:
                sizes.append(tree.size if tree.origin == origin_of(journal) else 0)
    return max(sizes)


def must_be_the_last(tree: TreeFile, record: Record, paths: Sequence[Path], beside: int) -> int:
    """Each record from a verdict on is the one of which the tree has the leaf, and in its place: no later verdict is
    hidden among them. Returns how many records of the tree are after the last of these files, as after an archive.
    `beside` is the `size_beside` of that one.

    Raises:
        NotWitnessedError: one is not, or the tree beside the last file has more than it.
        JournalError: a file, or the tree, cannot be read, or a file does not continue the one before it.
    """
    size = tree.size
    _must_be_one_journal(paths, record.n - 1)
    try:
        for path in paths:
            _must_be_as_in_the_tree(tree, path, record.n - 1)
    except JournalDamaged as error:
        raise NotWitnessedError(str(error), is_changed=True) from error
    last, _ = records_after(paths, size)
    if beside > last:
        raise NotWitnessedError(f"{more_beside(beside, last)}; a correction may be among those that it does not have")
    return max(0, size - last)


def more_beside(beside: int, last: int) -> str:
    """That the tree beside a journal has more than it, in words."""
    return (
        f"the tree beside it has {counted(beside, 'record')}, and it has {last}: it was cut off, or, where it is a "
        "copy, that tree is of a later moment: move it away from beside the copy"
    )


def _note_with(tree: TreeFile, leaf: int) -> tuple[SignedNote, int]:
    for which in (MET, NEWEST):
        note = tree.note(which)
        if note is not None and (size := Checkpoint.parse(note.text).size) > leaf:
            return note, size
    raise NotWitnessedError(
        f"record {leaf + 1} is in no signed checkpoint yet; `feltwire journal publish` signs one each minute"
    )


def find_event(paths: Sequence[Path], identity: str) -> Record | None:
    """The record of an event in these files; None where none has it.

    Raises:
        RecordChanged: its columns are not what its body states.
        JournalError: a file cannot be read.
    """
    for path in reversed(paths):
        record = find(path, identity)
        if record is not None:
            must_be_as_stated(path, record, RUN_VERIFY)
            return record
    return None


_OF_ROUND: Final = f"(round = :round AND {VERDICT_TERM})"
# The body is hashed, and written without spaces: what it states of its round hides from no change of a column.
_STATES_ROUND: Final = "(instr(body, :round_is) AND (instr(body, :more_after) OR instr(body, :last_of_data)))"
_VERDICTS: Final = (
    f"SELECT {COLUMNS} FROM record WHERE chain = :table AND ({_OF_ROUND} OR {_STATES_ROUND}) ORDER BY seq DESC"
)


def find_verdict(paths: Sequence[Path], table: str, number: int) -> Record | None:
    """The last verdict of a round, or its last correction; None where no file has one.

    Raises:
        RecordChanged: the columns of a record that states this round, and is not before that, are not what it states.
        RecordMissing: a record of this table after that is missing, or the last seal, which states them, is changed.
        JournalError: one of the files from the one that has it on cannot be read, or does not continue the one before
            it: a correction may be between them.
    """
    words = f'"round":{number}'.encode()
    values = {
        "table": table,
        "round": number,
        "round_is": words,
        "more_after": words + b",",
        "last_of_data": words + b"}",
    }
    for index in reversed(range(len(paths))):
        path = paths[index]
        with reading(path, "looking for a round") as connection:
            found = None
            for row in connection.execute(_VERDICTS, values):
                record = Record(*row)
                must_be_as_stated(path, record, RUN_VERIFY)
                if record.round == number and record.kind in VERDICTS:
                    found = record
                    break
            _must_have_all_after(connection, path, table, found)
        if found is not None:
            _must_be_one_journal(paths[index:], found.n - 1)
            return found
    return None


_BEFORE_GAP: Final = (
    "SELECT min(seq) FROM "
    "(SELECT :after AS seq UNION ALL SELECT seq FROM record WHERE chain = :table AND seq > :after) AS one "
    "WHERE NOT EXISTS (SELECT 1 FROM record WHERE chain = :table AND seq = one.seq + 1)"
)


def _must_have_all_after(connection: sqlite3.Connection, path: Path, table: str, record: Record | None) -> None:
    """No record of a table after one, or after what is archived, was deleted, or moved to another table: that leaves a
    gap in its numbers, or ends them before the last that a seal states.
    """
    row = connection.execute(f"SELECT {SEAL_COLUMNS} FROM seal ORDER BY n DESC LIMIT 1").fetchone()
    if row is not None and not Seal(*row).is_genuine:
        what = f"seal {row[0]!a}, the last, is not as it was signed: whether records are missing is not known"
        raise RecordMissing(path, what, RUN_VERIFY)
    archived = connection.execute("SELECT seq FROM base WHERE chain = ?", (table,)).fetchone() or (0,)
    after = archived[0] if record is None else record.seq
    query = "SELECT count(*), coalesce(max(seq), ?) FROM record WHERE chain = ? AND seq > ?"
    count, last = connection.execute(query, (after, table, after)).fetchone()
    heads = (seal.content.heads for seal in newest_seals(connection))
    sealed = max((one[table].seq for one in heads if table in one), default=0)
    if count != last - after or last < sealed:
        missing = max(last, sealed) - after - count
        are = noun_for(missing, "is", "are")
        # By the gap, and not by what was asked for: one gap is one error in the log.
        (before,) = connection.execute(_BEFORE_GAP, {"table": table, "after": after}).fetchone()
        what = f"{counted(missing, 'record')} of {table!a} {are} missing, from its record {before + 1} on"
        raise RecordMissing(path, what, RUN_VERIFY)
