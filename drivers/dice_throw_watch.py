"""Whether what a reading board said makes one throw, from its first movement to its rest, without a doubt."""

from __future__ import annotations

from typing import Final, NamedTuple

from drivers.dice_reader_wire import THROWS, VALUED, Die, Lying

LYING_DOUBTS: Final[dict[Lying, str]] = {
    "cocked": "dice_not_flat",
    "two_sides": "die_on_two_sides",
    "stacked": "die_on_die",
    "off_table": "die_off_table",
    "unread": "not_recognised",
}


class Shown(NamedTuple):
    """What a board says of resting dice."""

    throw: int | None
    dice: tuple[Die, ...]
    total: int | None

    def sum(self) -> int | None:
        """The sum of the dice, where all have a value."""
        values = [die.value for die in self.dice if die.value is not None]
        if self.total is not None or len(values) < len(self.dice) or not values:
            return self.total
        return sum(values)


class ThrowWatch:
    """Follows one throw after the other, and collects what speaks against the one that lies there."""

    def __init__(self) -> None:
        self.moving = False
        self._seen = False
        """Whether the beginning of the throw was heard."""
        self._throw: int | None = None
        self._doubts: list[str] = []
        self._shown: Shown | None = None
        self._times = 0

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the throw, in the order in which it came up."""
        return tuple(self._doubts)

    def doubt(self, reason: str) -> None:
        """Notes something that speaks against the throw."""
        if reason not in self._doubts:
            self._doubts.append(reason)

    def moves(self, throw: int | None, known: bool) -> list[tuple[str, str]]:
        """The dice move; `known` is whether the board was heard before. Returns what does not fit: (reason, detail)."""
        if self.moving:
            return self._changed(throw)
        before, self._throw = self._throw, throw
        self.moving, self._seen = True, known
        self._doubts, self._shown, self._times = [], None, 0
        if before is None or throw is None or throw == (before + 1) % THROWS:
            return []
        # Throws that nobody heard are over; this one was heard from its beginning.
        return [("throw_order", f"throw {throw:03d} after {before:03d}")] if throw == before else []

    def leaves(self) -> None:
        """There are no dice, or the board is at fault: what comes next must begin anew."""
        self.moving = self._seen = False
        self._shown = None

    def rests(self, shown: Shown) -> list[tuple[str, str]]:
        """The dice lie. Returns what does not fit; the caller notes each as a doubt."""
        found = self._changed(shown.throw)
        self.moving = False
        if not self._seen:
            found.append(("joined_mid_throw", "the dice lie, and nobody heard them begin to move"))
        if self._shown is not None and shown != self._shown:
            found.append(("value_changed", f"{_words(shown)} after {_words(self._shown)}, and no movement between"))
            self._times = 0
        self._shown = shown
        self._times += 1
        return found

    @property
    def times(self) -> int:
        """How often in a row the board has said what it shows."""
        return self._times

    def lying_doubts(self) -> tuple[str, ...]:
        """What the way in which the dice lie says against them."""
        shown = self._shown
        doubts = () if shown is None else tuple(LYING_DOUBTS[die.lying] for die in shown.dice if die.lying != "flat")
        return tuple(dict.fromkeys(doubts))

    def _changed(self, throw: int | None) -> list[tuple[str, str]]:
        """The board's count of throws may change only where dice begin to move."""
        before, self._throw = self._throw, throw
        if before == throw or before is None or throw is None:
            return []
        self._seen = False
        return [("throw_order", f"throw {throw:03d} after {before:03d}, and no movement between")]


def _words(shown: Shown) -> str:
    if shown.total is not None:
        return f"a total of {shown.total}"
    return "-".join(str(die.value) if die.lying in VALUED else die.lying for die in shown.dice)
