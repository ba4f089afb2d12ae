"""Rounds of red dog, from the order in which the cards leave a reading shoe.

    bets open ──► first card, second card ──► consecutive: a tie
                                          ──► a pair ──► third card: three of a kind, or a tie
                                          ──► a spread ──► "Raises closed" ──► third card: between, or not

A third card that is drawn before "Raises closed" is not laid open here: whether players saw it, only people know. Not
exposed, it is the next card; exposed, it is discarded, and each player may void the round (20.31(g)2, 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.cards.hands import CardDesk, HandsDecided, HandsUnproven, HandsVerdict
from controller.games.red_dog.rules import RedDogRules
from controller.games.red_dog.spread import decided, is_pair, spread_of
from drivers.cards.card_wire import DECK
from drivers.cards.observations import CardDealt
from feed import events
from feed.data import DealtCard
from feed.events import Evidence, WinningBet

RAISES_CLOSED: Final = "Raises closed"


class RedDogOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of red dog under `[game]`."""

    decks: Annotated[
        int, Meta(ge=1, le=8, description="decks in the shoe; the text has a deck, and is silent on more")
    ] = 1


class RedDogHands:
    """The boxes of one red dog table."""

    def __init__(self, desk: CardDesk, rules: RedDogRules) -> None:
        self._desk = desk
        self._rules = rules
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self._dealt: list[DealtCard] = []
        self._raises_closed = False
        self._voidable = False
        """Whether a third card was exposed too early, so that each player may have voided the round."""

    # --- the deal ------------------------------------------------------------------------------------------------

    def deal(self, seen: CardDealt, t_ns: int) -> HandsVerdict:
        """A card is laid into the next box."""
        if seen.card is None:
            return HandsUnproven("card_unread", seen.detail)
        if self._raises_open and self._desk.call_by == "button":
            detail = 'a third card left before "Raises closed"'
            self._desk.cards.hold(seen, t_ns, "card_before_raises_closed", detail, discarded=self._exposed_early)
            return None
        if self._raises_open:
            self._close_raises(t_ns, "auto")
        dealt = self._desk.cards.lay_open(seen, "layout", t_ns)
        if dealt is not None:
            self._dealt.append(dealt)
        announce = self._rules.pair.value if is_pair(self._cards) else None
        self._desk.report.event(events.RoundProgress, t_ns, cards=self._cards, spread=self._spread, announce=announce)
        result = decided(self._cards)
        if result is None:
            return None
        back = f"players who voided the round have their wagers back ({self._rules.exposed_third_card.cite})"
        return HandsDecided(result, (back,) if self._voidable else ())

    @property
    def _cards(self) -> list[str]:
        return [one.card for one in self._dealt]

    @property
    def _spread(self) -> int | None:
        return spread_of(*self._cards[:2]) if len(self._dealt) >= 2 else None

    @property
    def _raises_open(self) -> bool:
        return len(self._dealt) == 2 and self._spread is not None and not self._raises_closed

    # --- raises --------------------------------------------------------------------------------------------------

    @property
    def stage(self) -> str | None:
        """ "Raises closed", while there is a spread and no third card."""
        return f'"{RAISES_CLOSED}"' if self._raises_open and self._desk.cards.held is None else None

    def next_stage(self, t_ns: int, by: str) -> HandsVerdict:
        """The dealer announces "Raises closed"; a card that was not exposed is the third one."""
        self._close_raises(t_ns, by)
        third = self._desk.cards.take_next()
        return None if third is None else self.deal(third, t_ns)

    def _close_raises(self, t_ns: int, by: str) -> None:
        self._raises_closed = True
        rule = self._rules.raises_closed.cite
        self._desk.report.event(events.NoMoreBets, t_ns, by=by, rule=rule, call=RAISES_CLOSED)

    def _exposed_early(self) -> str:
        """A third card that players saw before raises were closed is discarded."""
        self._voidable = True
        return "the card is discarded; ask each player whether to play the round or void it"

    def take_back(self) -> bool:
        """The last card was face up in the shoe."""
        if not self._dealt or self._desk.cards.held is not None:
            return False
        self._dealt.pop()
        self._raises_closed = False
        return True

    # --- results -------------------------------------------------------------------------------------------------

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of cards in the order in which they were dealt: `4s-7d-5c`."""
        cards = name.split("-")
        unknown = [card for card in cards if card not in DECK]
        if unknown:
            raise ValueError(
                f"cards {name!r}: {unknown[0]!r} is not a card; give them in the order in which they were dealt, such "
                "as 4s-7d-5c, with ranks A 2 to 9 T J Q K and suits s h d c"
            )
        result = decided(cards)
        if result is None:
            raise ValueError(
                f"cards {name!r}: no round is dealt so: two consecutive cards, or a pair or a spread and a third"
            )
        return result

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return "-".join(result["cards"])

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The wagers that win, and what is announced of a tie."""
        return self._rules.winning(result), self._rules.announcement(result)

    def evidence(self, detail: str = "") -> Evidence:
        """The cards that are in the boxes."""
        return Evidence(cards=list(self._dealt) or None, detail=detail)

    def complete_words(self) -> str:
        """How many cards the round had."""
        return f"when the round of {len(self._dealt)} cards was complete"
