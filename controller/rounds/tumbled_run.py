"""Whether a run of cage or chute was a tumble: enough inversions, or every die through every baffle, and at rest."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from controller.table.faults import CauseGone, Fault
from controller.table.wording import times
from drivers.dice.observations import CageRested, ChuteCleared, ChuteJammed, ChuteRested
from feed.data import Tumbling

RunOver: TypeAlias = CageRested | ChuteRested

MISSED: Final = "baffles_missed"
"""The one doubt of a chute that is a refusal: a die is known not to have passed a baffle."""


class Refused(NamedTuple):
    """Why a run gives no result."""

    reason: str
    detail: str
    void: bool
    """Whether it is known that it was no tumble; else it is only not proven that it was one."""


def refused(run: RunOver) -> Refused | None:
    """What speaks against a run that is over; None where it was a tumble beyond doubt."""
    if run.tumbled:
        return None
    if run.joined:
        return Refused("joined_mid_tumble", "the tumbler was moving when the table opened", void=False)
    if run.doubt is not None:
        return Refused(run.doubt, run.detail, void=run.doubt == MISSED)
    if isinstance(run, ChuteRested):
        return Refused(MISSED, "no die passed a baffle", void=True)
    detail = f"inverted {times(run.inversions)}, at least {run.required} are needed"
    return Refused("too_few_inversions", detail, void=True)


def jam_of(seen: ChuteJammed | ChuteCleared) -> Fault | CauseGone:
    """A beam that stays broken shuts the table, and nothing that fell is a result; it is cleared once it is free."""
    beam = f"chute_{seen.baffle}"
    if isinstance(seen, ChuteCleared):
        return CauseGone(seen.t_ns, beam)
    detail = f"{beam} has been broken for {(seen.t_ns - seen.since_ns) / 1e9:g} s: a die is stuck, or the beam is"
    return Fault(seen.t_ns, "die_jammed", detail, cause=beam)


def started(run: RunOver) -> bool:
    """Whether more happened than a knock: the cage was inverted, or a die passed a beam."""
    return any(run.passes) if isinstance(run, ChuteRested) else run.started_ns is not None


def measured(run: RunOver, by: str) -> Tumbling:
    """What is told of a run as evidence."""
    doubts = [] if run.doubt is None else [run.doubt]
    if isinstance(run, ChuteRested):
        return Tumbling(by=by, baffle_passes=list(run.passes), rest_ns=run.t_ns, doubts=doubts)
    return Tumbling(by=by, inversions=run.inversions, minimum_inversions=run.required, rest_ns=run.t_ns, doubts=doubts)
