"""The signature of a request: HMAC-SHA256 over the event's id, the time of the attempt, and the body.

The headers are those of Standard Webhooks 1.0 (https://www.standardwebhooks.com): `webhook-id`, `webhook-timestamp` and
`webhook-signature`; the secret is `whsec_` and base64. There are libraries for them in many languages.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from bridges.secrets import read_lines
from feed.secret_file import SecretFileError

MARK: Final = "whsec_"
LEAST_BYTES: Final = 24
MOST_BYTES: Final = 64
MOST_SECRETS: Final = 2
"""That of now, and the next one."""


def read_secrets(path: Path) -> list[bytes]:
    """The secrets of a file, the one of now first.

    Raises:
        SecretFileError: it cannot be read, others may read it, or it holds none.
    """
    how = f"make it with: {_how(path)}"
    lines = read_lines(path, how)
    if len(lines) > MOST_SECRETS:
        raise SecretFileError(f"{path}: it has {len(lines)} lines; write the secret of now, and at most the next one")
    return [_secret(path, number, line, how) for number, line in enumerate(lines, start=1)]


def read_each_secret(files: Mapping[str, Path]) -> dict[str, list[bytes]]:
    """The secrets of targets, each of which has its own: with the one of another target it could sign as the bridge.

    Raises:
        SecretFileError: as of `read_secrets`, and where two targets have a secret, or a file, in common.
    """
    secrets = {name: read_secrets(path) for name, path in files.items()}
    owners: dict[bytes, str] = {}
    for name, path in files.items():
        for secret in secrets[name]:
            owner = owners.setdefault(secret, name)
            if owner != name:
                how = _how(path.with_name(f"{name}.secret"))
                raise SecretFileError(
                    f"{path}: secret_file of {name} has a secret of {owner} ({files[owner]}); give each its own: {how}"
                )
    return secrets


def _how(path: Path) -> str:
    return f"(umask 077; echo {MARK}$(openssl rand -base64 32) > {path})"


def _secret(path: Path, number: int, line: str, how: str) -> bytes:
    try:
        secret = base64.b64decode(line.removeprefix(MARK), validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if not line.startswith(MARK) or not LEAST_BYTES <= len(secret) <= MOST_BYTES:
        wanted = f"{MARK} and the base64 of {LEAST_BYTES} to {MOST_BYTES} bytes"
        raise SecretFileError(f"{path}:{number}: it is not a secret, which is {wanted}; {how}")
    return secret


def message_id(event_id: str) -> str:
    """The id of an event in a header. The parts of what is signed are divided by dots, so it has none."""
    return event_id.replace(".", "_")


def headers(secrets: Iterable[bytes], event_id: str, time_s: int, body: bytes) -> dict[str, str]:
    """The headers of an attempt.

    Args:
        secrets: a signature is made with each.
        event_id: the event's `id`.
        time_s: of the attempt, in seconds since 1970.
        body: as it is sent.
    """
    named = message_id(event_id)
    signed = f"{named}.{time_s}.".encode() + body
    signatures = (base64.b64encode(hmac.digest(secret, signed, "sha256")).decode() for secret in secrets)
    return {
        "webhook-id": named,
        "webhook-timestamp": str(time_s),
        "webhook-signature": " ".join(f"v1,{one}" for one in signatures),
    }
