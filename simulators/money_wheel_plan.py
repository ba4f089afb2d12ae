"""What the dealer, and whoever disturbs, will do with the money wheel in one round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from simulators.geometry import MoneyWheelGeometry

PEG_ZONE_SPACES = 0.05
"""Nearer to a peg than this, the indicator stands between two spaces."""


@dataclass(frozen=True, slots=True)
class MoneyWheelPlan:
    """One round as planned; what comes of it is physics."""

    direction: int
    travel_deg: float
    """About how far the wheel is to turn."""
    push_deg: float
    """Over which angle the hand brings it to speed."""
    call_after_s: float | None
    """From the round's start to the call."""
    spin_after_s: float
    """From the round's start to the hand's first movement of the wheel."""
    call_late_s: float | None = None
    """From the spin's start to a call that comes too late."""
    wind_up_deg: float = 0.0
    wind_up_s: float = 0.8
    pause_s: float = 0.0
    reverse_below_deg_s: float | None = None
    """A hand turns the wheel back when it has slowed to this."""
    reverse_deg_s: float = 0.0
    off_peg_deg: float | None = None
    """The flapper catches on a peg, this far from its middle."""
    nudge_deg: float = 0.0
    nudge_after_verdict: bool = False
    settled: bool = True


def clean_plan(geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    """A round as it should be: the call, a spin of four to eight turns (one in seven with a wind-up), rest."""
    call_after_s = rng.uniform(1.0, 3.0)
    plan = MoneyWheelPlan(
        direction=rng.choice((1, -1)),
        travel_deg=360.0 * rng.uniform(3.5, 8.0),
        push_deg=rng.uniform(60.0, 150.0),
        call_after_s=call_after_s if geometry.no_more_bets_button else None,
        spin_after_s=call_after_s + rng.uniform(0.7, 2.5),
    )
    return _wind_up(plan, geometry, rng) if rng.random() < 0.15 else plan


def _short_spin(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    # From 0.8 of a turn, so that it is a spin and no nudge.
    return replace(plan, travel_deg=360.0 * rng.uniform(0.8, 2.75), push_deg=rng.uniform(40.0, 80.0))


def _near_limit(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, travel_deg=360.0 * rng.uniform(2.9, 3.15))


def _wind_up(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(
        plan,
        wind_up_deg=rng.uniform(10.0, 165.0),
        wind_up_s=rng.uniform(0.5, 1.3),
        pause_s=rng.choice((0.0, rng.uniform(0.1, 1.2), rng.uniform(1.6, 4.5))),
    )


def _reversed_spin(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, reverse_below_deg_s=rng.uniform(60.0, 300.0), reverse_deg_s=rng.uniform(60.0, 200.0))


def _spun_early(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, call_after_s=None)


def _late_call(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, call_after_s=None, wind_up_deg=0.0, pause_s=0.0, call_late_s=rng.uniform(0.7, 3.0))


def _between_spaces(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    zone_deg = 0.8 * PEG_ZONE_SPACES * 360.0 / geometry.spaces
    return replace(plan, off_peg_deg=rng.uniform(-zone_deg, zone_deg))


def _nudged(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(
        plan,
        nudge_deg=rng.choice((1, -1)) * rng.uniform(10.0, 160.0),
        # Without a button, the wheel's own movement is the call: a nudge would be a spin.
        nudge_after_verdict=rng.random() < 0.5 or not geometry.no_more_bets_button,
    )


def _no_settle(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, settled=False)


PLANS: dict[str, Callable[[MoneyWheelPlan, MoneyWheelGeometry, Random], MoneyWheelPlan]] = {
    "none": lambda plan, geometry, rng: plan,
    "short_spin": _short_spin,
    "near_limit": _near_limit,
    "wind_up": _wind_up,
    "reversed_spin": _reversed_spin,
    "spun_early": _spun_early,
    "late_call": _late_call,
    "between_spaces": _between_spaces,
    "wheel_nudged_at_rest": _nudged,
    "no_settle": _no_settle,
}
"""How each physical fault changes the plan."""
