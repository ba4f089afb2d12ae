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
    return _found("supply.h", "SUPPLY_HOLD_UP_MS")


def settle_ms() -> int:
    """How long the self-test gives the lines to follow each switching of the sensors' feed.

    Raises:
        ValueError: `sensors.h` does not state it.
    """
    return _found("sensors.h", "SENSORS_SETTLE_MS")


def _found(header: str, name: str) -> int:
    found = re.search(rf"#define {name} (\d+)U", (KINDS / header).read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{KINDS / header}: it does not define {name}")
    return int(found[1])
