"""What the outcome of a roll says: its result, its notices, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller.games.craps.decision import CrapsState, Rolled
from controller.games.dice.values import DiceValues
from feed.data import Evidence, Tumbling


def result_of_roll(before: CrapsState, rolled: Rolled) -> dict[str, Any]:
    """The result of a roll: the dice, and what they decided.

    `point` is the one that stood, or was set; it is left out where there is none. `fire_points` are those made for the
    shooter's own fire bets so far.
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


def evidence_of(values: DiceValues, rest_ns: int | None, detail: str) -> Evidence:
    """Who gave the values of a throw, and what speaks against them."""
    entered, read = values.entered, values.read
    tumbling = Tumbling(
        rest_ns=rest_ns,
        keyed=None if entered is None else list(entered.dice),
        read=None if read is None else list(read.dice),
        doubts=[] if read is None else list(read.doubts),
    )
    return Evidence(tumbles=[tumbling], detail=detail)
