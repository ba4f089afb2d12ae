"""The pace of a table: how long the steps of its rounds take, by their events.

round opened ── call, or ball ── verdict ── settled
      │  betting, idle  │   play    │  paying │
"""

from __future__ import annotations

from statistics import median
from typing import Final

from .data import Data, NoMoreBets, Outcome, RoundOpened, RoundStarted, Settled, Unresolved, Void

STEPS: Final = ("betting", "play", "paying")
"""The steps of a round: until the call or the ball, until the verdict, until the bets are settled."""
IDLE_NS: Final = 180 * 10**9
"""Bets that are open for longer leave a table idle (ours)."""


class RoundSteps:
    """Adds up the steps of rounds. Time between rounds, at a closed table, is in none."""

    def __init__(self, idle_ns: int = IDLE_NS) -> None:
        """`idle_ns` is how long bets may be open before the table is taken for idle."""
        self._idle_ns = idle_ns
        self._marks: dict[str, int] = {}
        """When the steps of this round began."""
        self.begin()

    def begin(self) -> None:
        """Forgets what was added up; the round that is on continues."""
        self.played_ns = self.idle_ns = self.games = self.cards = 0
        self._steps: dict[str, list[int]] = {name: [] for name in STEPS}

    def restarted(self) -> None:
        """The service was started again, and with it the clock of `mono_ns`."""
        self._marks = {}

    def see(self, data: Data) -> bool:
        """Takes an event of a round; returns whether it is a verdict that ended a spin."""
        marks, t_ns = self._marks, data.mono_ns
        if isinstance(data, RoundOpened):
            self._marks = {"opened": t_ns}
        elif isinstance(data, NoMoreBets | RoundStarted):
            marks.setdefault("begun", t_ns)
        elif isinstance(data, Outcome | Void | Unresolved):
            self.games += isinstance(data, Outcome)
            counts, cards = data.evidence.card_counts, data.evidence.cards
            self.cards += sum(counts.values()) if counts else len(cards) if cards else 0
            return self._decided(t_ns)
        elif isinstance(data, Settled) and "decided" in marks:
            paying_ns = t_ns - marks.pop("decided")
            self._steps["paying"].append(paying_ns)
            self.played_ns += paying_ns
        return False

    def _decided(self, t_ns: int) -> bool:
        opened_ns = self._marks.get("opened")
        if opened_ns is None:
            return False
        begun_ns = self._marks.get("begun", t_ns)
        betting_ns = begun_ns - opened_ns
        self.idle_ns += max(0, betting_ns - self._idle_ns)
        self._steps["betting"].append(min(betting_ns, self._idle_ns))
        self._steps["play"].append(t_ns - begun_ns)
        self.played_ns += t_ns - opened_ns
        self._marks = {"decided": t_ns}
        return True

    @property
    def medians_s(self) -> dict[str, float]:
        """The median of each step that any round had, in seconds."""
        return {name: median(times) / 1e9 for name, times in self._steps.items() if times}
