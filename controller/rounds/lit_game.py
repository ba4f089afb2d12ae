"""Rounds of dice whose winning areas are lit, and read back, before anything is settled (19:47-9, 13:69F-9).

    values ──► exactly the areas that win ──► read back ──► outcome ──► settled ──► dark
                                                 └─ the lamps fail ──► outcome; a supervisor settles; play ceases

The lamps are the layout's "electrical device". Before the dice are seen its failure voids the round; after that the
round stands, is settled in a supervisor's presence, and nothing is played until it is mended (9.6(b)).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Final

from controller.games.dice.rules import Dice
from controller.games.dice.values import DiceValues
from controller.games.sic_bo.areas import SicBoLayout
from controller.games.sic_bo.rules import SicBoRules
from controller.rounds.equipped_game import EquippedGame
from controller.rounds.game import NEVER_NS
from controller.rounds.lamp_watch import LampWatch, News
from controller.rounds.voice import Seat
from controller.table.faults import Fault
from controller.table.phase import RUNNING, SETTLING, SHUT
from controller.table.recent import Ruling
from drivers.dealer.buttons import ButtonPressed
from drivers.dice.reader import DiceReader
from drivers.lamps.lamp_board import LampsLost, LampsRead
from feed import state as feed_phase
from feed.events import Evidence, WinningBet
from feed.state import TableState

LAMP_BOARD: Final = "lamp_board"
LAMPS_FAILED: Final = "lamps_failed"
THE_LAMPS: Final = "the lamps"
"""The cause of their fault, while they are not mended."""


class LitGame(EquippedGame):
    """The rounds of a table with lit areas. A game adds how its dice come to lie."""

    def __init__(
        self,
        seat: Seat,
        rules: SicBoRules,
        settle_after_s: float,
        values: DiceValues,
        reader: DiceReader | None,
        lamps: LampWatch,
        layout: SicBoLayout,
    ) -> None:
        """`lamps` are those of the areas of `layout`."""
        super().__init__(seat, rules, rules.electrical_device.settled_when.cite, settle_after_s, values, reader)
        self.rules = rules
        self.layout = layout
        self.lamps = lamps
        self._left = False
        """Whether the last round waits to be settled since the table was closed, or since before the service began."""
        self._left_supervised = False

    def reset(self) -> None:
        """A new round begins."""
        self.revealed_ns: int | None = None
        """When the dice were seen."""
        self.lighting: Dice | None = None
        """The values whose areas are lit, or are to be."""
        self.supervised = False
        """Whether only a supervisor settles this round."""
        self._relit = False
        """Whether the areas of a round that a person called are being lit."""

    @abstractmethod
    def evidence(self, detail: str = "", *, no_more_bets: str | None = None) -> Evidence:
        """What was measured of the round."""

    # --- settling ------------------------------------------------------------------------------------------------

    def press(self, press: ButtonPressed) -> None:
        """A button was pressed: it settles nothing that may not be settled."""
        against = self.settle_refused
        if self.phase is SETTLING and against is not None:
            self.warn(press.t_ns, "dealer", "not_settled", f"{press.button}: {against}")
        else:
            super().press(press)

    @property
    def uncalled(self) -> int | None:
        """An unresolved round is called before it is settled: its areas must have been lit."""
        last = self.recent.last
        open_still = last is not None and last.round == self.round and last.stands.verdict == "unresolved"
        return self.round if open_still and self.phase is SETTLING else None

    @property
    def settle_refused(self) -> str | None:
        """Nothing is settled before its areas are lit (9.3(c)); where they cannot be, only by a supervisor (9.6(b))."""
        if self.phase is not SETTLING:
            return None
        if self.uncalled is not None:
            return f"round {self.round} is unresolved: call it first, with confirm, void or correct"
        if self.supervised:
            rule = self._reasons[LAMPS_FAILED].rule
            return f"the lamps failed, so a supervisor settles round {self.round} ({rule}): the key, or settle_attended"
        return f"the areas of round {self.round} are not lit yet" if self._relit else None

    def attended(self, t_ns: int, key: str) -> bool:
        """The supervisor's key settles a round whose lamps failed."""
        if self.phase is not SETTLING or not self.supervised or self.uncalled is not None:
            return False
        self.settle(t_ns, key)
        return True

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round. If it is the last, its areas are lit before it is settled."""
        if ruling.round == self.round and self.phase is SETTLING:
            self._relight(t_ns, ruling)
        super().ruled(t_ns, ruling)

    def _relight(self, t_ns: int, ruling: Ruling) -> None:
        """Lights what wins by a person's call; nothing where nothing does."""
        result = ruling.stands.result
        if result is None:
            self._relit = False
            self.darken(t_ns)
            return
        areas = self.layout.lit(self.dice_of(result))
        self.shown.append(self.lamps.light([area.number for area in areas], t_ns))
        self._relit = not self.lamps.shows

    # --- a round that was left -----------------------------------------------------------------------------------

    def leave(self, t_ns: int) -> None:
        """The table is closed by force while the round may not be settled: it waits until the table opens again."""
        self._left, self._left_supervised = True, self.supervised
        self._shut_when_settled = False
        self._settle_due_ns = NEVER_NS
        self.phase = SHUT
        self.give_up(t_ns)

    def restore(self, state: TableState) -> None:
        """A round that was being settled when the service ended, or when the table was closed, still is."""
        super().restore(state)
        record = state.record(state.round)
        paid = state.phase == feed_phase.VOID and record is not None and record.verdict != "void"
        self._left = paid or state.phase in (feed_phase.SETTLING, feed_phase.UNRESOLVED)
        self._left_supervised = any((one.device, one.fault) == (LAMP_BOARD, LAMPS_FAILED) for one in state.faults)

    def begin_shut(self, t_ns: int) -> None:
        """A fault of before shuts the table: a round that was being settled is settled first."""
        self._shut_when_settled = self.resume(t_ns)

    def resume(self, t_ns: int) -> bool:
        """Goes on settling a round that was left: its areas are lit again. Returns whether there was one."""
        last = self.recent.last
        if not self._left or last is None or last.round != self.round:
            self._left = False
            return False
        self._left = False
        self.reset()
        self.phase, self.supervised = SETTLING, self._left_supervised
        self._relight(t_ns, last)
        self._begin_settling(t_ns)
        detail = self.settle_refused or "its bets are still to be settled"
        self.warn(t_ns, "dealer", "not_settled", f"round {self.round} was left: {detail}")
        return True

    def settle(self, t_ns: int, by: str) -> None:
        """The bets are paid: only now the lamps may go dark."""
        super().settle(t_ns, by)
        self.darken(t_ns)

    # --- lamps ---------------------------------------------------------------------------------------------------

    def heed_lamps(self, seen: LampsRead | LampsLost) -> None:
        """The chain read back, or cannot be reached."""
        news = self.lamps.read(seen) if isinstance(seen, LampsRead) else self.lamps.lose(seen)
        self.lamp_news(news, seen.t_ns)

    def lamps_due(self, t_ns: int) -> None:
        """Their deadline has come: they were waited for in vain, or are read back anew."""
        news, again = self.lamps.due(t_ns)
        if again:
            # Out of a round only what failed is looked at: a dead lamp by lighting it, a stuck one in the dark.
            on = self.phase in (RUNNING, SETTLING)
            self.shown.append(self.lamps.light(self.lamps.asked if on else self.lamps.dead, t_ns))
        self.lamp_news(news, t_ns)

    def light(self, t_ns: int, dice: Dice) -> None:
        """Lights exactly the areas that win; the round has its outcome when they are read back."""
        self.lighting, self.run_due_ns = dice, NEVER_NS
        self.shown.append(self.lamps.light([area.number for area in self.layout.lit(dice)], t_ns))
        if self.lamps.failure is not None:
            self._outcome(t_ns)

    def lamp_news(self, news: News | None, t_ns: int) -> None:
        """The lamps show what was asked, or do not."""
        if news == "shown" and self.phase is RUNNING and self.lighting is not None:
            self._outcome(t_ns)
        elif news == "shown" and self.phase is SETTLING and self._relit:
            self._relit = False
            self._begin_settling(t_ns)
        elif news == "mended":
            self.cause_gone(t_ns, THE_LAMPS, LAMP_BOARD)
            if self.phase is not SETTLING:
                self.darken(t_ns)
        elif news == "dark" and self.phase is SETTLING:
            rule = self._reasons["lamps_cleared_before_paid"].rule
            self.violation(t_ns, "lamps_cleared_before_paid", rule, "the lamps went dark before the bets were settled")
            self.shown.append(self.lamps.light(self.lamps.asked, t_ns))
        elif news == "failed":
            self._lamps_failed(t_ns)

    def _lamps_failed(self, t_ns: int) -> None:
        detail = self.lamps.failure or ""
        self.stop(Fault(t_ns, LAMPS_FAILED, detail, cause=THE_LAMPS, device=LAMP_BOARD))
        if self.undecided and self.revealed_ns is None:
            self.void(t_ns, "lamps_failed_before_reveal", self.evidence(detail))
            return
        self.supervised = self.phase in (RUNNING, SETTLING)
        if self.phase is RUNNING and self.lighting is not None:
            self._outcome(t_ns)
        elif self.phase is SETTLING:
            self._settle_due_ns = NEVER_NS

    def _outcome(self, t_ns: int) -> None:
        dice = self.lighting or ()
        result = self.result_of(dice)
        winning, notices = self.pays(result)
        if self.lamps.failure is not None:
            rule = self._reasons[LAMPS_FAILED].rule
            notices = [*notices, f"lamps_failed: {self.lamps.failure}; settle in the supervisor's presence ({rule})"]
        self.outcome(t_ns, result, winning, self.evidence(), notices)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """Nobody knows what wins: nothing stays lit until the round is called."""
        super().unresolved(t_ns, reason, evidence, candidates)
        self.lighting = None
        self.darken(t_ns)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """As `pays`; a round that is not being settled any more has no areas lit, and that is told."""
        winning, notices = super().pays_in(number, result)
        if number != self.round or self.phase is not SETTLING:
            rule = self.rules.electrical_device.settled_when.cite
            notices = [*notices, f"areas_not_lit: round {number} is over, and its areas are not lit for it ({rule})"]
        return winning, notices

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The wagers of the areas that these dice light."""
        winning = [WinningBet(bet.bet, bet.odds) for bet in self.layout.winning(self.dice_of(result))]
        return winning, []

    def darken(self, t_ns: int) -> None:
        """Nothing is lit any more."""
        if self.lamps.asked:
            self.shown.append(self.lamps.light((), t_ns))

    # --- how a round ends ----------------------------------------------------------------------------------------

    def _begin_settling(self, t_ns: int) -> None:
        super()._begin_settling(t_ns)
        # A call that comes later does not change that.
        self.supervised = self.supervised or self.lamps.failure is not None
        if self.settle_refused is not None:
            self._settle_due_ns = NEVER_NS

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round goes on: the lamps are dark."""
        self.darken(t_ns)
