"""Faults latch: what touches outcomes stays told until a named person clears it and the device passes its check."""

from __future__ import annotations

from typing import NamedTuple


class LatchedFault(NamedTuple):
    """A fault that stands."""

    device: str
    fault: str
    detail: str
    blocks_play: bool


class Fault(NamedTuple):
    """A game's word that a device is not to be trusted: the table latches it."""

    t_ns: int
    fault: str
    detail: str
    cause: str = ""
    """What is wrong now and must go before the fault can be cleared; empty where nothing of it can be seen."""
    device: str = ""
    """Which device; empty for the one that the game judges."""
    blocks_play: bool = True


class CauseGone(NamedTuple):
    """A game's word that the cause of a fault is gone. The fault stays latched."""

    t_ns: int
    cause: str
    device: str = ""
    """Which device; empty for the one that the game judges."""


class FaultLatch:
    """The faults of one table."""

    def __init__(self) -> None:
        self._latched: dict[tuple[str, str], LatchedFault] = {}
        self._present: dict[tuple[str, str], set[str]] = {}

    @property
    def standing(self) -> tuple[LatchedFault, ...]:
        """All latched faults, oldest first."""
        return tuple(self._latched.values())

    @property
    def blocking(self) -> tuple[LatchedFault, ...]:
        """Those that shut the table, oldest first."""
        return tuple(fault for fault in self._latched.values() if fault.blocks_play)

    @property
    def blocks_play(self) -> bool:
        """Whether one of them shuts the table."""
        return any(fault.blocks_play for fault in self._latched.values())

    def latch(self, fault: LatchedFault) -> bool:
        """Latches a fault; returns whether it is new, or shuts the table where what stood before did not."""
        key = (fault.device, fault.fault)
        before = self._latched.get(key)
        if before is not None and (before.blocks_play or not fault.blocks_play):
            return False
        self._latched[key] = fault
        return True

    def appears(self, device: str, fault: str, what: str) -> None:
        """The cause of a fault is there now (a dead line): it cannot be cleared while it is."""
        self._present.setdefault((device, fault), set()).add(what)

    def goes(self, device: str, what: str) -> None:
        """The cause is gone. The fault stays latched."""
        for (owner, _), causes in self._present.items():
            if owner == device:
                causes.discard(what)

    def causes(self, device: str, fault: str) -> tuple[str, ...]:
        """What keeps a fault from being cleared."""
        return tuple(sorted(self._present.get((device, fault), ())))

    def clear(self, device: str) -> list[LatchedFault]:
        """Clears the faults of a device whose causes are gone; returns them."""
        cleared = [
            fault for key, fault in self._latched.items() if fault.device == device and not self._present.get(key)
        ]
        for fault in cleared:
            del self._latched[fault.device, fault.fault]
        return cleared
