"""What a token pusher publishes as its result."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta


class TokenPusherResult(msgspec.Struct, frozen=True, kw_only=True):
    """A play of a token pusher."""

    tokens_in: Annotated[int, Meta(ge=1)]
    """The tokens that the play was for: one."""
    tokens_won: Annotated[int, Meta(ge=0)]
    """The tokens that fell to the player in it."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"token_pusher": TokenPusherResult}
