"""What is looked at before sic bo is played: three values lit, the automated shaker operated, the age of the dice.

inspect_dice dice=1-2-3 ──► its areas lit ──► read back ──► counts      three before `inspect_pass`, 9.5(a)1
operate_shaker          ──► tossed        ──► the dice lie ──► counts   three before `inspect_pass`, 9.5(a)2
shift_begins            ──► play stops    ──► three operations ──► may be cleared, 13:69F-9.5(b)
dice_placed             ──► 23 h: a warning ──► 24 h: play stops, 13:69F-9.1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from controller.games.dice.rules import Dice
from controller.games.dice.values import words
from controller.games.sic_bo.areas import AREAS
from controller.games.sic_bo.dice_age import WARN_HOURS, DiceAge
from controller.games.sic_bo.rules import SicBoRules
from controller.rounds.lamp_watch import News
from controller.rounds.toss_watch import TossNews
from controller.rounds.tossing import DEVICE as SHAKER
from controller.table.faults import Fault
from controller.table.phase import OPEN, SHUT
from controller.table.wording import counted, times
from feed import events

if TYPE_CHECKING:
    from controller.rounds.sic_bo import SicBoGame

LAMP_BOARD: Final = "lamp_board"
DICE: Final = "dice"
DICE_TOO_OLD: Final = "dice_too_old"
SHIFT_INSPECTION: Final = "shift_inspection"
OPERATIONS: Final = "the operations that are missing"
OLD_DICE: Final = "the dice in the shaker"


class Lighting(NamedTuple):
    """What is lit for an inspection, until it is read back."""

    name: str
    by: str
    lamps: frozenset[int]


class NotNowError(Exception):
    """What was ordered cannot be done now: why not, in words."""


class SicBoOpening:
    """The inspections of one sic bo table, and the age of its dice."""

    def __init__(self, rules: SicBoRules, time_of: Callable[[int], str], *, automated: bool) -> None:
        """`time_of` is the calendar; `automated`: the table has an automated shaker."""
        shaker = rules.automated_shaker if automated else None
        self._values = rules.electrical_device.values_entered_at_opening.value
        self._at_opening = 0 if shaker is None else shaker.operations_at_opening.value
        self._each_shift = 0 if shaker is None else shaker.operations_each_shift.value
        self.age = DiceAge(None if rules.dice_hours is None else rules.dice_hours.value, time_of)
        self.shift_due = False
        """Whether a shift has begun, and its operations are not complete."""
        self.begin()

    def begin(self) -> None:
        """An inspection begins: what was looked at before is not of it."""
        self.lit: list[str] = []
        """The values whose areas were read back."""
        self.operations = 0
        self._lighting: Lighting | None = None
        """What is being lit."""
        self._operating = ""
        """Who has the shaker operated."""

    @property
    def busy(self) -> str | None:
        """What is being tried, in words; None where nothing is."""
        if self._lighting is not None:
            return f"{self._lighting.name} is being lit"
        return "the automated shaker is being operated" if self._operating else None

    def give_up(self, game: SicBoGame, t_ns: int) -> None:
        """What is being tried comes to nothing: something else stopped it."""
        lighting, self._lighting = self._lighting, None
        if lighting is not None:
            self._failed(game, lighting, "it was broken off before its lamps were read back", t_ns)
        by, self._operating = self._operating, ""
        if by:
            detail = "it was broken off before the dice lay"
            game.tell(events.InspectionFailed, t_ns, device=SHAKER, checks=["operation"], by=by, detail=detail)

    @property
    def lacks(self) -> str | None:
        """What an inspection that passes still wants; None where it wants nothing."""
        if len(self.lit) < self._values:
            seen = f"{len(self.lit)} of {self._values} values were entered and all their areas read back"
            return f"electrical_device: {seen}; inspect_dice dice=1-2-3"
        if self.operations < self._at_opening:
            return f"automated_shaker: operated {self.operations} of {self._at_opening} times; operate_shaker"
        return None

    # --- lamps ---------------------------------------------------------------------------------------------------

    def light(self, game: SicBoGame, dice: Dice | None, by: str, t_ns: int) -> str:
        """Lights the areas of these dice, or all lamps. Returns what to wait for.

        Raises:
            NotNowError: a round is on, the lamps have failed, or others are being lit.
        """
        if game.phase is not SHUT:
            raise NotNowError("the table is open: close it first")
        if game.lamps.failure is not None:
            raise NotNowError(f"{game.lamps.failure}; it is looked at again every few seconds: mend it first")
        if self._lighting is not None:
            raise NotNowError(f"{self._lighting.name} is being lit; wait for its read-back")
        lamps = [area.number for area in (AREAS if dice is None else game.layout.lit(dice))]
        # In which order values are entered makes no other result of them.
        name = "all lamps" if dice is None else words(sorted(dice))
        self._lighting = Lighting(name, by, frozenset(lamps))
        game.shown.append(game.lamps.light(lamps, t_ns))
        return f"{len(lamps)} areas are lit for {name}: look at them; their read-back follows"

    def lamps(self, game: SicBoGame, news: News | None, t_ns: int) -> None:
        """What the lamps say while something is being lit for an inspection."""
        if self._lighting is None or news not in ("shown", "failed"):
            return
        lighting, self._lighting = self._lighting, None
        if news == "failed":
            self._failed(game, lighting, game.lamps.failure or "", t_ns)
        elif game.lamps.asked != lighting.lamps:
            self._failed(game, lighting, "other lamps were asked for before these were read back", t_ns)
        else:
            if lighting.name not in self.lit and lighting.name != "all lamps":
                self.lit.append(lighting.name)
            game.tell(events.InspectionPassed, t_ns, device=LAMP_BOARD, checks=[lighting.name], by=lighting.by)
            game.darken(t_ns)

    def _failed(self, game: SicBoGame, lighting: Lighting, detail: str, t_ns: int) -> None:
        checks = [lighting.name]
        game.tell(events.InspectionFailed, t_ns, device=LAMP_BOARD, checks=checks, by=lighting.by, detail=detail)

    # --- the automated shaker ------------------------------------------------------------------------------------

    def operate(self, game: SicBoGame, by: str, t_ns: int) -> str:
        """Has the automated shaker toss once. Returns what to wait for.

        Raises:
            NotNowError: there is none, it does not stand on the table, it tosses, or a round is on.
        """
        tossing = game.tossing
        if tossing is None:
            raise NotNowError("the table has no automated shaker")
        if not tossing.present:
            raise NotNowError("the automated shaker does not stand on the table")
        if game.phase is not SHUT:
            raise NotNowError("a round is on: close the table, or begin the shift's inspection with shift_begins")
        if not tossing.watch.quiet:
            raise NotNowError("it tosses: wait until its dice lie")
        self._operating = by
        tossing.start(game, t_ns)
        return "the automated shaker is started: look whether the dice are properly tossed"

    def tossed(self, game: SicBoGame, news: TossNews, failure: str, t_ns: int) -> bool:
        """Takes what the shaker did; returns whether it was an operation of an inspection."""
        if not self._operating:
            return False
        if news == "began":
            return True
        by, self._operating = self._operating, ""
        if news != "lies":
            game.tell(events.InspectionFailed, t_ns, device=SHAKER, checks=["operation"], by=by, detail=failure)
            return False
        self.operations += 1
        game.tell(events.InspectionPassed, t_ns, device=SHAKER, checks=[f"operation {self.operations}"], by=by)
        if self.shift_due:
            self.shift_due = self.operations < self._each_shift
            game.tell_course(t_ns, "operate_shaker", by)
            if not self.shift_due:
                game.cause_gone(t_ns, OPERATIONS, SHAKER)
        return True

    def shift_begins(self, game: SicBoGame, by: str, t_ns: int) -> str:
        """A shift begins: play stops until the automated shaker was operated often enough.

        Raises:
            NotNowError: the rules ask for nothing, or it has begun already.
        """
        if not self._each_shift:
            raise NotNowError("the rules ask for nothing at the beginning of a shift at this table")
        if self.shift_due:
            raise NotNowError(f"it has begun: operated {self.operations} of {self._each_shift} times; operate_shaker")
        if self.busy is not None:
            raise NotNowError(f"{self.busy}: wait for it")
        self.shift_due = True
        self.begin()
        game.tell_course(t_ns, "shift_begins", by)
        return _stop(
            game,
            self._shift_fault(f"a shift begins, says {by}", t_ns),
            f"operate_shaker {times(self._each_shift)}, then clear device={SHAKER}",
        )

    def owe(self, operations: int | None) -> None:
        """After a restart: a shift has begun that was operated so often; None where nothing is owed."""
        self.shift_due = operations is not None and operations < self._each_shift
        if operations is not None and self.shift_due:
            self.operations = operations

    # --- the dice ------------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """When the dice are nearly too old, or are."""
        return self.age.next_due_ns

    def place(self, game: SicBoGame, age_h: float, by: str, t_ns: int) -> str:
        """Dice were placed in the shaker, so many hours ago.

        Raises:
            NotNowError: the rules set no limit, or they are too old.
        """
        hours = self.age.hours
        if hours is None:
            raise NotNowError("the rules set no limit to the age of the dice")
        if not 0 <= age_h < hours:
            raise NotNowError(f"age_h is {age_h:g}; dice may be on a table for {hours} hours")
        self.age.place(age_h, t_ns)
        game.tell_course(t_ns, "dice_placed", by)
        game.cause_gone(t_ns, OLD_DICE, DICE)
        return f"the dice may stay for {counted(hours - age_h, 'hour')}"

    def due(self, game: SicBoGame, t_ns: int) -> None:
        """The dice are nearly too old, or are."""
        if self.age.look(t_ns):
            _stop(game, self._too_old(game, t_ns), "")
            return
        self.age.nearly = True
        detail = f"the dice are too old in {WARN_HOURS} hour or less: change them, then dice_placed"
        game.warn(t_ns, DICE, "dice_nearly_too_old", detail)

    def against(self, game: SicBoGame, t_ns: int) -> list[Fault]:
        """What stands against the next round, and has not been said since the service began."""
        against = [self._too_old(game, t_ns)] if self.age.look(t_ns) else []
        if self.shift_due:
            against.append(self._shift_fault("a shift has begun", t_ns))
        if not against:
            self.age.first_opened(t_ns)
        return against

    def _too_old(self, game: SicBoGame, t_ns: int) -> Fault:
        self.age.too_old = True
        game.tell_course(t_ns, "dice_too_old")
        detail = f"{self.age.why}: change them, then dice_placed and clear"
        return Fault(t_ns, DICE_TOO_OLD, detail, cause=OLD_DICE, device=DICE)

    def _shift_fault(self, what: str, t_ns: int) -> Fault:
        left = self._each_shift - self.operations
        detail = f"{what}: operate the shaker {times(left)}, and clear it"
        return Fault(t_ns, SHIFT_INSPECTION, detail, cause=OPERATIONS, device=SHAKER)


def _stop(game: SicBoGame, fault: Fault, then: str) -> str:
    """Stops the play: now, where bets are only open; else once the round that is on has its verdict."""
    undecided = game.undecided
    at_once = game.phase is OPEN and game.called_ns is None
    game.stop_bets(fault)
    if at_once:
        return f"the table is shut: {then}"
    return f"play stops when round {game.round} is over: then {then}" if undecided else f"play stops: {then}"
