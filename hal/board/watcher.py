"""What a use of a board is told of it, and how the board is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hal.board.message import Report
from hal.board.messages import IdentityAnswer


class BoardWatcher(Protocol):
    """One use of a board. All is called on the event loop's thread."""

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The board takes commands. All its outputs are safe, and nothing is watched or sampled."""

    def down(self, t_ns: int, reason: str) -> None:
        """The board takes no commands; told again when there is another reason why it stays so."""

    def reported(self, report: Report, t_ns: int) -> None:
        """The board said something by itself, which was read at `t_ns`."""


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """How a board is now."""

    up: bool
    since_ns: int
    reason: str
    """Why it is down, for people: what happened, and what to do. Empty while it is up."""
    identity: IdentityAnswer | None
    """What it said it is; None until it did."""
