"""When the cards of a table are shuffled, and what is done with them before a round is dealt.

cutting card, misdeal, new dealer ──► due ──► fault reshuffle_due ──► new_shoe ──► burn ──► the next round
a game with fresh cards each round: new_shoe before every round; a deal without it is a violation
"""

from __future__ import annotations

from typing import Final

from controller.games.cards.rules import CardRules
from controller.games.cards.shoe import SHOE
from controller.games.cards.shoe_book import ShoeBook
from controller.rules.cited import OURS
from controller.table.faults import Fault
from controller.table.report import AFTER_VERDICT, UNLESS_CALLED, Report
from feed.state import TableState

RESHUFFLE: Final = "reshuffle_due"


class Reshuffle:
    """Whether the cards of one table are to be shuffled, and which are in use."""

    def __init__(self, report: Report, rules: CardRules, book: ShoeBook, *, fresh_each_round: bool) -> None:
        """`fresh_each_round` is whether each round is dealt from newly shuffled cards."""
        self._report = report
        self._rules = rules
        self._book = book
        self._fresh = fresh_each_round
        self.due = ""
        """Why the cards are to be shuffled before the next round, in words; empty where they are not."""
        self.deck_in_use = ""
        """As the dealer names it; empty where nobody has."""
        self.shuffled = not fresh_each_round
        """Whether the cards that are dealt next were shuffled."""

    def restore(self, state: TableState) -> None:
        """Where the cards were to be shuffled, they still are."""
        due = [fault for fault in state.faults if fault.fault == RESHUFFLE]
        self.due = due[0].detail if due else ""

    def begin(self, t_ns: int) -> None:
        """The table begins, with what was before a restart."""
        if self.due:
            self._report.fault(self._fault(t_ns))

    def order(self, t_ns: int, why: str, *, at_once: bool = False) -> bool:
        """The cards are to be shuffled before another round, or, `at_once`, before this one where none of it is dealt.

        Returns whether that is news. Cards that are shuffled for each round anyway shut no table.
        """
        if self._fresh:
            self.shuffled = False
            return False
        if self.due:
            return False
        self.due = f"{why}: shuffle, load the shoe, then new_shoe"
        self._report.fault(self._fault(t_ns), UNLESS_CALLED if at_once else AFTER_VERDICT)
        return True

    def after_void(self, t_ns: int, reason: str) -> None:
        """A round is void: for some reasons the text has its cards shuffled."""
        for rule in self._rules.reshuffles:
            if rule.value == reason:
                self.order(t_ns, f"the round is void for {reason} ({rule.cite})")

    def cutting_card(self, t_ns: int) -> None:
        """The cutting card has come: the round is played to its end, then the cards are shuffled."""
        if not self.due:
            detail = "the cutting card was reached: the cards are shuffled after this round"
            self._report.warn(t_ns, SHOE, "cutting_card", detail)
            self.order(t_ns, "the cutting card was reached")

    def loaded(self, t_ns: int, deck: str) -> bool:
        """Shuffled cards are in the shoe, of the deck that the dealer names; returns whether they were due."""
        due, self.due = bool(self.due), ""
        rule = self._rules.reasons.get("deck_not_alternated")
        if deck and deck == self.deck_in_use and rule is not None:
            detail = f"deck {deck} was in use in the last round too"
            self._report.violation(t_ns, "deck_not_alternated", rule.rule, detail)
        self.deck_in_use = deck
        burn = self._rules.burn
        self._book.shuffled(0 if burn is None else burn.value)
        self.shuffled = True
        return due

    def burned_early(self, t_ns: int) -> None:
        """A card was burned while bets are open, at a game that burns after the call."""
        detail = "a card was burned before the bets were closed"
        self._report.violation(t_ns, "burned_before_call", self._burn_rule, detail)

    def dealt(self, t_ns: int, *, burn_is_over: bool) -> None:
        """A round is dealt: reports what was to be done with the cards before it, and was not.

        `burn_is_over` is whether no card can be burned any more; some games burn after the call.
        """
        if self._book.burn_due and burn_is_over:
            self._book.burn_due = 0
            detail = "cards are dealt, and none of the shuffled cards was burned"
            self._report.violation(t_ns, "not_burned", self._burn_rule, detail)
        if not self._fresh:
            return
        if not self.shuffled:
            rule = self._rules.reasons["not_shuffled"].rule
            detail = "cards are dealt that nobody reported as shuffled since the last round: new_shoe reports it"
            self._report.violation(t_ns, "not_shuffled", rule, detail)
        self.shuffled = False

    @property
    def _burn_rule(self) -> str:
        burn = self._rules.burn
        return OURS if burn is None else burn.cite

    def _fault(self, t_ns: int) -> Fault:
        return Fault(t_ns, RESHUFFLE, self.due, cause=RESHUFFLE, device=SHOE)
