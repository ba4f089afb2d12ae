"""Values with their citations, and the parts of rules that all games share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct

OURS = "ours"
"""The citation of a value that no regulation gives: it is our choice."""

HOUSE_RULE = "house rule"
"""How people read that citation."""

T = TypeVar("T")

Cite = Annotated[str, Meta(min_length=1)]
"""The source of a value, for example `13:47-20.29(b)3`, or `OURS`."""


class Cited(Struct, Generic[T], frozen=True, forbid_unknown_fields=True):
    """A value with its citation; `note` explains what is unclear in the text."""

    value: T
    cite: Cite
    note: str = ""
    words: str = ""
    """The words of the text on which the value rests."""
    reading: str = ""
    """How we read words that could be read otherwise; `docs/audit.md` lists all of them."""

    @property
    def ours(self) -> bool:
        """Whether the value is our choice, not that of a rule."""
        return self.cite == OURS


When = Literal[
    "before_spin", "while_ball_in_track", "before_tumble", "before_shake", "before_throw", "before_deal", "before_play"
]
"""When bets close. The games differ: roulette's stay open while the ball runs, the others' close before."""


class NoMoreBetsRule(Struct, frozen=True, forbid_unknown_fields=True):
    """The call that closes the bets: its words, and when it must come."""

    call: Cited[str]
    when: Cited[When]
    """The latest moment of the call."""


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules for one reason code."""

    rule: Cite
    """The rule that a refusal for this reason cites; `OURS` where no text has the refusal."""
    words: str = ""
    """The words of the rule on which the refusal rests; empty where it is ours."""
    reading: str = ""
    """How we read words that could be read otherwise; `docs/audit.md` lists all of them."""
    call: Cited[str] | None = None
    """The words that the dealer calls; None where the spin stands."""
    remove_ball: bool = False
    """The dealer attempts to remove the ball before it comes to rest."""
    again: bool = False
    """The text itself requires a repetition: the wheel is respun, the dice are re-thrown."""
    found_only: bool = False
    """Only the controller can detect it: no person calls a round void for it."""
    by_call: bool = False
    """It does not void the roll by itself: a person with the authority calls it."""
    before_rest: bool = False
    """The call comes, whenever possible, before the dice have come to rest."""


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One item of an inspection by a person."""

    check: str
    """Its name in orders and events: `turns_freely`."""
    says: str
    cite: Cite
    words: str = ""
    """The words of the rule that asks for it; empty where it is ours."""
    note: str = ""
    only_with: str = ""
    """The device that the check is for: `automated_shaker`; empty for a check of every table."""
    instead_of: tuple[str, ...] = ()
    """The checks that it replaces, where the text leaves a choice: none of them is asked for beside it."""


class Inspection(Struct, frozen=True, forbid_unknown_fields=True):
    """The inspections by a person before the table opens, and at the beginning of each shift."""

    opening: Cited[bool]
    """Whether the text requires it at each opening. A house may require it by itself."""
    checks: tuple[Check, ...]
    each_shift: tuple[Check, ...] = ()
    """The checks that the text requires again at the beginning of each shift."""

    def with_devices(self, in_use: Collection[str]) -> Inspection:
        """The inspection of a table with these devices, without the checks of other devices."""
        return Inspection(self.opening, _asked(self.checks, in_use), _asked(self.each_shift, in_use))


class RoundRules(Struct, frozen=True, kw_only=True):
    """What the rules of every game have; a game adds fields of its own in a struct that extends this one."""

    no_more_bets: NoMoreBetsRule
    inspection: Inspection
    reasons: dict[str, Reason]


class Odds(NamedTuple):
    """Payout odds: `win` for each `stake`. Nine to five is `[9, 5]` in the data."""

    win: Annotated[int, Meta(ge=1)]
    stake: Annotated[int, Meta(ge=1)]

    def in_words(self) -> str:
        """In the form that the rules require: `9 to 5`."""
        return odds_words(self.win, self.stake)


def odds_words(odds: int, stake: int = 1) -> str:
    """Odds in the form that the rules require: "9 to 5", never "9 for 5"."""
    return f"{odds} to {stake}"


def _asked(checks: tuple[Check, ...], in_use: Collection[str]) -> tuple[Check, ...]:
    return tuple(check for check in checks if not check.only_with or check.only_with in in_use)
