"""The lamps of a chain as bit fields, as a board's wire has them: bit i of byte j is lamp 8j+i+1 (docs/wire.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

CHAIN: Final = "lamps"
"""The name of the chain of lamps, in commands and in captures."""
FIELD: Final = 8
"""Bytes of one field."""
MOST_LAMPS: Final = 8 * FIELD


def bit_field(lamps: Iterable[int]) -> bytes:
    """Lamps, as places from 1, as a field.

    Raises:
        ValueError: a chain has no such place.
    """
    bits = 0
    for lamp in lamps:
        if not 1 <= lamp <= MOST_LAMPS:
            raise ValueError(f"lamps: a chain has places 1 to {MOST_LAMPS}, not {lamp}")
        bits |= 1 << (lamp - 1)
    return bits.to_bytes(FIELD, "little")


def places(field: bytes, lamps: int = MOST_LAMPS) -> frozenset[int]:
    """The places of a field, as far as the chain has lamps there."""
    bits = int.from_bytes(field, "little")
    return frozenset(lamp for lamp in range(1, lamps + 1) if bits >> (lamp - 1) & 1)


def read_back(lit: Iterable[int], dead: Iterable[int] = (), stuck: Iterable[int] = ()) -> bytes:
    """The read-back of a chain whose lamps are so."""
    return b"".join(bit_field(lamps) for lamps in (lit, dead, stuck))
