"""The watch over the pace of a table, beside any other watch: too few or too many games in an hour of play.

A warning of it is ours, and changes no verdict. It begins again with the service.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.table.round_watch import RoundWatch, Watched
from controller.table.wheel_watch import GamePace
from feed.events import Data


class PaceWatch:
    """Takes the events of one table's rounds, and returns what is to be warned of."""

    def __init__(self, pace: GamePace, beside: RoundWatch | None) -> None:
        self._pace = pace
        self._beside = beside

    def see(self, data: Data) -> Sequence[Watched]:
        """Takes an event."""
        found = () if self._beside is None else self._beside.see(data)
        pace = self._pace.see(data)
        return found if pace is None else [*found, pace]


def paced(least: int | None, most: int | None, idle_s: float, beside: RoundWatch | None = None) -> RoundWatch | None:
    """The watch beside which the pace is watched, where the house wants it: games an hour, and when a table is idle."""
    if least is None and most is None:
        return beside
    return PaceWatch(GamePace(least, most, round(idle_s * 1e9)), beside)
