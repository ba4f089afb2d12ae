"""The plan of a round of roulette: what the dealer, the ball and other hands do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import pi
from random import Random

from simulators.roulette.ball import BallThrow, random_throw, speed_for_travel
from simulators.roulette.geometry import RouletteGeometry

LEVEL_AT_REST_DEG = 0.05
"""A wheel set up with care is out of level by no more than this."""


@dataclass(frozen=True, slots=True)
class RoulettePlan:
    """One round as planned; the physics gives its outcome. Times are from the round's start unless stated otherwise."""

    throw: BallThrow
    rotor_rpm: float
    """The speed to which the dealer brings the rotor, signed."""
    rotor_after_s: float
    take_out_after_s: float | None
    """When the last round's ball is taken out; None: it stays in its pocket."""
    throw_after_s: float
    with_rotor: bool = False
    rotor_reverses_s: float | None = None
    """From the throw to a hand on the rotor."""
    call_share: float | None = None
    """The call comes when this share of the ball's time on the track has passed; None: no call."""
    call_late_s: float | None = None
    """From the drop to a call that comes too late."""
    pick_up_share: float | None = None
    """A hand takes the ball from the track when this share of its time there has passed."""
    put_in_pocket_s: float | None = None
    """From there until the hand drops it into a pocket."""
    flies_off: str | None = None
    """`"track"`: the ball leaves the wheel from its track; `"deflector"`: after the drop."""
    second_ball_s: float | None = None
    """From the throw to a second one."""
    object_share: float | None = None
    """Something falls into the wheel when this share of the ball's time on the track has passed."""
    object_s: float = 1.0
    object_on_sensor: bool = False
    tilt_share: float | None = None
    """The wheel is pushed out of level when this share of the ball's time on the track has passed."""
    tilted_deg: float = 0.0
    aim: int | None = None
    settled: bool = True


_Change = Callable[[RoulettePlan, RouletteGeometry, Random], RoulettePlan]


def clean_plan(
    geometry: RouletteGeometry, rng: Random, rotor_way: int, tilt_deg: float, tilt_towards_deg: float
) -> RoulettePlan:
    """A regular round."""
    take_out_after_s = rng.uniform(0.5, 1.5)
    return RoulettePlan(
        throw=random_throw(rng, tilt_deg, tilt_towards_deg),
        rotor_rpm=rotor_way * rng.uniform(10.0, 20.0),
        rotor_after_s=rng.uniform(0.3, 1.0),
        take_out_after_s=take_out_after_s,
        throw_after_s=rng.uniform(5.0, 7.0),
        call_share=rng.uniform(0.45, 0.8) if geometry.no_more_bets_button else None,
    )


def _travel(plan: RoulettePlan, turns: float) -> RoulettePlan:
    speed = speed_for_travel(plan.throw, turns * 2.0 * pi)
    return replace(plan, throw=replace(plan.throw, speed_rad_s=speed))


def _short_spin(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    return _travel(plan, rng.uniform(1.1, 3.9) * geometry.minimum_revolutions / 4.0)


def _near_limit(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    more = geometry.minimum_revolutions - 4.0
    return _travel(plan, rng.uniform(3.7 + more, 5.4 + more))


def _late_call(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    return replace(plan, call_share=None, call_late_s=rng.uniform(1.6, 4.0))


def _same_direction(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    return replace(plan, with_rotor=True, call_share=None)


def _rotor_stopped(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    crawl = rng.choice((0.0, rng.uniform(0.5, 2.5)))
    return replace(plan, rotor_rpm=crawl if plan.rotor_rpm > 0.0 else -crawl, call_share=None)


def _rotor_reversed(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    return replace(plan, rotor_reverses_s=rng.uniform(1.5, 6.0), call_share=None)


def _ball_leaves_wheel(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    if rng.random() < 0.5:
        return replace(plan, flies_off="deflector", settled=False)
    return replace(plan, flies_off="track", pick_up_share=rng.uniform(0.05, 0.4), call_share=None)


def _ball_picked_up(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    put_in_pocket_s = rng.uniform(1.5, 5.0) if rng.random() < 0.5 else None
    # Still fast: at a later time its lap times would be those of a drop.
    share = rng.uniform(0.05, 0.25)
    return replace(plan, pick_up_share=share, put_in_pocket_s=put_in_pocket_s, call_share=None)


def _foreign_object(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    return replace(
        plan,
        object_share=rng.uniform(0.1, 0.85),
        object_s=rng.uniform(0.3, 2.0),
        object_on_sensor=not geometry.object_beams,
        call_share=None,
    )


def _two_balls(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    if rng.random() < 0.5:
        return replace(plan, take_out_after_s=None, call_share=None)
    return replace(plan, second_ball_s=rng.uniform(0.12, 0.5), call_share=None)


def _double_zero(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    return replace(plan, aim=geometry.pockets.index("00"))


def _tilt(plan: RoulettePlan, geometry: RouletteGeometry, rng: Random) -> RoulettePlan:
    return replace(
        plan, tilt_share=rng.uniform(0.05, 0.7), tilted_deg=rng.uniform(0.3, 1.0), call_share=None, settled=False
    )


PLANS: dict[str, _Change] = {
    "none": lambda plan, geometry, rng: plan,
    "short_spin": _short_spin,
    "near_limit": _near_limit,
    "late_call": _late_call,
    "same_direction": _same_direction,
    "rotor_stopped": _rotor_stopped,
    "rotor_reversed": _rotor_reversed,
    "ball_leaves_wheel": _ball_leaves_wheel,
    "ball_picked_up": _ball_picked_up,
    "foreign_object": _foreign_object,
    "two_balls": _two_balls,
    "double_zero": _double_zero,
    "tilt": _tilt,
}
"""How each physical fault changes the plan."""
