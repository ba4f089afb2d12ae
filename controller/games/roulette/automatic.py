"""Roulette rounds on an automatic wheel with a `*X` status feed, 13:47-20.32.

The wheel launches, follows and reads the ball by itself. It reports a ball that runs with the rotor, and refuses such
a spin itself; it never states the ball's revolutions. So its number is a candidate for the dealer to confirm, unless
the configuration trusts the wheel's certificate (`trust_wheel`); with any doubt it is never more than a candidate.
"""

from __future__ import annotations

from typing import Any

from controller.games.roulette.results import RouletteOptions, RouletteResults
from controller.games.roulette.rules import RouletteRules
from controller.table.faults import CauseGone, Fault
from controller.table.game import Game, GameContext, Terms
from controller.table.phase import OPEN, RUNNING, SETTLING
from drivers.base.driver import Observation
from drivers.roulette.star_x import (
    AutoBallDirectionWrong,
    AutoBallInRim,
    AutoClosed,
    AutoDoubt,
    AutoLaunchFailed,
    AutoLink,
    AutoNoMoreBets,
    AutoNumber,
    AutoSpinStarted,
    AutoWheelFault,
    StarXConfig,
)
from drivers.wheel.faces import ORDERS
from feed import events
from feed.events import Evidence


class AutomaticRouletteGame(Game):
    """The rounds of a table with an automatic wheel. The wheel itself calls "No more bets"."""

    names_result_by = "pocket"

    def __init__(
        self, context: GameContext, rules: RouletteRules, options: RouletteOptions, wheel: StarXConfig
    ) -> None:
        rule = rules.minimum_revolutions.cite
        super().__init__(context, Terms(rules.no_more_bets, rules.reasons, rule, options.settle_after_s))
        self._rules = rules
        self._options = options
        self._order = ORDERS[wheel.pockets]
        self._results = RouletteResults(rules, options, wheel.pockets, self._order)
        self._spinning = False
        self._early: list[Observation] = []
        """Observations of a spin that was launched before the last round was settled: it belongs to the next round."""
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self._start: AutoSpinStarted | None = None
        self._doubts: list[str] = []

    def quiet(self) -> bool:
        """Whether the wheel has no ball running."""
        return not self._spinning

    def opened_after_settling(self, t_ns: int) -> None:
        """Judges a spin that was launched before the last round was settled: it belongs to this round."""
        early, self._early = self._early, []
        for seen in early:
            if isinstance(seen, AutoSpinStarted):
                self._begin(seen, t_ns)
            elif self.phase is RUNNING:
                self._during(seen, t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """Nothing: the wheel calls while the ball is in the rim, so the call is never late."""

    def run_due(self, t_ns: int) -> None:
        """Nothing: the wheel times its own spins."""

    def handle(self, seen: Observation) -> None:
        """Handles an observation of the wheel."""
        t_ns = seen.t_ns
        match seen:
            case AutoSpinStarted():
                self._spinning = True
                if self.phase is OPEN:
                    self._begin(seen, t_ns)
                elif self.phase is SETTLING:
                    self._early = [seen]
            case AutoNumber():
                self._spinning = False
                self._came_to_nothing(t_ns)
                self._number(seen, t_ns)
            case AutoClosed():
                self._spinning = False
                self._early = []
                if self.phase is RUNNING:
                    self._unread(t_ns, "the wheel closed without a number")
            case AutoLink(up=False):
                self._spinning = False
                self._early = []
                detail = "no status from the wheel: its link or its power is off"
                self.events.append(Fault(t_ns, "sensor_missing", detail, "link"))
            case AutoLink(up=True):
                self.events.append(CauseGone(t_ns, "link"))
            case AutoWheelFault(active=True):
                detail = "the wheel reports a stuck sensor, or its motor or encoder"
                self.events.append(Fault(t_ns, "sensor_stuck", detail, "flag 4"))
            case AutoWheelFault(active=False):
                self.events.append(CauseGone(t_ns, "flag 4"))
            case AutoDoubt(reason="joined_mid_spin"):
                self._spinning = True
            case _:
                if self.phase is RUNNING:
                    self._during(seen, t_ns)
                elif self._early:
                    self._keep(seen)
        self.over_if_quiet(t_ns)

    def _keep(self, seen: Observation) -> None:
        """Keeps, of a spin that began early, the call and a wrong direction after it, for the next round.

        Doubts come with the number; what went wrong before the call was followed by a new launch.
        """
        last = self._early[-1]
        called = isinstance(last, AutoSpinStarted) and isinstance(seen, AutoNoMoreBets)
        if called or (isinstance(last, AutoNoMoreBets) and isinstance(seen, AutoBallDirectionWrong)):
            self._early.append(seen)

    def _came_to_nothing(self, t_ns: int) -> None:
        """Drops a spin that ended before the last round was settled, with a warning."""
        if self._early:
            detail = "the wheel spun and had its number before the last round was settled: it counts for nothing"
            self.report(events.DeviceWarning, t_ns, device="wheel", warning="ball_before_settled", detail=detail)
        self._early = []

    def _begin(self, seen: AutoSpinStarted, t_ns: int) -> None:
        self._start = seen
        self.phase = RUNNING
        # The ball goes against the rotor unless the wheel raises flag 2.
        self.report(events.RoundStarted, t_ns, direction="counter-clockwise" if seen.direction == "cw" else "clockwise")

    def _during(self, seen: Observation, t_ns: int) -> None:
        match seen:
            case AutoNoMoreBets():
                self.close_bets(t_ns, t_ns, "auto")
            case AutoBallDirectionWrong() if self.called_ns is not None:
                self.void(t_ns, "ball_direction", self._evidence("the wheel reports the ball going with the rotor"))
            case AutoBallDirectionWrong() | AutoLaunchFailed():
                detail = "the wheel launches again: " + (
                    "launch failed" if isinstance(seen, AutoLaunchFailed) else "wrong way"
                )
                self.report(events.DeviceWarning, t_ns, device="wheel", warning="launch_repeated", detail=detail)
            case AutoDoubt() if seen.reason not in self._doubts:
                self._doubts.append(seen.reason)
            case AutoBallInRim():
                self.report(events.RoundProgress, t_ns, revolutions=0.0, rpm=seen.rpm)
            case _:
                pass

    def _number(self, seen: AutoNumber, t_ns: int) -> None:
        if self.phase is not RUNNING:
            return
        if seen.pocket not in self._order:
            self._unread(t_ns, f"the wheel says {seen.pocket!r}, which is no pocket of it")
            return
        result = self._results.result(seen.pocket)
        doubts = [*seen.doubts, *self._doubts]
        evidence = self._evidence(", ".join(dict.fromkeys(doubts)))
        if not seen.agreed or doubts:
            self.unresolved(t_ns, "no_number_read", evidence, [result])
        elif not self._options.trust_wheel:
            self.unresolved(t_ns, "ball_revolutions", evidence, [result])
        elif self._results.is_no_spin(seen.pocket):
            self.void(t_ns, "double_zero_as_single_zero", evidence)
        else:
            winning = self._results.winning(seen.pocket)
            self.outcome(t_ns, result, winning, evidence, self._results.notices(seen.pocket))

    def _unread(self, t_ns: int, detail: str) -> None:
        self.unresolved(t_ns, "no_number_read", self._evidence(detail), [])

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of a pocket."""
        return self._results.named(name)

    def pays(self, result: dict[str, Any]) -> tuple[list[events.WinningBet], list[str]]:
        """By the layout, 13:47-20.32(f)."""
        return self._results.pays(result)

    def _evidence(self, detail: str = "") -> Evidence:
        start = self._start
        return Evidence(
            minimum_revolutions=self._rules.minimum_revolutions.value,
            rotor_direction=None if start is None else {"cw": "clockwise", "ccw": "counter-clockwise"}[start.direction],
            rotor_rpm=None if start is None else start.rpm,
            no_more_bets="in_time" if self.called_ns is not None else "never",
            measured_by="wheel",
            detail=detail,
        )
