"""What a money wheel publishes as its result."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta


class MoneyWheelResult(msgspec.Struct, frozen=True, kw_only=True):
    """Where a money wheel came to rest."""

    space: Annotated[int, Meta(ge=0)]
    """Number of the space from the index mark, in the positive direction; the first is 0."""
    face: str
    """What the space shows: `$2`, `flag`, `joker`."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"money_wheel": MoneyWheelResult}
