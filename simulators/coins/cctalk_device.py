"""What every simulated device on a ccTalk bus does: it finds its messages, answers them, and loses its power."""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random
from typing import Final

from drivers.coins.cctalk_wire import HOST, CctalkMessage, Checksum, Header, decode, encode, length_of

GAP_NS: Final = 50_000_000
"""A longer gap between two bytes ends a message."""
ANSWER_NS: Final = (2_000_000, 20_000_000)
"""From a message to its answer (ours; the specification allows 50 ms)."""
POWER_UP_NS: Final = 250_000_000
"""From its power-up to the first message that it takes (X6 manual)."""
ACK: Final = b""


class CctalkDevice(ABC):
    """One device."""

    category: str

    def __init__(self, address: int, serial: int, checksum: Checksum, rng: Random) -> None:
        self.address = address
        self.serial = serial.to_bytes(3, "little")
        self._checksum = checksum
        self._rng = rng
        self._begun = b""
        self._heard_ns = 0
        self._ready_ns: int | None = 0
        """From when on it has power and takes messages; None while it has none."""

    @property
    def powered(self) -> bool:
        """Whether it has power."""
        return self._ready_ns is not None

    def receive(self, data: bytes, t_ns: int) -> tuple[bytes, int] | None:
        """Takes bytes of the wire; returns its answer and when it begins, if there is one."""
        if self._ready_ns is None or t_ns < self._ready_ns:
            self._begun = b""
            return None
        if t_ns - self._heard_ns > GAP_NS + len(data) * 1_100_000:
            self._begun = b""
        self._heard_ns = t_ns
        self._begun += data
        answer: tuple[bytes, int] | None = None
        while (length := length_of(self._begun)) is not None and len(self._begun) >= length:
            message = decode(self._begun[:length], self._checksum)
            self._begun = self._begun[length:]
            if message is not None and message.destination == self.address:
                answer = self._answer(message, t_ns) or answer
        return answer

    def power_cut(self, t_ns: int) -> None:
        """Its power is gone."""
        self.advance(t_ns)
        self._ready_ns = None
        self._begun = b""

    def power_up(self, t_ns: int) -> None:
        """Its power is back."""
        self._ready_ns = t_ns + POWER_UP_NS
        self.reset(t_ns)

    def _answer(self, message: CctalkMessage, t_ns: int) -> tuple[bytes, int] | None:
        self.advance(t_ns)
        header, data = Header.REPLY, self._common(message)
        if data is None:
            own = self.handle(message, t_ns)
            if own is None:
                return None
            header, data = own
        reply = CctalkMessage(HOST, header, data, self.address)
        return encode(reply, self._checksum), t_ns + self._rng.randint(*ANSWER_NS)

    def _common(self, message: CctalkMessage) -> bytes | None:
        """The answer to what every device is asked."""
        match message.header:
            case Header.SIMPLE_POLL:
                return ACK
            case Header.MANUFACTURER:
                return b"FELTWIRE SIMULATED"
            case Header.CATEGORY:
                return self.category.encode()
            case Header.PRODUCT:
                return b"SIM"
            case Header.SERIAL:
                return self.serial
            case Header.SOFTWARE:
                return b"SIM 1.0"
            case Header.RESET:
                self.reset(self._heard_ns)
                return ACK
            case _:
                return None

    @abstractmethod
    def reset(self, t_ns: int) -> None:
        """It begins again: with its power, or by a message."""

    @abstractmethod
    def advance(self, t_ns: int) -> None:
        """Does what it does by itself, up to then."""

    @abstractmethod
    def handle(self, message: CctalkMessage, t_ns: int) -> tuple[Header, bytes] | None:
        """Answers what only this kind of device is asked; None where it does not answer."""
