"""The named faults of simulated wheels: a vertical wheel against its flapper, a roulette wheel, or both.

What a fault needs is asked of the geometry by the name of its parameter, because each wheel has parameters of its own.
"""

from __future__ import annotations

from typing import Final

from simulators.base.faults import SimulatedFault
from simulators.base.geometry import Geometry

_VERTICAL_ALONE: Final = frozenset(
    {
        "wind_up",
        "reversed_spin",
        "spun_early",
        "between_spaces",
        "wheel_nudged_at_rest",
        "no_settle",
        "late_slip",
    }
)
"""Those that a vertical wheel alone can have."""
_ROULETTE_ALONE: Final = frozenset(
    {
        "same_direction",
        "rotor_stopped",
        "rotor_reversed",
        "ball_leaves_wheel",
        "ball_picked_up",
        "foreign_object",
        "two_balls",
        "double_zero",
        "tilt",
        "lost_pass",
    }
)
"""Those that a roulette wheel alone can have."""


def _call_button(geometry: Geometry) -> str | None:
    return None if geometry.no_more_bets_button else 'a "no more bets" button'


def _both_buttons(geometry: Geometry) -> str | None:
    if geometry.no_more_bets_button and geometry.settled_button:
        return None
    return 'a "no more bets" and a "settled" button'


def _level(geometry: Geometry) -> str | None:
    return None if getattr(geometry, "level_hz", 0.0) > 0.0 else "level sensors (level_hz above 0)"


def _double_zero(geometry: Geometry) -> str | None:
    return None if "00" in getattr(geometry, "pockets", ()) else "a pocket 00"


def _quadrature(geometry: Geometry) -> str | None:
    return None if getattr(geometry, "sensing", "quadrature") == "quadrature" else 'sensing = "quadrature"'


