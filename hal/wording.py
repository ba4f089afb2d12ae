"""Numbers in a sentence: once or 3 times, 1 shake or 2 shakes."""

from __future__ import annotations


def times(number: int) -> str:
    """How often: `once`, `3 times`."""
    return "once" if number == 1 else f"{number:,} times"


def counted(number: float, noun: str) -> str:
    """How many: `1 hour`, `2.5 hours`, `1,200 tokens`. The noun takes an s."""
    if number == 1:
        return f"1 {noun}"
    shown = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{shown} {noun}s"


def noun_for(number: float, noun: str, several: str = "") -> str:
    """The noun beside this number; `several` is that of many if it takes more than an s, as `are` beside `is`."""
    return noun if number == 1 else several or f"{noun}s"
