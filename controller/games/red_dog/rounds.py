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

import msgspec
from msgspec import Meta

from controller.games.cards.game import CardGame, CardTerms, Use
from controller.games.red_dog.rules import RedDogRules
from controller.games.red_dog.spread import decided, spread_of
from controller.table.game import GameContext
from controller.table.phase import RUNNING
from drivers.cards.card_wire import DECK
from drivers.cards.observations import CardDealt
from drivers.cards.shuffler import ShufflerConfig
from feed import events
from feed.data import DealtCard
from feed.events import Evidence, WinningBet

RAISES_CLOSED: Final = "Raises closed"


class RedDogOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of red dog under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="without a settle button, a round settles so long after its outcome (ours); an unresolved one "
            "waits for a person",
        ),
    ] = 3.0
    decks: Annotated[
        int, Meta(ge=1, le=8, description="decks in the shoe; the text has a deck, and is silent on more")
    ] = 1


class RedDogGame(CardGame):
    """The rounds of one red dog table."""

    carries = True

    def __init__(
        self,
        context: GameContext,
        rules: RedDogRules,
        options: RedDogOptions,
        *,
        shuffler: ShufflerConfig | None = None,
    ) -> None:
        """`shuffler` is the automated shuffling device, if the table has one."""
        self._rules = rules
        super().__init__(context, rules, CardTerms(options.settle_after_s, options.decks, DECK, shuffler=shuffler))

    def reset(self) -> None:
        """A new round begins."""
        super().reset()
        self._dealt: list[DealtCard] = []
        self._raises_closed = False
        self._early: CardDealt | None = None
        """A third card that was drawn before raises were closed, and on which nobody has decided."""
        self._next: CardDealt | None = None
        """One that was not exposed, and is the next card."""
        self._voidable = False
        """Whether a third card was exposed too early, so that each player may have voided the round."""

    # --- the deal ------------------------------------------------------------------------------------------------

    def deal(self, seen: CardDealt, t_ns: int) -> None:
        """A card is laid into the next box."""
        if seen.card is None:
            self.leave_to_dealer(t_ns, "card_unread", seen.detail)
        elif self._early is not None or self._next is not None:
            self.hide(seen, t_ns)
            detail = "another card left while one lay there that was drawn before raises were closed"
            self.leave_to_dealer(t_ns, "card_before_raises_closed", detail)
        elif self._raises_open and self.context.call_by == "button":
            self._too_early(seen, t_ns)
        else:
            if self._raises_open:
                self._close_raises(t_ns, "auto")
            self._lay(seen, t_ns)

    def _lay(self, seen: CardDealt, t_ns: int) -> None:
        dealt = self.lay_open(seen, "layout", t_ns)
        if dealt is not None:
            self._dealt.append(dealt)
        self.report(events.RoundProgress, t_ns, cards=self._cards, spread=self._spread)
        result = decided(self._cards)
        if result is not None:
            winning, notices = self.pays(result)
            if self._voidable:
                rule = self._rules.exposed_third_card
                notices = [*notices, f"players who voided the round have their wagers back ({rule.cite})"]
            self.outcome(t_ns, result, winning, self.evidence(), notices)

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
        return f'"{RAISES_CLOSED}"' if self._raises_open and self._early is None else None

    def next_stage(self, t_ns: int, by: str) -> None:
        """The dealer announces "Raises closed"; a card that was not exposed is the third one."""
        self._close_raises(t_ns, by)
        if self._next is not None:
            seen, self._next = self._next, None
            self.deal(seen, t_ns)

    def _close_raises(self, t_ns: int, by: str) -> None:
        self._raises_closed = True
        rule = self._rules.raises_closed.cite
        self.report(events.NoMoreBets, t_ns, by=by, rule=rule, call=RAISES_CLOSED)

    def _too_early(self, seen: CardDealt, t_ns: int) -> None:
        """A third card left before "Raises closed"."""
        self._early = seen
        self.hide(seen, t_ns)
        rule = self._reasons["card_before_raises_closed"].rule
        detail = 'a third card left before "Raises closed": decide on it with excess_card'
        self.violation(t_ns, "card_before_raises_closed", rule, detail)

    @property
    def uses(self) -> tuple[Use, ...]:
        """What may become of a card that was drawn in error: in the round, or after it."""
        return ("discard", "next_card") if self._early is not None else super().uses

    @property
    def excess(self) -> int:
        """Cards on which nobody has decided."""
        return 1 if self._early is not None and self.phase is RUNNING else super().excess

    def use_excess(self, t_ns: int, use: Use) -> str:
        """A person decides on a third card that left too early, or on cards that left after the round."""
        if self._early is None or self.phase is not RUNNING:
            return super().use_excess(t_ns, use)
        seen, self._early = self._early, None
        if use == "next_card":
            self._next = seen
            return 'the card is the next one, once "Raises closed" is announced'
        self._voidable = True
        return "the card is discarded; ask each player whether to play the round or void it"

    def take_back(self) -> bool:
        """The last card was face up in the shoe."""
        if self._early is not None:
            self._early = None
        elif self._dealt:
            self._dealt.pop()
            self._raises_closed = False
        else:
            return False
        return True

    # --- results -------------------------------------------------------------------------------------------------

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of cards in the order in which they were dealt: `4s-7d-5c`."""
        cards = name.split("-")
        unknown = [card for card in cards if card not in DECK]
        if unknown:
            raise ValueError(
                f"cards {name!r}: {unknown[0]!r} is no card; give them in the order in which they were dealt, such as "
                "4s-7d-5c, with ranks A 2 to 9 T J Q K and suits s h d c"
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
        """The cards that lie in the boxes."""
        return Evidence(cards=list(self._dealt) or None, detail=detail)

    def complete_words(self) -> str:
        """How many cards the round had."""
        return f"when the round of {len(self._dealt)} cards was complete"
