"""The keys of `[game]` that every game with a dealer has."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class RoundOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a round settles by itself. A game adds keys of its own in a struct that extends this one."""

    settle_after_s: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="without a settle button, a round settles this long after its verdict (ours); one that a "
            "person has to call waits for that",
        ),
    ] = 3.0
