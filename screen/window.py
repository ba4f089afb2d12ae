"""The display: a window or the whole screen, by pygame (SDL2): KMSDRM on a computer without a desktop, X11 elsewhere.

Flips wait for the display where it can synchronise them; where it cannot, the window reports that, and whoever plays on
it must be content with that (`synchronised` of `[device.screen]`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pygame

HZ: Final = 60
"""Frames a second where the display does not state them (ours)."""


class DisplayError(Exception):
    """No picture can be shown: why, and what to do."""


@dataclass(frozen=True)
class Pointed:
    """The mouse was pressed or released in the window, as SDL reports it: no kernel has dated it."""

    x: int
    y: int
    down: bool


class Window:
    """One display."""

    def __init__(self, size: tuple[int, int] | None, *, whole: bool) -> None:
        """`size` is in pixels; None for that of the display. `whole` takes the whole display.

        Raises:
            DisplayError: there is none.
        """
        self._whole = whole
        try:
            pygame.display.init()
            pygame.font.init()
            self.driver = pygame.display.get_driver()
            flags = pygame.FULLSCREEN if whole else 0
            self.synchronised = False
            if whole and self.driver not in ("dummy", "offscreen"):
                self.synchronised = self._open(size, flags | pygame.SCALED, synchronised=True)
            if not self.synchronised:
                self._open(size, flags, synchronised=False)
        except pygame.error as error:
            pygame.display.quit()
            drivers = "KMSDRM needs the groups video and render; X11 needs DISPLAY"
            raise DisplayError(f"no picture can be shown: {error}; {drivers}") from error
        pygame.display.set_caption("Feltwire")
        pygame.mouse.set_visible(not whole)
        surface = pygame.display.get_surface()
        if surface is None:
            raise DisplayError("no picture can be shown: the display gave no surface")
        self.surface: pygame.Surface = surface
        rate = pygame.display.get_current_refresh_rate() if self.synchronised else 0
        self.refresh_hz = rate or HZ
        """Frames a second."""

    def _open(self, size: tuple[int, int] | None, flags: int, *, synchronised: bool) -> bool:
        """Opens it; returns whether its flips wait for the display."""
        wanted = (0, 0) if size is None else size
        if not synchronised:
            pygame.display.set_mode(wanted, flags)
            return False
        if size is None:
            wanted = pygame.display.get_desktop_sizes()[0]
        try:
            pygame.display.set_mode(wanted, flags, vsync=1)
        except pygame.error:
            return False  # it cannot; the window is opened without, and reports so
        return True

    @property
    def size(self) -> tuple[int, int]:
        """Its width and height, in pixels."""
        return self.surface.get_size()

    def flip(self) -> None:
        """Gives the surface to the display, and waits for it where it synchronises."""
        pygame.display.flip()

    def events(self) -> tuple[list[Pointed], bool]:
        """What was done in the window since the last call, and whether it was closed."""
        found: list[Pointed] = []
        closed = False
        for event in pygame.event.get():
            escape = event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
            if event.type == pygame.QUIT or (escape and not self._whole):
                # On the whole display, which is the machine's, no key ends it.
                closed = True
            elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and event.button == 1:
                found.append(Pointed(event.pos[0], event.pos[1], event.type == pygame.MOUSEBUTTONDOWN))
        return found, closed

    def close(self) -> None:
        """Gives the display back."""
        pygame.display.quit()
