"""Commitments to cards: what is published of a card that nobody may see yet, and how it is checked once it is opened.

    commitment = SHA-256(salt ‖ card)       a salt of 16 secret random bytes for each card, the card as ASCII: `9s`
    root       = SHA-256(commitment 1 ‖ … ‖ commitment n)       of the order of a stack, each as 64 hexadecimal digits

Without the salt nobody can try the 52 cards; with it anybody can compute the commitment again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256


def card_commitment(salt: bytes, card: str) -> str:
    """The commitment to one card, as 64 hexadecimal digits."""
    return sha256(salt + card.encode("ascii")).hexdigest()


def order_root(cards: Sequence[str], salts: Sequence[str]) -> str:
    """The commitment to the order of a stack, as 64 hexadecimal digits; `salts` are hexadecimal digits.

    Raises:
        ValueError: there are not as many salts as cards, or one is not a hexadecimal number.
    """
    parts = [card_commitment(bytes.fromhex(salt), card) for card, salt in zip(cards, salts, strict=True)]
    return sha256("".join(parts).encode("ascii")).hexdigest()


def lay_in_order(dealt: Mapping[int, str], order: Sequence[str]) -> bool:
    """Whether cards, by their place in the stack from 1, were in an order except for one cut.

    A cut takes cards from the front to the back: it turns the order, and changes nothing else.
    """
    if any(place > len(order) for place in dealt):
        return False
    return not dealt or any(_lay_so(dealt, order, cut) for cut in range(len(order)))


def cuts_of(dealt: Mapping[int, str], order: Sequence[str]) -> list[int]:
    """After how many cards an order may have been cut, so that these cards were dealt, by their place from 1."""
    if any(place > len(order) for place in dealt):
        return []
    return [cut for cut in range(len(order)) if _lay_so(dealt, order, cut)]


def _lay_so(dealt: Mapping[int, str], order: Sequence[str], cut: int) -> bool:
    return all(order[(place - 1 + cut) % len(order)] == card for place, card in dealt.items())
