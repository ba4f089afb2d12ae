"""What a host told its boards and what became of it, against what the pins of the boards did.

submit ──► LoggedLink ── the answer, or why there is none ──► Told, in the order in which the host was told
pins   ──► take_changes ── PinChange ─────────────────────► check_pins: each command done once, in that order
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hal.board.command_channel import CommandDone
from hal.board.errors import BoardError, SessionEndedError
from hal.board.link import BoardLink
from hal.board.message import BoardAnswer, BoardCommand, BoardKind
from hal.board.messages import AllSafeCommand, SetCommand
from simulators.board.emulated import PinChange

FULLY_ON = 255
STARTED_NS = 1_000_000
"""By then a board has made its outputs low for the first time."""
AT_ONCE_NS = 1_000_000
"""Outputs that a board makes safe by itself are all safe within this time."""


class Followed(NamedTuple):
    """How the pins followed the commands."""

    changed: int
    """Commands that changed a pin."""
    made_safe: int
    """How often the board made its outputs safe by itself, in the middle of a session."""


class Told(NamedTuple):
    """What became of one command."""

    submitted_ns: int
    told_ns: int
    command: BoardCommand
    result: BoardAnswer | BoardError


class LoggedLink(BoardLink):
    """A board's link that keeps what became of each command."""

    log: list[Told]

    def submit(self, command: BoardCommand, done: CommandDone | None = None) -> None:
        submitted_ns = self._clock.now_ns()

        def tell(result: BoardAnswer | BoardError) -> None:
            self.log.append(Told(submitted_ns, self._clock.now_ns(), command, result))
            if done is not None:
                done(result)

        super().submit(command, tell)


def keep_log(link: object) -> LoggedLink:
    """Keeps from now on what becomes of a link's commands."""
    assert type(link) is BoardLink
    link.__class__ = LoggedLink
    assert isinstance(link, LoggedLink)
    link.log = []
    return link


def failed(log: Iterable[Told]) -> list[Told]:
    """Commands that were not done while the board was up."""
    return [
        one
        for one in log
        if isinstance(one.result, BoardError)
        and not (isinstance(one.result, SessionEndedError) and not one.result.may_be_done)
    ]


def check_pins(log: Sequence[Told], changes: Sequence[PinChange], kind: BoardKind) -> Followed:
    """Whether the pins did what the host was told, command for command and in its time.

    A command whose session ended may be done or not. Then, after `all_safe`, and by the dead-man every output goes low
    (or floats, while the board is without power).
    """
    follow = _Follow(changes, kind)
    for one in log:
        if isinstance(one.command, AllSafeCommand):
            follow.safe(one.told_ns)
        elif isinstance(one.command, SetCommand):
            follow.put(one, one.command)
    assert not follow.left, f"the pins changed and nobody was told: {follow.left_words()}"
    return Followed(follow.changed, follow.made_safe)


class _Follow:
    """The pins of a board, followed from change to change."""

    def __init__(self, changes: Sequence[PinChange], kind: BoardKind) -> None:
        self.left = deque(one for one in changes if one.pin in kind.output_pins and one.t_ns > STARTED_NS)
        """Changes that no command was found for yet."""
        self.changed = 0
        self.made_safe = 0
        self._pins = kind.output_pins
        self._levels: dict[str, float] = dict.fromkeys(kind.output_pins, 0.0)

    def put(self, told: Told, command: SetCommand) -> None:
        """What became of `set`."""
        pin, level = self._pins[command.output - 1], command.value / FULLY_ON
        if isinstance(told.result, SessionEndedError):
            if told.result.may_be_done and self._levels[pin] != level and self._is_next(pin, level, told):
                self._take(pin, level)
            self.safe(None)
        elif not isinstance(told.result, BoardError):
            if self.left and not self.left[0].level and self.left[0].t_ns < told.submitted_ns:
                self.made_safe += 1
                self.safe(self.left[0].t_ns + AT_ONCE_NS)
            if self._levels[pin] != level:
                assert self._is_next(pin, level, told), f"{told}: {pin} should be {level}; left {self.left_words()}"
                self._take(pin, level)

    def safe(self, until_ns: int | None) -> None:
        """Every output is safe, by `until_ns` where somebody said when."""
        while self.left and not self.left[0].level and (until_ns is None or self.left[0].t_ns <= until_ns):
            self._levels[self.left.popleft().pin] = 0.0
        assert not any(self._levels.values()), f"not all outputs are safe: {self._levels}; left {self.left_words()}"

    def left_words(self) -> list[PinChange]:
        """The next changes, for people."""
        return list(self.left)[:4]

    def _is_next(self, pin: str, level: float, told: Told) -> bool:
        if not self.left:
            return False
        change = self.left[0]
        return (change.pin, change.level) == (pin, level) and told.submitted_ns <= change.t_ns <= told.told_ns

    def _take(self, pin: str, level: float) -> None:
        self._levels[pin] = level
        self.left.popleft()
        self.changed += 1
