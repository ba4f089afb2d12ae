"""What a board says, as messages: what is broken is counted and left out, and so is a report that the wire repeated."""

from __future__ import annotations

from typing import NamedTuple

from hal.board import frames
from hal.board.message import Answer, MessageError, Report
from hal.board.messages import ANSWERS, REPORTS, BootReport, IdentityAnswer

_NUMBERS = 256


class StrangeIdentity(NamedTuple):
    """An `identity` with another layout than ours: that of another protocol."""

    fields: bytes


class Heard(NamedTuple):
    """A message that came whole."""

    number: int
    message: Answer | Report | StrangeIdentity
    length: int
    """Its bytes on the wire."""
    lost_before: int = 0
    """Reports between the last one and this that did not come."""


class Inbox:
    """The receiving half of a link."""

    def __init__(self) -> None:
        self.broken = 0
        """Pieces that were no frame, and frames that were no message, since the start."""
        self._last_report: int | None = None

    def begin(self) -> None:
        """A session is open: its reports are numbered from 0."""
        self._last_report = None

    def take(self, piece: bytes) -> Heard | None:
        """What these bytes between two zeros say; None where they say nothing, or nothing new."""
        try:
            return self._read(piece)
        except (frames.FrameError, MessageError):
            self.broken += 1
            return None

    def _read(self, piece: bytes) -> Heard | None:
        number, id_, fields = frames.decode(piece)
        length = len(piece) + 1
        if id_ in REPORTS:
            return self._numbered(number, REPORTS[id_].unpack(fields), length)
        if id_ not in ANSWERS:
            raise MessageError(f"no answer and no report has the id {id_}")
        if id_ == IdentityAnswer.id and len(fields) != IdentityAnswer.layout.size:
            return Heard(number, StrangeIdentity(fields), length)
        return Heard(number, ANSWERS[id_].unpack(fields), length)

    def _numbered(self, number: int, report: Report, length: int) -> Heard | None:
        before, self._last_report = self._last_report, number
        if before is None or isinstance(report, BootReport):
            return Heard(number, report, length)
        lost = (number - before - 1) % _NUMBERS
        return None if lost == _NUMBERS - 1 else Heard(number, report, length, lost)
