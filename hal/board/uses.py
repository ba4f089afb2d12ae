"""The uses of one board: who is told of it, what was told last, and which of them has its lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import ExitStack

from hal.board.messages import IdentityAnswer
from hal.board.said import Down, Said, Up
from hal.board.watcher import BoardStatus, BoardWatcher
from hal.lines import LineError


class Uses:
    """Tells every watcher all news in their order. What one of them raises goes on when all were told."""

    def __init__(self, board: str, t_ns: int) -> None:
        self.watchers: list[BoardWatcher] = []
        self.status = BoardStatus(False, t_ns, f"board {board!r}: not opened", None)
        """As it was told last."""
        self._board = board
        self._news: deque[Said] = deque()
        self._lines_of: str | None = None

    @property
    def waiting(self) -> bool:
        """Whether there is news that was not told."""
        return bool(self._news)

    def hear(self, said: Iterable[Said]) -> None:
        """There is news."""
        self._news.extend(said)

    def tell_next(self, known: IdentityAnswer | None) -> None:
        """Tells the oldest news. `known` is what the board said it is."""
        said = self._news.popleft()
        if isinstance(said, Up):
            self.status = BoardStatus(True, said.t_ns, "", said.identity)
        elif isinstance(said, Down):
            since_ns = said.t_ns if self.status.up else self.status.since_ns
            self.status = BoardStatus(False, since_ns, said.reason, known)
        with ExitStack() as telling:
            for watcher in reversed(self.watchers):
                # The stack is undone from its end, whatever is raised on the way.
                telling.callback(self._tell, watcher, said)

    def _tell(self, watcher: BoardWatcher, said: Said) -> None:
        if watcher not in self.watchers:
            return  # one that was told before has closed it
        if isinstance(said, Up):
            watcher.up(said.identity, said.t_ns)
        elif isinstance(said, Down):
            watcher.down(said.t_ns, said.reason)
        else:
            watcher.reported(said.report, said.t_ns)

    def claim_lines(self, source: str, lines: Iterable[str]) -> None:
        """Notes that `source` has the board's inputs.

        Raises:
            LineError: another one has: a board watches for one.
        """
        if self._lines_of is not None:
            raise LineError(
                f"lines {', '.join(map(repr, sorted(lines)))}: board {self._board!r} is read by source "
                f"{self._lines_of!r} already; give all lines of a board to one source, or close that one first"
            )
        self._lines_of = source

    def release_lines(self, source: str) -> None:
        """Notes that `source` no longer has them."""
        if self._lines_of == source:
            self._lines_of = None
