"""What a text says of baccarat: its cards, when a hand draws, and what wins."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from controller.games.baccarat.hands import DrawingRules, Winner
from controller.games.cards.procedure import CardProcedure
from controller.rules.cited import Cite, Cited, Inspection, NoMoreBetsRule, Odds, Reason
from feed.data import WinningBet

Total: TypeAlias = Annotated[int, Meta(ge=0, le=9)]
Totals: TypeAlias = tuple[Total, ...]


class TableRow(Struct, frozen=True, forbid_unknown_fields=True):
    """For one total of the bank, the player's third cards at which it draws."""

    total: Total
    draws_on: Totals
    cite: Cite


class BaccaratRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of baccarat or mini-baccarat. The fields carry their citations."""

    section: str
    decks: Cited[int]
    """The least number of decks."""
    cutting_cards: Cited[int]
    initial: Cited[str]
    player_draws: Cited[Totals]
    banker_draws_after_stand: Cited[Totals]
    banker_draws: Cited[Totals]
    banker_stands: Cited[Totals]
    third_cards: tuple[TableRow, ...]
    """When the bank of each other total draws after the player has drawn."""
    result_read: Cited[str]
    settlement: Cited[str]
    even_money: Cited[Odds]
    tie: Cited[Odds]
    commission_on_all: Cited[int]
    """A commission on every winning wager, in percent."""
    operator_classes: Cited[tuple[str, ...]]
    supervisor_classes: Cited[tuple[str, ...]]
    no_more_bets: NoMoreBetsRule
    inspection: Inspection
    reasons: dict[str, Reason]
    procedure: CardProcedure
    silent_on: tuple[str, ...]

    def drawing(self, *, table: bool) -> DrawingRules:
        """When each hand draws; `table` is whether our table fills what the text leaves open."""
        by_third = {row.total: frozenset(row.draws_on) for row in self.third_cards}
        return DrawingRules(
            player=frozenset(self.player_draws.value),
            banker_after_stand=frozenset(self.banker_draws_after_stand.value),
            banker=frozenset(self.banker_draws.value),
            banker_by_third=by_third if table else None,
            banker_stands=frozenset(self.banker_stands.value),
        )

    def winning(self, winner: Winner) -> list[WinningBet]:
        """The bet that wins, and its odds. On a tie, wagers on either hand neither win nor lose (ours)."""
        odds = self.tie if winner == "tie" else self.even_money
        return [WinningBet(winner, odds.value.in_words())]
