"""What a roll decides at craps, and who shoots next.

`Craps` is a function of the state before and what happened: it owns no clock, no device and no memory. A call of
"No Roll" changes nothing but the count of invalid rolls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from controller.games.craps.rules import CrapsRules
from controller.games.craps.wagers import LOSER, POINTS
from controller.games.dice.rules import Dice

# Where a game of craps is between two rolls: a value that can be journalled and read back.
#
#                  ┌──── natural, craps ────┐
#                  ▼                        │
# opening ──► COME_OUT ──── 4 5 6 8 9 10 ──► POINT ──── any other total ──┐
#                  ▲                        │  ▲                          │
#                  ├──── the point: pass ───┤  └──────────────────────────┘
#                  ├──── seven out ─────────┘
#                  │
#                  └◄──► COME_ONLY: nobody has a line wager, and the shooter rolls for the come wagers that are left

CrapsPhase: TypeAlias = Literal["come_out", "point", "come_only"]


class Puck(NamedTuple):
    """The On/Off marker."""

    on: bool
    point: int | None
    """The number that it is on."""
    on_dont_pass: bool = False
    """Off, on the Don't Pass Line in front of the shooter: 19:47-1.11(b)."""


class FireSeries(Struct, frozen=True, forbid_unknown_fields=True):
    """The different points made since the first come out roll of one shooter: what a fire bet made then is paid for."""

    shooter: int
    points: tuple[int, ...] = ()
    """In the order in which they were made."""

    @property
    def markers(self) -> dict[int, int]:
        """The fire bet point markers: by point, the number inscribed, 19:47-1.12(a)4."""
        return {point: number for number, point in enumerate(self.points, 1)}


class CrapsState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the game is before a roll."""

    phase: CrapsPhase = "come_out"
    point: int | None = None
    """The come out point, in the phase `point` only."""
    come_points: tuple[int, ...] = ()
    """The numbers on which a come or don't come wager can be, ascending."""
    shooter: int = 1
    """How many shooters there were, this one included."""
    dice_offered: bool = True
    """The dice are being offered: this shooter has not thrown yet."""
    shooter_came_out: bool = False
    """This shooter has thrown a come out roll: no fire bet can be made on him or her any more."""
    invalid_rolls: int = 0
    """Of this shooter."""
    dice_change_asked: bool = False
    fire: tuple[FireSeries, ...] = ()
    """The fire bets that are pending, the oldest first; empty where none are offered."""

    def __post_init__(self) -> None:
        if not (self.point in POINTS if self.phase == "point" else self.point is None):
            raise ValueError(f"phase {self.phase!r} with the point {self.point}: expected a point in that phase only")
        if list(self.come_points) != sorted(set(self.come_points) & set(POINTS)):
            raise ValueError(f"come points {list(self.come_points)}: expected points, ascending, each once")

    @property
    def coming_out(self) -> bool:
        """Whether the wagers are off that are inactive on a come out roll.

        While a shooter rolls for come wagers only, the marker shows Off, and so they are (ours).
        """
        return self.phase != "point"

    @property
    def puck(self) -> Puck:
        """Where the On/Off marker is."""
        return Puck(self.phase == "point", self.point, on_dont_pass=self.phase == "come_only")


RollDecision: TypeAlias = Literal["natural", "craps", "point_set", "pass", "seven_out", "none"]
"""What a roll was for pass and don't pass: `pass` is the point made, `seven_out` the loser 7. With `point_set` and
`none` they are not decided yet.
"""


class Rolled(NamedTuple):
    """What a valid roll came to."""

    state: CrapsState
    """Where the game is now."""
    dice: Dice
    total: int
    decision: RollDecision
    shooter_passes: bool = False
    """The shooter must pass the dice; the state counts the next shooter already."""
    change_dice: bool = False
    """The dice are changed now, as a player asked."""
    notify_surveillance: bool = False
    """A pending fire bet has its fourth different point with this roll."""
    fire_settled: tuple[FireSeries, ...] = ()
    """The fire bets that are collected or paid now."""


