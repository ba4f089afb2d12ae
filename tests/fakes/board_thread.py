"""A model board on a pty, on a thread of its own: for commands that run their own loop on the computer's clock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from hal.clock import SystemClock, wait_until_ns
from simulators.board.pty_end import PtyEnd
from tests.fakes.model_board import ModelBoard

STEP_NS = 2_000_000


class BoardThread:
    """The board answers at `path` while this is entered. `each` is called before each look at the wire."""

    def __init__(
        self, path: Path, board: ModelBoard | None, *, each: Callable[[ModelBoard], None] = lambda board: None
    ) -> None:
        """Without a board there is a port with nothing on it."""
        self.path = path
        self.board = board
        self.heard = b""
        """The bytes sent to it."""
        self._each = each
        self._pty = PtyEnd(path)
        self._stop = threading.Event()
        self._life = threading.Thread(target=self._live, name="model board")

    def __enter__(self) -> Self:
        self._pty.plug_in()
        self._life.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._stop.set()
        self._life.join()
        self._pty.pull()

    def _live(self) -> None:
        clock = SystemClock()
        start_ns = clock.now_ns()
        while not self._stop.is_set():
            wait_until_ns(clock, clock.now_ns() + STEP_NS)
            data = self._pty.read()
            self.heard += data
            if self.board is None:
                continue
            self._each(self.board)
            self.board.receive(data, clock.now_ns() - start_ns)
            for _, sent in self.board.take_sent():
                if self._pty.opened:
                    self._pty.write(sent)
