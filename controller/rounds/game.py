"""What every game's rounds have in common: opening, the call, the verdict, settling, and the next round.

    opened ──call──► called ──run──► verdict ──► settling ──button or time──► settled ─┐
       ▲                                  └──void──► running out ──device quiet──┐     │
       └─────────────────────────────────────────────────────────────────────────┴─────┘

A round takes observations and time and says events. It owns no clock and no device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from controller.rounds.asked import Asked
from controller.rounds.voice import Seat
from controller.rules.cited import NoMoreBetsRule, Reason
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT, Phase
from controller.table.recent import Ruling
from drivers.base.driver import Observation
from drivers.dealer.buttons import ButtonPressed
from feed import events
from feed.events import Evidence, Verdict, WinningBet
from feed.state import TableState
from hal.values import Output

NEVER_NS: Final = 1 << 62
STEP_NS: Final = 1_000_000
"""How far on a deadline is put that a run sets for a moment that has passed: time goes on, whatever it does (ours)."""


class Game(Asked, ABC):
    """The rounds of one table, one after the other. A game adds what its device's observations mean."""

    names_result_by: ClassVar[str]
    """What a person names a result by: `space`, `pocket` or `dice`."""
    device: str = "wheel"
    """The device that its rounds judge; for a table that names it otherwise, an instance has its own."""

    def __init__(
        self, seat: Seat, call: NoMoreBetsRule, reasons: Mapping[str, Reason], rule: str, settle_after_s: float
    ) -> None:
        super().__init__(seat, reasons)
        self.phase: Phase = SHUT
        self.shown: list[Output] = []
        """What is to be done at outputs, in order: it is taken by whoever carries it out."""
        self._call_rule = call
        self._rule = rule
        self._settle_ns = round(settle_after_s * 1e9)
        self._settle_due_ns = NEVER_NS
        self.run_due_ns = NEVER_NS
        """The game's own next deadline, which means something only until there is a verdict."""
        self._shut_when_settled = False
        self.called_ns: int | None = None
        """When "No more bets" was called for this round."""

    # --- what a table calls --------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int | None:
        """When the round wants to be told that time has passed."""
        due_ns = min(self._settle_due_ns, self.run_due_ns)
        return due_ns if due_ns < NEVER_NS else None

    def open(self, t_ns: int) -> None:
        """Opens the next round."""
        self.round += 1
        self.phase = OPEN
        self.called_ns = None
        self._settle_due_ns = self.run_due_ns = NEVER_NS
        self.reset()
        self.say(events.RoundOpened, t_ns, course=self.course_told)

    def press(self, press: ButtonPressed) -> None:
        """A button was pressed: during settling, whichever it is, the round is settled."""
        t_ns = press.t_ns
        if self.phase is SETTLING:
            self.settle(t_ns, "dealer")
            if press.button == "dealer_no_more_bets" and self.undecided:
                self.close_bets(t_ns, press.pressed_ns, "dealer")
        elif press.button == "dealer_no_more_bets" and self.undecided:
            self.close_bets(t_ns, press.pressed_ns, "dealer")
        elif press.button == "dealer_void":
            self.void_by_hand(t_ns)

    def due(self, t_ns: int) -> None:
        """Lets time pass to `t_ns`."""
        while True:
            if self._settle_due_ns <= t_ns and self._settle_due_ns <= self.run_due_ns:
                self.settle(self._settle_due_ns, "auto")
            elif self.run_due_ns <= t_ns:
                due_ns, self.run_due_ns = self.run_due_ns, NEVER_NS
                self.run_due(due_ns)
                if self.run_due_ns <= due_ns:
                    self.run_due_ns = due_ns + STEP_NS
            else:
                return

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """A fault of the device stops the table.

        A run that is on cannot be judged, unless the rules void it for that very reason; open bets go back.
        """
        if self.phase is SETTLING:
            # The verdict stands, and its bets are paid first.
            self._shut_when_settled = True
            return
        phase, self.phase = self.phase, SHUT
        self._settle_due_ns = self.run_due_ns = NEVER_NS
        if phase is RUNNING and reason not in self._reasons:
            self._say_unresolved(t_ns, reason, Evidence(detail=detail), [])
        elif phase in (OPEN, RUNNING):
            self._say_void(t_ns, reason, Evidence(detail=detail))

    def reopen(self, t_ns: int) -> None:
        """The fault was cleared: the next round opens once the device is quiet."""
        self._shut_when_settled = False
        if self.phase is not SHUT:
            return
        self.phase = RUNNING_OUT
        self.reset()
        self.over_if_quiet(t_ns)

    def void_by_hand(self, t_ns: int, why: str = "", reason: str = "dealer_call") -> bool:
        """A person calls the round void, for a reason that the rules know. Returns whether there was one to void."""
        if not self.undecided or reason not in self._reasons:
            return False
        self.void(t_ns, reason, Evidence(detail=why))
        return True

    def restore(self, state: TableState) -> None:
        """Goes on from what the journal tells of this game."""
        self.recent.restore(state.rounds)

    def begin(self, t_ns: int) -> None:
        """The table begins, after what was restored and before its first event: what hangs on the calendar is known."""

    def lost_power(self, t_ns: int, *, recalled: bool = True) -> None:
        """The last round was open when the power went, or the service died: nobody knows how it ended.

        It is not `recalled`, to be corrected, where it was a round of another game.
        """
        self._say_void(t_ns, "power_loss", Evidence())
        if not recalled:
            self.recent.forget(self.round)

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round. If it is the last one, its bets are paid from now on."""
        self.recent.stands(ruling)
        if ruling.round == self.round and self.phase is SETTLING:
            self._begin_settling(t_ns)

    def settle(self, t_ns: int, by: str) -> None:
        """The bets of the round are settled: the next one opens."""
        self.say(events.Settled, t_ns, by=by)
        if self._shut_when_settled:
            self._shut_when_settled = False
            self._settle_due_ns = NEVER_NS
            self.phase = SHUT
            return
        self.open(t_ns)
        self.opened_after_settling(t_ns)

    def close_bets(self, t_ns: int, called_ns: int, by: str) -> None:
        """ "No more bets" is called."""
        if self.called_ns is None:
            self.called_ns = called_ns
            self.say(events.NoMoreBets, t_ns, by=by, rule=self._call_rule.when.cite)
            self.bets_closed(t_ns, called_ns)

    # --- what a game adds ----------------------------------------------------------------------------------------

    @abstractmethod
    def reset(self) -> None:
        """A new round begins: forget the last one's measures, not the device's state."""

    @abstractmethod
    def see(self, seen: Observation) -> None:
        """Takes an observation of the device, after time has passed to it (`due`)."""

    @abstractmethod
    def run_due(self, t_ns: int) -> None:
        """The deadline of the run has come."""

    @abstractmethod
    def quiet(self) -> bool:
        """Whether the device is at rest, so that a void round is over."""

    @abstractmethod
    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The call came: some games judge when."""

    @abstractmethod
    def opened_after_settling(self, t_ns: int) -> None:
        """A round opened because the last was settled: what the device did since the verdict belongs to it."""

    @abstractmethod
    def result_named(self, name: str) -> dict[str, Any]:
        """The result that a person names, by its `names_result_by`.

        Raises:
            ValueError: the device has no such result; the message says which it has.
        """

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result that a person names for a round. Raises as `result_named`."""
        return self.result_named(name)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with a result in that round, and the notices that go with it."""
        return self.pays(result)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """How a person names a result: what `result_named` reads."""
        return str(result.get(self.names_result_by))

    @abstractmethod
    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with a result of this device, and the notices that go with it."""

    # --- verdicts ------------------------------------------------------------------------------------------------

    def outcome(
        self,
        t_ns: int,
        result: dict[str, Any],
        winning: list[WinningBet],
        evidence: Evidence,
        notices: list[str],
    ) -> None:
        """The run is proven and its result is read."""
        self.say(
            events.Outcome, t_ns, result=result, winning=winning, evidence=evidence, rule=self._rule, notices=notices
        )
        self.recent.stands(Ruling(self.round, Verdict(verdict="outcome", result=result)))
        self._begin_settling(t_ns)

    def void(self, t_ns: int, reason: str, evidence: Evidence) -> None:
        """The run is refused. The round is over when the device is quiet."""
        self._say_void(t_ns, reason, evidence)
        self.run_due_ns = NEVER_NS
        self.phase = RUNNING_OUT
        self.over_if_quiet(t_ns)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """There may have been a result, but it is not proven: the dealer calls it."""
        self._say_unresolved(t_ns, reason, evidence, candidates)
        self._begin_settling(t_ns)

    def over_if_quiet(self, t_ns: int) -> None:
        """After a void: the next round opens once the device is quiet."""
        if self.phase is RUNNING_OUT and self.quiet():
            self.open(t_ns)

    @property
    def undecided(self) -> bool:
        """Whether a round is open that has no verdict yet."""
        return self.phase in (OPEN, RUNNING)

    def _begin_settling(self, t_ns: int) -> None:
        self.phase = SETTLING
        self.run_due_ns = NEVER_NS
        self._settle_due_ns = NEVER_NS if self.seat.settle_by_button else t_ns + self._settle_ns
