"""The screen at one time, for a drawing."""

from __future__ import annotations

from drivers.base.view import DeviceView


class ScreenView(DeviceView, frozen=True, kw_only=True, tag="video_screen"):
    """The reels as the screen shows them."""

    a_turn: int = 20
    """Symbols of a reel."""
    turning: tuple[int, ...]
    """The reels that turn, from 1."""
    steps: tuple[int | None, ...]
    """The image of each reel; None where that is not known."""
