"""Which wagers of a craps layout win on a roll, by where the game is before it.

Wagers that can be on several numbers are named with theirs: `come 6` is a come wager whose come point is 6. One that
pays as if it were several is named with the part that wins: `horn: craps twelve`, at the odds of that part. What is
inactive on a come out roll unless the player called it "On" is listed there with `if on`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache

from controller.games.craps.decision import CrapsState
from controller.games.craps.rules import CrapsRules
from controller.games.craps.wagers import BUY, LAY, LOSER, POINTS, FireOdds, FireTable, OffKind
from controller.games.dice.rules import Dice
from controller.rules.cited import Odds
from feed.data import WinningBet


class CrapsLayout:
    """The wagers of a table, by the rules that it plays by and what the house offers."""

    def __init__(
        self, rules: CrapsRules, *, optional: Collection[str] = (), fire_table: FireTable | None = None
    ) -> None:
        """`optional` names wagers that the house elects to offer; `fire_table` is the pay table of its fire bet.

        Raises:
            ValueError: the rules do not know one of them, or do not permit the fire bet.
        """
        self.rules = rules
        wagers = rules.wagers
        elective = (BUY, LAY, *(wager.bet for wager in wagers.one_roll if wager.optional))
        for name in optional:
            if name not in elective:
                raise ValueError(f"optional wager {name!r}: {rules.section} has {', '.join(elective)}")
        self.optional = frozenset(optional)
        self._one_roll = tuple(w for w in wagers.one_roll if not w.optional or w.bet in self.optional)
        self._by_name = {wager.bet: wager for wager in self._one_roll}
        self._next_roll = cache(self._decided_by)
        self._fire = self._fire_odds(fire_table)
        self._off = frozenset(wagers.off_on_come_out.value)

    def winning(self, state: CrapsState, dice: Sequence[int]) -> tuple[WinningBet, ...]:
        """Every wager that wins on this roll, in the order of the text, with its odds.

        Raises:
            ValueError: these are not two dice.
        """
        thrown = self.rules.checked(dice)
        return tuple(WinningBet(bet, odds.in_words()) for bet, odds in self._winners(state, thrown))

    def returned(self, state: CrapsState, dice: Sequence[int]) -> tuple[str, ...]:
        """The wagers that this roll makes void: they go back to the players, neither won nor lost.

        Raises:
            ValueError: these are not two dice.
        """
        if sum(self.rules.checked(dice)) != self.rules.barred.value or state.phase == "come_only":
            return ()
        return ("don't pass",) if state.phase == "come_out" else ("don't come",)

    def _winners(self, state: CrapsState, dice: Dice) -> Iterator[tuple[str, Odds]]:
        total = sum(dice)
        yield from self._lines(state, total)
        yield from self._come_points(state, total)
        yield from self._points(state, total)
        yield from self._hardways(state, dice)
        yield from self._next_roll(dice)
        if state.phase == "point" and total == LOSER:
            yield from self._fire_bets(state)

    def _lines(self, state: CrapsState, total: int) -> Iterator[tuple[str, Odds]]:
        """Pass and don't pass; come and don't come that were made since the last roll."""
        wagers = self.rules.wagers
        natural, lost = total in self.rules.naturals.value, total in self.rules.craps.value
        against = lost and total != self.rules.barred.value
        if state.phase == "come_out":
            if natural:
                yield "pass", wagers.pass_bet.odds.value
            if against:
                yield "don't pass", wagers.dont_pass.odds.value
        elif state.point is not None:
            if total == state.point:
                yield "pass", wagers.pass_bet.odds.value
                yield from self._odds_taken("pass odds", total)
            if total == LOSER:
                yield "don't pass", wagers.dont_pass.odds.value
                yield from self._odds_laid("don't pass odds", state.point)
            if natural:
                yield "come", wagers.come.odds.value
            if against:
                yield "don't come", wagers.dont_come.odds.value

    def _come_points(self, state: CrapsState, total: int) -> Iterator[tuple[str, Odds]]:
        """Come and don't come that are on a number."""
        wagers = self.rules.wagers
        for point in state.come_points:
            if total == point:
                yield f"come {point}", wagers.come.odds.value
                for name, odds in self._odds_taken(f"come odds {point}", point):
                    yield self._named(state, "come odds", name), odds
            elif total == LOSER:
                yield f"don't come {point}", wagers.dont_come.odds.value
                yield from self._odds_laid(f"don't come odds {point}", point)

    def _points(self, state: CrapsState, total: int) -> Iterator[tuple[str, Odds]]:
        """Place, buy and lay."""
        wagers = self.rules.wagers
        if total in POINTS:
            yield self._named(state, "place to win", f"place {total} to win"), wagers.place_to_win.odds.value.at(total)
            if BUY in self.optional:
                yield self._named(state, BUY, f"buy {total}"), wagers.buy.odds.value.at(total)
        elif total == LOSER:
            for point in POINTS:
                odds = wagers.place_to_lose.odds.value.at(point)
                yield self._named(state, "place to lose", f"place {point} to lose"), odds
            if LAY in self.optional:
                for point in POINTS:
                    yield self._named(state, LAY, f"lay {point}"), wagers.lay.odds.value.at(point)

    def _hardways(self, state: CrapsState, dice: Dice) -> Iterator[tuple[str, Odds]]:
        for way in self.rules.wagers.hardways:
            if dice[0] == dice[1] and sum(dice) == way.total:
                yield self._named(state, "hardways", way.bet), way.odds.value

    def _decided_by(self, dice: Dice) -> tuple[tuple[str, Odds], ...]:
        """The wagers that every roll decides, whatever the state."""
        offered = [(wager.bet, wager) for wager in self._one_roll]
        for combined in self.rules.wagers.combined:
            offered += [(f"{combined.bet}: {part}", self._by_name[part]) for part in combined.parts.value]
        return tuple((bet, odds) for bet, wager in offered if (odds := wager.pay(dice)) is not None)

    def _fire_bets(self, state: CrapsState) -> Iterator[tuple[str, Odds]]:
        """The fire bets, which a loser 7 settles."""
        for series in state.fire:
            odds = self._fire.at(len(series.points)) if self._fire is not None else None
            if odds is not None:
                whose = "fire bet" if series.shooter == state.shooter else f"fire bet on shooter {series.shooter}"
                yield f"{whose}, {len(series.points)} points", odds

    def _odds_taken(self, name: str, point: int) -> Iterator[tuple[str, Odds]]:
        behind = self.rules.wagers.supplemental
        if behind is not None:
            yield name, behind.taken.value.at(point)

    def _odds_laid(self, name: str, point: int) -> Iterator[tuple[str, Odds]]:
        behind = self.rules.wagers.supplemental
        if behind is not None:
            yield name, behind.laid.value.at(point)

    def _named(self, state: CrapsState, kind: OffKind, name: str) -> str:
        """The wager's name, with `if on` where it is inactive."""
        return f"{name}, if on" if kind in self._off and state.coming_out else name

    def _fire_odds(self, table: FireTable | None) -> FireOdds | None:
        if table is None:
            return None
        bet = self.rules.wagers.fire_bet
        if bet is None or not bet.permitted.value:
            raise ValueError(f"the fire bet cannot be offered: {self.rules.section} does not permit it")
        return bet.tables.value[table]
