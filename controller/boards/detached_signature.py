"""Detached signatures of files: Ed25519, over what the file is and its bytes, in hexadecimal beside the file.

The signature also covers a domain, the kind of the file: what was signed as a report is no signed firmware.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

SIGNATURE_SUFFIX: Final = ".sig"


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
