"""Rounds of baccarat, from the order in which the cards leave a reading shoe.

    bets open ── "No more bets" ──► cards, one by one ──► both hands complete: outcome ──► settled

Whose a card is follows from those before it, and from nothing else; what every game of cards does with a card in doubt
or in excess is in `controller.games.cards.dealing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from controller.games.baccarat.hands import Hands, Undecided, hands_dealt, total
from controller.games.baccarat.rules import BaccaratRules
from controller.games.baccarat.wagers import WagerOptions, Wagers
from controller.games.cards.hands import CardDesk, HandsDecided, HandsUnproven, HandsVerdict
from controller.rules.cited import HOUSE_RULE, OURS
from drivers.cards.card_wire import DECK
from drivers.cards.observations import CardDealt
from feed import events
from feed.data import DealtCard
from feed.events import Evidence, WinningBet
from hal.wording import counted


class BaccaratOptions(WagerOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of baccarat under `[game]`."""

    decks: Annotated[int, Meta(ge=1, le=12, description="decks in the shoe: at least as many as the text wants")] = 8
    third_card_table: Annotated[
        bool,
        Meta(
            description="whether a banker of three to seven draws or stands by the table of punto banco where the text "
            "is silent (ours: outcomes by it are marked so); without it such a round is unresolved"
        ),
    ] = True


class BaccaratHands:
    """The two hands of one baccarat table."""

    def __init__(self, desk: CardDesk, rules: BaccaratRules, options: BaccaratOptions) -> None:
        self._desk = desk
        self._wagers = Wagers(rules, options)
        self._rules = rules
        self._table = options.third_card_table
        self._drawing = rules.drawing(table=self._table)
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self._hands = Hands()
        self._dealt: list[DealtCard] = []

    # --- results -------------------------------------------------------------------------------------------------

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of cards in the order in which they were dealt: `9s-6h-Kd-2c`."""
        cards = name.split("-")
        unknown = [card for card in cards if card not in DECK]
        if unknown:
            raise ValueError(
                f"cards {name!r}: {unknown[0]!r} is not a card; give them in the order in which they were dealt, such "
                "as 9s-6h-Kd-2c, with ranks A 2 to 9 T J Q K and suits s h d c"
            )
        hands = hands_dealt(cards, self._drawing)
        if hands is None:
            raise ValueError(f"cards {name!r}: two complete hands are not dealt so by {self._drawn_by(cards)}")
        return result_of(hands)

    def _drawn_by(self, cards: list[str]) -> str:
        """What refuses such hands: our table, where the text would leave them open; otherwise the text."""
        left_open = hands_dealt(cards, self._rules.drawing(table=False))
        if not self._rules.draws_by_text:
            return f"the house's table: {self._rules.house_table.value}"
        if left_open is not None:
            return f"the house's table: {self._rules.left_open(left_open)}"
        return f"the drawing rules ({self._rules.drawing_cites})"

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return "-".join(cards_in_order(result))

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win, and what is due on them."""
        hands = Hands(tuple(result["player"]["cards"]), tuple(result["banker"]["cards"]))
        return self._wagers.winning(result), [*self._wagers.notices(result), *self._left_open(hands)]

    def _left_open(self, hands: Hands) -> list[str]:
        """That the text leaves it open how these hands were dealt, and who decided it."""
        words = self._rules.left_open(hands)
        if not words or not self._rules.draws_by_text:
            return [f"{HOUSE_RULE}: {words}"] if words else []
        drew = "drew" if len(hands.banker) > 2 else "stood"
        how = f"it {drew} by the house's table" if self._table else f"a person decided that it {drew}"
        return [f"{HOUSE_RULE}: {words}, and {how}"]

    # --- the deal ------------------------------------------------------------------------------------------------

    def deal(self, seen: CardDealt, t_ns: int) -> HandsVerdict:
        """A card goes to the hand whose turn it is."""
        side = self._hands.next(self._drawing)
        dealt = self._desk.cards.lay_open(seen, side, t_ns) if isinstance(side, str) else None
        if dealt is None or not isinstance(side, str):
            return HandsUnproven("card_unread", seen.detail)
        self._dealt.append(dealt)
        self._hands = self._hands.with_card(dealt.card, side)
        after = self._hands.next(self._drawing)
        self._desk.report.event(
            events.RoundProgress,
            t_ns,
            player_cards=list(self._hands.player),
            banker_cards=list(self._hands.banker),
            next_card=after if isinstance(after, str) else None,
        )
        if after is Undecided.NO_TEXT:
            points = total(self._hands.banker)
            return HandsUnproven("no_text", f"the text does not say whether a banker of {points} draws here")
        if after is Undecided.COMPLETE:
            rule = OURS if self._rules.left_open(self._hands) else ""
            return HandsDecided(result_of(self._hands), rule=rule)
        return None

    def evidence(self, detail: str = "") -> Evidence:
        """The cards of the round in the order of the deal."""
        return Evidence(cards=list(self._dealt) or None, detail=detail)

    def complete_words(self) -> str:
        """Both hands, with their totals."""
        hands = self._hands
        by = " by the house's table" if self._rules.left_open(hands) else ""
        return (
            f"when player {total(hands.player)} in {counted(len(hands.player), 'card')} and banker "
            f"{total(hands.banker)} in {counted(len(hands.banker), 'card')} were complete{by}"
        )


def result_of(hands: Hands) -> dict[str, Any]:
    """The result of two complete hands."""
    return {
        "player": {"cards": list(hands.player), "total": total(hands.player)},
        "banker": {"cards": list(hands.banker), "total": total(hands.banker)},
        "winner": hands.winner,
    }


def cards_in_order(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The cards of both hands in the order in which they were dealt."""
    player, banker = result["player"]["cards"], result["banker"]["cards"]
    return (player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:])
