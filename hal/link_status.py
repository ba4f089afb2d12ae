"""The state of a link as others see it, whatever it runs on: a table without links loads no serial port for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

NOT_OPENED: Final = "not opened"
NOT_OPENED_YET: Final = "not opened yet"
BEFORE_OPENING: Final = (NOT_OPENED, NOT_OPENED_YET)
"""Reasons of a link that has not been tried yet."""


class LinkError(Exception):
    """Bytes cannot be sent; names the link, the cause and the remedy."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """Whether the link is up, since when, and why it went down last."""

    up: bool
    since_ns: int
    reason: str
