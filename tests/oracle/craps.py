"""A craps table on which players make every wager that the text lets them make, and each wager lives its own life.

The oracle has no puck and no phases. Before every roll the players make what may be made; then each wager looks at the
dice and says whether it is won, lost, void or stands. What the roll decided follows from what became of the pass bet,
and who shoots from that. Wagers of one roll are listed by the combinations that win them.

`NIGHT` is 13:47-20.25, `CASINO` is 19:47-1, `MINI` is the mini-craps of 19:47-1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Literal

Pair = tuple[int, int]
Winners = frozenset[tuple[str, str]]
Fate = Literal["won", "lost", "void", "stands"]

NUMBERS = (4, 5, 6, 8, 9, 10)
TRUE = {4: "2 to 1", 5: "3 to 2", 6: "6 to 5", 8: "6 to 5", 9: "3 to 2", 10: "2 to 1"}
LAID = {4: "1 to 2", 5: "2 to 3", 6: "5 to 6", 8: "5 to 6", 9: "2 to 3", 10: "1 to 2"}
PLACE = {4: "9 to 5", 5: "7 to 5", 6: "7 to 6", 8: "7 to 6", 9: "7 to 5", 10: "9 to 5"}
AGAINST = {4: "5 to 11", 5: "5 to 8", 6: "4 to 5", 8: "4 to 5", 9: "5 to 8", 10: "5 to 11"}
HARD = {"four": (2, "7 to 1"), "six": (3, "9 to 1"), "eight": (4, "9 to 1"), "ten": (5, "7 to 1")}
FIRE = {"A": {4: "24 to 1", 5: "249 to 1", 6: "999 to 1"}, "B": {4: "39 to 1", 5: "199 to 1", 6: "499 to 1"}}

SEVENS: tuple[Pair, ...] = ((1, 6), (2, 5), (3, 4))
ELEVEN: Pair = (5, 6)
TWO: Pair = (1, 1)
THREE: Pair = (1, 2)
TWELVE: Pair = (6, 6)
WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}

FIELD = {TWO: "2 to 1", TWELVE: "2 to 1", **dict.fromkeys(
    (THREE, (1, 3), (2, 2), (3, 6), (4, 5), (4, 6), (5, 5), ELEVEN), "1 to 1")}  # fmt: skip
ROLLS_OF_ONE: dict[str, dict[Pair, str]] = {
    "field": FIELD,
    "any seven": dict.fromkeys(SEVENS, "4 to 1"),
    "any craps": dict.fromkeys((TWO, THREE, TWELVE), "7 to 1"),
    "craps two": {TWO: "30 to 1"},
    "craps three": {THREE: "15 to 1"},
    "craps twelve": {TWELVE: "30 to 1"},
    "11 in one roll": {ELEVEN: "15 to 1"},
}
HORN = {"craps two", "craps three", "11 in one roll", "craps twelve"}
IN_PARTS = {"craps-eleven": {"any craps", "11 in one roll"}, "horn": HORN, "horn high": HORN}
HOPS = {(1, 3), (1, 4), (2, 3), (1, 5), (2, 4), (1, 6), (2, 5), (3, 4), (2, 6), (3, 5), (3, 6), (4, 5), (4, 6)}
SIX_SEVEN_EIGHT = {**dict.fromkeys(((1, 5), (2, 4), *SEVENS, (2, 6), (3, 5)), "1 to 1"),
                   (3, 3): "2 to 1", (4, 4): "2 to 1"}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """What one text lets players do."""

    off: frozenset[str]
    """What is off on a come out roll unless it is called on."""
    supplemental: bool
    hops: bool
    come_only: bool
    pass_any_time: bool


NIGHT = Text(frozenset({"place", "against", "buy", "lay"}), False, False, False, False)
CASINO = Text(frozenset({"place", "buy", "come odds", "hard"}), True, True, True, True)
MINI = CASINO


@cache
def next_roll(text: Text, optional: frozenset[str]) -> dict[Pair, Winners]:
    """What wins of the wagers that one roll decides, by the dice, the lower first."""
    wagers = dict(ROLLS_OF_ONE)
    parts = dict(IN_PARTS)
    if text.hops:
        for word, (value, _) in HARD.items():
            wagers[f"{word} the hardway on the hop"] = {(value, value): "30 to 1"}
        for low, high in HOPS:
            wagers[f"{WORDS[low]}-{WORDS[high]} on the hop"] = {(low, high): "15 to 1"}
        parts["whirl"] = HORN | {"any seven"}
    if "6-7-8" in optional:
        wagers["6-7-8"] = SIX_SEVEN_EIGHT
    found: dict[Pair, Winners] = {}
    for low in range(1, 7):
        for high in range(low, 7):
            won = {(name, pays[low, high]) for name, pays in wagers.items() if (low, high) in pays}
            for name, of in parts.items():
                won |= {(f"{name}: {part}", odds) for part, odds in won if part in of}
            found[low, high] = frozenset(won)
    return found


@dataclass
class Line:
    """A pass, don't pass, come or don't come bet."""

    right: bool
    """Pass and come; otherwise don't pass and don't come."""
    number: int | None = None

    def look(self, total: int) -> Fate:
        """What becomes of it with this total."""
        if self.number is None:
            if total == 12:
                return "lost" if self.right else "void"
            if total in (2, 3):
                return "lost" if self.right else "won"
            if total in (7, 11):
                return "won" if self.right else "lost"
            self.number = total
            return "stands"
        if total == self.number:
            return "won" if self.right else "lost"
        if total == 7:
            return "lost" if self.right else "won"
        return "stands"


@dataclass
class Fire:
    """A fire bet, and who was the shooter when it was made."""

    shooter: int
    made: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Seen:
    """What a roll came to."""

    won: Winners
    void: frozenset[str]
    decision: str
    shooter_passes: bool
    dice_changed: bool
    surveillance: bool


class Players:
    """The players of one table, and all their wagers."""

    def __init__(self, text: Text, optional: frozenset[str] = frozenset(), fire_table: str | None = None) -> None:
        self.text = text
        self.optional = optional
        self.fire_table = fire_table
        self.lines: list[Line] = []
        """Pass and don't pass."""
        self.come: list[Line] = []
        self.fire: list[Fire] = []
        self.shooter = 1
        self.thrown = False
        """Whether this shooter has thrown at all."""
        self.came_out = False
        self.line_wagers_refused = False
        self.change_asked = False
        self.next_roll = next_roll(text, optional)

    @property
    def number(self) -> int | None:
        """The number of the pass bet."""
        return self.lines[0].number if self.lines else None

    @property
    def come_numbers(self) -> tuple[int, ...]:
        """The numbers that come bets stand on."""
        return tuple(sorted(line.number for line in self.come if line.right and line.number is not None))

    # --- people --------------------------------------------------------------------------------------------------

    def may_pass(self) -> bool:
        """Whether the shooter may give up the dice by choice."""
        return self.thrown and (self.text.pass_any_time or self.number is None)

    def next_shooter(self) -> None:
        """Another player takes two dice of the whole set."""
        self.shooter += 1
        self.thrown = self.came_out = self.change_asked = False

    def may_refuse_line(self) -> bool:
        """Whether a shooter may roll for come wagers alone."""
        return self.text.come_only and self.number is None and bool(self.come) and not self.line_wagers_refused

    # --- the dice ------------------------------------------------------------------------------------------------

    def throw(self, dice: Pair) -> Seen:
        """A valid roll."""
        self.thrown = True
        total = dice[0] + dice[1]
        first = self.number is None
        """The line's first roll: a come out roll, or one for come wagers alone."""
        self._make(first)
        won: set[tuple[str, str]] = set()
        void: set[str] = set()
        decision = self._look_at_lines(total, first, won, void)
        self._look_at_come(total, first, won, void)
        self._look_at_numbers(dice, first, won)
        won |= self.next_roll[min(dice), max(dice)]
        surveillance = self._look_at_fire(total, decision, won)
        changed = decision in ("natural", "craps", "pass", "seven_out") and self.change_asked
        if changed:
            self.change_asked = False
        if decision == "seven_out":
            self.next_shooter()
        if not self.come:
            self.line_wagers_refused = False
        return Seen(frozenset(won), frozenset(void), decision, decision == "seven_out", changed, surveillance)

    def _make(self, first: bool) -> None:
        """The players make what they may make before this roll."""
        if not first:
            self.come += [Line(True), Line(False)]
        elif not self.line_wagers_refused:
            self.lines = [Line(True), Line(False)]
            if self.fire_table and not self.came_out:
                self.fire.append(Fire(self.shooter))
            self.came_out = True

    def _look_at_lines(self, total: int, first: bool, won: set[tuple[str, str]], void: set[str]) -> str:
        names = {True: "pass", False: "don't pass"}
        fates = {}
        for line in self.lines:
            number = line.number
            fates[line.right] = line.look(total)
            if fates[line.right] == "won":
                won.add((names[line.right], "1 to 1"))
                if number is not None and self.text.supplemental:
                    won.add((names[line.right] + " odds", TRUE[number] if line.right else LAID[number]))
            if fates[line.right] == "void":
                void.add(names[line.right])
        if not fates:
            return "none"
        if fates[True] == "stands":
            return "point_set" if first else "none"
        self.lines = []
        if fates[True] == "won":
            return "natural" if first else "pass"
        return "craps" if first else "seven_out"

    def _look_at_come(self, total: int, first: bool, won: set[tuple[str, str]], void: set[str]) -> None:
        names = {True: "come", False: "don't come"}
        left = []
        for line in self.come:
            number = line.number
            fate = line.look(total)
            if fate == "won" and number is None:
                won.add((names[line.right], "1 to 1"))
            elif fate == "won" and number is not None:
                won.add((f"{names[line.right]} {number}", "1 to 1"))
                if self.text.supplemental:
                    off = ", if on" if line.right and first and "come odds" in self.text.off else ""
                    odds = TRUE[number] if line.right else LAID[number]
                    won.add((f"{names[line.right]} odds {number}{off}", odds))
            elif fate == "void":
                void.add(names[line.right])
            if fate == "stands":
                left.append(line)
        self.come = left

    def _look_at_numbers(self, dice: Pair, first: bool, won: set[tuple[str, str]]) -> None:
        def off(kind: str) -> str:
            return ", if on" if first and kind in self.text.off else ""

        total = sum(dice)
        for number in NUMBERS:
            if number == total:
                won.add((f"place {number} to win{off('place')}", PLACE[number]))
                if "buy" in self.optional:
                    won.add((f"buy {number}{off('buy')}", TRUE[number]))
            if total == 7:
                won.add((f"place {number} to lose{off('against')}", AGAINST[number]))
                if "lay" in self.optional:
                    won.add((f"lay {number}{off('lay')}", LAID[number]))
        for word, (value, odds) in HARD.items():
            if dice == (value, value):
                won.add((f"{word} the hardway{off('hard')}", odds))

    def _look_at_fire(self, total: int, decision: str, won: set[tuple[str, str]]) -> bool:
        fourth = False
        if decision == "pass":
            for bet in self.fire:
                before = len(bet.made)
                bet.made.add(total)
                fourth = fourth or (before, len(bet.made)) == (3, 4)
        if decision == "seven_out":
            for bet in self.fire:
                if self.fire_table and len(bet.made) >= 4:
                    whose = "fire bet" if bet.shooter == self.shooter else f"fire bet on shooter {bet.shooter}"
                    won.add((f"{whose}, {len(bet.made)} points", FIRE[self.fire_table][len(bet.made)]))
            self.fire = []
        return fourth


def standing(text: Text, optional: frozenset[str], number: int | None, come: tuple[int, ...], refused: bool) -> Players:
    """A table in the middle of a game: with this number on the line, and come wagers on these."""
    players = Players(text, optional)
    players.lines = [] if number is None else [Line(True, number), Line(False, number)]
    players.come = [Line(right, point) for point in come for right in (True, False)]
    players.line_wagers_refused = refused
    return players
