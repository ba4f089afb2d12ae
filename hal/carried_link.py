"""A link whose messages a board carries: a device's commands and reports, as frames (`hal.board.carried`).

    board up ──► Frame("reels", id of `identity` + fields): its reports of before are not known, and not carried
    send(id + fields) ──command──► board ──report──► Frame("reels", id + fields)
                                   refused, or its session ended ──► Frame("reels", `refused` + id + fields)
                                   `test` answered ──► Frame("reels", its id)
                                   board down ──► EdgesLost("reels", UNPLUGGED), once

The frames are values like any other, so that captures and replays contain them. A command given while the board is
down is not sent later: whoever waits for its report repeats it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Final

from hal.board.carried import NOT_ANSWERED, RefusedCommand, carried, command_in
from hal.board.errors import BoardError, CommandRefusedError
from hal.board.link import BoardLink
from hal.board.message import BoardAnswer, BoardCommand, BoardReport
from hal.board.messages import (
    CountsAnswer,
    CountsReport,
    HopperReport,
    IdentityAnswer,
    MotorReport,
    ReelReport,
    SensorsReport,
    TestCommand,
)
from hal.board_frames import BoardFrames
from hal.clock import Clock
from hal.lines import LineError, Sink

log = logging.getLogger(__name__)

CARRIED: Final[Mapping[str, tuple[type[BoardReport], ...]]] = {
    "reel": (CountsReport, ReelReport, SensorsReport),
    "pusher": (CountsReport, HopperReport, MotorReport, SensorsReport),
}
"""Of each kind of board that works by itself, the reports that its device wants."""


class CarriedLink:
    """The messages of one board (see `hal.lines.LineSource` and `hal.board.link.BoardWatcher`)."""

    detects_loss = True
    kernel_time = False
    max_lateness_ns = 0

    def __init__(
        self,
        name: str,
        link: BoardLink,
        reports: Collection[type[BoardReport]],
        clock: Clock,
        *,
        source: str = "",
        settings: Sequence[BoardCommand] = (),
    ) -> None:
        """`name` is the link's; of the board's reports it carries those in `reports`. `settings` are sent at the begin
        of each session, before anything else. Nothing is opened yet.
        """
        self.name = source or name
        self.lines = frozenset({name})
        self._frames = BoardFrames(self.name, name, link)
        self._link = link
        self._reports = tuple(reports)
        self._settings = tuple(settings)
        self._clock = clock

    @property
    def failed(self) -> LineError | None:
        return self._frames.failed

    def open(self, sink: Sink) -> None:
        self._frames.open(sink, self)

    def close(self) -> None:
        self._frames.close(self)

    def delivered_until(self, now_ns: int) -> int:
        return self._frames.delivered_until(now_ns)

    def send(self, data: bytes) -> None:
        """Has the board do a command; does nothing while it is down.

        Raises:
            MessageError: the bytes are not a command.
            BoardError: this kind of board has no such command.
        """
        command = command_in(data)
        if self._frames.up:
            self._link.submit(command, partial(self._answered, command))

    # --- the board (see `hal.board.link`) -------------------------------------------------------------------------

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The board accepts commands."""
        self._frames.began()
        for command in self._settings:
            self._link.submit(command, partial(self._answered, command))
        self._frames.deliver(carried(identity), t_ns)

    def down(self, t_ns: int, reason: str) -> None:
        """The board cannot be reached."""
        self._frames.gone(t_ns)

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Delivers a report."""
        if isinstance(report, self._reports):
            self._frames.deliver(carried(report), t_ns)

    def _answered(self, command: BoardCommand, result: BoardAnswer | BoardError) -> None:
        """A command that was not carried out is delivered as such: where the session ended, `down` follows or came."""
        if isinstance(result, CountsAnswer):
            # What was asked for is carried as what is reported: the counters.
            counted = CountsReport(result.first, result.second, result.third, result.fourth)
            self._frames.deliver(carried(counted), self._clock.now_ns())
        if not isinstance(result, BoardError):
            if isinstance(command, TestCommand):
                self._frames.deliver(carried(command), self._clock.now_ns())
            return
        log.warning("%s: %s", self.name, result)
        why = int(result.why) if isinstance(result, CommandRefusedError) else NOT_ANSWERED
        self._frames.deliver(carried(RefusedCommand(why, command)), self._clock.now_ns())
