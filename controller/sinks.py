"""Sinks between a table's sources and its merge."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hal.merge import Merge
from hal.values import Edge, Rare


class Waking:
    """The merge, which also says that something has come."""

    def __init__(self, merge: Merge, wake: Callable[[], None]) -> None:
        self._merge = merge
        self._wake = wake

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Hands values on."""
        self._merge.deliver(source, edges, rare)
        self._wake()


class Deaf:
    """A sink for a link that only sends."""

    def deliver(self, source: str, edges: Sequence[object], rare: Sequence[object]) -> None:
        """What a display answers is of no use."""
