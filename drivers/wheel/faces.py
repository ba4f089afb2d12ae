"""The default orders of pockets and faces, in the positive direction from the index."""

from __future__ import annotations

from typing import Final


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


AMERICAN: Final = _names(
    "0 28 9 26 30 11 7 20 32 17 5 22 34 15 3 24 36 13 1 00 27 10 25 29 12 8 19 31 18 6 21 33 16 4 23 35 14 2"
)
"""The American double-zero wheel."""

EUROPEAN: Final = _names(
    "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"
)
"""The European single-zero wheel."""

DEFAULT_FACES: Final = _names(
    "flag $1 $2 $1 $5 $1 $2 $1 $10 $1 $2 $1 $5 $2 $1 $20 $1 $2 $1 $5 $1 $2 $1 $2 $5 "
    "joker $1 $2 $1 $10 $1 $2 $1 $5 $1 $2 $1 $2 $20 $1 $2 $1 $5 $2 $1 $10 $2 $1 $5 $1"
)
"""The faces of the money wheel. The rule fixes how many there are of each; their order is ours."""

ORDERS: Final = {"american": AMERICAN, "european": EUROPEAN, "american_as_single_zero": AMERICAN}
"""Wheel orders by the name that the configuration uses."""
