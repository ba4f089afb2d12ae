"""Times of the firmware that a circuit depends on, read out of its headers: they are written once, there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

KINDS: Final = Path(__file__).resolve().parents[1] / "kinds"


def hold_up_ms() -> int:
    """How long a money board must run on after its supply's warning, until the last byte is durable.

    Raises:
        ValueError: `supply.h` does not state it.
    """
    text = (KINDS / "supply.h").read_text(encoding="utf-8")
    found = re.search(r"#define SUPPLY_HOLD_UP_MS (\d+)U", text) or re.search(
        r"Hold-up that the board needs from there on, everything counted exactly: (\d+) ms", text
    )
    if found is None:
        raise ValueError(f"{KINDS / 'supply.h'}: it does not say SUPPLY_HOLD_UP_MS")
    return int(found[1])
