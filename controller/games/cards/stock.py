"""What is inside a continuous shuffling shoe, by count: the cards that were loaded, less those out, and those put back.

    new_shoe ──► all of them ──► a card leaves: one less ──► a card is put back: one more
                                   └── fewer than none, or more than all: the cards are counted before anybody plays on
    restart ───► not known, and a warning reports it, until the next new_shoe

No text of this profile has such a shoe: that all cards of a round are put back before the next one is called is ours.
"""

from __future__ import annotations

from typing import Final

import msgspec

from controller.table.faults import Fault
from controller.table.report import UNLESS_CALLED, Report
from drivers.base.driver import Observation
from drivers.cards.observations import CardDealt, CardInserted, InsertsLost
from feed.state import TableState
from hal.wording import counted

COUNT_WRONG: Final = "card_count"
STOCK: Final = "stock"
"""The cause of its fault: it ends when the cards were counted and are loaded."""


class ContinuousStock:
    """The count of one shoe."""

    def __init__(self, report: Report, stack: int, device: str) -> None:
        """`stack` are the cards that belong to the shoe."""
        self._report = report
        self._stack = stack
        self._device = device
        self.inside: int | None = None
        """How many cards are inside; None before the first load, after a restart, and where changes of a
        counter were lost."""
        self.wrong = False
        """Whether the count cannot be that of its cards."""
        self._this_round = 0
        """Cards of the round that is open."""
        self._unreported = False
        """Whether it is not reported yet that a restart has lost the count."""
        self._why_wrong = ""
        """In words, why the count was wrong before a restart."""

    def restore(self, state: TableState) -> None:
        """The journal has no count of single cards: what is inside is not known. That it was wrong, it has."""
        self._unreported = True
        known = [fault for fault in state.faults if (fault.device, fault.fault) == (self._device, COUNT_WRONG)]
        self.wrong = bool(known)
        self._why_wrong = known[0].detail if known else ""

    def begin(self, t_ns: int) -> None:
        """The table begins: a wrong count waits for `new_shoe` still."""
        if self.wrong:
            self._report.fault(self._fault(t_ns, self._why_wrong))

    def loaded(self, t_ns: int) -> None:
        """The cards were counted, and all of them are inside."""
        self.inside, self._this_round, self._unreported = self._stack, 0, False
        if self.wrong:
            self.wrong = False
            self._report.cause_gone(t_ns, STOCK, self._device)

    def opens(self) -> None:
        """A round opens."""
        self._this_round = 0

    def opened(self, t_ns: int) -> None:
        """A round is open: after a restart with cards that nobody has counted."""
        if not self._unreported:
            return
        self._unreported = False
        detail = "the controller was off: what is inside the shoe is not known. Count the cards, then new_shoe"
        self._report.warn(t_ns, self._device, "inserts_uncounted", detail)

    def called(self, t_ns: int) -> None:
        """The cards of earlier rounds are back inside."""
        if self.inside is None:
            return
        away = self._stack - self.inside - self._this_round
        if away > 0:
            detail = f"{counted(away, 'card')} of earlier rounds are outside the shoe as this one is called"
            self._report.warn(t_ns, self._device, "cards_not_put_back", detail)

    def left(self, seen: CardDealt) -> CardDealt:
        """A card has left; doubted where no card was inside."""
        self._this_round += 1
        if self.inside is None:
            return seen
        self.inside -= 1
        if self.inside >= 0:
            return seen
        detail = f"more cards left the shoe than its {self._stack}: count them, load them, then new_shoe"
        self._count_wrong(seen.t_ns, detail)
        return msgspec.structs.replace(seen, doubt=COUNT_WRONG, detail=detail)

    def lost(self) -> None:
        """Cards may have left that were not counted."""
        self.inside = None

    def handle(self, seen: Observation) -> bool:
        """Takes an observation; returns whether it was one of cards that are put back."""
        if isinstance(seen, CardInserted):
            self.put_back(seen.t_ns)
        elif isinstance(seen, InsertsLost):
            self.inside = None
            self._report.warn(seen.t_ns, self._device, "inserts_uncounted", seen.detail)
        else:
            return False
        return True

    def put_back(self, t_ns: int) -> None:
        """A card is inside again, by the intake or by the mouth."""
        if self.inside is None:
            return
        self.inside += 1
        if self.inside > self._stack:
            detail = (
                f"{self.inside} cards are inside by count, and {self._stack} belong to it: count them, then new_shoe"
            )
            self._count_wrong(t_ns, detail)

    def _count_wrong(self, t_ns: int, detail: str) -> None:
        if not self.wrong:
            self.wrong = True
            self._report.fault(self._fault(t_ns, detail), UNLESS_CALLED)

    def _fault(self, t_ns: int, detail: str) -> Fault:
        return Fault(t_ns, COUNT_WRONG, detail, cause=STOCK, device=self._device)
