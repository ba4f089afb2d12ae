"""The Merkle tree of RFC 6962: its root, proofs that a leaf is in it, and proofs that it only grew.

                 root of 6                     leaf hash   SHA-256(0x00 ‖ body of the record)
               ┌────┴────┐                     node hash   SHA-256(0x01 ‖ left ‖ right)
           node(2, 0)   n(1, 2)
           ┌───┴───┐    ┌─┴─┐                  node(level, index): a whole subtree of 2^level leaves,
        n(1,0)  n(1,1)  4   5                  from leaf index × 2^level on
        ┌─┴─┐   ┌─┴─┐
        0   1   2   3

Whoever makes proofs has the hashes of whole subtrees (`NodeHash`); whoever checks them needs only the root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

NodeHash: TypeAlias = Callable[[int, int], bytes]
"""The hash of a whole subtree, by its level and its index there."""

EMPTY_ROOT: Final = sha256(b"").digest()
"""Of a tree without a leaf."""
HASH_BYTES: Final = 32


class TreeProofError(ValueError):
    """A proof does not prove what it is given for."""


def leaf_hash(body: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\0" + body).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees together."""
    return sha256(b"\1" + left + right).digest()


class GrownTree:
    """A tree in memory: 64 bytes a leaf, and what Python adds."""

    def __init__(self) -> None:
        self._levels: list[list[bytes]] = [[]]

    @property
    def size(self) -> int:
        """How many leaves it has."""
        return len(self._levels[0])

    def append(self, leaf: bytes) -> None:
        """Adds the hash of a leaf."""
        level, found = 0, leaf
        while True:
            row = self._levels[level]
            row.append(found)
            if len(row) % 2:
                return
            found = node_hash(row[-2], row[-1])
            level += 1
            if level == len(self._levels):
                self._levels.append([])

    def node(self, level: int, index: int) -> bytes:
        """The hash of a whole subtree."""
        return self._levels[level][index]


def root_of(size: int, node: NodeHash) -> bytes:
    """The root of the first `size` leaves."""
    return _subtree(0, size, node) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, node: NodeHash) -> list[bytes]:
    """The hashes beside the path from leaf `index` to the root of the first `size` leaves, the leaf's sibling first.

    Raises:
        IndexError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise IndexError(f"there is no leaf {index} in a tree of {size}")
    proof: list[bytes] = []
    first, last = 0, size
    while last - first > 1:
        middle = first + _split(last - first)
        if index < middle:
            proof.append(_subtree(middle, last, node))
            last = middle
        else:
            proof.append(_subtree(first, middle, node))
            first = middle
    return proof[::-1]


def consistency_proof(old: int, new: int, node: NodeHash) -> list[bytes]:
    """The hashes that show that the first `old` leaves of a tree of `new` are a tree that was there before.

    Raises:
        IndexError: the tree did not grow from `old` to `new`.
    """
    if not 0 <= old <= new:
        raise IndexError(f"a tree of {old} does not grow to {new}")
    if old in (0, new):
        return []
    proof: list[bytes] = []
    first, last = 0, new
    while old != last:
        middle = first + _split(last - first)
        if old <= middle:
            proof.append(_subtree(middle, last, node))
            last = middle
        else:
            proof.append(_subtree(first, middle, node))
            first = middle
    if first:
        # What is left is no whole tree from leaf 0 on, whose root the checker knows.
        proof.append(_subtree(first, last, node))
    return proof[::-1]


def root_with_leaf(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """The root of the tree of `size` in which leaf `index` has this hash, by an inclusion proof.

    Raises:
        TreeProofError: the proof has too few hashes, or too many, or one is not a hash.
    """
    if not 0 <= index < size:
        raise TreeProofError(f"there is no leaf {index} in a tree of {size}")
    _must_be_hashes(proof)
    found = leaf
    for beside, is_before in _way_to_root(index, size - 1, proof):
        found = node_hash(beside, found) if is_before else node_hash(found, beside)
    return found


def check_growth(old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> None:
    """Checks by a consistency proof that the tree of `new` leaves continues the one of `old`.

    Raises:
        TreeProofError: it does not, or the proof does not show it.
    """
    if not 0 <= old <= new:
        raise TreeProofError(f"a tree of {old} does not grow to {new}")
    if old in (0, new):
        if proof:
            raise TreeProofError("the proof is not empty, and nothing is to be proven")
        if old == new and old_root != new_root:
            raise TreeProofError(f"two roots are given for the first {new} leaves")
        if old == 0 and old_root != EMPTY_ROOT:
            raise TreeProofError("an empty tree has another root")
        return
    _must_be_hashes(proof)
    hashes = [*proof]
    if old & (old - 1) == 0:
        hashes.insert(0, old_root)
    if not hashes:
        raise TreeProofError("the proof is empty")
    place, last = old - 1, new - 1
    while place % 2:
        place, last = place // 2, last // 2
    old_found = new_found = hashes[0]
    for beside, is_before in _way_to_root(place, last, hashes[1:]):
        if is_before:
            old_found, new_found = node_hash(beside, old_found), node_hash(beside, new_found)
        else:
            new_found = node_hash(new_found, beside)
    if old_found != old_root:
        raise TreeProofError(f"the tree of {new} does not begin with the tree of {old}")
    if new_found != new_root:
        raise TreeProofError(f"the proof leads to another root of {new} leaves")


def _way_to_root(place: int, last: int, proof: Sequence[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The hashes of a proof from a place of a level, whose last one is `last`, up to the root; and whether each is
    before what was found so far, or behind it.

    Raises:
        TreeProofError: the proof has too few hashes, or too many.
    """
    for beside in proof:
        if last == 0:
            raise TreeProofError("the proof has more hashes than the way to the root")
        is_before = place % 2 == 1 or place == last
        yield beside, is_before
        while is_before and place and not place % 2:
            place, last = place // 2, last // 2
        place, last = place // 2, last // 2
    if last:
        raise TreeProofError("the proof has fewer hashes than the way to the root")


def _must_be_hashes(proof: Sequence[bytes]) -> None:
    # Two that are cut elsewhere are the same bytes under another root: one root would have two histories.
    for one in proof:
        if len(one) != HASH_BYTES:
            raise TreeProofError(f"the proof has a hash of {len(one)} bytes; expected {HASH_BYTES}")


def _split(count: int) -> int:
    """The greatest power of two below `count`, which is at least 2."""
    return 1 << (count - 1).bit_length() - 1


def _subtree(first: int, last: int, node: NodeHash) -> bytes:
    """The hash of leaves `first` to `last` - 1, where `first` is a multiple of the power of two that holds them."""
    parts: list[bytes] = []
    while first < last:
        level = (last - first).bit_length() - 1
        parts.append(node(level, first >> level))
        first += 1 << level
    found = parts.pop()
    while parts:
        found = node_hash(parts.pop(), found)
    return found
