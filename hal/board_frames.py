"""What a board says on one line of its own, as frames: the part that every device on a board's messages is made with.

open ──► the board's port is open      deliver(data) ──► Frame(line, data)
began ─► up                            gone ──────────► EdgesLost(line, UNPLUGGED), once
"""

from __future__ import annotations

from hal.board.link import BoardLink, BoardWatcher
from hal.lines import NOT_YET_NS, LineError, Sink
from hal.values import EdgesLost, Frame, Loss, Rare


class BoardFrames:
    """The life of one line on a board, and the order of what is delivered for it: whoever composes it is the watcher of
    the board and the source of the line (see `hal.board.link.BoardWatcher` and `hal.lines.LineSource`).
    """

    def __init__(self, source: str, line: str, link: BoardLink) -> None:
        """`source` is the name under which the line's values are delivered. Nothing is opened yet."""
        self.up = False
        """Whether the board can be commanded."""
        self._source = source
        self._line = line
        self._link = link
        self._sink: Sink | None = None
        self._promised_ns = NOT_YET_NS

    @property
    def failed(self) -> LineError | None:
        """None while the board's link reconnects; otherwise the defect that stopped it."""
        return self._link.failed

    def open(self, sink: Sink, watcher: BoardWatcher) -> None:
        """Opens the board's port, if it is not open.

        Raises:
            LineError: the line is open already.
        """
        if self._sink is not None:
            raise LineError(f"{self._source}: it is open already; close it first")
        self._sink = sink
        self._link.open(watcher)

    def close(self, watcher: BoardWatcher) -> None:
        """Closes the board. Calling it again does nothing."""
        if self._sink is not None:
            self._sink, self.up = None, False
            self._link.close(watcher)

    def delivered_until(self, now_ns: int) -> int:
        """Handles what the port has received; everything read up to now is then delivered."""
        if self._sink is not None:
            self._link.read_pending()
        self._promised_ns = max(self._promised_ns, now_ns)
        return now_ns

    def began(self) -> None:
        """The board accepts commands."""
        self.up = True

    def gone(self, t_ns: int) -> None:
        """The board cannot be reached."""
        if self.up:
            self.up = False
            self._deliver(EdgesLost(self._line, Loss.UNPLUGGED, self._at(t_ns)))

    def deliver(self, data: bytes, t_ns: int) -> None:
        """Delivers a message that was read at `t_ns`."""
        self._deliver(Frame(self._line, data, self._at(t_ns)))

    def _at(self, t_ns: int) -> int:
        """The time of reading, but after every time already promised."""
        return max(t_ns, self._promised_ns + 1)

    def _deliver(self, value: Rare) -> None:
        if self._sink is not None:
            self._sink.deliver(self._source, [], [value])
