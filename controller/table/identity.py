"""Who says the events of a table."""

from __future__ import annotations

import msgspec


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who says the events."""

    table: str
    game: str
    rules: str
    simulated: bool
    epoch: str
    """Random and new at each start of a live service; `replay` and `sim` otherwise: equal input gives equal bytes."""
    software: str
    devices: tuple[dict[str, str], ...] = ()
