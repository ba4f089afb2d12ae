"""Commands on the open round: `no_more_bets`, `settle`, `void`."""

from __future__ import annotations

from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_one_of
from controller.table.orders.rulings import call_void, uncalled
from controller.table.phase import RUNNING_OUT, SETTLING, SHUT


def no_more_bets(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer calls "No more bets"."""
    game = lifecycle.game
    if not game.undecided:
        raise OrderRefused(f"no_more_bets: {_no_open_round(lifecycle)}")
    if game.called_ns is not None:
        return f'"No more bets" was called for round {game.round} already'
    game.close_bets(t_ns, t_ns, "dealer")
    return f'"No more bets" for round {game.round}'


def settle(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer has settled the bets: the next round opens."""
    game = lifecycle.game
    if game.phase is not SETTLING:
        detail = f"round {game.round} has no verdict yet" if game.undecided else _no_open_round(lifecycle)
        raise OrderRefused(f"settle: {detail}")
    if game.uncalled is not None:
        raise OrderRefused(f"settle: round {game.uncalled} is unresolved: call it first, with confirm, void or correct")
    if game.settle_refused is not None:
        raise OrderRefused(f"settle: {game.settle_refused}")
    number = game.round
    game.settle(t_ns, "dealer")
    return f"round {number} is settled"


def void(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person calls a round void: the one that is open, or an unresolved one that nobody has called yet."""
    game = lifecycle.game
    number = game.round
    reason = given.get("reason", "dealer_call")
    if reason not in game.void_reasons:
        raise OrderRefused(f"void: {not_one_of('reason', reason, game.void_reasons)}")
    against = game.call_refused(reason, given.get("as", given.get("by", "")))
    if against is not None:
        raise OrderRefused(f"void: {against}")
    if not game.undecided or given.get("round", str(number)) != str(number):
        ruling = uncalled(game, given)
        if ruling is None:
            raise OrderRefused(f"void: {_no_open_round(lifecycle)}")
        return call_void(lifecycle, given, t_ns, ruling, reason)
    game.void_by_hand(t_ns, given.get("why", ""), reason)
    return f"round {number} is void: {reason}"


def _no_open_round(lifecycle: TableLifecycle) -> str:
    """Why there is no round without a verdict."""
    game = lifecycle.game
    if game.phase is SHUT:
        return lifecycle.no_round
    if game.phase is RUNNING_OUT:
        return f"no round is open: round {game.round} is over, and the next opens when the {game.device} is quiet"
    return f"round {game.round} has its verdict, and waits to be settled"


VERBS = (
    Verb("no_more_bets", no_more_bets),
    Verb("settle", settle),
    Verb("void", void, takes=("reason", "why", "round", "as")),
)
