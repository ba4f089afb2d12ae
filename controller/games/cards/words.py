"""How what a table of cards carries from round to round reads for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from feed.events import RoundStarted
from hal.wording import counted

_ACTS: Final = {
    "new_shoe": "shuffled cards are in the shoe",
    "burned": "a card was burned",
    "hands": "hands were declared",
    "progressive_wagers": "progressive wagers are in",
    "shuffler_removed": "the shuffler is off the table",
    "shuffler_placed": "the shuffler is at the table",
}


def carried_words(act: str, state: Mapping[str, Any]) -> str:
    """What changed between rounds: the act, and the deck, the hands and the burn that it leaves."""
    payment = state.get("payment") if act == "progressive_paid" else None
    parts = [_ACTS.get(act, act) if payment is None else f"progressive payout: {paid_words(payment)}"]
    if state.get("deck"):
        parts.append(f"deck {state['deck']}")
    if state.get("hands") is not None:
        at = f" at positions {numbers(state['positions'])}" if state.get("positions") else ""
        parts.append(f"{counted(state['hands'], 'hand')}{at}")
    if state.get("burn_due"):
        parts.append(f"burn {state['burn_due']}")
    if state.get("meter_cents") is not None:
        parts.append(f"the meter is {state['meter_cents'] / 100:,.2f}")
    return ", ".join(parts)


def numbers(some: Sequence[int]) -> str:
    """Several positions or hands in words: `2, 5`."""
    return ", ".join(map(str, some))


def paid_words(payment: Mapping[str, Any]) -> str:
    """A progressive payout: `flush paid (position 2: 50.00)`, and why out of turn."""
    each = ", ".join(f"position {place}: {cents / 100:,.2f}" for place, cents in payment["paid"].items())
    why = f", out of turn: {payment['why']}" if payment.get("why") else ""
    return f"{payment['hand'].replace('_', ' ')} paid ({each}){why}"


def deal_begun(data: RoundStarted) -> str:
    """What has begun."""
    return "the cards are dealt"
