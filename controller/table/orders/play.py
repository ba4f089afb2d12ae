"""Commands on the open round: `no_more_bets`, `settle`, `void`."""

from __future__ import annotations

from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_one_of
from controller.table.orders.rulings import call_void, uncalled
from controller.table.phase import RUNNING_OUT, SETTLING, SHUT


def no_more_bets(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer calls "No more bets"."""
    rounds = lifecycle.rounds
    if not rounds.undecided:
        raise OrderRefused(f"no_more_bets: {_no_open_round(lifecycle)}")
    if rounds.called_ns is not None:
        return f'"No more bets" was called for round {rounds.number} already'
    rounds.close_bets(t_ns, t_ns, "dealer")
    return f'"No more bets" for round {rounds.number}'


def settle(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer has settled the bets: the next round opens."""
    rounds = lifecycle.rounds
    if rounds.phase is not SETTLING:
        detail = f"round {rounds.number} has no verdict yet" if rounds.undecided else _no_open_round(lifecycle)
        raise OrderRefused(f"settle: {detail}")
    if rounds.uncalled is not None:
        raise OrderRefused(
            f"settle: round {rounds.uncalled} is unresolved: call it first, with confirm, void or correct"
        )
    if rounds.settle_refused is not None:
        raise OrderRefused(f"settle: {rounds.settle_refused}")
    number = rounds.number
    rounds.settle(t_ns, "dealer")
    return f"round {number} is settled"


def void(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person calls a round void: the one that is open, or an unresolved one that nobody has called yet."""
    rounds = lifecycle.rounds
    number = rounds.number
    reason = given.get("reason", "dealer_call")
    if reason not in rounds.verdicts.void_reasons:
        raise OrderRefused(f"void: {not_one_of('reason', reason, rounds.verdicts.void_reasons)}")
    calls = rounds.can.calls
    against = None if calls is None else calls.call_refused(reason, given.get("as", given.get("by", "")))
    if against is not None:
        raise OrderRefused(f"void: {against}")
    if not rounds.undecided or given.get("round", str(number)) != str(number):
        ruling = uncalled(rounds, given)
        if ruling is None:
            raise OrderRefused(f"void: {_no_open_round(lifecycle)}")
        return call_void(lifecycle, given, t_ns, ruling, reason)
    rounds.void_by_hand(t_ns, given.get("why", ""), reason)
    return f"round {number} is void: {reason}"


def _no_open_round(lifecycle: TableLifecycle) -> str:
    """Why there is no round without a verdict."""
    rounds = lifecycle.rounds
    if rounds.phase is SHUT:
        return lifecycle.no_round
    if rounds.phase is RUNNING_OUT:
        device = rounds.game.device
        return f"no round is open: round {rounds.number} is over, and the next opens when the {device} is quiet"
    return f"round {rounds.number} has its verdict, and waits to be settled"


VERBS = (
    Verb("no_more_bets", no_more_bets),
    Verb("settle", settle),
    Verb("void", void, takes=("reason", "why", "round", "as")),
)
