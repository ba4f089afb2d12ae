"""Rounds of the fair's wheel: "No more bets" before the spin, two revolutions at least, the space at the indicator."""

from collections.abc import Mapping
from typing import Any

import msgspec

from controller.games.base.wheels import begin_spin, direction_name
from controller.rules.cited import Cited, RoundRules, odds_words
from controller.table.phase import RUNNING
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation
from fair_wheel.device import SPACES, Rested, Turned
from feed.events import Evidence, WinningBet


class FairRules(RoundRules, frozen=True, kw_only=True):
    """A section `[fair_wheel]` of rules; `prizes` are paid to 1."""

    minimum_revolutions: Cited[int]
    prizes: Cited[dict[str, int]]
    faces: Cited[tuple[str, ...]]

    def __post_init__(self) -> None:
        if len(self.faces.value) != SPACES:
            raise ValueError(
                f"faces has {len(self.faces.value)}, and the wheel has {SPACES} spaces; write one for each"
            )


class FairResult(msgspec.Struct, frozen=True, kw_only=True):
    space: int
    prize: str


class FairWheelGame:
    device = "wheel"
    names_result_by = "space"

    def __init__(self, rounds: RoundLifecycle, rules: FairRules) -> None:
        self.rounds = rounds
        self._rules = rules
        self._turning: Turned | None = None

    def reset(self) -> None:
        """Nothing is kept of a round."""

    def quiet(self) -> bool:
        return self._turning is None

    def opened_after_settling(self, t_ns: int) -> None:
        """A spin that began before the last round was settled is this round's."""
        if self._turning is not None:
            self._begin(t_ns, self._turning)

    def handle(self, seen: Observation) -> None:
        if isinstance(seen, Turned):
            self._turning = seen
            if self.rounds.undecided:
                self._begin(seen.t_ns, seen)
        elif isinstance(seen, Rested):
            self._turning = None
            if self.rounds.phase is RUNNING:
                self._decide(seen)
            else:
                self.rounds.over_if_quiet(seen.t_ns)

    def _begin(self, t_ns: int, spin: Turned) -> None:
        begin_spin(self.rounds, t_ns, spin.began_ns, direction_name(spin.direction > 0))

    def _decide(self, rest: Rested) -> None:
        least = self._rules.minimum_revolutions.value
        # It began, and turned furthest, somewhere within a space: one space less is proven.
        proven = (rest.spaces - 1) / SPACES
        way = direction_name(rest.direction > 0)
        seen = Evidence(revolutions=proven, minimum_revolutions=least, direction=way)
        if rest.doubt or rest.space is None:
            known = [] if rest.space is None else [self.result_in(0, str(rest.space))]
            self.rounds.unresolved(rest.t_ns, rest.doubt or "edges_lost", seen, known)
        elif rest.turned_back:
            self.rounds.void(rest.t_ns, "wheel_reversed", seen)
        elif proven < least:
            self.rounds.void(rest.t_ns, "wheel_revolutions", seen)
        else:
            result = self.result_in(0, str(rest.space))
            self.rounds.outcome(rest.t_ns, result, self.pays_in(0, result)[0], seen, [])

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        if name not in map(str, range(SPACES)):
            raise ValueError(f"space {name!r} is not on this wheel; its spaces are 0 to {SPACES - 1}")
        return {"space": int(name), "prize": self._rules.faces.value[int(name)]}

    def name_of(self, result: Mapping[str, Any]) -> str:
        return str(result["space"])

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        odds = self._rules.prizes.value.get(result["prize"])
        return ([] if odds is None else [WinningBet(result["prize"], odds_words(odds))]), []
