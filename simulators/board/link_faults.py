"""Faults between a board and its host: corrupted bytes, the cable, the board, the host. All of them are seeded.

Bytes keep their order, as on any wire: a delayed byte delays those behind it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from math import log1p
from random import Random
from typing import Final, NamedTuple, Protocol

Timed = tuple[int, int]
"""The time of a byte, and the byte."""


@dataclass(frozen=True, slots=True)
class ByteFaults:
    """The shares of bytes with each kind of fault, together at most 1."""

    flipped: float = 0.0
    """One of its bits changes."""
    dropped: float = 0.0
    repeated: float = 0.0
    """It comes twice."""
    delayed: float = 0.0
    longest_delay_ns: int = 20_000_000

    def __post_init__(self) -> None:
        shares = self.shares
        if min(shares.values()) < 0.0 or sum(shares.values()) > 1.0:
            raise ValueError(f"byte faults: expected shares of 0 to 1, together at most 1, got {shares}")

    @property
    def shares(self) -> dict[str, float]:
        """The share of each kind."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "longest_delay_ns"}


FOR_EVER: Final = 1 << 62
"""More bytes than any run sends."""
NO_FAULTS = ByteFaults()


class FaultyWire:
    """One direction of a wire that corrupts bytes; counts each kind of fault."""

    def __init__(self, faults: ByteFaults, seed: int) -> None:
        self.faults = faults
        self.did = dict.fromkeys(faults.shares, 0)
        self._rng = Random(seed)
        self._total = sum(faults.shares.values())
        self._held_until_ns = 0
        self._sound = self._sound_run()

    def through(self, data: Iterable[Timed]) -> list[Timed]:
        """The bytes at the other end, in the order of time."""
        if self._total <= 0.0:
            return list(data)
        out: list[Timed] = []
        for t_ns, byte in data:
            t_ns = max(t_ns, self._held_until_ns)
            if self._sound > 0:
                self._sound -= 1
                out.append((t_ns, byte))
            else:
                out += self._spoil(t_ns, byte)
                self._sound = self._sound_run()
        return out

    def _spoil(self, t_ns: int, byte: int) -> list[Timed]:
        (kind,) = self._rng.choices(tuple(self.did), tuple(self.faults.shares.values()))
        self.did[kind] += 1
        if kind == "dropped":
            return []
        if kind == "flipped":
            return [(t_ns, byte ^ 1 << self._rng.randrange(8))]
        if kind == "repeated":
            return [(t_ns, byte), (t_ns, byte)]
        self._held_until_ns = t_ns + self._rng.randint(1, self.faults.longest_delay_ns)
        return [(self._held_until_ns, byte)]

    def _sound_run(self) -> int:
        """Sound bytes before the next fault: drawn once, not for each byte."""
        if self._total <= 0.0:
            return FOR_EVER
        if self._total >= 1.0:
            return 0
        return int(min(FOR_EVER, log1p(-self._rng.random()) / log1p(-self._total)))


class LinkFault(StrEnum):
    """A fault of the whole link."""

    CABLE = "cable"
    """The cable is pulled, and plugged in after a while. The board has a supply of its own."""
    FROZEN_BOARD = "frozen_board"
    """The board's clock stops for a while."""
    RESET = "reset"
    """The board's reset button is pressed."""
    HANG = "hang"
    """The board's program hangs until its watchdog resets it."""
    POWER = "power"
    """The board loses its supply for a while."""
    FROZEN_HOST = "frozen_host"
    """The host neither reads nor writes for a while."""


class PlannedLinkFault(NamedTuple):
    """A link fault, its time and its duration."""

    t_ns: int
    kind: LinkFault
    lasts_ns: int


class LinkFaultTarget(Protocol):
    """What link faults act on: a `LockStep` implements it."""

    def unplug(self) -> None:
        """Pulls the cable."""

    def plug_in(self) -> None:
        """Plugs the cable in."""

    def freeze_board(self, on: bool) -> None:
        """Stops the board's clock, or starts it again."""

    def reset_board(self) -> None:
        """Pulls the board's reset line for a moment."""

    def hang_board(self) -> None:
        """Hangs the board's program."""

    def power_board(self, on: bool) -> None:
        """Cuts the board's power, or restores it."""

    def freeze_host(self, duration_ns: int) -> None:
        """Stops the host for a while."""


def begin_link_fault(kind: LinkFault, to: LinkFaultTarget, lasts_ns: int) -> None:
    """Begins a link fault."""
    if kind is LinkFault.CABLE:
        to.unplug()
    elif kind is LinkFault.FROZEN_BOARD:
        to.freeze_board(True)
    elif kind is LinkFault.RESET:
        to.reset_board()
    elif kind is LinkFault.HANG:
        to.hang_board()
    elif kind is LinkFault.POWER:
        to.power_board(False)
    else:
        to.freeze_host(lasts_ns)


def end_link_fault(kind: LinkFault, to: LinkFaultTarget) -> None:
    """Ends a link fault."""
    if kind is LinkFault.CABLE:
        to.plug_in()
    elif kind is LinkFault.FROZEN_BOARD:
        to.freeze_board(False)
    elif kind is LinkFault.POWER:
        to.power_board(True)
