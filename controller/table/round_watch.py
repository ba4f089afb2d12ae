"""What watches the rounds of a table beside their verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from feed.events import Data


class Watched(NamedTuple):
    """What is to be warned of."""

    warning: str
    detail: str
    device: str = ""
    """Empty for the device of the game."""


class RoundWatch(Protocol):
    """Takes the events of one table's rounds, all but their progress. It changes nothing of them."""

    def see(self, data: Data) -> Sequence[Watched]:
        """Takes an event; returns what is to be warned of."""
