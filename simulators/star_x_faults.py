"""What can go wrong with an automatic wheel or its wire, by name."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from drivers.star_x_wire import WheelState
from simulators.faults import FaultError


@dataclass(frozen=True, slots=True)
class StarXFault:
    """A named fault."""

    name: str
    explanation: str
    """What happens."""
    expected: str
    """What a correct controller may say of it."""
    provable: bool = False
    """Whether the number of the spin is proven all the same."""
    where: WheelState | None = None
    """For a fault of the wire: the state in whose status lines it happens."""


_LAUNCH_AGAIN = "the spin counts: the wheel launched again"
_NO_OUTCOME = "no outcome"

STAR_X_FAULTS: dict[str, StarXFault] = {
    fault.name: fault
    for fault in (
        StarXFault("misfire", "the launch fails once and is repeated (flag 8)", _LAUNCH_AGAIN, provable=True),
        StarXFault("misfire_long", "the launch fails for 29 s (flag 8)", _LAUNCH_AGAIN, provable=True),
        StarXFault(
            "wrong_direction",
            "the ball is launched with the rotor (flag 2), caught, and launched again",
            _LAUNCH_AGAIN,
            provable=True,
        ),
        StarXFault("wrong_direction_in_rim", "the ball runs with the rotor in the rim (flag 2)", _NO_OUTCOME),
        StarXFault("ball_not_detected", "the wheel loses the ball in the rim (flag 1)", _NO_OUTCOME),
        StarXFault("stuck_sensor", "a sensor sticks (flag 4), the rotor runs out, the wheel closes", _NO_OUTCOME),
        StarXFault("power_cycle", "the wheel loses its power after no more bets and starts anew", _NO_OUTCOME),
        StarXFault("bare_mismatch", "the bare number is not that of the status", _NO_OUTCOME),
        StarXFault("bare_missing", "the bare number is not sent", _NO_OUTCOME),
        StarXFault("garbage_speed", "a status claims 95 to 98 rpm", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
        StarXFault("wrong_state", "a wrong byte makes a 4 a 5", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
        StarXFault("stray_number", "a number comes while the ball runs", _NO_OUTCOME, where=WheelState.BALL_IN_RIM),
        StarXFault("noise", "bytes of noise before a status", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
        StarXFault("cut_cable", "nothing comes for 10 s", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
    )
}
"""Every fault, in the order in which they are listed."""


def star_x_fault(name: str) -> StarXFault:
    """The fault of this name.

    Raises:
        FaultError: there is none; says the nearest.
    """
    fault = STAR_X_FAULTS.get(name)
    if fault is None:
        near = difflib.get_close_matches(name, STAR_X_FAULTS, n=3, cutoff=0.5)
        hint = f"; nearest: {', '.join(near)}" if near else f"; there are: {', '.join(STAR_X_FAULTS)}"
        raise FaultError(f'no fault of an automatic wheel is named "{name}"{hint}')
    return fault
