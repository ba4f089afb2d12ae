"""The money wheel at one time, for a drawing."""

from __future__ import annotations

from typing import Literal

from drivers.base.view import DeviceView

Motion = Literal["at rest", "moving", "spun"]


class MoneyWheelView(DeviceView, frozen=True, kw_only=True, tag="money_wheel"):
    """A wheel of spaces before its indicator."""

    faces: tuple[str, ...]
    """The face of each space, in the positive direction from the index."""
    indicator_deg: float
    clockwise: bool
    """Whether the player sees the positive direction as clockwise."""
    angle_deg: float | None
    """Since the index; None before the first crossing."""
    rpm: float
    """The speed of turning, by the last pegs or counts."""
    rpm_doubt: tuple[float, float] | None = None
    """The lowest and the highest that it can be, by few pegs; None where nothing gives it, or counts are many."""
    direction: int
    """+1 or -1; 0 where it is not known."""
    motion: Motion
    turns: float
    """Of the spin, to the furthest point, as decoded."""
    space: int | None
    """Under the indicator at rest; None while it moves or is not known."""