FAULTS: Final = (
    SimulatedFault("none", True, "Nothing goes wrong.", "The outcome."),
    SimulatedFault(
        "short_spin",
        True,
        "The wheel turns less than three times, or the ball runs less than four times round its track.",
        "Void: wheel_revolutions or ball_revolutions.",
    ),
    SimulatedFault(
        "near_limit",
        True,
        "A spin within a few hundredths of a turn of the limit on the money wheel, within one turn of it at roulette.",
        "The outcome where the limit is proven, else void: wheel_revolutions or ball_revolutions.",
    ),
    SimulatedFault(
        "wind_up",
        True,
        "The dealer draws the wheel back less than half a turn, waits, and spins it: a good spin.",
        "The outcome; revolutions count from the furthest point of the wind-up.",
    ),
    SimulatedFault(
        "reversed_spin",
        True,
        "A hand turns the spinning wheel back the other way.",
        "Void: wheel_reversed (or wheel_revolutions, where it had not turned three times).",
    ),
    SimulatedFault(
        "spun_early",
        True,
        'The wheel is spun and nobody calls "no more bets".',
        "Void: spun_before_no_more_bets.",
        _call_button,
    ),
    SimulatedFault(
        "late_call",
        True,
        '"No more bets" is called when the money wheel already turns, or after the ball has left its track.',
        "Money wheel: void, spun_before_no_more_bets, with a procedure violation called_after_void. Roulette: the spin "
        "stands, with a procedure violation no_more_bets_after_drop.",
        _call_button,
    ),
    SimulatedFault(
        "between_spaces",
        True,
        "The flapper catches on the tip of a peg: the wheel rests between two spaces.",
        "Void: indicator_between_spaces (unresolved, where the dealer is to call it).",
    ),
    SimulatedFault(
        "wheel_nudged_at_rest",
        True,
        "Somebody moves the resting wheel by less than half a turn, before the call or after the verdict.",
        "The outcome of the spin; a warning. Just before the spin it is part of it, as its wind-up.",
    ),
    SimulatedFault(
        "same_direction",
        True,
        "The ball runs with the rotor instead of against it.",
        "Void: ball_direction.",
    ),
    SimulatedFault(
        "rotor_stopped",
        True,
        "The ball is spun while the rotor is at rest or crawls.",
        "Void: rotor_not_turning.",
    ),
    SimulatedFault(
        "rotor_reversed",
        True,
        "A hand turns the rotor back while the ball runs.",
        "Void: rotor_reversed (or rotor_not_turning, on the way through standstill).",
    ),
    SimulatedFault(
        "ball_leaves_wheel",
        True,
        "The ball flies off its track, or jumps out of the wheel from a deflector.",
        "Void or unresolved: ball_left_wheel, ball_revolutions or no_number_read. Never an outcome.",
    ),
    SimulatedFault(
        "ball_picked_up",
        True,
        "A hand takes the fast ball from its track; sometimes it then drops it into a pocket.",
        "Void: ball_revolutions or dealer_call. Never an outcome, whatever pocket is read.",
    ),
    SimulatedFault(
        "foreign_object",
        True,
        "Something falls into the wheel while the ball runs: it breaks the object beam, or is before a track sensor.",
        "Void: foreign_object (sensor_stuck, where only a track sensor is covered).",
    ),
    SimulatedFault(
        "two_balls",
        True,
        "A second ball runs on the track, or the ball of the last round was left in its pocket.",
        "Void: foreign_object (or another doubt about the run). Never an outcome.",
    ),
    SimulatedFault(
        "double_zero",
        True,
        "The ball ends in 00.",
        "The outcome 00; on a wheel used as a single-zero wheel void: double_zero_as_single_zero.",
        _double_zero,
    ),
    SimulatedFault(
        "tilt",
        True,
        "The wheel is pushed out of level while the ball runs, and put right after the round.",
        "Void: not_level, and a fault that keeps the table shut until level is confirmed.",
        _level,
    ),
    SimulatedFault(
        "no_settle",
        True,
        'The dealer forgets to press "settled".',
        "The outcome; the call of the next round settles this one.",
        _both_buttons,
    ),
    SimulatedFault(
        "missed_sensor",
        False,
        "One sensor misses a pulse now and then: a track sensor, or the wheel's index or peg sensor.",
        "The outcome where the speed leaves one explanation, else a refusal.",
    ),
    SimulatedFault(
        "lost_pass",
        False,
        "A track sensor misses one pass of the ball.",
        "The outcome: the speed leaves one explanation.",
    ),
    SimulatedFault(
        "lost_pulse",
        False,
        "One whole pulse of one encoder line (or of the peg sensor) is lost.",
        "The right outcome, or unresolved: encoder_slip or edges_lost. Never another number.",
    ),
    SimulatedFault(
        "stuck_sensor",
        False,
        "One sensor's line stays high from some moment of the spin on.",
        "Unresolved or void: sensor_stuck, or what follows from the missing sensor.",
    ),
    SimulatedFault(
        "dead_sensor",
        False,
        "One sensor's line stays low for the whole round.",
        "The outcome where the other sensors prove it, else sensor_missing, no_number_read or a refusal.",
    ),
    SimulatedFault(
        "swapped_sensors",
        False,
        "Two wires are changed over: two track sensors, or A and B.",
        "A refusal or unresolved. Equally spaced track sensors hide it, and so does an index that looks the same with "
        "A and B changed over: calibration must exclude it.",
    ),
    SimulatedFault(
        "index_slip",
        False,
        "The encoder slips on its shaft by a few counts, and the index passes again after it.",
        "Unresolved: encoder_slip; at roulette the outcome, where the number is read again after it.",
        _quadrature,
    ),
    SimulatedFault(
        "late_slip",
        False,
        "The encoder slips after the index has passed for the last time, while the wheel still turns: only the pause "
        "in the counts, and perhaps the resting phase, shows it.",
        "Unresolved: edges_lost, or encoder_slip where the next index shows it.",
        _quadrature,
    ),
    SimulatedFault(
        "bounce",
        False,
        "Sensors and buttons bounce: false openings at irregular times after their edges.",
        "The outcome, or a doubt that it names. Never another number.",
    ),
    SimulatedFault(
        "jitter",
        False,
        "Every sensor's edges come a little early or late.",
        "The outcome.",
    ),
    SimulatedFault(
        "noise_burst",
        False,
        "A discharge near the wires: short false pulses on several lines for a moment of the spin.",
        "The outcome, or a doubt that it names. Never another number.",
    ),
    SimulatedFault(
        "cable_pulled",
        False,
        "The wheel's cable comes out during the spin and is put back later.",
        "Unresolved: sensor_missing or edges_lost, and a fault of the device.",
    ),
)

"""Every fault, `none` first."""

FAULTS_OF_A_VERTICAL_WHEEL: Final = tuple(fault for fault in FAULTS if fault.name not in _ROULETTE_ALONE)
FAULTS_OF_A_ROULETTE_WHEEL: Final = tuple(fault for fault in FAULTS if fault.name not in _VERTICAL_ALONE)
