"""The wagers of baccarat that win with two complete hands, and what is due on them, by the house's choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Meta

from controller.configuration.problems import ConfigFinding
from controller.games.baccarat.hands import NATURAL, total
from controller.games.baccarat.rules import BaccaratRules, Vigorish
from controller.games.base.options import RoundOptions
from feed.data import WinningBet

Commission: TypeAlias = Literal["standard", "on_ties", "bank_of_six", "covered", "dragon_7"]
"""What a house collects on wagers on the banker's hand, or does in its place."""
BonusTable: TypeAlias = Literal["none", "A", "B", "C"]
WORDS: Final = {4: "four", 5: "five", 6: "six"}
DRAGON_7: Final = 7


class WagerOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the wagers of baccarat under `[game]`."""

    vigorish: Annotated[
        Commission,
        Meta(
            description="the commission: standard, that of the text; in casinos (13:69F) also on_ties (mini-baccarat), "
            "and without one bank_of_six (a banker that wins with six pays 1 to 2), covered (by the wagers on the "
            "number of cards) and dragon_7 (a banker that wins with seven in three cards is a push)"
        ),
    ] = "standard"
    vigorish_percent: Annotated[
        int, Meta(ge=1, le=25, description="in casinos (13:69F), the percent of the standard commission: 4 or 5")
    ] = 5
    total_card_wagers: Annotated[
        bool, Meta(description="in casinos (13:69F), whether wagers on the number of cards of both hands are taken")
    ] = False
    bonus_paytable: Annotated[
        BonusTable,
        Meta(description="in casinos (13:69F), the schedule of the optional bonus wagers; none: they are not taken"),
    ] = "none"


class _Hand(NamedTuple):
    """One hand of a result."""

    cards: list[str]
    total: int

    @property
    def natural(self) -> bool:
        """Whether its first two cards count eight or nine."""
        return total(self.cards[:2]) in NATURAL


class Wagers:
    """The wagers of one table."""

    def __init__(self, rules: BaccaratRules, options: WagerOptions) -> None:
        self._rules = rules
        self._options = options
        self._paytable = next((one for one in rules.paytables if one.name == options.bonus_paytable), None)

    def winning(self, result: Mapping[str, Any]) -> list[WinningBet]:
        """The bets that win. On a tie, wagers on either hand neither win nor lose (ours)."""
        player, banker = _hands(result)
        return [
            *self._on_hands(result["winner"], banker),
            *self._on_cards(len(player.cards) + len(banker.cards)),
            *self._bonus(result["winner"], player, banker),
        ]

    def notices(self, result: Mapping[str, Any]) -> list[str]:
        """What is due with it, for the people at the table."""
        rules, winner, banker = self._rules, result["winner"], _hands(result)[1]
        if rules.commission_on_all is not None:
            commission = rules.commission_on_all
            return [f"a commission of {commission.value} percent is due on every winning wager ({commission.cite})"]
        vigorish, choice = rules.vigorish, self._options.vigorish
        if vigorish is None:
            return []
        if choice == "on_ties" and winner == "tie" and vigorish.on_ties is not None:
            of, cite = vigorish.on_ties.value, vigorish.on_ties.cite
            return [f"a vigorish of {of} percent of each wager on the banker's hand is due ({cite})"]
        if choice == "dragon_7" and _is_dragon_7(winner, banker):
            return [f"a wager on the banker's hand is a push: a dragon 7 hand ({vigorish.dragon_7_push.cite})"]
        if winner == "banker" and choice == "standard":
            of, cite = self._options.vigorish_percent, vigorish.percents.cite
            return [f"a vigorish of {of} percent of the amount won is due on the banker's hand ({cite})"]
        return []

    def _on_hands(self, winner: str, banker: _Hand) -> list[WinningBet]:
        rules, choice, vigorish = self._rules, self._options.vigorish, self._rules.vigorish
        if winner == "tie":
            return [WinningBet("tie", rules.tie.value.in_words())]
        if winner == "player":
            return [WinningBet("player", rules.player_wins.value.in_words())]
        if choice == "dragon_7" and vigorish is not None and _is_dragon_7(winner, banker):
            return [WinningBet("dragon 7", vigorish.dragon_7.value.in_words())]
        odds = rules.banker_wins
        if choice == "bank_of_six" and vigorish is not None and banker.total == 6:
            odds = vigorish.bank_of_six
        return [WinningBet("banker", odds.value.in_words())]

    def _on_cards(self, cards: int) -> list[WinningBet]:
        if not self._options.total_card_wagers:
            return []
        return [
            WinningBet(f"{WORDS[cards]} cards", one.odds.value.in_words())
            for one in self._rules.total_cards
            if one.cards == cards
        ]

    def _bonus(self, winner: str, player: _Hand, banker: _Hand) -> list[WinningBet]:
        if self._paytable is None or winner == "tie":
            return []
        won = player if winner == "player" else banker
        if won.natural:
            return [WinningBet(f"{winner} bonus", self._paytable.natural.in_words())]
        by = abs(player.total - banker.total)
        return [
            WinningBet(f"{winner} bonus", margin.odds.in_words())
            for margin in self._paytable.margins
            if margin.by == by
        ]


def wrong_wagers(rules: BaccaratRules, options: WagerOptions, profile: str) -> list[ConfigFinding]:
    """What of the house's choices the text does not have, or not together."""
    vigorish, found = rules.vigorish, list[ConfigFinding]()

    def wrong(key: str, what: str, fix: str) -> None:
        found.append(ConfigFinding(("game", key), what, fix))

    if vigorish is None:
        for key, value in (
            ("vigorish", options.vigorish != "standard"),
            ("vigorish_percent", options.vigorish_percent != 5),
            ("total_card_wagers", options.total_card_wagers),
            ("bonus_paytable", options.bonus_paytable != "none"),
        ):
            if value:
                wrong(key, f"{profile} has no such wager or commission", 'remove it, or write rules = "njac-13:69F"')
        return found
    percents = vigorish.percents
    if options.vigorish_percent not in percents.value:
        wrong("vigorish_percent", f"{percents.cite} has 4 or 5 percent", "write one of them")
    if options.vigorish == "on_ties" and vigorish.on_ties is None:
        wrong("vigorish", f"{rules.section} has no commission on ties", "it is for mini_baccarat; choose another")
    if options.vigorish == "covered" and not options.total_card_wagers:
        cite = vigorish.covered.cite
        wrong("vigorish", f"covered needs the wagers that cover it ({cite})", "write total_card_wagers = true")
    found += _beside_dragon_7(vigorish, options)
    return found


def _beside_dragon_7(vigorish: Vigorish, options: WagerOptions) -> list[ConfigFinding]:
    if options.vigorish != "dragon_7":
        return []
    what = f"is not offered beside the dragon 7 wager ({vigorish.dragon_7_alone.cite})"
    beside = (("total_card_wagers", options.total_card_wagers), ("bonus_paytable", options.bonus_paytable != "none"))
    return [ConfigFinding(("game", key), what, "remove it, or choose another vigorish") for key, on in beside if on]


def _is_dragon_7(winner: str, banker: _Hand) -> bool:
    return winner == "banker" and len(banker.cards) == 3 and banker.total == DRAGON_7


def _hands(result: Mapping[str, Any]) -> tuple[_Hand, _Hand]:
    player, banker = result["player"], result["banker"]
    return _Hand(player["cards"], player["total"]), _Hand(banker["cards"], banker["total"])
