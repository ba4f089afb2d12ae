"""The play of a machine that is on or comes next: what holds it, and the time that it has left.

open ──token──► running ──► outcome, settled at once ──► open
  │                │
  └── door opened, test mode, fault ──► held: nothing is accepted, the time stops ──► as it was
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.games.machines.account import TokenAccount
from controller.table.phase import OPEN, RUNNING, SETTLING, Phase
from controller.table.recent import RecentRounds
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import NEVER_NS
from feed import events
from feed.events import Evidence
from hal.wording import counted

TEST: Final = "test"
STAKED: Final = 1
"""Tokens of a play."""


class CurrentPlay:
    """The play of one machine that is on or comes next."""

    def __init__(self, rounds: RoundLifecycle, account: TokenAccount, token_value: int) -> None:
        """`token_value` is what a token is marked with, in dollars of imitation money."""
        self._rounds = rounds
        self._account = account
        self._token_value = token_value
        self._holds = set[str]()
        self._left_ns: int | None = None
        """How much of the play's time was left when it was held; None where it has no limit, or is not held."""
        self._changed: list[Callable[[int], None]] = []

    # --- its state -----------------------------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """The number of the play."""
        return self._rounds.number

    @property
    def phase(self) -> Phase:
        """Open while it waits for a token, running while a play is on, shut while a fault holds it."""
        return self._rounds.phase

    @property
    def recent(self) -> RecentRounds:
        """The last plays."""
        return self._rounds.recent

    @property
    def under_way(self) -> bool:
        """Whether a play has begun that has no verdict, a fault may hold it or not."""
        return self._rounds.phase is RUNNING or self._rounds.held is RUNNING

    @property
    def playable(self) -> bool:
        """Whether a token begins a play."""
        return self._rounds.phase in (OPEN, RUNNING) and not self._holds

    @property
    def testing(self) -> bool:
        """Whether it is in test mode: no meter moves."""
        return TEST in self._holds

    @property
    def stopping(self) -> bool:
        """Whether a fault is about to stop the play."""
        return self._rounds.stopping

    def is_held_by(self, what: str) -> bool:
        """Whether this is among what holds the play."""
        return what in self._holds

    def is_held_beside(self, *what: str) -> bool:
        """Whether anything else holds the play."""
        return bool(self._holds.difference(what))

    # --- what holds it -----------------------------------------------------------------------------------------------

    def begin_held(self, what: str) -> None:
        """From the start this holds the play."""
        self._holds.add(what)

    def end_held(self, what: str) -> None:
        """From the start this does not hold the play that goes on."""
        self._holds.discard(what)

    def hold(self, t_ns: int, what: str) -> None:
        """The play stops: nothing is accepted, and its time stops too."""
        if not self._holds:
            self.freeze(t_ns)
        self._holds.add(what)
        self.change(t_ns)

    def let_go(self, t_ns: int, what: str) -> None:
        """The play continues as it was, if nothing else holds it."""
        self._holds.discard(what)
        if self.playable:
            self.thaw(t_ns)
        self.change(t_ns)

    def freeze(self, t_ns: int) -> None:
        """The time of the play stops."""
        if self._rounds.run_due_ns < NEVER_NS:
            self._left_ns = max(0, self._rounds.run_due_ns - t_ns)
            self._rounds.drop_run_due()

    def thaw(self, t_ns: int) -> None:
        """The time of the play continues, unless something holds it."""
        if self._left_ns is not None and not self._holds:
            self._rounds.set_run_due(t_ns + self._left_ns)
            self._left_ns = None

    def watch(self, changed: Callable[[int], None]) -> None:
        """Calls `changed` with the time whenever what the machine may do can have changed."""
        self._changed.append(changed)

    def change(self, t_ns: int) -> None:
        """What the machine may do can have changed: what it accepts, what it pays, what its devices do."""
        self._account.accept(self.playable, t_ns)
        self.pay_out(t_ns)
        for changed in self._changed:
            changed(t_ns)

    def pay_out(self, t_ns: int) -> None:
        """What belongs to the player and is not staked is given out by the hopper, if the machine has one."""
        shuts = self.stopping or self._rounds.report.blocks_play()
        if self._account.credits and self.playable and not shuts:
            self._account.pay(self._account.credits, t_ns)

    # --- a play ------------------------------------------------------------------------------------------------------

    def begin(self, t_ns: int, longest_ns: int) -> None:
        """A token of the player begins a play, which has this much time."""
        self._rounds.begin_run()
        self._account.token_in(STAKED)
        self._account.stake(STAKED, self.number)
        self.set_time(t_ns, longest_ns)
        self._account.write(t_ns, "play_begun", tokens=STAKED)
        self._rounds.report.event(events.RoundStarted, t_ns)

    def set_time(self, t_ns: int, left_ns: int) -> None:
        """The play has this much time from now on."""
        self._rounds.set_run_due(t_ns + left_ns)

    def end(self, t_ns: int, result: dict[str, Any], won: int, evidence: Evidence) -> None:
        """The play is over: its outcome is final, and nobody settles it by hand."""
        self._rounds.drop_run_due()
        self._rounds.outcome(t_ns, result, [], evidence, self.notices(won))
        self._settle(t_ns)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """The play is over, and what came of it is not proven: a supervisor may call it, nobody settles it."""
        self._rounds.drop_run_due()
        self._rounds.unresolved(t_ns, reason, evidence, candidates)
        self._settle(t_ns)

    def _settle(self, t_ns: int) -> None:
        if self._rounds.phase is SETTLING:
            self._rounds.settle(t_ns, "auto")

    def forget(self) -> None:
        """The play is void: it has no time any more."""
        self._left_ns = None

    def notices(self, won: int) -> list[str]:
        """What an award is worth, in words: it is paid in tokens, and no bet is paid beside it."""
        return [f"{counted(won, 'token')} won: ${won * self._token_value} of imitation money"] if won else []
