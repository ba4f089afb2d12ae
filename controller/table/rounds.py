"""The rounds of one table: opening, the call, the verdict, settling, and the next round.

    opened ──call──► called ──run──► verdict ──► settling ──button or time──► settled ─┐
       ▲                                  └──void──► running out ──device quiet──┐     │
       └─────────────────────────────────────────────────────────────────────────┴─────┘

The table runs them, and a game is given them: it judges what its devices do, and reports verdicts. They own no clock.
A failure of the equipment stops the play once the round that is open has its verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from msgspec.structs import replace

from controller.rules.cited import OURS
from controller.table.capabilities import Capabilities
from controller.table.context import GameContext
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT, Phase
from controller.table.recent import Ruling
from controller.table.report import UNLESS_CALLED, RoundReport, Shuts
from controller.table.terms import DEALER_CALL, SERVICE_STOPPED, UNCALLED_WARNING, Terms, Uncalled
from controller.table.verdicts import Verdicts
from drivers.base.driver import NEVER_NS, Observation
from drivers.dealer.buttons import CALL_BUTTON, ButtonPressed
from feed import events
from feed.data import USUAL_CALL
from feed.events import Evidence, Verdict, WinningBet
from feed.state import TableState

STEP_NS: Final = 1_000_000
"""How far on a deadline is put that a run sets for a moment that has passed, so that time goes on (ours)."""
NOTHING: Final = Evidence()


class Game(Protocol):
    """What the observations of a table's devices mean for its rounds."""

    @property
    def rounds(self) -> RoundLifecycle:
        """The rounds that it is given, and judges."""

    @property
    def device(self) -> str:
        """The device that its rounds judge; faults without a device are of this one."""

    @property
    def names_result_by(self) -> str:
        """The key by which a person names a result: `space`, `pocket` or `dice`."""

    def reset(self) -> None:
        """A new round begins: forgets the last one's measures, not the device's state."""

    def handle(self, seen: Observation) -> None:
        """Takes an observation of a device, or an actuator's report, after time has passed to it."""

    def quiet(self) -> bool:
        """Whether the device is at rest, so that a void round is over."""

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result that a person names for a round, by `names_result_by`.

        Raises:
            ValueError: the device has no such result; the message states which it has.
        """

    def name_of(self, result: Mapping[str, Any]) -> str:
        """How a person names a result: what `result_in` reads."""

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win in that round with that result, and the notices that go with it."""


