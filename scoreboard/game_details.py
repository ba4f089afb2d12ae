"""What the board of one game shows beside results and statistics, which every game has.

    craps       puck, point, shooter, this shooter's rolls, newest first
    sic bo      small, big or triple of the last result
    baccarat    the roads of the shoe
    roulette    colors, halves, dozens, columns, sectors, neighbors, runs, last spin (`scoreboard.roulette_figures`);
                of a house's own rules also the colors that its pockets have shown, and how many numbers it has
    cards       of the other card games, what `scoreboard.card_details` has
    machines    credits, meters, the last ten plays for recall, whatever the game is called

A game that is not listed has none: its last results and statistics are shown as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from feed.state import MachineState, RoundRecord, TableState
from scoreboard.card_details import CARD_DETAILS
from scoreboard.roads import roads_of
from scoreboard.roulette_figures import figures_of, numbers_of


def details_of(state: TableState) -> dict[str, Any]:
    """The details of a table's game."""
    make = _DETAILS.get(state.game)
    if make is None:
        return {} if state.machine is None else _machine(state.machine, state.rounds)
    return make(state)


MODULUS: Final = 10_000_000
"""Meters have seven digits."""
RECALLED: Final = 10
"""The most recent play and the nine before it (AGCO 13.1.1)."""


def _machine(machine: MachineState, plays: Sequence[RoundRecord]) -> dict[str, Any]:
    meters = machine.meters
    return {
        "credits": machine.credits,
        "hand_pay": machine.hand_pay,
        "debt": machine.debt,
        "plays": meters.plays,
        "won": (meters.tokens_won - meters.tokens_taken_back) % MODULUS,
        "meters": msgspec.to_builtins(meters),
        "recall": [_recalled(play) for play in reversed(plays[-RECALLED:])],
    }


def _recalled(play: RoundRecord) -> dict[str, Any]:
    """The state of a play: its result, or why it has none."""
    stands, evidence = play.stands, play.evidence
    found = {"round": play.round, "time": play.time, "verdict": stands.verdict, "corrected": play.corrected}
    if stands.result is not None:
        found["result"] = stands.result
    if stands.reason:
        found["reason"] = stands.reason
    if evidence is not None and evidence.stopped_by:
        found["by"] = evidence.stopped_by
    return found


def _craps(state: TableState) -> dict[str, Any]:
    outcomes = state.history.outcomes
    last = outcomes[-1].result if outcomes else {}
    course = state.course
    if course is not None:
        point, shooter = course.get("point"), course.get("shooter")
        on = course.get("phase") == "point"
    else:
        # After a verdict the state carried on comes with the next round: until then the last result has it.
        on = last.get("decision") in ("point_set", "none") and last.get("point") is not None
        point, shooter = last.get("point"), last.get("shooter")
    rolls = []
    for outcome in reversed(outcomes):
        if shooter is None or outcome.result.get("shooter") != shooter:
            break
        rolls.append(outcome.result)
    return {
        "on": bool(on),
        "point": point if on else None,
        "shooter": shooter,
        "rolls": rolls[:_ROLLS],
        "count": len(rolls),
    }


_ROLLS: Final = 40
"""Rolls of one shooter that are shown at most (ours)."""


def _baccarat(state: TableState) -> dict[str, Any]:
    winners = [outcome.result.get("winner", "") for outcome in state.history.outcomes]
    since = state.shuffled_after
    if since is not None:
        winners = [
            winner for winner, outcome in zip(winners, state.history.outcomes, strict=True) if outcome.round > since
        ]
    known = [winner for winner in winners if winner in ("banker", "player", "tie")]
    return {"roads": msgspec.to_builtins(roads_of(known)), "hands": len(known)}


def _roulette(state: TableState) -> dict[str, Any]:
    figures = {"figures": msgspec.to_builtins(figures_of(state))}
    if not state.house_rules:
        return figures
    # A wheel by house rules need not have the customary colors and halves.
    shown = {str(one.result.get("pocket")): one.result.get("color") for one in state.history.outcomes}
    return figures | {"colors": shown, "numbers": numbers_of(state)}


_DETAILS: Final[dict[str, Callable[[TableState], dict[str, Any]]]] = {
    "craps": _craps,
    "mini_craps": _craps,
    "baccarat": _baccarat,
    "roulette": _roulette,
    "mini_baccarat": _baccarat,
    **CARD_DETAILS,
}
