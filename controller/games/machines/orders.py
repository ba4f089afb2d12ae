"""Orders of every machine: test mode, payment by hand, debts, and what a person has counted."""

from __future__ import annotations

from controller.games.machines.account import COLLECTED, WAIVED, AccountError
from controller.games.machines.game import MachineGame
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_of_game, not_one_of
from hal.wording import counted


def test_begin(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person begins test mode: no meter moves until it ends."""
    against = _machine(lifecycle, "test_begin").attendant.begin_test(t_ns, given["by"])
    if against is not None:
        raise OrderRefused(f"test_begin: {against}")
    return "test mode: nothing counts until test_end"


def test_end(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person ends test mode: the machine is as it was."""
    against = _machine(lifecycle, "test_end").attendant.end_test(t_ns, given["by"])
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
    debt = machine.account.debt
    owed = f"; {counted(debt, 'token')} owed by players: settle_debt" if debt else ""
    return f"{counted(tokens, 'token')} paid by hand{owed}"


def reconcile(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person has counted what no counter could prove."""
    machine = _machine(lifecycle, "reconcile")
    tokens = _tokens("reconcile", given["tokens"])
    try:
        doubt = machine.coins.reconcile(t_ns, tokens, given["by"])
    except AccountError as error:
        raise OrderRefused(f"reconcile: {error}") from error
    return f"{counted(tokens, 'token')} counted; the doubt was: {doubt.detail}"


def settle_debt(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """An attendant has collected tokens that a correction left as a debt, or the house waives them."""
    machine, how = _machine(lifecycle, "settle_debt"), given["how"]
    if how not in (COLLECTED, WAIVED):
        raise OrderRefused(f"settle_debt: {not_one_of('how', how, (COLLECTED, WAIVED))}")
    tokens = _tokens("settle_debt", given["tokens"]) if "tokens" in given else None
    try:
        settled = machine.account.settle_debt(t_ns, how, tokens, given["by"])
    except AccountError as error:
        raise OrderRefused(f"settle_debt: {error}") from error
    return f"{counted(settled, 'token')} {how}; {counted(machine.account.debt, 'token')} still owed"


def _tokens(verb: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 6):
        raise OrderRefused(f"{verb}: tokens={text!r} is not a number of tokens")
    return int(text)


def _machine(lifecycle: TableLifecycle, verb: str) -> MachineGame:
    game = lifecycle.game
    if not isinstance(game, MachineGame):
        raise not_of_game(verb, lifecycle)
    return game


ORDERS = (
    Verb("test_begin", test_begin, needs=("by",)),
    Verb("test_end", test_end, needs=("by",)),
    Verb("hand_pay", hand_pay, needs=("by",)),
    Verb("reconcile", reconcile, needs=("tokens", "by")),
    Verb("settle_debt", settle_debt, needs=("how", "by"), takes=("tokens",)),
)
