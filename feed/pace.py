"""The pace of a table: how long the steps of its rounds take, by their events.

round opened ── call, or ball ── verdict ── settled
      │  betting, idle  │   play    │  paying │
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any, Final

from .data import (
    Data,
    Evidence,
    NoMoreBets,
    Outcome,
    RoundCorrected,
    RoundOpened,
    RoundStarted,
    Settled,
    Unresolved,
    Void,
)

STEPS: Final = ("betting", "play", "paying")
"""The steps of a round: until the call or the ball, until the verdict, until the bets are settled."""
IDLE_NS: Final = 180 * 10**9
"""Bets that are open for longer leave a table idle (ours)."""


def cards_of(evidence: Evidence) -> int:
    """How many cards a round had, as far as its evidence counts them."""
    if evidence.card_counts:
        return sum(evidence.card_counts.values())
    return len(evidence.cards) if evidence.cards else 0


class RoundSteps:
    """Adds up the steps of rounds. Time between rounds, at a closed table, is in none."""

    def __init__(self, idle_ns: int = IDLE_NS) -> None:
        """`idle_ns` is how long bets may be open before the table is taken for idle."""
        self._idle_ns = idle_ns
        self._takes: Mapping[type[Data], Callable[[Any], bool | None]] = {
            RoundOpened: self.opened,
            NoMoreBets: self.begun,
            RoundStarted: self.begun,
            **dict.fromkeys((Outcome, Void, Unresolved), self.decided),
            RoundCorrected: self.corrected,
            Settled: self.settled,
        }
        self.restarted()
        self.begin()

    def begin(self) -> None:
        """Forgets what was added up; the round that is on continues."""
        self.played_ns = self.idle_ns = self.games = self.cards = 0
        self._betting_ns: list[int] = []
        self._play_ns: list[int] = []
        self._paying_ns: list[int] = []

    def restarted(self) -> None:
        """The service was started again, and with it the clock of `mono_ns`."""
        self._opened_ns: int | None = None
        self._begun_ns: int | None = None
        self._decided_ns: int | None = None

    def see(self, data: Data) -> bool:
        """Takes any event; returns whether it is a verdict that ended a spin."""
        take = self._takes.get(type(data))
        return take is not None and take(data) is True

    def opened(self, data: RoundOpened) -> None:
        """A round was opened."""
        self._opened_ns = data.mono_ns
        self._begun_ns = self._decided_ns = None

    def begun(self, data: NoMoreBets | RoundStarted) -> None:
        """No more bets, or the ball runs: the first of them begins the play."""
        if self._begun_ns is None:
            self._begun_ns = data.mono_ns

    def decided(self, data: Outcome | Void | Unresolved) -> bool:
        """A verdict; returns whether it ended a spin."""
        evidence = data.evidence
        if type(data) is Outcome:
            self.games += 1
        self.cards += cards_of(evidence)
        opened_ns, begun_ns, t_ns = self._opened_ns, self._begun_ns, data.mono_ns
        if opened_ns is None:
            return False
        if begun_ns is None:
            begun_ns = t_ns
        betting_ns, idle_ns = begun_ns - opened_ns, self._idle_ns
        if betting_ns > idle_ns:
            self.idle_ns += betting_ns - idle_ns
            betting_ns = idle_ns
        self._betting_ns.append(betting_ns)
        self._play_ns.append(t_ns - begun_ns)
        self.played_ns += t_ns - opened_ns
        self._opened_ns = self._begun_ns = None
        self._decided_ns = t_ns
        return True

    def corrected(self, data: RoundCorrected) -> None:
        """A person called or corrected a round: it is a game where it has a result now, and none where it has not."""
        became, was = data.to.verdict == "outcome", data.from_.verdict == "outcome"
        self.games = max(0, self.games + became - was)

    def settled(self, data: Settled) -> None:
        """The bets of a round are settled."""
        if self._decided_ns is not None:
            paying_ns = data.mono_ns - self._decided_ns
            self._decided_ns = None
            self._paying_ns.append(paying_ns)
            self.played_ns += paying_ns

    @property
    def medians_s(self) -> dict[str, float]:
        """The median of each step that any round had, in seconds."""
        steps = (self._betting_ns, self._play_ns, self._paying_ns)
        return {name: median(times) / 1e9 for name, times in zip(STEPS, steps, strict=True) if times}
