"""A copy of a journal of which witnesses have signed more than it has: whether it is the beginning of that.

    signed    ████████████████████████████▒▒▒▒▒▒    a root, and no record
    copy      ████████████████████████████          its own root: a proof of growth leads from this to that

While a table plays, the witnesses are ahead of every copy. Without such a proof a copy may as well be one that was cut
off, or of another history: which, it does not show.
"""

from __future__ import annotations

from collections.abc import Collection

from audit.transparency.checkpoints import Checkpoint
from audit.transparency.policy import HistoryFork, forks_between
from audit.transparency.tree import TreeProofError, check_growth, consistency_proof
from audit.transparency.tree_file import TreeFile


def not_shown_by_tree(tree: TreeFile, copy: Checkpoint, signed: Collection[Checkpoint]) -> list[HistoryFork]:
    """What a tree of the log cannot show: that a copy, and what was signed after it, are of one history.

    Raises:
        JournalError: the tree cannot be read.
    """

    def why_not(one: Checkpoint, other: Checkpoint) -> str:
        if tree.size < other.size:
            return f"{tree.path} has {tree.size}"
        try:
            proof = consistency_proof(one.size, other.size, tree.node)
            check_growth(one.size, other.size, one.root, other.root, proof)
        except TreeProofError as error:
            return f"{tree.path} does not show it: {error}"
        return ""

    return forks_between([copy, *signed], why_not)


def proven_forks(tree: TreeFile | None, copy: Checkpoint, signed: Collection[Checkpoint]) -> list[HistoryFork]:
    """Which of these are not of one history, as the signatures prove: two roots of one size, or a tree that shows that
    another history than the copy's is the beginning of what was signed.

    Raises:
        JournalError: the tree cannot be read.
    """
    found = forks_between(signed, lambda _one, _other: "")
    if tree is None or tree.size < copy.size or (there := tree.checkpoint(copy.size)) == copy:
        return found
    why = f"by {tree.path}, those that were signed begin otherwise"
    return found + [HistoryFork(copy, one, why) for one in signed if not not_shown_by_tree(tree, there, [one])]
