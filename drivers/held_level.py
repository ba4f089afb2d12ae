"""A contact whose level counts once it has held: a tilt switch, a lid's switch.

    line     ____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_|‾|______________
                     |<- `hold_ns` ->|  high                |<- ... ->| low

A change that does not hold never was one, and a change that holds is dated when it began to hold.
"""

from __future__ import annotations

from typing import NamedTuple

from drivers.driver import NEVER_NS


class Held(NamedTuple):
    """A level that has held."""

    level: int
    since_ns: int
    """When the line took it."""


class HeldLevel:
    """One line's level, with what does not hold left out."""

    __slots__ = ("_hold_ns", "_raw", "_since_ns", "level")

    def __init__(self, hold_ns: int) -> None:
        self._hold_ns = hold_ns
        self._raw: int | None = None
        self._since_ns = NEVER_NS
        self.level: int | None = None
        """The level that held last; None until one is known."""

    @property
    def due_ns(self) -> int:
        """When the level, if it stays, has held."""
        return self._since_ns + self._hold_ns if self._since_ns < NEVER_NS else NEVER_NS

    def edge(self, level: int, t_ns: int) -> bool:
        """Takes an edge; returns whether it told the level that the line was found at, which is no change."""
        found = self.level is None
        if found:
            self.level = level
        if level != self._raw:
            self._raw = level
            self._since_ns = t_ns if level != self.level else NEVER_NS
        return found

    def due(self, t_ns: int) -> Held | None:
        """Lets time pass; returns the change that has held by now."""
        if t_ns < self.due_ns or self._raw is None:
            return None
        self.level, since_ns, self._since_ns = self._raw, self._since_ns, NEVER_NS
        return Held(self.level, since_ns)

    def forget(self) -> None:
        """The line is not driven, or changes of it were lost: its next edge tells its level."""
        self.level = self._raw = None
        self._since_ns = NEVER_NS
