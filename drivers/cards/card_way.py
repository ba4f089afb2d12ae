"""The way of a card past the two light barriers of a shoe, and what keeps the shoe from giving one.

shoe_card_1  ____┌──────────────┐______      a card leaves: barrier 1 is covered first and free first
shoe_card_2  ________┌──────────────┐__

shoe_card_1  ____┌──────────────────┐__      a card is drawn and pushed back: barrier 1 is free last
shoe_card_2  ________┌──────────┐______
"""

from __future__ import annotations

from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from drivers.cards.observations import ShoeTrouble, ShoeTroubled, ShoeUntroubled

MOUTH: Final = "shoe_card_1"
OUTSIDE: Final = "shoe_card_2"
BARRIERS: Final = (MOUTH, OUTSIDE)
EMPTY: Final = "shoe_empty"
LID: Final = "shoe_lid"
JAM: Final = "shoe_jam"
TROUBLE_OF_LINE: Final[dict[str, ShoeTrouble]] = {EMPTY: "empty", LID: "lid", JAM: "jam"}
_WORDS: Final[dict[ShoeTrouble, str]] = {
    "empty": "the shoe is empty",
    "lid": "the lid of the shoe is open",
    "jam": "a card is jammed in the shoe",
}


class CardWay:
    """The way of a card past the two barriers, from their levels in order."""

    def __init__(self) -> None:
        self.level: dict[str, int | None] = dict.fromkeys(BARRIERS)
        self._first = ""
        """The barrier that was covered first since both were free."""
        self.began_ns = NEVER_NS
        """When that was."""
        self._both = False
        """Whether both were covered at once since."""
        self.covered_ns = NEVER_NS
        """Since when one of them is covered."""

    @property
    def free(self) -> bool:
        """Whether no card is in the way, as far as is known."""
        return not any(self.level.values())

    def take(self, line: str, level: int, t_ns: int) -> str:
        """Takes a change; returns `out`, `back` or `returned` when a way is over, otherwise an empty string."""
        known = self.level[line] is not None
        was_free, self.level[line] = self.free, level
        if level:
            if was_free:
                self._first, self._both = line if known else "", False
                self.began_ns = self.covered_ns = t_ns
            elif all(self.level.values()):
                self._both = True
            return ""
        if not self.free or was_free:
            return ""
        first, last, self.covered_ns = self._first, line, NEVER_NS
        if not first:
            return ""  # it was in the way when the lines were opened
        if first == MOUTH:
            return "out" if last == OUTSIDE and self._both else "back"
        return "returned" if last == MOUTH and self._both else ""

    def forget(self) -> None:
        """The levels are unknown: a barrier was unplugged, or changes of it were lost."""
        self.level = dict.fromkeys(BARRIERS)
        self._first, self._both, self.covered_ns = "", False, NEVER_NS


class ShoeTroubles:
    """What keeps a shoe from giving a card, and who reports it: a sensor, its link, or a barrier that stays covered."""

    def __init__(self) -> None:
        self._by: dict[ShoeTrouble, set[str]] = {"jam": set(), "empty": set(), "lid": set()}

    @property
    def active(self) -> tuple[ShoeTrouble, ...]:
        """Those in force."""
        return tuple(trouble for trouble, reporters in self._by.items() if reporters)

    def take(self, trouble: ShoeTrouble, reporter: str, active: bool, t_ns: int, found: list[Observation]) -> None:
        """A reporter has it begin or end; the first beginning and the last end are reported."""
        by = self._by[trouble]
        before = bool(by)
        (by.add if active else by.discard)(reporter)
        if by and not before:
            found.append(ShoeTroubled(t_ns=t_ns, trouble=trouble, detail=_WORDS[trouble]))
        elif before and not by:
            found.append(ShoeUntroubled(t_ns=t_ns, trouble=trouble))
