"""How long a test waits for another thread or process before it takes it for hung."""

from __future__ import annotations

from typing import Final

HANG_S: Final = 300.0
"""Generous: it ends a hang and measures nothing. A slow, busy computer must stay far below it."""
HANG_MS: Final = 300_000
