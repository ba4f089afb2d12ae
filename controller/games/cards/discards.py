"""The discard rack of a table: its count against the cards that left the shoe, and that it holds one batch."""

from __future__ import annotations

from typing import Final

from controller.rules.cited import Cited
from controller.table.report import Report
from drivers.base.driver import Observation
from drivers.cards.observations import CardDiscarded, DiscardsLost
from hal.wording import counted

RACK: Final = "discard_rack"


class Discards:
    """What is in the discard rack since shuffled cards came to the table."""

    def __init__(self, report: Report, stack: int, one_batch: Cited[str]) -> None:
        """`stack` are the cards of one batch; `one_batch` is the rule by which the rack holds cards of one alone."""
        self._report = report
        self._stack = stack
        self._rule = one_batch.cite
        self.cards: int | None = 0
        """How many; None where that is not known."""

    def handle(self, seen: Observation) -> bool:
        """Takes an observation; returns whether it was one of the rack's."""
        if isinstance(seen, CardDiscarded):
            if self.cards is not None:
                self.cards += 1
                if self.cards == self._stack + 1:
                    detail = f"more than the {counted(self._stack, 'card')} of one batch are in the discard rack"
                    self._report.violation(seen.t_ns, "two_batches_discarded", self._rule, detail)
        elif isinstance(seen, DiscardsLost):
            self.cards = None
            self._report.warn(seen.t_ns, RACK, "discards_uncounted", seen.detail)
        else:
            return False
        return True

    def emptied(self, t_ns: int, dealt: int | None) -> None:
        """The rack is emptied for the shuffle: `dealt` cards left the shoe since the last, where that is known."""
        cards, self.cards = self.cards, 0
        if cards is None or dealt is None or cards == dealt:
            return
        detail = f"{counted(dealt, 'card')} left the shoe since the shuffle, and {cards} reached the discard rack"
        self._report.warn(t_ns, RACK, "discard_count", detail)
