"""Rounds of a number that a generator draws, in place of the space of a wheel; by house rules alone.

    open ──the draw begins──► running ──the number, twice alike──► outcome
                                 │ no call before it        │ doubt, no number, silence
                                 ▼                          ▼
                  void spun_before_no_more_bets        unresolved no_number_read, sensor_missing

All of it is ours: of a "computerized random number generator; button" the State's rules have the title alone,
13:69F-11.4 and 19:47-11.4. Number n is face "n", space n - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.games.base.wheels import begin_spin
from controller.games.money_wheel.rules import MoneyWheelRules
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation
from drivers.numbers.generator import DrawBegan, GeneratorNoise, GeneratorWorks, NumberChanged, NumberDrawn
from feed.events import Evidence, WinningBet


class DrawnNumberGame:
    """The rounds of a table with a number generator."""

    device = "wheel"
    names_result_by = "face"

    def __init__(self, rounds: RoundLifecycle, rules: MoneyWheelRules, faces: tuple[str, ...]) -> None:
        self.rounds = rounds
        self.report = rounds.report
        self._rules = rules
        self._faces = faces
        self._up = False
        self._drawing = False
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self._call_unproven = False
        """Whether a line is missing in which the draw may have begun before the call."""

    def may_open(self, t_ns: int) -> bool:
        """A round opens once the generator works, and draws no number that belongs to no round."""
        if self.quiet():
            return True
        self.rounds.wait(RUNNING_OUT)
        return False

    def quiet(self) -> bool:
        """Whether the generator works, and does not draw."""
        return self._up and not self._drawing

    def opened_after_settling(self, t_ns: int) -> None:
        """Nothing is kept: a round opens between two draws."""

    def handle(self, seen: Observation) -> None:
        """Handles an observation of the generator."""
        t_ns = seen.t_ns
        match seen:
            case GeneratorWorks(up=True):
                self._up, self._drawing = True, seen.drawing
                self.report.cause_gone(t_ns, "link")
            case GeneratorWorks(up=False):
                self._up = self._drawing = False
                self.report.fault(Fault(t_ns, "sensor_missing", seen.detail, "link"))
            case DrawBegan():
                self._drawing = True
                self._begin(seen, t_ns)
            case NumberDrawn():
                self._drawing = False
                if self.rounds.phase is RUNNING:
                    self._decide(seen, t_ns)
            case NumberChanged():
                self.report.warn(t_ns, "wheel", "number_changed", seen.detail)
            case GeneratorNoise():
                self.report.warn(t_ns, "wheel", "line_garbled", seen.detail)
            case _:
                pass
        self.rounds.over_if_quiet(t_ns)

    def _begin(self, seen: DrawBegan, t_ns: int) -> None:
        if self.rounds.phase is OPEN:
            begin_spin(self.rounds, t_ns, t_ns, None)
            called_ns = self.rounds.called_ns
            self._call_unproven = called_ns is not None and seen.since_ns < called_ns < t_ns
        elif self.rounds.phase is SETTLING:
            detail = f"draw {seen.draw:03d} began before the last round was settled: it does not count"
            self.report.warn(t_ns, "wheel", "ball_before_settled", detail)

    def _decide(self, drawn: NumberDrawn, t_ns: int) -> None:
        result = None if drawn.number is None else self._result(drawn.number)
        doubts = list(drawn.doubts)
        if self._call_unproven:
            doubts.append("a line is missing, in which the draw may have begun before the call")
        evidence = Evidence(detail=", ".join([f"draw {drawn.draw:03d}", *doubts]))
        if doubts or result is None:
            self.rounds.unresolved(t_ns, "no_number_read", evidence, [] if result is None else [result])
        else:
            self.rounds.outcome(t_ns, result, self.pays_in(0, result)[0], evidence, [])

    def _result(self, number: int) -> dict[str, Any]:
        return {"space": number - 1, "face": self._faces[number - 1]}

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result of a number, by its name."""
        if name not in self._faces:
            raise ValueError(f"number {name!r} is not drawn here; the numbers are 1 to {len(self._faces)}")
        return self._result(int(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """The number."""
        return str(result.get("face"))

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The number itself; no notice goes with it."""
        return [WinningBet(bet.bet, bet.odds) for bet in self._rules.winning(result["face"])], []
