"""What a session tells: that its board came up, went down, or reported something."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from hal.board.message import Report
from hal.board.messages import IdentityAnswer


class Up(NamedTuple):
    """The board is the one that is wanted, its clock is known, and the link is good: it takes commands.

    All its outputs are safe, and nothing is watched, counted or sampled: say again what it is to do.
    """

    identity: IdentityAnswer
    t_ns: int


class Down(NamedTuple):
    """The board takes no commands. Told when it goes down, and again when there is another reason why it stays so."""

    t_ns: int
    reason: str
    """For people: what happened, and what to do."""


class Reported(NamedTuple):
    """The board, being up, said this by itself."""

    report: Report
    t_ns: int
    """When its last byte was read."""


Said: TypeAlias = Up | Down | Reported


class News:
    """What was said and not yet taken; why the board is down, without saying it again and again."""

    def __init__(self, board: str) -> None:
        self._board = board
        self._said: list[Said] = []
        self.told = ""
        """The kind of reason told last, while it is down."""
        self.reason = f"board {board!r}: not connected"
        """Why it is down."""

    def take(self) -> list[Said]:
        """What was said since the last call."""
        said, self._said = self._said, []
        return said

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """It is up."""
        self.told = ""
        self._said.append(Up(identity, t_ns))

    def down(self, t_ns: int, reason: str, kind: str = "") -> None:
        """It is down for this reason. One of the same `kind` (by itself: the same words) is told once."""
        self.reason = f"board {self._board!r}: {reason}"
        if self.told != (kind or reason):
            self.told = kind or reason
            self._said.append(Down(t_ns, self.reason))

    def reported(self, report: Report, t_ns: int) -> None:
        """It reported this."""
        self._said.append(Reported(report, t_ns))
