"""What a follower is doing."""

from __future__ import annotations

from enum import Enum


class Step(Enum):
    """What the follower is doing, and so what it asks for."""

    JOINING = "joining"
    """Asks for a snapshot."""
    CATCHING_UP = "catching up"
    """Asks for what comes after its place."""
    COMPARING = "comparing"
    """Asks for what the journal holds now, to find where it differs."""
    IN_STEP = "in step"
    """Asks for nothing."""
