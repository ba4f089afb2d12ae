"""Venues for tests: images that are made, and a venue that does its worst to what is beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PIL import Image

from controller.cli.venue_folder import read_venue
from scoreboard.venue import Venue

WORDS: Final = """\
charity = "Friends of the Valley Library"
message = "Raffle at 21:30 in the foyer · the bar takes tokens until 22:00"
"""
WORST: Final = f"""\
charity = "{"W" * 60}"
message = "{"𝔐" * 45}{"ế" * 45}"
logo = "wide.png"

[colors]
accent = "#ffd23f"
background = "#0d271c"
strip = "#ffd23f"
strip_text = "#14110a"
""" + "".join(
    f'\n[[sponsor]]\nimage = "{"tall" if at % 2 else "wide"}.png"\nname = "{"N" * 60}"\nseconds = 3\n'
    for at in range(12)
)
"""As much of everything as is taken, and the colors of SIMULATION."""


def venue(folder: Path, text: str) -> Venue:
    """The venue of this file, in a folder with two images."""
    Image.new("RGB", (640, 32), "#ffd23f").save(folder / "wide.png")
    Image.new("RGBA", (32, 320), (255, 255, 255, 90)).save(folder / "tall.png")
    (folder / "venue.toml").write_text(text, encoding="utf-8")
    return read_venue(folder)
