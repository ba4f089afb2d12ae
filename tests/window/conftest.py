"""A display in memory: SDL's dummy for what is drawn, and Xvfb for a real window whose pixels are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from tests.window.display import VirtualDisplay


@pytest.fixture(scope="session", autouse=True)
def dummy() -> Iterator[None]:
    """Drawing in this process shows nothing."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    yield
    pygame.quit()


@pytest.fixture
def lying(tmp_path: Path) -> Iterator[VirtualDisplay]:
    """A full-HD display."""
    with VirtualDisplay(tmp_path, (1920, 1080)) as display:
        yield display
