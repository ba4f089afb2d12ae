"""The lamp chain of a board: lights lamps, and delivers each read-back as a frame.

    light({3, 45}) ──`lamps`──► board ──report `lamps`──► Frame("lamps", lit, dead, stuck)
                                board down ────────────► EdgesLost("lamps", UNPLUGGED), once
    flag `deadman` ──`all_safe`──► the board takes commands again

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
from hal.board.messages import AllSafeCommand, Flag, IdentityAnswer, LampsCommand, LampsReport, StateReport
from hal.board_frames import BoardFrames
from hal.lamp_fields import CHAIN, bit_field
from hal.lines import LineError, Sink

log = logging.getLogger(__name__)

KINDS: Final = frozenset(LampsCommand.kinds)
"""The kinds of boards that have a chain."""


class LampChain:
    """The chain of one board (see `hal.lines.LineSource` and `hal.board.link.BoardWatcher`)."""

    detects_loss = True
    kernel_time = False
    max_lateness_ns = 0

    def __init__(self, link: BoardLink, *, name: str = CHAIN, acknowledges: bool = True) -> None:
        """The chain of the link's board; nothing is opened yet.

        `acknowledges` is false where the board's outputs are in use: those acknowledge its dead-man, and are lit again
        after that.
        """
        self.acknowledges = acknowledges
        self._acknowledging = False
        self.name = name
        self.lines = frozenset({CHAIN})
        self._frames = BoardFrames(name, CHAIN, link)
        self._link = link

    @property
    def failed(self) -> LineError | None:
        return self._frames.failed

    def open(self, sink: Sink) -> None:
        self._frames.open(sink, self)

    def close(self) -> None:
        self._frames.close(self)

    def delivered_until(self, now_ns: int) -> int:
        return self._frames.delivered_until(now_ns)

    def light(self, lamps: Iterable[int]) -> None:
        """Lights exactly these lamps; does nothing while the board is down.

        Raises:
            ValueError: a chain has no such place.
            BoardError: the board has no chain.
        """
        command = LampsCommand(bit_field(lamps))
        if self._frames.up:
            self._link.submit(command, self._answered)

    # --- the board (see `hal.board.link`) -------------------------------------------------------------------------

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The chain accepts commands; it is dark."""
        self._acknowledging = False
        self._frames.began()

    def down(self, t_ns: int, reason: str) -> None:
        """The chain is unreachable."""
        self._frames.gone(t_ns)

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Delivers a read-back. A board whose dead-man has acted lights nothing before that is acknowledged."""
        if isinstance(report, StateReport) and report.flags & Flag.DEADMAN:
            if self.acknowledges and not self._acknowledging:
                self._acknowledging = True
                self._link.submit(AllSafeCommand(), self._acknowledged)
        elif isinstance(report, LampsReport):
            self._frames.deliver(report.lit + report.dead + report.stuck, t_ns)

    def _acknowledged(self, result: BoardAnswer | BoardError) -> None:
        self._acknowledging = False
        self._answered(result)

    def _answered(self, result: BoardAnswer | BoardError) -> None:
        """Handles the result of the command. After a refusal no read-back arrives."""
        if isinstance(result, BoardError):
            log.warning("%s: %s", self.name, result)
