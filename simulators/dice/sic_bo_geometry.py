"""A simulated sic bo table, as its configuration has it, and what can go wrong there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from simulators.base.device_faults import NamedFault
from simulators.dice.automated_shaker import OF_LINES, OF_SERIAL, TOSS_FAULTS
from simulators.dice.geometry import DiceGeometry
from simulators.dice.shaker import SHAKER_FAULTS
from simulators.dice.values import LINK, prefixed, value_faults
from simulators.lamps.lamp_board import LAMP_FAULTS

if TYPE_CHECKING:
    from simulators.base.faults import SimulatedFault
    from simulators.base.truth import TableSimulator

CALL_FAULTS = {
    "shaken_before_no_more_bets": NamedFault(
        "shaken_before_no_more_bets", True, "The dealer shakes, and calls then.", "Void: shaken_before_no_more_bets."
    ),
    "covered_before_no_more_bets": NamedFault(
        "covered_before_no_more_bets",
        True,
        "The dealer puts the cover on, calls, and shakes.",
        "The outcome; a violation: covered_before_no_more_bets.",
    ),
}
SHAKER_NOT_REMOVED = NamedFault(
    "shaker_not_removed", True, "The manual shaker is used beside the automated one.", "Void: shaker_not_removed."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SicBoGeometry(DiceGeometry):
    """The shakers, and who gives the values."""

    manual: bool = True
    automated: Literal["lines", "serial"] | None = None
    present_sensor: bool = False
    shaker_link: str = "shaker_serial"
    keypad: bool = True
    reader: str | None = None
    """The format of the reading board; None where there is none."""
    reader_link: str = LINK
    activate_after_s: float = 1.5
    toss_s: float = 8.0
    """How long a serial shaker is let toss."""
    rest_s: float = 2.0
    """How long the controller waits before it believes that the dice are at rest."""
    settle_after_s: float = 3.0

    def device_faults(self) -> dict[str, tuple[str, NamedFault]]:
        """The faults of dealer, shakers and lamps, by their names at this table: whose they are, and what they are."""
        found: dict[str, tuple[str, NamedFault]] = {}
        if self.automated is not None:
            allowed = OF_SERIAL if self.automated == "serial" else OF_LINES
            for name in allowed:
                if name != "unasked" or self.no_more_bets_button:
                    found[prefixed("automated_shaker", name)] = ("automated_shaker", TOSS_FAULTS[name])
            if self.manual:
                found[SHAKER_NOT_REMOVED.name] = ("dealer", SHAKER_NOT_REMOVED)
        else:
            if self.no_more_bets_button:
                found |= {name: ("dealer", fault) for name, fault in CALL_FAULTS.items()}
            own = {name: fault for name, fault in SHAKER_FAULTS.items() if name not in ("none", "shaken_before_call")}
            found |= {prefixed("shaker", name): ("shaker", fault) for name, fault in own.items()}
        # With a board alone, what is revealed is lit at once: nothing fails in between.
        lamps = {
            name: fault
            for name, fault in LAMP_FAULTS.items()
            if name != "none" and (self.keypad or not name.endswith("after_reveal"))
        }
        return found | {prefixed("lamp", name): ("lamp", fault) for name, fault in lamps.items()}

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault that such a table can have, `none` first."""
        from simulators.base.faults import SimulatedFault

        none = SimulatedFault("none", True, "Nothing goes wrong.", "The outcome.")
        own = [
            SimulatedFault(name, fault.physical, fault.explanation, fault.expected)
            for name, (_, fault) in self.device_faults().items()
        ]
        of_values = value_faults(keypad=self.keypad, reader=self.reader is not None)
        # Where nobody keys them too, nothing shows that a board misreads.
        given = [fault for fault in of_values if self.keypad or fault.name != "reader_disagrees"]
        return (none, *own, *given)

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        from simulators.dice.sic_bo_table import SicBoSimulator

        return SicBoSimulator(self, seed)
