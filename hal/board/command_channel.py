"""Sends one command at a time to a board until it is answered; the board executes it exactly once.

Commands are numbered. The board executes only the next number, and repeats its answer to the last number without
executing it again. The same bytes are sent until the answer arrives, so a lost command, a lost answer and a repeated
frame have the same result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, NamedTuple, TypeAlias

from hal.board import frames
from hal.board.errors import BoardError, SessionEndedError, command_name
from hal.board.message import BoardAnswer, BoardCommand
from hal.board.messages import EdgesFromCommand, IdentifyCommand, RefusedAnswer

FIRST_WAIT_NS: Final = 20_000_000
"""The wait for an answer, besides the time on the wire, before the link has been measured (ours)."""
LEAST_WAIT_NS: Final = 6_000_000
MOST_WAIT_NS: Final = 80_000_000
"""Between these limits the wait is twice the longest of the last round trips (ours). Some boards answer in 2 ms; some
USB adapters hold bytes for 16 ms, and a shorter wait would send every command twice."""
ROUND_TRIPS: Final = 8
"""Round trips that the wait is computed from (ours)."""
LONGEST_WAIT_NS: Final = 160_000_000
"""The wait doubles with each try, up to this (ours)."""
LOST_AFTER_NS: Final = 1_000_000_000
"""A board that has not answered for this long is lost (ours)."""
LEAST_TRIES: Final = 5
"""But not before this many tries (ours): a host that was suspended may have tried only once."""
HIGHEST_NUMBER: Final = 255
UNNUMBERED: Final = 0
"""The number of `identify` and `open`."""


CommandDone: TypeAlias = Callable[[BoardAnswer | BoardError], None]
"""Receives the result of a command: its answer (`RefusedAnswer` too), or the end of the session."""


class PendingCommands:
    """The commands not yet sent, the one that is under way, and the results not yet reported.

    Results are held until `notify`: a callback may submit further commands, so the owner must be consistent by then.
    """

    def __init__(self) -> None:
        self._queue: deque[tuple[BoardCommand, CommandDone]] = deque()
        self._under_way: tuple[BoardCommand, CommandDone] | None = None
        self._results: list[tuple[CommandDone, BoardAnswer | BoardError]] = []

    def __bool__(self) -> bool:
        return bool(self._queue)

    @property
    def under_way(self) -> bool:
        """Whether one of the commands was sent and is not answered."""
        return self._under_way is not None

    def add(self, command: BoardCommand, done: CommandDone) -> None:
        """Queues a command; an urgent one goes to the front."""
        if isinstance(command, EdgesFromCommand):
            self._queue.appendleft((command, done))  # the board stores only its latest edges
        else:
            self._queue.append((command, done))

    def start_next(self) -> BoardCommand:
        """Removes and returns the next command, to be sent."""
        self._under_way = self._queue.popleft()
        return self._under_way[0]

    def answered(self, answer: BoardAnswer) -> None:
        """Records the answer to the command under way, if there is one."""
        if self._under_way is not None:
            self._results.append((self._under_way[1], answer))
            self._under_way = None

    def fail_all(self, reason: str, *, may_be_done: bool) -> None:
        """Fails all commands: the session ended. `may_be_done`: the one under way may have been executed."""
        if self._under_way is not None:
            command, done = self._under_way
            what = "may have been carried out" if may_be_done else "was not carried out"
            self._results.append((done, _ended(command, what, reason, may_be_done)))
            self._under_way = None
        while self._queue:
            command, done = self._queue.popleft()
            self._results.append((done, not_sent(command, reason)))

    def notify(self) -> None:
        """Reports the results to the callbacks, in the order in which they arose.

        Every callback is called even if one of them raises; the exception is raised afterwards.
        """
        results, self._results = self._results, []
        with ExitStack() as notifying:
            for done, result in reversed(results):
                notifying.callback(done, result)


def not_sent(command: BoardCommand, reason: str) -> SessionEndedError:
    """The result of a command that was not sent."""
    return _ended(command, "was not sent", reason, False)


def _ended(command: BoardCommand, what: str, reason: str, may_be_done: bool) -> SessionEndedError:
    return SessionEndedError(f"{command_name(command)} {what}: {reason}", may_be_done=may_be_done)


class ExchangeLosses(NamedTuple):
    """How often a command or its answer was lost: known once no further answer to it can arrive."""

    length: int
    """Bytes of the command and its answer on the wire."""
    lost: int


class AnsweredCommand(NamedTuple):
    """A command and its answer."""

    command: BoardCommand
    answer: BoardAnswer
    sent_ns: int
    """When it was first sent."""
    tries: int
    command_bytes: int
    """Its length on the wire."""
    previous: ExchangeLosses | None
    """The losses of the command before it."""


class _Outstanding:
    """A command that was sent and is not yet answered."""

    __slots__ = ("again_ns", "command", "data", "number", "sent_ns", "tries", "wait_ns")

    def __init__(self, number: int, command: BoardCommand, data: bytes, t_ns: int, wait_ns: int) -> None:
        self.number = number
        self.command = command
        self.data = data
        self.sent_ns = t_ns
        self.tries = 1
        self.wait_ns = wait_ns
        self.again_ns = t_ns + self.wait_ns + self._wire_ns()

    def resent(self, t_ns: int) -> None:
        """Notes that the command was sent again."""
        self.tries += 1
        self.wait_ns = min(2 * self.wait_ns, LONGEST_WAIT_NS)
        self.again_ns = t_ns + self.wait_ns + self._wire_ns()

    @property
    def lost_ns(self) -> int:
        """When the board counts as lost."""
        return self.sent_ns + LOST_AFTER_NS

    @property
    def may_be_lost(self) -> bool:
        """Whether silence can mean that the board is lost; `identify` may stay unanswered for ever."""
        return self.tries >= LEAST_TRIES and not isinstance(self.command, IdentifyCommand)

    def answered_by(self, number: int, answer: BoardAnswer) -> bool:
        """Whether this is the command's answer."""
        if number != self.number:
            return False
        if isinstance(answer, RefusedAnswer):
            return answer.command == self.command.id
        return isinstance(answer, self.command.answer)

    def _wire_ns(self) -> int:
        return frames.wire_ns(len(self.data) + frames.LONGEST_PIECE + 1)


