"""Prints the lines of `feltwire run`: one for each event, for people or as JSON, without blocking the service."""

from __future__ import annotations

import errno
import logging
import os
import select
import shutil
from collections import deque
from threading import Condition, Thread
from typing import Final

from controller.service.event_lines import colored_line_of, line_of
from controller.service.journald_entries import JournaldEntries
from feed.events import Event

# A terminal or a pipe may have no reader, so a thread writes the lines:
#
# put ──► at most `bound` lines ──► one thread ──► write(2)
#           │ full
#           └──► dropped and counted; a line reports it when there is room again

BOUND: Final = 4096
"""Lines that wait for a reader (ours): some minutes of one table's events."""
_CHUNK: Final = 4096
"""Bytes of one write: what a pipe takes whole or not at all (PIPE_BUF on Linux)."""
_PATIENCE_S: Final = 1.0


class LineWriter:
    """Writes lines to a file descriptor, which stays the caller's.

    Without a reader it ends: later lines are counted as dropped.
    """

    def __init__(self, fd: int, *, bound: int = BOUND, name: str = "lines") -> None:
        self._fd = fd
        self._bound = bound
        self._lines: deque[str] = deque()
        self._changed = Condition()
        self._ending = False
        self._gone = False
        self._unreported = 0
        self.dropped = 0
        """Lines that found no room, in all."""
        # A daemon: a write that never returns must not keep the process from ending.
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def put(self, line: str) -> None:
        """Queues a line without its newline. Never blocks."""
        with self._changed:
            if self._gone or self._ending or len(self._lines) >= self._bound:
                self.dropped += 1
                self._unreported += 1
                return
            self._lines.append(line)
            self._changed.notify()

    def close(self, patience_s: float = _PATIENCE_S) -> None:
        """Waits until the queue is written, but no longer than `patience_s`."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._thread.join(patience_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._lines and not self._ending:
                    self._changed.wait()
                taken, self._lines = self._lines, deque()
                unreported, self._unreported = self._unreported, 0
                ending = self._ending
            if unreported:
                taken.append(f"... {unreported} lines were dropped here: they were not read fast enough")
            if not self._write("".join(f"{line}\n" for line in taken).encode("utf-8", "backslashreplace")):
                with self._changed:
                    self._gone = True
                return
            if ending and not self._lines:
                return

    def _write(self, data: bytes) -> bool:
        """Writes; returns whether there is still a reader."""
        view = memoryview(data)
        while view:
            try:
                written = os.write(self._fd, view[:_CHUNK])
            except OSError as error:
                if error.errno == errno.EAGAIN:
                    # Another program has made the terminal non-blocking.
                    select.select([], [self._fd], [])
                    continue
                return False
            view = view[written:]
        return True


class LineHandler(logging.Handler):
    """Writes the log to a `LineWriter`."""

    def __init__(self, writer: LineWriter) -> None:
        super().__init__()
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        """Formats the record on the thread that logs it, and queues each of its lines."""
        for line in self.format(record).splitlines():
            self._writer.put(line)


class Console:
    """Prints events as they are published."""

    def __init__(
        self, writer: LineWriter, *, as_json: bool, color: bool, journald: JournaldEntries | None = None
    ) -> None:
        """`journald` takes the lines for people, with the fields of each event."""
        self._journald = journald
        self._writer = writer
        self._as_json = as_json
        self._color = color

    def __call__(self, event: Event, body: bytes) -> None:
        """Prints one event."""
        if self._as_json:
            self._writer.put(body.decode())
        elif self._color:
            self._writer.put(colored_line_of(event, width=shutil.get_terminal_size().columns))
        else:
            line = line_of(event)
            if self._journald is None or not self._journald.send(line, event.data):
                self._writer.put(line)
