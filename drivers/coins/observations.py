"""What coin and token equipment reports."""

from __future__ import annotations

from typing import Literal, TypeAlias

from drivers.base.driver import Observation
from drivers.coins.cctalk_wire import HopperFlag, HopperStatus

CoinDevice: TypeAlias = Literal["acceptor", "hopper"]


# --- of the ccTalk bus ------------------------------------------------------------------------------------------------


class BusMessage(Observation, frozen=True, kw_only=True):
    """A message on the bus whose checksum is right: the echo of one that was sent, or an answer."""

    destination: int
    source: int | None
    """None where the wire does not carry it."""
    header: int
    data: bytes


class BusNoise(Observation, frozen=True, kw_only=True):
    """Bytes on the bus that are not a message."""

    data: bytes


class BusLost(Observation, frozen=True, kw_only=True):
    """The bus is unplugged."""


# --- of an acceptor ---------------------------------------------------------------------------------------------------


class AcceptorEvents(Observation, frozen=True, kw_only=True):
    """The acceptor's event counter has moved, proven by two equal answers."""

    before: int | None
    """Its value until now; None where nothing was known of it."""
    counter: int
    """Its value now."""
    coins: tuple[int, ...] = ()
    """The coins accepted since, oldest first, by their numbers from 1."""
    errors: tuple[int, ...] = ()
    """The error codes since, oldest first."""
    reset: bool = False
    """Whether it was reset since: it takes nothing before it is enabled again."""
    doubt: str = ""
    """Why coins may have been accepted that are not listed, with both counts; empty where none can be missing."""


class AcceptorInhibited(Observation, frozen=True, kw_only=True):
    """The acceptor takes tokens, or takes none, as it has confirmed itself."""

    accepting: bool
    counter: int
    """Its event counter, read after that."""


# --- of a hopper ------------------------------------------------------------------------------------------------------


class HopperReady(Observation, frozen=True, kw_only=True):
    """The hopper's counters are known: a payout can be planned."""

    status: HopperStatus


class PayoutEnded(Observation, frozen=True, kw_only=True):
    """A payout is over, and how many tokens left is proven by the hopper's own count."""

    number: int
    asked: int
    paid: int
    detail: str = ""
    """Why it is less than was asked."""


class PayoutDoubt(Observation, frozen=True, kw_only=True):
    """How many tokens of a payout left cannot be known."""

    number: int
    asked: int
    least: int
    most: int
    detail: str
    """Both counts, and why they cannot be reconciled."""


class HopperTrouble(Observation, frozen=True, kw_only=True):
    """What the hopper reports of itself has changed."""

    flags: HopperFlag
    """Troubles only; 0 where there is none any more."""


# --- of both ----------------------------------------------------------------------------------------------------------


class CoinDeviceSilent(Observation, frozen=True, kw_only=True):
    """A device on the bus does not answer, or answers again."""

    device: CoinDevice
    silent: bool
    detail: str = ""


class CoinDeviceIdentified(Observation, frozen=True, kw_only=True):
    """Who a device on the bus is, by its own answers."""

    device: CoinDevice
    address: int
    identity: dict[str, str]
    """`manufacturer`, `category`, `product`, `software` and `serial`."""


# --- of a chute, or of an acceptor with pulses ------------------------------------------------------------------------


class TokenPassed(Observation, frozen=True, kw_only=True):
    """A token has passed, proven by the order of the sensors or by the length of the pulses."""

    passed_ns: int


class TokenDoubt(Observation, frozen=True, kw_only=True):
    """Something passed that is not a proven token: it was pulled back, it hangs, or changes were lost."""

    code: Literal["token_backwards", "token_stringed", "token_jam", "token_unproven", "edges_lost", "pulse_length"]
    detail: str


class TokenWayClear(Observation, frozen=True, kw_only=True):
    """The jam is over: the way of the tokens is free."""
