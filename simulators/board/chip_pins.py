"""The pins of an ATmega328P by name, as simboard.h numbers them, and the changes of its outputs."""

from __future__ import annotations

from typing import NamedTuple

PIN_NAMES = tuple(f"{port}{bit}" for port in "BCD" for bit in range(8))
PINS = {name: number for number, name in enumerate(PIN_NAMES) if name not in ("B6", "B7", "C6", "C7")}
"""Those that an Arduino leaves free: B6 and B7 are the crystal, C6 is the reset."""
CHANNELS = {f"C{bit}": bit for bit in range(6)}
"""The analogue ones."""
NOT_DRIVEN = -1
_FULL = 65535


class PinChange(NamedTuple):
    """A change of an output."""

    pin: str
    level: float | None
    """0 or 1; the duty cycle where a timer drives it; None when it is no longer driven."""
    t_ns: int


def number_of(name: str, known: dict[str, int]) -> int:
    """The number of a pin or channel.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in known:
        raise ValueError(f"pin {name!r}: the board has none of this name; there are: {', '.join(known)}")
    return known[name]


def share_of(level: int) -> float | None:
    """A level of simboard.h as `PinChange.level`."""
    return None if level == NOT_DRIVEN else level / _FULL
