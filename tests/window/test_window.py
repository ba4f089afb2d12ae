"""A real window under Xvfb: what it shows is what was drawn, and what it reports is what was lit when."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event, Lock, Thread

import msgspec
import pygame
import pytest

from drivers.screen.flips import Flip, Flips
from drivers.screen.screen_wire import (
    ALIVE_NS,
    LONGEST,
    Alive,
    FlipMade,
    FromScreen,
    Scene,
    ScreenHello,
    Show,
    SpinReel,
    StopReel,
    ToScreen,
    from_screen,
    line_of,
)
from hal.clock import SystemClock
from hal.framing import LineFramer
from screen.drawing import Painter
from screen.layout import layout_of
from screen.program import Picture
from screen.window import Window
from tests.window.display import CALL, VirtualDisplay, run_screen, same
from tests.window.scenes import Shown, set_up, shown

S = 1_000_000_000
LIMIT_S = 60
"""After which a screen that does nothing has failed."""


class TableEnd:
    """The table's end of the link."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)
        self._framer = LineFramer(LONGEST)
        self._lines: list[bytes] = []
        self._sending, self._ended = Lock(), Event()
        Thread(target=self._live, daemon=True).start()

    def _live(self) -> None:
        """A table reports that it runs, however long the test looks at the picture."""
        while not self._ended.wait(ALIVE_NS / S):
            with suppress(OSError):
                self.tell(Alive())

    def tell(self, *messages: ToScreen) -> None:
        """Tells the screen something."""
        self.send(b"".join(line_of(message) + b"\n" for message in messages))

    def send(self, data: bytes) -> None:
        """Sends bytes as a table has them."""
        with self._sending:
            self._socket.sendall(data)

    def next(self) -> FromScreen:
        """The next thing that it reports."""
        while not self._lines:
            data = self._socket.recv(65_536)
            assert data, "the screen has ended"
            self._lines += self._framer.feed(data).frames
        return from_screen(self._lines.pop(0))

    def flips(self, until: int) -> list[FlipMade]:
        """The next frames, this many."""
        found: list[FlipMade] = []
        while len(found) < until:
            message = self.next()
            if isinstance(message, FlipMade):
                found.append(message)
        return found

    def until_shown(self, images: list[int]) -> None:
        """Waits for a frame with these images, none of which turns."""
        while True:
            (flip,) = self.flips(1)
            if flip.images == images and not flip.turning:
                return

    def close(self) -> None:
        """Ends the connection."""
        self._ended.set()
        self._socket.close()


def opened(process: subprocess.Popen[str]) -> TableEnd:
    """The end of a link to a screen that begins."""
    assert process.stdout is not None
    said = ""
    while (found := re.search(r"socket://127\.0\.0\.1:(\d+)", said)) is None:
        line = process.stdout.readline()
        assert line, said
        said += line
    return TableEnd(int(found[1]))


SIZES = {
    "test_each_view_is_shown_in_a_real_window_as_it_was_drawn": "1920x1080",
    "test_the_frames_that_are_reported_are_those_that_were_lit": "640x480",
}
"""Where every pixel is read often, a small window is quick enough."""


@pytest.fixture
def running(request: pytest.FixtureRequest, lying: VirtualDisplay) -> Iterator[TableEnd]:
    with run_screen(lying, "--size", SIZES[request.function.__name__]) as process:
        try:
            table = opened(process)
            yield table
            table.close()
        finally:
            process.terminate()


def expected(one: Shown) -> pygame.Surface:
    """What the picture is to be."""
    surface = pygame.Surface(one.size)
    Painter(surface).draw(one.picture, one.model)
    return surface


