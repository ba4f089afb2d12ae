"""Decodes what a board sends into messages; counts and drops broken frames, and drops repeated reports."""

from __future__ import annotations

from typing import NamedTuple

from hal.board import frames
from hal.board.message import BoardAnswer, BoardReport, MessageError, UnknownReport
from hal.board.messages import ANSWERS, REPORTS, BootReport, IdentityAnswer

_NUMBERS = 256
_FIRST_REPORT = 128
"""Ids from here on are those of reports."""


class StrangeIdentity(NamedTuple):
    """An `identity` with an unknown layout: the board speaks another protocol."""

    fields: bytes


class ReceivedMessage(NamedTuple):
    """A message received intact."""

    number: int
    message: BoardAnswer | BoardReport | StrangeIdentity
    length: int
    """Its bytes on the wire."""
    lost_before: int = 0
    """Reports missing between the previous one and this."""


class Inbox:
    """The receiving half of a link."""

    def __init__(self) -> None:
        self.broken = 0
        """Pieces that were not a valid frame, and frames that were not a valid message, since the start."""
        self._last_report: int | None = None

    def begin(self) -> None:
        """A session has opened: its reports are numbered from 0."""
        self._last_report = _NUMBERS - 1

    def take(self, piece: bytes) -> ReceivedMessage | None:
        """The message in these bytes between two zeros; None if they are broken or repeat a report."""
        try:
            return self._read(piece)
        except (frames.FrameError, MessageError):
            self.broken += 1
            return None

    def _read(self, piece: bytes) -> ReceivedMessage | None:
        number, id_, fields = frames.decode(piece)
        length = len(piece) + 1
        if id_ in REPORTS:
            return self._numbered(number, REPORTS[id_].unpack(fields), length)
        if id_ >= _FIRST_REPORT:
            return self._numbered(number, UnknownReport(id_, fields), length)
        if id_ not in ANSWERS:
            raise MessageError(f"no answer and no report has the id {id_}")
        known = [size for _, size in IdentityAnswer.older]
        if id_ == IdentityAnswer.id and len(fields) < IdentityAnswer.layout.size and len(fields) not in known:
            return ReceivedMessage(number, StrangeIdentity(fields), length)
        return ReceivedMessage(number, ANSWERS[id_].unpack(fields), length)

    def _numbered(self, number: int, report: BoardReport, length: int) -> ReceivedMessage | None:
        before, self._last_report = self._last_report, number
        if before is None or isinstance(report, BootReport):
            return ReceivedMessage(number, report, length)
        lost = (number - before - 1) % _NUMBERS
        return None if lost == _NUMBERS - 1 else ReceivedMessage(number, report, length, lost)
