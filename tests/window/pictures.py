"""Draws the pictures of the screen that the documentation shows, again.

PYTHONPATH=. python -m tests.window.pictures            into docs/pictures
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pygame

from screen.drawing import Painter
from tests.window.scenes import Shown, shown

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SMALLER: Final = 2
"""The pictures of the pages are so many times smaller than the screen."""


def drawn(one: Shown) -> pygame.Surface:
    """One picture at its full size."""
    surface = pygame.Surface(one.size)
    Painter(surface).draw(one.picture, one.model)
    return surface


def reduced(surface: pygame.Surface) -> pygame.Surface:
    """A picture in the size of the pages."""
    width, height = surface.get_size()
    return pygame.transform.smoothscale(surface, (width // SMALLER, height // SMALLER))


def write(folder: Path) -> None:
    """Every picture, as a PNG."""
    for one in shown():
        pygame.image.save(reduced(drawn(one)), folder / f"screen-{one.name}.png")


if __name__ == "__main__":
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.font.init()
    write(FOLDER)
