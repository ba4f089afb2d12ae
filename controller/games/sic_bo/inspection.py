"""What is tried before sic bo is played: values lit, the automated shaker operated.

inspect_dice dice=1-2-3 ──► its areas lit ──► read back ──► counts      once before `inspect_pass`, 9.5(a)1
operate_shaker          ──► tossed        ──► the dice are at rest ──► counts   three before `inspect_pass`, 9.5(a)2
shift_begins            ──► play stops    ──► three operations ──► may be cleared, 13:69F-9.5(b)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from controller.games.dice.tossed_dice import DEVICE as SHAKER
from controller.games.sic_bo.lit_areas import LAMP_BOARD
from controller.games.sic_bo.rules import SicBoRules
from controller.table.faults import Fault
from drivers.base.driver import Observation
from drivers.dice.automated_shaker import TossBegan, TossFailed, TossLies
from feed.events import InspectionFailed, InspectionPassed
from hal.wording import times

SHIFT_INSPECTION: Final = "shift_inspection"
OPERATIONS: Final = "the operations that are missing"
"""The cause of a shift's fault."""
ALL_LAMPS: Final = "all lamps"


class NotNowError(Exception):
    """An order that cannot be carried out now: why not, in words."""


class Trial(NamedTuple):
    """What one trial came to."""

    passed: bool
    device: str
    check: str
    by: str
    detail: str = ""


class _Lighting(NamedTuple):
    """What is lit for an inspection, until it is read back."""

    name: str
    by: str
    lamps: frozenset[int]


