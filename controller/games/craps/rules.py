"""One text of craps and mini-craps: dice, people, the course of the game, and what makes a roll invalid."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.games.craps.wagers import CrapsWagers
from controller.games.dice.rules import Count, DiceRules
from controller.rules.cited import Cited


class CrapsDice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The set of dice at the table."""

    minimum_set: Cited[Count]
    least_side_in: Cited[float] | None = None
    most_side_in: Cited[float] | None = None
    spot_tolerance_in: Cited[float] | None = None
    made: Cited[str]
    opposite_sum: Cited[int]
    """What each pair of opposite faces adds up to."""


class CrapsPeople(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who does what at the table."""

    controls_dice: Cited[tuple[str, ...]]
    calls_total: Cited[tuple[str, ...]]
    calls_no_roll: Cited[tuple[str, ...]]
    decides_face: Cited[tuple[str, ...]]
    """Who decides which face of a die is uppermost, or orders the throw void."""
    orders_pass: Cited[tuple[str, ...]]
    """Who may order a shooter to pass the dice."""
    confirms_late_bets: Cited[tuple[str, ...]]
    """Who together confirm a wager made while the dice roll; nobody where the text allows none."""


class CrapsRules(DiceRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One text's craps, or its mini-craps. The fields carry their citations."""

    dice: CrapsDice
    people: CrapsPeople
    throw: Cited[str]
    cocked_die: Cited[str]
    no_cause: Cited[str]
    """What does not make a roll invalid."""
    naturals: Cited[tuple[int, ...]]
    craps: Cited[tuple[int, ...]]
    barred: Cited[int]
    """The craps on which don't pass and don't come are void: neither won nor lost."""
    points: Cited[tuple[int, ...]]
    voluntary_pass: Cited[Literal["after_any_roll", "after_a_decision"]]
    """When a shooter may pass the dice by choice."""
    come_only: Cited[bool]
    """Whether a shooter without a line wager may roll on for the come wagers that are left."""
    dice_change: Cited[str]
    wagers: CrapsWagers
