"""How dice read for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from controller.games.dice.values import words
from feed.events import RoundStarted


def thrown_words(result: Mapping[str, Any]) -> str:
    """The dice and their total."""
    return f"{words(result['dice'])}, total {result['total']}"


def dice_of(result: Mapping[str, Any]) -> tuple[int, ...]:
    """The dice as they came to rest: those of the dealer's tumble first, where there are some."""
    return (*result.get("dealer_dice", ()), *result["dice"])


def begun_words(by_hand: str) -> Callable[[RoundStarted], str]:
    """What has begun: `by_hand` where a person sets the dice going, or what tosses them."""

    def begun(data: RoundStarted) -> str:
        if data.tossed_by is not None:
            return f"the {data.tossed_by} tosses the dice"
        return by_hand if data.tumble is None else f"{by_hand} by the {data.tumble}"

    return begun
