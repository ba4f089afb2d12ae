"""What an acceptor or a hopper reports that shuts a machine, as faults.

A coin that is merely rejected is back with its player, and no fault. What a hopper reports of its last payout stays
until the next one, so it is not a cause: a person clears it, and the next payout shows whether it is fixed.
"""

from __future__ import annotations

from typing import Final

from controller.table.faults import Fault
from controller.table.report import Report
from drivers.coins.cctalk_wire import EMPTY, FRAUD, HopperFlag, error_words, flag_words, is_rejection
from drivers.coins.observations import CoinDeviceSilent, HopperTrouble, PayoutEnded

COINS: Final = "coins"
"""The name of the coin equipment in a table's file."""
IDLE_CAUSE: Final = "the hopper's sensor"
SILENT: Final = {"acceptor": "acceptor_silent", "hopper": "hopper_silent"}
STRING: Final = 20
BACKWARDS: Final = 17
BLOCKED: Final = frozenset({14, 15})
IDLE: Final = HopperFlag.OPTO_BLOCKED_IDLE | HopperFlag.OPTO_SHORT_IDLE
"""What a hopper reports of its sensor as it is now."""
JAMMED: Final = HopperFlag.OVER_CURRENT | HopperFlag.REVERSE_LIMIT | HopperFlag.OPTO_BLOCKED_PAYOUT


def acceptor_faults(t_ns: int, errors: tuple[int, ...]) -> list[Fault]:
    """The faults of an acceptor's error codes, each kind once."""
    found: dict[str, Fault] = {}
    for error in errors:
        if is_rejection(error):
            continue
        code = "acceptor_error"
        if error == STRING:
            code = "token_stringed"
        elif error == BACKWARDS:
            code = "token_backwards"
        elif error in BLOCKED:
            code = "token_jam"
        detail = f"the acceptor reports error {error}: {error_words(error)}"
        found.setdefault(code, Fault(t_ns, code, detail, device=COINS))
    return list(found.values())


def silence(seen: CoinDeviceSilent, report: Report) -> None:
    """A device on the bus does not answer, or answers again."""
    if seen.silent:
        report.fault(Fault(seen.t_ns, SILENT[seen.device], seen.detail, cause=seen.device, device=COINS))
    else:
        report.cause_gone(seen.t_ns, seen.device, COINS)


def hopper_trouble(seen: HopperTrouble, report: Report) -> None:
    """What the hopper reports of itself."""
    idle = seen.flags & IDLE
    if not idle:
        report.cause_gone(seen.t_ns, IDLE_CAUSE, COINS)
    if not seen.flags:
        return
    code = "hopper_error"
    if seen.flags & FRAUD:
        code = "hopper_fraud"
    elif seen.flags & (JAMMED | HopperFlag.OPTO_BLOCKED_IDLE):
        code = "hopper_jam"
    elif seen.flags & EMPTY:
        code = "hopper_empty"
    detail = f"the hopper reports: {flag_words(seen.flags)}"
    report.fault(Fault(seen.t_ns, code, detail, cause=IDLE_CAUSE if idle else "", device=COINS))


def payout_fault(seen: PayoutEnded) -> Fault | None:
    """A payout that is not what was asked."""
    if seen.paid == seen.asked:
        return None
    code = "hopper_runaway" if seen.paid > seen.asked else "payout_short"
    detail = f"payout {seen.number} was of {seen.asked}, and {seen.paid} left: {seen.detail}"
    return Fault(seen.t_ns, code, detail, device=COINS)
