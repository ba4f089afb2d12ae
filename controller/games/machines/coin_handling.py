"""The tokens of a machine: each that comes in or goes out is counted once, and what nobody can count is a doubt.

A token that comes while no play can begin belongs to the player, and is paid by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from controller.games.machines.account import AccountDoubt, TokenAccount
from controller.games.machines.coin_faults import acceptor_faults, hopper_trouble, payout_fault, silence
from controller.games.machines.current_play import CurrentPlay
from controller.table.faults import Fault
from controller.table.report import Report
from drivers.base.driver import Observation
from drivers.coins.observations import (
    AcceptorEvents,
    AcceptorInhibited,
    CoinDeviceSilent,
    HopperReady,
    HopperTrouble,
    PayoutDoubt,
    PayoutEnded,
    TokenDoubt,
    TokenPassed,
    TokenWayClear,
)

MACHINE: Final = "machine"
CHUTE: Final = "chute"
DOUBT: Final = "doubt"
UNKNOWN_TOKENS: Final = frozenset({"pulse_length", "edges_lost", "token_unproven"})
"""After these nobody knows whether a token is in."""


class CoinHandling:
    """Takes what the chute, the acceptor and the hopper of one machine report."""

    def __init__(
        self, report: Report, account: TokenAccount, current: CurrentPlay, play: Callable[[int], None]
    ) -> None:
        """`play(t_ns)` is called for a token with which a play may begin."""
        self._report = report
        self._account = account
        self._current = current
        self._play = play
        self._takers: Mapping[type[Observation], Callable[[Any], None]] = {
            TokenPassed: self._passed,
            TokenDoubt: self._doubted,
            TokenWayClear: self._cleared,
            AcceptorEvents: self._accepted,
            AcceptorInhibited: account.acceptor_set,
            CoinDeviceSilent: self._silent,
            HopperTrouble: self._trouble,
            PayoutEnded: self._paid,
            PayoutDoubt: self._paid_in_doubt,
            HopperReady: self._ready,
        }

    def take(self, seen: Observation) -> bool:
        """Takes an observation; returns whether it was of tokens."""
        taker = self._takers.get(type(seen))
        if taker is not None:
            taker(seen)
        return taker is not None

    def _passed(self, seen: TokenPassed) -> None:
        self._token(seen.t_ns)

    def _token(self, t_ns: int) -> None:
        if self._current.testing:
            self._account.write(t_ns, "test_token", tokens=1)
        elif self._current.playable and not self._current.stopping:
            self._play(t_ns)
        else:
            self._account.token_in(1)
            self._account.write(t_ns, "hand_pay_due", tokens=1, detail="it was inserted while no play could begin")

    def _doubted(self, seen: TokenDoubt) -> None:
        t_ns = seen.t_ns
        if self._current.testing:
            self._report.warn(t_ns, CHUTE, "token_in_doubt", seen.detail)
        elif seen.code in UNKNOWN_TOKENS:
            self._account.doubt(t_ns, AccountDoubt("tokens_in", 0, 1, seen.detail))
            self.shut_in_doubt(t_ns, "token_in_doubt")
        else:
            cause = CHUTE if seen.code == "token_jam" else ""
            self._report.fault(Fault(t_ns, seen.code, seen.detail, cause=cause, device=CHUTE))

    def _cleared(self, seen: TokenWayClear) -> None:
        self._report.cause_gone(seen.t_ns, CHUTE, CHUTE)

    def _accepted(self, seen: AcceptorEvents) -> None:
        """The acceptor has counted: each token is a token of a play, as one in the chute."""
        for _ in range(self._account.counted(seen, credited=False)):
            self._token(seen.t_ns)
        if seen.doubt:
            self.shut_in_doubt(seen.t_ns, "token_in_doubt")
        for fault in acceptor_faults(seen.t_ns, seen.errors):
            self._report.fault(fault)

    def _silent(self, seen: CoinDeviceSilent) -> None:
        silence(seen, self._report)

    def _trouble(self, seen: HopperTrouble) -> None:
        hopper_trouble(seen, self._report)

    def _paid(self, seen: PayoutEnded) -> None:
        """A payout is over; what it lacks is paid by hand."""
        self._account.paid(seen)
        fault = payout_fault(seen)
        if fault is None:
            return
        self._report.fault(fault)
        if seen.paid < seen.asked:
            self._account.write(seen.t_ns, "hand_pay_due", tokens=self._account.credits, detail=fault.detail)

    def _paid_in_doubt(self, seen: PayoutDoubt) -> None:
        self._account.in_doubt(seen)
        self.shut_in_doubt(seen.t_ns, "payout_in_doubt")

    def _ready(self, seen: HopperReady) -> None:
        """A payout can be planned: one is planned after every observation."""

    def reconcile(self, t_ns: int, tokens: int, by: str) -> AccountDoubt:
        """A person has counted what is in doubt. Raises `AccountError` as `TokenAccount.reconcile`."""
        doubt = self._account.reconcile(t_ns, tokens, by)
        if not self._account.doubts:
            self._report.cause_gone(t_ns, DOUBT, MACHINE)
        return doubt

    def shut_in_doubt(self, t_ns: int, fault: str) -> None:
        """The last doubt of the account shuts the machine until a person has decided it."""
        detail = f"{self._account.doubts[-1].detail}; count, then reconcile tokens=…"
        self._report.fault(Fault(t_ns, fault, detail, cause=DOUBT, device=MACHINE))
