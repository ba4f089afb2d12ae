"""Checkpoints: a log's root at a size, signed by the log (C2SP tlog-checkpoint), cosigned by witnesses
(tlog-cosignature), sent to them (tlog-witness), and at the end of a proof (tlog-proof).

    feltwire/3f9c…           origin: which log
    1042                     size: how many leaves
    CsUYapGGPo4dkMgI…        root, in base64
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from nacl.signing import SigningKey

from audit.transparency.notes import (
    WITNESS_KEY,
    NoteError,
    NoteKey,
    NoteSignature,
    SignedNote,
    decode_base64,
    encode_base64,
    sign_text,
)
from audit.transparency.tree import HASH_BYTES, leaf_hash, root_with_leaf

MOST_PROOF_LINES: Final = 63
"""Hashes of a proof."""
PROOF_BEGIN: Final = "c2sp.org/tlog-proof@v1\n"
_DECIMAL: Final = re.compile("0|[1-9][0-9]{0,18}")
_TIME_BYTES: Final = 8
_MOST_TIME: Final = 2**63 - 1


class Checkpoint(NamedTuple):
    """The root of a log at a size."""

    origin: str
    size: int
    root: bytes

    def __str__(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Reads the text of a note; lines that others may add behind it are left out.

        Raises:
            NoteError: it is not a checkpoint.
        """
        lines = text.split("\n")
        if len(lines) < 4 or not all(lines[:-1]):
            raise NoteError("a checkpoint has at least three lines, and none is empty")
        return cls(lines[0], parse_decimal(lines[1]), _hash(lines[2]))

    def sign(self, key: SigningKey) -> SignedNote:
        """The note, signed by the log."""
        text = str(self)
        return SignedNote(text, (sign_text(text, self.origin, key),))


def parse_decimal(text: str) -> int:
    """Reads a number as checkpoints and proofs have it: ASCII, without zeros in front.

    Raises:
        NoteError: it is not one.
    """
    if not _DECIMAL.fullmatch(text) or int(text) > _MOST_TIME:
        raise NoteError(f"{text[:30]!a} is not a number without zeros in front")
    return int(text)


def parse_hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    """Reads the lines of a proof.

    Raises:
        NoteError: one is not a hash, or they are more than `MOST_PROOF_LINES`.
    """
    if len(lines) > MOST_PROOF_LINES:
        raise NoteError(f"the proof has more than {MOST_PROOF_LINES} hashes")
    return tuple(map(_hash, lines))


def _hash(text: str) -> bytes:
    data = decode_base64(text)
    if len(data) != HASH_BYTES:
        raise NoteError(f"{text[:60]!a} is not a hash of {HASH_BYTES} bytes in base64")
    return data


# --- cosignatures -----------------------------------------------------------------------------------------------------


def cosign(text: str, name: str, key: SigningKey, time_s: int) -> NoteSignature:
    """A witness's signature of the text of a checkpoint, at a time in seconds since 1970."""
    public = NoteKey(name, WITNESS_KEY, bytes(key.verify_key))
    signature = key.sign(_cosigned(text, time_s)).signature
    return NoteSignature(name, public.id, time_s.to_bytes(_TIME_BYTES, "big") + signature)


def cosigned_at(text: str, signature: NoteSignature, key: NoteKey) -> int | None:
    """When a witness cosigned a text, in seconds since 1970; None where the signature is not good."""
    time_s = int.from_bytes(signature.signature[:_TIME_BYTES], "big")
    if not 0 < time_s <= _MOST_TIME:
        return None
    good = key.signed(_cosigned(text, time_s), signature.signature[_TIME_BYTES:])
    return time_s if good else None


def is_signed(note: SignedNote, key: NoteKey) -> bool:
    """Whether a log's key signed a note. One bad signature that names the key makes it none of that key's."""
    own = [one for one in note.signatures if one.is_by(key)]
    return bool(own) and all(key.signed(note.text.encode(), one.signature) for one in own)


def _cosigned(text: str, time_s: int) -> bytes:
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()


# --- what is sent to a witness ----------------------------------------------------------------------------------------


class AddCheckpoint(NamedTuple):
    """The body of `add-checkpoint`."""

    old: int
    """The size that the witness cosigned last, as the log believes."""
    proof: tuple[bytes, ...]
    note: SignedNote

    def encode(self) -> bytes:
        """As it is sent."""
        return f"old {self.old}\n{_lines(self.proof)}\n{self.note}".encode()

    @classmethod
    def parse(cls, body: bytes) -> AddCheckpoint:
        """Reads a body.

        Raises:
            NoteError: it is not one.
        """
        head, found, note = body.partition(b"\n\n")
        lines = _ascii(head).split("\n")
        if not found or not lines[0].startswith("old "):
            raise NoteError('expected "old SIZE", lines of a proof, an empty line and a checkpoint')
        old = parse_decimal(lines[0].removeprefix("old "))
        return cls(old, parse_hashes(lines[1:]), SignedNote.parse(note))


# --- proofs -----------------------------------------------------------------------------------------------------------


class InclusionProof(NamedTuple):
    """That a record is in a log, with the checkpoint in which it is."""

    leaf: int
    """Its number, from 0."""
    hashes: tuple[bytes, ...]
    note: SignedNote
    extra: bytes = b""
    """What whoever made the proof adds to it: nobody signs that."""

    @property
    def checkpoint(self) -> Checkpoint:
        """Of its note.

        Raises:
            NoteError: the note is not a checkpoint.
        """
        return Checkpoint.parse(self.note.text)

    def __str__(self) -> str:
        extra = f"extra {encode_base64(self.extra)}\n" if self.extra else ""
        return f"{PROOF_BEGIN}{extra}index {self.leaf}\n{_lines(self.hashes)}\n{self.note}"

    @classmethod
    def parse(cls, data: bytes) -> InclusionProof:
        """Reads the text of a proof.

        Raises:
            NoteError: it is not one.
        """
        begin = PROOF_BEGIN.encode()
        head, found, note = data.removeprefix(begin).partition(b"\n\n")
        lines = _ascii(head).split("\n")
        extra = decode_base64(lines.pop(0).removeprefix("extra ")) if lines[0].startswith("extra ") else b""
        if not data.startswith(begin) or not found or not lines or not lines[0].startswith("index "):
            raise NoteError(f'expected "{PROOF_BEGIN.strip()}", "index N", hashes, an empty line and a checkpoint')
        index = parse_decimal(lines[0].removeprefix("index "))
        proof = cls(index, parse_hashes(lines[1:]), SignedNote.parse(note), extra)
        Checkpoint.parse(proof.note.text)
        return proof

    def has(self, body: bytes) -> bool:
        """Whether it proves that a body is in the tree of its checkpoint; not whose checkpoint that is.

        Raises:
            TreeProofError: its hashes do not lead to a root.
        """
        checkpoint = self.checkpoint
        return root_with_leaf(leaf_hash(body), self.leaf, checkpoint.size, self.hashes) == checkpoint.root


def _lines(hashes: Sequence[bytes]) -> str:
    return "".join(f"{encode_base64(one)}\n" for one in hashes)


def _ascii(data: bytes) -> str:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        raise NoteError(f"before the checkpoint it is not ASCII: {error}") from error
