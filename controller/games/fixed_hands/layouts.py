"""How the cards of each game of fixed hands lie: which are face up, which are turned, and what their result is.

    Caribbean stud   the dealer's last card is face up, the other four are turned at once
    let it ride      all are face down; the second and the third community card are turned, the first is burned
    joker seven      all are face up

A card is known by its number in the deal, from 0; a plan is where each goes, in that order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from controller.games.fixed_hands.poker import qualifies, rank_of
from controller.games.fixed_hands.seven import JokerSevenRules
from drivers.cards.card_wire import DECK, JOKER
from feed.events import WinningBet

RED: Final = "hd"
BURNED: Final = 1
"""Of the community cards of let it ride, those that are burned, from the first one dealt."""
DealPlan: TypeAlias = Sequence[str]
NONE: Final = "none"
"""How a person names that nothing was shown."""


class HandLayout(Protocol):
    """The layout of one game."""

    @property
    def shared(self) -> str:
        """The place that gets cards beside the hands; empty where there is none."""

    def faces_up(self, plan: DealPlan, number: int) -> bool:
        """Whether a card is dealt face up."""

    def turned(self, plan: DealPlan) -> list[list[int]]:
        """The cards that are turned at each announcement, where all are dealt."""

    def result_of(self, plan: DealPlan, faces: Mapping[int, str]) -> dict[str, Any]:
        """The result of the exposed cards."""

    def pays(self, result: Mapping[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The wagers that win with a result, as far as the hands are read, and the notices that go with it."""

    def result_named(self, name: str) -> dict[str, Any]:
        """The result that a person names, or `none`.

        Raises:
            ValueError: these are no such cards.
        """

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""


def places(plan: DealPlan, place: str) -> list[int]:
    """The cards that go to one place."""
    return [number for number, to in enumerate(plan) if to == place]


def in_order(faces: Mapping[int, str]) -> list[str]:
    """The faces in the order of the deal."""
    return [faces[number] for number in sorted(faces)]


def cards_named(name: str, count: int, what: str) -> list[str]:
    """The cards that a person names.

    Raises:
        ValueError: they are not as many cards of this deck, each once.
    """
    cards = name.split("-")
    known = (*DECK, JOKER)
    unknown = [card for card in cards if card not in known]
    if unknown:
        raise ValueError(f"cards {name!r}: {unknown[0]!r} is not a card; name {what}, such as 9s-Kd; or none")
    twice = [card for card, times in Counter(cards).items() if times > (2 if card == JOKER else 1)]
    if len(cards) != count or twice:
        raise ValueError(f"cards {name!r}: expected {count} cards of one deck, {what}; or none")
    return cards


class HandsUnread:
    """What players hold nobody reads: no wager is known to win."""

    def pays(self, result: Mapping[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """Nothing."""
        return [], []


class CaribbeanStudLayout(HandsUnread):
    """Caribbean stud: the dealer's hand."""

    shared = "dealer"

    def __init__(self, *, ace_low: bool) -> None:
        """`ace_low` is whether an ace may begin a straight."""
        self._ace_low = ace_low

    def faces_up(self, plan: DealPlan, number: int) -> bool:
        """The dealer's fifth card is dealt face up."""
        return plan[number] == self.shared and number == len(plan) - 1

    def turned(self, plan: DealPlan) -> list[list[int]]:
        """The dealer's four hole cards, at once."""
        return [places(plan, self.shared)[:-1]]

    def result_of(self, plan: DealPlan, faces: Mapping[int, str]) -> dict[str, Any]:
        """The dealer's hand, its rank, and whether it qualifies."""
        return self._of(in_order(faces))

    def _of(self, cards: list[str]) -> dict[str, Any]:
        rank = rank_of(cards, ace_low=self._ace_low)
        return {"dealer": {"cards": cards, "rank": rank, "qualifies": qualifies(cards, ace_low=self._ace_low)}}

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of the dealer's five cards in the order of the deal."""
        return {} if name == NONE else self._of(cards_named(name, 5, "the dealer's in the order of the deal"))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return "-".join(result["dealer"]["cards"]) if result.get("dealer") else NONE


class LetItRideLayout(HandsUnread):
    """Let it ride: the two community cards."""

    shared = "community"

    def faces_up(self, plan: DealPlan, number: int) -> bool:
        """Every card is dealt face down."""
        return False

    def turned(self, plan: DealPlan) -> list[list[int]]:
        """The second and the third community card, one after the other; the first is burned."""
        return [[number] for number in places(plan, self.shared)[BURNED:]]

    def result_of(self, plan: DealPlan, faces: Mapping[int, str]) -> dict[str, Any]:
        """Both cards that were turned."""
        return {"community": in_order(faces)}

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of the two community cards in the order in which they were turned."""
        if name == NONE:
            return {}
        return {"community": cards_named(name, 2, "the community cards as they were turned")}

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return "-".join(result.get("community") or ()) or NONE


class JokerSevenLayout:
    """Joker seven: seven cards of each hand, all of them face up."""

    shared = ""

    def __init__(self, rules: JokerSevenRules) -> None:
        """`rules` have what the hands win."""
        self._rules = rules

    def pays(self, result: Mapping[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The wagers of each hand."""
        return self._rules.winning(result.get("hands") or ())

    def faces_up(self, plan: DealPlan, number: int) -> bool:
        """Every card is dealt face up."""
        return True

    def turned(self, plan: DealPlan) -> list[list[int]]:
        """None is face down."""
        return []

    def result_of(self, plan: DealPlan, faces: Mapping[int, str]) -> dict[str, Any]:
        """Each hand, from the dealer's left."""
        of_hand = {place: places(plan, place) for place in dict.fromkeys(plan)}
        return self._of([[faces[number] for number in numbers] for numbers in of_hand.values()])

    def _of(self, hands: list[list[str]]) -> dict[str, Any]:
        return {"hands": [seven_cards(cards) for cards in hands]}

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of every hand in the order of the deal, with `/` between them."""
        if name == NONE:
            return {}
        hands = name.split("/")
        what = "those of each hand in the order of the deal, with / between hands"
        cards_named("-".join(hands), 7 * len(hands), what)
        return self._of([cards_named(hand, 7, what) for hand in hands])

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return "/".join("-".join(hand["cards"]) for hand in result.get("hands") or ()) or NONE


def seven_cards(cards: list[str]) -> dict[str, Any]:
    """A hand of seven cards as a result has it: a joker has no colour."""
    jokers = cards.count(JOKER)
    red = sum(card != JOKER and card[1] in RED for card in cards)
    return {"cards": cards, "red": red, "black": len(cards) - jokers - red, "jokers": jokers}
