"""A simulated ccTalk hopper, as the Flow manual has it: it pays each command once, counts, runs empty and jams."""

from __future__ import annotations

from random import Random
from typing import Final

from drivers.coins.cctalk_wire import ENABLE_BYTE, CctalkMessage, Checksum, Header, HopperFlag, HopperStatus, next_count
from simulators.coins.cctalk_device import ACK, CctalkDevice

TOKEN_NS: Final = (140_000_000, 190_000_000)
"""From one token to the next: up to seven a second."""
TIMEOUT_NS: Final = 4_000_000_000
"""Without a token for this long it gives up (ours)."""
LOW: Final = 20


class HopperSimulator(CctalkDevice):
    """One hopper, its tokens, and those that it has paid."""

    category = "Payout"

    def __init__(
        self, address: int, checksum: Checksum, rng: Random, *, tokens: int = 500, dispense_count: bool = False
    ) -> None:
        super().__init__(address, 0x0A_D7_DF, checksum, rng)
        self.tokens = tokens
        """In its bowl."""
        self.paid = 0
        """That have left it, ever: the truth."""
        self.jammed = False
        """Nothing leaves while it is."""
        self.runs_away = 0
        """Tokens that leave uncounted with the next one."""
        self.trouble = HopperFlag(0)
        """What it reports beside what it has found."""
        self._answers_168 = dispense_count
        self._last = (0, 0)
        self._token_ns: int | None = None
        self._remaining = 0
        self._flags = HopperFlag(0)
        self._begin()

    def _begin(self) -> None:
        self._event = 0
        self._enabled = False

    def reset(self, t_ns: int) -> None:
        """It was reset: what it was paying is unpaid, and it remembers that."""
        self.advance(t_ns)
        if self._remaining:
            self._last = (self._last[0], self._last[1] + self._remaining)
            self._remaining = 0
            self._flags |= HopperFlag.POWER_DOWN_IN_PAYOUT
        self._token_ns = None
        self._flags = (self._flags & ~HopperFlag.PAYOUT_TIMEOUT) | HopperFlag.POWER_UP
        self._begin()

    def power_cut(self, t_ns: int) -> None:
        """Its motor stops with the power."""
        super().power_cut(t_ns)
        self._token_ns = None

    @property
    def status(self) -> HopperStatus:
        """Its counters."""
        return HopperStatus(self._event, self._remaining, *self._last)

    @property
    def next_ns(self) -> int | None:
        """When it does something by itself next; None while it rests."""
        return self._token_ns

    def advance(self, t_ns: int) -> None:
        """Pays up to then."""
        while self._token_ns is not None and self._token_ns <= t_ns:
            at_ns = self._token_ns
            if self.jammed or not self.tokens:
                self._flags |= HopperFlag.PAYOUT_TIMEOUT | (
                    HopperFlag.OVER_CURRENT if self.jammed else HopperFlag.USE_OTHER
                )
                self._end()
                return
            leaving = 1 + self.runs_away
            self.runs_away = 0
            self.tokens -= leaving
            self.paid += leaving
            self._remaining -= 1
            self._last = (self._last[0] + 1, self._last[1])
            if not self._remaining:
                self._end()
                return
            self._token_ns = self._next_token(at_ns)

    def _next_token(self, t_ns: int) -> int:
        if self.jammed or not self.tokens:
            return t_ns + TIMEOUT_NS
        return t_ns + self._rng.randint(*TOKEN_NS)

    def _end(self) -> None:
        self._last = (self._last[0], self._last[1] + self._remaining)
        self._remaining, self._token_ns = 0, None

    def handle(self, message: CctalkMessage, t_ns: int) -> tuple[Header, bytes] | None:
        """Answers what a hopper is asked."""
        data = message.data
        answer: bytes
        match message.header:
            case Header.TEST_HOPPER:
                flags = self._flags | self.trouble | (HopperFlag(0) if self._enabled else HopperFlag.DISABLED)
                answer = int(flags).to_bytes(3, "little")
            case Header.ENABLE_HOPPER if len(data) == 1:
                self._enabled, answer = data[0] == ENABLE_BYTE, ACK
            case Header.DISPENSE:
                return self._dispense(data, t_ns)
            case Header.HOPPER_STATUS:
                answer = bytes(self.status)
            case Header.DISPENSE_COUNT if self._answers_168:
                answer = (self.paid & 0xFFFFFF).to_bytes(3, "little")
            case Header.EMERGENCY_STOP:
                answer = bytes((self._remaining,))
                self._end()
            case Header.LEVELS:
                answer = bytes((0x31 if self.tokens < LOW else 0x30,))
            case Header.COIN_ID_OF_HOPPER:
                answer = b"TK001A"
            case _:
                return None
        return Header.REPLY, answer

    def _dispense(self, data: bytes, t_ns: int) -> tuple[Header, bytes]:
        right = len(data) == 4 and data[:3] == self.serial and data[3] > 0
        if not right or not self._enabled or self._remaining:
            # The Flow manual has its counter move with a refusal too.
            self._event = self._event if self._remaining else next_count(self._event)
            return Header.NAK, b""
        self._event = next_count(self._event)
        self._remaining, self._last = data[3], (0, 0)
        self._flags &= ~(HopperFlag.PAYOUT_TIMEOUT | HopperFlag.USE_OTHER | HopperFlag.OVER_CURRENT)
        self._token_ns = self._next_token(t_ns)
        return Header.REPLY, bytes((self._event,))
