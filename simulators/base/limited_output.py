"""An output of a board as docs/wire.md has it: it is on for its longest time at most, and is then held safe."""

from __future__ import annotations

from typing import Final

from hal.board.message import BoardKind

NEVER_NS: Final = 1 << 62


class LimitedOutput:
    """One output. A value that is repeated does not extend its time; held safe, it takes no value before a 0."""

    def __init__(self, kind: BoardKind, name: str) -> None:
        self.on = False
        self._longest_ns = dict(kind.outputs)[name] * 1_000_000
        self._held = False
        self._ends_ns = NEVER_NS

    def set(self, on: bool, t_ns: int) -> bool:
        """Sets it; returns whether it takes that."""
        self.ends(t_ns)
        if not on:
            self.make_safe()
            self._held = False
        elif self._held:
            return False
        elif not self.on:
            self.on, self._ends_ns = True, t_ns + self._longest_ns
        return True

    def make_safe(self) -> None:
        """The dead-man, an interlock or a new session ends it: it is not held."""
        self.on, self._ends_ns = False, NEVER_NS

    def hold(self) -> None:
        """Its device has a fault."""
        self.make_safe()
        self._held = True

    def ends(self, t_ns: int) -> int | None:
        """When its longest time ended, where it has since the last call."""
        if self._ends_ns > t_ns:
            return None
        ended_ns = self._ends_ns
        self.hold()
        return ended_ns
