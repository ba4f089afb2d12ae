"""What a round came to, as a dealer would say it: one way of saying it for each family of results.

A result is told apart by the first of its keys that a family knows, so a family adds one line here and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from controller.table.wording import counted, times
from feed.events import (
    CourseChanged,
    Evidence,
    InspectionFailed,
    InspectionPassed,
    RoundProgress,
    RoundStarted,
    Verdict,
    WinningBet,
)
from feed.evidence import Tumbling

Result: TypeAlias = Mapping[str, Any]

LAMP_BOARD: Final = "lamp_board"
AUTOMATED_SHAKER: Final = "automated_shaker"

MOST_BETS: Final = 8
"""Of more winning bets than these only the first ones, in the order of the text, are named (ours)."""

SPUN: Final = frozenset({"money_wheel", "roulette"})
"""The games of wheels."""
BY_HAND: Final = {
    "craps": "the dice are thrown",
    "mini_craps": "the dice are thrown",
    "sic_bo": "the shaker is shaken",
}
"""How a person sets the dice going, where they are not tumbled."""
SIC_BO_ACTS: Final = {
    "dice_placed": "dice were placed in the shaker",
    "dice_too_old": "the dice are too old, or nobody knows how old they are",
    "shift_begins": "a shift begins",
    "operate_shaker": "the shaker was operated",
    "shaker_removed": "the automated shaker was removed from the table",
    "shaker_placed": "the automated shaker stands on the table",
}
"""What a restart must not forget, as it happens."""


def result_words(result: Result) -> str:
    """A result in a few words."""
    for key, said in _RESULTS.items():
        if key in result:
            return said(result)
    return str(dict(result))


def verdict_words(verdict: Verdict) -> str:
    """A verdict in a few words: its result, or its kind and reason where it has none."""
    return f"{verdict.verdict} {verdict.reason}" if verdict.result is None else result_words(verdict.result)


def winning_words(winning: Sequence[WinningBet]) -> str:
    """The bets that win, with their odds; of many the first ones, and how many more."""
    if not winning:
        return ""
    named = winning if len(winning) <= MOST_BETS else winning[: MOST_BETS - 1]
    more = len(winning) - len(named)
    return "; wins: " + ", ".join(f"{bet.bet} ({bet.odds})" for bet in named) + (f" and {more} more" if more else "")


def started_words(data: RoundStarted) -> str:
    """What has begun: a spin, or a tumble, a shaking or a throw, and whose."""
    if data.tossed_by is not None:
        return f"the {data.tossed_by} tosses the dice"
    if data.game not in SPUN:
        by = "" if data.tumble is None else f" by the {data.tumble}"
        return BY_HAND.get(data.game, "the dice are tumbled") + by
    return "the spin has begun" + ("" if data.direction is None else f", {data.direction}")


def progress_words(data: RoundProgress) -> str:
    """What is measured while a round goes on."""
    parts: list[str] = []
    if data.revolutions is not None:
        parts.append(f"{data.revolutions:g} revolutions")
    if data.rpm is not None:
        parts.append(f"{data.rpm:g} rpm")
    if data.lap_s is not None:
        parts.append(f"lap {data.lap_s:.2f} s")
    if data.inversions is not None:
        parts.append(f"inverted {times(data.inversions)}")
    if data.shakes is not None:
        parts.append(f"shaken {times(data.shakes)}")
    if data.dice is not None:
        whose = f"the {data.tumble}'s" if data.tumble is not None else "the"
        parts.append(f"{whose} dice: {_dice(data.dice)}, total {sum(data.dice)}")
    if data.keyed is not None:
        parts.append(f"keyed: {_dice(data.keyed)}" if data.keyed else "the dice lie: key them")
    return "  " + ", ".join(parts)


def course_words(data: CourseChanged) -> str:
    """What a person changed between two rolls or rounds, and at craps where the game stands now."""
    if data.act in SIC_BO_ACTS:
        return SIC_BO_ACTS[data.act] + (f"; by {data.by}" if data.by else "")
    acts = {
        "pass_dice": "the shooter passes the dice",
        "change_dice": "a player asks for other dice",
        "roll_for_come": "the shooter rolls for the come wagers",
        "line_wager": "a line wager is made again",
        "corrected": "after the correction",
    }
    point, shooter = data.course.get("point"), data.course.get("shooter")
    stands = "come out" if point is None else f"the point is {point}"
    return f"{acts.get(data.act, data.act)}: {stands}, shooter {shooter}" + (f"; by {data.by}" if data.by else "")


def passed_words(data: InspectionPassed) -> str:
    """An inspection that a person passed, or a trial of what is inspected: who tried it, and that it was good so far.

    Of a toss only that it came to its end is known: whether the dice were properly tossed is for the person to say.
    """
    checks = ", ".join(data.checks)
    if data.device == LAMP_BOARD:
        return f"{data.device} lit and read back: {checks}, tried by {data.by}"
    if _is_toss(data.device, data.checks):
        return f"{data.device} tossed to the end: {checks}, tried by {data.by}"
    return f"inspection of {data.device} passed by {data.by}: {checks}"


def failed_words(data: InspectionFailed) -> str:
    """An inspection that a person failed, or a trial of what is inspected that was not good."""
    checks, why = ", ".join(data.checks), f" ({data.detail})" if data.detail else ""
    if data.device == LAMP_BOARD:
        return f"{data.device} NOT LIT as it should be: {checks}, tried by {data.by}{why}"
    if _is_toss(data.device, data.checks):
        return f"{data.device} NOT TOSSED to the end: {checks}, tried by {data.by}{why}"
    return f"INSPECTION of {data.device} FAILED, says {data.by}: {checks}{why}"


def _is_toss(device: str, checks: Sequence[str]) -> bool:
    """An operation of the automated shaker, of which the device itself tells; its other checks a person makes."""
    return device == AUTOMATED_SHAKER and all(check.startswith("operation") for check in checks)


def measured_words(evidence: Evidence) -> list[str]:
    """What was measured of tumbles, shakes and throws, one after the other."""
    return [words for words in map(_tumbling, evidence.tumbles or ()) if words]


def _tumbling(one: Tumbling) -> str:
    parts: list[str] = []
    if one.inversions is not None:
        parts.append(counted(one.inversions, "inversion"))
    if one.baffle_passes is not None:
        parts.append(f"{'-'.join(map(str, one.baffle_passes))} past the baffles")
    if one.shakes is not None:
        parts.append(counted(one.shakes, "shake"))
    return (f"{one.by}: " if one.by and parts else "") + ", ".join(parts)


def _dice(values: Sequence[int]) -> str:
    return "-".join(map(str, values))


def _pocket(result: Result) -> str:
    return f"{result['pocket']} {result['color']}"


def _face(result: Result) -> str:
    return f"{result['face']} (space {result['space']})"


def _against_dealer(result: Result) -> str:
    dealer = f"dealer {_dice(result['dealer_dice'])}, total {result['dealer_total']}"
    return f"{dealer}; player {_dice(result['dice'])}, total {result['total']}: the {result['winner']} wins"


def _thrown(result: Result) -> str:
    return f"{_dice(result['dice'])}, total {result['total']}"


def _rolled(result: Result) -> str:
    """Craps: what the stickperson calls."""
    point = result.get("point")
    said = {
        "natural": "natural",
        "craps": "craps",
        "point_set": f"the point is {point}",
        "pass": f"{point} is made, pass",
        "seven_out": "seven out",
        "none": "no decision" if point is None else f"no decision, the point is {point}",
    }
    return f"{_thrown(result)}, {said.get(result['decision'], result['decision'])}"


_RESULTS: Final[dict[str, Callable[[Result], str]]] = {
    "pocket": _pocket,
    "face": _face,
    "dealer_dice": _against_dealer,
    "decision": _rolled,
    "dice": _thrown,
}
"""By the key that only this family's results have; of two that both fit, the narrower stands first."""
