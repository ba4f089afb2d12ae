"""Where everything of the picture is, for any size, upright or lying; and which stop button a finger hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

ROW: Final = 10
"""Units of a row of the header."""
NARROW: Final = 150
"""Units: where the picture is less wide, the header has two rows."""


class Box(NamedTuple):
    """A part of the picture, in pixels."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Whether a point is in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def inside(self, margin: int) -> Box:
        """The same without a margin."""
        return Box(self.x + margin, self.y + margin, self.width - 2 * margin, self.height - 2 * margin)


@dataclass(frozen=True)
class Layout:
    """The parts of a picture."""

    width: int
    height: int
    unit: int
    """A hundredth of the shorter side: what sizes and margins are counted in."""
    header: Box
    message: Box
    awards: Box
    reels: tuple[Box, ...]
    """The window of each reel."""
    cell: int
    """The side of one symbol."""
    rows: int
    """Symbols that a window shows, one above the other."""
    stops: tuple[Box, ...]
    """The stop button of each reel; none where reels are stopped by buttons beside the screen alone."""
    body: Box
    """Between header and message: what other views than the reels fill."""
    patch: Box
    """For the light sensor."""

    def stop_at(self, x: int, y: int) -> int:
        """The reel whose stop button a finger hits, from 1; 0 for none."""
        return next((reel for reel, box in enumerate(self.stops, 1) if box.holds(x, y)), 0)


def layout_of(width: int, height: int, reels: int, rows: int, *, touch: bool) -> Layout:
    """The parts of a picture of this size, with this many reels and symbols one above the other."""
    unit = max(1, min(width, height) // 100)
    upright = height > width
    header = Box(0, 0, width, ROW * unit if width >= NARROW * unit else 18 * unit)
    message = Box(0, height - 16 * unit, width, 16 * unit)
    body = Box(2 * unit, header.height + 2 * unit, width - 4 * unit, height - header.height - message.height - 4 * unit)
    if upright:
        awards = Box(body.x, body.y + body.height - 44 * unit, body.width, 44 * unit)
        play = Box(body.x, body.y, body.width, body.height - awards.height - 3 * unit)
    else:
        awards = Box(body.x + body.width - 46 * unit, body.y, 46 * unit, body.height)
        play = Box(body.x, body.y, body.width - awards.width - 3 * unit, body.height)
    gap = 2 * unit
    button = 12 * unit if touch else 0
    room = play.height - button - (gap if touch else 0)
    cell = max(8, min((play.width - (reels - 1) * gap) // reels - 2 * unit, room // rows))
    window_width, window_height = cell + 2 * unit, cell * rows
    across = reels * window_width + (reels - 1) * gap
    left = play.x + (play.width - across) // 2
    top = play.y + (play.height - window_height - button - (gap if touch else 0)) // 2
    windows = tuple(Box(left + reel * (window_width + gap), top, window_width, window_height) for reel in range(reels))
    stops = tuple(Box(box.x, top + window_height + gap, box.width, button) for box in windows) if touch else ()
    patch = Box(0, height - 6 * unit, 6 * unit, 6 * unit)
    return Layout(width, height, unit, header, message, awards, windows, cell, rows, stops, body, patch)
