"""Orders of every machine: test mode, payment by hand, and what a person has counted."""

from __future__ import annotations

from controller.games.machines.account import AccountError
from controller.games.machines.game import MachineGame
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb
from controller.table.wording import counted


def test_begin(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person begins test mode: no meter moves until it ends."""
    against = _machine(lifecycle, "test_begin").begin_test(t_ns, given["by"])
    if against is not None:
        raise OrderRefused(f"test_begin: {against}")
    return "test mode: nothing counts until test_end"


def test_end(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person ends test mode: the machine is as it was."""
    against = _machine(lifecycle, "test_end").end_test(t_ns, given["by"])
    if against is not None:
        raise OrderRefused(f"test_end: {against}")
    return "test mode is over: the machine is as it was"


def hand_pay(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """An attendant has paid the player's tokens by hand."""
    machine = _machine(lifecycle, "hand_pay")
    try:
        tokens = machine.account.hand_pay(t_ns, given["by"])
    except AccountError as error:
        raise OrderRefused(f"hand_pay: {error}") from error
    return f"{counted(tokens, 'token')} paid by hand"


def reconcile(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person has counted what no counter could prove."""
    machine = _machine(lifecycle, "reconcile")
    tokens = given["tokens"]
    if not (tokens.isascii() and tokens.isdecimal() and len(tokens) <= 6):
        raise OrderRefused(f"reconcile: tokens={tokens!r} is no number of tokens")
    try:
        doubt = machine.reconcile(t_ns, int(tokens), given["by"])
    except AccountError as error:
        raise OrderRefused(f"reconcile: {error}") from error
    return f"{counted(int(tokens), 'token')} counted; the doubt was: {doubt.detail}"


def _machine(lifecycle: TableLifecycle, verb: str) -> MachineGame:
    game = lifecycle.game
    if not isinstance(game, MachineGame):
        raise OrderRefused(
            f"{verb}: this table is no machine; it is for token_pusher, skill_stop_reel and skill_stop_video"
        )
    return game


ORDERS = (
    Verb("test_begin", test_begin, needs=("by",)),
    Verb("test_end", test_end, needs=("by",)),
    Verb("hand_pay", hand_pay, needs=("by",)),
    Verb("reconcile", reconcile, needs=("tokens", "by")),
)
