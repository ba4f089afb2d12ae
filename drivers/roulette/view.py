"""The roulette wheel at one time, for a drawing."""

from __future__ import annotations

from typing import Literal, NamedTuple

from drivers.base.view import DeviceView


class BallView(NamedTuple):
    """The ball of the present run; `none` once the track is quiet, with the numbers of the last one."""

    state: Literal["none", "in the track", "left the track"]
    direction: int
    """+1 or -1 once it is proven, otherwise 0."""
    laps: float
    """Revolutions that are proven."""
    laps_high: float
    """Revolutions that are possible."""
    lap_s: float | None
    missed: int
    """Sensors that it passed without a pulse."""
    at_deg: float | None
    """Where it is on the bowl, from its last pass on at its last speed; None where it is not in the track."""
    last_sensor: int | None
    """The sensor of its last pass, from 0."""


NO_BALL = BallView("none", 0, 0.0, 0.0, None, 0, None, None)


class RouletteWheelView(DeviceView, frozen=True, kw_only=True, tag="roulette_wheel"):
    """Rotor, ball, pocket head, object beam and level."""

    pockets: tuple[str, ...]
    """The names of the pockets in the positive direction from the index."""
    sensors_deg: tuple[float, ...]
    head_deg: float
    rotor_deg: float | None
    """Angle of the rotor since its index; None before the first crossing."""
    rotor_rpm: float
    rotor_direction: int
    ball: BallView
    pocket: int | None
    """The pocket that the head has named last; None where none is."""
    readings: int
    """Turns in a row that named it."""
    object: bool
    """Whether the object beam is interrupted."""
    tilt_deg: float
    level: bool


class StarXView(DeviceView, frozen=True, kw_only=True, tag="star_x"):
    """An automatic wheel, as its status feed has it."""

    state: str
    pocket: str | None
    rpm: float
    clockwise: bool
    linked: bool