def test_each_view_is_shown_in_a_real_window_as_it_was_drawn(lying: VirtualDisplay, running: TableEnd) -> None:
    assert isinstance(running.next(), ScreenHello)
    views = [(one, one.model) for one in shown() if one.size == (1920, 1080) and not one.picture.turning]
    assert {one.picture.view for one, _ in views} >= {
        "attract", "award", "hand_pay", "fault", "test", "recall", "door", "closed",
    }  # fmt: skip

    def waits_for(picture: pygame.Surface, name: str, turn: Callable[[], object]) -> None:
        clock = SystemClock()
        until_ns = clock.now_ns() + LIMIT_S * S
        while not same(lying.part(0, 0, 1920, 1080), picture, (0, 0, 1920, 1080)):
            assert clock.now_ns() < until_ns, name
            turn()

    for one, model in views:
        if model is None:
            continue
        still = msgspec.structs.replace(model, images=list(one.picture.images))
        running.tell(still, Show(scene=one.picture.scene))
        running.until_shown(list(one.picture.images))
        # The frame of the set-up is reported before that of the scene.
        waits_for(expected(one), one.name, lambda: running.flips(1))
    running.close()
    lost = next(one for one, _ in views if one.name == "lost-landscape")
    last = next(model for _, model in reversed(views) if model is not None)
    gone = Picture((), (), "closed", Scene(view="closed"), 0, patch=False, lost=last)
    waits_for(expected(lost._replace(picture=gone)), lost.name, lambda: None)


def test_the_frames_that_are_reported_are_those_that_were_lit(lying: VirtualDisplay, running: TableEnd) -> None:
    """The window's pixels are read at many moments: each shows what the last frame before it reports."""
    hello = running.next()
    assert isinstance(hello, ScreenHello)
    assert (hello.width, hello.height, hello.display, hello.synchronised) == (640, 480, "x11", False)
    model = set_up("video_fruit_3")
    play = next(one for one in shown() if one.name == "play-landscape")
    running.tell(msgspec.structs.replace(model, images=[0, 5, 10]), Show(scene=play.picture.scene))
    running.until_shown([0, 5, 10])
    layout = layout_of(640, 480, 3, 3, touch=True)
    middles = [(box.x + box.width // 4, box.y + layout.cell * 3 // 2 - 6, box.width // 2, 12) for box in layout.reels]
    surface = pygame.Surface((640, 480))
    painter, parts = Painter(surface), dict[tuple[int, ...], list[pygame.Surface]]()
    running.tell(*(SpinReel(reel=reel) for reel in (1, 2, 3)))
    clock, flips = SystemClock(), running.flips(1)
    judged, first_ns = set[tuple[int, int]](), clock.now_ns()

    def drawn_at(images: list[int]) -> list[pygame.Surface]:
        shown_images = tuple(images)
        if shown_images not in parts:
            painter.draw(Picture(shown_images, (1, 2, 3), "play", play.picture.scene, 0, False), model)
            parts[shown_images] = [surface.subsurface(pygame.Rect(*middle)).copy() for middle in middles]
        return parts[shown_images]

    while len(judged) < 45:
        assert clock.now_ns() < first_ns + LIMIT_S * S, f"{len(judged)} images were judged"
        before_ns = clock.now_ns()
        pixels = [lying.part(*middle) for middle in middles]
        after_ns = clock.now_ns()
        while flips[-1].begun <= after_ns:
            flips += running.flips(1)
        # X draws a little behind the flip: a reel shows the last frame, the one before it, or one made just then.
        made = [flip for flip in flips if flip.made <= before_ns]
        possible = [*made[-2:], *(flip for flip in flips if before_ns < flip.made and flip.begun <= after_ns)]
        for reel, seen in enumerate(pixels):
            lit = [flip for flip in possible if same(seen, drawn_at(flip.images)[reel], (0, 0, *middles[reel][2:]))]
            assert lit, f"frames {[flip.number for flip in possible]} are not what reel {reel + 1} shows"
            judged.add((reel, lit[0].images[reel]))
    known = Flips()
    for flip in flips:
        assert known.add(Flip(flip.number, flip.begun, flip.made, tuple(flip.images))) == 0, "no frame is missing"
    running.tell(StopReel(reel=2, image=3), StopReel(reel=1), StopReel(reel=3))
    while (stopped := running.flips(1)[0]).turning:
        pass
    assert stopped.images[1] == 3


@pytest.mark.parametrize("whole", [False, True])
def test_escape_closes_a_window_and_never_the_display_of_a_machine(whole: bool) -> None:
    window = Window((640, 480), whole=whole)
    window.events()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE))
    assert window.events() == ([], not whole)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert window.events() == ([], True)


def test_a_screen_without_a_display_says_what_it_lacks() -> None:
    process = subprocess.run(
        [sys.executable, "-c", CALL, "screen", "--touch", "none", "--port", "0"],
        env={**os.environ, "SDL_VIDEODRIVER": "x11", "DISPLAY": ":9977"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert process.returncode == 1
    assert "no picture can be shown" in process.stderr