class RoundLifecycle:
    """The rounds of one table. It is given its game with `judged_by`, before anything else."""

    def __init__(self, context: GameContext, terms: Terms) -> None:
        self.context = context
        self.report = RoundReport(context, self._stop)
        """What was reported of them, until the table takes it."""
        self.verdicts = Verdicts(self.report, terms, context.result_words)
        self.recent = self.verdicts.recent
        """The last rounds, each with its verdict."""
        self.phase: Phase = SHUT
        """Where the round is: set here alone."""
        self.held: Phase | None = None
        """The phase of a round that a shut table holds: it goes on when the table opens again."""
        self.called_ns: int | None = None
        """When "No more bets" was called for this round."""
        self._call_missed = False
        """Whether the round is void because nobody had called, and nobody has since."""
        self._run_due_ns = self._settle_due_ns = NEVER_NS
        self.shut_when_settled = False
        """Whether the table is shut once the round is settled."""
        self.can = Capabilities(None)
        """What its game does beyond `Game`."""
        self.reasons = terms.reasons
        self._terms = terms
        self._settle_ns = round(terms.settle_after_s * 1e9)
        self._stop_reported = False
        """Whether a fault that stops the play was reported, and the table is not shut yet."""

    def judged_by(self, game: Game) -> None:
        """The game judges these rounds from now on."""
        self.game = game
        self.can = Capabilities(game)

    @property
    def number(self) -> int:
        """The number of the round; 0 before the first one."""
        return self.report.round

    # --- time ----------------------------------------------------------------------------------------------------

    @property
    def run_due_ns(self) -> int:
        """The round's own deadline; it counts only until there is a verdict."""
        return self._run_due_ns

    @property
    def settle_due_ns(self) -> int:
        """When the round is settled without a person."""
        return self._settle_due_ns

    @property
    def next_due_ns(self) -> int:
        """The next deadline of the round; `NEVER_NS` where there is none."""
        settle_ns, run_ns = self._settle_due_ns, self._run_due_ns
        return run_ns if run_ns < settle_ns else settle_ns

    def due(self, t_ns: int) -> None:
        """Meets the deadlines up to `t_ns`."""
        while True:
            if self._settle_due_ns <= t_ns and self._settle_due_ns <= self._run_due_ns:
                self.settle(self._settle_due_ns, "auto")
            elif self._run_due_ns <= t_ns:
                due_ns, self._run_due_ns = self._run_due_ns, NEVER_NS
                if self.can.times is not None:
                    self.can.times.run_due(due_ns)
                if self._run_due_ns <= due_ns:
                    self._run_due_ns = due_ns + STEP_NS
            else:
                return

    # --- the course of a round -----------------------------------------------------------------------------------

    @property
    def undecided(self) -> bool:
        """Whether a round is open that has no verdict yet."""
        return self.phase in (OPEN, RUNNING) or self.held is RUNNING

    def open(self, t_ns: int) -> None:
        """Opens the next round; one that was held goes on instead, and one that waits for its call is awaited."""
        if self.can.opens is not None and not self.can.opens.may_open(t_ns):
            return
        if self._resume(t_ns):
            return
        if self._terms.uncalled is Uncalled.PLAY and self.uncalled is not None:
            self.wait(SETTLING)
            self._warn_uncalled(t_ns)
            return
        self.report.round += 1
        self.called_ns = None
        self._call_missed = False
        self.wait(OPEN)
        self.game.reset()
        carried = None if self.can.carries is None else self.can.carries.carried_state
        self.report.event(events.RoundOpened, t_ns, course=carried)
        if self.can.opening is not None:
            self.can.opening.opened(t_ns)

    def wait(self, phase: Phase) -> None:
        """The table is in that phase, without a deadline."""
        self.phase = phase
        self._settle_due_ns = self._run_due_ns = NEVER_NS

    def begin_run(self) -> None:
        """The run of the round is on: from now on it gets a verdict."""
        self.phase = RUNNING

    def set_run_due(self, due_ns: int) -> None:
        """The round's own deadline is then, in place of any other."""
        self._run_due_ns = due_ns

    def drop_run_due(self) -> None:
        """The round has no deadline of its own any more."""
        self._run_due_ns = NEVER_NS

    def begin_apart(self) -> None:
        """A run that belongs to no open round has a round of its own, without bets: its verdict is reported next."""
        self.report.round += 1
        self.called_ns = None
        self._call_missed = False

    def press(self, press: ButtonPressed) -> None:
        """Takes a button: during settling, whichever it is, it settles the round."""
        if self.can.buttons is not None and self.can.buttons.pressed(press):
            return
        t_ns = press.t_ns
        if self.phase is SETTLING:
            self._press_to_settle(press)
        elif press.button == "dealer_void":
            self.void_by_hand(t_ns)
        if press.button == CALL_BUTTON and self.undecided:
            self.close_bets(t_ns, press.pressed_ns, "dealer")
        elif press.button == CALL_BUTTON and self._call_missed:
            self._call_missed = False
            self.report.violation(t_ns, "called_after_void", OURS, "play had begun before, and the round is void")

    def _press_to_settle(self, press: ButtonPressed) -> None:
        against = self.settle_refused
        if against is not None:
            self.report.warn(press.t_ns, *UNCALLED_WARNING, f"{press.button}: {against}")
        elif self._terms.uncalled is Uncalled.PLAY and self.uncalled is not None:
            self._warn_uncalled(press.t_ns)
        else:
            self.settle(press.t_ns, "dealer")

    def close_bets(self, t_ns: int, called_ns: int, by: str) -> None:
        """ "No more bets" is called."""
        if self.called_ns is None:
            self.called_ns = called_ns
            call = self._terms.call
            words = call.call.value
            # The texts write the same words with a capital letter or without: 13:47-20.23(h)5.
            own = {} if words.lower() == USUAL_CALL.lower() else {"call": words}
            self.report.event(events.NoMoreBets, t_ns, by=by, rule=call.when.cite, **own)
            if self.can.hears is not None:
                self.can.hears.bets_closed(t_ns, called_ns)

    def begun_before_call(
        self, t_ns: int, began_ns: int, reason: str, evidence: Evidence = NOTHING, *, ours: bool = False
    ) -> bool:
        """Play began at `began_ns`: the round is void where that was before the call. Returns whether it is."""
        called_ns = self.called_ns
        if called_ns is not None and called_ns <= began_ns:
            return False
        self._call_missed = called_ns is None
        call = "never" if called_ns is None else "late"
        self.void(t_ns, reason, replace(evidence, no_more_bets=call, began_ns=began_ns), ours=ours)
        return True

    def outcome(
        self,
        t_ns: int,
        result: dict[str, Any],
        winning: list[WinningBet],
        evidence: Evidence,
        notices: list[str],
        *,
        rule: str = "",
    ) -> None:
        """The run is proven and its result is read. `rule` is what it cites instead of the rule of the terms."""
        self._decided(t_ns, self.verdicts.outcome(t_ns, result, winning, evidence, notices, rule))
        self._begin_settling(t_ns)

    def void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        """The run is refused. The next round opens when the device is quiet, unless a fault stops the play.

        `ours` is whether the house refuses more than the rule of this reason does: then that rule is not cited.
        """
        if self.can.ends is not None:
            self.can.ends.run_ends(t_ns, reason)
        if self.can.gives_up is not None:
            self.can.gives_up.give_up(t_ns)
        self.report_void(t_ns, reason, evidence, ours=ours)
        self._run_due_ns = NEVER_NS
        self.phase = RUNNING_OUT
        self.over_if_quiet(t_ns)
        self._stop_now(t_ns)
        if self.can.ends is not None:
            self.can.ends.run_ended(t_ns)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """There may have been a result, but it is not proven: the dealer calls it."""
        self._decided(t_ns, self.verdicts.unresolved(t_ns, reason, evidence, candidates))
        self._begin_settling(t_ns)

    def over_if_quiet(self, t_ns: int) -> None:
        """After a void, opens the next round once the device is quiet."""
        if self.phase is RUNNING_OUT and self.game.quiet():
            self.open(t_ns)

    def report_void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        """Reports that the round is void, and leaves its phase as it is. `ours` is as in `void`."""
        self._decided(t_ns, self.verdicts.void(t_ns, reason, evidence, ours=ours))

    def _decided(self, t_ns: int, verdict: Verdict) -> None:
        if self.can.verdicts is not None:
            self.can.verdicts.decided(t_ns, verdict)

    # --- settling ------------------------------------------------------------------------------------------------

    def settle(self, t_ns: int, by: str, *, attended: bool = False) -> None:
        """The bets of the round are settled: the next one opens. `attended` is whether a supervisor is present.

        A round that may not be settled stays as it is; a table that closes leaves one that is not called.
        """
        against = None if attended else self.settle_refused
        if against is not None:
            self._settle_due_ns = NEVER_NS
            self.report.warn(t_ns, *UNCALLED_WARNING, against)
            return
        if self._terms.uncalled is Uncalled.PLAY and self.uncalled is not None:
            if self.shut_when_settled:
                self.leave()
            return
        self.report.event(events.Settled, t_ns, by=by)
        if self.shut_when_settled:
            self.leave()
        else:
            self.open(t_ns)
            if self.can.keeps is not None:
                self.can.keeps.opened_after_settling(t_ns)
        if self.can.settled is not None:
            self.can.settled.settled(t_ns)

    def settle_again(self, t_ns: int) -> None:
        """The round that was left, or whose verdict a person changed, is settled from now on."""
        self._begin_settling(t_ns)

    def leave(self) -> None:
        """The table is shut, and the round stays as it is."""
        self.shut_when_settled = False
        self._settle_due_ns = NEVER_NS
        self.phase = SHUT

    def settle_in_time(self, t_ns: int) -> None:
        """From now on the round is settled after the usual time, where no person settles it."""
        self._settle_due_ns = NEVER_NS if self.settled_by_person else t_ns + self._settle_ns

    def settle_by_hand(self) -> None:
        """From now on no time settles the round: a person does."""
        self._settle_due_ns = NEVER_NS

    def _begin_settling(self, t_ns: int) -> None:
        self.phase = SETTLING
        self._run_due_ns = NEVER_NS
        self.settle_in_time(t_ns)
        if self.uncalled is not None:
            self._settle_due_ns = NEVER_NS
        self._stop_now(t_ns)
        if self.can.settling is not None:
            self.can.settling.settling(t_ns)

    @property
    def settle_refused(self) -> str | None:
        """Why nobody but a supervisor, or nobody yet, may have the round settled; None where anybody may."""
        return None if self.can.refuses is None else self.can.refuses.settle_refused

    @property
    def settled_by_person(self) -> bool:
        """Whether a person settles this round, and no time does: at a table with the button, or where money waits."""
        return self.context.settle_by_button or (
            self.can.by_person is not None and self.can.by_person.settled_by_person
        )

    @property
    def uncalled(self) -> int | None:
        """The unresolved round that a person must call before it is settled; most games settle it like any other."""
        policy = self._terms.uncalled
        if policy is Uncalled.NOTHING or (policy is Uncalled.SETTLING and self.phase is not SETTLING):
            return None
        return self.report.round if self.verdicts.is_unresolved else None

    @property
    def waits_for_person(self) -> bool:
        """Whether the round does not settle by itself, and not by the button alone: a person calls it, or settles its
        bets."""
        if self.phase is not SETTLING or self._settle_due_ns != NEVER_NS:
            return False
        return self.verdicts.is_unresolved or (self.settled_by_person and not self.context.settle_by_button)

    def _warn_uncalled(self, t_ns: int) -> None:
        detail = f"round {self.uncalled} is unresolved: call it with confirm, void or correct"
        self.report.warn(t_ns, *self._terms.uncalled_warning, detail)

    # --- faults --------------------------------------------------------------------------------------------------

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """A fault, a person or the end of the service shuts the table.

        A round that is being settled is settled first. A run that is on cannot be judged, unless the rules void it for
        that very reason; open bets go back. A game that holds rounds has its round go on later.
        """
        if self.can.shutting is not None:
            self.can.shutting.shutting(t_ns, reason)
        if self.phase is SETTLING:
            self.shut_when_settled = True
            self._stop_reported = False
        elif self.can.holds is not None:
            if self.phase in (OPEN, RUNNING):
                self.held = self.phase
            self.phase = SHUT
            self._stop_reported = False
            self.can.holds.hold(t_ns)
        else:
            self._shut(t_ns, reason, detail)

    def _shut(self, t_ns: int, reason: str, detail: str) -> None:
        if self.can.ends is not None:
            self.can.ends.run_ends(t_ns, reason)
        phase = self.phase
        self.wait(SHUT)
        if phase is RUNNING and reason not in self.reasons and reason != SERVICE_STOPPED:
            self._decided(t_ns, self.verdicts.unresolved(t_ns, reason, Evidence(detail=detail), []))
        elif phase in (OPEN, RUNNING):
            # Bets that are merely open go back because the house shuts the table: no rule voids a run that was not.
            self.report_void(t_ns, reason, Evidence(detail=detail), ours=phase is OPEN)
        self._stop_reported = False
        if self.can.gives_up is not None:
            self.can.gives_up.give_up(t_ns)
        self._stop_now(t_ns)
        if self.can.ends is not None:
            self.can.ends.run_ended(t_ns)

    def reopen(self, t_ns: int) -> None:
        """The fault was cleared: a round that was held goes on, or the next one opens once the device is quiet."""
        if self.can.reopening is not None:
            self.can.reopening.reopening(t_ns)
        self._stop_reported = self.shut_when_settled = False
        if self.phase is not SHUT or self._resume(t_ns):
            return
        self.phase = RUNNING_OUT
        self.game.reset()
        self.over_if_quiet(t_ns)

    def _resume(self, t_ns: int) -> bool:
        """Has a round that was held go on; returns whether there was one."""
        if self.held is None or self.can.holds is None:
            return False
        self.phase, self.held = self.held, None
        self.can.holds.resume(t_ns)
        return True

    def begin_shut(self, t_ns: int) -> None:
        """The table begins, and a fault from before shuts it: no round opens."""
        if self.can.begins_shut is not None:
            self.can.begins_shut.begin_shut(t_ns)

    @property
    def stopping(self) -> bool:
        """Whether a fault is about to stop the play."""
        return self._stop_reported or bool(self.report.pending)

    def _stop(self, fault: Fault, shuts: Shuts) -> None:
        """A fault was reported that need not shut the table at once."""
        if shuts is UNLESS_CALLED and self.phase is OPEN and self.called_ns is None:
            self.report.fault(fault)
            return
        self.report.pending.append(fault)
        if not self.undecided:
            self._stop_now(fault.t_ns)

    def _stop_now(self, t_ns: int) -> None:
        if self.report.pending:
            self._stop_reported = self.phase is not SETTLING
            self.report.release(t_ns)

    # --- what people order ---------------------------------------------------------------------------------------

    @property
    def void_by_closing(self) -> bool:
        """Whether the round has no verdict, and is void when a person closes the table."""
        return self._terms.void_by_closing and self.undecided

    def void_by_hand(self, t_ns: int, why: str = "", reason: str = DEALER_CALL) -> bool:
        """A person calls the round void, for a reason that the rules know. Returns whether there was one to void."""
        if not self.undecided or reason not in self.reasons:
            return False
        held, self.held = self.held, None
        if self.can.called_void is not None:
            why = self.can.called_void.called_void(t_ns, why, reason)
        if held is RUNNING:
            # The fault is latched: the next round opens when it is cleared.
            self.report_void(t_ns, reason, Evidence(detail=why))
        else:
            self.void(t_ns, reason, Evidence(detail=why))
        return True

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round. If it is the last one, its bets are paid from now on.

        One that waited for its call at a shut table is settled by it: nobody presses a button for it.
        """
        waited = self.uncalled
        if self.can.prepares is not None:
            self.can.prepares.ruling(t_ns, ruling)
        self.recent.stands(ruling)
        if ruling.round == self.report.round and self.phase is SETTLING:
            self._begin_settling(t_ns)
        by_call = self._terms.settled_by_call or ruling.stands.result is None
        if self.phase is SHUT and waited is not None and self.uncalled is None and by_call:
            self.report.event(events.Settled, t_ns, by="dealer")
        if self.can.follows is not None:
            self.can.follows.ruled(t_ns, ruling)

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """The orders with which simulated staff bring a table back: verb and keys, without who sends them."""
        if self.uncalled is not None:
            return [("void", {"round": str(self.uncalled), "why": "nobody looks at the result on the bench"})]
        return [("settle", {})] if self.waits_for_person else []

    # --- restart -------------------------------------------------------------------------------------------------

    def restore(self, state: TableState) -> None:
        """Continues from what the journal holds of this game."""
        self.recent.restore(state.rounds)

    def lost_power(self, t_ns: int, *, recalled: bool = True) -> None:
        """The last round was open when the power failed, or the service ended: nobody knows how it ended.

        It is not `recalled`, to be corrected, where it was a round of another game.
        """
        if self.can.holds is not None:
            self.held = self.can.holds.power_lost(t_ns, recalled)
            if self.held is not None:
                return
        self.report_void(t_ns, "power_loss", Evidence())
        if not recalled:
            self.recent.forget(self.report.round)
            if self.can.verdicts is not None:
                self.can.verdicts.forgotten(self.report.round)
