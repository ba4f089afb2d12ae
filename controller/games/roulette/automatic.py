"""Roulette rounds on an automatic wheel with a `*X` status feed, 13:47-20.32.

    open ──state 3, ball in rim──► running ──state 4: the call──► ──number──► outcome or unresolved
      ▲  flags 2, 8 in state 2:       │ flag 2        │ no number, flag 4, silence
      │  the wheel launches again     ▼               ▼
    the wheel reports            ball_direction   no_number_read, sensor_stuck, sensor_missing

    shut by a fault ──state 3──► void spun_while_shut: no bets were open for that spin

The wheel launches, follows and reads the ball by itself. It reports a ball that runs with the rotor, and refuses such
a spin itself; it never states the ball's revolutions. So its number is a candidate for the dealer to confirm, unless
the configuration trusts the wheel's certificate (`trust_wheel`); with any doubt it is never more than a candidate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.games.roulette.results import ZERO_UNUSED, RouletteOptions, RouletteResults
from controller.games.roulette.rules import RouletteRules
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT
from controller.table.rounds import RoundLifecycle
from controller.table.terms import DEALER_CALL, SERVICE_STOPPED
from drivers.base.driver import Observation
from drivers.roulette.star_x import (
    SPIN_STATES,
    AutoBallDirectionWrong,
    AutoBallNotDetected,
    AutoDoubt,
    AutoLaunchFailed,
    AutoLink,
    AutoNoMoreBets,
    AutoNoNumber,
    AutoNumber,
    AutoSpinDenied,
    AutoSpinStarted,
    AutoWheelFault,
)
from drivers.roulette.star_x_wire import WheelFlag, WheelState
from feed import events
from feed.events import Evidence


class AutomaticRouletteGame:
    """The rounds of a table with an automatic wheel. The wheel itself calls "No more bets"."""

    device = "wheel"
    names_result_by = "pocket"

    def __init__(
        self, rounds: RoundLifecycle, rules: RouletteRules, options: RouletteOptions, results: RouletteResults
    ) -> None:
        self.rounds = rounds
        self.report = rounds.report
        self._rules = rules
        self._options = options
        self._results = results
        self._up = False
        """Whether the wheel sends its status."""
        self._fault = False
        """Whether it reports flag 4."""
        self._spinning = False
        """Whether a ball runs: from state 3 to its number, or until the wheel gives it up."""
        self._closed = True
        """Whether the table is closed, not shut by a fault: then the wheel's spins are nobody's."""
        self._early: list[Observation] = []
        """Observations of a spin that began before the last round was settled: it belongs to the next round."""
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self._start: AutoSpinStarted | None = None

    def may_open(self, t_ns: int) -> bool:
        """A round opens once the wheel works, and no ball runs that belongs to no round."""
        self._closed = False
        if self._works and (self._early or not self._spinning):
            return True
        self.rounds.wait(RUNNING_OUT)
        return False

    @property
    def _works(self) -> bool:
        return self._up and not self._fault

    def begin_shut(self, t_ns: int) -> None:
        """The table is open, and a fault from before shuts it."""
        self._closed = False

    def reopening(self, t_ns: int) -> None:
        """A person opens the table, or cleared the fault."""
        self._closed = False

    def shutting(self, t_ns: int, reason: str) -> None:
        """A fault shuts the table, or a person or the end of the service closes it."""
        self._closed = self._closed or reason in (DEALER_CALL, SERVICE_STOPPED)

    def settled(self, t_ns: int) -> None:
        """The bets are settled. Where a fault then shuts the table, a spin that has begun has its verdict too."""
        if self.rounds.phase is SHUT and self._early:
            start, self._early = self._early[0], []
            if isinstance(start, AutoSpinStarted):
                self._outside_a_round(start, t_ns)

    def quiet(self) -> bool:
        """Whether the wheel works and has no ball running."""
        return self._works and not self._spinning

    def opened_after_settling(self, t_ns: int) -> None:
        """Judges a spin that began before the last round was settled: it belongs to this round."""
        early, self._early = self._early, []
        for seen in early:
            if isinstance(seen, AutoSpinStarted) and self.rounds.phase is OPEN:
                self._begin(seen, t_ns)
            elif self.rounds.phase is RUNNING:
                self._during(seen, t_ns)

    def handle(self, seen: Observation) -> None:
        """Handles an observation of the wheel."""
        t_ns = seen.t_ns
        match seen:
            case AutoSpinStarted():
                self._spinning = True
                if self.rounds.phase is OPEN and not seen.resumed:
                    self._begin(seen, t_ns)
                elif self.rounds.phase is SETTLING and not seen.resumed:
                    self._early = [seen]
                elif self.rounds.phase is not SETTLING:
                    self._outside_a_round(seen, t_ns)
            case AutoSpinDenied():
                self._spinning = False
                # What began early was not a spin: no round is there that it could end.
                self._early = []
                self._denied(t_ns, seen.state)
            case AutoNumber():
                self._spinning = False
                self._came_to_nothing(t_ns, "had its number")
                self._number(seen, t_ns)
            case AutoNoNumber():
                self._spinning = False
                self._came_to_nothing(t_ns, "gave it up")
                if self.rounds.phase is RUNNING:
                    self._unread(t_ns, _no_number(seen))
            case AutoLink(up=False):
                self._up = self._spinning = False
                self._came_to_nothing(t_ns, "fell silent")
                detail = "no status from the wheel: its link or its power is off"
                self.report.fault(Fault(t_ns, "sensor_missing", detail, "link"))
            case AutoLink(up=True):
                self._up, self._fault, self._spinning = True, seen.fault, seen.spinning
                self.report.cause_gone(t_ns, "link")
            case AutoWheelFault(active=True):
                self._fault = True
                self._came_to_nothing(t_ns, "failed")
                detail = "the wheel reports a stuck sensor, or its motor or encoder"
                self.report.fault(Fault(t_ns, "sensor_stuck", detail, "flag 4"))
            case AutoWheelFault(active=False):
                self._fault = False
                self.report.cause_gone(t_ns, "flag 4")
            case _:
                self._other(seen, t_ns)
        self.rounds.over_if_quiet(t_ns)

    def _other(self, seen: Observation, t_ns: int) -> None:
        """An observation that does not change whether the wheel works, or a ball runs."""
        if self.rounds.phase is RUNNING:
            self._during(seen, t_ns)
            return
        match seen:
            case AutoDoubt(reason="number_changed") if self.rounds.phase is not SHUT:
                self.report.warn(t_ns, "wheel", "number_changed", seen.detail)
            case AutoBallDirectionWrong() | AutoLaunchFailed() if (
                self.rounds.phase is OPEN and seen.state not in SPIN_STATES
            ):
                self._launched_again(seen, t_ns)
            case AutoBallDirectionWrong() | AutoBallNotDetected() | AutoLaunchFailed() if (
                self.rounds.phase is SETTLING and seen.state is WheelState.WINNING_NUMBER
            ):
                detail = f"the wheel had given its number when it reported {_FLAG_WORDS[type(seen)]}"
                self.report.warn(t_ns, "wheel", "flag_after_number", detail)
            case _ if self._early:
                self._keep(seen)
            case _:
                pass

    def _keep(self, seen: Observation) -> None:
        """Keeps, of a spin that began early, the call and a wrong direction, for the next round.

        Doubts come with the number.
        """
        if isinstance(seen, AutoNoMoreBets | AutoBallDirectionWrong):
            self._early.append(seen)

    def _came_to_nothing(self, t_ns: int, what: str) -> None:
        """Drops a spin that ended before the last round was settled, with a warning."""
        if self._early:
            detail = f"the wheel spun and {what} before the last round was settled: it does not count"
            self.report.warn(t_ns, "wheel", "ball_before_settled", detail)
        self._early = []

    def _outside_a_round(self, seen: AutoSpinStarted, t_ns: int) -> None:
        """A ball is in the rim, and no round is open for it: the spin has a round of its own, without bets.

        Not where it is the spin of a round that has its verdict, and not at a closed table.
        """
        if seen.resumed or self._closed:
            return
        if self.rounds.phase is SHUT:
            self._take_round(seen)
            detail = "the wheel launched a ball while a fault shut the table: no bets were open"
            self.rounds.report_void(t_ns, "spun_while_shut", self._evidence(detail))
        elif self.rounds.phase is RUNNING_OUT and not seen.in_order:
            self._take_round(seen)
            self.rounds.unresolved(
                t_ns,
                "joined_mid_spin",
                self._evidence("the ball was already running when the first status of the wheel arrived"),
                [],
            )

    def _take_round(self, seen: AutoSpinStarted) -> None:
        self.rounds.begin_apart()
        self._start = seen

    def _denied(self, t_ns: int, state: WheelState) -> None:
        """One status alone was of a spin. The round that it began is void; one that it did not begin stays open."""
        if self.rounds.phase is RUNNING:
            detail = f"one status alone reported the ball in the rim; after it the wheel was in state {state:d} again"
            self.rounds.void(t_ns, "spin_not_started", self._evidence(detail))

    def _begin(self, seen: AutoSpinStarted, t_ns: int) -> None:
        self._start = seen
        self.rounds.begin_run()
        self.report.event(events.RoundStarted, t_ns, direction=_ball_direction(seen))
        if seen.rpm is not None:
            self.report.event(events.RoundProgress, t_ns, rpm=seen.rpm)

    def _during(self, seen: Observation, t_ns: int) -> None:
        match seen:
            case AutoNoMoreBets():
                self.rounds.close_bets(t_ns, t_ns, "auto")
            case AutoBallDirectionWrong():
                self.rounds.void(
                    t_ns, "ball_direction", self._evidence("the wheel reports the ball going with the rotor")
                )
            case AutoLaunchFailed():
                self._launched_again(seen, t_ns)
            case _:
                pass

    def _launched_again(self, seen: AutoBallDirectionWrong | AutoLaunchFailed, t_ns: int) -> None:
        what = "launch failed" if isinstance(seen, AutoLaunchFailed) else "wrong way"
        self.report.warn(t_ns, "wheel", "launch_repeated", f"the wheel launches again: {what}")

    def _number(self, seen: AutoNumber, t_ns: int) -> None:
        if self.rounds.phase is not RUNNING:
            return
        if not self._results.has(seen.pocket):
            self._unread(t_ns, f"the wheel says {seen.pocket!r}, which is not one of its pockets")
            return
        result = self._results.result(seen.pocket)
        evidence = self._evidence(", ".join(seen.doubts))
        if not seen.agreed:
            self.rounds.unresolved(t_ns, "no_number_read", evidence, [result])
        elif not self._options.trust_wheel:
            self.rounds.unresolved(t_ns, "ball_revolutions", evidence, [result])
        elif self._results.is_no_spin(seen.pocket):
            self.rounds.void(t_ns, ZERO_UNUSED, evidence)
        else:
            winning = self._results.winning(seen.pocket)
            self.rounds.outcome(t_ns, result, winning, evidence, self._results.notices(seen.pocket))

    def _unread(self, t_ns: int, detail: str) -> None:
        self.rounds.unresolved(t_ns, "no_number_read", self._evidence(detail), [])

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result of a pocket."""
        return self._results.named(name)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """The pocket."""
        return str(result.get("pocket"))

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[events.WinningBet], list[str]]:
        """By the layout, 13:47-20.32(f)."""
        return self._results.pays(result)

    def _evidence(self, detail: str = "") -> Evidence:
        start = self._start
        return Evidence(
            minimum_revolutions=self._rules.minimum_revolutions.value,
            rotor_direction=None if start is None else _AROUND[start.direction],
            rotor_rpm=None if start is None else start.rpm,
            no_more_bets="in_time" if self.rounds.called_ns is not None else "never",
            measured_by="wheel",
            detail=detail,
        )


