"""A line on which bytes are lost, doubled, delayed and broken."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

BYTE_NS: Final = 1_041_667
"""Ten bits at 9600 baud."""
SHORT_DELAY_NS: Final = (2_000_000, 40_000_000)
LONG_DELAY_NS: Final = (55_000_000, 400_000_000)
"""Longer than the gap of 50 ms that ends a message."""


class BytesTogether(NamedTuple):
    """Bytes that come together."""

    t_ns: int
    """When the last of them is there."""
    data: bytes


class NoisyLine:
    """One direction of a serial line. Its bytes keep their order."""

    def __init__(self, rng: Random, share: float) -> None:
        """`share` is how many of the bytes are lost, and doubled, and delayed, and broken: each this many."""
        self._rng = rng
        self.share = share
        self._free_ns = 0
        self.harmed = 0
        """Bytes to which something was done."""

    def carry(self, data: bytes, t_ns: int) -> list[BytesTogether]:
        """Bytes that are sent from then on: as they arrive."""
        t_ns = max(t_ns, self._free_ns)
        if not self.share:
            t_ns += len(data) * BYTE_NS
            self._free_ns = t_ns
            return [BytesTogether(t_ns, data)]
        chunks: list[BytesTogether] = []
        begun = bytearray()
        for byte in data:
            t_ns += BYTE_NS
            fate = self._rng.random() / self.share
            if fate >= 4.0:
                begun.append(byte)
                continue
            self.harmed += 1
            if fate < 1.0:
                continue
            if fate < 2.0:
                begun += bytes((byte, byte))
                t_ns += BYTE_NS
            elif fate < 3.0:
                if begun:
                    chunks.append(BytesTogether(t_ns - BYTE_NS, bytes(begun)))
                span = SHORT_DELAY_NS if self._rng.random() < 0.5 else LONG_DELAY_NS
                t_ns += self._rng.randint(*span)
                begun = bytearray((byte,))
            else:
                begun.append(byte ^ 1 << self._rng.randrange(8))
        if begun:
            chunks.append(BytesTogether(t_ns, bytes(begun)))
        self._free_ns = t_ns
        return chunks
