"""A value and the place in the regulations that gives it."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

from msgspec import Meta, Struct

OURS = "ours"
"""The citation of a value that no text gives: we chose it, and say so."""

T = TypeVar("T")

Cite = Annotated[str, Meta(min_length=1)]
"""Where a value stands, for example `13:47-20.29(b)3`, or `OURS`."""


class Cited(Struct, Generic[T], frozen=True, forbid_unknown_fields=True):
    """A value with its citation; `note` holds what a reader of the text stumbles over."""

    value: T
    cite: Cite
    note: str = ""

    @property
    def ours(self) -> bool:
        """Whether the number is our choice and no rule's."""
        return self.cite == OURS


class NoMoreBets(Struct, frozen=True, forbid_unknown_fields=True):
    """The call that closes the bets: its words, and when it must come."""

    call: Cited[str]
    when: Cited[str]
    """`before_spin` or `while_ball_in_track`: the two wheels differ."""


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    """What the rules say of one reason code."""

    rule: Cite
    call: Cited[str] | None = None
    """The words the dealer calls; none where the spin stands."""
    remove_ball: bool = False
    """The dealer attempts to remove the ball before it comes to rest."""
    respin: bool = False
    """The text itself says that the spin is void and made again."""


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a person looks at in an inspection."""

    check: str
    """Its name in orders and events: `turns_freely`."""
    says: str
    cite: Cite
    note: str = ""


class Inspection(Struct, frozen=True, forbid_unknown_fields=True):
    """What a person looks at before the table opens."""

    opening: Cited[bool]
    """Whether the text asks for it at each opening. A house may ask for it by itself."""
    checks: tuple[Check, ...]


class WinningBet(Struct, frozen=True):
    """A bet that wins, and its odds, said "to": `straight 17` at `35 to 1`."""

    bet: str
    odds: str


def said(odds: int) -> str:
    """Odds as the rules want them said: "to", never "for"."""
    return f"{odds} to 1"
