"""Detached signatures of files: Ed25519, over what the file is and its bytes, in hexadecimal beside the file.

The signature also covers a domain, the kind of the file: what was signed as a report is not a signed firmware.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

from feed.secret_file import PUBLIC_MODE, SecretFileError, write_file

SIGNATURE_SUFFIX: Final = ".sig"


class SignedFileError(Exception):
    """A signed file that cannot be read or written; the message names the file, the cause and what to do."""


def signature_path(path: Path) -> Path:
    """The path of a file's signature."""
    return path.with_name(path.name + SIGNATURE_SUFFIX)


def signature_text(domain: bytes, content: bytes, key: SigningKey) -> str:
    """The signature of a file's content, in hexadecimal."""
    return bytes(key.sign(domain + content).signature).hex()


def signed_by_any(domain: bytes, content: bytes, signature: bytes, signers: Iterable[bytes]) -> bool:
    """Whether one of these public keys signed the content as it is."""
    return any(_verifies(domain + content, signature, signer) for signer in signers)


def _verifies(signed: bytes, signature: bytes, signer: bytes) -> bool:
    try:
        VerifyKey(signer).verify(signed, signature)
    except (ValueError, CryptoError):
        return False
    return True


# --- a file and its signature beside it -------------------------------------------------------------------------------


def read_signed(domain: bytes, path: Path, signer: bytes, most_bytes: int) -> bytes:
    """The content of a file that this key signed as it is.

    Raises:
        SignedFileError: there is none, it cannot be read, or it is not signed by this key.
    """
    beside = signature_path(path)
    content = read_at_most(path, most_bytes)
    try:
        signature = bytes.fromhex(read_at_most(beside, most_bytes).decode("ascii").strip())
    except ValueError as error:
        raise SignedFileError(f"{beside}: it is not a signature") from error
    if not signed_by_any(domain, content, signature, [signer]):
        raise SignedFileError(
            f"{path}: it was changed since, or another key signed it than this table's, {signer.hex()[:16]}…"
        )
    return content


def read_at_most(path: Path, most_bytes: int) -> bytes:
    """The content of a file, no more than this much of it.

    Raises:
        SignedFileError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(most_bytes)
    except FileNotFoundError as error:
        raise SignedFileError(f"{path}: there is no such file") from error
    except OSError as error:
        raise SignedFileError(f"{path}: it cannot be read ({error.strerror})") from error


def write_signed(domain: bytes, path: Path, content: bytes, key: SigningKey) -> None:
    """Writes a file and its signature. The old signature goes first: after a power cut none fits, or both do.

    Raises:
        SignedFileError: one of the two cannot be written.
    """
    beside = signature_path(path)
    try:
        beside.unlink(missing_ok=True)
        write_file(path, content, mode=PUBLIC_MODE, overwrite=True)
        write_file(beside, signature_text(domain, content, key).encode() + b"\n", mode=PUBLIC_MODE, overwrite=True)
    except OSError as error:
        raise SignedFileError(
            f"{beside}: it cannot be written ({error.strerror}); let user {os.getuid()} write there"
        ) from error
    except SecretFileError as error:
        raise SignedFileError(f"{error}; let user {os.getuid()} write there") from error


def toml_value(value: object) -> str:
    """A text, a number or a list of them as TOML."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    # A string of JSON is one of TOML, except for DEL, which TOML wants escaped; JSON's numbers are TOML's.
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
