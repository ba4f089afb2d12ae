"""One text of sic bo: its wagers, its shaker, its "electrical device", and what happens when one fails."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from controller.games.dice.rules import Count, DiceRules
from controller.rules.cited import Cite, Cited, Odds


class SicBoWager(Struct, frozen=True, forbid_unknown_fields=True):
    """A permissible wager: where the text describes it, and what it pays."""

    cite: Cite
    odds: Cited[Odds]


class TotalValue(Struct, frozen=True, forbid_unknown_fields=True):
    """A wager on one total of the three dice."""

    total: Annotated[int, Meta(ge=4, le=17)]
    """Totals 3 and 18 have no wager of their own."""
    odds: Cited[Odds]


class SmallOrBig(Struct, frozen=True, forbid_unknown_fields=True):
    """The small or the big bet: it wins on these totals, and loses on any three of a kind."""

    cite: Cite
    totals: Cited[tuple[int, ...]]
    odds: Cited[Odds]


class OneOfAKind(Struct, frozen=True, forbid_unknown_fields=True):
    """A number on at least one die: it pays by how many dice show it."""

    cite: Cite
    odds: Cited[Odds]
    odds_on_two: Cited[Odds]
    odds_on_three: Cited[Odds]


class SicBoWagers(Struct, frozen=True, forbid_unknown_fields=True):
    """The permissible wagers."""

    three_of_a_kind: SicBoWager
    two_of_a_kind: SicBoWager
    any_three_of_a_kind: SicBoWager
    total_value: Cite
    totals: tuple[TotalValue, ...]
    two_dice_combination: SicBoWager
    small: SmallOrBig
    big: SmallOrBig
    one_of_a_kind: OneOfAKind
    two_of_a_kind_on_triple: Cited[bool]
    """Whether two of a kind wins when the third die shows the number too. The texts leave it open."""


class ElectricalDevice(Struct, frozen=True, forbid_unknown_fields=True):
    """The lit areas of the layout, and how they are looked at before the table opens."""

    areas: Cited[Count]
    values_entered_at_opening: Cited[Count]
    verified_at_opening: Cited[str]
    settled_when: Cited[str]
    cleared_when: Cited[str]


class ManualShaker(Struct, frozen=True, forbid_unknown_fields=True):
    """The shaker that a dealer covers and shakes."""

    minimum_shakes: Cited[Count]
    covered_when: Cited[str]
    uncovered_until: Cited[str]


class AutomatedShakerRule(Struct, frozen=True, forbid_unknown_fields=True):
    """The shaker that tosses by itself, where the text knows one."""

    operations_at_opening: Cited[Count]
    operations_each_shift: Cited[Count]
    verified: Cited[str]
    uncovered: Cited[str]
    removed_before_manual: Cited[bool]
    """It leaves the table before a manual shaker may be used there."""


class SicBoRules(DiceRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One text's sic bo. The fields carry their citations."""

    sealed: Cited[str]
    custody: Cited[str]
    dice_hours: Cited[Count] | None = None
    """How long dice in a shaker may remain on a table; None where the text sets no limit."""
    entry: Cited[str]
    manual_shaker: ManualShaker
    automated_shaker: AutomatedShakerRule | None = None
    electrical_device: ElectricalDevice
    wagers: SicBoWagers
