"""What a text says of baccarat: its cards, when a hand draws, what wins, and what is due on it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from controller.games.baccarat.hands import INITIAL, DrawingRules, Hands, total
from controller.games.cards.rules import CardRules
from controller.rules.cited import Cite, Cited, Odds

Total: TypeAlias = Annotated[int, Meta(ge=0, le=9)]
Totals: TypeAlias = tuple[Total, ...]


class TableRow(Struct, frozen=True, forbid_unknown_fields=True):
    """For one total of the banker, the player's third cards at which it draws."""

    total: Total
    draws_on: Totals
    cite: Cite


class TotalCards(Struct, frozen=True, forbid_unknown_fields=True):
    """What a wager on the number of cards that both hands have together pays."""

    cards: Annotated[int, Meta(ge=4, le=6)]
    odds: Cited[Odds]


class Margin(Struct, frozen=True, forbid_unknown_fields=True):
    """What an optional bonus wager pays where its hand wins by this many points."""

    by: Annotated[int, Meta(ge=1, le=9)]
    odds: Odds


class Paytable(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the schedules by which an optional bonus wager is paid."""

    name: str
    cite: Cite
    natural: Odds
    """Where its hand wins with a natural."""
    margins: tuple[Margin, ...]
    """Where it wins without one."""


class Vigorish(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The commission on a winning wager on the banker's hand, and what a house may do in its place."""

    percents: Cited[tuple[int, ...]]
    """The percents of which a house chooses one."""
    on_ties: Cited[int] | None = None
    """In its place, the percent of a wager on the banker's hand where the hands are equal; None: no text has it."""
    bank_of_six: Cited[Odds]
    """In its place, what a banker that wins with six pays."""
    covered: Cited[str]
    """None, from a player whose wagers on the number of cards are as great."""
    dragon_7_push: Cited[str]
    """In its place, a banker that wins with seven in three cards neither wins nor loses."""
    dragon_7: Cited[Odds]
    """What a wager on such a hand pays."""
    dragon_7_alone: Cited[str]
    """The wagers that are not offered beside it."""


class BaccaratRules(CardRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of baccarat or mini-baccarat. The fields carry their citations."""

    initial: Cited[str]
    player_draws: Cited[Totals]
    banker_draws_after_stand: Cited[Totals]
    banker_draws: Cited[Totals]
    banker_stands: Cited[Totals]
    third_cards: tuple[TableRow, ...]
    """When the banker of each other total draws after the player has drawn."""
    house_table: Cited[str]
    """What of the drawing rules no text gives: the table states it."""
    player_wins: Cited[Odds]
    banker_wins: Cited[Odds]
    tie: Cited[Odds]
    commission_on_all: Cited[int] | None = None
    """A commission on every winning wager, in percent."""
    vigorish: Vigorish | None = None
    """A commission on the banker's wagers alone."""
    total_cards: tuple[TotalCards, ...] = ()
    paytables: tuple[Paytable, ...] = ()

    @property
    def draws_by_text(self) -> bool:
        """Whether the text says when a hand draws, at least in part."""
        return not self.player_draws.ours

    def drawing(self, *, table: bool) -> DrawingRules:
        """When each hand draws; `table` is whether our table fills what the text leaves open."""
        by_third = {row.total: frozenset(row.draws_on) for row in self.third_cards}
        return DrawingRules(
            player=frozenset(self.player_draws.value),
            banker_after_stand=frozenset(self.banker_draws_after_stand.value),
            banker=frozenset(self.banker_draws.value),
            banker_by_third=by_third if table else None,
            banker_stands=frozenset(self.banker_stands.value if table or not self.banker_stands.ours else ()),
        )

    @property
    def drawing_cites(self) -> str:
        """Where the text says when a hand draws."""
        rules = (self.initial, self.player_draws, self.banker_draws_after_stand, self.banker_draws)
        return ", ".join(rule.cite for rule in rules)

    def left_open(self, hands: Hands) -> str:
        """What of the deal of two complete hands no text decides, in words; empty where the text decides all of it."""
        if not self.draws_by_text:
            return self.house_table.value
        banker = total(hands.banker[:2])
        if len(hands.player) == INITIAL // 2 or banker in self.banker_draws.value:
            return ""
        return f"{self.banker_draws.cite} is silent on a banker of {banker} after the player drew"
