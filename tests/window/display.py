"""An X server without a screen, whose picture is a file: what a window really shows can be read at any moment."""

from __future__ import annotations

import mmap
import os
import struct
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import pygame

HEADER = struct.Struct(">25I")
"""Of the format XWD, with which Xvfb keeps its picture."""
CALL = "from controller.cli import main; main()"


class VirtualDisplay:
    """One Xvfb."""

    def __init__(self, folder: Path, size: tuple[int, int]) -> None:
        self._folder = folder
        self._size = size

    def __enter__(self) -> VirtualDisplay:
        read, write = os.pipe()
        width, height = self._size
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-fbdir", str(self._folder)],
            pass_fds=(write,),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as numbers:
            self.name = f":{numbers.readline().strip()}"
        self._file = (self._folder / "Xvfb_screen0").open("rb")
        self._memory = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        header = HEADER.unpack_from(self._memory)
        self._pixels = header[0] + header[19] * 12
        self._line = header[12]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._memory.close()
        self._file.close()
        self._server.terminate()
        self._server.wait(60)

    def part(self, x: int, y: int, width: int, height: int) -> bytes:
        """Pixels as they are shown now: blue, green, red, nothing."""
        lines = (self._pixels + (y + row) * self._line + 4 * x for row in range(height))
        return b"".join(self._memory[start : start + 4 * width] for start in lines)


def same(shown: bytes, surface: pygame.Surface, box: tuple[int, int, int, int]) -> bool:
    """Whether pixels of the display are those of a part of a drawing."""
    x, y, width, height = box
    drawn = pygame.image.tobytes(surface.subsurface(pygame.Rect(x, y, width, height)), "RGB")
    return all(shown[2 - colour :: 4] == drawn[colour::3] for colour in range(3))


def run_screen(display: VirtualDisplay, *arguments: str) -> subprocess.Popen[str]:
    """`feltwire screen` in a window of a display."""
    environment = {**os.environ, "DISPLAY": display.name, "SDL_VIDEODRIVER": "x11", "SDL_VIDEO_WINDOW_POS": "0,0"}
    return subprocess.Popen(
        [sys.executable, "-c", CALL, "screen", "--window", "--touch", "none", "--port", "0", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
