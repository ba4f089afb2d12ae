"""What keypad and reading board of a dice table report beside values: keys refused and dropped, doubts, faults."""

from __future__ import annotations

from controller.games.dice.values import DiceValues, words
from controller.table.faults import Fault
from controller.table.report import Report
from drivers.base.driver import Observation
from drivers.dice.observations import DiceEntered, KeypadCleared, KeypadShown, KeyRefused, ReaderDoubt, ReaderFault
from feed import events


class ValueDevices:
    """Keypad and reading board of one table."""

    def __init__(self, values: DiceValues, report: Report) -> None:
        self._values = values
        self._report = report

    def take(self, seen: Observation, *, undecided: bool) -> bool:
        """Takes what they report beside values; returns whether it was that. `undecided`: a round has no verdict."""
        t_ns, report = seen.t_ns, self._report
        if isinstance(seen, KeypadShown):
            # An empty keypad is an invitation to key dice at rest; after an entry it is none.
            invited = self._values.lie and self._values.entered is None
            if undecided and (seen.values or invited):
                report.event(events.RoundProgress, t_ns, keyed=list(seen.values))
        elif isinstance(seen, KeyRefused):
            report.warn(t_ns, "keypad", f"key_{seen.reason}", seen.detail)
        elif isinstance(seen, KeypadCleared):
            if seen.by == "time":
                detail = f"{words(seen.values) or 'what was keyed'} was never entered, and is dropped"
                report.warn(t_ns, "keypad", "keyed_and_not_entered", detail)
        elif isinstance(seen, ReaderDoubt):
            if seen.reason == "value_changed":
                # Nothing read before is valid; the board reports its new reading with that doubt.
                self._values.unread()
            report.warn(t_ns, "reader", f"reader_{seen.reason}", seen.detail)
        elif isinstance(seen, ReaderFault):
            if seen.active:
                detail = seen.detail or "the reading board reports a fault"
                report.fault(Fault(t_ns, "reader_fault", detail, cause="reader", device="reader"))
            else:
                report.cause_gone(t_ns, "reader", device="reader")
        else:
            return False
        return True

    def too_early(self, seen: DiceEntered) -> None:
        """Warns of values that were keyed before the dice came to rest: the dealer keys them again."""
        detail = f"{words(seen.dice)} was keyed before the dice were known to be at rest; key them again"
        self._report.warn(seen.t_ns, "keypad", "keyed_too_early", detail)
