"""The lamp chain of a board: lights lamps, and delivers each read-back as a frame.

    light({3, 45}) ──`lamps`──► board ──report `lamps`──► Frame("lamps", lit, dead, stuck)
                                board down ────────────► EdgesLost("lamps", UNPLUGGED), once

The read-back is a value like any other, so that captures and replays contain it. A command given while the board is
down is not sent later: no read-back arrives, and the caller, waiting for it, repeats the command.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from hal.board.errors import BoardError
from hal.board.link import BoardLink
from hal.board.message import BoardAnswer, BoardReport
from hal.board.messages import IdentityAnswer, LampsCommand, LampsReport
from hal.clock import Clock
from hal.lamp_fields import CHAIN, bit_field
from hal.lines import NOT_YET_NS, LineError, Sink
from hal.values import EdgesLost, Frame, Loss, Rare

log = logging.getLogger(__name__)

KINDS: Final = frozenset(LampsCommand.kinds)
"""The kinds of boards that have a chain."""


class LampChain:
    """The chain of one board (see `hal.lines.LineSource` and `hal.board.link.BoardWatcher`)."""

    detects_loss = True
    kernel_time = False
    max_lateness_ns = 0

    def __init__(self, link: BoardLink, clock: Clock, *, name: str = CHAIN) -> None:
        """The chain of the link's board; nothing is opened yet."""
        self.name = name
        self.lines = frozenset({CHAIN})
        self._link = link
        self._clock = clock
        self._sink: Sink | None = None
        self._up = False
        self._promised_ns = NOT_YET_NS

    @property
    def failed(self) -> LineError | None:
        """None while the link reconnects; else the defect that stopped it."""
        return self._link.failed

    def open(self, sink: Sink) -> None:
        """Opens the board's port, if it is not open.

        Raises:
            LineError: the chain is open already.
        """
        if self._sink is not None:
            raise LineError(f"{self.name}: the chain is open already; close it first")
        self._sink = sink
        self._link.open(self)

    def close(self) -> None:
        """Closes the board. Calling it again does nothing."""
        if self._sink is not None:
            self._sink, self._up = None, False
            self._link.close(self)

    def delivered_until(self, now_ns: int) -> int:
        """Handles what the port has received; everything read up to now is then delivered."""
        if self._sink is not None:
            self._link.read_pending()
        self._promised_ns = max(self._promised_ns, now_ns)
        return now_ns

    def light(self, lamps: Iterable[int]) -> None:
        """Lights exactly these lamps; does nothing while the board is down.

        Raises:
            ValueError: a chain has no such place.
            BoardError: the board has no chain.
        """
        command = LampsCommand(bit_field(lamps))
        if self._up:
            self._link.submit(command, self._answered)

    # --- the board (see `hal.board.link`) -------------------------------------------------------------------------

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The chain accepts commands; it is dark."""
        self._up = True

    def down(self, t_ns: int, reason: str) -> None:
        """The chain is unreachable."""
        if self._up:
            self._up = False
            self._deliver(EdgesLost(CHAIN, Loss.UNPLUGGED, self._at(t_ns)))

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Delivers a read-back."""
        if isinstance(report, LampsReport):
            self._deliver(Frame(CHAIN, report.lit + report.dead + report.stuck, self._at(t_ns)))

    def _at(self, t_ns: int) -> int:
        """The time of reading, but after every time already promised."""
        return max(t_ns, self._promised_ns + 1)

    def _deliver(self, value: Rare) -> None:
        if self._sink is not None:
            self._sink.deliver(self.name, [], [value])

    def _answered(self, result: BoardAnswer | BoardError) -> None:
        """Handles the result of the command. After a refusal no read-back arrives."""
        if isinstance(result, BoardError):
            log.warning("%s: %s", self.name, result)
