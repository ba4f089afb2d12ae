"""What a chain of lamps says of itself: the words that its driver and the rounds share."""

from __future__ import annotations

from drivers.driver import Observation


class LampsRead(Observation, frozen=True, kw_only=True):
    """The chain read back what it was last told. Lamps are places on the chain, from 1."""

    told: frozenset[int]
    """What it was told to light."""
    dead: frozenset[int] = frozenset()
    """Told to be lit, and drawing no current."""
    stuck: frozenset[int] = frozenset()
    """Told to be dark, and drawing some."""


class LampsLost(Observation, frozen=True, kw_only=True):
    """The chain cannot be reached, or what it says cannot be read."""

    detail: str
