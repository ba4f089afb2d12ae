"""Signed notes (C2SP signed-note): a text, and lines with the signatures of keys that have a name.

a text of one or more lines

— name of the key  base64(first 4 bytes of the key's hash ‖ signature)
"""

from __future__ import annotations

import base64
import binascii
import re
from hashlib import sha256
from typing import Final, NamedTuple

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

LOG_KEY: Final = 1
"""The kind of a key that signs notes: Ed25519."""
WITNESS_KEY: Final = 4
"""The kind of a key that cosigns checkpoints, with a time: Ed25519."""
ML_DSA_KEY: Final = 6
"""The kind of a key that cosigns checkpoints with ML-DSA-44. It can be named; no signature of it is checked."""
MOST_NOTE_BYTES: Final = 128 * 1024
"""A longer note is refused (ours): 16 signatures of post-quantum keys, which signed-note asks for, have 100 kB."""
MOST_SIGNATURES: Final = 64
"""More lines of signatures are refused (ours)."""

_ID_BYTES: Final = 4
_KEY_BYTES: Final = {LOG_KEY: 32, WITNESS_KEY: 32, ML_DSA_KEY: 1312}
_DASH: Final = "\N{EM DASH} "
_NO_TEXT: Final = re.compile("[\0-\x09\x0b-\x1f\ufffd]")
"""Also what stands for bytes that are no text: a page that was given such a note cannot know whether it is of it."""


class NoteError(ValueError):
    """A text is not a signed note, a key, or what the note was to hold; the message states what is wrong."""


def decode_base64(text: str) -> bytes:
    """The bytes of base64 as it is written: padded, and one way to write each value.

    Raises:
        NoteError: it is not that.
    """
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error) as error:
        raise NoteError(f"{_shown(text)} is not base64") from error
    if base64.b64encode(data).decode() != text:
        raise NoteError(f"{_shown(text)} is not base64 as it is written: another text has the same bytes")
    return data


def encode_base64(data: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode()


class NoteKey(NamedTuple):
    """A public key with its name, and what it signs."""

    name: str
    """Of a log, its origin."""
    kind: int
    """`LOG_KEY`, `WITNESS_KEY` or `ML_DSA_KEY`."""
    public: bytes

    @property
    def id(self) -> bytes:
        """The four bytes by which a signature names its key; no proof of which key it is."""
        return sha256(b"%b\n%c%b" % (self.name.encode(), self.kind, self.public)).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        """As policies and lists of keys have it."""
        return f"{self.name}+{self.id.hex()}+{encode_base64(bytes([self.kind]) + self.public)}"

    @classmethod
    def parse(cls, text: str) -> NoteKey:
        """Reads a key as it is written.

        Raises:
            NoteError: it is not one, or of another kind.
        """
        parts = text.split("+", 2)
        if len(parts) != 3:
            raise NoteError(f"{_shown(text)} is not a key; expected NAME+8 hexadecimal digits+base64")
        name, digits, encoded = parts
        check_key_name(name)
        data = decode_base64(encoded)
        if not data or len(data) - 1 != _KEY_BYTES.get(data[0]):
            raise NoteError(
                f"the key {_shown(name)} is of another kind; expected Ed25519 of a log or of a witness, or ML-DSA-44"
            )
        key = cls(name, data[0], data[1:])
        if key.id.hex() != digits:
            raise NoteError(f"the key {_shown(name)} is not whole: its digits are {_shown(digits)}, and {key.id.hex()}")
        return key

    def signed(self, message: bytes, signature: bytes) -> bool:
        """Whether an Ed25519 signature of a message is of this key."""
        try:
            VerifyKey(self.public).verify(message, signature)
        except (BadSignatureError, ValueError):
            return False
        return True


def check_key_name(name: str) -> None:
    """Checks a name that somebody chooses or trusts: signature lines can have it, and a person can read it.

    Raises:
        NoteError: it is empty, or has a space, a plus or a character that is not printed.
    """
    if not _is_key_name(name) or not name.isprintable():
        raise NoteError(f"{_shown(name)} is not the name of a key: no spaces, and no +")


def _is_key_name(name: str) -> bool:
    # A name of an unknown key may have any other character, also one that this Python does not know yet.
    return bool(name) and "+" not in name and not any(one.isspace() for one in name)


class NoteSignature(NamedTuple):
    """A line of a signature."""

    name: str
    id: bytes
    signature: bytes

    def is_by(self, key: NoteKey) -> bool:
        """Whether it names this key. Not whether it is good."""
        return (self.name, self.id) == (key.name, key.id)

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {encode_base64(self.id + self.signature)}\n"


class SignedNote(NamedTuple):
    """A text, which ends in a line end, and its signatures, none of them checked."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    @classmethod
    def parse(cls, data: bytes) -> SignedNote:
        """Reads a note.

        Raises:
            NoteError: it is not one.
        """
        text, _, lines = _decoded(data).rpartition("\n\n")
        if not text:
            raise NoteError("a note has a text, an empty line, and signatures: it has no empty line")
        return cls(text + "\n", parse_signatures(lines))


def parse_signatures(lines: str) -> tuple[NoteSignature, ...]:
    """Reads lines of signatures, at least one.

    Raises:
        NoteError: they are not that.
    """
    found = lines.split("\n")
    if not lines.endswith("\n") or len(found) - 1 > MOST_SIGNATURES:
        raise NoteError(f"expected 1 to {MOST_SIGNATURES} lines of signatures, each with a line end")
    return tuple(_signature(line) for line in found[:-1])


def decode_signatures(data: bytes) -> tuple[NoteSignature, ...]:
    """Reads lines of signatures of bytes that somebody sent.

    Raises:
        NoteError: they are not that.
    """
    return parse_signatures(_decoded(data))


def _signature(line: str) -> NoteSignature:
    name, space, encoded = line.removeprefix(_DASH).rpartition(" ")
    if not line.startswith(_DASH) or not space or not _is_key_name(name):
        raise NoteError(f"{_shown(line)} is not a line of a signature; expected an em dash, a name, and base64")
    data = decode_base64(encoded)
    if len(data) <= _ID_BYTES:
        raise NoteError(f"the signature of {_shown(name)} is too short")
    return NoteSignature(name, data[:_ID_BYTES], data[_ID_BYTES:])


def sign_text(text: str, name: str, key: SigningKey) -> NoteSignature:
    """The signature of a log's key."""
    public = NoteKey(name, LOG_KEY, bytes(key.verify_key))
    return NoteSignature(name, public.id, key.sign(text.encode()).signature)


def _decoded(data: bytes) -> str:
    if len(data) > MOST_NOTE_BYTES:
        raise NoteError(f"it is longer than {MOST_NOTE_BYTES} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise NoteError(f"it is not UTF-8: {error}") from error
    if _NO_TEXT.search(text):
        raise NoteError("it has a control character, or U+FFFD, which stands for bytes that are no text")
    return text


def _shown(text: str) -> str:
    """For a message: short, and of plain characters."""
    return ascii(text[:60])
