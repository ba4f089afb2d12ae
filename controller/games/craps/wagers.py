"""The permissible wagers of craps, as a text lists them: what each wins on, and what it pays."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from controller.games.dice.rules import Dice
from controller.rules.cited import Cite, Cited, Odds

POINTS: Final = (4, 5, 6, 8, 9, 10)
"""The totals that a come out roll makes the point."""
LOSER: Final = 7
"""The total that loses once there is a point: the loser 7."""

BUY: Final = "buy"
LAY: Final = "lay"
OffKind: TypeAlias = Literal["place to win", "place to lose", "buy", "lay", "come odds", "hardways"]
"""The kinds of wager that a text may make inactive on a come out roll."""

RollTotal: TypeAlias = Annotated[int, Meta(ge=2, le=12)]
Face: TypeAlias = Annotated[int, Meta(ge=1, le=6)]


class PointOdds(Struct, frozen=True, forbid_unknown_fields=True):
    """Odds for each of the six points."""

    four: Odds
    five: Odds
    six: Odds
    eight: Odds
    nine: Odds
    ten: Odds

    def at(self, point: int) -> Odds:
        """The odds for one point.

        Raises:
            KeyError: it is not a point.
        """
        by_point = dict(zip(POINTS, (self.four, self.five, self.six, self.eight, self.nine, self.ten), strict=True))
        return by_point[point]


class LineWager(Struct, frozen=True, forbid_unknown_fields=True):
    """Pass, don't pass, come or don't come."""

    cite: Cite
    odds: Cited[Odds]


class PointWager(Struct, frozen=True, forbid_unknown_fields=True):
    """A wager for or against each of the points."""

    cite: Cite
    odds: Cited[PointOdds]
    most_charged_percent: Cited[int] | None = None
    """Of the amount wagered, for true odds; None where nothing may be charged."""


class Supplemental(Struct, frozen=True, forbid_unknown_fields=True):
    """The odds taken and laid behind a line wager once its point is known."""

    cite: Cite
    taken: Cited[PointOdds]
    """Behind pass and come."""
    laid: Cited[PointOdds]
    """Behind don't pass and don't come."""


class Hardway(Struct, frozen=True, forbid_unknown_fields=True):
    """A total thrown with two equal dice before it is thrown otherwise, and before a seven."""

    bet: str
    cite: Cite
    total: RollTotal
    odds: Cited[Odds]


class Pay(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of what a one roll wager pays on: totals, or one combination."""

    odds: Cited[Odds]
    totals: tuple[RollTotal, ...] = ()
    hard: bool | None = None
    """With totals: only with two equal dice, or only without; None for either way."""
    dice: tuple[Face, Face] | None = None

    def on(self, dice: Dice) -> bool:
        """Whether this roll is one of them."""
        if self.dice is not None:
            return sorted(dice) == sorted(self.dice)
        hard = dice[0] == dice[1]
        return sum(dice) in self.totals and self.hard in (None, hard)


class OneRoll(Struct, frozen=True, forbid_unknown_fields=True):
    """A wager that the next roll decides."""

    bet: str
    cite: Cite
    pays: tuple[Pay, ...]
    optional: bool = False
    """Offered at the house's election."""

    def pay(self, dice: Dice) -> Odds | None:
        """What it pays on this roll; None where it loses."""
        return next((pay.odds.value for pay in self.pays if pay.on(dice)), None)


class Combined(Struct, frozen=True, forbid_unknown_fields=True):
    """A wager that is paid as if it were several one roll wagers, one unit on each."""

    bet: str
    cite: Cite
    parts: Cited[tuple[str, ...]]
    """The names of those wagers."""
    extra: Cited[tuple[str, ...]] | None = None
    """Where one unit more is placed on one of these, at the player's choice."""


class FireOdds(Struct, frozen=True, forbid_unknown_fields=True):
    """One pay table of the fire bet: odds for four, five and six different points made."""

    four: Odds
    five: Odds
    six: Odds

    def at(self, points: int) -> Odds | None:
        """The odds for this number of different points; None where that is too few."""
        return {4: self.four, 5: self.five, 6: self.six}.get(points)


FireTable: TypeAlias = Literal["A", "B"]


class FireBet(Struct, frozen=True, forbid_unknown_fields=True):
    """The fire bet: different points made before a loser seven."""

    cite: Cite
    permitted: Cited[bool]
    least_points: Cited[int]
    tables: Cited[dict[FireTable, FireOdds]]
    surveillance_at: Cited[int]
    """Different points made at which the surveillance department is notified."""
    least_dollars: Cited[int]
    most_dollars: Cited[int]
    step_dollars: Cited[int]
    carries_over: Cited[bool]
    """Whether points that a successor makes count for a bet made on the shooter before."""


class CrapsWagers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The permissible wagers of one text."""

    pass_bet: LineWager
    dont_pass: LineWager
    come: LineWager
    dont_come: LineWager
    place_to_win: PointWager
    place_to_lose: PointWager
    buy: PointWager
    lay: PointWager
    supplemental: Supplemental | None = None
    hardways: tuple[Hardway, ...]
    one_roll: tuple[OneRoll, ...]
    combined: tuple[Combined, ...]
    off_on_come_out: Cited[tuple[OffKind, ...]]
    """Wagers that are inactive on any come out roll unless a player calls them "On"."""
    fire_bet: FireBet | None = None
