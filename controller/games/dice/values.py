"""The values of dice at rest: keyed by a person, read by a board, or both, which must agree.

    dice tumble ──► they lie (`rested`) ──► values of every source that the table has ──► Read, or Doubted

What was keyed before the dice were at rest is of another throw, and so is what was read before they last moved: whoever
plays the round says when it begins (`begin`) and when dice move that a board may have read (`unread`). A source that
gives other values later replaces those before, until the round has its verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from controller.games.dice.rules import Dice
from drivers.base.driver import NEVER_NS
from drivers.dice.observations import DiceEntered, DiceRead

ValueSource: TypeAlias = Literal["keypad", "reader"]

LYING: Final = ("die_off_table", "die_on_die", "die_on_two_sides", "dice_not_flat")
"""What a board may report of how dice lie, the gravest first: the reason codes of rounds that it makes void."""


class Read(NamedTuple):
    """Values that are valid."""

    dice: Dice
    """In the order in which they were keyed, or in which the board sees them."""
    cocked: bool = False
    """A board reports a die as cocked on one side: at craps it counts by the side opposite."""


class Doubted(NamedTuple):
    """Values that are in doubt."""

    reason: str
    """`values_disagree`, `value_missing`, `reader_doubt`, or one of `LYING`."""
    detail: str
    candidates: tuple[Dice, ...] = ()


class DiceValues:
    """The values of one tumble or throw after the other."""

    def __init__(
        self,
        sources: Sequence[ValueSource],
        wait_s: float = 20.0,
        ask: Callable[[int], None] = lambda t_ns: None,
    ) -> None:
        """`wait_s` is how long a source is waited for once the other has given its values (ours); `ask` is called with
        the time once the dice are known to be at rest.

        Raises:
            ValueError: nobody gives values.
        """
        if not sources:
            raise ValueError("dice: nobody gives their values; a table has a keypad, a reading board or both")
        self.sources = tuple(sources)
        self._wait_ns = round(wait_s * 1e9)
        self._ask = ask
        self.begin()

    def begin(self) -> None:
        """Dice move: nothing that was given of them is valid."""
        self._rest_ns: int | None = None
        self.entered: DiceEntered | None = None
        self.read: DiceRead | None = None
        self._first_ns = NEVER_NS

    def rested(self, t_ns: int, since_ns: int | None = None) -> None:
        """The dice are known to lie, from now on or since then. Where only a board reads them, it is waited for from
        then on too.
        """
        self._rest_ns = t_ns if since_ns is None else since_ns
        if "keypad" not in self.sources:
            self._first_ns = min(self._first_ns, self._rest_ns)
        self._ask(t_ns)

    @property
    def lie(self) -> bool:
        """Whether the dice are known to be at rest."""
        return self._rest_ns is not None

    @property
    def next_due_ns(self) -> int:
        """When a source without values is waited for no more; `NEVER_NS` while the dice are not known to be at rest, or
        no source has given any. While `verdict` waits it is later than the time of that verdict."""
        if self._rest_ns is None or self._first_ns == NEVER_NS:
            return NEVER_NS
        return max(self._first_ns, self._rest_ns) + self._wait_ns

    def take_entry(self, seen: DiceEntered) -> bool:
        """Takes what a person entered. Returns False where it was keyed before the dice were at rest: it is of another
        throw."""
        if self._rest_ns is None or seen.first_ns < self._rest_ns:
            return False
        self.entered = seen
        self._first_ns = min(self._first_ns, seen.t_ns)
        return True

    def take_reading(self, seen: DiceRead) -> None:
        """Takes a reading of the board, which knows by itself of which throw it is."""
        self.read = seen
        self._first_ns = min(self._first_ns, seen.t_ns)

    def unread(self) -> None:
        """What a reading board gave is of a throw that is over: it is waited for again."""
        self.read = None

    @property
    def keyed(self) -> list[int] | None:
        """The values that were entered, as evidence has them."""
        return None if self.entered is None else list(self.entered.dice)

    @property
    def seen(self) -> list[int | None] | None:
        """The values that a board read, as evidence has them."""
        return None if self.read is None else list(self.read.dice)

    def verdict(self, t_ns: int) -> Read | Doubted | None:
        """What the sources come to; None while one of them is waited for."""
        if self._rest_ns is None:
            return None
        lying = self._lying()
        if lying is not None:
            return lying
        keyed = None if self.entered is None else tuple(self.entered.dice)
        read = self._read_dice()
        given = [one for one in (keyed, read) if one is not None]
        if len(given) < len(self.sources):
            if t_ns < self.next_due_ns:
                return None
            silent = [
                name for name, one in (("keypad", keyed), ("reader", read)) if name in self.sources and one is None
            ]
            doubts = "" if self.read is None or not self.read.doubts else f": {', '.join(self.read.doubts)}"
            reason = "reader_doubt" if doubts else "value_missing"
            return Doubted(reason, f"the {' and the '.join(silent)} gave no values{doubts}", tuple(given))
        if keyed is not None and read is not None and sorted(keyed) != sorted(read):
            detail = f"{words(keyed)} was keyed, and the board reads {words(read)}"
            return Doubted("values_disagree", detail, (keyed, read))
        return Read(given[0], cocked=self.read is not None and "cocked" in self.read.lying)

    @property
    def cocked(self) -> bool:
        """Whether a board reports that a die leans on something: at craps it has a value all the same."""
        return self.read is not None and "reader" in self.sources and "dice_not_flat" in self.read.doubts

    def _lying(self) -> Doubted | None:
        """What a board reports against how the dice lie. A cocked die is for the game to judge: it has a value."""
        if self.read is None or "reader" not in self.sources:
            return None
        reason = next((one for one in LYING if one in self.read.doubts), None)
        if reason is None or (reason == "dice_not_flat" and None not in self.read.dice):
            return None
        return Doubted(reason, f"as the board reads them: {', '.join(self.read.lying)}")

    def _read_dice(self) -> Dice | None:
        """The values that a board gave, where nothing but a cocked die is doubted."""
        seen = self.read
        if seen is None or "reader" not in self.sources:
            return None
        if any(doubt != "dice_not_flat" for doubt in seen.doubts):
            return None
        values = tuple(value for value in seen.dice if value is not None)
        return values if len(values) == len(seen.dice) and values else None


def words(dice: Sequence[int]) -> str:
    """Dice as a person names them: `4-4-1`."""
    return "-".join(map(str, dice))


def result_of(dice: Sequence[int]) -> dict[str, Any]:
    """The result of these dice, where it is no more than they and their total."""
    return {"dice": list(dice), "total": sum(dice)}


def name_of_rest(rest: object, count: int) -> str | None:
    """How a person names dice that came to rest so, those of each tumble of `count` apart; None where none did."""
    if not isinstance(rest, tuple) or not rest:
        return None
    return "/".join(words(rest[first : first + count]) for first in range(0, len(rest), count))
