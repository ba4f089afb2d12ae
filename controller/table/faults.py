"""Latched faults: a fault stays until its causes are gone and a named person clears it."""

from __future__ import annotations

from typing import NamedTuple


class LatchedFault(NamedTuple):
    """A fault that is latched."""

    device: str
    fault: str
    detail: str
    blocks_play: bool


class Fault(NamedTuple):
    """A device fault reported by a game; the table latches it."""

    t_ns: int
    fault: str
    detail: str
    cause: str = ""
    """The cause that must be gone before the fault can be cleared; empty where none can be observed."""
    device: str = ""
    """The device; empty for the game's own."""
    blocks_play: bool = True


class CauseGone(NamedTuple):
    """Reported by a game: the cause of a fault is gone. The fault stays latched."""

    t_ns: int
    cause: str
    device: str = ""
    """The device; empty for the game's own."""


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
        """Latches a fault; returns whether it is new, or blocks play where the one before did not."""
        key = (fault.device, fault.fault)
        before = self._latched.get(key)
        if before is not None and (before.blocks_play or not fault.blocks_play):
            return False
        self._latched[key] = fault
        return True

    def appears(self, device: str, fault: str, what: str) -> None:
        """A cause of a fault is present (a dead line): the fault cannot be cleared while it is."""
        self._present.setdefault((device, fault), set()).add(what)

    def goes(self, device: str, what: str) -> None:
        """A cause is gone. The fault stays latched."""
        for (owner, _), causes in self._present.items():
            if owner == device:
                causes.discard(what)

    def causes(self, device: str, fault: str) -> tuple[str, ...]:
        """What keeps a fault from being cleared."""
        return tuple(sorted(self._present.get((device, fault), ())))

    def forget(self, device: str, fault: str) -> None:
        """Forgets a fault that was latched for an opening alone: it is raised with its event next."""
        self._latched.pop((device, fault), None)

    def clear(self, device: str) -> list[LatchedFault]:
        """Clears the faults of a device whose causes are gone; returns them."""
        cleared = [
            fault for key, fault in self._latched.items() if fault.device == device and not self._present.get(key)
        ]
        for fault in cleared:
            del self._latched[fault.device, fault.fault]
        return cleared
