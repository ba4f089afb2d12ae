"""What hands of joker seven win, by 13:47-20.26(g).

A joker represents no other card, and two of them are one pair. Our copy is torn off after "The joker has no color": no
winner of a bet on colours that a joker would decide is published, nor one of a bet on pairs where the text leaves it
open, as with three of a rank. A notice leaves each to the dealer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from controller.games.fixed_hands.rules import FixedHandsRules
from controller.rules.cited import Cited, Odds
from drivers.cards.card_wire import JOKER
from feed.events import WinningBet

COLORS: Final = ("red", "black")
COUNTS: Final = {4: "four", 5: "five", 6: "six", 7: "seven"}
RANK_WORDS: Final = {
    "A": "aces",
    **{rank: f"{rank}s" for rank in "23456789"},
    "T": "10s",
    "J": "jacks",
    "Q": "queens",
    "K": "kings",
}


class SevenPays(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The odds of (g)."""

    four_or_more: Cited[Odds]
    exactly_four: Cited[Odds]
    exactly_five: Cited[Odds]
    exactly_six: Cited[Odds]
    all_seven: Cited[Odds]
    no_pairs: Cited[Odds]
    two_pairs: Cited[Odds]
    one_joker: Cited[Odds]
    two_jokers: Cited[Odds]
    pair: Cited[Odds]
    """A pair of a rank that the player chose."""
    prial: Cited[Odds]
    """Three of a rank."""
    four_pair: Cited[Odds]
    """A bet on one pair, where four of its rank are dealt."""
    four_two_pairs: Cited[Odds]
    four_prial: Cited[Odds]
    open_colors: Cited[str]
    """Why a bet on colours that a joker would decide is the dealer's to judge."""
    open_pairs: Cited[str]
    """Why some bets on pairs are."""


class JokerSevenRules(FixedHandsRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of joker seven."""

    pays: SevenPays

    def winning(self, hands: Sequence[Mapping[str, Any]]) -> tuple[list[WinningBet], list[str]]:
        """The wagers that win with each hand of a result, and what the dealer decides."""
        bets: list[WinningBet] = []
        notices: list[str] = []
        ours: set[str] = set()
        for number, hand in enumerate(hands, 1):
            won = dict([*self._colors(hand), *self._others(hand)])
            bets += [WinningBet(f"hand {number}: {bet}", odds.value.in_words()) for bet, odds in won.items()]
            ours |= {f"{bet}: {odds.note} (ours)" for bet, odds in won.items() if odds.ours}
            for left, why in ((_open_colors, self.pays.open_colors), (_open_pairs, self.pays.open_pairs)):
                if undecided := ", ".join(left(hand)):
                    notices.append(f"hand {number}: the dealer decides on {undecided}: {why.value} ({why.cite})")
        return bets, [*notices, *sorted(ours)]

    def _colors(self, hand: Mapping[str, Any]) -> Iterator[tuple[str, Cited[Odds]]]:
        pays = self.pays
        exact = {4: pays.exactly_four, 5: pays.exactly_five, 6: pays.exactly_six, 7: pays.all_seven}
        for color in COLORS:
            count = hand[color]
            if count >= min(COUNTS):
                yield f"four or more {color}", pays.four_or_more
            if count in exact and not hand["jokers"]:
                yield f"{COUNTS[count]} {color}", exact[count]

    def _others(self, hand: Mapping[str, Any]) -> Iterator[tuple[str, Cited[Odds]]]:
        pays, ranks = self.pays, _ranks(hand)
        pairs, most = _pairs(hand), max(ranks.values())
        if hand["jokers"]:
            yield ("two jokers", pays.two_jokers) if hand["jokers"] == 2 else ("one joker", pays.one_joker)
        if most == 1 and not pairs:
            yield "no pairs", pays.no_pairs
        if most <= 2 and pairs == 2:
            yield "two pairs", pays.two_pairs
        for rank, times in ranks.items():
            if times == 2:
                yield f"a pair of {RANK_WORDS[rank]}", pays.pair
            elif times == 4:
                yield f"a pair of {RANK_WORDS[rank]}", pays.four_pair
        if most == 4:
            yield "two pairs", pays.four_two_pairs
        if 3 in ranks.values():
            yield "prial", pays.prial
        elif most == 4:
            yield "prial", pays.four_prial


def _ranks(hand: Mapping[str, Any]) -> Counter[str]:
    """How often each rank is in a hand, in the order of the deal; jokers have none."""
    return Counter(card[0] for card in hand["cards"] if card != JOKER)


def _pairs(hand: Mapping[str, Any]) -> int:
    """Ranks that are dealt twice; two jokers are one pair."""
    return sum(times == 2 for times in (hand["jokers"], *_ranks(hand).values()))


def _open_colors(hand: Mapping[str, Any]) -> Iterator[str]:
    """The bets on colours that a joker would decide."""
    jokers = hand["jokers"]
    for color in COLORS if jokers else ():
        count = hand[color]
        if count < min(COUNTS) <= count + jokers:
            yield f"four or more {color}"
        yield from (f"{COUNTS[one]} {color}" for one in range(max(count, min(COUNTS)), count + jokers + 1))


def _open_pairs(hand: Mapping[str, Any]) -> Iterator[str]:
    """The bets on pairs of which the text does not say whether they win with three pairs, or with three of a rank."""
    ranks, pairs = _ranks(hand), _pairs(hand)
    threes = [rank for rank, times in ranks.items() if times == 3]
    yield from (f"a pair of {RANK_WORDS[rank]}" for rank in threes)
    if threes and not pairs and max(ranks.values()) < 4:
        yield "no pairs"
    if max(ranks.values()) < 4 and pairs + len(threes) > 1 and (threes or pairs > 2):
        yield "two pairs"