class _PreviousCommand(NamedTuple):
    """The command answered last: further answers to it may still arrive."""

    number: int
    answer_id: int
    length: int
    spare: int
    """Tries that were not answered."""


class CommandChannel:
    """The sending half of a link. Its owner writes the bytes it returns, and passes it the answers received."""

    def __init__(self) -> None:
        self.protocol: int | None = None
        """The protocol of the board, where that is older than ours."""
        self._outstanding: _Outstanding | None = None
        self._previous: _PreviousCommand | None = None
        self._number = UNNUMBERED
        self._round_trips: deque[int] = deque([FIRST_WAIT_NS // 2], maxlen=ROUND_TRIPS)
        self._backed_off = 1

    @property
    def command(self) -> BoardCommand | None:
        """The command that was sent and is not yet answered; None when one can be sent."""
        return None if self._outstanding is None else self._outstanding.command

    @property
    def due_ns(self) -> int | None:
        """When the command is sent again, or the board counts as lost."""
        outstanding = self._outstanding
        if outstanding is None:
            return None
        return min(outstanding.again_ns, outstanding.lost_ns) if outstanding.may_be_lost else outstanding.again_ns

    @property
    def tries(self) -> int:
        """How often the command was sent."""
        return 0 if self._outstanding is None else self._outstanding.tries

    def send_unnumbered(self, command: BoardCommand, t_ns: int) -> bytes:
        """Sends `identify` or `open`; the command after `open` has number 1. Returns what to write."""
        self._number = UNNUMBERED
        return self._send(command, t_ns)

    def send(self, command: BoardCommand, t_ns: int) -> bytes:
        """Sends the next command of the session. Returns what to write."""
        self._number = self._number % HIGHEST_NUMBER + 1
        return self._send(command, t_ns)

    def resend(self, t_ns: int) -> bytes:
        """Sends the command again when that is due. Returns what to write: nothing when it is not due."""
        outstanding = self._outstanding
        if outstanding is None or t_ns < outstanding.again_ns:
            return b""
        outstanding.resent(t_ns)
        # The zero separates it from a truncated previous try.
        return frames.END + outstanding.data

    def timed_out(self, t_ns: int) -> bool:
        """Whether the board counts as lost. `identify` never times out."""
        outstanding = self._outstanding
        return outstanding is not None and outstanding.may_be_lost and t_ns >= outstanding.lost_ns

    def abandon(self) -> None:
        """Drops the command: it is not sent again and its answer is ignored."""
        self._outstanding = None
        self._previous = None

    def answered(self, number: int, answer: BoardAnswer, length: int, t_ns: int) -> AnsweredCommand | None:
        """Handles an answer of `length` bytes on the wire; None when it does not match the command sent."""
        outstanding, previous = self._outstanding, self._previous
        if outstanding is None or not outstanding.answered_by(number, answer):
            if previous is not None and previous.spare and (previous.number, previous.answer_id) == (number, answer.id):
                self._previous = previous._replace(spare=previous.spare - 1)
            return None
        previous_losses = None if previous is None else ExchangeLosses(previous.length, previous.spare)
        self._previous = _PreviousCommand(number, answer.id, len(outstanding.data) + length, outstanding.tries - 1)
        self._outstanding = None
        self._learn(outstanding, t_ns)
        return AnsweredCommand(
            outstanding.command, answer, outstanding.sent_ns, outstanding.tries, len(outstanding.data), previous_losses
        )

    def _send(self, command: BoardCommand, t_ns: int) -> bytes:
        data = frames.encode(self._number, command, self.protocol)
        self._outstanding = _Outstanding(self._number, command, data, t_ns, self._wait_ns())
        return data

    def _wait_ns(self) -> int:
        """How long to wait for an answer before the second try."""
        return min(max(2 * max(self._round_trips), LEAST_WAIT_NS) * self._backed_off, MOST_WAIT_NS)

    def _learn(self, answered: _Outstanding, t_ns: int) -> None:
        """Measures the round trip, by Karn and Partridge's rule."""
        if answered.tries == 1:
            self._round_trips.append(t_ns - answered.sent_ns)
            self._backed_off = 1
        elif self._wait_ns() < MOST_WAIT_NS:
            # Which try was answered is ambiguous, so it gives no measurement; the next command waits longer.
            self._backed_off *= 2
