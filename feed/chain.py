"""The chain of hashes that binds a table's durable events: who knows its head can tell whether any of them changed.

genesis ──► event 1 ──► event 2 ──► ... ──► event n        hash n = SHA-256(hash n-1 ‖ body n)
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256


@cache
def genesis(chain: str) -> bytes:
    """The hash that stands before the first event of a table."""
    return sha256(b"feltwire journal\0" + chain.encode()).digest()


def link(previous: bytes, body: bytes) -> bytes:
    """The hash of an event, from that of the one before it and its body as it was published."""
    return sha256(previous + body).digest()