class Craps:
    """The course of the game by one text."""

    def __init__(self, rules: CrapsRules, *, fire: bool = False) -> None:
        """`fire`: the table offers the fire bet.

        Raises:
            ValueError: the rules do not permit it.
        """
        bet = rules.wagers.fire_bet
        if fire and (bet is None or not bet.permitted.value):
            why = (
                f"{rules.section} does not know it" if bet is None else f"{bet.permitted.cite} permits it at craps only"
            )
            raise ValueError(f"the fire bet cannot be offered: {why}")
        self.rules = rules
        self._fire = bet if fire else None

    # --- what the dice do ----------------------------------------------------------------------------------------

    def roll(self, state: CrapsState, dice: Sequence[int]) -> Rolled:
        """What a valid roll decides.

        Raises:
            ValueError: these are not two dice.
        """
        thrown = self.rules.checked(dice)
        total = sum(thrown)
        before = self._shot(state)
        decision = self._decision(before, total)
        after = replace(before, come_points=self._come_points(before, total))
        if before.phase == "come_only":
            # Once the remaining come wagers have been decided, the game continues with a come out roll, 1.11(b).
            return Rolled(after if after.come_points else replace(after, phase="come_out"), thrown, total, decision)
        rolled = Rolled(after, thrown, total, decision)
        if decision == "point_set":
            return rolled._replace(state=replace(after, phase="point", point=total))
        if decision == "none":
            return rolled
        after = replace(after, phase="come_out", point=None, dice_change_asked=False)
        rolled = rolled._replace(change_dice=before.dice_change_asked)
        if decision == "pass":
            fire, fourth = self._point_made(after, total)
            return rolled._replace(state=replace(after, fire=fire), notify_surveillance=fourth)
        if decision == "seven_out":
            next_shooter = self._next_shooter(replace(after, fire=()))
            return rolled._replace(state=next_shooter, shooter_passes=True, fire_settled=before.fire)
        return rolled._replace(state=after)

    def no_roll(self, state: CrapsState) -> CrapsState:
        """An invalid roll: it decides nothing."""
        return replace(state, dice_offered=False, invalid_rolls=state.invalid_rolls + 1)

    # --- what people do ------------------------------------------------------------------------------------------

    def pass_dice(self, state: CrapsState, *, ordered: bool = False) -> CrapsState:
        """The shooter passes the dice, by choice or because it was `ordered`.

        Raises:
            ValueError: nobody has the dice, or the text allows the choice only after a decision.
        """
        if state.dice_offered:
            raise ValueError(f"shooter {state.shooter} has not thrown yet: the dice are still being offered")
        choice = self.rules.voluntary_pass
        if not ordered and choice.value == "after_a_decision" and state.phase == "point":
            raise ValueError(
                f"the point is {state.point}: the shooter may pass the dice after a decision ({choice.cite})"
            )
        return self._next_shooter(state)

    def ask_for_dice(self, state: CrapsState) -> CrapsState:
        """A player calls for a change of dice: it takes place immediately after the next decision."""
        return replace(state, dice_change_asked=True)

    def roll_for_come(self, state: CrapsState) -> CrapsState:
        """Nobody makes a line wager: the shooter rolls on for the come wagers that are left.

        Raises:
            ValueError: the text does not know it, or there is a point, or there can be no come wager.
        """
        allowed = self.rules.come_only
        if not allowed.value:
            raise ValueError(f"no roll without a pass or don't pass bet ({allowed.cite})")
        if state.phase != "come_out" or not state.come_points:
            points = ", ".join(map(str, state.come_points)) or "none"
            raise ValueError(f"phase {state.phase!r}, come wagers on {points}: expected a come out and come wagers")
        return replace(state, phase="come_only")

    def line_wager_made(self, state: CrapsState) -> CrapsState:
        """A player makes a pass or don't pass bet again: the next roll is a come out roll."""
        return replace(state, phase="come_out") if state.phase == "come_only" else state

    # --- helpers -------------------------------------------------------------------------------------------------

    def _shot(self, state: CrapsState) -> CrapsState:
        """The shooter has thrown. With the first come out roll, fire bets on this shooter are closed."""
        if state.phase != "come_out" or state.shooter_came_out:
            return replace(state, dice_offered=False)
        fire = (*state.fire, FireSeries(state.shooter)) if self._fire is not None else ()
        return replace(state, dice_offered=False, shooter_came_out=True, fire=fire)

    def _decision(self, state: CrapsState, total: int) -> RollDecision:
        if state.phase == "come_only":
            return "none"
        if state.phase == "come_out":
            if total in self.rules.naturals.value:
                return "natural"
            return "craps" if total in self.rules.craps.value else "point_set"
        if total == state.point:
            return "pass"
        return "seven_out" if total == LOSER else "none"

    def _come_points(self, state: CrapsState, total: int) -> tuple[int, ...]:
        """The numbers on which come wagers can be after this roll.

        A seven decides all of them. A number that is thrown decides those on it; and where there was a point, wagers
        made before this roll move to it.
        """
        if total == LOSER:
            return ()
        points = set(state.come_points) - {total}
        if state.phase == "point" and total in self.rules.points.value:
            points.add(total)
        return tuple(sorted(points))

    def _point_made(self, state: CrapsState, point: int) -> tuple[tuple[FireSeries, ...], bool]:
        """The pending fire bets with this point, and whether it is the fourth of one of them."""
        if self._fire is None:
            return state.fire, False
        fire, fourth = [], False
        for series in state.fire:
            counts = self._fire.carries_over.value or series.shooter == state.shooter
            if counts and point not in series.points:
                series = FireSeries(series.shooter, (*series.points, point))
                fourth = fourth or len(series.points) == self._fire.surveillance_at.value
            fire.append(series)
        return tuple(fire), fourth

    def _next_shooter(self, state: CrapsState) -> CrapsState:
        """The dice are offered to the next player; the complete set is offered, so a change of dice is done."""
        return replace(
            state,
            shooter=state.shooter + 1,
            dice_offered=True,
            shooter_came_out=False,
            invalid_rolls=0,
            dice_change_asked=False,
        )
