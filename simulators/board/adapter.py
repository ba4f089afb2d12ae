"""The USB-serial chip between a board and its host, which passes bytes on in packets.

A packet is closed by the byte `flush_at`, when it is full, or when its first byte is `timer_ns` old. It reaches the
host `delay_ns` later, plus up to `jitter_ns`, never before the packet that was closed before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Adapter:
    """The parameters of a chip. What the host writes reaches the board's wire `delay_ns` later."""

    flush_at: int | None
    packet: int
    timer_ns: int
    delay_ns: int = 0
    jitter_ns: int = 0


EXACT = Adapter(flush_at=0, packet=4096, timer_ns=10_000_000)
"""Passes each frame on at the very end of its last byte: for the frames of boards, which end with a byte 0."""


class UsbSerial:
    """The bytes that one chip holds."""

    def __init__(self, adapter: Adapter, seed: int) -> None:
        self.adapter = adapter
        self._rng = Random(seed)
        self._open: list[tuple[int, int]] = []
        """The packet that is not closed yet: the time of each byte, and the byte."""
        self._closed: deque[tuple[int, bytes]] = deque()
        """When each packet reaches the host, and its bytes."""

    @property
    def room(self) -> int:
        """How many bytes may follow before `ready_ns` can change."""
        return self.adapter.packet - len(self._open) if self._open else 1

    @property
    def ready_ns(self) -> int | None:
        """When the next packet reaches the host, if no byte follows before; None while there is none."""
        if self._closed:
            return self._closed[0][0]
        return self._open[0][0] + self.adapter.timer_ns if self._open else None

    def take(self, data: Iterable[tuple[int, int]]) -> None:
        """Accepts bytes of the board with their times, in order."""
        flush_at, packet, timer_ns = self.adapter.flush_at, self.adapter.packet, self.adapter.timer_ns
        held = self._open
        for one in data:
            t_ns, byte = one
            if held and t_ns > held[0][0] + timer_ns:
                self._close(held[0][0] + timer_ns)
            held.append(one)
            if byte == flush_at or len(held) >= packet:
                self._close(t_ns)

    def is_there(self, now_ns: int) -> bool:
        """Whether a packet is at the host by `now_ns`. If not, one may just have been closed."""
        if self._open and now_ns >= self._open[0][0] + self.adapter.timer_ns:
            self._close(self._open[0][0] + self.adapter.timer_ns)
        return bool(self._closed) and self._closed[0][0] <= now_ns

    def give(self, now_ns: int) -> bytes:
        """The next packet that is at the host by `now_ns`; empty if there is none."""
        return self._closed.popleft()[1] if self.is_there(now_ns) else b""

    def forget(self) -> None:
        """Drops all bytes: the cable is out, and the chip has no supply."""
        self._open.clear()
        self._closed.clear()

    def _close(self, t_ns: int) -> None:
        jitter_ns = self._rng.randint(0, self.adapter.jitter_ns) if self.adapter.jitter_ns else 0
        there_ns = t_ns + self.adapter.delay_ns + jitter_ns
        if self._closed:
            there_ns = max(there_ns, self._closed[-1][0])
        self._closed.append((there_ns, bytes(byte for _, byte in self._open)))
        self._open.clear()
