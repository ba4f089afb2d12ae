"""The driver of a ccTalk bus: from bytes in time to messages.

    bytes     │ 02 00 01 E5 18 │ 01 0B 02 00 06 … 9E │
              └ our own echo ─┘└ the answer ─────────┘      a gap of 50 ms within a message ends it

The bus is one wire, so a host hears what it sends. Where a checksum is wrong, a byte was lost, doubled or broken: the
next byte that may begin a message is tried. Only addresses that this bus has may begin one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.coins.cctalk_wire import HOST, CctalkMessage, Checksum, decode, length_of
from drivers.coins.observations import BusLost, BusMessage, BusNoise
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

GAP_NS: Final = 50_000_000
"""The longest time between two bytes of a message."""


class CctalkBus:
    """The driver of one bus (see `drivers.base.driver.Driver`)."""

    def __init__(self, link: str, devices: Collection[int], checksum: Checksum, name: str = "coins") -> None:
        """`devices` are the addresses on the bus beside the host's."""
        self.name = name
        self.lines = frozenset({link})
        self._link = link
        self._addresses = frozenset((HOST, *devices))
        self._checksum = checksum
        self._begun = b""
        self._due_ns = NEVER_NS
        """When the gap after the last byte ends a message."""
        self._health = SensorHealth()

    @property
    def next_due_ns(self) -> int | None:
        """When a message that has begun is given up; None where none has."""
        return self._due_ns if self._due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes bytes as they came."""
        found: list[Observation] = []
        if frame.link != self._link:
            return found
        self._pass_time(frame.t_ns - 1, found)
        self._health.line_active(self._link, frame.t_ns, found)
        self._begun += frame.data
        self._cut(frame.t_ns, found, ended=False)
        self._due_ns = frame.t_ns + GAP_NS if self._begun else NEVER_NS
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Bytes were lost, or the bus is unplugged."""
        found: list[Observation] = []
        if loss.line != self._link:
            return found
        self._pass_time(loss.t_ns - 1, found)
        if self._begun:
            found.append(BusNoise(t_ns=loss.t_ns, data=self._begun))
        self._begun, self._due_ns = b"", NEVER_NS
        if loss.cause is Loss.UNPLUGGED:
            self._health.line_unplugged(self._link, loss.t_ns, found)
            found.append(BusLost(t_ns=loss.t_ns))
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        if self._due_ns <= until_ns:
            due_ns, self._due_ns = self._due_ns, NEVER_NS
            self._cut(due_ns, found, ended=True)

    def _cut(self, t_ns: int, found: list[Observation], *, ended: bool) -> None:
        """Cuts what has come into messages; with `ended` nothing more of it comes."""
        data, noise = self._begun, b""
        while data:
            length = self._length(data)
            if length is None and not ended:
                break
            message = decode(data[:length], self._checksum) if length else None
            if message is None or not self._plausible(message):
                noise, data = noise + data[:1], data[1:]
                continue
            if noise:
                found.append(BusNoise(t_ns=t_ns, data=noise))
                noise = b""
            found.append(
                BusMessage(
                    t_ns=t_ns,
                    destination=message.destination,
                    source=message.source,
                    header=message.header,
                    data=message.data,
                )
            )
            data = data[length:]
        if noise:
            found.append(BusNoise(t_ns=t_ns, data=noise))
        self._begun = data

    def _length(self, data: bytes) -> int | None:
        """The length of the message with which the data begins; 0 where none does, None where more must come."""
        if data[0] not in self._addresses:
            return 0
        length = length_of(data)
        if length is None:
            return None
        if len(data) > 2 and self._checksum == "simple" and data[2] not in self._addresses:
            return 0
        return length if len(data) >= length else None

    def _plausible(self, message: CctalkMessage) -> bool:
        """Whether one of both ends is the host: devices do not speak with each other."""
        if message.source is None:
            return True
        return (message.destination == HOST) != (message.source == HOST)
