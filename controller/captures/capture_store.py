"""The folder of captures: complete files within a budget, that leave the journal room on the disk.

The bytes are made before the event is journalled, so that the event can name them; they are written to the disk
afterwards, so that no verdict waits for a file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple

from feed.events import CaptureFile
from hal.capture.ring import RingCut
from hal.capture.vcd_writer import CaptureLines, VcdWriter

SUFFIX: Final = ".vcd"
BUDGET_BYTES: Final = 256 * 1024 * 1024
"""What all captures of a service may take (ours): a thousand refused spins and more."""
SPARE_BYTES: Final = 128 * 1024 * 1024
"""Room that captures leave on the disk (ours): the journal needs it more."""
_PART: Final = ".part"


class CaptureRequest(NamedTuple):
    """What a table's lines did in a span of time, and the event after which the capture is named."""

    table: str
    event_id: str
    """The event that names it; unique."""
    cut: RingCut
    lines: CaptureLines
    complete: bool = True
    """Whether it reaches back far enough for a replay."""


class RenderedCapture(NamedTuple):
    """A capture as it will be on the disk."""

    table: str
    name: CaptureFile
    data: bytes


def render(request: CaptureRequest) -> RenderedCapture:
    """Writes the capture in memory.

    Raises:
        ValueError: a line has a name, or a value is one, that a capture cannot hold.
    """
    text = StringIO(newline="")
    writer = VcdWriter(text, request.lines)
    request.cut.write(writer)
    writer.finish()
    data = text.getvalue().encode("ascii")
    complete = request.complete and request.cut.complete
    name = CaptureFile(
        file=f"{request.table}/{request.event_id}{SUFFIX}", sha256=sha256(data).hexdigest(), complete=complete
    )
    return RenderedCapture(request.table, name, data)


class _StoredCapture(NamedTuple):
    """One file of the folder."""

    table: str
    path: Path
    size: int


class CaptureStore:
    """Keeps captures in a folder a table. Its methods block; all but `has_room` are called from one thread."""

    def __init__(self, folder: Path, *, budget: int = BUDGET_BYTES, spare: int = SPARE_BYTES) -> None:
        """Takes over what is in the folder, and removes what a power cut left half written.

        Raises:
            OSError: the folder cannot be made or read.
        """
        self._folder = folder
        self._budget = budget
        self._spare = spare
        folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        for part in folder.glob(f"*/.*{_PART}"):
            part.unlink(missing_ok=True)
        found = [(path, path.stat()) for path in folder.glob(f"*/*{SUFFIX}")]
        found.sort(key=lambda one: (one[1].st_mtime_ns, one[0].name))
        self._kept = [_StoredCapture(path.parent.name, path, stat.st_size) for path, stat in found]

    @property
    def size(self) -> int:
        """Bytes of all captures."""
        return sum(one.size for one in self._kept)

    def has_room(self) -> bool:
        """Whether the disk has room beyond what is spared.

        Raises:
            OSError: the folder cannot be used.
        """
        # Somebody may have removed it, to have room.
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        return shutil.disk_usage(self._folder).free > self._spare

    def store(self, rendered: RenderedCapture) -> int:
        """Puts a capture on the disk, and removes the oldest ones that the budget has no room for; returns how many.

        The newest of each table stays, however large it is.

        Raises:
            OSError: it cannot be written; nothing of it is left.
        """
        path = self._folder / rendered.name.file
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o750)
        _write(path, rendered.data)
        self._kept.append(_StoredCapture(rendered.table, path, len(rendered.data)))
        return self._keep_to_budget()

    def _keep_to_budget(self) -> int:
        newest = {one.table: one for one in self._kept}
        over = self.size - self._budget
        removed = 0
        for one in [*self._kept]:
            if over <= 0:
                break
            if newest[one.table] is not one:
                one.path.unlink(missing_ok=True)
                self._kept.remove(one)
                over -= one.size
                removed += 1
        return removed


def _write(path: Path, data: bytes) -> None:
    """Whole and on the disk, or not at all."""
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_PART, dir=path.parent)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), 0o640)
            os.fsync(stream.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
