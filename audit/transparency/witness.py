"""What a witness decides (C2SP tlog-witness), as values in and values out: no clock, no socket, no file.

body ─► parsed ─► of a known log ─► signed by it ─► continues what was cosigned last ─► kept ─► cosigned
 400          404              403                         400, 409, 422             durable
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from audit.transparency.checkpoints import AddCheckpoint, Checkpoint, is_signed
from audit.transparency.notes import NoteError, NoteKey, SignedNote
from audit.transparency.tree import EMPTY_ROOT, TreeProofError, check_growth

PLAIN: Final = "text/plain; charset=utf-8"
SIZE: Final = "text/x.tlog.size"
"""The type of an answer that names the size which was cosigned last."""


class WitnessRefusal(NamedTuple):
    """A request that is not cosigned."""

    status: int
    """Of HTTP."""
    text: str
    content_type: str = PLAIN
    is_fork: bool = False
    """Whether the log signed two roots of one size: it has two histories, and no proof could change that. A checkpoint
    of another size shows nothing by itself: whoever sent it may have put a bad proof to it."""


class SubmittedCheckpoint(NamedTuple):
    """A request whose checkpoint a known log signed. Whether it continues what was cosigned is not known yet."""

    checkpoint: Checkpoint
    note: SignedNote
    """With the signatures of the log's known keys alone."""
    old: int
    proof: Sequence[bytes]


def read_submission(body: bytes, logs: Mapping[str, Sequence[NoteKey]]) -> SubmittedCheckpoint | WitnessRefusal:
    """Reads a request; `logs` are the known keys by the origin of their log."""
    try:
        request = AddCheckpoint.parse(body)
        checkpoint = Checkpoint.parse(request.note.text)
    except NoteError as error:
        return WitnessRefusal(400, f"{error}\n")
    keys = logs.get(checkpoint.origin)
    if not keys:
        return WitnessRefusal(404, "this log is not known here\n")
    signed_by = [key for key in keys if is_signed(request.note, key)]
    own = [one for one in request.note.signatures if any(one.is_by(key) for key in keys)]
    if not signed_by or not all(any(one.is_by(key) for key in signed_by) for one in own):
        return WitnessRefusal(403, "no known key of this log signed the checkpoint, or a signature is not good\n")
    return SubmittedCheckpoint(checkpoint, SignedNote(request.note.text, tuple(own)), request.old, request.proof)


def refuse_growth(submitted: SubmittedCheckpoint, latest: Checkpoint | None) -> WitnessRefusal | None:
    """Why a checkpoint does not continue the `latest` that was cosigned of its log; None where it does."""
    checkpoint, old = submitted.checkpoint, submitted.old
    if old > checkpoint.size:
        return WitnessRefusal(400, f"the old size, {old}, is above that of the checkpoint, {checkpoint.size}\n")
    size, root = (0, EMPTY_ROOT) if latest is None else (latest.size, latest.root)
    if old != size:
        return WitnessRefusal(409, f"{size}\n", SIZE)
    if not checkpoint.size and checkpoint.root != EMPTY_ROOT:
        # Of no tree at all, whatever was cosigned.
        return WitnessRefusal(422, "an empty tree has another root\n")
    try:
        check_growth(old, checkpoint.size, root, checkpoint.root, submitted.proof)
    except TreeProofError as error:
        return WitnessRefusal(422, f"{error}\n", is_fork=old == checkpoint.size and root != checkpoint.root)
    return None
