"""What the driver of an automatic wheel says of it."""

from __future__ import annotations

from typing import Literal

from drivers.driver import Observation
from drivers.star_x_wire import WheelState


class AutoSpinStarted(Observation, frozen=True, kw_only=True):
    """The wheel launches the ball (state 2). A launch that fails is repeated without another of these."""

    direction: Literal["cw", "ccw"]
    """Of the rotor."""
    rpm: float
    spin_number: int


class AutoBallInRim(Observation, frozen=True, kw_only=True):
    """The ball runs in the rim (state 3)."""

    rpm: float


class AutoNoMoreBets(Observation, frozen=True, kw_only=True):
    """The wheel closed the betting (state 4)."""

    rpm: float


class AutoBallDirectionWrong(Observation, frozen=True, kw_only=True):
    """The ball goes the same way as the rotor (flag 2)."""

    state: WheelState
    """In `LAUNCH` the wheel catches the ball and launches again."""


class AutoBallNotDetected(Observation, frozen=True, kw_only=True):
    """The wheel does not see the ball (flag 1)."""

    state: WheelState


class AutoWheelFault(Observation, frozen=True, kw_only=True):
    """A sensor is stuck, or the motor or encoder has failed (flag 4)."""

    state: WheelState
    active: bool = True
    """False: the wheel no longer says so."""


class AutoLaunchFailed(Observation, frozen=True, kw_only=True):
    """The launch failed and the wheel tries again (flag 8)."""

    state: WheelState


class AutoNumber(Observation, frozen=True, kw_only=True):
    """The wheel states a winning number (state 5)."""

    pocket: str
    spin_number: int
    agreed: bool
    """Whether nothing at all speaks against it."""
    doubts: tuple[str, ...] = ()
    """What does: reasons of `AutoDoubt`, and `ball_direction`, `ball_not_detected`, `wheel_fault`, `launch_failed`
    where the wheel had that flag up after the launch."""
    rpm_min: float = 0.0
    rpm_max: float = 0.0
    """The range of the rotor's speed from the ball's entering the rim to the number."""


class AutoClosed(Observation, frozen=True, kw_only=True):
    """The wheel is closed or idle (state 6)."""


class AutoDoubt(Observation, frozen=True, kw_only=True):
    """What the wheel sent does not fit.

    Reasons: `joined_mid_spin`, `state_order`, `spin_number`, `rotor_direction`, `rotor_speed`, `number_disagrees`,
    `number_changed`, `no_number`, `impossible_number`, `bare_number_missing`, `stray_number`, `malformed`,
    `frames_lost`.
    """

    reason: str
    detail: str


class AutoLink(Observation, frozen=True, kw_only=True):
    """The wheel is heard, or is heard no longer. When it is heard again, what was running is not taken up."""

    up: bool
