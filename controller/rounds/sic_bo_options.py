"""The keys of sic bo's rounds in the configuration."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class SicBoOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of sic bo under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(ge=0, le=600, description="without a settle button, a round settles so long after its verdict (ours)"),
    ] = 3.0
    two_of_a_kind_on_triple: Annotated[
        bool | None,
        Meta(description="whether two of a kind wins on a triple too; without it, as the profile has it (ours)"),
    ] = None
    uncover_s: Annotated[
        float,
        Meta(ge=0, le=10, description="knocks so soon after the cover came off are those of the cover (ours)"),
    ] = 1.0
    activate_after_s: Annotated[
        float,
        Meta(ge=0, le=30, description='an automated shaker is started so long after "No more bets" (ours)'),
    ] = 1.5
