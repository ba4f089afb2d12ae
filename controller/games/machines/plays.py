"""What each of a machine's last plays gave its player: a correction moves the difference, and nothing else.

due      what the verdict in force gives: tokens won, or the stake of a void play
given    what the player was given for it: as credits, or by falling
held     of that, what is still credits: this alone can be taken back at the machine
waived   of that, what the house lets the player keep

debt = given - due - waived        it left the machine and is not due: an attendant collects it, or the house waives it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from controller.table.recent import RECENT

KEPT: Final = RECENT + 1
"""The plays that a person can correct, and the one that is on."""

Tokens = Annotated[int, Meta(ge=0)]


class PlayedTokens(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The tokens of one play."""

    round: int
    staked: Tokens
    fell: Tokens = 0
    """What fell to the player while it was on: nobody can take it back at the machine."""
    won: Tokens = 0
    """What the verdict in force awards."""
    refunded: Tokens = 0
    """What of the stake the verdict in force gives back."""
    given: Tokens = 0
    held: Tokens = 0
    waived: Tokens = 0

    @property
    def due(self) -> int:
        """What the verdict in force gives."""
        return self.won + self.refunded

    @property
    def debt(self) -> int:
        """What the player was given beyond what is due."""
        return max(0, self.given - self.due - self.waived)


class PlayLedger:
    """The last plays in which a token was staked, oldest first."""

    def __init__(self, plays: Iterable[PlayedTokens] = (), debt_before: int = 0) -> None:
        """`debt_before` are debts of plays that nobody can correct any more."""
        self._plays = {play.round: play for play in plays}
        self.debt_before = debt_before

    def __iter__(self) -> Iterator[PlayedTokens]:
        return iter(self._plays.values())

    @property
    def debt(self) -> int:
        """What players owe the house."""
        return self.debt_before + sum(play.debt for play in self)

    def of(self, number: int) -> PlayedTokens | None:
        """A play; None where no token was staked in it, or it was too long ago."""
        return self._plays.get(number)

    def begin(self, number: int, staked: int) -> None:
        """Tokens are staked in a play."""
        self._plays[number] = PlayedTokens(number, staked)
        while len(self._plays) > KEPT:
            self.debt_before += self._plays.pop(next(iter(self._plays))).debt

    def left(self, credits_: int) -> None:
        """Credits were given out, and this many are left: no play holds more than that."""
        for play in self:
            play.held = min(play.held, credits_)

    def collect(self, tokens: int) -> None:
        """Tokens of the debt came back, of the oldest plays first."""
        for play, part in self._settle(tokens):
            play.given -= part

    def waive(self, tokens: int) -> None:
        """The house lets players keep tokens of the debt, of the oldest plays first."""
        for play, part in self._settle(tokens):
            play.waived += part

    def _settle(self, tokens: int) -> Iterator[tuple[PlayedTokens, int]]:
        part = min(tokens, self.debt_before)
        self.debt_before -= part
        for play in self:
            tokens -= part
            part = min(tokens, play.debt)
            yield play, part
