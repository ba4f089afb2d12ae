"""Commands of the life cycle: `open`, `close`, `clear`, and the inspection before an opening."""

from __future__ import annotations

import re

from controller.rules.cited import Check
from controller.table.lifecycle import LifecycleState, TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_one_of, yes_or_no
from controller.table.phase import RUNNING
from feed import events


def open_table(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor opens the table."""
    against = lifecycle.why_not_open()
    if against is not None:
        raise OrderRefused(f"open: {against}")
    lifecycle.open(t_ns, given["by"])
    return "the table is open"


def close_table(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor closes the table. Open bets go back; a running round is interrupted only with `force`."""
    if lifecycle.state not in (LifecycleState.OPEN, LifecycleState.SHUT):
        under_way = lifecycle.state is LifecycleState.INSPECTING
        raise OrderRefused(f"close: {'an inspection is under way' if under_way else 'the table is closed already'}")
    rounds, forced = lifecycle.rounds, yes_or_no("close", "force", given)
    if rounds.phase is RUNNING and not forced:
        raise OrderRefused(
            f"close: round {rounds.number} is running; wait for its verdict, or give force=true to make it void"
        )
    against = rounds.settle_refused
    if against is not None and not forced:
        raise OrderRefused(f"close: {against}; or give force=true to leave the round as it is")
    left = "" if against is None else f", and round {rounds.number} stays as it is: {against}"
    voided = f", and round {rounds.number} is void" if rounds.void_by_closing else ""
    lifecycle.close(t_ns, given["reason"], given["by"])
    return f"the table is closed{voided}{left}"


def clear(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A named person clears a device's faults, once their causes are gone."""
    device = given["device"]
    standing = dict.fromkeys(fault.device for fault in lifecycle.faults.standing)
    if not standing:
        raise OrderRefused("clear: no device of this table has a fault")
    if device not in standing:
        raise OrderRefused(f"clear: {not_one_of('device', device, standing)}, the devices with a fault")
    cleared = lifecycle.clear(t_ns, device, given["by"])
    stays = "; ".join(lifecycle.stays(fault) for fault in lifecycle.faults.standing if fault.device == device)
    if not cleared:
        raise OrderRefused(f"clear: {stays}")
    return f"{', '.join(cleared)} of {device} cleared" + (f"; {stays}" if stays else "")


def inspect_start(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person begins to inspect a device of the closed table."""
    if lifecycle.state is not LifecycleState.CLOSED:
        wrong = (
            "one is under way already"
            if lifecycle.state is LifecycleState.INSPECTING
            else "the table is open: close it first"
        )
        raise OrderRefused(f"inspect_start: {wrong}")
    if lifecycle.busy is not None:
        raise OrderRefused(f"inspect_start: {lifecycle.busy}: wait for it")
    _check_device(lifecycle, "inspect_start", given)
    plan = lifecycle.inspections.plan
    if not plan.checks:
        raise OrderRefused(f"inspect_start: the rules and the house name nothing to look at on {plan.device}; open it")
    lifecycle.inspections.start()
    if lifecycle.rounds.can.inspection is not None:
        lifecycle.rounds.can.inspection.inspection_begins()
    return f"look at {plan.device}: " + "; ".join(f"{check.check}: {_says(check)}" for check in plan.checks)


def _says(check: Check) -> str:
    instead = f" (instead of {', '.join(check.instead_of)})" if check.instead_of else ""
    return f"{check.says}{instead}"


def inspect_pass(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor passes every check: the table may open."""
    checks = _checks(lifecycle, "inspect_pass", given)
    plan = lifecycle.inspections.plan
    missing, doubled = plan.lacks(checks), plan.doubled(checks)
    if doubled:
        raise OrderRefused(f"inspect_pass: another of the checks replaces {', '.join(doubled)}: name one of them")
    if missing:
        raise OrderRefused(f"inspect_pass: {', '.join(missing)} must be among the checks too, or the inspection fails")
    if lifecycle.busy is not None:
        raise OrderRefused(f"inspect_pass: {lifecycle.busy}: wait for it")
    tried = lifecycle.rounds.can.inspection
    if tried is not None and tried.inspection_lacks is not None:
        raise OrderRefused(f"inspect_pass: {tried.inspection_lacks}")
    lifecycle.inspections.end(passed=True)
    device = plan.device
    lifecycle.emit(events.InspectionPassed, t_ns, device=device, checks=checks, by=given["by"])
    return f"{device} passed its inspection"


def inspect_fail(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A person names the checks that failed: the table stays closed."""
    checks = _checks(lifecycle, "inspect_fail", given)
    lifecycle.inspections.end(passed=False)
    device = lifecycle.inspections.plan.device
    detail = given.get("why", "")
    lifecycle.emit(events.InspectionFailed, t_ns, device=device, checks=checks, by=given["by"], detail=detail)
    return f"{device} failed its inspection: {', '.join(checks)}"


def _checks(lifecycle: TableLifecycle, verb: str, given: GivenKeys) -> list[str]:
    """The checks that the command names, each known, in the order of the plan."""
    if lifecycle.state is not LifecycleState.INSPECTING:
        raise OrderRefused(f"{verb}: no inspection is under way; begin with inspect_start")
    _check_device(lifecycle, verb, given)
    known = lifecycle.inspections.plan.known
    named = [word for word in re.split(r"[,\s]+", given["checks"]) if word]
    for word in named:
        if word not in known:
            raise OrderRefused(f"{verb}: {not_one_of('check', word, known)}")
    if not named:
        raise OrderRefused(f"{verb}: checks names none of {', '.join(known)}")
    return [name for name in known if name in named]


def _check_device(lifecycle: TableLifecycle, verb: str, given: GivenKeys) -> None:
    device = lifecycle.inspections.plan.device
    if given["device"] != device:
        raise OrderRefused(f"{verb}: {not_one_of('device', given['device'], [device])}")


VERBS = (
    Verb("open", open_table, needs=("by",)),
    Verb("close", close_table, needs=("reason", "by"), takes=("force",)),
    Verb("clear", clear, needs=("device", "by")),
    Verb("inspect_start", inspect_start, needs=("device", "by")),
    Verb("inspect_pass", inspect_pass, needs=("device", "checks", "by")),
    Verb("inspect_fail", inspect_fail, needs=("device", "checks", "by"), takes=("why",)),
)
