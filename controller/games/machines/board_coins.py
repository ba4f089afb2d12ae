"""The acceptor of a machine's own board, and its hopper, as the account of its tokens wants them."""

from __future__ import annotations

from typing import Protocol

from drivers.base.board_counter import AcceptSet, BoardCounter, TokensCounted
from drivers.base.driver import Observation
from drivers.base.token_pulses import PulseNotCounted
from drivers.coins.cctalk_wire import HopperStatus
from drivers.coins.hopper import PayoutPlan
from drivers.coins.observations import AcceptorEvents, AcceptorInhibited, PayoutDoubt, PayoutEnded, TokenDoubt
from drivers.pusher.board_actuator import BoardPaid, BoardPayout

NOTHING = HopperStatus(0, 0, 0, 0)
"""A board's payout is known by its number, and needs no counters of a hopper on a bus."""


class NumberedHopper(Protocol):
    """A hopper on a board that pays each number once."""

    def ready_to_pay(self) -> bool:
        """Whether a payout can be planned."""

    def make_plan(self, number: int, tokens: int) -> BoardPayout:
        """Plans a payout, perhaps of fewer tokens and of a higher number."""

    def release(self, number: int, t_ns: int) -> None:
        """The plan is durable: it may be paid."""

    def resume(self, plan: BoardPayout) -> None:
        """Continues with a payout that was recorded before."""


class BoardCoins:
    """See `controller.games.machines.account.CoinDevices`."""

    names: frozenset[str] = frozenset()
    """They report no identity of their own: the board has one."""

    def __init__(self, acceptor: BoardCounter, hopper: NumberedHopper | None = None) -> None:
        """Without a hopper what belongs to the player is paid by hand."""
        self._acceptor = acceptor
        self._hopper = hopper

    def accept(self, wanted: bool, t_ns: int = 0) -> None:
        """Has the acceptor take tokens, or none."""
        self._acceptor.accept(wanted, t_ns)

    def restore(self, counter: int | None, *, accepting: bool) -> None:
        """Continues from the board's counter as it was recorded: it counts on whatever is off."""
        self._acceptor.restore(counter)

    def ready_to_pay(self) -> bool:
        """Whether a payout can be planned."""
        return self._hopper is not None and self._hopper.ready_to_pay()

    def make_plan(self, number: int, tokens: int) -> PayoutPlan:
        """Plans a payout, perhaps of fewer tokens and of a higher number. Raises ValueError where it is not ready."""
        if self._hopper is None:
            raise ValueError(f"payout {number} cannot be planned: the board has no hopper")
        payout = self._hopper.make_plan(number, tokens)
        return PayoutPlan(payout.number, payout.tokens, NOTHING, payout.before)

    def release(self, number: int, t_ns: int) -> None:
        """The plan is durable: it may be paid."""
        if self._hopper is not None:
            self._hopper.release(number, t_ns)

    def resume(self, plan: PayoutPlan, t_ns: int) -> None:
        """Continues with a payout that was recorded before."""
        if self._hopper is not None:
            self._hopper.resume(BoardPayout(plan.number, plan.tokens, plan.dispensed or 0))


def as_coins(seen: Observation) -> Observation:
    """What a board reports of its tokens, as coin equipment reports it; anything else as it is."""
    t_ns = seen.t_ns
    if isinstance(seen, TokensCounted):
        return AcceptorEvents(
            t_ns=t_ns, before=seen.before, counter=seen.counter, coins=(1,) * seen.tokens, doubt=seen.doubt
        )
    if isinstance(seen, AcceptSet):
        return AcceptorInhibited(t_ns=t_ns, accepting=seen.accepting, counter=seen.counter)
    if isinstance(seen, PulseNotCounted):
        return TokenDoubt(t_ns=t_ns, code="pulse_length", detail=seen.detail)
    if not isinstance(seen, BoardPaid):
        return seen
    if seen.least == seen.most:
        return PayoutEnded(t_ns=t_ns, number=seen.number, asked=seen.asked, paid=seen.least, detail=seen.detail)
    detail = f"payout {seen.number} of {seen.asked}: {seen.detail}"
    return PayoutDoubt(t_ns=t_ns, number=seen.number, asked=seen.asked, least=seen.least, most=seen.most, detail=detail)
