"""What the rolls of a craps table decide and pay, each by the rolls before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from controller.games.craps.decision import CrapsState, Rolled
from controller.games.craps.history import CrapsHistory
from controller.games.craps.layout import CrapsLayout
from feed.events import Verdict, WinningBet


class Restated(NamedTuple):
    """A roll that decides something else because one before it was corrected."""

    round: int
    was: Verdict
    to: Verdict
    winning: list[WinningBet]
    notices: list[str]


class CrapsRolls:
    """The rolls of one table, and the bets of its layout."""

    def __init__(self, history: CrapsHistory, layout: CrapsLayout) -> None:
        self.history = history
        self._layout = layout

    def result(self, before: CrapsState, dice: Sequence[int]) -> dict[str, Any]:
        """What these dice come to, from that state of the game. Raises `ValueError` where these are not two dice."""
        return result_of_roll(before, self.history.rolled(before, dice))

    def pays(self, before: CrapsState, dice: Sequence[int]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with these dice, and what people do now. Raises as `result`."""
        winning = [WinningBet(bet.bet, bet.odds) for bet in self._layout.winning(before, dice)]
        return winning, notices_of(self.history.rolled(before, dice), self._layout.returned(before, dice))

    def restated(self, number: int) -> list[Restated]:
        """The later rolls that decide something else since this one was corrected, oldest first."""
        found: list[Restated] = []
        for roll in self.history.later(number):
            if roll.stands.result is None:
                continue
            dice = roll.stands.result["dice"]
            to = Verdict(verdict="outcome", result=self.result(roll.before, dice))
            if to != roll.stands:
                found.append(Restated(roll.round, roll.stands, to, *self.pays(roll.before, dice)))
                self.history.restate(roll.round, to)
        return found


def result_of_roll(before: CrapsState, rolled: Rolled) -> dict[str, Any]:
    """The result of a roll: the dice, and what they decided.

    `point` is the one that was to be made, or was set; it is left out where there is none. `fire_points` are those made
    for the shooter's own fire bets so far.
    """
    result: dict[str, Any] = {
        "dice": list(rolled.dice),
        "total": rolled.total,
        "decision": rolled.decision,
        "shooter": before.shooter,
    }
    point = before.point if before.point is not None else rolled.state.point
    if point is not None:
        result["point"] = point
    fire = next((one.points for one in rolled.state.fire if one.shooter == before.shooter), ())
    if fire:
        result["fire_points"] = list(fire)
    return result


def notices_of(rolled: Rolled, returned: Sequence[str]) -> list[str]:
    """What people do now, because of the roll."""
    notices = [f"{bet} is void: neither won nor lost" for bet in returned]
    if rolled.notify_surveillance:
        notices.append("notify surveillance: a fire bet has its fourth different point")
    if rolled.shooter_passes:
        notices.append("the shooter passes the dice")
    if rolled.change_dice:
        notices.append("change the dice now, as a player asked")
    return notices
