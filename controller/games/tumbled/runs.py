"""Whether a run of the tumbler was a tumble, and what was measured of it."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from controller.table.faults import Fault
from controller.table.report import Report
from drivers.dice.observations import CageRested, ChuteCleared, ChuteJammed, ChuteRested, ShakerRested
from feed.data import Tumbling
from hal.wording import times

RunOver: TypeAlias = CageRested | ChuteRested | ShakerRested

MISSED: Final = "baffles_missed"
"""The one doubt of a chute that is a refusal: a die is known not to have passed a baffle."""
UNCOVERED: Final = "shaken_uncovered"
"""The one of a shaker."""


class RunRefusal(NamedTuple):
    """Why a run gives no result."""

    reason: str
    detail: str
    void: bool
    """Whether it is known that it was not a tumble; otherwise it is only not proven that it was one."""


def refusal_of(run: RunOver) -> RunRefusal | None:
    """Why a run that is over gives no result; None where it was a tumble beyond doubt."""
    if run.tumbled:
        return None
    if run.joined:
        return RunRefusal("joined_mid_tumble", "the tumbler was moving when the table opened", void=False)
    if run.doubt is not None:
        return RunRefusal(run.doubt, run.detail, void=run.doubt in (MISSED, UNCOVERED))
    if isinstance(run, ChuteRested):
        return RunRefusal(MISSED, "no die passed a baffle", void=True)
    if isinstance(run, ShakerRested):
        detail = f"shaken {times(run.shakes)} under the cover without a pause, at least {run.required} are needed"
        return RunRefusal("too_few_shakes", detail, void=True)
    detail = f"inverted {times(run.inversions)}, at least {run.required} are needed"
    return RunRefusal("too_few_inversions", detail, void=True)


def report_jam(seen: ChuteJammed | ChuteCleared, report: Report) -> None:
    """A beam that stays broken shuts the table, and nothing that fell is a result; it is cleared once it is free."""
    beam = f"chute_{seen.baffle}"
    if isinstance(seen, ChuteCleared):
        report.cause_gone(seen.t_ns, beam)
        return
    detail = f"{beam} has been broken for {(seen.t_ns - seen.since_ns) / 1e9:g} s: a die is stuck, or the beam is"
    report.fault(Fault(seen.t_ns, "die_jammed", detail, cause=beam))


def started(run: RunOver) -> bool:
    """Whether more happened than a knock: the cage was inverted, or a die passed a beam."""
    return any(run.passes) if isinstance(run, ChuteRested) else run.started_ns is not None


def measured(run: RunOver, by: str) -> Tumbling:
    """The evidence of a run."""
    found = Tumbling(
        by=by,
        moved_s=run.moved_s,
        pulses=run.pulses,
        unevenness=run.unevenness,
        rest_ns=run.t_ns,
        doubts=[] if run.doubt is None else [run.doubt],
    )
    if isinstance(run, ChuteRested):
        return replace(found, baffle_passes=list(run.passes))
    if isinstance(run, ShakerRested):
        return replace(found, shakes=run.shakes, minimum_shakes=run.required)
    return replace(found, inversions=run.inversions, minimum_inversions=run.required)
