"""The truth of a simulated round of roulette."""

from __future__ import annotations

from dataclasses import dataclass

from hal.clock import NS_PER_S
from simulators.base.motion import Segment
from simulators.base.truth import Truth
from simulators.roulette.ball import BallFall
from simulators.roulette.geometry import RouletteGeometry
from simulators.roulette.plan import RoulettePlan

LEAST_ROTOR_DEG_S = 18.0
"""3 rpm: slower, the rotor has no direction that a ball could run against."""

_NO_RUN = ("ball_revolutions", "ball_left_wheel", "dealer_call", "no_number_read")


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """The facts of a round. `forgotten`: the last round's ball was in its pocket all the time."""

    plan: RoulettePlan
    track: list[Segment]
    fall: BallFall | None
    rotor_deg_s: float
    """The rotor's speed when the ball was thrown."""
    forgotten: bool


def truth_of(facts: RoundFacts, geometry: RouletteGeometry) -> Truth:
    """The truth of a round with clean lines."""
    plan, fall = facts.plan, facts.fall
    last = facts.track[-1]
    from_deg, to_deg = facts.track[0].angle_deg, last.angle_after(last.duration_s)
    turns = abs(to_deg - from_deg) / 360.0
    measurable = measurable_turns(from_deg, to_deg, geometry.ball_sensors_deg)

    refused: list[str] = []
    if plan.with_rotor:
        refused.append("ball_direction")
    if abs(facts.rotor_deg_s) < LEAST_ROTOR_DEG_S:
        refused += ["rotor_not_turning", "ball_direction"]
    if plan.rotor_reverses_s is not None:
        refused += ["rotor_reversed", "rotor_not_turning", "ball_direction"]
    if plan.flies_off is not None or plan.pick_up_share is not None:
        refused += _NO_RUN
    if plan.object_share is not None:
        refused.append("foreign_object")
        if plan.object_on_sensor:
            refused += ["sensor_stuck", "ball_revolutions", "ball_direction"]
    if plan.second_ball_s is not None or facts.forgotten:
        refused += ["foreign_object", "ball_revolutions", "ball_direction", "sensor_missing", "no_number_read"]
    if plan.tilt_share is not None:
        refused.append("not_level")
    if fall is not None and geometry.single_zero and geometry.pockets[fall.pocket] == "00":
        refused.append("double_zero_as_single_zero")
    least = geometry.minimum_revolutions
    if turns < least:
        refused.append("ball_revolutions")
    doubtful = ("ball_revolutions",) if measurable < least <= turns else ()

    notices: tuple[str, ...] = ()
    if plan.call_late_s is not None:
        notices = ("procedure.violation", "no_more_bets_after_drop")
    elif plan.tilt_share is not None:
        notices = ("device.fault",)
    where = "in no pocket" if fall is None else f"in {geometry.pockets[fall.pocket]}"
    against = "with" if plan.with_rotor else "against"
    return Truth(
        valid=not refused,
        result=None if fall is None else fall.pocket,
        revolutions=turns,
        measurable=measurable,
        reasons=tuple(dict.fromkeys((*refused, *doubtful))),
        detail=f"{turns:.2f} turns {against} the rotor ({abs(facts.rotor_deg_s) / 6.0:.1f} rpm), {where}",
        notices=notices,
        rest_ns=None if fall is None else int(fall.rest_s * NS_PER_S),
    )


def measurable_turns(from_deg: float, to_deg: float, sensors_deg: tuple[float, ...]) -> float:
    """Turns of the ball between the first sensor that it passes and the last; 0 where it passes less than two."""
    low_deg, high_deg = min(from_deg, to_deg), max(from_deg, to_deg)
    first_deg = min(low_deg + (sensor - low_deg) % 360.0 for sensor in sensors_deg)
    last_deg = max(high_deg - (high_deg - sensor) % 360.0 for sensor in sensors_deg)
    return max(0.0, last_deg - first_deg) / 360.0
