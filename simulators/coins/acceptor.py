"""A simulated ccTalk coin acceptor, as the X6 manual has it: event counter, five events held, inhibits, self-check."""

from __future__ import annotations

from random import Random
from typing import Final

from drivers.coins.cctalk_wire import COINS, EVENTS_HELD, FIRST_INHIBITED, CctalkMessage, Checksum, Header, next_count
from simulators.coins.cctalk_device import ACK, CctalkDevice

POLLED_NS: Final = 1_000_000_000
"""Without a poll for this long it takes no coins."""
POLL_PRIORITY: Final = bytes((2, 20))
"""It wants to be polled every 20 x 10 ms."""
SORTER_PATH: Final = 4


class AcceptorSimulator(CctalkDevice):
    """One acceptor, and the coins that it has taken."""

    category = "Coin Acceptor"

    def __init__(self, address: int, checksum: Checksum, rng: Random) -> None:
        super().__init__(address, 0x51_23_07, checksum, rng)
        self.taken: list[int] = []
        """The coins that are in the machine, by their numbers: the truth."""
        self.returned = 0
        self.self_check = 0
        """The fault code of its self-check."""
        self._inserted = 0
        self.reset(0)

    def reset(self, t_ns: int) -> None:
        """Everything in its memory is gone: every coin is inhibited."""
        self.counter = 0
        self._events: list[tuple[int, int]] = [(0, 0)] * EVENTS_HELD
        self._mask = 0
        self._master = 1
        self._polled_ns = -POLLED_NS
        self._paths = [SORTER_PATH] * COINS

    def advance(self, t_ns: int) -> None:
        """It does nothing by itself."""

    @property
    def takes(self) -> bool:
        """Whether any coin is not inhibited."""
        return self.powered and bool(self._mask and self._master)

    def insert(self, coin: int, t_ns: int) -> bool:
        """A coin is put in; returns whether it was taken."""
        self._inserted += self.powered
        if not self.powered or t_ns - self._polled_ns > POLLED_NS:
            self.returned += 1
            return False
        if not self._master or not self._mask >> (coin - 1) & 1:
            self.returned += 1
            self.error(2 if not self._master else FIRST_INHIBITED + coin - 1)
            return False
        self.taken.append(coin)
        self._event(coin, self._paths[coin - 1])
        return True

    def error(self, code: int) -> None:
        """Something goes wrong that has an error code."""
        if self.powered:
            self._event(0, code)

    def _event(self, coin: int, path: int) -> None:
        self.counter = next_count(self.counter)
        self._events = [(coin, path), *self._events[:-1]]

    def handle(self, message: CctalkMessage, t_ns: int) -> tuple[Header, bytes] | None:
        """Answers what an acceptor is asked."""
        data = message.data
        answer: bytes
        match message.header:
            case Header.BUFFERED_CREDIT:
                self._polled_ns = t_ns
                answer = bytes((self.counter, *(byte for event in self._events for byte in event)))
            case Header.SET_INHIBITS if len(data) == 2:
                self._mask, answer = int.from_bytes(data, "little"), ACK
            case Header.GET_INHIBITS:
                answer = self._mask.to_bytes(2, "little")
            case Header.SET_MASTER_INHIBIT if len(data) == 1:
                self._master, answer = data[0] & 1, ACK
            case Header.GET_MASTER_INHIBIT:
                answer = bytes((self._master,))
            case Header.STATUS:
                answer = bytes(1)
            case Header.POLL_PRIORITY:
                answer = POLL_PRIORITY
            case Header.SELF_CHECK:
                answer = bytes((self.self_check,))
            case Header.INSERT_COUNT:
                answer = self._inserted.to_bytes(3, "little")
            case Header.ACCEPT_COUNT:
                answer = len(self.taken).to_bytes(3, "little")
            case Header.COIN_ID if len(data) == 1:
                answer = b"TK001A" if data[0] == 1 else b"......"
            case _:
                return None
        return Header.REPLY, answer
