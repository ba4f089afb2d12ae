"""What is wrong between two keys of a device: key, what, and how to fix it."""

from __future__ import annotations

from typing import TypeAlias

KeyProblem: TypeAlias = tuple[str, str, str]


def not_shorter(key: str, value_ms: float, limit_key: str, limit_s: float, limit: str) -> list[KeyProblem]:
    """The problem of a time in milliseconds that must be shorter than `limit`, the time of another key in seconds."""
    if value_ms < limit_s * 1000:
        return []
    return [
        (key, f"{value_ms:g} ms is not shorter than the {limit} of {limit_s:g} s", f"make it shorter than {limit_key}")
    ]
