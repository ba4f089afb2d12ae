"""What the boards of card games show beside results and statistics: how many cards are there that nobody sees, and
counts over the outcomes that the table's statistics count.

    every game      `hands` declared; `dealt`, the cards of the newest outcome: in all, and at the dealer's or
                    community's place, with those that were exposed there; `jackpot`, the meter of a progressive
                    wager and the last payment of it
    blackjacks      how many hands of the dealer were a blackjack
    red dog         rounds that the players won, lost and tied
    caribbean stud  hands of the dealer that qualify, and that do not
    let it ride     rounds whose two community cards are a pair, of one suit, or neither

A result that a person has changed is no longer the one that was measured: it has no `dealt`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec

from feed.state import TableState
from feed.statistics import found_at, values_at

COMMUNITY: Final = 2
"""The community cards of let it ride that are turned."""
Results: TypeAlias = Sequence[Mapping[str, Any]]
Count: TypeAlias = Callable[[Results], dict[str, int]]


def _blackjacks(results: Results) -> dict[str, int]:
    came = [
        one for result in results for field in ("dealer", "parts") for one in found_at(result, f"{field}.blackjack")
    ]
    return {"blackjacks": sum(one is True for one in came)}


def _red_dog(results: Results) -> dict[str, int]:
    came = [found_at(result, "wins") for result in results if values_at(result, "kind")]
    won, lost = sum(one == [True] for one in came), sum(one == [False] for one in came)
    return {"won": won, "lost": lost, "tied": len(came) - won - lost}


def _stud(results: Results) -> dict[str, int]:
    came = [one for result in results for one in found_at(result, "dealer.qualifies")]
    return {"qualified": sum(one is True for one in came), "unqualified": sum(one is False for one in came)}


def _let_it_ride(results: Results) -> dict[str, int]:
    found = dict.fromkeys(("pair", "suited", "neither"), 0)
    for result in results:
        cards = [str(card) for card in values_at(result, "community")]
        if len(cards) == COMMUNITY:
            found[_pair_kind(*cards)] += 1
    return found


def _pair_kind(one: str, other: str) -> str:
    return "pair" if one[:1] == other[:1] else "suited" if one[-1:] == other[-1:] else "neither"


def _nothing(results: Results) -> dict[str, int]:
    return {}


def _details(place: str, count: Count, state: TableState) -> dict[str, Any]:
    found: dict[str, Any] = {"came": count([one.result for one in state.history.counted])}
    if (hands := _hands(state)) is not None:
        found["hands"] = hands
    if state.progressive is not None:
        found["jackpot"] = msgspec.to_builtins(state.progressive)
    if (dealt := _dealt(state, place)) is not None:
        found["dealt"] = dealt
    return found


def _hands(state: TableState) -> int | None:
    """How many hands are dealt to players, as the dealer declared it last; None where nobody has."""
    hands = (state.carried or {}).get("hands")
    return hands if isinstance(hands, int) else None


def _dealt(state: TableState, place: str) -> dict[str, Any] | None:
    """The cards of the newest outcome, as they were measured."""
    last = state.history.outcomes[-1] if state.history.outcomes else None
    record = None if last is None else state.record(last.round)
    evidence = None if record is None or record.corrections else record.evidence
    if evidence is None or not evidence.card_counts:
        return None
    counts = evidence.card_counts
    return {
        "cards": sum(counts.values()),
        "hands": sum(1 for to in counts if to.startswith("hand ")),
        "held": counts.get(place, 0),
        "exposed": [one.card for one in evidence.cards or () if one.to == place],
    }


CARD_DETAILS: Final[dict[str, Callable[[TableState], dict[str, Any]]]] = {
    "blackjack": partial(_details, "dealer", _blackjacks),
    "multi_action_blackjack": partial(_details, "dealer", _blackjacks),
    "red_dog": partial(_details, "layout", _red_dog),
    "caribbean_stud": partial(_details, "dealer", _stud),
    "let_it_ride": partial(_details, "community", _let_it_ride),
    "joker_seven": partial(_details, "", _nothing),
}
"""By the name of the game."""
