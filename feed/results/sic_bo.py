"""What sic bo publishes as its result."""

from __future__ import annotations

from typing import Final

import msgspec

from .dice import DiceResult

RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"sic_bo": DiceResult}
