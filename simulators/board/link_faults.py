"""What goes wrong between a board and its host: bytes on the way, the cable, the board, the host. All of it seeded.

Bytes keep their order, as on any wire: one that is delayed holds up those behind it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from math import log1p
from random import Random
from typing import Final, NamedTuple, Protocol

Timed = tuple[int, int]
"""When a byte is there, and the byte."""


@dataclass(frozen=True, slots=True)
class ByteFaults:
    """How often something befalls a byte: shares of all bytes, together at most 1."""

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
"""Bytes that no run sends."""
NO_FAULTS = ByteFaults()


class FaultyWire:
    """One direction of a wire on which bytes are spoilt; counts what it did."""

    def __init__(self, faults: ByteFaults, seed: int) -> None:
        self.faults = faults
        self.did = dict.fromkeys(faults.shares, 0)
        self._rng = Random(seed)
        self._total = sum(faults.shares.values())
        self._held_until_ns = 0
        self._sound = self._sound_run()

    def through(self, data: Iterable[Timed]) -> list[Timed]:
        """What comes out at the other end, in the order of time."""
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
        """How many bytes come through before the next that does not: drawn once, not for each byte."""
        if self._total <= 0.0:
            return FOR_EVER
        if self._total >= 1.0:
            return 0
        return int(min(FOR_EVER, log1p(-self._rng.random()) / log1p(-self._total)))


class LinkFault(StrEnum):
    """What happens to a whole link."""

    CABLE = "cable"
    """The cable is pulled, and back in after a while. The board has a supply of its own."""
    FROZEN_BOARD = "frozen_board"
    """The board's clock stands for a while."""
    RESET = "reset"
    """Somebody presses the board's button."""
    HANG = "hang"
    """The board's program hangs until its watchdog bites."""
    POWER = "power"
    """The board loses its supply for a while."""
    FROZEN_HOST = "frozen_host"
    """The host neither reads nor writes for a while."""


class PlannedLinkFault(NamedTuple):
    """A mishap at its time."""

    t_ns: int
    kind: LinkFault
    lasts_ns: int


class LinkFaultTarget(Protocol):
    """What mishaps befall: a lock step has all of this."""

    def unplug(self) -> None:
        """The cable is out."""

    def plug_in(self) -> None:
        """The cable is in."""

    def freeze_board(self, on: bool) -> None:
        """The board's clock stands, or runs on."""

    def reset_board(self) -> None:
        """The board's reset line is pulled for a moment."""

    def hang_board(self) -> None:
        """The board's program hangs."""

    def power_board(self, on: bool) -> None:
        """The board's power goes, or comes back."""

    def freeze_host(self, duration_ns: int) -> None:
        """The host does nothing for a while."""


def begin_link_fault(kind: LinkFault, to: LinkFaultTarget, lasts_ns: int) -> None:
    """What happens at the mishap's time."""
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
    """What happens when it is over."""
    if kind is LinkFault.CABLE:
        to.plug_in()
    elif kind is LinkFault.FROZEN_BOARD:
        to.freeze_board(False)
    elif kind is LinkFault.POWER:
        to.power_board(True)


def plan_link_faults(
    seed: int,
    from_ns: int,
    until_ns: int,
    *,
    mean_gap_ns: int,
    longest_ns: int,
    kinds: tuple[LinkFault, ...] = tuple(LinkFault),
) -> list[PlannedLinkFault]:
    """A plan of plan_link_faults, none of which begins before the last is over."""
    rng = Random(seed)
    plan: list[PlannedLinkFault] = []
    t_ns = from_ns
    while True:
        t_ns += round(rng.expovariate(1.0 / mean_gap_ns))
        if t_ns >= until_ns:
            return plan
        lasts_ns = rng.randint(1, longest_ns)
        plan.append(PlannedLinkFault(t_ns, rng.choice(kinds), lasts_ns))
        t_ns += lasts_ns
