"""The one thing that the bench does with real devices: it lights a lamp of a closed table for a second.

What moves is never driven from here: motors and magnets are tested by `feltwire boards`, with a hand on the switch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from controller.configuration.values import TableConfig
from controller.live.wiring import wire
from hal.clock import Clock
from hal.lines import LineError
from hal.outputs import Outputs

log = logging.getLogger(__name__)

LIT_NS: Final = 1_000_000_000


class OutputTestError(Exception):
    """A lamp that cannot be tested: which, and why."""


class OutputTest:
    """Lights one lamp at a time. Its wires are claimed for that second alone."""

    def __init__(self, config: TableConfig, clock: Clock, claim: Callable[[], Outputs | None] | None = None) -> None:
        """`claim` makes the outputs on pins of the Pi, unopened; a test puts its own in place of the real ones."""
        self._clock = clock
        self._claim: Callable[[], Outputs | None] = self._own_wires if claim is None else claim
        self._config = config
        uses = config.uses
        lamps = [name for name in config.pins if uses[name].kind == "output" and uses[name].drives == "lamp"]
        self.lamps: tuple[str, ...] = tuple(lamps) if config.live and not config.boards else ()
        """The lines that can be tested: lamps on pins of the Pi."""
        self._lit: Outputs | None = None
        self._until_ns = 0

    def _own_wires(self) -> Outputs | None:
        return wire(self._config, self._clock, {}, 0).outputs

    def light(self, line: str) -> None:
        """Lights a lamp for a second.

        Raises:
            OutputTestError: it is not a lamp, another one is lit, or it cannot be opened.
        """
        if line not in self.lamps:
            raise OutputTestError(f"{line}: no lamp on a pin of the Pi; there are {', '.join(self.lamps) or 'none'}")
        if self._lit is not None:
            raise OutputTestError(f"{line}: another lamp is lit; wait a second")
        outputs = self._claim()
        if outputs is None:
            raise OutputTestError(f"{line}: the table has no outputs on pins")
        try:
            outputs.open()
            outputs.show(line, 1.0)
        except LineError as error:
            outputs.close()
            raise OutputTestError(str(error)) from error
        self._lit, self._until_ns = outputs, self._clock.now_ns() + LIT_NS

    def due(self, now_ns: int) -> None:
        """Darkens the lamp when its second is over, and lets its wires go."""
        if self._lit is not None and now_ns >= self._until_ns:
            self.stop()

    def stop(self) -> None:
        """Darkens what is lit."""
        lit, self._lit = self._lit, None
        if lit is not None:
            lit.close()
