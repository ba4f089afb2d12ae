"""Reels that spin and are stopped by a player, whatever they are made of: what a game commands, and what it hears.

spin ────► turns, armed ──the player stops it──► stopped: ReelStands, by the player
               └──stop_at────────────────────► stopped: ReelStands, by the house
place ───► turns or jumps ───────────────────► stopped: ReelStands, by the house
halt ────► stopped somewhere: ReelHalted
any of them ──► its place is not proven any more: ReelFailed, with the reel's number
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec

from drivers.base.driver import Observation

Aim: TypeAlias = Literal["player", "house", "halt"]
"""Who is to stop a reel that turns."""


class ImageProof(msgspec.Struct, frozen=True, kw_only=True):
    """Why a reel on a screen is at the image at which it is. Times are on the clock of `mono_ns`."""

    image: int
    """The image at which it stopped."""
    lit_ns: int
    """When that image was lit first: the flip that showed it, and the latency of the display."""
    by: str
    """What stopped it: `button` or `touch`."""
    latency_ms: float
    """The display's latency, as stated: from a flip to the light."""
    error_ms: float
    """How far the time of the press, and the time of the light, may be off together."""
    possible: tuple[int, ...]
    """The images that may have been lit at the press, in their order: two where the press is within the error."""
    measured_ms: float | None = None
    """The display's latency as its light sensor measured it last; None without one."""


class ReelStands(Observation, frozen=True, kw_only=True):
    """A reel is at a stop, and nothing contradicts it."""

    reel: int
    stop: int
    """From 0, which is home."""
    step: int
    """Where its motor is, in steps from home; on a screen the same as `stop`."""
    by_player: bool
    pressed_ns: int | None = None
    """When it was stopped by button or touch, where that was seen."""
    proof: ImageProof | None = None
    """Of a reel on a screen that the player has stopped."""


class ReelHalted(Observation, frozen=True, kw_only=True):
    """A reel that was to be stopped anywhere has stopped."""

    reel: int


class ReelFailed(Observation, frozen=True, kw_only=True):
    """Where a reel is, is not proven any more."""

    reel: int
    fault: str
    """The code of the fault: `reel_slipped`, `screen_silent` …"""
    detail: str


class ReelsTrouble(Observation, frozen=True, kw_only=True):
    """What all reels hang on fails, or works again."""

    fails: bool
    fault: str
    """The code of the fault: `screen_lost`, `display_dark` …"""
    cause: str
    """What must be gone before the fault can be cleared."""
    detail: str = ""


class SpunReels(Protocol):
    """The commands that a game gives to its reels, which are numbered from 1."""

    def stop_of(self, reel: int) -> int | None:
        """Where a reel is stopped; None while it turns, or is not known."""

    def aim_of(self, reel: int) -> Aim | None:
        """Who is to stop a reel that turns; None while it is commanded nothing."""

    def spin(self, number: int, t_ns: int) -> None:
        """Spins a reel until the player stops it."""

    def place(self, number: int, stop: int, t_ns: int) -> None:
        """Brings a reel to a stop."""

    def stop_at(self, number: int, stop: int, t_ns: int) -> None:
        """The player's time is over: a reel that still turns free is stopped there by the house."""

    def halt(self, number: int, t_ns: int) -> None:
        """Stops a reel as soon as it can, wherever that is."""
