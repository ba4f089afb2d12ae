"""The rules of roulette in one regulation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from controller.rules.cited import Cite, Cited, RoundRules

AMERICAN = "american"
"""A double-zero wheel."""
EUROPEAN = "european"
"""A single-zero wheel."""
AMERICAN_AS_SINGLE_ZERO = "american_as_single_zero"
"""A double-zero wheel used as a single-zero wheel: 00 is "No spin"."""
HOUSE_WHEEL = "house"
"""A wheel with the pockets that the house's rules give it."""
WHEELS = (AMERICAN, EUROPEAN, AMERICAN_AS_SINGLE_ZERO, HOUSE_WHEEL)

ZEROS = ("0", "00")


class Wager(Struct, frozen=True, forbid_unknown_fields=True):
    """One permissible wager: its citation, and its odds to 1."""

    cite: Cite
    odds: Cited[Annotated[int, Meta(ge=1)]]
    optional: bool = False
    """Offered at the operator's discretion."""


class RouletteWagers(Struct, frozen=True, forbid_unknown_fields=True):
    """The permissible wagers. `low` is "1 to 18", `high` is "19 to 36"."""

    straight: Wager
    split: Wager
    three_numbers: Wager
    four_numbers: Wager
    first_five_numbers: Wager
    six_numbers: Wager
    seven_numbers: Wager
    column: Wager
    dozen: Wager
    red: Wager
    black: Wager
    odd: Wager
    even: Wager
    low: Wager
    high: Wager


class Groups(Struct, frozen=True, forbid_unknown_fields=True):
    """The groups of pockets that the regulation lists."""

    three_numbers_with_zero: Cited[tuple[tuple[str, ...], ...]]
    first_five_numbers: Cited[tuple[str, ...]]
    seven_numbers: Cited[tuple[str, ...]]
    five_adjacent_numbers: Cited[int]


class OwnBet(Struct, frozen=True, forbid_unknown_fields=True):
    """A bet that the house adds to the layout."""

    bet: str
    pockets: tuple[str, ...]
    wager: Wager


class Notices(Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of the notices at the table."""

    zero_half: Cited[str]
    zero_all: Cited[str]
    as_single_zero: Cited[str]


class RouletteRules(RoundRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The roulette of one regulation. The fields carry their citations."""

    section: str
    numbers: Cited[int]
    pockets: Cited[int]
    level: Cited[str]
    ball_direction: Cited[str]
    minimum_revolutions: Cited[int]
    announcement: Cited[str]
    settlement: Cited[str]
    operator_classes: Cited[tuple[str, ...]]
    supervisor_classes: Cited[tuple[str, ...]]
    zero_rules: Cited[tuple[str, ...]]
    zero_rule_single_zero: Cited[str]
    zero_rule_as_single_zero: Cited[str]
    red_numbers: Cited[tuple[int, ...]]
    notices: Notices
    wagers: RouletteWagers
    groups: Groups
    silent_on: tuple[str, ...]
    zeros: Cited[tuple[str, ...]] | None = None
    """The zeros of the house's own wheel; None where its rules have none."""
    offered: Cited[tuple[str, ...]] | None = None
    """The wagers that the house offers; None for all of the layout."""
    own_bets: tuple[OwnBet, ...] = ()
    """Bets of the house's."""

    def zeros_of(self, wheel: str) -> tuple[str, ...]:
        """The zeros of a wheel (one of `WHEELS`)."""
        if wheel == HOUSE_WHEEL:
            return () if self.zeros is None else self.zeros.value
        return ("0",) if wheel == EUROPEAN else ZEROS

    def color(self, pocket: str) -> str:
        """`red`, `black`, or `green` for 0, 00 and 000.

        Raises:
            ValueError: no wheel has such a pocket.
        """
        if pocket in (ZEROS if self.zeros is None else self.zeros.value):
            return "green"
        return "red" if self._number(pocket) in self.red_numbers.value else "black"

    def notices_to_post(self, wheel: str, zero_rule: str) -> tuple[Cited[str], ...]:
        """The notices that must be posted at a table with this wheel (one of `WHEELS`) and `zero_rule`."""
        if wheel == AMERICAN_AS_SINGLE_ZERO:
            return (self.notices.as_single_zero,)
        if wheel in (EUROPEAN, HOUSE_WHEEL):
            return ()
        return (self.notices.zero_half if zero_rule == "half" else self.notices.zero_all,)

    def lost_on_zero(self, wheel: str, zero_rule: str) -> Cited[str]:
        """What an even-money wager loses on 0 (and 00, on a double-zero wheel): `half` or `all`.

        Only a double-zero wheel, and the house's own, leave the operator a choice; `zero_rule` is that choice.

        Raises:
            ValueError: the rules do not allow this choice.
        """
        if wheel == EUROPEAN:
            return self.zero_rule_single_zero
        if wheel == AMERICAN_AS_SINGLE_ZERO:
            return self.zero_rule_as_single_zero
        if zero_rule not in self.zero_rules.value:
            allowed = ", ".join(self.zero_rules.value)
            raise ValueError(f"zero rule {zero_rule!r}: {self.zero_rules.cite} allows {allowed}")
        return Cited(zero_rule, self.zero_rules.cite)

    def _number(self, pocket: str) -> int:
        if pocket.isascii() and pocket.isdecimal() and str(int(pocket)) == pocket:
            number = int(pocket)
            if 1 <= number <= self.numbers.value:
                return number
        zeros = ", ".join(ZEROS if self.zeros is None else self.zeros.value) or "a number"
        raise ValueError(f"pocket {pocket!r}: expected {zeros} or 1 to {self.numbers.value}")
