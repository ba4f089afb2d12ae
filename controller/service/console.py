"""What `feltwire run` prints: a line an event, for people or as JSON, and never so that the service waits for it."""

from __future__ import annotations

from controller.events_view import line_of, painted
from controller.service.line_writer import LineWriter
from feed.events import Event


class Console:
    """Prints events as they are published."""

    def __init__(self, writer: LineWriter, *, as_json: bool, color: bool) -> None:
        self._writer = writer
        self._as_json = as_json
        self._color = color

    def __call__(self, event: Event, body: bytes) -> None:
        """Prints one event."""
        if self._as_json:
            self._writer.put(body.decode())
        elif self._color:
            self._writer.put(painted(event))
        else:
            self._writer.put(line_of(event))
