"""Carries out what is to be done at a table's outputs, in order and at once.

What stops things as the table begins is owed until it gets through: a serial port is opened in its own time.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from controller.live.output_faults import OutputFaults
from controller.live.wiring import Wiring
from hal.lines import LineError
from hal.serial_link import LinkError
from hal.values import LightLamps, Output

log = logging.getLogger(__name__)


class OutputDispatcher:
    """The outputs of one live table, as long as its wires are open."""

    def __init__(self, table_id: str, wiring: Wiring, faults: OutputFaults) -> None:
        """`faults` tells of lamps that cannot be told, as of outputs that refuse."""
        self._table_id = table_id
        self._wiring = wiring
        self._faults = faults
        self._owed: list[Output] = []

    def begin(self, outputs: Iterable[Output]) -> None:
        """What is done before anything else; where a link is not up yet, as soon as it is."""
        self._owed = list(outputs)
        self.owed()

    def owed(self) -> None:
        """Tries what could not be sent at the beginning."""
        owed, self._owed = self._owed, []
        for output in owed:
            try:
                self._show(output)
            except LinkError:
                self._owed.append(output)

    def carry_out(self, outputs: Iterable[Output]) -> None:
        """Does all of it. A link that is down stops no game: it is told in the log, and the game misses the answer."""
        for output in outputs:
            try:
                self._show(output)
            except LinkError as error:
                self._warn(error)

    def _show(self, output: Output) -> None:
        """Does one thing. An output that refuses is told in the log; `OutputFaults` hears of it from the output itself.

        Raises:
            LinkError: its link is down.
        """
        try:
            self._wiring.show(output)
        except LineError as error:
            self._warn(error)
            if isinstance(output, LightLamps):
                self._faults.cannot_be_told(output.chain, str(error))

    def _warn(self, error: Exception) -> None:
        log.warning("table %s: %s", self._table_id, error)
