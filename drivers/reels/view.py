"""The reels at one time, for a drawing."""

from __future__ import annotations

from drivers.base.view import DeviceView


class ReelsView(DeviceView, frozen=True, kw_only=True, tag="stepper_reels"):
    """The reels as their board reports them."""

    a_turn: int
    """Steps of a turn."""
    turning: tuple[int, ...]
    """The reels that turn, from 1."""
    steps: tuple[int | None, ...]
    """Where each was reported last, in steps from home; None where that is not known."""
