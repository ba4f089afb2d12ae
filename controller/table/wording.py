"""Numbers in a sentence: once or 3 times, 1 shake or 2 shakes."""

from __future__ import annotations


def times(number: int) -> str:
    """How often: `once`, `3 times`."""
    return "once" if number == 1 else f"{number} times"


def counted(number: float, noun: str) -> str:
    """How many: `1 hour`, `2.5 hours`. The noun takes an s."""
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
