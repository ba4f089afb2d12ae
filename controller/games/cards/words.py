"""How what a table of cards carries from round to round reads for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from feed.events import RoundStarted

_ACTS: Final = {
    "new_shoe": "shuffled cards are in the shoe",
    "burned": "a card was burned",
    "hands": "hands were declared",
    "progressive_wagers": "progressive wagers are in",
    "progressive_paid": "a progressive payout was paid",
}


def carried_words(act: str, state: Mapping[str, Any]) -> str:
    """What changed between rounds: the act, and the deck, the hands and the burn that it leaves."""
    parts = [_ACTS.get(act, act)]
    if state.get("deck"):
        parts.append(f"deck {state['deck']}")
    if state.get("hands") is not None:
        parts.append(f"{state['hands']} hands")
    if state.get("burn_due"):
        parts.append(f"burn {state['burn_due']}")
    if state.get("meter_cents") is not None:
        parts.append(f"the meter is {state['meter_cents'] / 100:,.2f}")
    return ", ".join(parts)


def deal_begun(data: RoundStarted) -> str:
    """What has begun."""
    return "the cards are dealt"
