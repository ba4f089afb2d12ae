"""A value and the place in the regulations that gives it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

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


When = Literal["before_spin", "while_ball_in_track", "before_tumble", "before_shake", "before_throw"]
"""When bets close. The games differ: roulette's stay open while the ball runs, the others' close before."""


class NoMoreBetsRule(Struct, frozen=True, forbid_unknown_fields=True):
    """The call that closes the bets: its words, and when it must come."""

    call: Cited[str]
    when: Cited[When]
    """When it must have come."""


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    """What the rules say of one reason code."""

    rule: Cite
    call: Cited[str] | None = None
    """The words the dealer calls; none where the spin stands."""
    remove_ball: bool = False
    """The dealer attempts to remove the ball before it comes to rest."""
    again: bool = False
    """The text itself says that the run is void and made again: the wheel is respun, the dice are re-thrown."""
    found_only: bool = False
    """The controller finds it, and no person can know it: nobody calls a round void for it."""
    by_call: bool = False
    """It voids nothing by itself: a person who may call it invalidates the roll."""
    before_rest: bool = False
    """The call comes, whenever possible, before the dice have come to rest."""
    settle_then_cease: bool = False
    """The round stands and is settled in the supervisor's presence; then nothing is played until it is mended."""


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a person looks at in an inspection."""

    check: str
    """Its name in orders and events: `turns_freely`."""
    says: str
    cite: Cite
    note: str = ""
    only_with: str = ""
    """The device without which there is nothing to look at: `automated_shaker`."""


class Inspection(Struct, frozen=True, forbid_unknown_fields=True):
    """What a person looks at before the table opens, and at the beginning of each shift."""

    opening: Cited[bool]
    """Whether the text asks for it at each opening. A house may ask for it by itself."""
    checks: tuple[Check, ...]
    each_shift: tuple[Check, ...] = ()
    """What the text asks for again at the beginning of each shift."""

    def with_devices(self, in_use: Collection[str]) -> Inspection:
        """The inspection of a table that has these devices: without the checks of those that it has not."""
        return Inspection(self.opening, _asked(self.checks, in_use), _asked(self.each_shift, in_use))


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
