"""The keys of rounds of cage and chute under `[game]`."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class TumbledOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of cage and chute under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(ge=0, le=600, description="without a settle button, a round settles so long after its verdict (ours)"),
    ] = 3.0
    values_wait_s: Annotated[
        float,
        Meta(
            ge=1,
            le=600,
            description="with keypad and reading board, so long the one is waited for once the other has spoken (ours)",
        ),
    ] = 20.0
