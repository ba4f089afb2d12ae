"""What sets the dice of a sic bo round going: a dealer who shakes them, or the automated shaker that tosses them."""

from __future__ import annotations

from collections.abc import Sequence

from controller.games.dice.tossed_dice import DEVICE as SHAKER
from controller.games.dice.tossed_dice import SHAKER_FAILED, Toss, TossedDice
from controller.games.sic_bo.dice_in_play import TOO_SOON, DiceInPlay
from controller.games.sic_bo.shaking import JudgedShaking
from controller.games.sic_bo.upkeep import SicBoUpkeep
from controller.table.phase import OPEN, RUNNING, SETTLING
from drivers.base.driver import Observation
from drivers.dice.automated_shaker import ShakerPresent, TossBegan, TossFailed, TossLies
from drivers.dice.observations import DiceStirred, ShakerCovered, ShakerRested, ShakerShaken, ShakerUncovered
from feed import events


class ShakenByHand:
    """The manual shaker: covered after the call, shaken, uncovered when its dice are at rest."""

    def __init__(self, dice: DiceInPlay) -> None:
        self._dice = dice
        self._shaking = dice.shaking
        self._rounds = dice.rounds

    def take(self, seen: Observation) -> None:
        """Takes what it reports, and does to the round what that means."""
        t_ns, dice = seen.t_ns, self._dice
        self._shaking.follow(seen)
        if isinstance(seen, ShakerShaken):
            self._shaken(seen)
        elif isinstance(seen, ShakerCovered):
            self._covered(seen)
        elif isinstance(seen, DiceStirred):
            if dice.revealed_ns is not None and t_ns > dice.revealed_ns + dice.uncover_ns:
                dice.disturbed(t_ns, "something knocked at it")
        elif self._rounds.undecided and dice.revealed_ns is None:
            if isinstance(seen, ShakerRested):
                self._judged(self._shaking.rests(seen), t_ns, t_ns)
            elif isinstance(seen, ShakerUncovered):
                self._judged(self._shaking.uncovers(self._rounds.called_ns), t_ns, seen.uncovered_ns)
        self._rounds.over_if_quiet(t_ns)

    def _judged(self, judged: JudgedShaking | None, t_ns: int, at_ns: int) -> None:
        if judged is None:
            return
        if judged.verdict == "void":
            self._dice.void(t_ns, judged.reason, judged.detail, ours=judged.ours)
        elif judged.verdict == "unresolved":
            self._dice.unresolved(t_ns, judged.reason, judged.detail)
        else:
            self._dice.reveal(t_ns, at_ns)

    def _covered(self, seen: ShakerCovered) -> None:
        rounds = self._rounds
        if rounds.phase is OPEN and rounds.context.call_by == "auto":
            rounds.close_bets(seen.t_ns, seen.covered_ns, "auto")
        shown = self._dice.revealed_ns is not None and rounds.phase in (RUNNING, SETTLING)
        if shown and self._dice.by_hand and not self._shaking.covered_again:
            self._shaking.covered_again = True
            self._violation(seen.t_ns, "covered_before_paid", "the cover was put back before the bets were paid")

    def _shaken(self, seen: ShakerShaken) -> None:
        t_ns, rounds = seen.t_ns, self._rounds
        self._dice.values.unread()
        if rounds.phase is RUNNING and self._dice.revealed_ns is not None:
            self._dice.disturbed(t_ns, "it was shaken again")
        if not rounds.undecided:
            return
        if self._shaking.shaken(seen):
            self._begin(t_ns, seen.shaken_ns)
        if rounds.phase is RUNNING:
            rounds.report.event(events.RoundProgress, t_ns, shakes=seen.shakes)

    def _begin(self, t_ns: int, shaken_ns: int) -> None:
        """The first shake of the round."""
        rounds, tossed, covered_ns = self._rounds, self._dice.tossed, self._shaking.covered_ns
        self._dice.start(t_ns)
        if rounds.context.call_by == "auto":
            rounds.close_bets(t_ns, shaken_ns, "auto")
        if rounds.begun_before_call(t_ns, shaken_ns, TOO_SOON, self._dice.evidence()):
            return
        if tossed is not None and tossed.present:
            detail = "the automated shaker is on the table: it is removed before a manual one is used"
            self._dice.void(t_ns, "shaker_not_removed", detail)
        elif covered_ns is not None and rounds.called_ns is not None and covered_ns < rounds.called_ns:
            self._violation(t_ns, "covered_before_no_more_bets", "the cover was on before the call")

    def _violation(self, t_ns: int, reason: str, detail: str) -> None:
        self._rounds.report.violation(t_ns, reason, self._rounds.reasons[reason].rule, detail)


class TossedByShaker:
    """The automated shaker: started after the call; it has no cover, so its dice are seen when they are at rest."""

    def __init__(self, tossed: TossedDice, dice: DiceInPlay, upkeep: SicBoUpkeep) -> None:
        self.tossed = tossed
        self._dice = dice
        self._upkeep = upkeep

    def called(self, t_ns: int, *, alone: bool) -> None:
        """ "No more bets": it is started in a moment. `alone`: the table has no manual shaker."""
        if not self.tossed.called(t_ns) and alone:
            detail = "no shaker is on the table: void the round, then shaker_placed"
            self._dice.rounds.report.warn(t_ns, SHAKER, "no_shaker", detail)

    def take(self, seen: Observation) -> None:
        """Takes what it or its actuator reports: of an operation for an inspection, or of a toss in a round."""
        if isinstance(seen, ShakerPresent):
            self.place(seen.t_ns, present=seen.present)
            return
        of_toss = isinstance(seen, TossBegan | TossLies | TossFailed)
        operated = of_toss and self.tossed.present and self._upkeep.inspection.operating
        if not (operated and self._upkeep.operated(seen)):
            self._toss(seen.t_ns, self.tossed.take(seen, self._dice.view))
        self._dice.rounds.over_if_quiet(seen.t_ns)

    def place(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """It was put on the table, or taken away; `by` ordered it, where no sensor reports it."""
        self._toss(t_ns, self.tossed.place(t_ns, self._dice.view, present=present))
        if not self.tossed.present_sensor:
            self._upkeep.report_carried(t_ns, "shaker_placed" if present else "shaker_removed", by)
        self._dice.rounds.over_if_quiet(t_ns)

    def _toss(self, t_ns: int, tosses: Sequence[Toss]) -> None:
        dice = self._dice
        for toss in tosses:
            match toss.does:
                case "begins":
                    dice.start(t_ns)
                case "lies":
                    dice.reveal(t_ns, t_ns)
                case "disturbs":
                    dice.disturbed(t_ns, toss.detail)
                case "too_soon":
                    # Nobody had activated it: no text covers that.
                    dice.too_soon(t_ns, toss.detail, ours=True)
                case "fails":
                    dice.void(t_ns, SHAKER_FAILED, toss.detail, ours=toss.ours)
