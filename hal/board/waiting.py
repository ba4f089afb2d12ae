"""The commands that wait for a board, and who waits for each: everyone is told once what became of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeAlias

from hal.board.errors import BoardError, SessionEndedError, command_name
from hal.board.message import Answer, Command
from hal.board.messages import EdgesFromCommand

Done: TypeAlias = Callable[[Answer | BoardError], None]
"""Takes what became of a command: its answer (`RefusedAnswer` too), or the end of the session."""


class Waiting:
    """A queue of commands, the one of them that is under way, and the news for those who wait.

    News is kept until `tell`: who hears it may put in more at once, so the owner must be in order by then.
    """

    def __init__(self) -> None:
        self._queue: deque[tuple[Command, Done]] = deque()
        self._under_way: tuple[Command, Done] | None = None
        self._news: list[tuple[Done, Answer | BoardError]] = []

    def __bool__(self) -> bool:
        return bool(self._queue)

    @property
    def under_way(self) -> bool:
        """Whether one of them was sent and is not answered."""
        return self._under_way is not None

    def put(self, command: Command, done: Done) -> None:
        """Puts a command at the end; what cannot wait at the front."""
        if isinstance(command, EdgesFromCommand):
            self._queue.appendleft((command, done))  # the board keeps its last edges only
        else:
            self._queue.append((command, done))

    def start(self) -> Command:
        """Takes the next command, to be sent."""
        self._under_way = self._queue.popleft()
        return self._under_way[0]

    def answered(self, answer: Answer) -> None:
        """The one under way, if it is one of these, was answered."""
        if self._under_way is not None:
            self._news.append((self._under_way[1], answer))
            self._under_way = None

    def end(self, reason: str, *, may_be_done: bool) -> None:
        """The session is over. `may_be_done` is whether the one under way may have been carried out."""
        if self._under_way is not None:
            command, done = self._under_way
            what = "may have been carried out" if may_be_done else "was not carried out"
            self._news.append((done, _ended(command, what, reason, may_be_done)))
            self._under_way = None
        while self._queue:
            command, done = self._queue.popleft()
            self._news.append((done, not_sent(command, reason)))

    def tell(self) -> None:
        """Tells those who wait what became of their commands, in the order in which it did.

        Everybody is told, even where one of them raises; then what was raised goes on.
        """
        news, self._news = self._news, []
        with ExitStack() as telling:
            for done, result in reversed(news):
                telling.callback(done, result)


def not_sent(command: Command, reason: str) -> SessionEndedError:
    """The news of a command that never left."""
    return _ended(command, "was not sent", reason, False)


def _ended(command: Command, what: str, reason: str, may_be_done: bool) -> SessionEndedError:
    return SessionEndedError(f"{command_name(command)} {what}: {reason}", may_be_done=may_be_done)