# --- words ---

_AROUND = {"cw": "clockwise", "ccw": "counter-clockwise"}
_FLAG_WORDS: dict[type[Observation], str] = {
    AutoBallDirectionWrong: "the ball going with the rotor (flag 2)",
    AutoBallNotDetected: "that it does not detect the ball (flag 1)",
    AutoLaunchFailed: "a failed launch (flag 8)",
}


def _ball_direction(seen: AutoSpinStarted) -> str | None:
    """The ball's direction around the bowl: against the rotor unless the wheel raises flag 2.

    None where the wheel does not detect the ball, or its sensors.
    """
    if seen.flags & (WheelFlag.BALL_NOT_DETECTED | WheelFlag.FAULT):
        return None
    with_rotor = bool(seen.flags & WheelFlag.BALL_DIRECTION)
    return _AROUND["cw" if (seen.direction == "cw") is with_rotor else "ccw"]


def _no_number(seen: AutoNoNumber) -> str:
    """Why a spin has no number, as far as the wheel reported."""
    if seen.state is WheelState.WINNING_NUMBER:
        ended = "the wheel ended the spin without reporting a number"
    elif seen.state is WheelState.CLOSED:
        ended = "the wheel closed without a number"
    else:
        ended = f"the wheel changed to state {seen.state:d} without a number"
    return f"{ended}, after {', '.join(seen.doubts)}" if seen.doubts else f"{ended}, and gave no reason"
