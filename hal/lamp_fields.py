"""The lamps of a chain as bit fields, as a board's wire has them: bit i of byte j is lamp 8j+i+1 (docs/wire.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

CHAIN: Final = "lamps"
"""The link name of the lamp chain, in commands and captures."""
FIELD: Final = 8
"""Bytes of one field."""
MOST_LAMPS: Final = 8 * FIELD


def bit_field(lamps: Iterable[int]) -> bytes:
    """Encodes lamps, numbered from 1 along the chain, as a field.

    Raises:
        ValueError: a chain has no such lamp.
    """
    bits = 0
    for lamp in lamps:
        if not 1 <= lamp <= MOST_LAMPS:
            raise ValueError(f"lamps: a chain has places 1 to {MOST_LAMPS}, not {lamp}")
        bits |= 1 << (lamp - 1)
    return bits.to_bytes(FIELD, "little")


def places(field: bytes, lamps: int = MOST_LAMPS) -> frozenset[int]:
    """Decodes the lamps of a field, up to the length of the chain."""
    bits = int.from_bytes(field, "little")
    return frozenset(lamp for lamp in range(1, lamps + 1) if bits >> (lamp - 1) & 1)


def read_back(lit: Iterable[int], dead: Iterable[int] = (), stuck: Iterable[int] = ()) -> bytes:
    """Encodes the read-back of a chain."""
    return b"".join(bit_field(lamps) for lamps in (lit, dead, stuck))
