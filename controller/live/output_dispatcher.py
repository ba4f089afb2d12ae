"""Carries out a table's output commands, in order and at once.

The commands that stop devices as the table begins are retried until they are sent: a serial port may open later.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from controller.live.output_faults import OutputFaults
from controller.live.wiring import Wiring
from hal.lines import LineError
from hal.link_status import LinkError
from hal.values import LightLamps, Output, SendFrame

log = logging.getLogger(__name__)


class OutputDispatcher:
    """The outputs of one live table, as long as its wires are open."""

    def __init__(self, table_id: str, wiring: Wiring, faults: OutputFaults) -> None:
        """`faults` reports chains of lamps that cannot be commanded, like outputs that refuse."""
        self._table_id = table_id
        self._wiring = wiring
        self._faults = faults
        self._pending: list[Output] = []
        self._logged: dict[str, str] = {}
        """The last refusal of each link, as it was logged: an order that is repeated is refused again and again."""

    def begin(self, outputs: Iterable[Output]) -> None:
        """Carries out the first commands; where a link is not up yet, as soon as it is."""
        self._pending = list(outputs)
        self.retry_pending()

    def retry_pending(self) -> None:
        """Retries the first commands that could not be sent."""
        pending, self._pending = self._pending, []
        for output in pending:
            try:
                self._show(output)
            except LinkError:
                self._pending.append(output)

    def carry_out(self, outputs: Iterable[Output]) -> None:
        """Carries out all of them. A link that is down is logged; its device's actuator then misses the answer."""
        for output in outputs:
            try:
                self._show(output)
            except LinkError as error:
                link = output.link if isinstance(output, SendFrame) else ""
                if self._logged.get(link) != str(error):
                    self._logged[link] = str(error)
                    self._warn(error)

    def _show(self, output: Output) -> None:
        """Carries out one command. An output that refuses is logged; `OutputFaults` reads the refusal from the output.

        Raises:
            LinkError: its link is down.
        """
        try:
            self._wiring.show(output)
        except LineError as error:
            self._warn(error)
            if isinstance(output, LightLamps):
                self._faults.report_unsent(output.chain, str(error))

    def _warn(self, error: Exception) -> None:
        log.warning("table %s: %s", self._table_id, error)
