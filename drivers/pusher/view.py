"""The bed of a pusher at one time, for a drawing."""

from __future__ import annotations

from drivers.base.view import DeviceView


class PusherBedView(DeviceView, frozen=True, kw_only=True, tag="pusher_bed"):
    """The shelf and the optics below its edges."""

    moves: bool
    """Whether the shelf moves."""
    covered: tuple[str, ...]
    """The lines of the optics that something covers."""
    tilted: bool
