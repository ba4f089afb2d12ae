"""What `result` holds, by the game of the table. A reader knows the rest of an event without knowing its game.

Events carry results as JSON objects, so that a game of a later version can be read; these structs say what is in them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

DieValue: TypeAlias = Annotated[int, Meta(ge=1, le=6)]


class MoneyWheelResult(msgspec.Struct, frozen=True, kw_only=True):
    """Where a money wheel came to rest."""

    space: Annotated[int, Meta(ge=0)]
    """Number of the space from the index mark, in the positive direction; the first is 0."""
    face: str
    """What the space shows: `$2`, `flag`, `joker`."""


class RouletteResult(msgspec.Struct, frozen=True, kw_only=True):
    """The pocket that holds the ball."""

    pocket: Annotated[str, Meta(pattern="^(00|[0-9]|[12][0-9]|3[0-6])$")]
    """The number as the wheel shows it; `0` and `00` are different pockets."""
    index: Annotated[int, Meta(ge=0)]
    """Place of the pocket around the wheel, from the index mark; the first is 0."""
    color: Literal["red", "black", "green"]
    """Its color; 0 and 00 are green."""


class DiceResult(msgspec.Struct, frozen=True, kw_only=True):
    """The dice of chuck-a-luck, under/over and sic bo."""

    dice: list[DieValue]
    """The value of each die."""
    total: int
    """Their sum."""


class BeatTheDealerResult(msgspec.Struct, frozen=True, kw_only=True):
    """The dice of the player and of the dealer, who tumbles first."""

    dice: list[DieValue]
    """The player's dice."""
    total: int
    """Their sum."""
    dealer_dice: list[DieValue]
    """The dealer's dice."""
    dealer_total: int
    """Their sum."""
    winner: Literal["dealer", "player"]
    """Who has the higher total; a tie is the dealer's."""


class CrapsResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A roll at craps or mini-craps, and what it decided."""

    dice: list[DieValue]
    """The value of each die."""
    total: int
    """Their sum."""
    decision: Literal["natural", "craps", "point_set", "pass", "seven_out", "none"]
    """For pass and don't pass: `pass` is the point made, `seven_out` the losing 7; `none` decides nothing."""
    shooter: Annotated[int, Meta(ge=1)]
    """Which shooter threw, counted from the first."""
    point: int | None = None
    """The come out point that stood, or that this roll set."""
    fire_points: list[int] = []
    """The points made so far for this shooter's fire bets."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    "money_wheel": MoneyWheelResult,
    "roulette": RouletteResult,
    "beat_the_dealer": BeatTheDealerResult,
    "chuck_a_luck": DiceResult,
    "under_over": DiceResult,
    "sic_bo": DiceResult,
    "craps": CrapsResult,
    "mini_craps": CrapsResult,
}
"""What the results of a game are, by `data.game`."""

Result: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema={"x-def": "Result"})]
"""A result as an event carries it: one of `RESULTS`, or of a game that this version does not know."""
