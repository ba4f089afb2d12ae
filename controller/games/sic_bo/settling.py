"""When a sic bo round may be settled: once its areas are lit, or a supervisor is present where the lamps failed.

A round that may not be settled when the table is closed, or when the service ends, is left, and settled when the table
is open again.
"""

from __future__ import annotations

from controller.games.sic_bo.dice_in_play import DiceInPlay
from controller.games.sic_bo.lit_areas import LAMP_BOARD, LAMPS_FAILED, THE_LAMPS
from controller.games.sic_bo.upkeep import SicBoUpkeep
from controller.table.faults import Fault
from controller.table.phase import RUNNING, SETTLING
from controller.table.recent import Ruling
from controller.table.report import AFTER_VERDICT
from drivers.base.driver import Observation
from drivers.lamps.lamp_board import LampsDark, LampsFailed, LampsMended, LampsShown
from feed import state as feed_phase
from feed.state import TableState


class SicBoSettling:
    """The lamps of a round that is decided, and of one that is to be settled."""

    def __init__(self, dice: DiceInPlay, upkeep: SicBoUpkeep) -> None:
        self._dice = dice
        self._areas = dice.areas
        self._rounds = dice.rounds
        self._upkeep = upkeep
        self._left = False
        """Whether the last round waits to be settled since the table was closed, or since before the service began."""
        self._left_supervised = False

    # --- what the lamps report -----------------------------------------------------------------------------------

    def take(self, seen: Observation) -> None:
        """The lamps show what was asked, or do not: in an inspection, or in a round."""
        t_ns, rounds, areas = seen.t_ns, self._rounds, self._areas
        if isinstance(seen, LampsShown | LampsFailed):
            self._upkeep.read_back(t_ns)
        if isinstance(seen, LampsFailed):
            self._failed(t_ns, seen.detail)
        elif isinstance(seen, LampsShown) and rounds.phase is SETTLING and areas.relighting:
            areas.relighting = False
            rounds.settle_again(t_ns)
        elif isinstance(seen, LampsShown):
            self._dice.decide(t_ns)
        elif isinstance(seen, LampsMended):
            rounds.report.cause_gone(t_ns, THE_LAMPS, LAMP_BOARD)
            if rounds.phase is not SETTLING:
                areas.lamps.darken(t_ns)
        elif isinstance(seen, LampsDark) and rounds.phase is SETTLING:
            reason, detail = "lamps_cleared_before_paid", "the lamps went dark before the bets were settled"
            rounds.report.violation(t_ns, reason, rounds.reasons[reason].rule, detail)
            areas.light_again(t_ns)

    def _failed(self, t_ns: int, detail: str) -> None:
        rounds = self._rounds
        rounds.report.fault(Fault(t_ns, LAMPS_FAILED, detail, cause=THE_LAMPS, device=LAMP_BOARD), AFTER_VERDICT)
        if rounds.undecided and self._dice.revealed_ns is None:
            self._dice.void(t_ns, "lamps_failed_before_reveal", detail)
            return
        self._areas.supervised = rounds.phase in (RUNNING, SETTLING)
        if rounds.phase is SETTLING:
            rounds.settle_by_hand()
        else:
            self._dice.decide(t_ns)

    # --- who settles ---------------------------------------------------------------------------------------------

    @property
    def refused(self) -> str | None:
        """Why the round may not be settled now, or only by a supervisor."""
        rounds = self._rounds
        if rounds.phase is not SETTLING:
            return None
        if rounds.uncalled is not None:
            return f"round {rounds.number} is unresolved: call it first, with confirm, void or correct"
        return self._areas.settle_refused(rounds.number, rounds.reasons[LAMPS_FAILED].rule)

    @property
    def attended_awaited(self) -> bool:
        """Whether the round waits for a supervisor who is present, and nothing else."""
        return self._rounds.phase is SETTLING and self._areas.supervised and self._rounds.uncalled is None

    def attended(self, t_ns: int, key: str) -> bool:
        """A supervisor is present: settles a round whose lamps failed. Returns whether there was one."""
        waited = self.attended_awaited
        if waited:
            self._rounds.settle(t_ns, key, attended=True)
        return waited

    def begins(self) -> None:
        """The bets of the round are to be paid; no time settles a round that may not be settled."""
        self._areas.settling_begins()
        if self.refused is not None:
            self._rounds.settle_by_hand()

    def called(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round. If it is the last, its areas are lit before it is settled."""
        if ruling.round == self._rounds.number and self._rounds.phase is SETTLING:
            self._relight(t_ns, ruling)

    def _relight(self, t_ns: int, ruling: Ruling) -> None:
        result = ruling.stands.result
        self._areas.relight(None if result is None else tuple(result["dice"]), t_ns)

    # --- a round that was left -----------------------------------------------------------------------------------

    def restore(self, state: TableState) -> None:
        """Continues from where the journal holds the table."""
        record = state.record(state.round)
        paid = state.phase == feed_phase.VOID and record is not None and record.verdict != "void"
        self._left = paid or state.phase in (feed_phase.SETTLING, feed_phase.UNRESOLVED)
        self._left_supervised = any((one.device, one.fault) == (LAMP_BOARD, LAMPS_FAILED) for one in state.faults)

    def leave(self) -> None:
        """The table is closed by force while the round may not be settled: it waits until the table opens again."""
        self._left, self._left_supervised = True, self._areas.supervised
        self._rounds.leave()

    def resume(self, t_ns: int) -> bool:
        """Goes on settling a round that was left: its areas are lit again. Returns whether there was one."""
        left, self._left = self._left, False
        rounds = self._rounds
        last = rounds.recent.last
        if not left or last is None or last.round != rounds.number:
            return False
        self._dice.begin()
        rounds.wait(SETTLING)
        self._areas.supervised = self._left_supervised
        self._relight(t_ns, last)
        rounds.settle_again(t_ns)
        detail = self.refused or "its bets are still to be settled"
        rounds.report.warn(t_ns, "dealer", "not_settled", f"round {rounds.number} was left: {detail}")
        return True
