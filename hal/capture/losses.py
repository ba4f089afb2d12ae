"""How a capture tells of lost edges, so that its replay says what the live table said.

A line that is no longer driven is `x` on its own wire. Every other loss is a value of the string variable `lost`:

| value | meaning |
|---|---|
| `wheel_a=overflow` | `EdgesLost("wheel_a", Loss.OVERFLOW)` |
| `wheel_a=overflow,3` | the same, and three changes are missing |
| `wheel_a=again` | an `Edge` of `wheel_a` to the level it already had: VCD itself cannot tell that from nothing |
"""

from __future__ import annotations

from typing import NamedTuple

from hal.values import EdgesLost, Loss

AGAIN = "again"
_MAX_COUNT_DIGITS = 18


class Told(NamedTuple):
    """One value of `lost`; a cause of None is an edge to the level that the line already had."""

    line: str
    cause: Loss | None
    missing: int | None


def again_text(line: str) -> str:
    """The value that tells of an edge to the same level."""
    return f"{line}={AGAIN}"


def loss_text(loss: EdgesLost) -> str:
    """The value that tells of a loss."""
    missing = "" if loss.missing is None else f",{loss.missing}"
    return f"{loss.line}={loss.cause}{missing}"


def parse_loss(text: str) -> Told:
    """What a value of `lost` tells; `ValueError` says what is wrong with it."""
    line, equals, what = text.rpartition("=")
    if not (equals and line):
        raise ValueError("expected `line=cause`")
    if what == AGAIN:
        return Told(line, None, None)
    cause, comma, count = what.partition(",")
    try:
        loss = Loss(cause)
    except ValueError:
        raise ValueError(f"the cause should be one of {', '.join(Loss)}, {AGAIN}") from None
    if comma and not (count.isascii() and count.isdigit() and len(count) <= _MAX_COUNT_DIGITS):
        raise ValueError("the count should be a whole number")
    return Told(line, loss, int(count) if comma else None)
