"""One round to be kept, and the bytes of its capture.

The bytes are made before the event is journalled, so that the event can name them; they are written to the disk
afterwards, so that no verdict waits for a file.
"""

from __future__ import annotations

from hashlib import sha256
from io import StringIO
from typing import NamedTuple

from feed.events import CaptureFile
from hal.capture.ring import Cut
from hal.capture.vcd_writer import CaptureLines, VcdWriter

SUFFIX = ".vcd"


class Case(NamedTuple):
    """A stretch of a table's lines, and what it is kept under."""

    table: str
    event_id: str
    """The event that names it: no two cases have the same."""
    cut: Cut
    lines: CaptureLines
    complete: bool = True
    """Whether it reaches back far enough for a replay."""


class Rendered(NamedTuple):
    """A capture as it will stand on the disk."""

    table: str
    name: CaptureFile
    data: bytes


def render(case: Case) -> Rendered:
    """Writes the capture in memory.

    Raises:
        ValueError: a line has a name, or a value is one, that a capture cannot hold.
    """
    text = StringIO(newline="")
    writer = VcdWriter(text, case.lines)
    case.cut.write(writer)
    writer.finish()
    data = text.getvalue().encode("ascii")
    complete = case.complete and case.cut.complete
    name = CaptureFile(file=f"{case.table}/{case.event_id}{SUFFIX}", sha256=sha256(data).hexdigest(), complete=complete)
    return Rendered(case.table, name, data)
