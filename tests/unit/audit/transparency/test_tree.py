"""The tree, its proofs and its file, against RFC 6962 word for word."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from audit.errors import JournalError
from audit.transparency.checkpoints import Checkpoint, InclusionProof, cosign
from audit.transparency.notes import SignedNote
from audit.transparency.tree import (
    EMPTY_ROOT,
    TreeProofError,
    check_growth,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
    root_with_leaf,
)
from audit.transparency.tree_file import NEWEST, TreeFile
from tests.fakes.witnessing import (
    LOG,
    TIME_S,
    bodies_of,
    checkpoint_of,
    grown,
    naive_growth,
    naive_path,
    naive_root,
)

LEAVES = [leaf_hash(body) for body in bodies_of("event", 1100)]
TREE = grown(bodies_of("event", 1100))
SIZES = st.integers(0, 300)


def test_every_proof_of_every_small_tree_is_the_one_of_the_rfc_and_checks() -> None:
    for size in range(34):
        leaves = LEAVES[:size]
        root = root_of(size, TREE.node)
        assert root == naive_root(leaves)
        for index in range(size):
            proof = inclusion_proof(index, size, TREE.node)
            assert proof == naive_path(index, leaves)
            assert root_with_leaf(leaves[index], index, size, proof) == root
        for old in range(size + 1):
            growth = consistency_proof(old, size, TREE.node)
            assert growth == (naive_growth(old, leaves) if old else [])
            check_growth(old, size, naive_root(leaves[:old]), root, growth)


@given(st.integers(1, 1100), st.data())
def test_proofs_of_greater_trees_check_and_no_other_leaf_root_or_size_does(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(index, size, TREE.node)
    root = root_of(size, TREE.node)
    assert root_with_leaf(LEAVES[index], index, size, proof) == root
    assert root_with_leaf(leaf_hash(b"another"), index, size, proof) != root
    wrong = list(proof)
    if wrong:
        at = data.draw(st.integers(0, len(wrong) - 1))
        wrong[at] = leaf_hash(wrong[at])
        assert root_with_leaf(LEAVES[index], index, size, wrong) != root
        with pytest.raises(TreeProofError, match="fewer"):
            root_with_leaf(LEAVES[index], index, size, proof[:-1])
    with pytest.raises(TreeProofError, match="more"):
        root_with_leaf(LEAVES[index], index, size, [*proof, EMPTY_ROOT])
    with pytest.raises(TreeProofError, match="no leaf"):
        root_with_leaf(LEAVES[index], size, size, proof)


@given(st.integers(1, 1000), st.integers(1, 100), st.data())
def test_a_tree_that_was_rewritten_has_no_proof_that_it_grew(old: int, more: int, data: st.DataObject) -> None:
    new = old + more
    growth = consistency_proof(old, new, TREE.node)
    old_root, new_root = root_of(old, TREE.node), root_of(new, TREE.node)
    check_growth(old, new, old_root, new_root, growth)
    at = data.draw(st.integers(0, old - 1))
    other = grown([*bodies_of("event", at), b"another", *bodies_of("event", new)[at + 1 :]])
    other_root = root_of(new, other.node)
    for proof in (growth, consistency_proof(old, new, other.node)):
        with pytest.raises(TreeProofError):
            check_growth(old, new, old_root, other_root, proof)
    for short in (growth[:-1], [*growth, EMPTY_ROOT]):
        with pytest.raises(TreeProofError):
            check_growth(old, new, old_root, new_root, short)


def test_a_tree_never_passes_for_a_greater_one() -> None:
    """The proof of a tree of 8, for one that is stated to have 16, or 5 for 3."""
    for old, real, stated in ((4, 8, 16), (3, 5, 9), (1, 2, 3)):
        proof = consistency_proof(old, real, TREE.node)
        with pytest.raises(TreeProofError):
            check_growth(old, stated, root_of(old, TREE.node), root_of(real, TREE.node), proof)


def test_a_hash_of_another_length_is_none_in_any_proof() -> None:
    """Two nodes of 64 bytes that are cut elsewhere are the same bytes: one root would have two trees."""
    left, right = LEAVES[0], LEAVES[1]
    root = node_hash(node_hash(left, right), LEAVES[2])
    assert root_with_leaf(LEAVES[2], 2, 3, [node_hash(left, right)]) == root
    with pytest.raises(TreeProofError, match="a hash of 64 bytes; expected 32"):
        root_with_leaf(LEAVES[2], 2, 4, [LEAVES[3], left + right])
    # As the last node of a tree of 3, all 64 bytes of its root are before it; behind it is anything.
    old = node_hash(left, right)
    new = node_hash(left + right, node_hash(b"", LEAVES[3]))
    for proof in ([b"", LEAVES[3], left + right], [left, LEAVES[3], right + b"more"]):
        with pytest.raises(TreeProofError, match=r"a hash of (0|36) bytes; expected 32"):
            check_growth(3, 4, old, new, proof)


def test_what_needs_no_proof_takes_none_and_roots_must_agree() -> None:
    root = root_of(5, TREE.node)
    check_growth(0, 5, EMPTY_ROOT, root, [])
    check_growth(5, 5, root, root, [])
    for old, new, old_root, new_root, proof in (
        (0, 5, EMPTY_ROOT, root, [EMPTY_ROOT]),
        (0, 5, root, root, []),
        (5, 5, root, EMPTY_ROOT, []),
        (5, 5, root, root, [EMPTY_ROOT]),
        (6, 5, root, root, []),
        (3, 5, root_of(3, TREE.node), root, []),
    ):
        with pytest.raises(TreeProofError):
            check_growth(old, new, old_root, new_root, proof)


# --- a million events -------------------------------------------------------------------------------------------------

MILLION = 1_000_000
SPECIAL = 765_432
COMMON = leaf_hash(b"any event")


@cache
def _of_level(level: int) -> bytes:
    return COMMON if level == 0 else node_hash(_of_level(level - 1), _of_level(level - 1))


def million(level: int, index: int) -> bytes:
    """A tree of a million leaves that are alike, but for one: no leaf is stored."""
    if SPECIAL >> level != index:
        return _of_level(level)
    if level == 0:
        return leaf_hash(b"the event")
    return node_hash(million(level - 1, 2 * index), million(level - 1, 2 * index + 1))


def test_a_proof_at_a_million_events_with_four_witnesses_has_at_most_2_kb() -> None:
    origin = f"feltwire/{'0' * 32}"
    checkpoint = checkpoint_of(million, MILLION, origin)
    note = checkpoint.sign(LOG)
    cosigned = [
        cosign(note.text, f"witness.example/hall-{number}", SigningKey(bytes([number]) * 32), TIME_S)
        for number in range(4)
    ]
    proof = InclusionProof(
        SPECIAL,
        tuple(inclusion_proof(SPECIAL, MILLION, million)),
        SignedNote(note.text, (*note.signatures, *cosigned)),
    )
    assert len(proof.hashes) == 20
    assert len(str(proof).encode()) <= 2000
    read = InclusionProof.parse(str(proof).encode())
    assert read == proof
    assert read.has(b"the event")
    assert not read.has(b"any event")
    growth = consistency_proof(SPECIAL, MILLION, million)
    check_growth(SPECIAL, MILLION, root_of(SPECIAL, million), checkpoint.root, growth)


# --- the file ------------------------------------------------------------


@given(st.lists(st.integers(1, 300), min_size=1, max_size=5))
def test_a_tree_in_its_file_is_the_tree_however_its_leaves_came(pieces: list[int]) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        # The tables of a file, without a disk.
        from audit.transparency import tree_file

        tree_file._origin(connection, Path("memory"), "log")
        tree = TreeFile(Path("memory"), connection, "log")
        size = 0
        for piece in pieces:
            new = LEAVES[size : size + piece]
            tree.append(new, size)
            size += len(new)
        assert tree.size == size
        assert tree.checkpoint(size) == Checkpoint("log", size, root_of(size, TREE.node))
        for index in {0, size // 2, size - 1}:
            assert inclusion_proof(index, size, tree.node) == inclusion_proof(index, size, TREE.node)


def test_what_is_added_twice_is_there_once_and_a_gap_is_refused(tmp_path: Path) -> None:
    with TreeFile.open(tmp_path / "a.tree", "log") as tree:
        tree.append(LEAVES[:300], 0)
        tree.append(LEAVES[200:400], 200)
        assert tree.size == 400
        assert tree.checkpoint(400).root == naive_root(LEAVES[:400])
        with pytest.raises(JournalError, match="it has 400 leaves, and the next is 500"):
            tree.append(LEAVES[500:], 500)
        with pytest.raises(JournalError, match="the leaves before 401 are not there"):
            tree.node(0, 400)


def test_a_file_that_is_not_the_tree_of_this_log_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite.tree"
    with pytest.raises(JournalError, match="there is no tree of this journal"):
        TreeFile.open(path)
    with TreeFile.open(path, "log") as tree:
        tree.keep(NEWEST, tree.checkpoint(0).sign(LOG))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(JournalError, match=r"it is the tree of another log \(log; expected other\)"):
        TreeFile.open(path, "other")
    with TreeFile.open(path) as again:
        assert again.note(NEWEST) is not None
    path.write_bytes(b"no database at all, and longer than a header of one would be" * 4)
    with pytest.raises(JournalError, match=r"journal\.sqlite\.tree: opening it failed"):
        TreeFile.open(path, "log")
    path.unlink()
    with closing(sqlite3.connect(path)) as stranger:
        stranger.execute("CREATE TABLE log (origin TEXT)")
    with pytest.raises(JournalError, match="it is not the tree of a log"):
        TreeFile.open(path, "log")


def test_a_full_disk_is_no_reason_to_move_a_tree_away_and_a_damaged_page_is(tmp_path: Path) -> None:
    path = tmp_path / "a.tree"
    with TreeFile.open(path, "log") as tree:
        tree.append(LEAVES[:1], 0)
        (pages,) = tree._connection.execute("PRAGMA page_count").fetchone()
        tree._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(JournalError, match="while adding leaves to it, the disk is full") as full:
            tree.append(LEAVES[:600], 0)
        assert "move it away" not in full.value.fix
        assert tree.size == 1
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(JournalError, match="move it away"):
        TreeFile.open(path)