class SicBoInspection:
    """The trials of one sic bo table, and the inspection of the shaker at the beginning of a shift."""

    def __init__(self, rules: SicBoRules, *, automated: bool) -> None:
        """`automated`: the table has an automated shaker."""
        shaker = rules.automated_shaker if automated else None
        self.each_shift = 0 if shaker is None else shaker.operations_each_shift.value
        """How often the shaker is operated at the beginning of a shift."""
        self.shift_due = False
        """Whether a shift has begun, and its operations are not complete."""
        self._values = rules.electrical_device.values_entered_at_opening.value
        self._at_opening = 0 if shaker is None else shaker.operations_at_opening.value
        self.begin()

    def begin(self) -> None:
        """An inspection begins: earlier trials do not count."""
        self.lit: list[str] = []
        """The values whose areas were read back."""
        self.operations = 0
        self._lighting: _Lighting | None = None
        self._operating = ""
        """Who has the shaker operated."""

    @property
    def busy(self) -> str | None:
        """What is being tried, in words; None where nothing is."""
        if self._lighting is not None:
            return f"{self._lighting.name} is being lit"
        return "the automated shaker is being operated" if self._operating else None

    @property
    def lacks(self) -> str | None:
        """What an inspection that passes still wants; None where it wants nothing."""
        # "Three numeric values": each die has one, so the dice of one entry are three.
        entered = sum(len(name.split("-")) for name in self.lit)
        if entered < self._values:
            seen = f"{entered} of {self._values} values were entered and all their areas read back"
            return f"electrical_device: {seen}; inspect_dice dice=1-2-3"
        if self.operations < self._at_opening:
            return f"automated_shaker: operated {self.operations} of {self._at_opening} times; operate_shaker"
        return None

    def give_up(self) -> list[Trial]:
        """Something else stopped what is being tried: it comes to nothing."""
        lighting, self._lighting = self._lighting, None
        by, self._operating = self._operating, ""
        trials: list[Trial] = []
        if lighting is not None:
            broken_off = "it was broken off before its lamps were read back"
            trials.append(Trial(False, LAMP_BOARD, lighting.name, lighting.by, broken_off))
        if by:
            trials.append(Trial(False, SHAKER, "operation", by, "it was broken off before the dice came to rest"))
        return trials

    # --- lamps ---------------------------------------------------------------------------------------------------

    def begin_lighting(self, name: str, lamps: frozenset[int], by: str) -> None:
        """These lamps are lit from now on, until they are read back.

        Raises:
            NotNowError: others are being lit.
        """
        if self._lighting is not None:
            raise NotNowError(f"{self._lighting.name} is being lit; wait for its read-back")
        self._lighting = _Lighting(name, by, lamps)

    def read_back(self, asked: frozenset[int], failure: str | None) -> Trial | None:
        """The lamps are read back as lit, or failed; None where nothing is being tried."""
        lighting, self._lighting = self._lighting, None
        if lighting is None:
            return None
        if failure is None and asked != lighting.lamps:
            failure = "other lamps were asked for before these were read back"
        if failure is not None:
            return Trial(False, LAMP_BOARD, lighting.name, lighting.by, failure)
        if lighting.name not in self.lit and lighting.name != ALL_LAMPS:
            self.lit.append(lighting.name)
        return Trial(True, LAMP_BOARD, lighting.name, lighting.by)

    # --- the automated shaker ------------------------------------------------------------------------------------

    @property
    def operating(self) -> bool:
        """Whether the shaker is being operated."""
        return bool(self._operating)

    def begin_operation(self, by: str) -> None:
        """The shaker is started, to be looked at."""
        self._operating = by

    def tossed(self, seen: Observation) -> Trial | None:
        """The shaker that is being operated reports something; None where the operation goes on."""
        if isinstance(seen, TossBegan):
            return None
        by, self._operating = self._operating, ""
        if not isinstance(seen, TossLies):
            return Trial(False, SHAKER, "operation", by, seen.detail if isinstance(seen, TossFailed) else "")
        self.operations += 1
        return Trial(True, SHAKER, f"operation {self.operations}", by)

    def shift_complete(self) -> bool:
        """After an operation: whether it was the last that the shift wanted."""
        self.shift_due = self.operations < self.each_shift
        return not self.shift_due

    def begin_shift(self) -> None:
        """A shift begins: play stops until the automated shaker was operated often enough.

        Raises:
            NotNowError: the rules ask for nothing, or it has begun already, or something is being tried.
        """
        if not self.each_shift:
            raise NotNowError("the rules ask for nothing at the beginning of a shift at this table")
        if self.shift_due:
            raise NotNowError(f"it has begun: operated {self.operations} of {self.each_shift} times; operate_shaker")
        if self.busy is not None:
            raise NotNowError(f"{self.busy}: wait for it")
        self.shift_due = True
        self.begin()

    def owe(self, operations: int | None) -> None:
        """After a restart: a shift has begun, with these operations so far; None where nothing is owed."""
        self.shift_due = operations is not None and operations < self.each_shift
        if operations is not None and self.shift_due:
            self.operations = operations

    def shift_fault(self, what: str, t_ns: int) -> Fault:
        """The fault that stops play until the shift's operations are complete."""
        left = self.each_shift - self.operations
        detail = f"{what}: operate the shaker {times(left)}, and clear it"
        return Fault(t_ns, SHIFT_INSPECTION, detail, cause=OPERATIONS, device=SHAKER)


def trial_words(data: InspectionPassed | InspectionFailed) -> str | None:
    """A trial of the lamp board or of the automated shaker, by whom, and how it ended; None for any other inspection.

    Of a toss only that it ended is known: whether the dice were properly tossed is for the person to judge.
    """
    if data.device == LAMP_BOARD:
        good, bad = "lit and read back", "NOT LIT as it should be"
    elif data.device == SHAKER and all(check.startswith("operation") for check in data.checks):
        good, bad = "tossed to the end", "NOT TOSSED to the end"
    else:
        return None
    passed = isinstance(data, InspectionPassed)
    why = "" if isinstance(data, InspectionPassed) or not data.detail else f" ({data.detail})"
    return f"{data.device} {good if passed else bad}: {', '.join(data.checks)}, tried by {data.by}{why}"
