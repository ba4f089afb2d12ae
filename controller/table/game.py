"""The rounds of one table: opening, the call, the verdict, settling, and the next round.

    opened ──call──► called ──run──► verdict ──► settling ──button or time──► settled ─┐
       ▲                                  └──void──► running out ──device quiet──┐     │
       └─────────────────────────────────────────────────────────────────────────┴─────┘

A game takes observations and time, and gives events and faults. It owns no clock and no device: what it wants done it
commands of actuators. A failure of its equipment stops the play once the round that is open has its verdict.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from controller.rules.cited import OURS
from controller.table.capabilities import Capabilities
from controller.table.context import GameContext as GameContext
from controller.table.faults import CauseGone, Fault, LatchedFault
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT, Phase
from controller.table.recent import RecentRounds, Ruling
from controller.table.report import AFTER_VERDICT, UNLESS_CALLED, RoundReport, Shuts
from controller.table.rounds import DEALER_CALL as DEALER_CALL
from controller.table.rounds import SERVICE_STOPPED as SERVICE_STOPPED
from controller.table.rounds import RoundLifecycle
from controller.table.rounds import Terms as Terms
from drivers.base.driver import NEVER_NS, Observation, SensorAlive, SensorDead
from drivers.dealer.buttons import ButtonPressed
from feed import events
from feed.data import USUAL_CALL
from feed.events import Data, Evidence, Verdict, WinningBet
from feed.state import TableState
from hal.values import Frame

STEP_NS: Final = 1_000_000
"""How far on a deadline is put that a run sets for a moment that has passed, so that time goes on (ours)."""


class Game(ABC):
    """The rounds of one table. A game implements what its devices' observations mean."""

    names_result_by: ClassVar[str]
    """The key by which a person names a result: `space`, `pocket` or `dice`."""
    void_by_closing: ClassVar[bool] = True
    """Whether a round without a verdict is void when a person closes the table."""
    device: str = "wheel"
    """The device that its rounds judge; faults without a device are of this one."""

    def __init__(self, context: GameContext, terms: Terms) -> None:
        self.context = context
        self.out = RoundReport(context, self._stop)
        """What it and its parts have reported."""
        self._own_rounds: OwnRounds | None = None
        self.phase: Phase = SHUT
        self.recent = RecentRounds()
        self.called_ns: int | None = None
        """When "No more bets" was called for this round."""
        self.run_due_ns = NEVER_NS
        """The round's own deadline; it counts only until there is a verdict."""
        self._reasons = terms.reasons
        self._call_rule = terms.call
        self._rule = terms.rule
        by_hand = terms.reasons.get(DEALER_CALL)
        self._void_call = terms.void_call or (by_hand.call.value if by_hand is not None and by_hand.call else "No spin")
        self._settle_ns = round(terms.settle_after_s * 1e9)
        self._settle_due_ns = NEVER_NS
        self._shut_when_settled = False
        self._stop_reported = False
        """Whether such a fault was reported, and the table is not shut yet."""

    @property
    def rounds(self) -> RoundLifecycle:
        """What the table runs: until this game is given its rounds, it is its own."""
        if self._own_rounds is None:
            self._own_rounds = OwnRounds(self)
        return self._own_rounds

    @property
    def identified(self) -> Sequence[str]:
        """The devices that report who they are, by their names in `identities`."""
        return ()

    @property
    def identities(self) -> Mapping[str, Mapping[str, str]]:
        """What devices have reported of themselves, by their names: who made them, their numbers."""
        return {}

    # --- the journal ---------------------------------------------------------------------------------------------

    @property
    def awaits_journal(self) -> bool:
        """Whether something waits until a record is durable. `journalled` then follows."""
        return False

    def journalled(self, record: int, t_ns: int) -> None:
        """The game's record of this number is durable, and all before it. Only a game that awaits it needs it."""

    # --- events --------------------------------------------------------------------------------------------------

    @property
    def round(self) -> int:
        """The number of the round."""
        return self.out.round

    @round.setter
    def round(self, number: int) -> None:
        self.out.round = number

    @property
    def events(self) -> list[Data | Fault | CauseGone]:
        """Events and faults in order, until the table takes them."""
        return self.out.events

    @events.setter
    def events(self, reported: list[Data | Fault | CauseGone]) -> None:
        self.out.events = reported

    @property
    def shown(self) -> list[Frame]:
        """Secret frames whose content is exposed now, until the table takes them: a capture may hold them."""
        return self.out.shown

    def report(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Reports an event of this round."""
        self.out.event(kind, t_ns, **fields)

    def report_apart(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Reports an event that belongs to no round."""
        self.out.event(kind, t_ns, **fields)

    def warn(self, t_ns: int, device: str, warning: str, detail: str) -> None:
        """Reports a warning about a device."""
        self.out.warn(t_ns, device, warning, detail)

    def violation(self, t_ns: int, reason: str, rule: str, detail: str = "") -> None:
        """Reports that a person acted against the procedure."""
        self.out.violation(t_ns, reason, rule, detail)

    # --- time ----------------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """The next deadline of the round; `NEVER_NS` where there is none."""
        return min(self._settle_due_ns, self.run_due_ns)

    def due(self, t_ns: int) -> None:
        """Meets the deadlines up to `t_ns`."""
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

    # --- the course of a round -----------------------------------------------------------------------------------

    @property
    def undecided(self) -> bool:
        """Whether a round is open that has no verdict yet."""
        return self.phase in (OPEN, RUNNING)

    def open(self, t_ns: int) -> None:
        """Opens the next round."""
        self.round += 1
        self.phase = OPEN
        self.called_ns = None
        self._settle_due_ns = self.run_due_ns = NEVER_NS
        self.reset()
        self.report(events.RoundOpened, t_ns, course=self.carried_state)

    def press(self, press: ButtonPressed) -> None:
        """Takes a button: during settling, whichever it is, it settles the round."""
        t_ns = press.t_ns
        if self.phase is SETTLING:
            self.settle(t_ns, "dealer")
            if press.button == "dealer_no_more_bets" and self.undecided:
                self.close_bets(t_ns, press.pressed_ns, "dealer")
        elif press.button == "dealer_no_more_bets" and self.undecided:
            self.close_bets(t_ns, press.pressed_ns, "dealer")
        elif press.button == "dealer_void":
            self.void_by_hand(t_ns)

    def close_bets(self, t_ns: int, called_ns: int, by: str) -> None:
        """ "No more bets" is called."""
        if self.called_ns is None:
            self.called_ns = called_ns
            words = self._call_rule.call.value
            # The texts write the same words with a capital letter or without: 13:47-20.23(h)5.
            own = {} if words.lower() == USUAL_CALL.lower() else {"call": words}
            self.report(events.NoMoreBets, t_ns, by=by, rule=self._call_rule.when.cite, **own)
            self.bets_closed(t_ns, called_ns)

    @property
    def outcome_rule(self) -> str:
        """The rule that an outcome of this round cites."""
        return self._rule

    def outcome(
        self,
        t_ns: int,
        result: dict[str, Any],
        winning: list[WinningBet],
        evidence: Evidence,
        notices: list[str],
    ) -> None:
        """The run is proven and its result is read."""
        rule = self.outcome_rule
        self.report(events.Outcome, t_ns, result=result, winning=winning, evidence=evidence, rule=rule, notices=notices)
        self.recent.stands(Ruling(self.round, Verdict(verdict="outcome", result=result)))
        self._begin_settling(t_ns)

    def void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        """The run is refused. The next round opens when the device is quiet, unless a fault stops the play.

        `ours` is whether the house refuses more than the rule of this reason does: then that rule is not cited.
        """
        self.give_up(t_ns)
        self._report_void(t_ns, reason, evidence, ours=ours)
        self.run_due_ns = NEVER_NS
        self.phase = RUNNING_OUT
        self.over_if_quiet(t_ns)
        self._stop_now(t_ns)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """There may have been a result, but it is not proven: the dealer calls it."""
        self._report_unresolved(t_ns, reason, evidence, candidates)
        self._begin_settling(t_ns)

    def over_if_quiet(self, t_ns: int) -> None:
        """After a void, opens the next round once the device is quiet."""
        if self.phase is RUNNING_OUT and self.quiet():
            self.open(t_ns)

    def settle(self, t_ns: int, by: str) -> None:
        """The bets of the round are settled: the next one opens."""
        self.report(events.Settled, t_ns, by=by)
        if self._shut_when_settled:
            self._shut_when_settled = False
            self._settle_due_ns = NEVER_NS
            self.phase = SHUT
            return
        self.open(t_ns)
        self.opened_after_settling(t_ns)

    def _begin_settling(self, t_ns: int) -> None:
        self.phase = SETTLING
        self.run_due_ns = NEVER_NS
        self._settle_due_ns = NEVER_NS if self.settled_by_person else t_ns + self._settle_ns
        self._stop_now(t_ns)

    def _report_void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        self.recent.stands(Ruling(self.round, Verdict(verdict="void", reason=reason)))
        # The rules have no words for the end of the service: the call is that for any round without a result.
        known = self._reasons.get(DEALER_CALL if reason == SERVICE_STOPPED else reason)
        call = self._void_call if known is None or known.call is None else known.call.value
        rule = OURS if ours or known is None else known.rule
        remove_ball = known is not None and known.remove_ball
        self.report(events.Void, t_ns, call=call, reason=reason, rule=rule, evidence=evidence, remove_ball=remove_ball)

    def _report_unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        self.recent.stands(Ruling(self.round, Verdict(verdict="unresolved", reason=reason), tuple(candidates)))
        known = self._reasons.get(reason)
        # No text leaves a round to the dealer. What it says of a run that is proven is only what could not be proven.
        unproven = "" if known is None or known.rule == OURS else known.rule
        self.report(
            events.Unresolved,
            t_ns,
            reason=reason,
            rule=OURS,
            unproven_rule=unproven,
            evidence=evidence,
            candidates=candidates,
        )

    # --- faults --------------------------------------------------------------------------------------------------

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """A fault, a person or the end of the service shuts the table.

        A round that is being settled is settled first. A run that is on cannot be judged, unless the rules void it for
        that very reason; open bets go back.
        """
        if self.phase is SETTLING:
            self._shut_when_settled = True
            self._stop_reported = False
            return
        phase, self.phase = self.phase, SHUT
        self._settle_due_ns = self.run_due_ns = NEVER_NS
        if phase is RUNNING and reason not in self._reasons and reason != SERVICE_STOPPED:
            self._report_unresolved(t_ns, reason, Evidence(detail=detail), [])
        elif phase in (OPEN, RUNNING):
            # Bets that are merely open go back because the house shuts the table: no rule voids a run that was not.
            self._report_void(t_ns, reason, Evidence(detail=detail), ours=phase is OPEN)
        self._stop_reported = False
        self.give_up(t_ns)
        self._stop_now(t_ns)

    def reopen(self, t_ns: int) -> None:
        """The fault was cleared: the next round opens once the device is quiet."""
        self._stop_reported = self._shut_when_settled = False
        if self.phase is not SHUT:
            return
        self.phase = RUNNING_OUT
        self.reset()
        self.over_if_quiet(t_ns)

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """These faults are latched now, oldest first. Only a game that shows them needs it."""

    @property
    def stopping(self) -> bool:
        """Whether a fault is about to stop the play."""
        return self._stop_reported or bool(self.out.pending)

    def stop(self, fault: Fault) -> None:
        """A fault of the equipment stops the play once the round that is open has its verdict."""
        self.out.fault(fault, AFTER_VERDICT)

    def stop_bets(self, fault: Fault) -> None:
        """As `stop`; where bets are only open, it stops the play at once."""
        self.out.fault(fault, UNLESS_CALLED)

    def _stop(self, fault: Fault, shuts: Shuts) -> None:
        if shuts is UNLESS_CALLED and self.phase is OPEN and self.called_ns is None:
            self.out.fault(fault)
            return
        self.out.pending.append(fault)
        if not self.undecided:
            self._stop_now(fault.t_ns)

    def cause_gone(self, t_ns: int, cause: str, device: str) -> None:
        """The cause of a fault, reported or pending, is gone: a person may clear it."""
        self.out.cause_gone(t_ns, cause, device)

    def _stop_now(self, t_ns: int) -> None:
        if self.out.pending:
            self._stop_reported = self.phase is not SETTLING
            self.out.release(t_ns)

    # --- what people order ---------------------------------------------------------------------------------------

    @property
    def void_reasons(self) -> list[str]:
        """The reasons for which a person may call a round void: those that a person can know, with words to call."""
        return [reason for reason, known in self._reasons.items() if known.call is not None and not known.found_only]

    def void_by_hand(self, t_ns: int, why: str = "", reason: str = "dealer_call") -> bool:
        """A person calls the round void, for a reason that the rules know. Returns whether there was one to void."""
        if not self.undecided or reason not in self._reasons:
            return False
        self.void(t_ns, reason, Evidence(detail=why))
        return True

    def ruling_refused(self, ruling: Ruling, to: Verdict) -> str | None:
        """Why a person cannot put that verdict in the place of a round's; None where the game can follow it."""
        return None

    @property
    def ruling_leaves(self) -> str:
        """What a correction leaves to be paid, in words; empty where people settle the bets."""
        return ""

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round. If it is the last one, its bets are paid from now on."""
        self.recent.stands(ruling)
        if ruling.round == self.round and self.phase is SETTLING:
            self._begin_settling(t_ns)

    def still_voids(self, reason: str) -> bool:
        """Whether a person may call a round void for it that has its outcome, until it is settled."""
        return False

    def call_refused(self, reason: str, position: str) -> str | None:
        """Why a person in this position may not call a round void for that reason; None where the rules allow it."""
        return None

    @property
    def uncalled(self) -> int | None:
        """The unresolved round that a person must call before the next one can open; most games go on without."""
        return None

    @property
    def settled_by_person(self) -> bool:
        """Whether a person settles this round, and no time does: at a table with the button, or where money waits."""
        return self.context.settle_by_button

    @property
    def waits_for_person(self) -> bool:
        """Whether the round does not settle by itself, and not by the button alone: a person calls it, or settles its
        bets."""
        last = self.recent.last
        unresolved = last is not None and last.round == self.round and last.stands.verdict == "unresolved"
        waits = unresolved or (self.settled_by_person and not self.context.settle_by_button)
        return self.phase is SETTLING and waits and self._settle_due_ns == NEVER_NS

    @property
    def settle_refused(self) -> str | None:
        """Why nobody but a supervisor, or nobody yet, may have the round settled; None where anybody may."""
        return None

    def settle_attended(self, t_ns: int, key: str) -> bool:
        """A supervisor is present. Returns whether the round waited for one, and is settled now."""
        return False

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """The orders with which simulated staff bring a table back: verb and keys, without who sends them."""
        if self.uncalled is not None:
            return [("void", {"round": str(self.uncalled), "why": "nobody looks at dice on the bench"})]
        return [("settle", {})] if self.waits_for_person else []

    # --- start, restart and the closed table ---------------------------------------------------------------------

    def restore(self, state: TableState) -> None:
        """Goes on from what the journal holds of this game."""
        self.recent.restore(state.rounds)

    def begin(self, t_ns: int) -> None:
        """The table begins: after `restore`, before its first event."""

    def begin_shut(self, t_ns: int) -> None:
        """The table begins, and a fault from before shuts it: no round opens."""

    def lost_power(self, t_ns: int, *, recalled: bool = True) -> None:
        """The last round was open when the power failed, or the service ended: nobody knows how it ended.

        It is not `recalled`, to be corrected, where it was a round of another game.
        """
        self._report_void(t_ns, "power_loss", Evidence())
        if not recalled:
            self.recent.forget(self.round)

    def leave(self, t_ns: int) -> None:
        """The table closes while a round may not be settled: it stays as it is until the table opens again."""

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """The state that rounds hand on to the next, for a game whose rounds depend on each other."""
        return None

    @property
    def busy(self) -> str | None:
        """What a person has the devices of the closed table do, in words; None where they do nothing."""
        return None

    def inspection_begins(self) -> None:
        """A person begins to inspect the closed table: earlier trials do not count."""

    @property
    def inspection_lacks(self) -> str | None:
        """What must be tried at the device before an inspection can pass, and was not; None where nothing is left."""
        return None

    # --- results -------------------------------------------------------------------------------------------------

    @abstractmethod
    def result_named(self, name: str) -> dict[str, Any]:
        """The result that a person names, by its `names_result_by`.

        Raises:
            ValueError: the device has no such result; the message states which it has.
        """

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result that a person names for a round. Raises as `result_named`."""
        return self.result_named(name)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """How a person names a result: what `result_named` reads."""
        return str(result.get(self.names_result_by))

    def name_of_rest(self, rest: object) -> str | None:
        """How a person names the result of a device that came to rest so, as a simulator knows it; None for none."""
        return None

    def verdict_words(self, verdict: Verdict) -> str:
        """A verdict in a few words: the result, or what it is and why."""
        if verdict.result is None:
            return f"{verdict.verdict} {verdict.reason}"
        return self.context.result_words(verdict.result)

    @abstractmethod
    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with a result of this device, and the notices that go with it."""

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """As `pays`, in that round."""
        return self.pays(result)

    # --- what a game implements ----------------------------------------------------------------------------------

    @abstractmethod
    def reset(self) -> None:
        """A new round begins: forgets the last one's measures, not the device's state."""

    @abstractmethod
    def handle(self, seen: Observation) -> None:
        """Takes an observation of a device, or an actuator's report, after time has passed to it (`due`)."""

    @abstractmethod
    def quiet(self) -> bool:
        """Whether the device is at rest, so that a void round is over."""

    def run_due(self, t_ns: int) -> None:
        """The deadline of the run has come."""

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The call came: some games judge when."""

    def opened_after_settling(self, t_ns: int) -> None:
        """A round opened because the last was settled: what the device did since the verdict belongs to it."""

    def give_up(self, t_ns: int) -> None:
        """The round is over without a result: what its actuators still do is stopped."""

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether that a sensor fails or recovers means nothing to the table now, because its device is not in use."""
        return False


class OwnVerdicts:
    """The verdicts of such a game."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def void_reasons(self) -> list[str]:
        """As those of `Verdicts`."""
        return self._game.void_reasons

    def words(self, verdict: Verdict) -> str:
        """As those of `Verdicts`."""
        return self._game.verdict_words(verdict)


class OwnRounds(RoundLifecycle):
    """The rounds of a game that keeps them itself: until every game is given its rounds."""

    def __init__(self, game: Game) -> None:
        object.__setattr__(self, "_own", game)
        object.__setattr__(self, "can", Capabilities(game))
        object.__setattr__(self, "game", game)

    def __getattribute__(self, name: str) -> Any:
        if name in ("can", "game", "judged_by", "__class__"):
            return object.__getattribute__(self, name)
        game = object.__getattribute__(self, "_own")
        match name:
            case "report":
                return game.out
            case "number":
                return game.round
            case "run_due_ns":
                return game.next_due_ns
            case "settle_due_ns":
                return NEVER_NS
            case "verdicts":
                return OwnVerdicts(game)
            case "void_by_closing":
                return game.void_by_closing and game.undecided
            case "restore" | "begin_shut" | "recovery":
                return object.__getattribute__(self, f"_{name}")
            case _:
                return getattr(game, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_own"), name, value)

    def judged_by(self, game: Any) -> None:
        """The game judges its own rounds already."""

    def _restore(self, state: TableState) -> None:
        """The game itself restores them."""

    def _begin_shut(self, t_ns: int) -> None:
        object.__getattribute__(self, "_own").begin_shut(t_ns)

    def _recovery(self) -> list[tuple[str, dict[str, str]]]:
        orders: list[tuple[str, dict[str, str]]] = object.__getattribute__(self, "_own").recovery()
        return orders
