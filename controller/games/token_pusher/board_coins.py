"""The acceptor and hopper of a pusher's own board, as the account of its tokens wants them."""

from __future__ import annotations

from drivers.base.driver import Observation
from drivers.coins.cctalk_wire import HopperStatus
from drivers.coins.hopper import Plan
from drivers.coins.observations import AcceptorEvents, AcceptorInhibited, PayoutDoubt, PayoutEnded
from drivers.pusher.board_actuator import AcceptSet, BoardPaid, BoardPayout, PusherBoardActuator, TokensCounted

NOTHING = HopperStatus(0, 0, 0, 0)
"""A board's payout is known by its number, and needs no counters of a hopper on a bus."""


class BoardCoins:
    """See `controller.games.machines.account.CoinDevices`."""

    names: frozenset[str] = frozenset()
    """They report no identity of their own: the board has one."""

    def __init__(self, board: PusherBoardActuator) -> None:
        self._board = board

    def accept(self, wanted: bool, t_ns: int = 0) -> None:
        """Has the acceptor take tokens, or none."""
        self._board.accept(wanted, t_ns)

    def restore(self, counter: int | None, *, accepting: bool) -> None:
        """Goes on from the board's counter as it was recorded: it counts on whatever is off."""
        self._board.restore(counter)

    def ready_to_pay(self) -> bool:
        """Whether a payout can be planned."""
        return self._board.ready_to_pay()

    def make_plan(self, number: int, tokens: int) -> Plan:
        """Plans a payout, perhaps of fewer tokens and of a higher number."""
        payout = self._board.make_plan(number, tokens)
        return Plan(payout.number, payout.tokens, NOTHING, payout.before)

    def release(self, number: int, t_ns: int) -> None:
        """The plan is durable: it may be paid."""
        self._board.release(number, t_ns)

    def resume(self, plan: Plan, t_ns: int) -> None:
        """Goes on with a payout that was recorded before."""
        self._board.resume(BoardPayout(plan.number, plan.tokens, plan.dispensed or 0))


def as_coins(seen: Observation) -> Observation:
    """What the board reports of its tokens, as coin equipment reports it; anything else as it is."""
    t_ns = seen.t_ns
    if isinstance(seen, TokensCounted):
        return AcceptorEvents(
            t_ns=t_ns, before=seen.before, counter=seen.counter, coins=(1,) * seen.tokens, doubt=seen.doubt
        )
    if isinstance(seen, AcceptSet):
        return AcceptorInhibited(t_ns=t_ns, accepting=seen.accepting, counter=seen.counter)
    if not isinstance(seen, BoardPaid):
        return seen
    if seen.least == seen.most:
        return PayoutEnded(t_ns=t_ns, number=seen.number, asked=seen.asked, paid=seen.least, detail=seen.detail)
    detail = f"payout {seen.number} of {seen.asked}: {seen.detail}"
    return PayoutDoubt(t_ns=t_ns, number=seen.number, asked=seen.asked, least=seen.least, most=seen.most, detail=detail)
