"""Venues for tests: images that are made, and a venue that does its worst to what is beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw

from controller.cli.venue_folder import read_venue
from scoreboard.venue import Venue

WORDS: Final = """\
charity = "Friends of the Valley Library"
message = "Raffle at 21:30 in the foyer · the bar takes tokens until 22:00"
"""
EVENING: Final = (
    WORDS
    + """logo = "library.png"

[colors]
accent = "#f2b23a"
background = "#0e1f38"

[[sponsor]]
image = "bank.png"
name = "Valley Bank"

[[sponsor]]
image = "bakery.png"
name = "Baker & Daughters"
"""
)
"""A charity's evening, in blue."""
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
    for name, words, ink in (
        ("library", "LIBRARY", "#f2b23a"),
        ("bank", "Valley Bank", "#14285a"),
        ("bakery", "Baker & Daughters", "#f7d9a8"),
    ):
        _logo(words, ink).save(folder / f"{name}.png")
    (folder / "venue.toml").write_text(text, encoding="utf-8")
    return read_venue(folder)


def _logo(words: str, ink: str) -> Image.Image:
    """A ring, and words beside it."""
    image = Image.new("RGBA", (240 + 62 * len(words), 200))
    draw = ImageDraw.Draw(image)
    draw.ellipse((20, 20, 180, 180), outline=ink, width=18)
    draw.ellipse((70, 70, 130, 130), fill=ink)
    draw.text((220, 100), words, fill=ink, font_size=110, anchor="lm")
    return image
