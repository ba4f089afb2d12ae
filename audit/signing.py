"""The key that seals the journal: Ed25519, 64 hexadecimal digits in a file of mode 0600.

Its public half is in every seal, and is what an auditor notes when the table is installed: a journal that was
written again has to be sealed by another key, or by whoever has this file.
"""

from __future__ import annotations

import binascii
from pathlib import Path

from nacl.encoding import HexEncoder
from nacl.exceptions import CryptoError
from nacl.signing import SigningKey

from feed.secret_file import SecretFileError, make_folder, read_secret, write_file

FILE_NAME = "signing.key"


class SigningKeyError(Exception):
    """The signing key cannot be used; the message states its file, why, and what to do."""


def public_half(key: SigningKey) -> str:
    """What others check seals with, in hexadecimal."""
    return bytes(key.verify_key.encode(HexEncoder)).decode()


def create(path: Path, *, overwrite: bool = False) -> SigningKey:
    """Makes a key.

    Raises:
        SigningKeyError: there is one and `overwrite` is false, or it cannot be written.
    """
    key = SigningKey.generate()
    try:
        make_folder(path.parent)
        write_file(path, key.encode(HexEncoder) + b"\n", overwrite=overwrite)
    except SecretFileError as error:
        raise SigningKeyError(f"signing key {error}") from error
    return key


def load(path: Path) -> SigningKey:
    """The key of a file.

    Raises:
        SigningKeyError: it cannot be read, others may read it, or it is not a key.
    """
    try:
        return SigningKey(read_secret(path).strip(), HexEncoder)
    except SecretFileError as error:
        raise SigningKeyError(f"signing key {error}") from error
    except (ValueError, binascii.Error, CryptoError) as error:
        # What was read is not shown: it may be a secret with one digit wrong.
        raise SigningKeyError(
            f"signing key {path}: it must be 64 hexadecimal digits; put the right file back, or move this one away and "
            "a new key is made (the seals then show the change)"
        ) from error


def load_or_create(path: Path) -> SigningKey:
    """The key of a file; made when there is none yet.

    Raises:
        SigningKeyError: it is there and cannot be used, or it cannot be made.
    """
    return load(path) if path.is_symlink() or path.exists() else create(path)
