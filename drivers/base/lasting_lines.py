"""Output lines that are on for as long as they are wanted.

An output goes safe ten minutes after it was set (`hal.outputs`), so that a forgotten lamp goes dark, and a value that
is repeated does not extend that. A line that a game wants for longer is set off and on again before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from drivers.base.driver import NEVER_NS
from hal.values import Output, SetLine

AGAIN_NS: Final = 300_000_000_000
"""Lines are set again this often (ours): half of the time after which an output goes safe."""


class LastingLines:
    """The lines of one actuator that are on."""

    def __init__(self) -> None:
        self.due_ns = NEVER_NS
        """When they are to be set again."""
        self._on: tuple[str, ...] = ()

    def keep(self, on: Iterable[str], t_ns: int) -> None:
        """These lines are on, and no others."""
        self._on = tuple(on)
        if not self._on:
            self.due_ns = NEVER_NS
        elif self.due_ns == NEVER_NS:
            self.due_ns = t_ns + AGAIN_NS

    def due(self, t_ns: int) -> list[Output]:
        """The outputs that are due by then."""
        if t_ns < self.due_ns:
            return []
        self.due_ns = t_ns + AGAIN_NS
        return [SetLine(line, level, t_ns) for line in self._on for level in (False, True)]
