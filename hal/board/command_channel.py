"""Carries one command at a time to a board, until it is answered: exactly once.

A command has a number. The board carries out the next number only, and answers the last one again without doing it
again. So the same bytes are sent until the answer comes, and a lost command, a lost answer and a repeated frame all
come to the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, NamedTuple, TypeAlias

from hal.board import frames
from hal.board.errors import BoardError, SessionEndedError, command_name
from hal.board.message import Answer, Command
from hal.board.messages import EdgesFromCommand, IdentifyCommand, RefusedAnswer

# The commands that wait for a board, and who waits for each: everyone is told once what became of it.

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


FIRST_WAIT_NS: Final = 20_000_000
"""After so long, and the time on the wire, a command is sent again while nothing is known of the link (ours)."""
LEAST_WAIT_NS: Final = 6_000_000
MOST_WAIT_NS: Final = 80_000_000
"""Between these, the wait is twice the longest of the last round trips (ours). Some boards answer in 2 ms, and some USB
adapters keep bytes for 16 ms: the one must not wait, and of the other every answer would be to one of two tries."""
ROUND_TRIPS: Final = 8
"""Round trips that are looked back on (ours)."""
LONGEST_WAIT_NS: Final = 160_000_000
"""From try to try the wait doubles, up to this (ours)."""
LOST_AFTER_NS: Final = 1_000_000_000
"""A board that has not answered for so long is lost (ours)."""
LEAST_TRIES: Final = 5
"""But not before so many tries (ours): a host that was stopped has tried once only."""
HIGHEST_NUMBER: Final = 255
UNNUMBERED: Final = 0
"""The number of `identify` and `open`."""


class Settled(NamedTuple):
    """How often a command or its answer was lost: known when no answer to it can still come."""

    length: int
    """Bytes of the command and its answer on the wire."""
    lost: int


class Carried(NamedTuple):
    """A command that was answered."""

    command: Command
    answer: Answer
    sent_ns: int
    """When it was first sent."""
    tries: int
    command_bytes: int
    """Its length on the wire."""
    before: Settled | None
    """The command before it."""


class _Outstanding:
    """A command that was sent and not yet answered."""

    __slots__ = ("again_ns", "command", "data", "number", "sent_ns", "tries", "wait_ns")

    def __init__(self, number: int, command: Command, data: bytes, t_ns: int, wait_ns: int) -> None:
        self.number = number
        self.command = command
        self.data = data
        self.sent_ns = t_ns
        self.tries = 1
        self.wait_ns = wait_ns
        self.again_ns = t_ns + self.wait_ns + self._wire_ns()

    def again(self, t_ns: int) -> None:
        """It is sent once more."""
        self.tries += 1
        self.wait_ns = min(2 * self.wait_ns, LONGEST_WAIT_NS)
        self.again_ns = t_ns + self.wait_ns + self._wire_ns()

    @property
    def lost_ns(self) -> int:
        """When the board has been silent for too long."""
        return self.sent_ns + LOST_AFTER_NS

    @property
    def may_be_lost(self) -> bool:
        """Whether silence means that the board is lost; one that was never there cannot be."""
        return self.tries >= LEAST_TRIES and not isinstance(self.command, IdentifyCommand)

    def answered_by(self, number: int, answer: Answer) -> bool:
        """Whether this is its answer."""
        if number != self.number:
            return False
        if isinstance(answer, RefusedAnswer):
            return answer.command == self.command.id
        return isinstance(answer, self.command.answer)

    def _wire_ns(self) -> int:
        return frames.wire_ns(len(self.data) + frames.LONGEST_PIECE + 1)


class _Before(NamedTuple):
    """The command before: answers to it may still come."""

    number: int
    answer_id: int
    length: int
    spare: int
    """Tries that no answer came to."""


class Courier:
    """The sending half of a link. Its owner writes what it returns, and tells it what came."""

    def __init__(self) -> None:
        self._outstanding: _Outstanding | None = None
        self._before: _Before | None = None
        self._number = UNNUMBERED
        self._round_trips: deque[int] = deque([FIRST_WAIT_NS // 2], maxlen=ROUND_TRIPS)
        self._backed_off = 1

    @property
    def command(self) -> Command | None:
        """The command that was sent and is not yet answered; None when one can be sent."""
        return None if self._outstanding is None else self._outstanding.command

    @property
    def due_ns(self) -> int | None:
        """When it is sent again, or the board is lost."""
        waiting = self._outstanding
        if waiting is None:
            return None
        return min(waiting.again_ns, waiting.lost_ns) if waiting.may_be_lost else waiting.again_ns

    @property
    def tries(self) -> int:
        """How often it was sent."""
        return 0 if self._outstanding is None else self._outstanding.tries

    def send_unnumbered(self, command: Command, t_ns: int) -> bytes:
        """Sends `identify` or `open`; the command after `open` has number 1. Returns what to write."""
        self._number = UNNUMBERED
        return self._send(command, t_ns)

    def send(self, command: Command, t_ns: int) -> bytes:
        """Sends the next command of the session. Returns what to write."""
        self._number = self._number % HIGHEST_NUMBER + 1
        return self._send(command, t_ns)

    def again(self, t_ns: int) -> bytes:
        """Sends it once more, when that is due. Returns what to write: nothing when it is not."""
        waiting = self._outstanding
        if waiting is None or t_ns < waiting.again_ns:
            return b""
        waiting.again(t_ns)
        # The zero keeps a broken end of the last try from taking this one with it.
        return frames.END + waiting.data

    def lost(self, t_ns: int) -> bool:
        """Whether the board was silent for too long. `identify` may stay unanswered for ever."""
        waiting = self._outstanding
        return waiting is not None and waiting.may_be_lost and t_ns >= waiting.lost_ns

    def abandon(self) -> None:
        """Nothing more is sent of it, and nobody waits for its answer."""
        self._outstanding = None
        self._before = None

    def answered(self, number: int, answer: Answer, length: int, t_ns: int) -> Carried | None:
        """Takes an answer of `length` bytes on the wire; None when it is not the one that is waited for."""
        waiting, before = self._outstanding, self._before
        if waiting is None or not waiting.answered_by(number, answer):
            if before is not None and before.spare and (before.number, before.answer_id) == (number, answer.id):
                self._before = before._replace(spare=before.spare - 1)
            return None
        settled = None if before is None else Settled(before.length, before.spare)
        self._before = _Before(number, answer.id, len(waiting.data) + length, waiting.tries - 1)
        self._outstanding = None
        self._learn(waiting, t_ns)
        return Carried(waiting.command, answer, waiting.sent_ns, waiting.tries, len(waiting.data), settled)

    def _send(self, command: Command, t_ns: int) -> bytes:
        data = frames.encode(self._number, command)
        self._outstanding = _Outstanding(self._number, command, data, t_ns, self._wait_ns())
        return data

    def _wait_ns(self) -> int:
        """How long to wait for an answer before the second try."""
        return min(max(2 * max(self._round_trips), LEAST_WAIT_NS) * self._backed_off, MOST_WAIT_NS)

    def _learn(self, answered: _Outstanding, t_ns: int) -> None:
        """How long round trips take, in the way of Karn and Partridge."""
        if answered.tries == 1:
            self._round_trips.append(t_ns - answered.sent_ns)
            self._backed_off = 1
        elif self._wait_ns() < MOST_WAIT_NS:
            # Lost, or only late? Nobody knows which try was answered, so the next is given more time to tell.
            self._backed_off *= 2
