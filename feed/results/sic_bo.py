"""What sic bo publishes as its result."""

from __future__ import annotations

from typing import Final

from .dice import DiceResult

RESULTS: Final = {"sic_bo": DiceResult}
