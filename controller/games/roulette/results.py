"""The options of a roulette table, and the result of a pocket: its colour, winning bets and notice."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.roulette.layout import RouletteLayout
from controller.games.roulette.rules import AMERICAN_AS_SINGLE_ZERO, RouletteRules
from controller.rules.cited import HOUSE_RULE, Reason
from feed import events

ZERO_UNUSED: Final = "double_zero_as_single_zero"
"""The reason of a ball in 00 of a wheel that is used as a single-zero wheel."""


class RouletteOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a roulette table's rounds under `[game]`."""

    zero_rule: Annotated[
        Literal["half", "all"],
        Meta(
            description="what even-money wagers lose on 0 and 00 of a double-zero wheel; the operator's choice, posted"
        ),
    ] = "all"
    seven_numbers: Annotated[bool, Meta(description="whether the table offers the seven-number wager")] = False
    call_lap_s: Annotated[
        float, Meta(gt=0.3, le=3, description='without a button, "No more bets" is called at this lap time (ours)')
    ] = 1.43
    read_turns: Annotated[
        int, Meta(ge=2, le=10, description="rotor turns in a row that must name the same pocket (ours)")
    ] = 3
    give_up_turns: Annotated[
        float, Meta(ge=1, le=30, description="rotor turns after the drop in which the number must be read (ours)")
    ] = 6
    give_up_s: Annotated[float, Meta(ge=1, le=120, description="and at least this long after the drop (ours)")] = 20.0
    trust_wheel: Annotated[
        bool,
        Meta(
            description="an automatic wheel never states the ball's revolutions: take its number all the same, because "
            "its certificate says that it counts them"
        ),
    ] = False


class RouletteResults:
    """Turns pockets into results."""

    def __init__(self, rules: RouletteRules, options: RouletteOptions, wheel: str, order: tuple[str, ...]) -> None:
        self._rules = rules
        self._options = options
        self._wheel = wheel
        self._order = order
        self._layout = RouletteLayout(rules, wheel, seven_numbers=options.seven_numbers)

    def has(self, pocket: str) -> bool:
        """Whether the wheel has the pocket."""
        return pocket in self._order

    @property
    def reasons(self) -> dict[str, Reason]:
        """Why a round can be void, without what only a double-zero wheel used as single-zero has (20.32(i)2)."""
        kept = {**self._rules.reasons}
        if not self.is_no_spin("00"):
            kept.pop(ZERO_UNUSED, None)
        return kept

    def is_no_spin(self, pocket: str) -> bool:
        """Whether the pocket is "No spin" on this wheel: 00 where it is used as a single-zero wheel, 20.32(i)2."""
        return self._wheel == AMERICAN_AS_SINGLE_ZERO and pocket == "00"

    def pocket(self, index: int) -> str:
        """The name of a pocket by its index in wheel order."""
        return self._order[index]

    def result(self, pocket: str) -> dict[str, Any]:
        """The result as the feed publishes it."""
        return {"pocket": pocket, "index": self._order.index(pocket), "color": self._rules.color(pocket)}

    def named(self, pocket: str) -> dict[str, Any]:
        """The result of a pocket that a person names.

        Raises:
            ValueError: the wheel has no such pocket, or it is "No spin".
        """
        if pocket not in self._order:
            raise ValueError(
                f"pocket {pocket!r} is not on this wheel; it has {' '.join(sorted(self._order, key=_place))}"
            )
        if self.is_no_spin(pocket):
            why = self._rules.reasons[ZERO_UNUSED]
            called = "no result" if why.call is None else f'"{why.call.value}"'
            void = f"the round is void, {ZERO_UNUSED}"
            raise ValueError(f"00 is {called} on this wheel ({why.rule}): {void}")
        return self.result(pocket)

    def pays(self, result: dict[str, Any]) -> tuple[list[events.WinningBet], list[str]]:
        """The bets that win with a result, and the notice that goes with it."""
        return self.winning(result["pocket"]), self.notices(result["pocket"])

    def winning(self, pocket: str) -> list[events.WinningBet]:
        """The bets that win on the pocket."""
        return [events.WinningBet(bet.bet, bet.odds) for bet in self._layout.winning(pocket)]

    def notices(self, pocket: str) -> list[str]:
        """The notice to players with this pocket: what the even-money wagers lose on a zero."""
        lost = self._layout.even_money_lost(pocket, self._options.zero_rule)
        if lost is None:
            return []
        return [f"even-money wagers lose {lost.value} ({HOUSE_RULE if lost.ours else lost.cite})"]


def _place(pocket: str) -> tuple[int, int]:
    """The sort key of pockets: zeros first, then the numbers in order."""
    return int(pocket), len(pocket)
