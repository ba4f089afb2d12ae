"""What the games of tumbled dice publish as their results."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from .dice import DiceResult, DieValue


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


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    "chuck_a_luck": DiceResult,
    "under_over": DiceResult,
    "beat_the_dealer": BeatTheDealerResult,
}
