"""Orders on how the table stands: `open`, `close`, `clear`, and the inspection before an opening."""

from __future__ import annotations

import re

from controller.table.lifecycle import Sitting, State
from controller.table.orders.order import Given, Refused, Verb, not_one_of, yes_or_no
from controller.table.phase import RUNNING
from feed import events


def open_table(sitting: Sitting, given: Given, t_ns: int) -> str:
    """A supervisor opens the table."""
    against = sitting.why_not_open()
    if against is not None:
        raise Refused(f"open: {against}")
    sitting.open(t_ns, given["by"])
    return "the table is open"


def close_table(sitting: Sitting, given: Given, t_ns: int) -> str:
    """A supervisor closes the table. Open bets go back; a run that is on is not broken off unless it is forced."""
    if sitting.state not in (State.OPEN, State.SHUT):
        under_way = sitting.state is State.INSPECTING
        raise Refused(f"close: {'an inspection is under way' if under_way else 'the table is closed already'}")
    game, forced = sitting.game, yes_or_no("close", "force", given)
    if game.phase is RUNNING and not forced:
        raise Refused(f"close: round {game.round} is running; wait for its verdict, or give force=true to make it void")
    if game.settle_refused is not None and not forced:
        raise Refused(f"close: {game.settle_refused}; or give force=true to leave the round as it is")
    left = "" if game.settle_refused is None else f", and round {game.round} stays as it is: {game.settle_refused}"
    voided = f", and round {game.round} is void" if game.undecided else ""
    sitting.close(t_ns, given["reason"], given["by"])
    return f"the table is closed{voided}{left}"


def clear(sitting: Sitting, given: Given, t_ns: int) -> str:
    """A named person clears a device's faults, once their causes are gone."""
    device = given["device"]
    standing = dict.fromkeys(fault.device for fault in sitting.faults.standing)
    if not standing:
        raise Refused("clear: no fault stands")
    if device not in standing:
        raise Refused(f"clear: {not_one_of('device', device, standing)}, the devices with a fault")
    cleared = sitting.clear(t_ns, device, given["by"])
    stays = "; ".join(sitting.stays(fault) for fault in sitting.faults.standing if fault.device == device)
    if not cleared:
        raise Refused(f"clear: {stays}")
    return f"{', '.join(cleared)} of {device} cleared" + (f"; {stays}" if stays else "")


def inspect_start(sitting: Sitting, given: Given, t_ns: int) -> str:
    """A person begins to inspect a device of the closed table."""
    if sitting.state is not State.CLOSED:
        wrong = "one is under way already" if sitting.state is State.INSPECTING else "the table is open: close it first"
        raise Refused(f"inspect_start: {wrong}")
    if sitting.game.busy is not None:
        raise Refused(f"inspect_start: {sitting.game.busy}: wait for it")
    _check_device(sitting, "inspect_start", given)
    plan = sitting.inspections.plan
    if not plan.checks:
        raise Refused(f"inspect_start: the rules and the house name nothing to look at on {plan.device}; open it")
    sitting.inspections.start()
    sitting.game.inspection_begins()
    return f"look at {plan.device}: " + "; ".join(f"{check.check}: {check.says}" for check in plan.checks)


def inspect_pass(sitting: Sitting, given: Given, t_ns: int) -> str:
    """A supervisor says that each check was good: the table may open."""
    checks = _checks(sitting, "inspect_pass", given)
    missing = [name for name in sitting.inspections.plan.names if name not in checks]
    if missing:
        raise Refused(f"inspect_pass: {', '.join(missing)} must be among the checks too, or the inspection fails")
    if sitting.game.busy is not None:
        raise Refused(f"inspect_pass: {sitting.game.busy}: wait for it")
    if sitting.game.inspection_lacks is not None:
        raise Refused(f"inspect_pass: {sitting.game.inspection_lacks}")
    sitting.inspections.end(passed=True)
    device = sitting.inspections.plan.device
    sitting.tell(events.InspectionPassed, t_ns, device=device, checks=checks, by=given["by"])
    return f"{device} passed its inspection"


def inspect_fail(sitting: Sitting, given: Given, t_ns: int) -> str:
    """A person says which checks were not good: the table stays closed."""
    checks = _checks(sitting, "inspect_fail", given)
    sitting.inspections.end(passed=False)
    device = sitting.inspections.plan.device
    detail = given.get("why", "")
    sitting.tell(events.InspectionFailed, t_ns, device=device, checks=checks, by=given["by"], detail=detail)
    return f"{device} failed its inspection: {', '.join(checks)}"


def _checks(sitting: Sitting, verb: str, given: Given) -> list[str]:
    """The checks that the order names, each known, in the order of the plan."""
    if sitting.state is not State.INSPECTING:
        raise Refused(f"{verb}: no inspection is under way; begin with inspect_start")
    _check_device(sitting, verb, given)
    known = sitting.inspections.plan.names
    named = [word for word in re.split(r"[,\s]+", given["checks"]) if word]
    for word in named:
        if word not in known:
            raise Refused(f"{verb}: {not_one_of('check', word, known)}")
    if not named:
        raise Refused(f"{verb}: checks names none of {', '.join(known)}")
    return [name for name in known if name in named]


def _check_device(sitting: Sitting, verb: str, given: Given) -> None:
    device = sitting.inspections.plan.device
    if given["device"] != device:
        raise Refused(f"{verb}: {not_one_of('device', given['device'], [device])}")


VERBS = (
    Verb("open", open_table, needs=("by",)),
    Verb("close", close_table, needs=("reason", "by"), takes=("force",)),
    Verb("clear", clear, needs=("device", "by")),
    Verb("inspect_start", inspect_start, needs=("device", "by")),
    Verb("inspect_pass", inspect_pass, needs=("device", "checks", "by")),
    Verb("inspect_fail", inspect_fail, needs=("device", "checks", "by"), takes=("why",)),
)
