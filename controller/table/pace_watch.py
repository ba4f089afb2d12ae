"""The watch over the pace of a table: too few or too many games in an hour of play. It can be beside any other watch.

A warning of it is ours, and changes no verdict. It begins again with the service.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controller.table.round_watch import RoundWatch, Watched
from feed.events import Data
from feed.pace import RoundSteps

HOUR_NS: Final = 3600 * 10**9


class GamePace:
    """Games in each hour of play, where the time went, and the dealer's steps. A closed table does not count."""

    def __init__(self, least: int | None, most: int | None, idle_ns: int) -> None:
        """`idle_ns` is how long bets may be open before the table is taken for idle."""
        self._least = least
        self._most = most
        self.steps = RoundSteps(idle_ns)

    def see(self, data: Data) -> Watched | None:
        """Takes an event of a round; returns what an hour of play was out of bounds by, at its end."""
        return self._judged() if self.steps.see(data) and self.steps.played_ns >= HOUR_NS else None

    def _judged(self) -> Watched | None:
        steps = self.steps
        rate = steps.games * HOUR_NS / steps.played_ns
        few = self._least is not None and rate < self._least
        many = self._most is not None and rate > self._most
        if not few and not many:
            steps.begin()
            return None
        medians = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in steps.medians_s.items())
        bound = f"below the least, {self._least}" if few else f"above the most, {self._most}"
        detail = (
            f"{rate:.0f} games an hour, {bound}; idle "
            f"{steps.idle_ns / 60e9:.0f} min of {steps.played_ns / 60e9:.0f}; {medians}"
        )
        if steps.cards:
            detail += f"; {steps.cards * HOUR_NS / steps.played_ns:.0f} cards an hour"
        steps.begin()
        return Watched("games_an_hour", detail)


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
