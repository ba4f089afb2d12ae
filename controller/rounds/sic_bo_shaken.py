"""The rounds of sic bo as far as a manual shaker goes: what its cover, its shakes and its rest mean to a round.

`controller.games.sic_bo.shaking` measures one shaking; here a round is begun, voided or revealed by it.
"""

from __future__ import annotations

from controller.games.sic_bo.shaking import Judged, Shaking
from controller.rounds.lit_game import LitGame
from controller.rounds.tossed_game import TossedGame
from controller.table.phase import OPEN, RUNNING, SETTLING
from drivers.base.driver import Observation
from drivers.dice.observations import DiceStirred, ShakerCovered, ShakerRested, ShakerShaken, ShakerUncovered
from feed import events


class SicBoShaken(LitGame, TossedGame):
    """Rounds whose dice may be shaken by hand."""

    shaking: Shaking
    uncover_ns: int
    """Knocks so soon after the cover came off are those of the cover."""

    def reset(self) -> None:
        """A new round begins."""
        super().reset()
        self._covered_again = False
        self.shaking.begin()

    def by_hand(self, seen: Observation) -> None:
        """The manual shaker says something."""
        t_ns = seen.t_ns
        if isinstance(seen, ShakerShaken):
            self._shaken(seen)
        elif isinstance(seen, ShakerCovered):
            self._covered(seen)
        elif isinstance(seen, DiceStirred):
            if self.revealed_ns is not None and t_ns > self.revealed_ns + self.uncover_ns:
                self.disturbed(t_ns, "something knocked at it")
        elif self.undecided and self.revealed_ns is None:
            judged = None
            if isinstance(seen, ShakerRested):
                judged = self.shaking.rests(seen)
            elif isinstance(seen, ShakerUncovered):
                judged = self.shaking.uncovers(self.called_ns)
            if judged is not None:
                at_ns = seen.uncovered_ns if isinstance(seen, ShakerUncovered) else t_ns
                self._judged(judged, t_ns, at_ns)

    def _judged(self, judged: Judged, t_ns: int, at_ns: int) -> None:
        if judged.verdict == "void":
            self.void(t_ns, judged.reason, self.evidence(judged.detail))
        elif judged.verdict == "unresolved":
            self.unresolved(t_ns, judged.reason, self.evidence(judged.detail), [])
        else:
            self.reveal(t_ns, at_ns)

    def _covered(self, seen: ShakerCovered) -> None:
        if self.phase is OPEN and self.seat.call_by == "auto":
            self.close_bets(seen.t_ns, seen.covered_ns, "auto")
        shown = self.revealed_ns is not None and self.phase in (RUNNING, SETTLING)
        if shown and self.shaking.shaken_ns is not None and not self._covered_again:
            self._covered_again = True
            rule = self._reasons["covered_before_paid"].rule
            self.violation(seen.t_ns, "covered_before_paid", rule, "the cover was put back before the bets were paid")

    def _shaken(self, seen: ShakerShaken) -> None:
        t_ns = seen.t_ns
        self.values.unread()
        if self.phase is RUNNING and self.revealed_ns is not None:
            self.disturbed(t_ns, "it was shaken again")
        if not self.undecided:
            return
        if self.shaking.shaken(seen):
            self._begin(t_ns, seen.shaken_ns)
        if self.phase is RUNNING:
            self.say(events.RoundProgress, t_ns, shakes=seen.shakes)

    def _begin(self, t_ns: int, shaken_ns: int) -> None:
        """The first shake of the round."""
        self.start(t_ns)
        if self.seat.call_by == "auto":
            self.close_bets(t_ns, shaken_ns, "auto")
        if self.called_ns is None or self.called_ns > shaken_ns:
            self.too_soon(t_ns)
        elif self.tossing is not None and self.tossing.present:
            detail = "the automated shaker stands on the table: it is removed before a manual one is used"
            self.void(t_ns, "shaker_not_removed", self.evidence(detail))
        elif self.shaking.covered_ns is not None and self.shaking.covered_ns < self.called_ns:
            rule = self._reasons["covered_before_no_more_bets"].rule
            self.violation(t_ns, "covered_before_no_more_bets", rule, "the cover was on before the call")

    def start(self, t_ns: int) -> None:
        """It is shaken, or it tosses."""
        self.phase = RUNNING
        by_hand = self.shaking.shaken_ns is not None
        self.say(events.RoundStarted, t_ns, tossed_by=None if by_hand else "shaker")

    def too_soon(self, t_ns: int) -> None:
        """It was shaken, or it tossed, before the call."""
        late = "never" if self.called_ns is None else "late"
        self.void(t_ns, "shaken_before_no_more_bets", self.evidence(no_more_bets=late))

    def disturbed(self, t_ns: int, what: str) -> None:
        """The dice moved after they were seen, and before their areas were lit."""
        if self.phase is RUNNING:
            known = [] if self.lighting is None else [self.result_of(self.lighting)]
            detail = f"{what} after the dice were seen, and before their areas were lit"
            self.unresolved(t_ns, "dice_disturbed", self.evidence(detail), known)
